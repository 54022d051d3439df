package format

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"memsync"

	"golang.org/x/text/unicode/norm"
)

// slugBytes bounds a slug; with the longest type prefix and `.md` a file name
// stays far below the 255 bytes of file systems.
const slugBytes = 80

// Slug is the one slug function: lower-case letters of any script in NFC,
// digits and single dashes, at most 80 bytes; "" when nothing is left. Marks
// stay with their letters (Thai, Hindi and Vietnamese are unreadable without),
// apostrophes and joiners vanish, anything else separates. A text of symbols
// only, such as emoji, gives their code points, so that two of them differ.
func Slug(s string) string {
	if ascii, ok := slugASCII(s); ok {
		return ascii
	}
	var b strings.Builder
	dash := false
	open := false // a mark may follow
	for _, r := range norm.NFC.String(strings.ToValidUTF8(s, "-")) {
		r = unicode.ToLower(r)
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteRune(r)
			dash, open = false, true
		case r == '\'' || r == '’' || r == 'ʼ' || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Me, r):
		case unicode.Is(unicode.M, r):
			if open {
				b.WriteRune(r)
			}
		default:
			dash, open = true, false
		}
	}
	out := norm.NFC.String(b.String())
	if out == "" {
		out = symbols(s)
	}
	return cutSlug(out)
}

// slugASCII is Slug for the common case.
func slugASCII(s string) (string, bool) {
	out := make([]byte, 0, len(s))
	dash := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 0x80:
			return "", false
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
			fallthrough
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			if dash && len(out) > 0 {
				out = append(out, '-')
			}
			dash = false
			out = append(out, c)
		case c == '\'':
		default:
			dash = true
		}
	}
	if len(out) == 0 {
		return "", false
	}
	return cutSlug(string(out)), true
}

// symbols spells the symbols of a text that has nothing else as code points.
func symbols(s string) string {
	var parts []string
	for _, r := range s {
		if r > 0x7f && unicode.IsSymbol(r) {
			parts = append(parts, fmt.Sprintf("u%x", r))
		}
	}
	return strings.Join(parts, "-")
}

// cutSlug cuts to the limit, never inside a character or before a mark.
func cutSlug(s string) string {
	if len(s) <= slugBytes {
		return s
	}
	cut := slugBytes
	for cut > 0 {
		r, _ := utf8.DecodeRuneInString(s[cut:])
		if utf8.RuneStart(s[cut]) && !unicode.Is(unicode.M, r) {
			break
		}
		cut--
	}
	return strings.TrimRight(s[:cut], "-")
}

// SplitName takes a base name apart: type prefix (Untyped if none) and slug.
func SplitName(base string) (memsync.Type, string) {
	s := stem(base)
	for _, t := range memsync.Types {
		rest, ok := strings.CutPrefix(s, string(t))
		if !ok || rest == "" || rest[0] != '_' && rest[0] != '-' {
			continue
		}
		if slug := Slug(rest[1:]); slug != "" {
			return t, slug
		}
	}
	return memsync.Untyped, Slug(s)
}

// FileName is <type>_<slug>.md; <slug>.md for an untyped memory. An empty slug
// becomes "untitled".
func FileName(t memsync.Type, slug string) string {
	if slug == "" {
		slug = "untitled"
	}
	if t == memsync.Untyped {
		return slug + ".md"
	}
	return string(t) + "_" + slug + ".md"
}
