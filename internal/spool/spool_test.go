package spool

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memsync"
	"memsync/controller/merge"
)

func body(lost ...string) []byte {
	r := merge.Record{Kind: merge.Body}
	for _, l := range lost {
		r.Places = append(r.Places, merge.Place{Kept: &memsync.Value{Text: "kept"}, Lost: &memsync.Value{Text: l}})
	}
	return r.Markdown()
}

// TestPutListDrop: the same entry twice is one, entries come oldest first, what
// does not read is left where it is.
func TestPutListDrop(t *testing.T) {
	state := t.TempDir()
	if list, err := List(state); err != nil || list != nil {
		t.Fatalf("%v %v", list, err)
	}
	old := time.Date(2026, 3, 7, 0, 0, 0, 0, time.UTC)
	a := Entry{Path: "memory/a.md", Head: "h", Result: "r", At: old.Add(time.Hour), Copies: [][]byte{body("A \xff")}}
	b := Entry{Path: "memory/b.md", At: old, Copies: [][]byte{body("B")}}
	for _, e := range []Entry{a, b, a} {
		if err := Put(state, e); err != nil {
			t.Fatal(err)
		}
	}
	bad := filepath.Join(Dir(state), "zz.json")
	if err := os.WriteFile(bad, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := List(state)
	if err != nil || len(list) != 2 || list[0].Path != "memory/b.md" || !bytes.Equal(list[1].Copies[0], a.Copies[0]) {
		t.Fatalf("%+v %v", list, err)
	}
	for _, e := range list {
		for range 2 {
			if err := e.Drop(); err != nil {
				t.Fatal(err)
			}
		}
	}
	left, _ := os.ReadDir(Dir(state))
	if len(left) != 1 || left[0].Name() != "zz.json" {
		t.Errorf("%v", left)
	}
	if info, err := os.Stat(Dir(state)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info, err)
	}
}

// TestStill: what a person did since tells whether a copy still says something.
func TestStill(t *testing.T) {
	ours, theirs, joined := "ours\n", "theirs\n", "joined\n"
	h := func(s string) memsync.Hash { return memsync.HashOf([]byte(s)) }
	entry := func(result string, rebase bool) Entry {
		return Entry{Head: "before", Rebase: rebase, Sides: []memsync.Hash{h(ours), h(theirs)}, Result: h(result), Copies: [][]byte{body("the text that lost\nand more")}}
	}
	for name, c := range map[string]struct {
		e    Entry
		now  string // "-": gone
		head string
		want int
	}{
		"concluded as the driver left it":           {entry(joined, false), joined, "after", 1},
		"concluded, edited":                         {entry(joined, false), "edited\n", "after", 1},
		"called off":                                {entry(joined, false), ours, "before", 0},
		"the other side whole":                      {entry(joined, false), theirs, "after", 0},
		"concluded, the result is a side":           {entry(ours, false), ours, "after", 1},
		"called off, the result is a side":          {entry(ours, false), ours, "before", 0},
		"a commit of a rebase that changes nothing": {entry(ours, true), ours, "before", 1},
		"a commit is about to conclude it":          {entry(ours, false), ours, "", 1},
		"gone":                                      {entry(joined, false), "-", "after", 1},
		"all that lost is there again":              {entry(joined, false), "joined\nand more\nthe text that lost\n", "after", 0},
		"some of it":                                {entry(joined, false), "joined\nthe text that lost\n", "after", 1},
	} {
		var now []byte
		if c.now != "-" {
			now = []byte(c.now)
		}
		if got := c.e.Still(now, c.head); len(got) != c.want {
			t.Errorf("%s: %d copies, want %d", name, len(got), c.want)
		}
	}
	// what is no text in the file is never taken for being there
	for _, r := range []merge.Record{{Kind: merge.Scalar, Key: "name", Places: []merge.Place{{Lost: &memsync.Value{Text: "joined"}}}},
		{Kind: merge.Body, Places: []merge.Place{{Lost: nil}}}, {Kind: merge.DeleteEdit}} {
		e := entry(joined, false)
		e.Copies = [][]byte{r.Markdown(), []byte("no record at all")}
		if got := e.Still([]byte(joined), "after"); len(got) != 2 {
			t.Errorf("%s: %q", r.Kind, got)
		}
	}
}

// FuzzContains: a copy whose lines are not all in the file stays.
func FuzzContains(f *testing.F) {
	f.Add("a\nb\n", "b")
	f.Add("", "x\ny")
	f.Fuzz(func(t *testing.T, now, lost string) {
		e := Entry{Copies: [][]byte{body(lost)}}
		if len(e.Still([]byte(now), "h")) > 0 {
			return
		}
		for line := range strings.Lines(lost) {
			if line = strings.TrimSpace(line); !strings.Contains(now, line) {
				t.Errorf("%q is not in %q", line, now)
			}
		}
	})
}
