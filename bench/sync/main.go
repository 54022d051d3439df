// Command sync measures what exchanging memories costs: the merge driver of a
// person who runs plain git (`git merge` of memories that both sides changed, with
// memsync's driver and, in the same run on the same files, with git's own merge),
// one merge in process, and `memsync sync` beside `git pull`.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"memsync/bench/measure"
)

func main() {
	files := flag.Int("files", 50, "how many files both sides change")
	runs := flag.Int("runs", 7, "how often each merge is timed")
	r := measure.Start("sync", "")
	defer r.End()
	bin, dir := r.Bin, r.Scratch
	for _, part := range []string{"driver", "exchange"} {
		measure.Check(os.MkdirAll(filepath.Join(dir, part), 0o755))
	}
	b := bench{filepath.Join(dir, "driver"), bin, *files}
	b.prepare()
	empty := filepath.Join(dir, "empty")
	do(".", "go", "build", "-o", empty, "./empty")
	var ours, git, none []time.Duration
	for range *runs + 1 { // in turn, so that all have the machine's good and bad moments
		ours = append(ours, b.merge("side"))
		git = append(git, b.merge("side", "-c", "merge.memsync.driver=git merge-file --marker-size=%L %A %O %B"))
		none = append(none, b.merge("side", "-c", "merge.memsync.driver="+empty+" %O %A %B %L %P"))
	}
	ours, git, none = ours[1:], git[1:], none[1:]        // the first one fills the cache
	b.git("config", "--remove-section", "merge.memsync") // a clone that knows no driver
	var plain []time.Duration
	for range *runs {
		plain = append(plain, b.merge("side", "-c", "merge.conflictStyle=merge"))
	}
	per := func(d []time.Duration) float64 { return measure.MS(measure.Median(d)) / float64(*files) }
	measure.Figure("driver_ms", per(ours), "ms")
	measure.Figure("git_merge_file_driver_ms", per(git), "ms")
	measure.Figure("empty_driver_ms", per(none), "ms")
	measure.Figure("git_builtin_merge_ms", per(plain), "ms")
	document()
	exchange(filepath.Join(dir, "exchange"), bin, *runs)
}

type bench struct {
	dir, bin string
	files    int
}

func (b bench) git(args ...string) {
	cmd := exec.Command("git", args...)
	cmd.Dir = b.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		log.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}

func (b bench) memsync(args ...string) {
	cmd := exec.Command(b.bin, args...)
	cmd.Dir = b.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		log.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}

// prepare makes a store with two branches that both change the frontmatter and
// different paragraphs of every file, which git by itself calls a conflict.
func (b bench) prepare() {
	b.memsync("init", b.dir)
	b.git("config", "user.name", "Bench")
	b.git("config", "user.email", "bench@example.org")
	b.write("2026-01-01", "first as it was", "last as it was")
	b.memsync("up", "--once")
	b.git("branch", "start")
	b.git("checkout", "-q", "-b", "side")
	b.write("2026-02-02", "first, changed here", "last as it was")
	b.git("commit", "-q", "-a", "-m", "side")
	b.git("checkout", "-q", "-b", "ours", "start")
	b.write("2026-03-03", "first as it was", "last, changed there")
	b.git("commit", "-q", "-a", "-m", "ours")
	b.git("tag", "before")
}

func (b bench) write(date, first, last string) {
	for i := range b.files {
		text := fmt.Sprintf("---\nid: 01JNB2Q0T7ZC4X9V8M5H3K%04d\nname: Memory %d\ndescription: what number %d says\ntype: project\nupdated: %s\n---\n\nThe %s.\n\nIn between nothing happens.\n\nThe %s.\n", i, i, i, date, first, last)
		measure.Check(os.WriteFile(filepath.Join(b.dir, "memory", fmt.Sprintf("project_m%d.md", i)), []byte(text), 0o644))
	}
}

// merge times one merge and takes it back. Conflicts are what git's own merge
// ends with.
func (b bench) merge(branch string, flags ...string) time.Duration {
	cmd := exec.Command("git", append(append([]string{}, flags...), "merge", "-q", "--no-edit", branch)...)
	cmd.Dir = b.dir
	var failed error
	took := measure.Timed(func() { failed = cmd.Run() })
	if len(flags) == 0 && failed != nil {
		log.Fatalf("%v: %v", cmd.Args, failed)
	}
	b.git("reset", "-q", "--hard", "before")
	return took
}
