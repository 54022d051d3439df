package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"time"

	"memsync"
	"memsync/bench/gen"
	"memsync/gitlog"
	"memsync/gitlog/journal"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
func main() {
	n := flag.Int("n", 10000, "")
	rounds := flag.Int("r", 300, "")
	prof := flag.String("cpu", "", "")
	flag.Parse()
	dir := filepath.Join(os.TempDir(), "prof-store")
	os.RemoveAll(dir)
	check(gen.Store(dir, *n, gen.Ours, 7))
	repo, err := gitlog.Open(dir, gitlog.Options{})
	check(err)
	check(os.MkdirAll(repo.StateDir(), 0o700))
	j, err := journal.Open(filepath.Join(repo.StateDir(), "journal.db"), journal.Options{})
	check(err)
	l := &gitlog.Log{Repo: repo, Journal: j}
	if *prof != "" {
		f, _ := os.Create(*prof)
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	var ts []time.Duration
	var m0, m1 runtime.MemStats
	runtime.ReadMemStats(&m0)
	for i := range *rounds {
		at := i * 7919 % *n
		p := gen.Path(at, gen.Ours)
		content, old := gen.Memory(at, 1, 7), gen.Memory(at, 0, 7)
		t := time.Now()
		st, err := l.Repo.State()
		check(err)
		now := time.Now().UTC().Truncate(time.Millisecond)
		id := memsync.MakeID(now, [10]byte{byte(i >> 8), byte(i)})
		plan := &memsync.Plan{ID: id, At: now, Base: memsync.Revision{Commit: st.Head}, Author: memsync.Actor{Class: memsync.ClassPerson},
			Subject:  "memory(global): update " + p.Base(),
			Requests: []string{""},
			Decisions: []memsync.Decision{{Op: memsync.OpUpdate, Origin: memsync.OriginFile, Actor: memsync.Actor{Class: memsync.ClassPerson},
				Scope: "global", Path: p, Memory: id, Base: memsync.HashOf(old), Prior: memsync.HashOf(old), Post: memsync.HashOf(content)}},
			Files: []memsync.FileChange{{Path: p, Base: memsync.HashOf(old), Post: memsync.HashOf(content), Content: content, Prior: l.Repo.BlobID(old)}},
		}
		_, err = l.Apply(context.Background(), plan, memsync.CommitAuto)
		check(err)
		ts = append(ts, time.Since(t))
	}
	runtime.ReadMemStats(&m1)
	slices.Sort(ts)
	fmt.Println("median", ts[len(ts)/2], "p10", ts[len(ts)/10], "p99", ts[len(ts)*99/100], "alloc/op", (m1.TotalAlloc-m0.TotalAlloc)/uint64(*rounds), "gc", m1.NumGC-m0.NumGC)
}
