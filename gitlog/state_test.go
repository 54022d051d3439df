package gitlog

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memsync"
)

// TestPaused: each way a repository can be in the middle of something stops a
// commit, says which, changes nothing, and ends by itself. (Q38, Q40)
func TestPaused(t *testing.T) {
	conflict := func(s *scene, args ...string) {
		if _, err := s.tryGit(args...); err == nil {
			s.t.Fatalf("git %v should stop", args)
		}
	}
	cases := []struct {
		name, paused string
		enter, leave func(s *scene)
	}{
		{"Q38 merge", "merge",
			func(s *scene) { conflict(s, "merge", "other") },
			func(s *scene) { s.git("merge", "--abort") }},
		{"Q38 merge, concluded by hand", "merge",
			func(s *scene) { conflict(s, "merge", "other") },
			func(s *scene) { s.write("a.md", "resolved"); s.git("add", "a.md"); s.git("commit", "-qm", "merged") }},
		{"Q38 rebase", "rebase",
			func(s *scene) { conflict(s, "rebase", "other") },
			func(s *scene) { s.git("rebase", "--abort") }},
		{"Q38 rebase with the old backend", "rebase",
			func(s *scene) { conflict(s, "rebase", "--apply", "other") },
			func(s *scene) { s.git("rebase", "--abort") }},
		{"Q38 cherry-pick", "cherry-pick",
			func(s *scene) { conflict(s, "cherry-pick", "other") },
			func(s *scene) { s.git("cherry-pick", "--abort") }},
		{"Q38 between two cherry-picks", "cherry-pick",
			func(s *scene) {
				conflict(s, "cherry-pick", "other", "other~1")
				s.write("a.md", "resolved")
				s.git("add", "a.md")
				s.git("commit", "-qm", "picked")
			},
			func(s *scene) { s.git("cherry-pick", "--quit") }},
		{"Q38 revert", "revert",
			func(s *scene) { conflict(s, "revert", "HEAD~1") },
			func(s *scene) { s.git("revert", "--abort") }},
		{"Q38 bisect", "bisect",
			func(s *scene) { s.git("bisect", "start") },
			func(s *scene) { s.git("bisect", "reset") }},
		{"Q40 detached", "detached",
			func(s *scene) { s.git("checkout", "-q", "--detach") },
			func(s *scene) { s.git("switch", "-q", "main") }},
		{"Q40 another branch than the store's", "branch",
			func(s *scene) { s.repo.ExpectBranch("main"); s.git("switch", "-qc", "topic") },
			func(s *scene) { s.git("switch", "-q", "main") }},
		{"Q36 index.lock", "locked",
			func(s *scene) { os.WriteFile(filepath.Join(s.top, ".git/index.lock"), nil, 0o666) },
			func(s *scene) { os.Remove(filepath.Join(s.top, ".git/index.lock")) }},
		{"conflict in the index alone", "",
			func(s *scene) {
				conflict(s, "merge", "other")
				os.Remove(filepath.Join(s.top, ".git/MERGE_HEAD"))
			},
			func(s *scene) { s.git("reset", "-q", "--hard") }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t).open()
			s.must("a.md", "base", "z.md", "z")
			s.git("switch", "-qc", "other")
			s.must("a.md", "theirs")
			s.git("switch", "-q", "main")
			s.must("a.md", "mine")
			s.must("a.md", "mine again")
			c.enter(s)
			head, status := s.git("rev-parse", "HEAD"), s.git("status", "--porcelain")
			st, err := s.repo.State()
			if err != nil || st.Paused != c.paused || st.Head != head || c.paused != "" && st.Detail == "" {
				t.Errorf("State: %+v %v", st, err)
			}
			_, err = s.commit("new.md", "text")
			if c.paused == "locked" {
				e := wantCode(t, err, memsync.CodeGitLocked)
				if !strings.Contains(e.Message, "index.lock") || !strings.Contains(e.Message, "old") || e.Hint == "" {
					t.Errorf("message %q, hint %q", e.Message, e.Hint)
				}
				if _, err := os.Stat(filepath.Join(s.top, ".git/index.lock")); err != nil {
					t.Error("somebody else's lock is gone")
				}
				if removed, err := s.repo.CleanLocks(); len(removed) > 0 || err != nil {
					t.Errorf("CleanLocks took %v, %v", removed, err)
				}
			} else {
				wantCode(t, err, memsync.CodeStorePaused)
			}
			if now := s.git("rev-parse", "HEAD"); now != head {
				t.Error("a commit was made")
			}
			os.Remove(filepath.Join(s.root, "new.md"))
			if now := s.git("status", "--porcelain"); now != status {
				t.Errorf("status was %q, is %q", status, now)
			}
			c.leave(s)
			if st, err := s.repo.State(); err != nil || st.Paused != "" {
				t.Errorf("afterwards: %+v %v", st, err)
			}
			s.must("new.md", "text")
		})
	}
}

