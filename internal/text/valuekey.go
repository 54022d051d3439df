package text

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

//go:embed confusables.txt
var confusablesTxt string

// lookalikes are the tables of confusables.txt, which says what they cover.
// asWritten holds the capitals that look like another letter than their small
// ones do.
var lookalikes = sync.OnceValue(func() (t struct{ folded, asWritten map[rune]string }) {
	t.folded = make(map[rune]string, 1024)
	t.asWritten = make(map[rune]string, 16)
	for line := range strings.Lines(confusablesTxt) {
		line = strings.TrimSuffix(line, "\n")
		target, sources, ok := strings.Cut(line, "\t")
		if !ok || strings.HasPrefix(line, "# ") {
			continue
		}
		m := t.folded
		if rest, upper := strings.CutPrefix(target, "upper "); upper {
			m, target = t.asWritten, rest
		}
		for _, r := range sources {
			m[r] = target
		}
	}
	return t
})

// ValueKey is the form in which a rejected value is recognised: NFKC, case
// folded, without white space and invisible characters, digits of any script as
// the digit they mean, and each character as what it looks like (the skeleton of
// UTS 39; confusables.txt says what is covered).
//
// It is for comparing only: it reads as gibberish ("admin" becomes "adrnln") and
// makes a few different texts equal on purpose. It is idempotent. A text of
// white space and invisible characters has the key "".
func ValueKey(s string) string {
	t := lookalikes()
	s = norm.NFKC.String(s)
	s = capitalsAsWritten(s, t.asWritten)
	s = norm.NFKC.String(foldCase(s))
	s = norm.NFKC.String(foldCase(s)) // a compatibility form may fold once more
	s = norm.NFD.String(s)

	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		if r == ' ' || unicode.IsSpace(r) || invisible(r) {
			continue
		}
		if r >= utf8.RuneSelf && unicode.Is(unicode.Nd, r) {
			r = digit(r)
		}
		if target, ok := t.folded[r]; ok {
			b.WriteString(target)
		} else {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(singleDots(norm.NFD.String(b.String())))
}

// singleDots drops the dot above from letters that look like an i, which has
// one; İ folds to such a pair. s is in NFD.
func singleDots(s string) string {
	if !strings.Contains(s, "\u0307") {
		return s
	}
	var base rune
	return strings.Map(func(r rune) rune {
		if r == '\u0307' && base == 'l' {
			return -1
		}
		if !unicode.IsMark(r) {
			base = r
		}
		return r
	}, s)
}

// invisible reports whether r leaves no mark on a page: controls, format
// characters, and what Unicode calls Default_Ignorable_Code_Point.
func invisible(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7F
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		0xE0000 <= r && r <= 0xE0FFF || r == '\u2800' // the empty Braille cell
}

// digit is the ASCII digit of a decimal digit of any script: Unicode encodes
// them as runs of ten from zero to nine.
func digit(r rune) rune {
	for _, x := range unicode.Nd.R16 {
		if rune(x.Lo) <= r && r <= rune(x.Hi) {
			return '0' + (r-rune(x.Lo))%10
		}
	}
	for _, x := range unicode.Nd.R32 {
		if rune(x.Lo) <= r && r <= rune(x.Hi) {
			return '0' + (r-rune(x.Lo))%10
		}
	}
	return r
}

// capitalsAsWritten replaces capitals that look like another Latin letter than
// their small letters do, in words that hold a Latin letter or a digit and in
// texts that are mostly Latin: in a Greek text a word in capitals must keep the
// key of the same word in small letters.
func capitalsAsWritten(s string, table map[rune]string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf && table[r] != "" }) < 0 {
		return s
	}
	latin := 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.IsLetter(r):
			latin--
		}
	}
	var b strings.Builder
	for len(s) > 0 {
		n := strings.IndexFunc(s, unicode.IsSpace)
		if n < 0 {
			n = len(s)
		}
		word := s[:n]
		mixed := latin > 0 || strings.ContainsFunc(word, func(r rune) bool {
			return '0' <= r && r <= '9' || unicode.Is(unicode.Latin, r)
		})
		if mixed {
			for i, r := range word {
				if t := table[r]; t != "" {
					b.WriteString(t)
				} else {
					_, size := utf8.DecodeRuneInString(word[i:])
					b.WriteString(word[i : i+size])
				}
			}
		} else {
			b.WriteString(word)
		}
		s = s[n:]
		if len(s) > 0 {
			_, size := utf8.DecodeRuneInString(s)
			b.WriteString(s[:size])
			s = s[size:]
		}
	}
	return b.String()
}
