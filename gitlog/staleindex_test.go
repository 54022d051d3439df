//go:build prove

package gitlog

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

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
				end := s.busy()
				s.putIndex(old)
				s.mend()
				s.repo.watched = nil
				end()
			}, "MM a.md\nMM d/e.md\nD  new.md\n?? new.md"},
		{"old index back while git is busy, another commit, then looked at", nil,
			func(s *scene, old []byte) {
				end := s.busy()
				s.putIndex(old)
				if _, err := s.commit("a.md", "three", "b.md", "b"); err != nil {
					s.t.Fatal(err)
				}
				s.repo.care.end()
				end()
			}, ""},
		{"all taken out by hand", nil,
			func(s *scene, old []byte) { s.writeIndex(old) }, "MM a.md\nMM d/e.md\nD  new.md\n?? new.md"},
		{"all taken out by hand, after a commit that failed", nil,
			func(s *scene, old []byte) {
				s.putIndex(old)
				index := filepath.Join(s.top, ".git/index")
				now, later := time.Now(), time.Now().Add(time.Second) // as if typed a second later
				os.Chtimes(index, later, later)
				s.mend()
				s.repo.watched = nil
				os.Chtimes(index, now, now)
			}, "MM a.md\nMM d/e.md\nD  new.md\n?? new.md"},
		{"one entry taken out by hand", nil,
			func(s *scene, old []byte) { s.git("rm", "-q", "--cached", "new.md") }, "D  new.md\n?? new.md"},
		{"all undone, but long after", nil,
			func(s *scene, old []byte) {
				for i := range s.repo.watched.commits {
					s.repo.watched.commits[i].at = time.Time{}
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

// putIndex writes an index as a racing `git commit` does, which then stops at
// the branch.
func (s *scene) putIndex(data []byte) {
	s.t.Helper()
	s.writeIndex(data)
	if err := os.WriteFile(filepath.Join(s.top, ".git/COMMIT_EDITMSG"), []byte("message\n"), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) writeIndex(data []byte) {
	s.t.Helper()
	file := filepath.Join(s.top, ".git/index")
	if err := os.WriteFile(file+".lock", data, 0o666); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(file+".lock", file); err != nil {
		s.t.Fatal(err)
	}
}

// busy starts a git command of somebody else in the work tree, which runs
// until end.
func (s *scene) busy() (end func()) {
	s.t.Helper()
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
	return func() {
		in.Close()
		io.Copy(io.Discard, out)
		shell.Wait()
	}
}
