package gitlog

import (
	"os"
	"path/filepath"
	"testing"

	"memsync"
)

func TestReplaceComparesFirst(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "memory", "a.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	put := func(s string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(s), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	const name = "01J00000000000000000000001"
	put("one")
	if err := Replace(root, "memory/a.md", memsync.HashOf([]byte("one")), []byte("two"), name); err != nil {
		t.Fatal(err)
	}
	put2, _ := os.ReadFile(file)
	info, _ := os.Stat(file)
	if string(put2) != "two" || info.Mode().Perm() != 0o640 {
		t.Errorf("%q, %v", put2, info.Mode())
	}
	put("a person's")
	if err := Replace(root, "memory/a.md", memsync.HashOf([]byte("two")), []byte("three"), name); memsync.CodeOf(err) != memsync.CodeIORaced {
		t.Errorf("a file that was saved meanwhile: %v", err)
	}
	if err := Replace(root, "memory/b.md", memsync.HashOf([]byte("two")), []byte("three"), name); memsync.CodeOf(err) != memsync.CodeIORaced {
		t.Errorf("a file that is not there: %v", err)
	}
	// What a killed process left goes with the next one, if it is old enough and
	// was never moved.
	for _, left := range []string{".memsync-01J00000000000000000000001-0.tmp", ".memsync-01J00000000000000000000001-0.old", ".memsync-01J0000000ABCDEFGH00000001-0.tmp"} {
		if err := os.WriteFile(filepath.Join(root, "memory", left), []byte("left"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := Replace(root, "memory/a.md", memsync.HashOf([]byte("a person's")), []byte("a person's"), "01J1000000000000000000000A"); err != nil {
		t.Fatal(err)
	}
	if names, _ := filepath.Glob(filepath.Join(root, "memory", ".memsync-*")); len(names) != 2 {
		t.Errorf("left are %q", names)
	}
	for _, left := range []string{".memsync-01J00000000000000000000001-0.old", ".memsync-01J0000000ABCDEFGH00000001-0.tmp"} {
		if err := os.Remove(filepath.Join(root, "memory", left)); err != nil {
			t.Error(err)
		}
	}
	put2, _ = os.ReadFile(file)
	entries, _ := os.ReadDir(filepath.Dir(file))
	if string(put2) != "a person's" || len(entries) != 1 {
		t.Errorf("%q, %d names", put2, len(entries))
	}
}
