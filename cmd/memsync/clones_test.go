package main

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sync.convergence, on the real command: clones that edit at random and exchange
// in any order end with the same bytes, nobody needed, and the edits are there.
func convergence(t *testing.T, seed uint64, clones, steps int) {
	random := rand.New(rand.NewPCG(seed, 1))
	var memories []string
	for i := range 4 {
		memories = append(memories, fmt.Sprintf("memory/user_m%d.md", i), memoryFile(fmt.Sprintf("M %d", i), "user", fmt.Sprintf("The text of number %d.\n\nA second paragraph.", i)))
	}
	all := cloned(t, clones, memories...)
	said := map[string]bool{} // lines that somebody saved
	exchange := func(s *shop) {
		t.Helper()
		for _, p := range s.files() {
			for line := range strings.Lines(s.read(p)) {
				if strings.HasPrefix(line, "Line ") {
					said[line] = true
				}
			}
		}
		s.exchange()
	}
	for i := range steps {
		s := all[random.IntN(len(all))]
		memories := slices.DeleteFunc(s.files(), func(p string) bool {
			return !strings.HasPrefix(p, "memory/user_") && !strings.HasPrefix(p, "memory/project_")
		})
		line := fmt.Sprintf("Line %d of clone %s.", i, filepath.Base(s.dir))
		switch n := random.IntN(10); {
		case n < 4 && len(memories) > 0:
			p := memories[random.IntN(len(memories))]
			s.write(p, s.read(p)+"\n"+line+"\n")
		case n < 5 && len(memories) > 0:
			p := memories[random.IntN(len(memories))]
			s.write(p, strings.Replace(s.read(p), "paragraph", fmt.Sprintf("paragraph (%d)", i), 1))
		case n < 7:
			s.write(fmt.Sprintf("memory/project_n%d.md", random.IntN(6)), memoryFile(fmt.Sprintf("N %d", i), "project", line))
		case n < 8 && len(memories) > 2:
			p := memories[random.IntN(len(memories))]
			s.remove(p)
		default:
			exchange(s)
		}
	}
	for range clones + 1 { // the last one's commits travel to everybody
		for _, s := range all {
			exchange(s)
		}
	}
	tree := all[0].git("rev-parse", "HEAD^{tree}")
	for _, s := range all {
		if got := s.git("rev-parse", "HEAD^{tree}"); got != tree {
			t.Errorf("seed %d: %s differs:\n%s", seed, s.dir, s.git("diff", "--stat", strings.TrimSpace(tree), "HEAD"))
		}
		if out := s.git("status", "--porcelain"); out != "" {
			t.Errorf("seed %d: git status of %s:\n%s", seed, s.dir, out)
		}
		s.ok("check")
	}
	history, err := exec.Command("git", "-C", all[0].dir, "log", "-p", "--all", "--format=").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range said {
		if !strings.Contains(string(history), line) {
			t.Errorf("seed %d: %q is lost", seed, line)
		}
	}
}

func TestClonesConverge(t *testing.T) { convergence(t, 0, 3, 16) }
