package search

import (
	"cmp"
	"context"
	"slices"
	"strings"

	index "github.com/blevesearch/bleve_index_api"

	"memsync"
)

// Request is one search.
type Request struct {
	Query   Query
	Exclude []memsync.Path // memories that must not be found: shadowed, expired, another agent's, …
	Stats   *Stats         // of all indexes whose hits are to be compared; nil: this one is alone
	Limit   int            // hits on a page; 0 means 10, at most 1,000
	Skip    int            // hits on the pages before
}

// Page is what a search found.
type Page struct {
	Hits  []Hit
	Total int    // how many memories match, on all pages
	Stamp string // what the index stood for when it was asked
}

// Hit is one memory that matches.
type Hit struct {
	Path    memsync.Path
	ID      memsync.ID
	Hash    memsync.Hash // of the bytes that were indexed
	Score   float64      // comparable within one search; 0 for a query of filters alone
	Line    int          // 1-based line of the file that matches best
	Text    string       // that line
	Snippet string       // the part of Text that matches, about 200 bytes; "…" where it was cut
	Marks   []Range      // what to highlight in Snippet, in order, not overlapping
}

// Range is a span of bytes.
type Range struct{ Start, End int }

const (
	defaultLimit = 10
	mostLimit    = 1000
)

// Search finds memories. Hits come best first, ties by path; the order depends
// on nothing but the query and what is in the index. Every query is answered:
// errors are those of the index (ErrRebuild) and of the context.
func (x *Index) Search(ctx context.Context, req Request) (page Page, err error) {
	limit := req.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	limit = min(limit, mostLimit)
	skip := max(0, req.Skip)
	p := newPlan(req.Query)
	err = x.use(func(g *generation) error {
		return g.read(func(r index.IndexReader, t totals) error {
			page = Page{Stamp: t.Stamp}
			if req.Query.Empty() || t.Docs == 0 {
				return nil
			}
			m := newMatcher(ctx, g, r, t)
			if m.stats = req.Stats; m.stats != nil {
				m.measure(m.stats.totals)
			}
			found, err := m.find(p, req.Exclude)
			if err != nil {
				return err
			}
			page.Total = len(found)
			if skip >= len(found) {
				m.free()
				return nil
			}
			top, err := m.top(found, skip+limit)
			if err != nil {
				return err
			}
			for _, c := range top[skip:] {
				hit, err := m.hit(c, p)
				if err != nil {
					return err
				}
				page.Hits = append(page.Hits, hit)
			}
			m.free()
			return nil
		})
	})
	if err != nil {
		return Page{}, err
	}
	return page, nil
}

// Stats say how large indexes are, and how common in them what a query asks for
// is. Scores that were counted with the same Stats can be compared across
// indexes; without, a word is rare in a small index and common in a large one.
type Stats struct {
	totals totals
	df     map[ask]int
}

// Add joins the Stats of another index for the same query.
func (s *Stats) Add(o Stats) {
	s.totals.join(o.totals)
	if s.df == nil {
		s.df = make(map[ask]int, len(o.df))
	}
	for a, n := range o.df {
		s.df[a] += n
	}
}

// Stats counts for Search.
func (x *Index) Stats(ctx context.Context, q Query) (Stats, error) {
	s := Stats{df: make(map[ask]int)}
	p := newPlan(q)
	err := x.use(func(g *generation) error {
		return g.read(func(r index.IndexReader, t totals) error {
			s.totals = totals{Docs: t.Docs, Lengths: t.Lengths}
			if !p.asked || t.Docs == 0 {
				return nil
			}
			m := newMatcher(ctx, g, r, t)
			m.df = s.df
			if err := m.rank(p); err != nil {
				return err
			}
			m.free()
			return nil
		})
	})
	return s, err
}

// candidate is a document that matches.
type candidate struct {
	doc   uint64
	score float64
	path  string // "" until it is asked for
}

// find gives every document that matches, in no order.
func (m *matcher) find(p plan, exclude []memsync.Path) ([]candidate, error) {
	need, never, err := m.passed(p)
	if err != nil {
		return nil, err
	}
	for _, path := range exclude {
		id, err := m.r.InternalID(string(path))
		if err != nil {
			return nil, err
		}
		if id != nil {
			never.add(id.Value())
		}
	}
	found := m.found[:0]
	defer func() { m.found = found }()
	take := func(doc uint64, score float64) {
		if never.has(doc) || slices.ContainsFunc(need, func(s marks) bool { return !s.has(doc) }) {
			return
		}
		found = append(found, candidate{doc: doc, score: score})
	}
	if p.asked {
		if err := m.rank(p); err != nil {
			return nil, err
		}
		for doc, score := range m.score {
			if score > 0 {
				take(uint64(doc), score)
			}
		}
		return found, nil
	}
	docs, err := m.all(fieldIs, []string{everyone})
	for _, doc := range docs {
		take(doc, 0)
	}
	return found, err
}

// name looks up a candidate's path.
func (m *matcher) name(c *candidate) (err error) {
	if c.path == "" {
		c.path, err = m.r.ExternalID(index.NewIndexInternalID(nil, c.doc))
	}
	return err
}

// top are the n best candidates in order, all of them if there are fewer.
func (m *matcher) top(found []candidate, n int) ([]candidate, error) {
	if n < len(found) {
		// Whoever ties with the last must be compared by path.
		least := nth(found, n)
		found = slices.DeleteFunc(found, func(c candidate) bool { return c.score < least })
	}
	for i := range found {
		if err := m.name(&found[i]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		return strings.Compare(a.path, b.path)
	})
	return found[:min(n, len(found))], nil
}

// nth is the n-th best score.
func nth(found []candidate, n int) float64 {
	best := make([]float64, 0, n+1) // ascending
	for _, c := range found {
		if len(best) == n && c.score <= best[0] {
			continue
		}
		at, _ := slices.BinarySearch(best, c.score)
		best = slices.Insert(best, at, c.score)
		if len(best) > n {
			best = slices.Delete(best, 0, 1)
		}
	}
	return best[0]
}
