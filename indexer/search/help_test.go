package search

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"memsync"
)

// mem is a memory of these tests, as short as it can be written.
type mem struct {
	path, name, desc, body string
	tags                   []string
	typ                    memsync.Type
	scope                  memsync.Scope
	key, project           string
	created                string // YYYY-MM-DD
}

func (m mem) doc() Doc {
	if m.name == "" {
		m.name = strings.TrimSuffix(memsync.Path(m.path).Base(), ".md")
	}
	text := fmt.Sprint(m)
	mm := &memsync.Memory{Path: memsync.Path(m.path), Name: m.name, Description: m.desc, Tags: m.tags, Type: m.typ, Scope: m.scope.Name(),
		Key: m.key, Project: m.project, Kind: memsync.KindMemory, Hash: memsync.HashOf([]byte(text)), ID: memsync.MakeID(time.UnixMilli(1), [10]byte([]byte(memsync.HashOf([]byte(m.path)))[:10]))}
	if m.created != "" {
		at, err := time.Parse(time.DateOnly, m.created)
		if err != nil {
			panic(err)
		}
		mm.CreatedAt = at
	}
	return Doc{Memory: mm, Scope: m.scope, Body: m.body, BodyLine: 6, Lines: Lines{Name: 2, Description: 3, Tags: 4}}
}

func seq(mems ...mem) iter.Seq2[Doc, error] {
	return func(yield func(Doc, error) bool) {
		for _, m := range mems {
			if !yield(m.doc(), nil) {
				return
			}
		}
	}
}

func openAt(t testing.TB, dir string) *Index {
	t.Helper()
	x, err := Open(dir, Options{Timeout: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// with is an index of these memories.
func with(t testing.TB, mems ...mem) *Index {
	t.Helper()
	x := openAt(t, t.TempDir())
	if err := x.Rebuild(seq(mems...), "r1"); err != nil {
		t.Fatal(err)
	}
	return x
}

func search(t testing.TB, x *Index, query string) Page {
	t.Helper()
	page, err := x.Search(context.Background(), Request{Query: ParseQuery(query), Limit: 100})
	if err != nil {
		t.Fatalf("%.60q: %v", query, err)
	}
	return page
}

// paths are the names of the files found, in order.
func paths(page Page) []string {
	out := make([]string, 0, len(page.Hits))
	for _, h := range page.Hits {
		out = append(out, strings.TrimSuffix(h.Path.Base(), ".md"))
	}
	return out
}

func finds(t *testing.T, x *Index, query string, want ...string) {
	t.Helper()
	if got := paths(search(t, x, query)); !slices.Equal(got, want) {
		t.Errorf("%.80q finds %q, want %q", query, got, want)
	}
}
