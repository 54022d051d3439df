package search

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"memsync"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(envChild); dir != "" {
		child(dir)
	}
	// scorch's analysis workers end by themselves, some time after they are told.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/blevesearch/bleve_index_api.AnalysisWorker"))
}

var words = []string{"alpha", "beta", "alphabet", "deploying", "deployed", "café", "雾凇词库", "path/to/x.go", "getUserName", "don't", "the", "ภาษาไทย", "🚀", "C++"}

var drawMem = rapid.Custom(func(t *rapid.T) mem {
	text := func(label string, most int) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, most).Draw(t, label), rapid.SampledFrom([]string{" ", "\n", "\n\n# "}).Draw(t, "between"))
	}
	return mem{
		path: fmt.Sprintf("m/%d.md", rapid.IntRange(0, 15).Draw(t, "path")), name: text("name", 3), desc: text("desc", 4), body: text("body", 12),
		tags: rapid.SliceOfN(rapid.SampledFrom([]string{"ci", "ops", "Ünï"}), 0, 2).Draw(t, "tags"), typ: rapid.SampledFrom(memsync.Types).Draw(t, "type"),
		created: rapid.SampledFrom([]string{"", "2025-12-31", "2026-01-01", "2026-05-03"}).Draw(t, "created"),
	}
})

var lawQueries = append(slices.Clone(words), "alpha beta", "deploy", "lphab", "type:user", "alpha -beta", `"alpha beta"`, "tag:ci alpha", "before:2026", "the deployed café path/to/x.go", "to/x", "词")

// everything is what an index answers to all queries of the law.
func everything(x *Index) (map[string]Page, error) {
	out := make(map[string]Page)
	for _, q := range lawQueries {
		page, err := x.Search(context.Background(), Request{Query: ParseQuery(q), Limit: 1000})
		if err != nil {
			return nil, err
		}
		if out[q] = page; page.Total != len(page.Hits) {
			return nil, fmt.Errorf("%s: %d hits of %d", q, len(page.Hits), page.Total)
		}
	}
	return out, nil
}

// TestLaw8 : after any history of Apply, with searches beside it, restarts and
// rebuilds within, the index answers like one made anew from what is in it:
// the same memories in the same order with the same scores and lines. No
// search fails, and none sees half a step.
func TestLaw8(t *testing.T) {
	if err := flag.Set("rapid.checks", strconv.Itoa(histories)); err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(base, fmt.Sprint(n))
		x, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { x.Close() }()
		if err := x.Rebuild(seq(), "0"); err != nil {
			t.Fatal(err)
		}
		now := make(map[string]mem)
		for step := range rapid.IntRange(1, 30).Draw(t, "steps") {
			b := Batch{Stamp: fmt.Sprint(step + 1)}
			for _, m := range rapid.SliceOfN(drawMem, 0, 4).Draw(t, "put") {
				b.Put = append(b.Put, m.doc())
				now[m.path] = m
			}
			if step > 0 && rapid.IntRange(0, 2).Draw(t, "whether gone") == 0 {
				p := fmt.Sprintf("m/%d.md", rapid.IntRange(0, 15).Draw(t, "gone"))
				if !slices.ContainsFunc(b.Put, func(d Doc) bool { return d.Memory.Path == memsync.Path(p) }) {
					b.Gone = append(b.Gone, memsync.Path(p))
					delete(now, p)
				}
			}
			beside := searchBeside(x)
			err := x.Apply(b)
			if serr := beside(); err != nil || serr != nil {
				t.Fatal(err, serr)
			}
			if rapid.IntRange(0, 9).Draw(t, "whether restarted") == 0 {
				if err := x.Close(); err != nil {
					t.Fatal(err)
				}
				if x, err = Open(dir, Options{}); err != nil || x.Stamp() != b.Stamp {
					t.Fatalf("opened again: %v, %q, want %q", err, x.Stamp(), b.Stamp)
				}
			}
		}
		want := make(map[memsync.Path]memsync.Hash)
		docs := make([]mem, 0, len(now))
		for _, m := range now {
			docs = append(docs, m)
			want[memsync.Path(m.path)] = m.doc().Memory.Hash
		}
		if d, err := x.Verify(maps.All(want)); err != nil || len(d) > 0 {
			t.Fatalf("%v %+v", err, d)
		}
		kept, err := everything(x)
		if err != nil {
			t.Fatal(err)
		}
		stamp := x.Stamp()
		if err := x.Rebuild(seq(docs...), stamp); err != nil {
			t.Fatal(err)
		}
		anew, err := everything(x)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(anew, kept); diff != "" {
			t.Fatalf("(-made anew +kept)\n%s", diff)
		}
	})
}

