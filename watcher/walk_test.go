package watcher

import (
	"io/fs"
	"testing"

	"memsync"
)

// What can't be looked at, as in a directory that may be listed and not entered, may
// be a directory itself: what was in it is out of sight, not missing.
func TestBelowWhatCannotBeLookedAt(t *testing.T) {
	known := []string{"memory/sub", "memory/sub.md", "memory/sub/deep/a.md", "memory/t.md"}
	next := func() (path []byte) {
		if len(known) > 0 {
			path, known = []byte(known[0]), known[1:]
		}
		return path
	}
	var b Batch
	w := &walk{scopes: []memsync.Scope{{Dir: "memory"}}, known: &Known{Next: next}, b: &b, next: next()}
	denied := &fs.PathError{Op: "stat", Path: "sub", Err: fs.ErrPermission}
	w.dir(&listing{entries: []entry{{path: "memory/sub", name: "sub", err: denied}, {path: "memory/sub.md", name: "sub.md", err: denied}}}, "memory", 0)
	w.end()
	if len(b.Missing) != 1 || b.Missing[0] != "memory/t.md" || len(b.Skipped) != 2 {
		t.Errorf("missing %q, skipped %v", b.Missing, b.Skipped)
	}
}
