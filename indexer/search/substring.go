package search

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"

	index "github.com/blevesearch/bleve_index_api"
)

// What stands inside words and identifiers is found by the words: those of the
// whole index that have the text in them, then the memories that have these
// words. There are far fewer words than places where they stand, so reading all
// of them beats an index of trigrams, which would be more than half of
// everything that is written.

// mostInside is how many words a text is looked for in: the shortest that have
// it, for it is the larger part of these. A guess: a thousand cost about 10 ms.
const mostInside = 1000

// vocabulary is every word and identifier of a generation, read when one is
// first looked into. Some may be of memories that are gone.
type vocabulary struct {
	mu    sync.Mutex
	known bool
	terms []byte // each between two line ends; what was handed out is not written to
	read  int    // bytes that were read from the dictionaries
}

// newer has the vocabulary follow a batch that is written.
func (v *vocabulary) newer(docs []*document) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.known {
		return
	}
	for _, d := range docs {
		for _, f := range d.fields {
			if f.name == fieldExact || f.name == fieldIdent {
				for term := range f.freqs {
					v.terms = append(append(v.terms, term...), '\n')
				}
			}
		}
	}
	if len(v.terms) > 2*v.read+1<<20 { // mostly what it had already
		v.known, v.terms = false, nil
	}
}

// vocabulary reads all terms, once.
func (g *generation) vocabulary() ([]byte, error) {
	v := &g.words
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known {
		return v.terms, nil
	}
	terms := []byte{'\n'}
	err := g.read(func(r index.IndexReader, _ totals) error {
		for _, field := range []string{fieldExact, fieldIdent} {
			dict, err := r.FieldDict(field)
			if err != nil {
				return err
			}
			for {
				e, err := dict.Next()
				if err != nil {
					dict.Close()
					return err
				}
				if e == nil {
					break
				}
				terms = append(append(terms, e.Term...), '\n')
			}
			if err := dict.Close(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	v.known, v.terms, v.read = true, terms, len(terms)
	return terms, nil
}

// within are the terms that have a text in them, the shortest first.
func within(terms []byte, text string) []string {
	found := make(map[string]bool)
	for at := 0; ; {
		i := bytes.Index(terms[at:], []byte(text))
		if i < 0 {
			break
		}
		at += i
		from := bytes.LastIndexByte(terms[:at], '\n') + 1
		end := at + bytes.IndexByte(terms[at:], '\n')
		found[string(terms[from:end])] = true
		at = end
	}
	out := make([]string, 0, len(found))
	for term := range found {
		out = append(out, term)
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	return out
}

// containing are the documents that have a text of three characters or more
// inside a word or an identifier.
func (m *matcher) containing(text string) (docs []uint64, err error) {
	terms, err := m.gen.vocabulary()
	if err != nil {
		return nil, err
	}
	var s marks
	add := func(doc uint64, _ *index.TermFieldDoc) {
		if !s.has(doc) {
			s.add(doc)
			docs = append(docs, doc)
		}
	}
	live := 0 // a word that no memory has any more does not count
	for _, term := range within(terms, text) {
		some := false
		for _, field := range []string{fieldExact, fieldIdent} {
			err := m.each(field, term, false, func(doc uint64, d *index.TermFieldDoc) {
				some = true
				add(doc, d)
			})
			if err != nil {
				return nil, err
			}
		}
		if some {
			if live++; live == mostInside {
				break
			}
		}
	}
	return docs, nil
}
