package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	index "github.com/blevesearch/bleve_index_api"
)

// BM25's parameters as they were measured on dialogues: length matters less
// than by default.
const (
	bm25B  = 0.4
	bm25K1 = 1.2
)

// exactShare is what a word found exactly as it was typed adds to one found by
// its stem; insideShare what a word found only inside others counts.
const (
	exactShare  = 0.3
	insideShare = 0.3
)

// matcher runs one plan on one snapshot. Documents are numbered as scorch
// numbers them.
type matcher struct {
	ctx   context.Context
	r     index.IndexReader
	gen   *generation
	n     float64             // live documents
	df    map[ask]int         // documents that have what was asked for, as rank met it
	stats *Stats              // of all indexes that are asked together; nil: of this one
	avg   [ranked + 1]float64 // mean lengths, of documents that may lack the field too
	score []float64           // by document
	cover []float64           // how much of the query it has, by rarity
	whole float64             // what cover is for a document that has all
	freq  []float64           // of the term at hand, by document; zero between terms
	seen  []uint64            // documents that have the term at hand
	found []candidate         // what find gave
	tfd   index.TermFieldDoc
	steps int
}

// slates are matchers that have finished: their slices are large.
var slates sync.Pool

func newMatcher(ctx context.Context, g *generation, r index.IndexReader, t totals) *matcher {
	m, ok := slates.Get().(*matcher)
	if !ok {
		m = &matcher{}
	}
	m.ctx, m.gen, m.r = ctx, g, r
	m.measure(t)
	return m
}

// measure takes the size of what is searched.
func (m *matcher) measure(t totals) {
	m.n = float64(t.Docs)
	for i := range m.avg {
		m.avg[i] = max(1, float64(t.Lengths[i])/max(1, m.n))
	}
}

// ask is one thing that a plan looks up: its i-th term, the exact form of it, or
// the text inside words.
type ask struct {
	i    int
	what byte // 't', 'x', 's'
}

// free leaves the slices to another search. A matcher that panicked or failed
// is not freed.
func (m *matcher) free() {
	clear(m.score)
	clear(m.cover)
	clear(m.found[:cap(m.found)]) // paths
	*m = matcher{score: m.score, cover: m.cover, freq: m.freq, seen: m.seen[:0], found: m.found[:0]}
	slates.Put(m)
}

// each reads the postings of a term.
func (m *matcher) each(field, term string, positions bool, yield func(doc uint64, d *index.TermFieldDoc)) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	scored := field != fieldIs && field != fieldIdent
	tfr, err := m.r.TermFieldReader(m.ctx, []byte(term), field, scored, scored, positions)
	if err != nil {
		return err
	}
	defer tfr.Close()
	for {
		d, err := tfr.Next(m.tfd.Reset())
		if err != nil || d == nil {
			return err
		}
		if m.steps++; m.steps&0xFFFF == 0 {
			if err := m.ctx.Err(); err != nil {
				return err
			}
		}
		doc := d.ID.Value()
		if doc > math.MaxInt32 {
			return fmt.Errorf("%w: document number %d", errDamaged, doc)
		}
		m.grow(int(doc))
		yield(doc, d)
	}
}

func (m *matcher) grow(doc int) {
	if doc < len(m.score) {
		return
	}
	size := max(1024, len(m.score)*2, doc+1)
	m.score = append(m.score, make([]float64, size-len(m.score))...)
	m.cover = append(m.cover, make([]float64, size-len(m.cover))...)
	m.freq = append(m.freq, make([]float64, size-len(m.freq))...)
}

// idf is how rare something is that df documents have. It is never negative.
func (m *matcher) idf(df int) float64 {
	return math.Log(1 + (m.n-float64(df)+0.5)/(float64(df)+0.5))
}

// collect adds the weighted, length-normalized frequency of a term in a field.
func (m *matcher) collect(field, term string, weight, avg float64) error {
	return m.each(field, term, false, func(doc uint64, d *index.TermFieldDoc) {
		if m.freq[doc] == 0 {
			m.seen = append(m.seen, doc)
		}
		m.freq[doc] += weight * float64(d.Freq) / (1 - bm25B + bm25B*lengthOf(d.Norm)/avg)
	})
}

