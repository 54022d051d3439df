package indexer

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

// A page that a disk gives back otherwise than it was written, behind a stamp that
// is right: a walk ends with ErrDamaged or goes upwards, and what it said can be
// looked at.
func TestWalkOfDamage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "catalog.db")
	closed(t, file, "boot-1")
	db, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		bad := bytes.Clone(db)
		for range rapid.IntRange(1, 3).Draw(t, "bits") { // heads of pages and of their entries, mostly
			at := rapid.IntRange(0, len(bad)/os.Getpagesize()-1).Draw(t, "page")*os.Getpagesize() + rapid.IntRange(0, 200).Draw(t, "at")
			bad[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		}
		if err := errors.Join(os.WriteFile(file, bad, 0o600), seal(file, "boot-1", int64(len(bad)))); err != nil {
			t.Fatal(err)
		}
		c, err := Open(file, Options{Boot: "boot-1"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Discard()
		w, err := c.Walk(true)
		if errors.Is(err, ErrDamaged) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		var last []byte
		up := true
		for p := w.Next(); p != nil; p = w.Next() {
			up = up && (last == nil || bytes.Compare(last, p) < 0)
			last = bytes.Clone(p)
		}
		if err := w.Close(); !up && !errors.Is(err, ErrDamaged) {
			t.Fatalf("it goes down: %v", err)
		}
	})
}
