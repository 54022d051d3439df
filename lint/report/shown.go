package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shown makes any text safe for one line that a person reads: what would be
// obeyed (control characters, what turns text around) or not be seen (tags, zero
// width) is spelled out, and so are bytes that are not UTF-8. The two joiners
// stay, for scripts and emoji are written with them.
func shown(s string) string {
	return spell(s, "")
}

// shownLines is shown, but line ends stay.
func shownLines(s string) string {
	return spell(s, "\n\r")
}

func spell(s, keep string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case strings.ContainsRune(keep, r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r > 0xffff && obeyed(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		case obeyed(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

func obeyed(r rune) bool {
	const nonJoiner, joiner = 0x200c, 0x200d
	return unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || r == 0xfffe || r == 0xffff ||
		unicode.Is(unicode.Cf, r) && r != nonJoiner && r != joiner
}

// valid is s where only text can stand: a byte that is none is U+FFFD, and so is
// NUL, which databases behind services refuse.
func valid(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}
