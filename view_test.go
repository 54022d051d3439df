package memsync_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"memsync"
)

// A View after any history of With answers every lookup as one made at once
// from the same memories does, and its parents still answer as before.
func TestViewWithEqualsViewMadeAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		memory := rapid.Custom(func(t *rapid.T) *memsync.Memory {
			n := func(name string, max int) int { return rapid.IntRange(0, max).Draw(t, name) }
			return &memsync.Memory{Path: memsync.Path(fmt.Sprintf("memory/%d.md", n("path", 9))), ID: memsync.ID(fmt.Sprint("id", n("id", 4))),
				Scope: fmt.Sprint("s", n("scope", 1)), Type: memsync.Types[n("type", 3)], Slug: fmt.Sprint("slug", n("slug", 3)),
				Key: []string{"", "k1", "k2"}[n("key", 2)], BodyKey: memsync.Hash([]string{"", "b1", "b2"}[n("body", 2)])}
		})
		want := map[memsync.Path]*memsync.Memory{}
		for _, m := range rapid.SliceOfN(memory, 0, 8).Draw(t, "first") {
			want[m.Path] = m
		}
		v := memsync.NewView(memsync.Revision{}, nil, list(want))
		for range rapid.IntRange(0, 5).Draw(t, "steps") {
			before, parent := list(want), v
			changes := map[memsync.Path]*memsync.Memory{}
			for _, m := range rapid.SliceOfN(memory, 0, 4).Draw(t, "changes") {
				changes[m.Path] = m
				if rapid.Bool().Draw(t, "gone") {
					changes[m.Path] = nil
				}
			}
			for p, m := range changes {
				if delete(want, p); m != nil {
					want[p] = m
				}
			}
			v = v.With(memsync.Revision{}, changes)
			same(t, parent, memsync.NewView(memsync.Revision{}, nil, before))
		}
		same(t, v, memsync.NewView(memsync.Revision{}, nil, list(want)))
	})
}

func list(m map[memsync.Path]*memsync.Memory) []*memsync.Memory {
	var out []*memsync.Memory
	for _, x := range m {
		out = append(out, x)
	}
	return out
}

func same(t *rapid.T, got, want *memsync.View) {
	if got.Len() != want.Len() {
		t.Fatalf("%d memories, want %d", got.Len(), want.Len())
	}
	if a, b := slices.Collect(got.All()), slices.Collect(want.All()); !slices.Equal(a, b) {
		t.Fatalf("All: %v, want %v", a, b)
	}
	check := func(what string, a, b []*memsync.Memory) {
		if !slices.Equal(a, b) {
			t.Fatalf("%s: %v, want %v", what, a, b)
		}
	}
	for i := range 10 {
		p := memsync.Path(fmt.Sprintf("memory/%d.md", i))
		if got.ByPath(p) != want.ByPath(p) {
			t.Fatalf("ByPath %s", p)
		}
		id := memsync.ID(fmt.Sprint("id", i))
		check("ByID", got.ByID(id), want.ByID(id))
		for s := range 2 {
			scope := fmt.Sprint("s", s)
			check("InScope", slices.Collect(got.InScope(scope)), slices.Collect(want.InScope(scope)))
			check("ByKey", got.ByKey(scope, fmt.Sprint("k", i)), want.ByKey(scope, fmt.Sprint("k", i)))
			check("ByBody", got.ByBody(scope, memsync.Hash(fmt.Sprint("b", i))), want.ByBody(scope, memsync.Hash(fmt.Sprint("b", i))))
			for _, ty := range memsync.Types {
				slug := fmt.Sprint("slug", i)
				check("BySlug", got.BySlug(scope, ty, slug), want.BySlug(scope, ty, slug))
			}
		}
	}
}
