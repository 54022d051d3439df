package gitlog

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"memsync"
)

// benchScene is a packed store of n memories, 20 a directory.
func benchScene(b *testing.B, n int) *scene {
	s := newScene(b).open()
	c := Commit{Message: "seed", Author: Ident{"A", "a@b"}, When: time.Now()}
	for i := range n {
		name := fmt.Sprintf("scopes/s%03d/%d/%05d.md", i/100, i/20%5, i)
		text := fmt.Sprintf("---\nname: memory %d\n---\n\n%0700d\n", i, i)
		s.write(name, text)
		c.Changes = append(c.Changes, Change{memsync.Path(name), []byte(text)})
	}
	if _, err := s.repo.Commit(context.Background(), c); err != nil {
		b.Fatal(err)
	}
	s.git("gc", "-q")
	s.git("config", "gc.auto", "0")
	s.git("status")
	return s
}

func benchSizes(b *testing.B, run func(b *testing.B, n int)) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { run(b, n) })
	}
}

// BenchmarkCommit: one changed file, durable, index and all.
func BenchmarkCommit(b *testing.B) {
	benchSizes(b, func(b *testing.B, n int) {
		s := benchScene(b, n)
		head := s.git("rev-parse", "HEAD")
		b.ResetTimer()
		for i := 0; b.Loop(); i++ {
			name := "scopes/s003/2/00340.md"
			text := []byte(fmt.Sprintf("edit %d %0700d\n", i, i))
			os.WriteFile(filepath.Join(s.top, name), text, 0o666)
			done, err := s.repo.Commit(context.Background(), Commit{Parent: head, Message: "edit", Author: Ident{"A", "a@b"}, When: time.Now(),
				Changes: []Change{{memsync.Path(name), text}}})
			if err != nil {
				b.Fatal(err)
			}
			head = done.ID
		}
	})
}

// BenchmarkGitAddCommit is the control: the same edit by `git add` and
// `git commit`, which does not sync loose objects.
func BenchmarkGitAddCommit(b *testing.B) {
	benchSizes(b, func(b *testing.B, n int) {
		s := benchScene(b, n)
		b.ResetTimer()
		for i := 0; b.Loop(); i++ {
			name := "scopes/s003/2/00340.md"
			os.WriteFile(filepath.Join(s.top, name), []byte(fmt.Sprintf("edit %d %0700d\n", i, i)), 0o666)
			s.git("add", name)
			s.git("commit", "-qm", "edit")
		}
	})
}

func BenchmarkState(b *testing.B) {
	s := newScene(b).open()
	s.must("a.md", "a")
	for b.Loop() {
		if _, err := s.repo.State(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTree(b *testing.B) {
	s := benchScene(b, 10000)
	for b.Loop() {
		if _, err := s.repo.Tree("HEAD", ""); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkIgnored(b *testing.B) {
	s := benchScene(b, 10000)
	s.write(".gitignore", "*.swp\n*~\nbuild/\n/tmp\nnode_modules/\n*.log\n")
	entries, err := s.repo.Tree("HEAD", "")
	if err != nil {
		b.Fatal(err)
	}
	var paths []memsync.Path
	for _, e := range entries {
		paths = append(paths, e.Path)
	}
	b.ResetTimer()
	for b.Loop() {
		if out, err := s.repo.Ignored(paths); err != nil || len(out) > 0 {
			b.Fatal(out, err)
		}
	}
}

// BenchmarkDerivedIDs: 1,000 files that began with the first of 300 commits.
func BenchmarkDerivedIDs(b *testing.B) {
	s := benchScene(b, 1000)
	head := s.git("rev-parse", "HEAD")
	entries, err := s.repo.Tree("HEAD", "")
	if err != nil {
		b.Fatal(err)
	}
	for i := range 300 {
		text := []byte(fmt.Sprint(i))
		done, err := s.repo.Commit(context.Background(), Commit{Parent: head, Message: "edit", Author: Ident{"A", "a@b"}, When: time.Now(), Changes: []Change{{entries[i].Path, text}}})
		if err != nil {
			b.Fatal(err)
		}
		head = done.ID
	}
	s.git("gc", "-q")
	var paths []memsync.Path
	for _, e := range entries {
		paths = append(paths, e.Path)
	}
	b.ResetTimer()
	for b.Loop() {
		ids, _, err := s.repo.DerivedIDs(paths)
		if err != nil || len(ids) != 1000 {
			b.Fatal(len(ids), err)
		}
	}
}
