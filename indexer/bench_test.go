package indexer

import (
	"path/filepath"
	"slices"
	"testing"

	"memsync"
)

const many = 10_000

func bench(b *testing.B) (*Catalog, string) {
	file := filepath.Join(b.TempDir(), "catalog.db")
	c, err := Open(file, Options{Boot: "b"})
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Advance(filled(many)); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	return c, file
}

// Goal: 40 ms.
func BenchmarkView10k(b *testing.B) {
	c, _ := bench(b)
	b.ReportAllocs()
	for b.Loop() {
		if v, err := c.View(nil); err != nil || v.Len() != many {
			b.Fatal(err)
		}
	}
}

// The headers alone, without the View's maps, which are made on first use.
func BenchmarkHeaders10k(b *testing.B) {
	c, _ := bench(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.View(nil); err != nil {
			b.Fatal(err)
		}
	}
}

// Goal: 8 ms.
func BenchmarkWalk10k(b *testing.B) {
	c, _ := bench(b)
	paths := make([]memsync.Path, many)
	for i := range paths {
		paths[i], _, _ = sample(i)
	}
	slices.Sort(paths)
	b.ReportAllocs()
	for b.Loop() {
		w, err := c.Walk(true)
		if err != nil {
			b.Fatal(err)
		}
		for _, p := range paths {
			if _, ok := w.Stat(p); !ok || string(w.Next()) != string(p) {
				b.Fatal(p)
			}
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStatOf10k(b *testing.B) {
	c, _ := bench(b)
	paths := make([]memsync.Path, many)
	for i := range paths {
		paths[i], _, _ = sample(i)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range paths {
			if _, ok := c.StatOf(p); !ok {
				b.Fatal(p)
			}
		}
	}
}

func BenchmarkAdvanceOne(b *testing.B) {
	c, _ := bench(b)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		p, m, d := sample(i % many)
		i++
		u := Update{Memories: map[memsync.Path]*memsync.Memory{p: m}, Tracked: map[memsync.Path]Tracked{p: {m.Hash, m.Blob}}, Stats: map[memsync.Path]Disk{p: d}}
		if err := c.Advance(u); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenClose10k(b *testing.B) {
	c, file := bench(b)
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c, err := Open(file, Options{Boot: "b"})
		if err != nil || c.Rebuilt() {
			b.Fatal(err, c.Rebuilt())
		}
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
