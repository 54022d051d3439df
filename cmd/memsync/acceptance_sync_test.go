package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cloned is a store that exchanges with a bare repository, and clones of it.
func cloned(t *testing.T, clones int, memories ...string) []*shop {
	t.Helper()
	first := newShop(t)
	root := filepath.Dir(first.dir)
	hub := filepath.Join(root, "hub.git")
	first.git("init", "-q", "--bare", hub)
	for i := 0; i < len(memories); i += 2 {
		first.write(memories[i], memories[i+1])
	}
	first.ok("remote", "add", "origin", hub)
	first.ok("sync")
	all := []*shop{first}
	for i := range clones - 1 {
		c := *first
		c.dir = filepath.Join(root, fmt.Sprintf("clone%d", i))
		first.git("clone", "-q", hub, c.dir)
		c.ok("hooks", "install")
		all = append(all, &c)
	}
	return all
}

// exchange syncs; what comes may be a person's to look at.
func (s *shop) exchange() {
	s.t.Helper()
	if out, errs, code := s.try("sync"); code != exitFine && code != exitPerson {
		s.t.Fatalf("sync of %s: exit %d\n%s%s", s.dir, code, out, errs)
	}
}

// Deleted on A, edited offline on B, re-added by the stale clone C: the choice is
// shown, nothing returns in silence. Control: a memory that nobody touched, and one
// that was edited, sync.
func noResurrection(t *testing.T) {
	old := memoryFile("tea", "user", "Leaves in the pot at four.")
	all := cloned(t, 3, "memory/user_tea.md", old, "memory/user_milk.md", memoryFile("milk", "user", "It stands by the door."))
	a, b, c := all[0], all[1], all[2]
	a.person().ok("delete", "tea")
	a.exchange()

	c.write("memory/user_milk.md", strings.Replace(c.read("memory/user_milk.md"), "door", "window", 1))
	c.exchange()
	if _, err := os.Stat(c.path("memory/user_tea.md")); err == nil {
		t.Error("C, which had nothing to say of it, still has it")
	}
	b.write("memory/user_tea.md", strings.Replace(b.read("memory/user_tea.md"), "four", "five", 1))
	if _, _, code := b.try("sync"); code != exitPerson {
		t.Errorf("B brings an edit of what was deleted: exit %d", code)
	}
	for _, s := range []*shop{b, a, c} {
		s.exchange()
		if !strings.Contains(s.read("memory/user_tea.md"), "at five") {
			t.Errorf("the edit is not in %s", s.dir)
		}
		if out := s.ok("conflicts", "--json"); !strings.Contains(out, "delete-edit") {
			t.Errorf("the choice is not shown in %s:\n%s", s.dir, out)
		}
		if !strings.Contains(s.read("memory/user_milk.md"), "window") {
			t.Errorf("control: %s lacks the edit of another memory", s.dir)
		}
	}
	a.rest()
}

// Forgotten after it was synced to a second clone: gone from there too, and an old
// copy of the file does not bring it back. Control: the memory of another scope stays.
func absentFromSharedCopies(t *testing.T) {
	const words = "Xanthippe drinks her coffee at nine"
	all := cloned(t, 2, "memory/user_coffee.md", memoryFile("coffee", "user", words+"."),
		"agents/harbor/memory/user_machine.md", memoryFile("machine", "user", "The machine is on the third floor."))
	a, b := all[0], all[1]
	b.ok("up", "--once")
	backup := b.read("memory/user_coffee.md")
	if !strings.Contains(b.ok("search", "xanthippe"), "user_coffee.md") {
		t.Errorf("control: the clone never had it: %s\n%s", b.any("search", "xanthippe"), b.any("list", "--all"))
	}
	a.person().ok("forget", "memory/user_coffee.md", "--yes")
	a.exchange()
	b.exchange()
	probe := func(s *shop) {
		t.Helper()
		for _, file := range s.files() {
			if strings.Contains(s.read(file), words) {
				t.Errorf("%s of %s has it", file, s.dir)
			}
		}
		for _, args := range [][]string{{"list", "--all", "--json"}, {"search", "xanthippe"}, {"status", "--json"}, {"conflicts", "--json"}, {"show", "memory/user_coffee.md"}} {
			if out := s.any(args...); strings.Contains(out, words) {
				t.Errorf("memsync %s in %s shows it:\n%s", strings.Join(args, " "), s.dir, out)
			}
		}
		if !strings.Contains(s.ok("search", "third", "floor"), "agents/harbor/memory/user_machine.md") {
			t.Errorf("control: the other scope's memory is gone from %s", s.dir)
		}
	}
	probe(a)
	probe(b)
	b.write("memory/user_coffee.md", backup)
	if _, errs, code := b.try("up", "--once"); code != exitPerson || !strings.Contains(errs, "memory.forgotten") {
		t.Errorf("the old copy: exit %d\n%s", code, errs)
	}
	b.remove("memory/user_coffee.md")
	b.exchange()
	a.exchange()
	probe(a)
	probe(b)
	a.rest()
	b.rest()
}
