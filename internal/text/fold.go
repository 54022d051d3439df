package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold is the sort and comparison form of a name: NFC, case-folded (full
// folding: "straße" is "strasse"). It is idempotent. Accents stay: "café" and
// "cafe" are two names.
func Fold(s string) string {
	ascii, lower := true, true
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			ascii = false
			break
		}
		if 'A' <= c && c <= 'Z' {
			lower = false
		}
	}
	switch {
	case ascii && lower:
		return s
	case ascii:
		return lowerASCII(s)
	}
	// Canonical caseless form (Unicode 3.13, D145): folding a decomposed text
	// keeps canonically equal texts equal.
	return norm.NFC.String(foldCase(norm.NFD.String(s)))
}

// foldCase is full case folding. x/text turns Cherokee letters into their
// opposite; Unicode folds them to capitals, which are the older.
func foldCase(s string) string {
	s = cases.Fold().String(strings.Map(cherokee, s))
	return strings.Map(cherokee, s)
}

func cherokee(r rune) rune {
	switch {
	case 0xAB70 <= r && r <= 0xABBF:
		return r - 0xAB70 + 0x13A0
	case 0x13F8 <= r && r <= 0x13FD:
		return r - 8
	}
	return r
}

func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// Normalize is the form in which two bodies count as the same text: NFC, LF
// line ends (CRLF and a lone CR too), no trailing white space on any line, no
// leading or trailing blank lines, no line end at the end. It is idempotent.
func Normalize(s string) string {
	if !norm.NFC.IsNormalString(s) {
		s = norm.NFC.String(s)
	}
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	s = strings.TrimRightFunc(s, unicode.IsSpace)
	for { // leading blank lines; the indentation of the first line with text stays
		i := strings.IndexByte(s, '\n')
		if i < 0 || strings.TrimSpace(s[:i]) != "" {
			break
		}
		s = s[i+1:]
	}
	if !trailingSpace(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for line := range strings.SplitSeq(s, "\n") {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimRightFunc(line, unicode.IsSpace))
	}
	return b.String()
}

// trailingSpace reports whether any line but the last ends in white space.
func trailingSpace(s string) bool {
	for i := 0; ; {
		j := strings.IndexByte(s[i:], '\n')
		if j < 0 {
			return false
		}
		if j > 0 {
			r, _ := utf8.DecodeLastRuneInString(s[i : i+j])
			if unicode.IsSpace(r) {
				return true
			}
		}
		i += j + 1
	}
}
