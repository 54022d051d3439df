package recall_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"memsync"
	"memsync/indexer/recall"
	"memsync/internal/text"
)

const (
	begin = "<!-- memsync:begin -->\n"
	end   = "<!-- memsync:end -->\n"
)

var scope = memsync.Scope{Kind: memsync.Global, Dir: "memory", System: "memory", MemoryMD: memsync.Region, Identity: memsync.Inline}

func id(n int) memsync.ID {
	var entropy [10]byte
	copy(entropy[:], fmt.Sprintf("%010d", n))
	return memsync.MakeID(time.UnixMilli(1_700_000_000_000), entropy)
}

// mem is a memory of the scope; rel says its file, and its type by the prefix.
func mem(n int, rel, name, description string, more ...func(*memsync.Memory)) *memsync.Memory {
	p := memsync.Path("memory").Join(rel)
	prefix, _, _ := strings.Cut(p.Base(), "_")
	t, _ := memsync.ParseType(prefix)
	m := &memsync.Memory{
		ID: id(n), Path: p, Scope: "global", Kind: memsync.KindMemory, Type: t,
		Name: name, Description: description, SortKey: text.Fold(name), Inline: true,
	}
	for _, f := range more {
		f(m)
	}
	return m
}

func pinned(m *memsync.Memory)     { m.Pinned = true }
func uninlined(m *memsync.Memory)  { m.Inline = false }
func log(m *memsync.Memory)        { m.Kind = memsync.KindLog }
func unreadable(m *memsync.Memory) { m.Kind, m.Name, m.Description = memsync.KindUnreadable, "", "" }
func hook(s string) func(*memsync.Memory) {
	return func(m *memsync.Memory) { m.Hook = s }
}

func view(ms ...*memsync.Memory) *memsync.View {
	return memsync.NewView(memsync.Revision{}, []memsync.Scope{scope}, ms)
}

// store is a scope's derived files with the View that they belong to.
type store struct {
	view   *memsync.View
	scope  memsync.Scope
	file   []byte
	base   []byte // after a save: Edited.Base
	pages  map[memsync.Path][]byte
	limits memsync.Limits
}

func newStore(file string, ms ...*memsync.Memory) *store {
	s := &store{view: view(ms...), scope: scope, pages: map[memsync.Path][]byte{}}
	if file != "" {
		s.file = []byte(file)
	}
	return s
}

func (s *store) input() recall.Input {
	return recall.Input{View: s.view, Scope: s.scope, MemoryMD: s.file, Base: s.base, Pages: s.pages, Limits: s.limits}
}

// digest applies a Digest and gives it back.
func (s *store) digest() recall.Output {
	out := recall.Digest(s.input())
	s.base = nil
	for p, body := range out.Files {
		switch {
		case p == recall.FilePath(s.scope):
			s.file = body
		case body == nil:
			delete(s.pages, p)
		default:
			s.pages[p] = body
		}
	}
	return out
}

func same(t *testing.T, want, got string) {
	t.Helper()
	if want != got {
		t.Errorf("(-want +got)\n%s\n%q", cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")), got)
	}
}

func codes(fs []memsync.Finding) (out []string) {
	for _, f := range fs {
		out = append(out, f.Code)
	}
	return out
}
