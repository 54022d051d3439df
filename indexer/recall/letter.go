package recall

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const alphabet = "abcdefghijklmnopqrstuvwxyz"

const (
	topDigits  = "0-9"
	topSymbols = "symbols" // a name without a letter or digit
	topLetters = "letters" // letters of a script that is not in the table
)

// scripts are those that pages are named after. Where letters is true a name
// goes on with letters of the script; the others have thousands of characters
// and are split by hash.
var scripts = [...]struct {
	name    string
	table   *unicode.RangeTable
	letters bool
}{
	{"han", unicode.Han, false},
	{"kana", unicode.Hiragana, false},
	{"kana", unicode.Katakana, false},
	{"hangul", unicode.Hangul, false},
	{"cyrillic", unicode.Cyrillic, true},
	{"greek", unicode.Greek, true},
	{"arabic", unicode.Arabic, true},
	{"hebrew", unicode.Hebrew, true},
	{"thai", unicode.Thai, true},
	{"devanagari", unicode.Devanagari, true},
	{"bengali", unicode.Bengali, true},
	{"tamil", unicode.Tamil, true},
	{"telugu", unicode.Telugu, true},
	{"georgian", unicode.Georgian, true},
	{"armenian", unicode.Armenian, true},
}

// topPage is the first letter of a name, a to z, accents taken off, or the
// name of its script.
func topPage(key string) string {
	for _, r := range key {
		if r < utf8.RuneSelf {
			if '0' <= r && r <= '9' {
				return topDigits
			}
			if r |= 0x20; 'a' <= r && r <= 'z' {
				return alphabet[r-'a' : r-'a'+1]
			}
			continue
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			continue
		}
		if base, ok := latinBase(r); ok {
			return alphabet[base-'a' : base-'a'+1]
		}
		for _, s := range scripts {
			if unicode.Is(s.table, r) {
				return s.name
			}
		}
		if unicode.IsDigit(r) {
			return topDigits
		}
		return topLetters
	}
	return topSymbols
}

// latinBase is the letter a to z under a Latin letter's accents.
func latinBase(r rune) (byte, bool) {
	if !unicode.Is(unicode.Latin, r) {
		return 0, false
	}
	switch r {
	case 'ø', 'Ø', 'œ', 'Œ':
		return 'o', true
	case 'ł', 'Ł':
		return 'l', true
	case 'đ', 'Đ', 'ð', 'Ð':
		return 'd', true
	case 'æ', 'Æ':
		return 'a', true
	case 'ß', 'ẞ':
		return 's', true
	case 'þ', 'Þ':
		return 't', true
	case 'ı':
		return 'i', true
	case 'ħ', 'Ħ':
		return 'h', true
	}
	c := norm.NFD.PropertiesString(string(r)).Decomposition()
	if len(c) == 0 {
		return 0, false
	}
	base := c[0] | 0x20
	return base, 'a' <= base && base <= 'z'
}

// maxPageLetters bounds the length of page names.
const maxPageLetters = 32

// pageLetters are the letters and digits of a name, accents taken off, all
// else as single dashes; none for a script without an alphabet.
func pageLetters(key, top string) string {
	var own *unicode.RangeTable
	if len(top) > 1 && top != topDigits {
		for _, s := range scripts {
			if s.name == top && s.letters {
				own = s.table
			}
		}
		if own == nil {
			return ""
		}
	}
	out := make([]byte, 0, maxPageLetters+8)
	dash, count := false, 0
	for _, r := range key {
		if count >= maxPageLetters {
			break
		}
		c := rune(-1)
		switch {
		case r < utf8.RuneSelf:
			if l := r | 0x20; 'a' <= l && l <= 'z' || '0' <= r && r <= '9' {
				c = l
			}
		case unicode.IsMark(r):
			continue
		default:
			if base, ok := latinBase(r); ok {
				c = rune(base)
			} else if own != nil && unicode.Is(own, r) && unicode.IsLetter(r) {
				c = r
			}
		}
		if c < 0 {
			dash = len(out) > 0
			continue
		}
		if dash {
			out = append(out, '-')
			count++
			dash = false
		}
		out = utf8.AppendRune(out, c)
		count++
	}
	return string(out)
}
