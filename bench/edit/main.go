// Command edit measures the write path beside what people would use instead,
// in one run: one durable edit against `git add && git commit` and go-git's
// worktree, a batch of 1,000 edits, a pass over an unchanged store, start-up.
// Medians, on copies of generated stores.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"memsync"
	"memsync/bench/gen"
	"memsync/bench/measure"
	"memsync/internal/store"
	"memsync/keeper"
)

const seed = 7

func main() {
	big := flag.Bool("100k", true, "measure 100,000 files too")
	r := measure.Start("bench", "commit, flat, 100k, batch, noop, help")
	defer r.End()
	bin, scratch, want := r.Bin, r.Scratch, r.Want

	if want("help") {
		help(bin, filepath.Join(scratch, "hello"))
	}
	if want("commit") {
		one := commits(filepath.Join(scratch, "1k"), 1_000, gen.Ours, 200)
		ten := commits(filepath.Join(scratch, "10k"), 10_000, gen.Ours, 200)
		measure.Figure("commit_10k_ms", measure.MS(measure.Median(ten.ours)), "ms")
		measure.Figure("git_cli_10k_ms", measure.MS(measure.Median(ten.cli)), "ms")
		measure.Figure("gogit_worktree_10k_ms", measure.MS(measure.Median(ten.gogit)), "ms")
		measure.Figure("commit_vs_git_cli_10k", measure.Ratio(ten.ours, ten.cli), "ratio")
		measure.Figure("commit_vs_gogit_10k", measure.Ratio(ten.ours, ten.gogit), "ratio")
		measure.Figure("commit_1k_10k", measure.Ratio(ten.ours, one.ours), "ratio")
		measure.Figure("apply_p99_ms", measure.MS(measure.Quantile(ten.ours, 0.99)), "ms")
	}
	if want("flat") {
		flat := commits(filepath.Join(scratch, "flat"), 10_000, gen.Flat, 20)
		measure.Figure("commit_10k_flat_ms", measure.MS(measure.Median(flat.ours)), "ms")
		measure.Figure("commit_vs_git_cli_10k_flat", measure.Ratio(flat.ours, flat.cli), "ratio")
	}
	if want("noop") {
		noop(bin, filepath.Join(scratch, "noop"))
	}
	if want("batch") {
		batch(filepath.Join(scratch, "batch"))
	}
	if *big && want("100k") {
		huge := commits(filepath.Join(scratch, "100k"), 100_000, gen.Ours, 24)
		measure.Figure("commit_100k_ms", measure.MS(measure.Median(huge.ours)), "ms")
		measure.Figure("commit_vs_git_cli_100k", measure.Ratio(huge.ours, huge.cli), "ratio")
	}
}

// times are the samples of one store size.
type times struct{ ours, cli, gogit []time.Duration }

// commits edits one file at a time, in turns: by memsync's journal, file and
// commit; by the git command; by go-git's worktree. Each on its own copy of
// the store, and each begins with nothing left to write, so that none pays for
// another's bytes (git leaves its own to be written later) or garbage.
func commits(dir string, n int, layout gen.Layout, rounds int) times {
	a, b, c := dir+"-ours", dir+"-cli", dir+"-gogit"
	for _, d := range []string{a, b, c} {
		measure.Check(gen.Store(d, n, layout, seed))
	}
	w := newWriter(a)
	defer w.close()
	var t times
	for i := range rounds {
		at := i * 7919 % n
		p := gen.Path(at, layout)
		content := gen.Memory(at, 1, seed)
		settle()
		t.ours = append(t.ours, measure.Timed(func() { w.edit(p, gen.Memory(at, 0, seed), content) }))
		settle()
		t.cli = append(t.cli, measure.Timed(func() { gitCLI(b, p, content) }))
		if i < 5 {
			settle()
			t.gogit = append(t.gogit, measure.Timed(func() { goGit(c, p, content) }))
		}
	}
	for _, d := range []string{a, b, c} {
		mustBeClean(d)
		measure.Check(os.RemoveAll(d))
	}
	return t
}

// settle waits until everything is on the disk and go-git's garbage is gone.
func settle() {
	measure.Check(exec.Command("sync").Run())
	runtime.GC()
}

