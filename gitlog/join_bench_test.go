package gitlog

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memsync"
)

// Two clones of a store with 10,000 memories, 1,000 of which each side has
// changed, 500 of them both. Goal: with fetch and push below 2 s.
func BenchmarkJoin(b *testing.B) {
	template, tip := benchJoin(b)
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		dir := filepath.Join(b.TempDir(), "store")
		if err := os.CopyFS(dir, os.DirFS(template)); err != nil {
			b.Fatal(err)
		}
		s := newLogStoreOpen(b, dir)
		b.StartTimer()
		j, err := s.log.Join(context.Background(), JoinRequest{Plan: memsync.MakeID(planTime, [10]byte{7, byte(i)}), At: planTime, Tip: tip})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if len(j.Changes) < 1000 || len(j.Conflicts) > 0 || len(j.Dirty) > 0 {
			b.Fatalf("%d changes, %d conflicts, %d dirty", len(j.Changes), len(j.Conflicts), len(j.Dirty))
		}
		s.log.Journal.Close()
		s.log.Repo.Close()
		os.RemoveAll(dir)
		b.StartTimer()
	}
}

func benchJoin(b *testing.B) (dir, tip string) {
	const all, each, both = 10_000, 1000, 500
	name := func(i int) string { return fmt.Sprintf("memory/user/%02d/user_m%05d.md", i/250, i) }
	text := func(i int, top, end string) string {
		return memo(string(memsync.MakeID(planTime, [10]byte{byte(i >> 8), byte(i)})), fmt.Sprint("Memory ", i),
			top+"\n\n"+strings.Repeat("What stands here is known to nobody else. ", 9)+"\n\n"+end)
	}
	files := []string{"memsync.toml", "format = 1\n"}
	for i := range all {
		files = append(files, name(i), text(i, "top", "end"))
	}
	a := newLogStore(b, files...)
	a.git("checkout", "-q", "-b", "there")
	for i := range each {
		a.save(name(i), text(i, "top", "END"))
		if i%100 == 99 {
			a.git("add", "-A")
			a.git("commit", "-q", "-m", "there")
		}
	}
	tip = a.git("rev-parse", "HEAD")
	a.git("checkout", "-q", "main")
	for i := each - both; i < 2*each-both; i++ {
		a.save(name(i), text(i, "TOP", "end"))
		if i%100 == 99 {
			a.git("add", "-A")
			a.git("commit", "-q", "-m", "here")
		}
	}
	a.git("gc", "-q")
	a.log.Journal.Close()
	a.log.Repo.Close()
	return a.dir, tip
}