// Stray files with the names of state directories are not states.
func TestStrayStateFiles(t *testing.T) {
	s := newScene(t).open()
	s.must("a.md", "a")
	for _, name := range []string{"rebase-apply", "rebase-merge", "sequencer"} {
		os.WriteFile(filepath.Join(s.top, ".git", name), nil, 0o666)
	}
	os.Mkdir(filepath.Join(s.top, ".git/MERGE_HEAD"), 0o777)
	if st, err := s.repo.State(); err != nil || st.Paused != "" {
		t.Errorf("%+v %v", st, err)
	}
}

func TestStateOfUnbornBranch(t *testing.T) {
	s := newScene(t).open()
	if st, err := s.repo.State(); err != nil || st != (State{Branch: "main"}) {
		t.Errorf("%+v %v", st, err)
	}
	if tree, err := s.repo.Tree("HEAD", ""); err != nil || tree != nil {
		t.Errorf("%v %v", tree, err)
	}
	if v, err := s.repo.Log(LogQuery{}); err != nil || v != nil {
		t.Errorf("%v %v", v, err)
	}
	if _, err := s.repo.Resolve("HEAD"); memsync.CodeOf(err) != memsync.CodeNotFound {
		t.Errorf("Resolve: %v", err)
	}
}

// A git commit with its editor open pauses; the message it leaves behind does
// not.
func TestEditorOpen(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Log("only /proc tells where a process works")
		return
	}
	s := newScene(t).open()
	s.must("a.md", "a")
	s.write("b.md", "b")
	s.git("add", "b.md")
	pipe := filepath.Join(t.TempDir(), "pipe")
	started := filepath.Join(t.TempDir(), "started")
	if out, err := exec.Command("mkfifo", pipe, started).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	cmd := exec.Command("sh", "-c", "git commit -q")
	cmd.Dir = s.top
	cmd.Env = append(s.env, "GIT_EDITOR=echo > "+started+"; cat "+pipe+" >")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(started); err != nil { // blocks until the editor runs
		t.Fatal(err)
	}
	// The message has to be younger than the branch; a coarse clock may call
	// them equal.
	later := time.Now().Add(time.Second)
	os.Chtimes(filepath.Join(s.top, ".git/COMMIT_EDITMSG"), later, later)
	if st, err := s.repo.State(); err != nil || st.Paused != "commit" {
		t.Errorf("%+v %v", st, err)
	}
	if err := os.WriteFile(pipe, nil, 0o666); err != nil { // an empty message: aborted
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the commit should have been aborted")
	}
	if st, err := s.repo.State(); err != nil || st.Paused != "" {
		t.Errorf("afterwards %+v %v", st, err)
	}
}

func TestMoved(t *testing.T) {
	backends(t, func(t *testing.T, s *scene) {
		s.open()
		first := s.must("a.md", "a")
		s.must("a.md", "b")
		head := s.git("rev-parse", "HEAD")
		for _, parent := range []string{first.ID, ""} {
			_, err := s.repo.Commit(context.Background(), Commit{Parent: parent, Message: "m", Changes: []Change{{"b.md", []byte("b")}}, When: s.when})
			e := wantCode(t, err, memsync.CodeGitMoved)
			if e.Details["actual"] != head {
				t.Errorf("details %v", e.Details)
			}
		}
		if now := s.git("rev-parse", "HEAD"); now != head {
			t.Error("HEAD moved")
		}
	})
}

