package search

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"memsync"
)

const many = 10_000

// lexicon is made once: words as frequent as in prose (Zipf), so that common
// ones are in most memories and rare ones in few.
var lexicon = func() []string {
	r := rand.New(rand.NewPCG(1, 2))
	const on, mid = "bcdfghklmnprstvw", "aeiou"
	words := []string{"the", "to", "of", "and", "in", "is", "for", "a", "that", "on", "with", "not", "be", "or"}
	for len(words) < 8000 {
		var b strings.Builder
		for range 2 + r.IntN(3) {
			b.WriteByte(on[r.IntN(len(on))])
			b.WriteByte(mid[r.IntN(len(mid))])
		}
		words = append(words, b.String()+[]string{"", "s", "ing", "ed", "er"}[r.IntN(5)])
	}
	return words
}()

// generated is the i-th of the memories that benches are measured with: 300 to
// 1,500 bytes, a third with a heading, some identifiers.
func generated(i int) Doc {
	r := rand.New(rand.NewPCG(uint64(i), 7))
	zipf := rand.NewZipf(r, 1.1, 4, uint64(len(lexicon)-1))
	words := func(n int) string {
		out := make([]string, n)
		for k := range out {
			out[k] = lexicon[zipf.Uint64()]
		}
		return strings.Join(out, " ")
	}
	var body strings.Builder
	for range 2 + r.IntN(6) {
		if r.IntN(6) == 0 {
			fmt.Fprintf(&body, "## %s\n\n", words(3))
		}
		fmt.Fprintf(&body, "%s.\n", words(12+r.IntN(14)))
		if r.IntN(3) == 0 {
			fmt.Fprintf(&body, "See `%s_%s` in %s/%s.go.\n", lexicon[r.IntN(8000)], lexicon[r.IntN(8000)], lexicon[r.IntN(8000)], lexicon[r.IntN(8000)])
		}
	}
	typ := memsync.Types[i%4]
	p := memsync.Path(fmt.Sprintf("memory/%s/2026-%02d/%s_rule-%05d.md", typ, i%12+1, typ, i))
	m := &memsync.Memory{ID: memsync.MakeID(time.UnixMilli(int64(i)+1), [10]byte{byte(i)}), Path: p, Scope: "global", Kind: memsync.KindMemory, Type: typ,
		Name: words(4), Description: words(12), Tags: []string{lexicon[100+i%50], lexicon[200+i%7]}, CreatedAt: time.Unix(1775995931+int64(i)*3600, 0).UTC(), Hash: memsync.HashOf([]byte(p))}
	return Doc{Memory: m, Scope: memsync.Scope{Kind: memsync.Global}, Body: body.String(), BodyLine: 12, Lines: Lines{Name: 2, Description: 3, Tags: 5}}
}

func generatedSeq(n int) iter.Seq2[Doc, error] {
	return func(yield func(Doc, error) bool) {
		for i := range n {
			if !yield(generated(i), nil) {
				return
			}
		}
	}
}

// Goal: 3.5 s.
func BenchmarkBuild10k(b *testing.B) {
	docs := make([]Doc, many)
	for i := range docs {
		docs[i] = generated(i)
	}
	b.ReportAllocs()
	for b.Loop() {
		x, err := Open(b.TempDir(), Options{})
		if err != nil {
			b.Fatal(err)
		}
		all := func(yield func(Doc, error) bool) {
			for _, d := range docs {
				if !yield(d, nil) {
					return
				}
			}
		}
		if err := x.Rebuild(all, "r"); err != nil {
			b.Fatal(err)
		}
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func filled(b *testing.B) *Index {
	x, err := Open(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := x.Rebuild(generatedSeq(many), "r"); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { x.Close() })
	return x
}

// percentiles reports p50, p95 and p99 in milliseconds.
func percentiles(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	for _, p := range []int{50, 95, 99} {
		b.ReportMetric(float64(took[len(took)*p/100])/1e6, fmt.Sprintf("p%d-ms", p))
	}
}

// One memory changed, until a search finds it. Goal: p50 8 ms.
func BenchmarkUpdate10k(b *testing.B) {
	x := filled(b)
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		d := generated(i % many)
		word := "zq" + strings.Map(func(d rune) rune { return d - '0' + 'a' }, fmt.Sprintf("%06d", i))
		d.Body += word + "\n"
		q := ParseQuery(word)
		start := time.Now()
		if err := x.Apply(Batch{Put: []Doc{d}, Stamp: word}); err != nil {
			b.Fatal(err)
		}
		page, err := x.Search(context.Background(), Request{Query: q})
		took = append(took, time.Since(start))
		if err != nil || page.Total != 1 || page.Hits[0].Path != d.Memory.Path {
			b.Fatal(err, page)
		}
	}
	percentiles(b, took)
}

// queries are as people ask: one to five words, mostly neither very common nor
// unique, a quarter with a filter.
func queries(n int) []Query {
	r := rand.New(rand.NewPCG(3, 4))
	zipf := rand.NewZipf(r, 1.1, 20, uint64(len(lexicon)-1))
	out := make([]Query, n)
	for i := range out {
		words := make([]string, 1+r.IntN(5))
		for k := range words {
			words[k] = lexicon[zipf.Uint64()]
		}
		if r.IntN(4) == 0 {
			words = append(words, "type:feedback")
		}
		out[i] = ParseQuery(strings.Join(words, " "))
	}
	return out
}

// Goal: p95 5 ms.
func BenchmarkSearch10k(b *testing.B) {
	x := filled(b)
	qs := queries(1000)
	searchAll(b, x, qs, nil)
}

// The same with a memory in a hundred excluded by its path.
func BenchmarkSearchExcluding10k(b *testing.B) {
	x := filled(b)
	var out []memsync.Path
	for i := 0; i < many; i += 100 {
		out = append(out, generated(i).Memory.Path)
	}
	searchAll(b, x, queries(1000), out)
}

// Parts of words and of identifiers, which only trigrams find.
func BenchmarkSubstring10k(b *testing.B) {
	x := filled(b)
	var qs []Query
	for _, w := range lexicon[200:1200] {
		qs = append(qs, ParseQuery(w[1:]))
	}
	searchAll(b, x, qs, nil)
}

func searchAll(b *testing.B, x *Index, qs []Query, exclude []memsync.Path) {
	var took []time.Duration
	hits := 0
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		page, err := x.Search(context.Background(), Request{Query: qs[i%len(qs)], Exclude: exclude})
		took = append(took, time.Since(start))
		if err != nil {
			b.Fatal(err)
		}
		hits += page.Total
	}
	b.ReportMetric(float64(hits)/float64(len(took)), "matches/op")
	percentiles(b, took)
}

// Open and Close of an index that was closed, every checksum compared. Goal: 20 ms.
func BenchmarkOpenClose10k(b *testing.B) {
	dir := b.TempDir()
	x, err := Open(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := x.Rebuild(generatedSeq(many), "r"); err != nil {
		b.Fatal(err)
	}
	x.Close()
	for b.Loop() {
		x, err := Open(dir, Options{})
		if err != nil || x.Stamp() != "r" {
			b.Fatal(err, x.Stamp())
		}
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