func gitCLI(dir string, p memsync.Path, content []byte) {
	measure.Check(os.WriteFile(filepath.Join(dir, string(p)), content, 0o644))
	git(dir, "add", string(p))
	git(dir, "commit", "-q", "-m", "edit "+string(p))
}

func git(dir string, args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		log.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func mustBeClean(dir string) {
	if out := git(dir, "status", "--porcelain"); out != "" {
		log.Fatalf("%s is not clean:\n%s", dir, out)
	}
}

// batch is 1,000 changed files through decide, near-duplicates included, to
// one commit, in a store of 10,000.
func batch(dir string) {
	var all []time.Duration
	for round := range 3 {
		measure.Check(gen.Store(dir, 10_000, gen.Ours, seed))
		warm(dir)
		for i := range 1_000 {
			at := i * 10
			measure.Check(os.WriteFile(filepath.Join(dir, string(gen.Path(at, gen.Ours))), gen.Memory(at, 1+round, seed), 0o644))
		}
		before := git(dir, "rev-list", "--count", "HEAD")
		all = append(all, measure.Timed(func() { once(dir) }))
		mustBeClean(dir)
		if after := git(dir, "rev-list", "--count", "HEAD"); after == before {
			log.Fatal("the batch made no commit")
		}
	}
	measure.Figure("batch_1000_s", measure.Median(all).Seconds(), "s")
	// The same 1,000 files as new ones: each is compared with every memory.
	measure.Check(gen.Store(dir, 10_000, gen.Ours, seed))
	warm(dir)
	for i := range 1_000 {
		p := filepath.Join(dir, "memory", "incoming", fmt.Sprintf("%s_new-%04d.md", memsync.Types[i%4], i))
		measure.Check(os.MkdirAll(filepath.Dir(p), 0o755))
		measure.Check(os.WriteFile(p, gen.Memory(1_000_000+i, 1, seed), 0o644))
	}
	measure.Figure("batch_1000_new_s", measure.Timed(func() { once(dir) }).Seconds(), "s")
	mustBeClean(dir)
	measure.Check(os.RemoveAll(dir))
}

// warm brings catalog and MEMORY.md up to date.
func warm(dir string) { once(dir) }

func once(dir string) {
	s, err := store.Find(dir)
	measure.Check(err)
	k, err := keeper.Open(context.Background(), s, keeper.Options{})
	measure.Check(err)
	defer k.Close()
	r, err := k.Once(context.Background(), keeper.OnceOptions{})
	measure.Check(err)
	if len(r.Held) > 0 || r.Paused != "" {
		log.Fatalf("held %d, paused %q", len(r.Held), r.Paused)
	}
}

// noop is the built command on a store where nothing changed.
func noop(bin, dir string) {
	measure.Check(gen.Store(dir, 10_000, gen.Ours, seed))
	warm(dir)
	var all []time.Duration
	for range 15 {
		all = append(all, measure.Timed(func() {
			cmd := exec.Command(bin, "up", "--once")
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				log.Fatalf("memsync up --once: %v\n%s", err, out)
			}
		}))
	}
	measure.Figure("once_noop_10k_ms", measure.MS(measure.Median(all)), "ms")
	measure.Check(os.RemoveAll(dir))
}

// help is the command's start, beside that of a Go program that prints a line:
// what a start costs differs fivefold between machines.
func help(bin, dir string) {
	measure.Check(os.MkdirAll(dir, 0o755))
	hello := filepath.Join(dir, "hello")
	measure.Check(os.WriteFile(hello+".go", []byte("package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"), 0o644))
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", hello, hello+".go")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		log.Fatalf("%v: %v\n%s", build.Args, err, out)
	}
	var ours, bare []time.Duration
	for range 60 {
		ours = append(ours, started(bin, "--help"))
		bare = append(bare, started(hello))
	}
	measure.Figure("help_ms", measure.MS(measure.Median(ours)), "ms")
	measure.Figure("go_hello_ms", measure.MS(measure.Median(bare)), "ms")
}

func started(args ...string) time.Duration {
	return measure.Timed(func() {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			log.Fatalf("%v: %v\n%s", args, err, out)
		}
	})
}