// The branch moves between the first look and the locks.
func TestMovedUnderTheLocks(t *testing.T) {
	backends(t, func(t *testing.T, s *scene) {
		s.open()
		s.must("a.md", "a")
		s.repo.pause = func(step string) {
			if step == "objects" {
				s.write("p.txt", "p")
				s.git("add", "p.txt")
				s.git("commit", "-qm", "theirs")
			}
		}
		_, err := s.commit("a.md", "b")
		wantCode(t, err, memsync.CodeGitMoved)
		if got := s.git("log", "-1", "--format=%s"); got != "theirs" {
			t.Errorf("HEAD is %q", got)
		}
		if got := s.git("status", "--porcelain"); got != " M a.md" {
			t.Errorf("status %q", got)
		}
		s.sound()
		s.repo.pause = nil
		s.must("a.md", "b")
	})
}

// A person stages something between the preparation of the index and the
// locks.
func TestStagedUnderTheLocks(t *testing.T) {
	backends(t, func(t *testing.T, s *scene) {
		s.open()
		s.must("a.md", "a")
		s.repo.pause = func(step string) {
			if step == "prepared" {
				s.write("p.txt", "p")
				s.git("add", "p.txt")
			}
		}
		done, err := s.commit("a.md", "b")
		if err != nil {
			t.Fatal(err)
		}
		s.repo.pause = nil
		s.check(done, "a.md", "b")
		if got := s.git("status", "--porcelain"); got != "A  p.txt" {
			t.Errorf("status %q", got)
		}
	})
}

// A save between the decision and the commit is not hidden from git status.
func TestSaveMeanwhile(t *testing.T) {
	s := newScene(t).open()
	s.must("a.md", "one")
	file, past := filepath.Join(s.root, "a.md"), time.Now().Add(-time.Hour)
	s.repo.pause = func(step string) {
		if step == "objects" {
			s.write("a.md", "six") // the same size, and a time that git trusts
			os.Chtimes(file, past, past)
		}
	}
	if _, err := s.commit("a.md", "two"); err != nil {
		t.Fatal(err)
	}
	if got := s.git("status", "--porcelain"); got != " M a.md" {
		t.Errorf("status %q", got)
	}
}

// Entries that were racily clean for the old index must not look trustworthy
// to the new one.
func TestRacyEntries(t *testing.T) {
	for _, version := range []string{"2", "4"} {
		s := newScene(t).open()
		s.must("a.md", "a", "b.md", "b")
		s.git("update-index", "--index-version", version)
		s.git("status") // writes the stats
		index := filepath.Join(s.top, ".git/index")
		file := filepath.Join(s.root, "b.md")
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		s.git("update-index", "b.md")
		// b.md changes without a trace in its stat, within the index's second
		os.Chtimes(index, info.ModTime(), info.ModTime())
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString("B")
		f.Close()
		os.Chtimes(file, info.ModTime(), info.ModTime())
		s.git("config", "core.trustctime", "false")
		if got := s.git("--no-optional-locks", "status", "--porcelain"); got != " M b.md" {
			t.Fatalf("git itself: %q", got)
		}
		os.Chtimes(index, info.ModTime(), info.ModTime())
		x, _, err := s.repo.readIndex()
		if err != nil {
			t.Fatal(err)
		}
		parts, err := x.patch(nil, nil, info.ModTime().Unix())
		if err != nil {
			t.Fatal(err)
		}
		os.WriteFile(index, written(t, parts), 0o666) // a later second, as far as git can see
		later := info.ModTime().Add(5 * time.Second)
		os.Chtimes(index, later, later)
		if got := s.git("status", "--porcelain"); got != " M b.md" {
			t.Errorf("version %s: the edit is hidden: %q", version, got)
		}
	}
}
