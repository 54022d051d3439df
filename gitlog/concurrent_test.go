package gitlog

import (
	"context"
	"fmt"
	"os"
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

func (s *scene) mend() {
	s.repo.commits.Lock()
	defer s.repo.commits.Unlock()
	s.repo.mendIndex()
}
