package gitlog

import (
	"errors"
	"os"
	"testing"

	"memsync"
)

// While somebody has the old file open for writing its last bytes are not
// known, however it looks.
func TestWriterWithTheFileOpen(t *testing.T) {
	s := newLogStore(t, "memory/a.md", "A")
	head := s.head()
	f, err := os.OpenFile(s.path("memory/a.md"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !beingWritten(mustOpen(t, s.path("memory/a.md"))) {
		t.Fatal("the control does not hold: an open writer is not seen")
	}
	p := s.plan("memory/a.md", "B")
	if _, err := s.apply(p); !errors.Is(err, memsync.CodeIORaced) {
		t.Fatal(err)
	}
	f.WriteString(" and more")
	if got := s.read("memory/a.md"); got != "A and more" {
		t.Errorf("the writer's bytes went elsewhere: %q", got)
	}
	s.notThere(p, head, "memory/a.md")
}

func mustOpen(t *testing.T, path string) *os.File {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
