package gitlog

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"memsync"
	"memsync/gitlog/journal"
)

func TestApply(t *testing.T) {
	for _, c := range []struct {
		name    string
		files   []string
		changes []string
		git     string // name-status of the commit
	}{
		{"add", nil, []string{"memory/user_a.md", "A"}, "A\tmemory/user_a.md"},
		{"add in new directories", nil, []string{"agents/x/memory/user_a.md", "A"}, "A\tagents/x/memory/user_a.md"},
		{"add an empty file", nil, []string{"memory/e.md", ""}, "A\tmemory/e.md"},
		{"update", []string{"memory/user_a.md", "A"}, []string{"memory/user_a.md", "B"}, "M\tmemory/user_a.md"},
		{"rename by case", []string{"memory/user_a.md", "A"}, []string{"memory/User_a.md", "A", "memory/user_a.md", absent}, "R100\tmemory/user_a.md\tmemory/User_a.md"},
		{"delete", []string{"memory/user_a.md", "A"}, []string{"memory/user_a.md", absent}, "D\tmemory/user_a.md"},
		{"rename", []string{"memory/user_a.md", "A"}, []string{"memory/user_a.md", absent, "memory/user_b.md", "A"}, "R100\tmemory/user_a.md\tmemory/user_b.md"},
		{"a batch and its MEMORY.md", []string{"memory/user_a.md", "A", "memory/MEMORY.md", "- a\n"},
			[]string{"memory/user_a.md", "A2", "memory/user_b.md", "B", "memory/MEMORY.md", "- a\n- b\n"},
			"M\tmemory/MEMORY.md\nM\tmemory/user_a.md\nA\tmemory/user_b.md"},
		{"hostile names", nil, []string{"memory/-rf.md", "1", "memory/a\"b\nc.md", "2", "memory/日本.md", "3", "memory/$(id).md", "4"},
			"A\t\"memory/$(id).md\"\nA\tmemory/-rf.md"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newLogStore(t, c.files...)
			before := s.head()
			p := s.plan(c.changes...)
			a := s.mustApply(p)
			s.there(p)
			s.statusEmpty()
			if a.Commit != s.head() || a.Head != a.Commit || s.git("rev-parse", "HEAD^") != before {
				t.Errorf("%+v is not one commit on %s", a, before)
			}
			have := s.git("show", "--format=", "--name-status", "-M", "HEAD")
			if c.name != "hostile names" && have != c.git {
				t.Errorf("the commit changed\n%s\nwant\n%s", have, c.git)
			}
			for path, blob := range a.Blobs {
				if s.git("rev-parse", "HEAD:"+string(path)) != blob {
					t.Errorf("blob of %s is not %s", path, blob)
				}
			}
			if len(a.Events) != len(p.Decisions) {
				t.Errorf("%d events for %d decisions", len(a.Events), len(p.Decisions))
			}
		})
	}
}

func TestApplySave(t *testing.T) {
	s := newLogStore(t, "memory/user_a.md", "A")
	s.save("memory/user_a.md", "A by hand")
	info, _ := os.Stat(s.path("memory/user_a.md"))
	p := s.plan("memory/user_a.md", "A by hand", "memory/MEMORY.md", "- a\n")
	// Q13: the editor saves again before the first save is committed. Both
	// versions end in history; the second is the next candidate.
	s.log.Repo.pause = func(at string) {
		if at == "objects" {
			s.save("memory/user_a.md", "A by hand, again")
		}
	}
	s.mustApply(p)
	s.log.Repo.pause = nil
	if now, _ := os.Stat(s.path("memory/user_a.md")); !os.SameFile(info, now) {
		t.Error("a save's file was written")
	}
	s.there(p, "memory/user_a.md")
	if got := s.read("memory/user_a.md"); got != "A by hand, again" {
		t.Errorf("the second save became %q", got)
	}
	if out := s.git("status", "--porcelain"); out != " M memory/user_a.md" {
		t.Errorf("git hides the second save: %q", out)
	}
}

