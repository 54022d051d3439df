package text

import (
	"unicode"
	"unicode/utf8"
)

// unspaced reports whether words of r's script stand without spaces between
// them (Han, Kana, Thai, Lao, Khmer, Myanmar, Tai scripts), so that a character
// and not a word is what counts. Hangul has spaces.
func unspaced(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r <= 0x0EFF: // Thai, Lao
		return true
	case r < 0x1000:
		return false
	case r <= 0x109F: // Myanmar
		return true
	case r < 0x1780:
		return false
	case r <= 0x17FF: // Khmer
		return true
	case r < 0x1950:
		return false
	case r <= 0x19FF, 0x1A20 <= r && r <= 0x1AAF: // Tai scripts
		return true
	case r < 0x3005:
		return false
	case r <= 0x3007, 0x3041 <= r && r <= 0x312F, 0x31A0 <= r && r <= 0x31FF: // Kana, Bopomofo
		return true
	case 0x3400 <= r && r <= 0x4DBF, 0x4E00 <= r && r <= 0x9FFF, 0xF900 <= r && r <= 0xFAFF: // Han
		return true
	case 0xA9E0 <= r && r <= 0xA9FF, 0xAA60 <= r && r <= 0xAA7F: // Myanmar extended
		return true
	case 0xFF66 <= r && r <= 0xFF9F: // half-width Katakana
		return true
	case 0x1B000 <= r && r <= 0x1B16F, 0x20000 <= r && r <= 0x3FFFF:
		return true
	}
	return false
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	if r == '\u02BC' { // an apostrophe, although Unicode calls it a letter
		return false
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// nextWord finds the first word of s at or after i: a run of letters, digits and
// marks, or one character (with its marks) of an unspaced script. ok is false
// at the end.
func nextWord(s string, i int) (start, end int, ok bool) {
	for i < len(s) {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		if !wordRune(r) {
			i += size
			continue
		}
		start = i
		i += size
		single := r >= utf8.RuneSelf && unspaced(r)
		for i < len(s) {
			r, size := rune(s[i]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRuneInString(s[i:])
				if single {
					if !unicode.IsMark(r) {
						break
					}
					i += size
					continue
				}
				if unspaced(r) && !unicode.IsMark(r) {
					break
				}
			} else if single {
				break
			}
			if !wordRune(r) {
				break
			}
			i += size
		}
		return start, i, true
	}
	return len(s), len(s), false
}
