package gitlog

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// brings is what a push brings, as "path content".
func (s *scene) brings(r *Repo, local, remote, name string) []string {
	s.t.Helper()
	blobs, err := r.Pushed(local, remote, name)
	if err != nil {
		s.t.Fatal(err)
	}
	out := []string{}
	for _, b := range blobs {
		data, err := r.Blob(b.Blob)
		if err != nil {
			s.t.Fatal(err)
		}
		out = append(out, string(b.Path)+" "+string(data))
	}
	return out
}

func (s *scene) wantBrings(r *Repo, local, remote, name string, want ...string) {
	s.t.Helper()
	if got := s.brings(r, local, remote, name); !slices.Equal(got, want) {
		s.t.Errorf("brings %q, want %q", got, want)
	}
}

func TestPushed(t *testing.T) {
	s := newScene(t).open(".memsync")
	zero := s.repo.kind.zero()
	first := s.must("memory/a.md", "a1", "memory/b.md", "b1").ID
	second := s.must("memory/a.md", "a2", "memory/b.md", "b1").ID
	third := s.must("memory/a.md", "a1", "memory/c.md", "c1").ID
	s.wantBrings(s.repo, third, zero, "origin", "memory/a.md a1", "memory/b.md b1", "memory/a.md a2", "memory/c.md c1")
	s.wantBrings(s.repo, third, first, "origin", "memory/a.md a2", "memory/a.md a1", "memory/c.md c1")
	s.wantBrings(s.repo, third, second, "origin", "memory/a.md a1", "memory/c.md c1")
	s.wantBrings(s.repo, third, third, "origin")
	s.wantBrings(s.repo, first, third, "origin") // a forced push back
	s.wantBrings(s.repo, zero, third, "origin")  // a deleted ref
	s.wantBrings(s.repo, third, strings.Repeat("5", len(zero)), "no/such", "memory/a.md a1", "memory/b.md b1", "memory/a.md a2", "memory/c.md c1")

	// what this clone knows of the remote is not brought to it, whatever the branch
	s.git("update-ref", "refs/remotes/origin/main", second)
	s.wantBrings(s.repo, third, zero, "origin", "memory/a.md a1", "memory/c.md c1")
	s.git("pack-refs", "--all")
	s.wantBrings(s.repo, third, zero, "origin", "memory/a.md a1", "memory/c.md c1")
	s.wantBrings(s.repo, third, zero, "other", "memory/a.md a1", "memory/b.md b1", "memory/a.md a2", "memory/c.md c1")
	s.wantBrings(s.repo, third, zero, "https://example.org/x.git", "memory/a.md a1", "memory/b.md b1", "memory/a.md a2", "memory/c.md c1")

	// the commit that is named is the one that brought it
	blobs, err := s.repo.Pushed(third, zero, "")
	if err != nil || blobs[0].Commit != first || blobs[2].Commit != second {
		t.Errorf("%v %v", blobs, err)
	}

	// a merge brings what no parent has, a tag what its commit has
	s.git("switch", "-q", "-c", "side", second)
	s.must("memory/d.md", "d1")
	s.git("switch", "-q", "main")
	s.git("merge", "-q", "--no-ff", "--no-commit", "side")
	s.write("memory/e.md", "in the merge")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "merge")
	s.git("tag", "-a", "-m", "x", "v1")
	tag := s.git("rev-parse", "v1")
	s.wantBrings(s.repo, tag, zero, "origin", "memory/a.md a1", "memory/c.md c1", "memory/d.md d1", "memory/e.md in the merge")
	s.wantBrings(s.repo, s.git("rev-parse", "HEAD"), third, "origin", "memory/d.md d1", "memory/e.md in the merge")
	blob := s.git("rev-parse", "HEAD:.memsync/memory/a.md")
	s.wantBrings(s.repo, blob, zero, "origin") // a tag of a file is no commit
}

// TestPushedShallow: a clone without the older history knows what its remote
// has by the remote's refs.
func TestPushedShallow(t *testing.T) {
	s := newScene(t).open()
	zero := s.repo.kind.zero()
	for _, text := range []string{"1", "2", "3"} {
		s.must("memory/a.md", text)
	}
	clone := filepath.Join(t.TempDir(), "clone")
	if out, err := exec.Command(s.bin, "clone", "-q", "--depth", "2", "file://"+s.top, clone).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	c := &scene{t: t, top: clone, root: clone, env: s.env, bin: s.bin, when: s.when}
	c.open()
	c.must("memory/a.md", "4")
	head := c.git("rev-parse", "HEAD")
	c.wantBrings(c.repo, head, zero, "origin", "memory/a.md 4")
	c.wantBrings(c.repo, head, zero, "elsewhere", "memory/a.md 2", "memory/a.md 3", "memory/a.md 4")
}

// TestPushedClocks: a commit whose clock was wrong keeps nothing from being
// found, and old history from being listed.
func TestPushedClocks(t *testing.T) {
	s := newScene(t).open()
	at := func(date, text string) string {
		s.write("memory/a.md", text)
		s.git("add", "-A")
		env := s.env
		s.env = append(slices.Clip(env), "GIT_COMMITTER_DATE="+date)
		defer func() { s.env = env }()
		s.git("commit", "-q", "-m", text)
		return s.git("rev-parse", "HEAD")
	}
	at("2026-01-01T00:00:00Z", "1")
	known := at("2020-01-01T00:00:00Z", "2")
	at("2019-01-01T00:00:00Z", "3")
	tip := at("2030-01-01T00:00:00Z", "4")
	s.wantBrings(s.repo, tip, known, "", "memory/a.md 3", "memory/a.md 4")
}

func TestHooksDir(t *testing.T) {
	for name, tc := range map[string]struct {
		args   []string
		origin string
	}{
		"default":  {nil, ""},
		"relative": {[]string{"config", "core.hooksPath", ".husky/_"}, "local"},
		"home":     {[]string{"config", "core.hooksPath", "~/my hooks"}, "local"},
		"global":   {[]string{"config", "--global", "core.hooksPath", "~/hooks"}, "global"},
		"both":     {[]string{"config", "core.hooksPath", "/abs/hooks"}, "local"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			if name == "both" {
				s.git("config", "--global", "core.hooksPath", "elsewhere")
			}
			if tc.args != nil {
				s.git(tc.args...)
			}
			s.open("sub")
			h := s.repo.Hooks()
			want := s.git("rev-parse", "--git-path", "hooks")
			if !filepath.IsAbs(want) {
				want = filepath.Join(s.top, want)
			}
			if h.Dir != want || h.Origin != tc.origin || h.Shared() != (tc.origin == "global") || h.Default != filepath.Join(s.top, ".git", "hooks") {
				t.Errorf("%+v, git says %s", h, want)
			}
			s.must("a.md", "a")
			s.git("worktree", "add", "-q", "../tree")
			r, err := Open(filepath.Join(s.top, "..", "tree"), Options{Env: s.env})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if name == "default" && r.Hooks().Dir != h.Dir {
				t.Errorf("a worktree has hooks of its own: %+v", r.Hooks())
			}
		})
	}
}
