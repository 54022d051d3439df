package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"memsync"
	"memsync/bench/gen"
	"memsync/bench/measure"
	"memsync/controller/merge"
)

// exchange measures `memsync sync` of a store of 10,000 memories as a whole
// process: with nothing to exchange, and with 1,000 memories that both sides
// changed. Beside it, on copies of the same clone, plain `git pull`, which merges
// as any text.
func exchange(dir, bin string, runs int) {
	const memories, diverged = 10000, 1000
	a, b, hub := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "hub.git")
	measure.Check(gen.Store(a, memories, gen.Ours, 1))
	do(dir, "git", "clone", "-q", "--bare", a, hub)
	do(a, "git", "config", "user.name", "Bench")
	do(a, "git", "config", "user.email", "bench@example.org")
	do(a, bin, "remote", "add", "hub", hub)
	do(a, bin, "sync")
	do(dir, "git", "clone", "-q", "-o", "hub", hub, b)
	do(b, "git", "config", "user.name", "Bench")
	do(b, "git", "config", "user.email", "bench@example.org")
	do(b, bin, "sync")
	var noop, plain []time.Duration
	for range runs + 1 {
		noop = append(noop, timed(b, bin, "sync"))
		plain = append(plain, timed(b, "git", "pull", "-q", "--no-rebase"))
	}
	measure.Figure("sync_noop_ms", measure.MS(measure.Median(noop[1:])), "ms")
	measure.Figure("git_pull_noop_ms", measure.MS(measure.Median(plain[1:])), "ms")

	for i := range diverged {
		p := filepath.FromSlash(string(gen.Path(i*7, gen.Ours)))
		change(filepath.Join(a, p), "\n---\n\n", "\n---\n\nA paragraph that one side added above.\n\n")
		change(filepath.Join(b, p), "", "\nA paragraph that the other side added below.\n")
	}
	do(a, bin, "sync")
	do(b, bin, "up", "--once")
	var joined, pulled []time.Duration
	for i := range 3 {
		mine, its := filepath.Join(dir, fmt.Sprintf("b%d", i)), filepath.Join(dir, fmt.Sprintf("hub%d.git", i))
		do(dir, "cp", "-a", b, mine)
		do(dir, "cp", "-a", hub, its)
		do(mine, "git", "remote", "set-url", "hub", its)
		do(mine, "git", "checkout", "-q", "-B", "before")
		do(mine, "git", "checkout", "-q", "main")
		do(mine, bin, "up", "--once") // as git's checkout did, it has seen the files of this copy
		joined = append(joined, timed(mine, bin, "sync"))
		do(mine, "git", "reset", "-q", "--hard", "before")
		cmd := exec.Command("git", "pull", "-q", "--no-rebase")
		cmd.Dir = mine
		pulled = append(pulled, measure.Timed(func() { _ = cmd.Run() })) // it may stop at MEMORY.md
	}
	measure.Figure("sync_1000_diverged_s", measure.Median(joined).Seconds(), "s")
	measure.Figure("git_pull_1000_diverged_s", measure.Median(pulled).Seconds(), "s")
}

// document measures the merge of one document of 600 bytes, in process.
func document() {
	head := "---\nid: 01JNB2Q0T7ZC4X9V8M5H3K0001\nname: Memory\ndescription: what it says\ntype: project\ntags: [%s]\nupdated: %s\n---\n\n"
	body := func(first, last string) string {
		return first + "\n\n" + strings.Repeat("In between nothing happens at all here. ", 10) + "\n\n" + last + "\n"
	}
	v := func(tags, date, first, last string, at int64) merge.Version {
		return merge.Version{Bytes: []byte(fmt.Sprintf(head, tags, date) + body(first, last)), Time: time.Unix(at, 0)}
	}
	base, ours, theirs := v("a", "2026-01-01", "The first.", "The last.", 1), v("a, b", "2026-02-02", "The first, changed.", "The last.", 2),
		v("a, c", "2026-03-03", "The first.", "The last, changed.", 3)
	limits := memsync.DefaultLimits()
	const times = 2000
	took := measure.Timed(func() {
		for range times {
			if r := merge.Merge(base, ours, theirs, limits); len(r.Conflicts) > 0 {
				log.Fatal("a conflict")
			}
		}
	})
	measure.Figure("merge_document_us", float64(took.Microseconds())/times, "us")
}

func timed(dir, name string, args ...string) time.Duration {
	return measure.Timed(func() { do(dir, name, args...) })
}

func do(dir, name string, args ...string) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		log.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}

// change replaces the first old text of a file, or appends.
func change(file, old, now string) {
	data, err := os.ReadFile(file)
	measure.Check(err)
	text := string(data) + now
	if old != "" {
		text = strings.Replace(string(data), old, now, 1)
	}
	if text == string(data) {
		log.Fatalf("%s has no %q", file, old)
	}
	measure.Check(os.WriteFile(file, []byte(text), 0o644))
}
