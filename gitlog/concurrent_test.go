package gitlog

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"memsync"
)

func TestQ37_ConcurrentGit(t *testing.T) { interleave(t, 50) }

// interleave lets a person's git and ours commit n times each at once. Nobody
// loses a commit, a file or a staged entry.
func interleave(t *testing.T, n int) {
	s := newScene(t).open()
	s.must("memory/seed.md", "seed")
	s.repo.lockWait = 10 * time.Second
	var wg sync.WaitGroup
	var refused, moved int
	wg.Go(func() {
		for i := range n {
			name := fmt.Sprintf("src/p%d.txt", i)
			os.MkdirAll(filepath.Join(s.top, "src"), 0o777)
			os.WriteFile(filepath.Join(s.top, name), []byte(name), 0o666)
			for _, args := range [][]string{{"add", name}, {"commit", "-qm", "person " + name}} {
				for {
					_, err := s.tryGit(args...)
					if err == nil {
						break
					}
					if !strings.Contains(err.Error(), ".lock") && !strings.Contains(err.Error(), "cannot lock ref") {
						t.Errorf("git %v: %v", args, err)
						return
					}
					refused++
					// A person takes longer to type it again than the writer to
					// look after its index.
					s.mend()
				}
			}
		}
	})
	wg.Go(func() {
		for i := range n {
			name := fmt.Sprintf("memory/m%d.md", i)
			s.write(name, name)
			s.write("memory/MEMORY.md", name)
			for {
				st, err := s.repo.State()
				if err != nil {
					t.Error(err)
					return
				}
				_, err = s.repo.Commit(context.Background(), Commit{Parent: st.Head, Message: "memory: " + name, Author: Ident{"M", "m@x"}, When: time.Now(),
					Changes: []Change{{memsync.Path(name), []byte(name)}, {"memory/MEMORY.md", []byte(name)}}})
				if err == nil {
					break
				}
				switch memsync.CodeOf(err) {
				case memsync.CodeGitMoved, memsync.CodeGitLocked:
					moved++
				default:
					t.Error(err)
					return
				}
			}
		}
	})
	wg.Wait()
	if t.Failed() {
		return
	}
	t.Logf("%d + %d commits; git was refused %d times, we %d", n, n, refused, moved)
	if got := s.git("rev-list", "--count", "HEAD"); got != fmt.Sprint(2*n+1) {
		t.Errorf("%s commits of %d", got, 2*n+1)
	}
	if got := strings.Count(s.git("ls-tree", "-r", "--name-only", "HEAD"), "\n") + 1; got != 2*n+2 {
		t.Errorf("%d files of %d", got, 2*n+2)
	}
	if got := s.git("status", "--porcelain"); got != "" {
		t.Errorf("status: %.300s", got)
	}
	if got := len(strings.Split(s.git("reflog", "--format=%H"), "\n")); got != 2*n+1 {
		t.Errorf("%d lines of reflog", got)
	}
	s.sound()
}

// TestQ37_Idle: looking at a repository takes no lock and writes nothing, so
// that a person's git never fails because of it.
func TestQ37_Idle(t *testing.T) {
	s := newScene(t).open()
	s.must("a.md", "a")
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			s.repo.State()
			s.repo.Tree("HEAD", "")
			s.repo.Ignored([]memsync.Path{"x.md"})
			s.repo.CleanLocks()
			s.repo.OtherChanges()
		}
	})
	for i := range 20 {
		s.write("p.txt", fmt.Sprint(i))
		s.git("add", "p.txt")
		s.git("commit", "-qm", fmt.Sprint(i))
	}
	close(stop)
	wg.Wait()
}

