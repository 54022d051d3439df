package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Opposed reports whether two similar texts differ in a negation or restriction
// word, or in a number, date, weekday, unit, sign or proper name at the same
// place, so that similarity must not count as support; why names the first such
// place. known is false where the language of the texts has no list
// (opposition.txt has en de fr es it pt nl ru uk zh ja ko): then numbers, signs
// and names were looked at, words were not.
//
// It errs on the side of "opposed": a false alarm costs a question, a miss a
// correction. What counts as a proper name, since no list can hold them: a
// capitalised word inside a sentence (in German every noun is one), a word with a
// capital inside, a word in backquotes or in an identifier or path; Latin letters
// in a text of another script; at the start of a sentence, two capitalised words
// in each other's place; Katakana; Han and Hangul words that begin with a common
// family name.
//
// Case, punctuation and white space make no difference.
func Opposed(a, b string) (opposed bool, why string, known bool) {
	wa, wb := cut(a), cut(b)
	langs := guess(append(slices.Clip(wa), wb...))
	known = len(langs) > 0

	hunks := diff(intern(wa, wb))
	if len(hunks) == 0 {
		return false, "", known
	}
	c := comparison{langs: langs, small: make(map[string]bool)}
	for _, w := range wa {
		c.note(w)
	}
	for _, w := range wb {
		c.note(w)
	}
	ma, mb := c.marks(wa), c.marks(wb)
	for _, h := range hunks {
		if why := c.compare(wa, wb, ma, mb, h); why != "" {
			return true, why, known
		}
	}
	if why := c.moved(wa, wb, ma, hunks); why != "" {
		return true, why, known
	}
	return false, "", known
}

// intern gives equal words of the two texts equal numbers.
func intern(a, b []word) (ia, ib []int32) {
	ids := make(map[string]int32, len(a))
	number := func(words []word) []int32 {
		out := make([]int32, len(words))
		for i, w := range words {
			id, ok := ids[w.text]
			if !ok {
				id = int32(len(ids))
				ids[w.text] = id
			}
			out[i] = id
		}
		return out
	}
	return number(a), number(b)
}

// mark is a meaning found at words[from:to].
type mark struct {
	from, to int
	what     string // class, a space, value
}

type comparison struct {
	langs []string
	small map[string]bool // words that stand somewhere without a capital
}

func (c *comparison) note(w word) {
	if !w.cap && !w.code {
		c.small[w.text] = true
	}
}

// marks finds what words mean, in order. Every word has at most one meaning.
func (c *comparison) marks(words []word) []mark {
	var out []mark
	all := lexicons()
	for i := 0; i < len(words); {
		w := words[i]
		if w.sign != "" {
			out = append(out, mark{i, i + 1, "sign " + w.sign})
			i++
			continue
		}
		if w.item {
			i++
			continue
		}
		if w.glued && w.text == "t" && i > 0 && strings.HasSuffix(words[i-1].text, "n") { // don't, isn't
			out = append(out, mark{i - 1, i + 1, "word not"})
			i++
			continue
		}
		if n, what := c.lookup(all, words, i); n > 0 {
			if what != "" {
				out = append(out, mark{i, i + n, what})
			}
			i += n
			continue
		}
		if v := numeric(w.text); v != "" {
			out = append(out, mark{i, i + 1, "number " + v})
		}
		i++
	}
	return out
}

func (c *comparison) lookup(all map[string]*lexicon, words []word, i int) (n int, what string) {
	for _, l := range c.langs {
		if k, m := all[l].match(words, i); k > n {
			n, what = k, m
		}
	}
	switch {
	case n == 0 || what == "":
		return n, ""
	case strings.HasPrefix(what, "name "):
		return n, what
	case strings.HasPrefix(what, "day") && len(what) == 4:
		return n, "weekday " + what[3:]
	case what[0] == 'm' && len(what) > 1 && digitsOnly(what[1:]): // a month is also its number
		return n, "number " + what[1:]
	case what[0] == 'n' && len(what) > 1 && digitsOnly(what[1:]):
		return n, "number " + what[1:]
	}
	return n, "word " + what
}

// numeric is the comparable value of a word with a digit in it, "" for others.
func numeric(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return unicode.IsNumber(r) && !unicode.Is(unicode.Han, r) }) < 0 {
		return ""
	}
	s = strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf && unicode.Is(unicode.Nd, r) {
			return digit(r)
		}
		return r
	}, s)
	if t := strings.TrimLeft(s, "0"); t != "" {
		return t
	}
	return s
}

// compare says in what the two sides of a hunk are opposed, "" if in nothing.
func (c *comparison) compare(wa, wb []word, ma, mb []mark, h hunk) string {
	ta, tb := touching(ma, h.a0, h.a1), touching(mb, h.b0, h.b1)
	if !sameMarks(ta, tb) && !(len(ta) == 0 && onlySoft(tb)) && !(len(tb) == 0 && onlySoft(ta)) {
		return explain(wa, wb, ta, tb)
	}
	na := c.names(wa, ta, h.a0, h.a1, h.b1 > h.b0)
	nb := c.names(wb, tb, h.b0, h.b1, h.a1 > h.a0)
	if len(na.start) > 0 && len(nb.start) > 0 {
		na.sure = append(na.sure, na.start...)
		nb.sure = append(nb.sure, nb.start...)
	}
	if !sameNames(na.sure, nb.sure) {
		return "name: " + side(na.sure) + " / " + side(nb.sure)
	}
	if han := c.familyNames(wa, wb, h); han != "" {
		return han
	}
	return ""
}

// touching are the marks that overlap [from,to), or hold the point from when
// that is empty.
func touching(marks []mark, from, to int) []mark {
	i, _ := slices.BinarySearchFunc(marks, from, func(m mark, at int) int {
		if m.to <= at {
			return -1
		}
		return 1
	})
	j := i
	for j < len(marks) && (marks[j].from < to || from == to && marks[j].from < from) {
		j++
	}
	return marks[i:j]
}

func sameMarks(a, b []mark) bool {
	if len(a) != len(b) {
		return false
	}
	var xs, ys []string
	for i := range a {
		xs, ys = append(xs, a[i].what), append(ys, b[i].what)
	}
	slices.Sort(xs)
	slices.Sort(ys)
	return slices.Equal(xs, ys)
}

func sameNames(a, b []string) bool {
	a, b = foldAll(a), foldAll(b)
	return slices.Equal(a, b)
}

func foldAll(s []string) []string {
	out := make([]string, len(s))
	for i := range s {
		out[i] = Fold(s[i])
	}
	slices.Sort(out)
	return out
}