// settle turns collected frequencies into scores and forgets them. The number
// of documents comes back, those of the other indexes included.
func (m *matcher) settle(a ask, share, cover float64) int {
	df := len(m.seen)
	if m.df != nil {
		m.df[a] = df
	}
	known := df
	if m.stats != nil {
		known = max(df, m.stats.df[a])
	}
	idf := m.idf(known)
	for _, doc := range m.seen {
		f := m.freq[doc]
		m.score[doc] += share * idf * f * (bm25K1 + 1) / (f + bm25K1)
		m.cover[doc] += cover * idf
		m.freq[doc] = 0
	}
	m.whole += cover * idf
	m.seen = m.seen[:0]
	return known
}

// rank scores all terms. A score is the sum over the terms, times the part of
// the query that the document has: all words match best, one is still a match.
func (m *matcher) rank(p plan) error {
	found := make(map[int]bool)
	for i, w := range p.terms {
		var df int
		if w.hasTerm {
			for i, field := range fieldNames {
				if err := m.collect(field, w.term, weights[i], m.avg[i]); err != nil {
					return err
				}
			}
			df = m.settle(ask{i, 't'}, w.weight, w.weight)
			if w.exact != "" && df > 0 {
				if err := m.collect(fieldExact, w.exact, 1, m.avg[ranked]); err != nil {
					return err
				}
				m.settle(ask{i, 'x'}, w.weight*exactShare, 0)
			}
		} else {
			docs, err := m.sequence(w.chars)
			if err != nil {
				return err
			}
			for _, doc := range docs {
				m.freq[doc] = 1
				m.seen = append(m.seen, doc)
			}
			df = m.settle(ask{i, 't'}, w.weight, w.weight)
		}
		if df > 0 {
			found[w.unit] = true
		}
	}
	for i, w := range p.terms {
		if w.substr == "" || found[w.unit] && !w.ident {
			continue
		}
		docs, err := m.containing(w.substr)
		if err != nil {
			return err
		}
		for _, doc := range docs {
			m.freq[doc] = 1
			m.seen = append(m.seen, doc)
		}
		m.settle(ask{i, 's'}, insideShare, 0)
	}
	if m.whole > 0 {
		for doc := range m.score {
			if m.score[doc] > 0 {
				m.score[doc] *= 0.1 + 0.9*m.cover[doc]/m.whole
			}
		}
	}
	return nil
}

// all are the documents that have every one of the terms, by number.
func (m *matcher) all(field string, terms []string) (docs []uint64, err error) {
	if len(terms) > mostTerms {
		terms = terms[:mostTerms]
	}
	for i, term := range terms {
		var have []uint64
		err := m.each(field, term, false, func(doc uint64, _ *index.TermFieldDoc) { have = append(have, doc) })
		if err != nil {
			return nil, err
		}
		if i == 0 {
			docs = have
		} else {
			docs = intersect(docs, have)
		}
		if len(docs) == 0 {
			return nil, nil
		}
	}
	return docs, nil
}

// intersect keeps of a what b has too; both are sorted.
func intersect(a, b []uint64) []uint64 {
	out, j := a[:0], 0
	for _, x := range a {
		for j < len(b) && b[j] < x {
			j++
		}
		if j < len(b) && b[j] == x {
			out = append(out, x)
		}
	}
	return out
}

