package scan

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hidden adds the runs of characters that a reader does not see, or that change
// the order in which text is shown. Those that honest text needs are let pass
// where it needs them:
//
//   - joiners inside emoji, and between letters of scripts that join (Arabic,
//     Indic, Khmer, Mongolian, …);
//   - variation selectors after a symbol, an emoji or a Han character;
//   - the tags of a flag emoji (England, Scotland, Wales);
//   - direction marks next to a letter that is written from right to left;
//   - zero-width spaces between letters of scripts without spaces;
//   - a byte order mark at the very start.
func hidden(hits []span, s string) []span {
	if plain(s) {
		return hits
	}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		rule := hiddenRule(r)
		if rule == "" || honest(s, i, size, r) {
			i += size
			continue
		}
		start := i
		for i += size; i < len(s); i += size {
			r, size = utf8.DecodeRuneInString(s[i:])
			if next := hiddenRule(r); next != rule || honest(s, i, size, r) {
				break
			}
		}
		hits = append(hits, span{Hidden, rule, 0, start, i})
	}
	return hits
}

// plain reports whether s has only visible ASCII, white space, and characters
// whose first byte begins none that hide.
func plain(s string) bool {
	for i := range len(s) {
		if mayHide[s[i]] {
			return false
		}
	}
	return true
}

// hiddenRule names what kind of hidden character r is, "" for a visible one.
func hiddenRule(r rune) string {
	switch {
	case r < ' ':
		if r == '\n' || r == '\t' || r == '\r' {
			return ""
		}
		return "control-character"
	case r < 0x7F:
		return ""
	case r <= 0x9F:
		return "control-character"
	case r == 0xAD:
		return "soft-hyphen"
	case r < 0x034F:
		return ""
	case 0x202A <= r && r <= 0x202E, 0x2066 <= r && r <= 0x2069:
		return "bidi-control"
	case r == 0x200E, r == 0x200F, r == 0x061C:
		return "direction-mark"
	case 0xE0000 <= r && r <= 0xE007F:
		return "tag-character"
	case 0xFE00 <= r && r <= 0xFE0F, 0xE0100 <= r && r <= 0xE01EF, 0x180B <= r && r <= 0x180D, r == 0x180F:
		return "variation-selector"
	case 0x200B <= r && r <= 0x200D, 0x2060 <= r && r <= 0x2065, 0x206A <= r && r <= 0x206F,
		r == 0x034F, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x180E, r == 0x2028, r == 0x2029,
		r == 0x3164, r == 0xFEFF, r == 0xFFA0, 0xFFF0 <= r && r <= 0xFFFB, 0x1BCA0 <= r && r <= 0x1BCA3, 0x1D173 <= r && r <= 0x1D17A,
		0xE0080 <= r && r <= 0xE0FFF:
		return "invisible-character"
	}
	return ""
}

// honest reports whether the hidden character at s[i:i+size] is where writing
// needs it.
func honest(s string, i, size int, r rune) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+size:])
	switch {
	case r == 0xFEFF:
		return i == 0
	case r == 0x200D: // joiner
		return emojiPart(before) && pictograph(after) || joining(before) && (joining(after) || !unicode.IsLetter(after))
	case r == 0x200C: // non-joiner
		return joining(before) && (joining(after) || !unicode.IsLetter(after))
	case r == 0x200B:
		return spaceless(before) && spaceless(after)
	case r == 0x200E, r == 0x200F, r == 0x061C:
		return rightToLeftNear(s, i, size)
	case r == 0xFE0E, r == 0xFE0F:
		return !unicode.IsLetter(before) && !unicode.IsSpace(before) && hiddenRule(before) == "" && i > 0 || unicode.Is(unicode.Han, before) || before == 0x2139 || before == 0x24C2
	case 0xFE00 <= r && r <= 0xFE0D, 0xE0100 <= r && r <= 0xE01EF:
		return unicode.Is(unicode.Han, before) || unicode.Is(unicode.Sm, before) || unicode.Is(unicode.Myanmar, before) || unicode.Is(unicode.Phags_Pa, before)
	case 0x180B <= r && r <= 0x180F:
		return unicode.Is(unicode.Mongolian, before)
	case 0xE0020 <= r && r <= 0xE007F:
		return flagTag(s, i)
	case r == 0x115F, r == 0x1160:
		return unicode.Is(unicode.Hangul, after) || unicode.Is(unicode.Hangul, before)
	}
	return false
}

// joining reports whether r's script has joined forms that the joiners choose.
func joining(r rune) bool {
	return r > 0x0590 && unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mandaic, unicode.Mongolian, unicode.Adlam, unicode.Hanifi_Rohingya,
		unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
		unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Balinese, unicode.Javanese, unicode.Grantha, unicode.Brahmi, unicode.Inherited) &&
		hiddenRule(r) == ""
}

func spaceless(r rune) bool {
	return r > 0x0E00 && unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Javanese, unicode.Balinese, unicode.Tai_Tham, unicode.New_Tai_Lue)
}

// rightToLeftNear looks for a right-to-left letter within a few characters on
// either side: a mark sits between such text and a number or Latin word.
func rightToLeftNear(s string, i, size int) bool {
	rtl := func(r rune) bool {
		return r >= 0x0590 && unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Adlam)
	}
	const near = 16
	j := i
	for range near {
		r, n := utf8.DecodeLastRuneInString(s[:j])
		if n == 0 || r == '\n' {
			break
		}
		if rtl(r) {
			return true
		}
		j -= n
	}
	j = i + size
	for range near {
		r, n := utf8.DecodeRuneInString(s[j:])
		if n == 0 || r == '\n' {
			break
		}
		if rtl(r) {
			return true
		}
		j += n
	}
	return false
}

func pictograph(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2190 && r <= 0x21FF || r >= 0x2300 && r <= 0x23FF || r >= 0x2600 && r <= 0x27BF || r >= 0x2B00 && r <= 0x2BFF
}

// emojiPart reports whether r may stand before a joiner in an emoji: a
// pictograph, a skin tone, a variation selector.
func emojiPart(r rune) bool { return pictograph(r) || r == 0xFE0F }

const (
	blackFlag = "\U0001F3F4"
	cancelTag = "\U000E007F"
)

// flagTag reports whether the tag at i belongs to a flag: a black flag, two to
// eight letters and digits, the cancel tag.
func flagTag(s string, i int) bool {
	start := i
	for n := 0; n < 10; n++ {
		if strings.HasSuffix(s[:start], blackFlag) {
			break
		}
		r, size := utf8.DecodeLastRuneInString(s[:start])
		if r < 0xE0020 || r > 0xE007E {
			return false
		}
		start -= size
	}
	if !strings.HasSuffix(s[:start], blackFlag) {
		return false
	}
	rest, n := s[start:], 0
	for ; n < 10; n++ {
		if strings.HasPrefix(rest, cancelTag) {
			return n >= 2
		}
		r, size := utf8.DecodeRuneInString(rest)
		if !(0xE0030 <= r && r <= 0xE0039 || 0xE0061 <= r && r <= 0xE007A) {
			return false
		}
		rest = rest[size:]
	}
	return false
}

// codePoints lists the first characters of a hidden run by number.
func codePoints(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n < 3 {
			if n > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "U+%04X", r)
		}
		n++
	}
	if n > 3 {
		fmt.Fprintf(&b, " … (%d characters)", n)
	}
	return b.String()
}
