package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is one place of a text, as Opposed sees it.
type word struct {
	text  string // folded
	raw   string // as written
	sign  string // an operator or symbol; text is the same
	glued bool   // an apostrophe stands between it and the word before
	start bool   // it begins a sentence, a line of a list or a quotation
	code  bool   // it stands in backquotes or is part of an identifier, path or address
	item  bool   // it numbers a list item, which says nothing
	cap   bool   // its first letter is a capital
	inner bool   // another letter is one
}

// signs are symbols whose change changes what a text says.
const signs = "<>=!≠≤≥%$€£¥✅❌✔✖✓✗☑☐👍👎"

// cut splits a text into words and signs.
func cut(s string) []word {
	words := make([]word, 0, len(s)/5+4)
	ticks := 0 // length of the run of backquotes that is open
	for i := 0; ; {
		start, end, ok := nextWord(s, i)
		gap := s[i:start]
		words, ticks = cutGap(words, gap, ticks, s[start:end])
		if !ok {
			return words
		}
		raw := s[start:end]
		w := word{text: Fold(raw), raw: raw, code: ticks > 0}
		w.glued = gap == "'" || gap == "’" || gap == "ʼ" || gap == "`" && ticks == 0
		w.start = len(words) == 0 || sentenceBreak(gap)
		w.item = digitsOnly(raw) && lineStart(s[:start]) && (strings.HasPrefix(s[end:], ". ") || strings.HasPrefix(s[end:], ") "))
		if !w.code {
			w.code = identifier(s, start, end)
		}
		for k, r := range raw {
			if unicode.IsUpper(r) {
				if k == 0 {
					w.cap = true
				} else {
					w.inner = true
				}
			}
		}
		words = append(words, w)
		i = end
	}
}

// cutGap adds the signs that stand between two words and follows backquotes.
func cutGap(words []word, gap string, ticks int, next string) ([]word, int) {
	for i := 0; i < len(gap); {
		c := gap[i]
		if c == '`' {
			n := len(gap[i:]) - len(strings.TrimLeft(gap[i:], "`"))
			switch {
			case ticks == 0:
				ticks = n
			case ticks == n:
				ticks = 0
			}
			i += n
			continue
		}
		if c == '\n' && ticks > 0 && ticks < 3 && strings.HasPrefix(gap[i:], "\n\n") {
			ticks = 0 // never closed
		}
		if c == '-' && i == len(gap)-1 && (i == 0 && len(words) == 0 || i > 0 && strings.IndexByte(" (=:,", gap[i-1]) >= 0) && next != "" && next[0] >= '0' && next[0] <= '9' {
			words = append(words, word{text: "-", raw: "-", sign: "-"})
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(gap[i:])
		sym := gap[i : i+size]
		if !strings.Contains(signs, sym) || sym == "" {
			i += size
			continue
		}
		n := size
		if strings.Contains("<>=!", sym) { // an operator stands alone; arrows, tags and quote marks are none
			n = len(gap[i:]) - len(strings.TrimLeft(gap[i:], "<>=!"))
			alone := i > 0 && (gap[i-1] == ' ' || gap[i-1] == '`') && (i+n == len(gap) || gap[i+n] == ' ' || gap[i+n] == '"' || gap[i+n] == '-')
			sym = gap[i : i+n]
			if !alone || sym == "=>" || sym == "!" || n > 3 {
				i += n
				continue
			}
		}
		words = append(words, word{text: sym, raw: sym, sign: sym})
		i += n
	}
	return words, ticks
}

// sentenceBreak reports whether what follows gap may have a capital for its
// place alone.
func sentenceBreak(gap string) bool {
	if strings.ContainsAny(gap, "!?:;…。！？：；\"“”«»„|#>") || strings.Contains(gap, "\n\n") {
		return true
	}
	if i := strings.IndexByte(gap, '.'); i >= 0 && i+1 < len(gap) {
		return true // a point with white space after it
	}
	nl := strings.IndexByte(gap, '\n')
	return nl >= 0 && strings.ContainsAny(gap[nl:], "-*+•[(") || strings.Contains(gap, "**")
}

// lineStart reports whether nothing but indentation stands on the line before.
func lineStart(before string) bool {
	t := strings.TrimRight(before, " \t")
	return t == "" || t[len(t)-1] == '\n'
}

func digitsOnly(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// identifier reports whether the word s[start:end] is part of something longer
// that holds no white space: snake_case, a path, a file name, an address, a
// flag.
func identifier(s string, start, end int) bool {
	const joins = "_/\\@$"
	if start > 0 {
		switch c := s[start-1]; {
		case strings.IndexByte(joins, c) >= 0:
			return true
		case c == '.' || c == ':':
			if start > 1 && wordByte(s[start-2]) && !(c == ':' && digitsOnly(s[start:end])) && !digitsOnly(s[start:end]) {
				return true
			}
		case c == '-' && start > 1 && s[start-2] == '-':
			return true
		}
	}
	if end < len(s) {
		switch c := s[end]; {
		case strings.IndexByte(joins, c) >= 0:
			return true
		case (c == '.' || c == ':') && end+1 < len(s) && wordByte(s[end+1]) && !digitsOnly(s[start:end]):
			return true
		}
	}
	return false
}

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