// searchBeside searches until it is told to end, and reports the first thing
// that was wrong: an error, or a page that says of one query that a memory is
// in the store and of another, at the same stamp, that it is not.
func searchBeside(x *Index) (end func() error) {
	done := make(chan struct{})
	result := make(chan error, 1)
	go func() {
		var first error
		for {
			select {
			case <-done:
				result <- first
				return
			default:
			}
			all, err := x.Search(context.Background(), Request{Query: Query{Filters: []Filter{{Key: ByType, Value: "none", Not: true}}}, Limit: 1000})
			seen := make(map[memsync.Path]bool)
			for _, h := range all.Hits {
				if seen[h.Path] {
					err = fmt.Errorf("%s is found twice", h.Path)
				}
				seen[h.Path] = true
			}
			alpha, aerr := x.Search(context.Background(), Request{Query: ParseQuery("alpha"), Limit: 1000})
			for _, h := range alpha.Hits {
				if all.Stamp == alpha.Stamp && !seen[h.Path] {
					aerr = fmt.Errorf("at %q %s is found and not there", all.Stamp, h.Path)
				}
			}
			if first == nil {
				first = errors.Join(err, aerr)
			}
		}
	}()
	return func() error {
		close(done)
		return <-result
	}
}

// asking is a context that tells when a search asks whether to go on.
type asking struct {
	context.Context
	asked func()
}

func (a asking) Err() error {
	a.asked()
	return a.Context.Err()
}

// Close waits for the searches that have begun; those that come later are told.
func TestCloseWaits(t *testing.T) {
	x := small(t)
	begun := make(chan struct{})
	var once sync.Once
	go func() {
		<-begun
		x.Close()
	}()
	ctx := asking{context.Background(), func() {
		once.Do(func() { close(begun) })
		for range 1000 {
			x.lock.Locked() // time for Close to begin, if it would
		}
	}}
	page, err := x.Search(ctx, Request{Query: ParseQuery("restart")})
	if err != nil || page.Total != 2 {
		t.Errorf("%v, %d", err, page.Total)
	}
}

// Rebuild searches on in the old index while it fills the new one.
func TestSearchWhileRebuilding(t *testing.T) {
	x := small(t)
	docs := func(yield func(Doc, error) bool) {
		if p, err := x.Search(context.Background(), Request{Query: ParseQuery("friday")}); err != nil || p.Total != 1 {
			t.Errorf("%v %d", err, p.Total)
		}
		yield(mem{path: "m/new.md", body: "saturday"}.doc(), nil)
	}
	if err := x.Rebuild(docs, "r2"); err != nil {
		t.Fatal(err)
	}
	finds(t, x, "friday")
	finds(t, x, "saturday", "new")
}

// A larger rebuild than one batch. A path that comes twice is a mistake of the
// caller's, and the old index stays.
func TestRebuildInBatches(t *testing.T) {
	x := openAt(t, t.TempDir())
	n := 2*rebuildBatch + 10
	docs := func(yield func(Doc, error) bool) {
		for i := range n {
			if !yield(mem{path: fmt.Sprintf("m/%d.md", i), name: "n", body: "old word"}.doc(), nil) {
				return
			}
		}
	}
	if err := x.Rebuild(docs, "r"); err != nil {
		t.Fatal(err)
	}
	if p := search(t, x, "word"); p.Total != n {
		t.Errorf("%d of %d", p.Total, n)
	}
	if _, err := x.Verify(func(func(memsync.Path, memsync.Hash) bool) {}); err != nil {
		t.Error(err)
	}
	twice := func(yield func(Doc, error) bool) {
		docs(yield)
		yield(mem{path: "m/7.md", name: "n", body: "newer word"}.doc(), nil)
	}
	if err := x.Rebuild(twice, "r2"); err == nil || x.Stamp() != "r" {
		t.Errorf("%v, stamp %q", err, x.Stamp())
	}
	finds(t, x, "newer")
}

// Memories in two indexes, asked with the Stats of both, score as in one.
func TestTwoIndexesScoreAsOne(t *testing.T) {
	var all []mem
	for i := range 60 {
		all = append(all, mem{path: fmt.Sprintf("m/%02d.md", i), name: fmt.Sprintf("Memory %d", i), tags: []string{[]string{"odd", "even"}[i%2]},
			body: strings.Repeat("common words here ", i%5) + fmt.Sprintf("needle%d of the deploy_script 雾凇词库 word%d\n", i%7, i%3)})
	}
	one := with(t, all...)
	small, large := with(t, all[:6]...), with(t, all[6:]...)
	ctx := context.Background()
	for _, text := range append(asked, "common word1 needle3", "deploy_script", "loy_scr", "eedle words", "here", `"words here"`, "雾凇拼音", "Memory 7") {
		q := ParseQuery(text)
		var stats Stats
		for _, x := range []*Index{small, large} {
			s, err := x.Stats(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			stats.Add(s)
		}
		scores := func(stats *Stats, xs ...*Index) map[memsync.Path]string {
			out := make(map[memsync.Path]string)
			for _, x := range xs {
				page, err := x.Search(ctx, Request{Query: q, Limit: 1000, Stats: stats})
				if err != nil {
					t.Fatal(err)
				}
				for _, h := range page.Hits {
					out[h.Path] = fmt.Sprintf("%.9f", h.Score)
				}
			}
			return out
		}
		if diff := cmp.Diff(scores(nil, one), scores(&stats, small, large)); diff != "" {
			t.Errorf("%s: (-one +two)\n%s", text, diff)
		}
	}
}
