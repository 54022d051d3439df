//go:build unix

package watcher_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"memsync"
	"memsync/internal/format"
	"memsync/watcher"
)

// Whatever the tree, the scopes and what became of both: missing is what was met
// once and is not met now, and no directory stays open.
func TestMissingIsTheDifference(t *testing.T) {
	name := rapid.SampledFrom([]string{"a", "b", "a-", "a.md", "a!.md", "a0.md", "a\n.md", "\xff.md", "ab", "A.md", "-.md", "a.md.md", "é.md", "_system", ".h", "\x01.md"})
	file := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(name, 1, 4).Draw(t, "names"), "/")
	})
	base := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		root, err := os.MkdirTemp(base, "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(root)
		touch := func(p string) {
			abs := filepath.Join(root, p)
			if os.MkdirAll(filepath.Dir(abs), 0o755) == nil {
				_ = os.WriteFile(abs, nil, 0o644) // not where something is already
			}
		}
		for _, p := range rapid.SliceOfN(file, 0, 25).Draw(t, "files") {
			touch(p)
		}
		var scopes []memsync.Scope
		for _, d := range rapid.SliceOfNDistinct(rapid.OneOf(rapid.Just(""), file), 1, 4, rapid.ID[string]).Draw(t, "scopes") {
			scopes = append(scopes, memsync.Scope{Kind: memsync.Workspace, Dir: memsync.Path(d), System: memsync.Path(d)})
		}
		outside := rapid.Bool().Draw(t, "outside")
		met := func() (all []memsync.Path) {
			b, err := watcher.Scan(root, scopes, outside, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range slices.Concat(b.Changed, b.Authored) {
				if s.Class != format.Unnamable {
					all = append(all, s.Path)
				}
			}
			slices.Sort(all)
			return all
		}
		known := met()
		for _, p := range rapid.SliceOfN(file, 0, 6).Draw(t, "gone") {
			_ = os.RemoveAll(filepath.Join(root, p))
		}
		for _, p := range rapid.SliceOfN(file, 0, 6).Draw(t, "new") {
			touch(p)
		}
		now := met()
		rest, open := known, openFiles()
		b, err := watcher.Scan(root, scopes, outside, &watcher.Known{
			Stat: func(memsync.Path) (watcher.Stat, bool) { return watcher.Stat{}, false },
			Next: func() (p []byte) {
				if len(rest) > 0 {
					p, rest = []byte(rest[0]), rest[1:]
				}
				return p
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if left := openFiles(); left != open {
			t.Errorf("%d files open, %d before", left, open)
		}
		// A scope's directory that is a file now is out of sight.
		blind := func(p memsync.Path) bool {
			return slices.ContainsFunc(b.Skipped, func(s watcher.Skip) bool { return p.In(s.Path) })
		}
		var want []memsync.Path
		for _, p := range known {
			if _, there := slices.BinarySearch(now, p); !there && !blind(p) {
				want = append(want, p)
			}
		}
		if !slices.Equal(b.Missing, want) {
			t.Fatalf("missing %q, want %q", b.Missing, want)
		}
	})
}

func openFiles() int {
	list, _ := os.ReadDir("/dev/fd")
	return len(list)
}
