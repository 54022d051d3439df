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