func TestApplyKeepsMode(t *testing.T) {
	s := newLogStore(t, "memory/a.md", "A")
	if err := os.Chmod(s.path("memory/a.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.mustApply(s.plan("memory/a.md", "B"))
	if info, _ := os.Stat(s.path("memory/a.md")); info.Mode().Perm() != 0o600 {
		t.Errorf("Q15: the mode is %v", info.Mode())
	}
}

func TestApplyCommitOff(t *testing.T) {
	s := newLogStore(t, "memory/a.md", "A")
	head := s.head()
	p := s.plan("memory/a.md", "B", "memory/b.md", "new")
	a, err := s.log.Apply(context.Background(), p, memsync.CommitOff)
	if err != nil || a.Commit != "" {
		t.Fatal(a, err)
	}
	if s.head() != head || s.read("memory/a.md") != "B" || s.read("memory/b.md") != "new" {
		t.Error("files and no commit, please")
	}
	for _, text := range []string{"B", "new"} {
		if _, ok, _ := s.log.Journal.Content(memsync.HashOf([]byte(text))); !ok {
			t.Errorf("the journal does not hold %q", text)
		}
	}
	s.clean(p, 2)
}

func TestApplyWithoutFiles(t *testing.T) {
	s := newLogStore(t)
	head := s.head()
	p := s.plan()
	p.Decisions = []memsync.Decision{{Op: memsync.OpNoop, Path: "memory/a.md"}}
	if a := s.mustApply(p); a.Commit != "" || s.head() != head {
		t.Errorf("%+v", a)
	}
	if s.state(p) != journal.Applied {
		t.Error("not noted")
	}
}

// Before anything is journaled: a plan that can't be is refused and leaves no
// trace.
func TestRefusedBeforeTheJournal(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(s *logStore)
		code memsync.Code
		on   bool // with a plan that is no bug
	}{
		{"the file changed since deciding", func(s *logStore) { s.save("memory/a.md", "hand") }, memsync.CodeIORaced, true},
		{"the file went", func(s *logStore) { os.Remove(s.path("memory/a.md")) }, memsync.CodeIORaced, true},
		{"a file came", func(s *logStore) { s.save("memory/new.md", "hand") }, memsync.CodeIORaced, true},
		{"Q16: a link stands there", func(s *logStore) {
			os.Remove(s.path("memory/a.md"))
			os.Symlink("../elsewhere.md", s.path("memory/a.md"))
		}, memsync.CodePathEscape, true},
		{"Q16: a directory is a link", func(s *logStore) {
			os.Rename(s.path("memory"), s.path("real"))
			os.Symlink("real", s.path("memory"))
		}, memsync.CodePathEscape, true},
		{"a directory stands there", func(s *logStore) { os.Mkdir(s.path("memory/new.md"), 0o755) }, memsync.CodePathEscape, true},
		{"Q38: a merge is going on", func(s *logStore) { s.saveGit("MERGE_HEAD", s.head()) }, memsync.CodeStorePaused, true},
		{"Q40: HEAD is detached", func(s *logStore) { s.git("checkout", "-q", "--detach") }, memsync.CodeStorePaused, true},
		{"Q36: index.lock is held", func(s *logStore) { s.saveGit("index.lock", "") }, memsync.CodeGitLocked, true},
		{"the branch moved and touched a path", func(s *logStore) {
			s.save("memory/a.md", "theirs")
			s.git("commit", "-qam", "theirs")
			s.save("memory/a.md", "A")
		}, memsync.CodeGitMoved, true},
		{"the branch was rewritten", func(s *logStore) { s.git("commit", "-q", "--amend", "-m", "other") }, memsync.CodeGitMoved, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newLogStore(t, "memory/a.md", "A")
			s.log.Repo.lockWait = 1
			p := s.plan("memory/a.md", "B", "memory/new.md", "N")
			c.do(s)
			tree := s.git("status", "--porcelain", "--untracked-files=all")
			a, err := s.apply(p)
			if !errors.Is(err, c.code) || a.Commit != "" {
				t.Fatalf("%+v %v, want %s", a, err, c.code)
			}
			var e *memsync.Error
			if !errors.As(err, &e) || e.Hint == "" {
				t.Errorf("no hint: %#v", err)
			}
			if s.state(p) != "" {
				t.Error("it was journaled")
			}
			if now := s.git("status", "--porcelain", "--untracked-files=all"); now != tree {
				t.Errorf("the tree changed from %q to %q", tree, now)
			}
		})
	}
}

