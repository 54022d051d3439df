package search

import (
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"memsync/internal/text"
)

// char is one folded character of a text and the bytes it was made from.
// Several chars may stand for the same bytes ("ß" is two).
type char struct {
	r          rune
	start, end int
	upper      bool // a capital in the text
	class      class
}

// class says what a character does to the words around it.
type class uint8

const (
	breaks class = iota // white space, punctuation, anything unknown
	ignore              // invisible inside a word: joiners, soft hyphens, marks that fold away
	joins               // punctuation that may hold an identifier together
	quote               // an apostrophe
	letter
	digit
	cjk    // no spaces between words: found by pairs
	thai   // no spaces either, and letters instead of syllables: found by triples
	symbol // emoji and other pictures: each is a word
)

// chars folds s: compatibility forms (full width, ligatures) become plain ones,
// letters lose case and accents ("café" is "cafe", "straße" is "strasse"), and
// invisible characters go. Marks that make another letter stay: Kana's voicing,
// vowels of Indic scripts, tones of Thai. Any bytes are accepted; what is not
// UTF-8 breaks words.
func chars(s string, yield func(char)) {
	for i := 0; i < len(s); {
		i = next(s, i, yield)
	}
}

// next yields what the bytes at i are folded to, and gives where they end.
func next(s string, i int, yield func(char)) int {
	if c := s[i]; c < utf8.RuneSelf && (i+1 == len(s) || s[i+1] < utf8.RuneSelf) {
		yield(ascii(c, i))
		return i + 1
	}
	n := norm.NFKC.NextBoundaryInString(s[i:], true)
	if n <= 0 {
		_, n = utf8.DecodeRuneInString(s[i:])
	}
	first, size := utf8.DecodeRuneInString(s[i:])
	if first == utf8.RuneError && size == 1 {
		yield(char{r: utf8.RuneError, start: i, end: i + n})
		return i + n
	}
	folded := ""
	if size == n {
		folded = foldRune(first)
	} else {
		folded = fold(s[i : i+n])
	}
	up := unicode.IsUpper(first)
	for _, r := range folded {
		yield(char{r: r, start: i, end: i + n, upper: up, class: classOf(r)})
		up = false
	}
	return i + n
}

func ascii(c byte, at int) char {
	ch := char{r: rune(c), start: at, end: at + 1}
	switch {
	case 'a' <= c && c <= 'z':
		ch.class = letter
	case 'A' <= c && c <= 'Z':
		ch.r, ch.upper, ch.class = ch.r+'a'-'A', true, letter
	case '0' <= c && c <= '9':
		ch.class = digit
	case c == '\'':
		ch.class = quote
	case strings.IndexByte(`_-./\:@#+$~&`, c) >= 0:
		ch.class = joins
	}
	return ch
}

// foldRune is fold of a single character, remembered in blocks of 256: folding
// costs a microsecond, and a text has thousands.
func foldRune(r rune) string {
	if r < 0 || int(r>>8) >= len(blocks) {
		return fold(string(r))
	}
	if 0x3400 <= r && r <= 0x9FFF || 0xAC00 <= r && r <= 0xD7A3 {
		return string(r) // Han and Hangul syllables stay
	}
	b := blocks[r>>8].Load()
	if b == nil {
		b = new([256]string)
		for i := range b {
			b[i] = fold(string(r&^0xFF + rune(i)))
		}
		blocks[r>>8].Store(b) // whoever made the same meanwhile made the same
	}
	return b[r&0xFF]
}

// blocks are made when they are asked for: a megabyte of strings in the program's
// data would be looked at by every collection of every command.
var blocks [0x100]atomic.Pointer[[256]string]

func fold(s string) string {
	s = text.Fold(norm.NFKC.String(s))
	var b strings.Builder
	for _, r := range norm.NFD.String(s) {
		if to, ok := plain[r]; ok {
			b.WriteString(to)
		} else if !accent(r) {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// plain are letters that a stroke or a joint tells from plain ones, which no
// normalization takes apart, and spellings that Arabic writers mix.
var plain = map[rune]string{
	'đ': "d", 'ð': "d", 'ħ': "h", 'ı': "i", 'ł': "l", 'ø': "o", 'ŧ': "t", 'þ': "th", 'æ': "ae", 'œ': "oe", 'ŋ': "n",
	'ى': "ي", 'ة': "ه", 'ٱ': "ا", 'ـ': "",
}

// accent reports marks that change how a letter is said and not which it is, in
// Latin, Greek, Cyrillic, Hebrew and Arabic.
func accent(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r <= 0x36F, 0x483 <= r && r <= 0x487:
		return true
	case 0x591 <= r && r <= 0x5C7:
		return unicode.Is(unicode.Mn, r)
	case 0x610 <= r && r <= 0x61A, 0x64B <= r && r <= 0x65F, r == 0x670:
		return true
	case 0x1AB0 <= r && r <= 0x1AFF, 0x1DC0 <= r && r <= 0x1DFF, 0x20D0 <= r && r <= 0x20FF, 0xFE20 <= r && r <= 0xFE2F:
		return true
	}
	return false
}

func classOf(r rune) class {
	if r < utf8.RuneSelf {
		return ascii(byte(r), 0).class
	}
	switch {
	case r == 0x2018 || r == 0x2019 || r == 0x02BC || r == 0x2032:
		return quote
	case r == 0x2010 || r == 0x2011:
		return joins
	case r == 0x200B || r == 0x2028 || r == 0x2029:
		return breaks // invisible spaces
	case unicode.Is(unicode.Cf, r), 0xFE00 <= r && r <= 0xFE0F, 0x1F3FB <= r && r <= 0x1F3FF:
		return ignore // also what only chooses how a picture looks
	case r == 0x3005 || r == 0x3007 || r == 0x30FC:
		return cjk // iteration mark, zero, long vowel
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo):
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) {
			return cjk
		}
		return breaks
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tai_Tham, unicode.New_Tai_Lue, unicode.Tai_Le):
		if unicode.IsLetter(r) || unicode.IsMark(r) {
			return thai
		}
		if unicode.IsNumber(r) {
			return digit
		}
		return breaks
	case unicode.IsLetter(r), unicode.IsMark(r):
		return letter
	case unicode.IsNumber(r):
		return digit
	case unicode.Is(unicode.So, r):
		return symbol
	}
	return breaks
}
