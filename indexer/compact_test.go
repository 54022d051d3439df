package indexer

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"memsync"
)

// What was deleted stays in the file until Compact; what is there stays.
func TestCompact(t *testing.T) {
	file := filepath.Join(t.TempDir(), "catalog.db")
	c, err := Open(file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	up := Update{Revision: memsync.Revision{Commit: "one"}, Memories: map[memsync.Path]*memsync.Memory{}}
	for i := range 300 {
		p := memsync.Path(fmt.Sprintf("memory/m%03d.md", i))
		up.Memories[p] = &memsync.Memory{Path: p, Scope: "global", Kind: memsync.KindMemory, Description: fmt.Sprintf("the needle of %d", i)}
	}
	if err := c.Advance(up); err != nil {
		t.Fatal(err)
	}
	up = Update{Revision: memsync.Revision{Commit: "two"}}
	for i := range 290 {
		up.Gone = append(up.Gone, memsync.Path(fmt.Sprintf("memory/m%03d.md", i)))
	}
	if err := c.Advance(up); err != nil {
		t.Fatal(err)
	}
	has := func(text string) bool {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(data, []byte(text))
	}
	if !has("the needle of 7") {
		t.Error("control: it was never there")
	}
	if err := c.Compact(); err != nil {
		t.Fatal(err)
	}
	if has("the needle of 7") || !has("the needle of 295") {
		t.Error("what is gone is there, or what is there is gone")
	}
	for range 2 {
		v, err := c.View(nil)
		if err != nil || v.Len() != 10 || c.Revision().Commit != "two" {
			t.Errorf("%d memories at %v, %v", v.Len(), c.Revision(), err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if c, err = Open(file, Options{}); err != nil || c.Rebuilt() {
			t.Fatalf("opened again: %v, rebuilt %v", err, c.Rebuilt())
		}
	}
	c.Close()
}
