package plainfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestRead: of files of all sizes around what Read makes room for, what os.ReadFile
// reads; and its errors.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []int{0, 1, 510, 511, 512, 513, 4096, 1<<20 - 1, 1 << 20, 1<<20 + 1, 3<<20 + 7} {
		name := filepath.Join(dir, "file")
		want := bytes.Repeat([]byte("0123456789abcdefg"), n/17+1)[:n]
		if err := os.WriteFile(name, want, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Read(name); err != nil || got == nil || !bytes.Equal(got, want) {
			t.Errorf("of %d bytes %d are read: %v", n, len(got), err)
		}
	}
	if _, err := Read(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Read(dir); err == nil {
		t.Error("a directory is read")
	}
	if _, err := Read("a\x00b"); err == nil {
		t.Error("no name is one")
	}
	// What the system itself makes has no size.
	if want, err := os.ReadFile("/proc/self/limits"); err == nil {
		if got, err := Read("/proc/self/limits"); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v %q, want %q", err, got, want)
		}
	}
}

func TestOverwrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := Overwrite(name, []byte("x")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := os.WriteFile(name, []byte("what was there"), 0o640); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"shorter", "", "and longer than that", "and longer than thaT"} {
		if err := Overwrite(name, []byte(want)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%q %v, want %q", got, err, want)
		}
	}
	if info, err := os.Stat(name); err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o640 {
		t.Error(info.Mode(), err)
	}
}
