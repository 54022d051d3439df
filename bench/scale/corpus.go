package main

import (
	"math/rand/v2"
	"slices"
	"strings"

	"memsync"
	"memsync/bench/gen"
)

// corpus is what the memories of a generated store say, so that every answer
// can be checked.
type corpus struct {
	n       int
	has     map[string][]int32 // which memories have a word, in order
	numbers map[memsync.Path]int
}

func newCorpus(n int) *corpus {
	c := &corpus{n: n, has: map[string][]int32{}, numbers: make(map[memsync.Path]int, n)}
	for i := range n {
		t := textOf(i)
		c.numbers[gen.Path(i, gen.Ours)] = i
		for _, w := range wordsOf(t.all()) {
			if at := c.has[w]; len(at) == 0 || at[len(at)-1] != int32(i) {
				c.has[w] = append(at, int32(i))
			}
		}
	}
	return c
}

// text is what a memory can be found by.
type text struct{ name, description, tags, body, file string }

func textOf(i int) text { return textIn(gen.Path(i, gen.Ours), gen.Memory(i, 0, seed)) }

func textIn(p memsync.Path, content []byte) (t text) {
	head, body, _ := strings.Cut(string(content), "\n---\n")
	t.body, t.file = body, strings.TrimSuffix(p.Base(), ".md")
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "name":
			t.name = value
		case "description":
			t.description = value
		case "tags":
			t.tags = value
		}
	}
	return t
}

func (t text) all() string {
	return strings.Join([]string{t.name, t.description, t.tags, t.body, t.file}, "\n")
}

func typeOf(i int) memsync.Type { return memsync.Types[i%len(memsync.Types)] }

func wordsOf(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r < 'a' || r > 'z' })
}

// query is words of which a memory has one, and the type that it is of, if any.
type query struct {
	words []string
	typ   memsync.Type
}

func (q query) String() string {
	s := strings.Join(q.words, " ")
	if q.typ != "" {
		s += " type:" + string(q.typ)
	}
	return s
}

// queries are as people ask: one to five words, each as often as it is written,
// but none that is in more than a tenth of the memories or in less than a
// thousandth; a quarter of them with a type.
func (c *corpus) queries(n int) []query {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]query, n)
	for i := range out {
		for range 1 + r.IntN(5) {
			out[i].words = append(out[i].words, c.word(r))
		}
		if i%4 == 3 {
			out[i].typ = memsync.Feedback
		}
	}
	return out
}

// words are n single ones.
func (c *corpus) words(n int) []string {
	r := rand.New(rand.NewPCG(seed, 2))
	out := make([]string, n)
	for i := range out {
		out[i] = c.word(r)
	}
	return out
}

func (c *corpus) word(r *rand.Rand) string {
	for {
		words := wordsOf(textOf(r.IntN(c.n)).body)
		w := words[r.IntN(len(words))]
		if in := len(c.has[w]); in >= c.n/1000 && in <= c.n/10 {
			return w
		}
	}
}

// matches reports whether a memory is one that a query asks for.
func (c *corpus) matches(q query, i int) bool {
	return (q.typ == "" || q.typ == typeOf(i)) && slices.ContainsFunc(q.words, func(w string) bool {
		_, has := slices.BinarySearch(c.has[w], int32(i))
		return has
	})
}

// inside reports whether a memory has a word of a query at least within others.
func (c *corpus) inside(q query, i int) bool {
	all := textOf(i).all()
	return (q.typ == "" || q.typ == typeOf(i)) && slices.ContainsFunc(q.words, func(w string) bool { return strings.Contains(all, w) })
}

// count is how many memories a query asks for.
func (c *corpus) count(q query) int {
	in := map[int32]bool{}
	for _, w := range q.words {
		for _, i := range c.has[w] {
			if q.typ == "" || q.typ == typeOf(int(i)) {
				in[i] = true
			}
		}
	}
	return len(in)
}

// unique is a word that no memory has, no two are alike, and that has no other
// form: without a vowel no ending comes off.
func unique(group byte, i int) string {
	word := []byte{'z', 'q', group}
	for d := 100_000; d > 0; d /= 10 {
		word = append(word, "bcdfghjklm"[i/d%10])
	}
	return string(word)
}
