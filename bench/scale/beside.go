package main

import (
	"bufio"
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

	"memsync"
	"memsync/bench/gen"
	"memsync/bench/measure"
)

// grep is 50 queries, ours as the keeper answers them, and the first word of
// each as people look for it in files.
func grep(st *sample) {
	k := open(st.dir)
	defer k.Close()
	texts := make([]string, st.n)
	for i := range texts {
		data, err := os.ReadFile(filepath.Join(st.dir, string(gen.Path(i, gen.Ours))))
		measure.Check(err)
		texts[i] = strings.ToLower(string(data))
	}
	look := func(word string, args ...string) time.Duration {
		var out string
		took := measure.Timed(func() { out = run(st.dir, append(args, word, "memory")...) })
		found, there := 0, 0
		for p := range strings.Lines(out) {
			if _, ok := st.numbers[memsync.Path(strings.TrimSpace(p))]; ok { // and not MEMORY.md
				found++
			}
		}
		for _, t := range texts {
			if strings.Contains(t, word) {
				there++
			}
		}
		if found != there {
			log.Fatalf("%v found %s in %d of %d memories", args, word, found, there)
		}
		return took
	}
	_, err := exec.LookPath("rg")
	if err != nil {
		fmt.Println("note rg is not installed; search_vs_rg_10k was not measured")
	}
	var ours, rg, gnu []time.Duration
	for i, q := range st.queries(warmUp + 50) {
		took := k.answer(st, q)
		if i < warmUp {
			continue
		}
		ours = append(ours, took)
		if err == nil {
			rg = append(rg, look(q.words[0], "rg", "-il"))
		}
		gnu = append(gnu, look(q.words[0], "grep", "-ril"))
	}
	if err == nil {
		measure.Figure("search_vs_rg_10k", measure.Ratio(ours, rg), "ratio")
	}
	measure.Figure("search_vs_grep_10k", measure.Ratio(ours, gnu), "ratio")
}

// owner is a running `memsync up`.
type owner struct{ *exec.Cmd }

// up starts it and waits until it says that it is ready.
func up(bin, dir string) owner {
	cmd := exec.Command(bin, "up")
	cmd.Dir = dir
	stderr, err := cmd.StderrPipe()
	measure.Check(err)
	measure.Check(cmd.Start())
	defer time.AfterFunc(patience, func() { cmd.Process.Kill() }).Stop()
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if strings.Contains(lines.Text(), ": watching ") {
			go io.Copy(os.Stderr, stderr)
			return owner{cmd}
		}
		log.Print(lines.Text())
	}
	log.Fatal("memsync up ended before it was ready")
	return owner{}
}

func (o owner) stop() {
	measure.Check(o.Process.Signal(syscall.SIGTERM))
	measure.Check(o.Wait())
}

// complete makes sure that the owner's index has all memories, and that it is
// the owner who says so.
func (o owner) complete(bin string, st *sample) {
	var is struct {
		Index index     `json:"index"`
		Watch *struct{} `json:"watch"` // only an owner has it
	}
	ask(st.dir, &is, bin, "status", "--json")
	if is.Watch == nil || !is.Index.complete(st.n) {
		log.Fatalf("the owner of %d memories: %+v", st.n, is)
	}
}

// throughOwner is the same command where another process owns the store.
func throughOwner(bin string, st *sample) {
	o := up(bin, st.dir)
	defer o.stop()
	commands(bin, st, 5)
	o.complete(bin, st)
	measure.Figure("search_cli_p50_ms", measure.MS(measure.Median(commands(bin, st, 30))), "ms")
}

// rest is the memory of an owner that has the whole index, has answered a few
// searches and has nothing more to do. It is asked how it stands only
// afterwards: a status looks at everything, and what that takes is given back
// later than this.
func rest(bin string, st *sample) {
	o := up(bin, st.dir)
	defer o.stop()
	commands(bin, st, 5)
	time.Sleep(30 * time.Second)
	measure.Figure("idle_rss_search_mb", rss(o.Process.Pid), "MB")
	o.complete(bin, st)
}

func rss(pid int) float64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	measure.Check(err)
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			measure.Check(err)
			return kb / 1024
		}
	}
	log.Fatal("a process without a size")
	return 0
}