// Two stores in one repository, two processes' worth of Repo values: commits
// take turns.
func TestTwoWriters(t *testing.T) {
	s := newScene(t).open()
	s.must("seed.md", "s")
	var wg sync.WaitGroup
	for w := range 2 {
		r, err := Open(s.top, Options{Env: s.env})
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for i := range 25 {
				name := memsync.Path(fmt.Sprintf("w%d/f%d.md", w, i))
				for {
					st, err := r.State()
					if err != nil {
						t.Error(err)
						return
					}
					_, err = r.Commit(context.Background(), Commit{Parent: st.Head, Message: "m", Author: Ident{"M", "m@x"}, When: time.Now(), Changes: []Change{{name, []byte(name)}}})
					if err == nil {
						break
					}
					if c := memsync.CodeOf(err); c != memsync.CodeGitMoved && c != memsync.CodeGitLocked {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	if got := s.git("rev-list", "--count", "HEAD"); got != "51" {
		t.Errorf("%s commits", got)
	}
	if got := s.git("diff", "--cached", "--name-only"); got != "" {
		t.Errorf("staged: %s", got)
	}
	s.sound()
}

// A racing `git commit` puts the index back that it read before ours; it is
// set again, and what the person staged meanwhile stays.
func TestStaleIndexIsMended(t *testing.T) {
	cases := []struct {
		name   string
		before func(s *scene) // staged before our commit
		after  func(s *scene, old []byte)
		want   string
	}{
		{"old index back", func(s *scene) { s.write("p.txt", "p"); s.git("add", "p.txt") },
			func(s *scene, old []byte) { s.putIndex(old) }, "A  p.txt"},
		{"old index back, twice", nil,
			func(s *scene, old []byte) { s.putIndex(old); s.mend(); s.putIndex(old) }, ""},
		{"old index back after a second commit", nil,
			func(s *scene, old []byte) {
				s.must("a.md", "three", "third.md", "3")
				s.repo.care.end()
				s.putIndex(old)
			}, ""},
		{"old index back while a second commit is under way", nil,
			func(s *scene, old []byte) {
				s.repo.pause = func(step string) {
					if step == "prepared" {
						s.putIndex(old)
					}
				}
				s.must("b.md", "b")
				s.repo.pause = nil
				s.repo.care.end()
				if tree := s.git("write-tree"); tree != s.git("rev-parse", "HEAD^{tree}") {
					s.t.Errorf("the index makes tree %s", tree)
				}
			}, ""},
		{"git switch on its way: the files are another branch's", nil,
			func(s *scene, old []byte) {
				s.putIndex(old)
				s.write("a.md", "one")
				s.write("d/e.md", "one")
				os.Remove(filepath.Join(s.root, "new.md"))
				s.mend()
				s.write("a.md", "two")
				s.write("d/e.md", "two")
				s.write("new.md", "new")
				s.repo.watched = nil
			}, "MM a.md\nMM d/e.md\nD  new.md\n?? new.md"},
		{"git reset on its way: a git command runs here", nil,
			func(s *scene, old []byte) {
				if _, err := os.Stat("/proc/self/stat"); err != nil {
					s.git("reset", "-q", "HEAD~1", "--", ".") // the same end, by hand
					return
				}
				// Not a child of this process, which would be a helper of ours.
				shell := exec.Command("sh", "-c", "git cat-file --batch; true")
				shell.Dir, shell.Env = s.top, s.env
				in, err := shell.StdinPipe()
				if err != nil {
					s.t.Fatal(err)
				}
				out, err := shell.StdoutPipe()
				if err != nil {
					s.t.Fatal(err)
				}
				if err := shell.Start(); err != nil {
					s.t.Fatal(err)
				}
				in.Write([]byte("HEAD\n"))
				out.Read(make([]byte, 1)) // it runs
				s.putIndex(old)
				s.mend()
				s.repo.watched = nil
				in.Close()
				io.Copy(io.Discard, out)
				shell.Wait()
			}, "MM a.md\nMM d/e.md\nD  new.md\n?? new.md"},
		{"old index back, then another commit, then looked at", nil,
			func(s *scene, old []byte) {
				w := s.repo.watched
				s.repo.watched = nil
				s.putIndex(old)
				if _, err := s.commit("b.md", "b"); err != nil {
					s.t.Fatal(err)
				}
				s.repo.care.end()
				w.commits = append(w.commits, s.repo.watched.commits...)
				s.repo.watched = w
			}, ""},
		{"one entry taken out by hand", nil,
			func(s *scene, old []byte) { s.git("rm", "-q", "--cached", "new.md") }, "D  new.md\n?? new.md"},
		{"all undone, but long after", nil,
			func(s *scene, old []byte) {
				for i := range s.repo.watched.commits {
					s.repo.watched.commits[i].until = time.Time{}
				}
				s.putIndex(old)
			}, "MM a.md\nMM d/e.md\nD  new.md\n?? new.md"},
		{"soft reset", nil,
			func(s *scene, old []byte) { s.git("reset", "-q", "HEAD~1") }, " M a.md\n M d/e.md\n?? new.md"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t).open()
			s.must("a.md", "one", "d/e.md", "one")
			s.git("read-tree", "-m", "HEAD") // with cached trees
			if c.before != nil {
				c.before(s)
			}
			old := readSmall(filepath.Join(s.top, ".git/index"))
			if _, err := s.commit("a.md", "two", "new.md", "new", "d/e.md", "two"); err != nil {
				t.Fatal(err)
			}
			s.repo.care.end() // the watch itself would only be earlier
			c.after(s, old)
			s.mend()
			got := s.git("status", "--porcelain")
			if got != c.want {
				t.Errorf("status %q, want %q", got, c.want)
			}
			s.sound()
		})
	}
}

func (s *scene) putIndex(data []byte) {
	s.t.Helper()
	file := filepath.Join(s.top, ".git/index")
	if err := os.WriteFile(file+".lock", data, 0o666); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(file+".lock", file); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) mend() {
	s.repo.commits.Lock()
	defer s.repo.commits.Unlock()
	s.repo.mendIndex()
}