func (s *logStore) saveGit(name, content string) {
	s.t.Helper()
	if err := os.WriteFile(s.path(".git/"+name), []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// A commit of somebody else's between deciding and committing is no reason to
// decide again, unless it touched the same paths.
func TestBranchMovesUnderneath(t *testing.T) {
	for _, c := range []struct {
		name   string
		foreig string
		code   memsync.Code
	}{
		{"elsewhere", "README.md", ""},
		{"on a path of the plan", "memory/b.md", memsync.CodeGitMoved},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newLogStore(t, "memory/a.md", "A")
			p := s.plan("memory/a.md", "B", "memory/b.md", "b")
			others := newLogStoreAt(t, s.dir)
			moved := false
			step = func(name string) {
				if strings.HasPrefix(name, "synced") && !moved {
					moved = true
					others.commitBlob(c.foreig, "theirs")
				}
			}
			defer func() { step = nil }()
			a, err := s.apply(p)
			theirs := s.git("rev-parse", "HEAD")
			if c.code != "" {
				if !errors.Is(err, c.code) {
					t.Fatal(err)
				}
				s.notThere(p, theirs)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			s.there(p)
			if s.git("rev-parse", "HEAD^") == p.Base.Commit || a.Head != theirs {
				t.Errorf("not on top of the foreign commit: %+v", a)
			}
			if out := s.git("show", "--format=", "--name-only", "HEAD"); strings.Contains(out, c.foreig) {
				t.Errorf("the foreign commit was undone:\n%s", out)
			}
		})
	}
}

func newLogStoreAt(t testing.TB, dir string) *logStore { return &logStore{t: t, dir: dir} }

// commitBlob commits a file without the work tree, as a merge elsewhere would.
func (s *logStore) commitBlob(path, content string) {
	s.t.Helper()
	tmp := s.t.TempDir() + "/blob"
	if err := os.WriteFile(tmp, []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
	blob := s.git("hash-object", "-w", tmp)
	run := func(args ...string) string {
		s.t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "GIT_INDEX_FILE="+s.path(".git/other-index"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			s.t.Fatalf("git %v: %v %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("read-tree", "HEAD")
	run("update-index", "--add", "--cacheinfo", "100644,"+blob+","+path)
	tree := run("write-tree")
	s.git("update-ref", "HEAD", s.git("commit-tree", "-p", "HEAD", "-m", "theirs", tree))
	os.Remove(s.path(".git/other-index"))
}

// A file that somebody saves at the worst moment is never overwritten (law 4)
// and never lost (law 5); the plan leaves no trace but the journal's.
func TestQ13_RacingWriter(t *testing.T) {
	type race struct {
		name string
		at   string // the step before which the writer saves
		do   func(s *logStore)
	}
	save := func(p, content string) func(*logStore) { return func(s *logStore) { s.save(p, content) } }
	replaced := func(p, content string) func(*logStore) {
		return func(s *logStore) {
			s.save(p+"~", content)
			os.Rename(s.path(p+"~"), s.path(p))
		}
	}
	remove := func(p string) func(*logStore) { return func(s *logStore) { os.Remove(s.path(p)) } }
	for _, c := range []struct {
		race
		code memsync.Code // what Apply says; "" when the save came too late to matter
		want map[string]string
	}{
		{race{"in place, before the exchange", "aside memory/a.md", save("memory/a.md", "hand")}, memsync.CodeIORaced, map[string]string{"memory/a.md": "hand"}},
		{race{"by rename, before the exchange", "aside memory/a.md", replaced("memory/a.md", "hand")}, memsync.CodeIORaced, map[string]string{"memory/a.md": "hand"}},
		{race{"removed before the exchange", "aside memory/a.md", remove("memory/a.md")}, memsync.CodeIORaced, map[string]string{"memory/a.md": absent}},
		{race{"added before the move", "prepared memory/new.md", save("memory/new.md", "hand")}, memsync.CodeIORaced, map[string]string{"memory/new.md": "hand"}},
		{race{"the same bytes added", "prepared memory/new.md", save("memory/new.md", "N")}, "", map[string]string{"memory/new.md": "N"}},
		{race{"saved before the removal", "exchanged memory/a.md", save("memory/gone.md", "hand")}, memsync.CodeIORaced, map[string]string{"memory/gone.md": "hand"}},
		{race{"removed before the removal", "exchanged memory/a.md", remove("memory/gone.md")}, "", map[string]string{"memory/gone.md": absent}},
		{race{"over the new bytes, after the exchange", "exchanged memory/a.md", save("memory/a.md", "hand")}, "", map[string]string{"memory/a.md": "hand"}},
		{race{"a link put there before the exchange", "aside memory/a.md", func(s *logStore) {
			os.Remove(s.path("memory/a.md"))
			os.Symlink("../target", s.path("memory/a.md"))
		}}, memsync.CodeIORaced, map[string]string{"memory/a.md": "target's"}},
	} {
		for _, exchange := range []bool{true, false} {
			name := c.name
			if !exchange {
				name += ", no exchange"
			}
			t.Run(name, func(t *testing.T) {
				noExchange = !exchange
				defer func() { noExchange, step = false, nil }()
				s := newLogStore(t, "memory/a.md", "A", "memory/gone.md", "G", "target", "target's")
				head := s.head()
				p := s.plan("memory/new.md", "N", "memory/a.md", "B", "memory/gone.md", absent)
				done := false
				step = func(at string) {
					if !exchange {
						at = strings.Replace(at, "moved in memory/a.md", "exchanged memory/a.md", 1)
					}
					if at == c.at && !done {
						done = true
						c.do(s)
					}
				}
				_, err := s.apply(p)
				if !done {
					t.Fatalf("step %q was never reached", c.at)
				}
				if memsync.CodeOf(err) != c.code {
					t.Fatalf("%v, want %s", err, c.code)
				}
				var touched []string
				for path, want := range c.want {
					touched = append(touched, path)
					if got := s.read(path); got != want {
						t.Errorf("%s is %q, want %q", path, got, want)
					}
				}
				if c.code == "" {
					s.there(p, touched...)
				} else {
					s.notThere(p, head, touched...)
				}
			})
		}
	}
}

// Two saves in a row over what we had put: the newest is on disk, the one
// under it is a held copy.
func TestLostPlacesAreKept(t *testing.T) {
	for _, exchange := range []bool{true, false} {
		noExchange = !exchange
		s := newLogStore(t, "memory/a.md", "A", "memory/b.md", "B")
		head := s.head()
		s.save("memory/a.md", "A unaccepted")
		p := s.plan("memory/a.md", "A2", "memory/b.md", "B2")
		step = func(at string) {
			switch at {
			case "aside memory/b.md":
				s.save("memory/b.md", "raced") // so that all goes back
				s.save("memory/a.md", "newest")
			}
		}
		_, err := s.apply(p)
		step, noExchange = nil, false
		if !errors.Is(err, memsync.CodeIORaced) {
			t.Fatal(err)
		}
		s.notThere(p, head, "memory/a.md", "memory/b.md")
		if a, b := s.read("memory/a.md"), s.read("memory/b.md"); a != "newest" || b != "raced" {
			t.Errorf("on disk: %q %q", a, b)
		}
		if have := s.copies()["memory/a.md"]; !slices.Equal(have, []string{"A unaccepted"}) {
			t.Errorf("law 5: the version that lost its place is in %q", have)
		}
	}
}

func TestUnfinishedPlanBlocksTheNext(t *testing.T) {
	s := newLogStore(t, "memory/a.md", "A")
	p := s.plan("memory/a.md", "B")
	if err := s.log.Journal.Begin(p, memsync.CommitAuto, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.apply(s.plan("memory/b.md", "B")); !errors.Is(err, memsync.CodeJournal) {
		t.Fatal(err)
	}
	if r := s.mustReplay(); len(r) != 1 || r[0].Outcome != journal.Applied {
		t.Fatalf("%+v", r)
	}
	s.there(p)
	s.mustApply(s.plan("memory/b.md", "B"))
}

func TestP08_SecretStaysOutOfTheJournal(t *testing.T) {
	s := newLogStore(t)
	token := "tok" + "en-91aa77c0e2"
	s.save("memory/a.md", token)
	p := s.plan("memory/a.md", absent, "memory/b.md", "fine")
	p.Files[0].Secret = true
	s.mustApply(p)
	if raw, _ := os.ReadFile(s.path(".git/memsync/journal.db")); strings.Contains(string(raw), token) {
		t.Error("it is in the journal")
	}
	if out := s.git("log", "-p", "--all"); strings.Contains(out, token) {
		t.Error("it is in git")
	}
}
