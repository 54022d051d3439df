// Command watch measures the watcher on the built command: from a save to its
// commit, a big checkout, a storm of touches, start, rest, takeover. Each on
// a copy of a generated store.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"memsync/bench/gen"
	"memsync/bench/measure"
)

const seed = 7

func main() {
	big := flag.Bool("100k", true, "start on 100,000 files too")
	r := measure.Start("watch", "save, checkout, storm, ready, rest, takeover")
	defer r.End()
	bin, scratch, want := r.Bin, r.Scratch, r.Want
	store := func(name string, n int) string {
		dir := filepath.Join(scratch, name)
		measure.Check(gen.Store(dir, n, gen.Ours, seed))
		run(dir, bin, "up", "--once")
		return dir
	}
	if want("ready") {
		ready(bin, store("ready", 10_000), "up_ready_10k_ms")
		if *big {
			ready(bin, store("ready100k", 100_000), "up_ready_100k_ms")
			measure.Check(os.RemoveAll(filepath.Join(scratch, "ready100k")))
		}
	}
	dir := store("10k", 10_000)
	if want("save") {
		saves(bin, dir)
	}
	if want("checkout") {
		checkout(bin, dir)
	}
	if want("storm") {
		storm(bin, store("storm", 50_000))
	}
	if want("takeover") {
		takeover(bin, dir)
	}
	if want("rest") {
		rest(bin, dir)
	}
}

// owner is a running `memsync up`.
type owner struct {
	cmd    *exec.Cmd
	stdout io.ReadCloser
}

// up starts it and waits until it says that it is ready.
func up(bin, dir string) *owner {
	cmd := exec.Command(bin, "up", "--jsonl")
	cmd.Dir = dir
	stderr, err := cmd.StderrPipe()
	measure.Check(err)
	stdout, err := cmd.StdoutPipe()
	measure.Check(err)
	measure.Check(cmd.Start())
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if strings.Contains(lines.Text(), ": watching ") {
			go io.Copy(os.Stderr, stderr)
			return &owner{cmd, stdout}
		}
		log.Print(lines.Text())
	}
	log.Fatal("memsync up ended before it was ready")
	return nil
}

func (o *owner) quiet() { go io.Copy(io.Discard, o.stdout) }

func (o *owner) stop() {
	measure.Check(o.cmd.Process.Signal(syscall.SIGTERM))
	measure.Check(o.cmd.Wait())
}

// saves waits for each save's commit, by the branch's own file.
func saves(bin, dir string) {
	o := up(bin, dir)
	o.quiet()
	defer o.stop()
	var all []time.Duration
	for i := range 200 {
		at := i * 7919 % 10_000
		before := head(dir)
		began := time.Now()
		write(dir, at, 3)
		for head(dir) == before {
			time.Sleep(time.Millisecond)
		}
		all = append(all, time.Since(began))
	}
	measure.Figure("save_to_commit_p50_ms", measure.MS(measure.Quantile(all, 0.5)), "ms")
	measure.Figure("save_to_commit_p99_ms", measure.MS(measure.Quantile(all, 0.99)), "ms")
	mustBeClean(dir)
}

// checkout goes back to where 1,000 files were otherwise, and waits until the
// owner has said so about each.
func checkout(bin, dir string) {
	start := strings.TrimSpace(run(dir, "git", "rev-parse", "HEAD"))
	for i := range 1_000 {
		write(dir, i*10, 5)
	}
	run(dir, bin, "up", "--once")
	run(dir, "git", "status") // a copied store's files look changed to git until it has looked
	o := up(bin, dir)
	o.quiet()
	defer o.stop()
	run(dir, "sync")
	began := time.Now()
	run(dir, "git", "checkout", "-q", start, "--", "memory")
	done := head(dir)
	for ; ; time.Sleep(5 * time.Millisecond) {
		if now := head(dir); now != done {
			break
		}
	}
	for clean(dir) != "" {
		time.Sleep(50 * time.Millisecond)
	}
	measure.Figure("checkout_1000_s", time.Since(began).Seconds(), "s")
}

