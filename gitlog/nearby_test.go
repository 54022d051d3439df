//go:build unix

package gitlog

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestNearby: what is read in a remote's directory is what git says of it, and
// where it may not be, git has to be asked.
func TestNearby(t *testing.T) {
	root := t.TempDir()
	hub := bareRepo(t, root, "h u%62.git")
	s := cloneAt(t, server{}, hub)
	first := s.add("a.md", "a\n")
	check(t, s.push(Transfer{}))
	same := func(what, branch string) {
		t.Helper()
		d, err := s.repo.Destination("main")
		check(t, err)
		d.Branch = branch
		heads, err := s.repo.Heads(context.Background(), "origin", Transfer{})
		check(t, err)
		if tip, ok := s.repo.Nearby(d)(); !ok || tip == "" || tip != heads[branch] {
			t.Errorf("%s: %q %v, git says %q", what, tip, ok, heads[branch])
		}
	}
	ask := func(what, branch string) {
		t.Helper()
		d, err := s.repo.Destination("main")
		check(t, err)
		d.Branch = branch
		if tip, ok := s.repo.Nearby(d)(); ok || tip != "" {
			t.Errorf("%s: %q", what, tip)
		}
	}
	same("a branch as a file", "main")
	s.git("-C", hub, "branch", "old/er", first)
	s.git("-C", hub, "pack-refs", "--all")
	same("packed", "main")
	same("packed", "old/er")
	s.add("b.md", "b\n")
	check(t, s.push(Transfer{}))
	same("a file beside what is packed", "main")
	s.git("-C", hub, "symbolic-ref", "refs/heads/name", "refs/heads/main")
	ask("a name for a branch", "name")
	loose := filepath.Join(hub, "refs", "heads", "main")
	check(t, os.Rename(loose, loose+".away"))
	check(t, os.Symlink("main", loose))
	ask("a branch that can't be read, beside what is packed", "main")
	check(t, os.Rename(loose+".away", loose))
	ask("no such branch", "none")
	ask("a way out", "../../HEAD")

	url := func(u string) { s.git("config", "remote.origin.url", u); s.open() }
	url("file://" + root + "/h%20u%2562.git")
	same("an address", "main")
	url("ssh://localhost" + hub)
	ask("another machine", "main")
	url(hub)
	s.git("config", "remote.origin.uploadpack", "/bin/false")
	s.open()
	ask("by a program", "main")
	s.git("config", "--unset", "remote.origin.uploadpack")
	s.git("config", "url./elsewhere/.insteadOf", root+"/")
	s.open()
	ask("under another address", "main")
	s.git("config", "--remove-section", "url./elsewhere/")

	work := filepath.Join(root, "work")
	s.git("clone", "-q", hub, work)
	url(work)
	same("a repository with files", "main")
	check(t, os.RemoveAll(filepath.Join(work, ".git")))
	ask("a directory without a repository", "main")
	url(filepath.Join(root, "none"))
	ask("nothing", "main")
}
