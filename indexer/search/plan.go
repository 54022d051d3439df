package search

import "strings"

// plan is a query on the analyzed form: which terms to read, and how much each
// counts.
type plan struct {
	terms   []want
	phrases [][]string // sequences in the exact field that must be there
	not     [][]string // sequences that must not
	filters []Filter
	asked   bool // whether there is anything but filters
}

// want is a term of the ranked fields. Weights of the terms of one word sum up
// to about 1, so that an identifier of six parts counts as the one thing it is.
type want struct {
	term    string
	exact   string   // the same unstemmed, "" if that says nothing more
	chars   []string // instead of a term: characters side by side in the exact field
	weight  float64
	unit    int    // which word of the query it comes from
	substr  string // of the unit's first term: what is looked for inside words
	ident   bool   // look inside words even when the term is found
	hasTerm bool
}

// mostTerms bounds a query's work: a text of a thousand words is asked for by
// its first ones. A guess.
const mostTerms = 96

func newPlan(q Query) plan {
	p := plan{filters: q.Filters}
	seen := make(map[string]bool)
	units(strings.Join(q.Words, " "), func(u *unit) {
		p.asked = true
		if len(p.terms) < mostTerms {
			p.word(u, seen)
		}
	})
	for _, text := range q.Phrases {
		p.asked = true
		if seq := sequence(text); len(seq) > 0 {
			p.phrases = append(p.phrases, seq)
		}
		units(text, func(u *unit) { // so that they are ranked and shown
			if len(p.terms) < mostTerms {
				p.word(u, seen)
			}
		})
	}
	for _, t := range q.Not {
		if seq := sequence(t.Text); len(seq) > 0 && len(p.not) < mostTerms {
			p.not = append(p.not, seq)
		}
	}
	return p
}

// word adds the terms of one unit.
func (p *plan) word(u *unit, seen map[string]bool) {
	text := u.text()
	if u.kind != letter {
		var b strings.Builder
		for _, c := range u.parts {
			b.WriteString(c.term)
		}
		text = b.String()
	}
	if seen[text] {
		return
	}
	seen[text] = true
	id := len(p.terms)
	add := func(w want) {
		w.unit = id
		if len(p.terms) < mostTerms+mostParts {
			p.terms = append(p.terms, w)
		}
	}
	if u.kind != letter {
		n, k := u.gram(), len(u.parts)
		if k < n {
			chars := make([]string, k)
			for i, c := range u.parts {
				chars[i] = c.term
			}
			add(want{chars: chars, weight: 1})
			return
		}
		// A word is about as long as a term, so a run counts as its length in words.
		w := max(1, float64(k)/float64(n)) / float64(k-n+1)
		u.grams(func(term string, _, _ int) { add(want{term: term, weight: w, hasTerm: true}) })
		return
	}
	levels := 1.0
	for _, there := range []bool{u.whole != "", len(u.segs) > 0, len(u.words) > 0} {
		if there {
			levels++
		}
	}
	if u.whole != "" {
		add(want{term: u.whole, weight: 1 / levels, hasTerm: true})
	}
	for _, level := range [][]piece{u.segs, u.words} {
		for _, w := range level {
			add(want{term: w.term, weight: 1 / levels / float64(len(level)), hasTerm: true})
		}
	}
	for _, part := range u.parts {
		add(want{term: stem(part.term), exact: part.term, weight: 1 / levels / float64(len(u.parts)), hasTerm: true})
	}
	first := &p.terms[id]
	first.ident = u.ident()
	if len(text) >= 3 {
		first.substr = text
	}
}

// sequence is a phrase as the exact field holds it.
func sequence(s string) (seq []string) {
	units(s, func(u *unit) {
		for _, part := range u.parts {
			if len(seq) < mostTerms {
				seq = append(seq, part.term)
			}
		}
	})
	return seq
}