// storm touches 50,000 files with new bytes, as fast as it can.
func storm(bin, dir string) {
	o := up(bin, dir)
	defer o.stop()
	updates, deletes := make(chan string, 1000), make(chan string, 1000)
	go func() {
		lines := bufio.NewScanner(o.stdout)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			switch l := lines.Text(); {
			case strings.Contains(l, `"op":"update"`):
				updates <- l
			case strings.Contains(l, `"op":"delete"`):
				deletes <- l
			}
		}
	}()
	const n = 50_000
	began := time.Now()
	for i := range n {
		write(dir, i, 9)
	}
	found := 0
	for found < n {
		select {
		case <-updates:
			found++
		case l := <-deletes:
			log.Fatal("a false delete: ", l)
		}
	}
	measure.Figure("storm_50k", float64(found)/n, "found/true")
	measure.Figure("storm_50k_s", time.Since(began).Seconds(), "s")
	mustBeClean(dir)
}

func ready(bin, dir, name string) {
	var all []time.Duration
	for range 5 {
		began := time.Now()
		o := up(bin, dir)
		all = append(all, time.Since(began))
		o.quiet()
		o.stop()
	}
	measure.Figure(name, measure.MS(measure.Quantile(all, 0.5)), "ms")
}

// takeover kills the owner and writes through whoever comes next.
func takeover(bin, dir string) {
	var all []time.Duration
	for i := range 5 {
		o := up(bin, dir)
		o.quiet()
		measure.Check(o.cmd.Process.Kill())
		began := time.Now()
		run(dir, bin, "write", fmt.Sprintf("takeover %d", i), "--type", "user", "--content", fmt.Sprintf("After the kill, %d.", i*7919))
		all = append(all, time.Since(began))
		_ = o.cmd.Wait()
	}
	measure.Figure("takeover_ms", measure.MS(measure.Quantile(all, 0.5)), "ms")
}

// rest is what an owner takes that has nothing to do.
func rest(bin, dir string) {
	o := up(bin, dir)
	o.quiet()
	defer o.stop()
	// The first start makes the search index, some seconds of work that a current
	// one does not cost.
	for complete := `"exists":true,"documents":10000,"behind":0`; !strings.Contains(run(dir, bin, "status", "--jsonl"), complete); {
		time.Sleep(time.Second)
	}
	time.Sleep(15 * time.Second) // until it rests
	before := cpu(o.cmd.Process.Pid)
	time.Sleep(60 * time.Second)
	measure.Figure("idle_cpu_s", cpu(o.cmd.Process.Pid)-before, "s")
	measure.Figure("idle_rss_mb", rss(o.cmd.Process.Pid), "MB")
}

// cpu is the time that a process has used, in seconds (proc(5), stat).
func cpu(pid int) float64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	measure.Check(err)
	f := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	user, _ := strconv.ParseFloat(f[11], 64)
	system, _ := strconv.ParseFloat(f[12], 64)
	return (user + system) / 100 // clock ticks: 100 a second on every Linux
}

func rss(pid int) float64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	measure.Check(err)
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb / 1024
		}
	}
	return 0
}

func write(dir string, at, version int) {
	measure.Check(os.WriteFile(filepath.Join(dir, string(gen.Path(at, gen.Ours))), gen.Memory(at, version, seed), 0o644))
}

func head(dir string) string {
	data, err := os.ReadFile(filepath.Join(dir, ".git", "refs", "heads", "main"))
	measure.Check(err)
	return string(data)
}

func clean(dir string) string {
	return run(dir, "git", "--no-optional-locks", "status", "--porcelain")
}

func mustBeClean(dir string) {
	if out := clean(dir); out != "" {
		log.Fatalf("%s is not clean:\n%.500s", dir, out)
	}
}

func run(dir string, args ...string) string {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		log.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}