// sequence are the documents that have the terms side by side in the exact
// field.
func (m *matcher) sequence(terms []string) ([]uint64, error) {
	distinct := slices.Compact(slices.Sorted(slices.Values(terms)))
	docs, err := m.all(fieldExact, distinct)
	if err != nil || len(terms) < 2 || len(docs) == 0 {
		return docs, err
	}
	places := make(map[string]map[uint64][]uint64, len(distinct)) // of each term, by document, in order
	for _, term := range distinct {
		in := make(map[uint64][]uint64, len(docs))
		places[term] = in
		err := m.each(fieldExact, term, true, func(doc uint64, d *index.TermFieldDoc) {
			if _, candidate := slices.BinarySearch(docs, doc); !candidate {
				return
			}
			all := make([]uint64, len(d.Vectors))
			for i, v := range d.Vectors {
				all[i] = v.Pos
			}
			slices.Sort(all)
			in[doc] = all
		})
		if err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(docs, func(doc uint64) bool {
		ends := places[terms[0]][doc] // of the sequence so far
		for _, term := range terms[1:] {
			ends = following(ends, places[term][doc])
		}
		return len(ends) == 0
	}), m.ctx.Err()
}

// following are those of places that come right behind one of ends; all are
// sorted.
func following(ends, places []uint64) (out []uint64) {
	i := 0
	for _, p := range places {
		for i < len(ends) && ends[i]+1 < p {
			i++
		}
		if i < len(ends) && ends[i]+1 == p {
			out = append(out, p)
		}
	}
	return out
}

// marks is a set of documents.
type marks []bool

func (s *marks) add(docs ...uint64) {
	for _, doc := range docs {
		if int(doc) >= len(*s) {
			*s = append(*s, make([]bool, max(1024, int(doc)+1-len(*s), len(*s)))...)
		}
		(*s)[doc] = true
	}
}

func (s marks) has(doc uint64) bool { return int(doc) < len(s) && s[doc] }

// passed evaluates filters, phrases and exclusions: a document must be in every
// one of need and in none of never.
func (m *matcher) passed(p plan) (need []marks, never marks, err error) {
	for _, seq := range p.phrases {
		docs, err := m.sequence(seq)
		if err != nil {
			return nil, nil, err
		}
		var s marks
		s.add(docs...)
		need = append(need, s)
	}
	for _, seq := range p.not {
		docs, err := m.sequence(seq)
		if err != nil {
			return nil, nil, err
		}
		never.add(docs...)
	}
	byKey := make(map[Key]int) // where in need alternatives gather
	for _, f := range p.filters {
		var s marks
		into := &s
		if f.Not {
			into = &never
		} else if at, ok := byKey[f.Key]; ok && !f.Alone && f.Key != ByTag && f.Key != Before && f.Key != After {
			into = &need[at]
		}
		terms, err := m.filterTerms(f)
		if err != nil {
			return nil, nil, err
		}
		for _, term := range terms {
			err := m.each(fieldIs, term, false, func(doc uint64, _ *index.TermFieldDoc) { into.add(doc) })
			if err != nil {
				return nil, nil, err
			}
		}
		if into == &s {
			if !f.Alone {
				byKey[f.Key] = len(need)
			}
			need = append(need, s)
		}
	}
	return need, never, nil
}

// filterTerms are the terms of which a document that a filter describes has
// one. A span of time is whole years, then months, then days.
func (m *matcher) filterTerms(f Filter) ([]string, error) {
	if f.Key != Before && f.Key != After {
		return []string{filterTerm(string(f.Key), f.Value)}, nil
	}
	if !ValidDate(f.Value) {
		return nil, nil
	}
	parts := strings.Split(f.Value, "-")
	var terms []string
	prefix := ""
	for i, unit := range []string{"year:", "month:", "day:"}[:len(parts)] {
		bound := unit + prefix + parts[i]
		inclusive := f.Key == After && i == len(parts)-1
		dict, err := m.r.FieldDictPrefix(fieldIs, []byte(unit+prefix))
		if err != nil {
			return nil, err
		}
		for {
			e, err := dict.Next()
			if err != nil || e == nil {
				dict.Close()
				if err != nil {
					return nil, err
				}
				break
			}
			if f.Key == Before && e.Term < bound || f.Key == After && (e.Term > bound || inclusive && e.Term == bound) {
				terms = append(terms, e.Term)
			}
		}
		prefix += parts[i] + "-"
	}
	return terms, nil
}
