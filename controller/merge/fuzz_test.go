package merge

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Any three texts: no panic, both directions agree, what parses stays so.
func FuzzMerge(f *testing.F) {
	f.Add([]byte(q50base), []byte("---\nname: N\n---\n\nOne.\n"), []byte("One.\r\n\r\nTwo."), int64(0), int64(3600))
	f.Add([]byte("a\n\nb\n"), []byte("a\n"), []byte("a\n\nB\n"), int64(7), int64(7))
	f.Add([]byte("---\nmeta: {a: [1]}\ntags: x\n---\n"), []byte("---\nmeta: {a: [2]}\ntags: [x]\n---\nz"), []byte("---\nmeta: 3\n---\n"), int64(1), int64(2))
	f.Add([]byte(bom+"---\n---\n"), []byte("---\nid: "+idA+"\n---\n```\n<<<<<<< a\n```\n"), []byte("---\nid: "+idB+"\n---\n```\n"), int64(1), int64(2))
	f.Fuzz(func(t *testing.T, base, a, b []byte, at1, at2 int64) {
		when := func(s int64) time.Time {
			if s == 0 {
				return time.Time{}
			}
			return time.Unix(s%4e9, 0).UTC()
		}
		vb, va, vc := Version{Bytes: base, Time: when(1)}, Version{Bytes: a, Time: when(at1)}, Version{Bytes: b, Time: when(at2)}
		r := Merge(vb, va, vc, limits)
		if d := cmp.Diff(r, Merge(vb, vc, va, limits)); d != "" {
			t.Fatalf("not symmetric\n%s", d)
		}
		if parses(a) && parses(b) && !parses(r.Bytes) {
			t.Fatalf("does not parse\n%s", show(vb, va, vc, r))
		}
		if d := cmp.Diff(Lines(vb, va, vc), Lines(vb, vc, va)); d != "" {
			t.Fatalf("by lines not symmetric\n%s", d)
		}
	})
}
