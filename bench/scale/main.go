// Command scale measures search on stores of 1,000, 10,000 and 100,000
// memories: how long until the index is made, until a change is found, until a
// query is answered, and what it costs to have it, beside what people would use
// instead (rg, grep, SQLite's FTS5), in one run. On copies of generated stores;
// whatever is measured must also have found what it should.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os/exec"
	"path/filepath"
	"time"

	"memsync/bench/gen"
	"memsync/bench/measure"
)

const seed = 7

// patience is how long any one thing may take: what hangs fails.
const patience = 10 * time.Minute

func main() {
	big := flag.Bool("100k", true, "measure 100,000 memories too")
	r := measure.Start("scale", "build, update, save, search, grep, warm, cli, rest")
	defer r.End()
	bin, scratch, want := r.Bin, r.Scratch, r.Want
	stores := &stores{bin: bin, scratch: scratch, made: map[int]*sample{}}
	sizes := []int{1_000, 10_000}
	if *big {
		sizes = append(sizes, 100_000)
	}

	if want("build") {
		for _, n := range sizes {
			build(bin, stores.of(n))
		}
	}
	if want("search") {
		searches(scratch, stores.indexed(10_000))
		if *big {
			manySearches(stores.indexed(100_000))
		}
	}
	if want("grep") {
		grep(stores.indexed(10_000))
	}
	if want("warm") {
		measure.Figure("warm_start_10k_ms", measure.MS(measure.Median(commands(bin, stores.indexed(10_000), 20))), "ms")
		if *big {
			measure.Figure("warm_start_100k_ms", measure.MS(measure.Median(commands(bin, stores.indexed(100_000), 5))), "ms")
		}
	}
	if want("cli") {
		throughOwner(bin, stores.indexed(10_000))
	}
	if want("rest") {
		rest(bin, stores.indexed(10_000))
	}
	if want("update") {
		updates(stores.indexed(10_000))
	}
	if want("save") {
		saves(stores.indexed(10_000))
	}
}

// sample is one generated store. What the groups do to it changes no word that
// another asks for.
type sample struct {
	*corpus
	dir     string
	indexed bool
}

// stores are made when they are first asked for.
type stores struct {
	bin, scratch string
	made         map[int]*sample
}

// of is the store of n memories, catalog and MEMORY.md up to date.
func (s *stores) of(n int) *sample {
	if st, ok := s.made[n]; ok {
		return st
	}
	dir := filepath.Join(s.scratch, fmt.Sprint(n))
	measure.Check(gen.Store(dir, n, gen.Ours, seed))
	run(dir, s.bin, "up", "--once")
	s.made[n] = &sample{corpus: newCorpus(n), dir: dir}
	return s.made[n]
}

// indexed is the same with its search index.
func (s *stores) indexed(n int) *sample {
	st := s.of(n)
	if !st.indexed {
		rebuild(s.bin, st)
	}
	return st
}

// short is how a figure's name says how many memories there are.
func short(n int) string { return fmt.Sprintf("%dk", n/1000) }

// build makes the index anew in a process that does nothing else: the median of
// three, and of 100,000 memories once.
func build(bin string, st *sample) {
	rounds := 3
	if st.n == 100_000 {
		rounds = 1
	}
	var all []time.Duration
	for range rounds {
		all = append(all, rebuild(bin, st))
	}
	measure.Figure("index_build_"+short(st.n)+"_s", measure.Median(all).Seconds(), "s")
	if st.n == 10_000 {
		measure.Figure("index_disk_10k_mb", sizeOf(filepath.Join(st.dir, ".git", "memsync", "search")), "MB")
	}
}

// rebuild says how long the command says that it took.
func rebuild(bin string, st *sample) time.Duration {
	var made struct {
		Memories int     `json:"memories"`
		Seconds  float64 `json:"seconds"`
	}
	ask(st.dir, &made, bin, "index", "rebuild", "--json")
	var is struct {
		Index index `json:"index"`
	}
	ask(st.dir, &is, bin, "index", "verify", "--json") // it exits 1 when anything is wrong
	if made.Memories != st.n || !is.Index.complete(st.n) || made.Seconds <= 0 {
		log.Fatalf("an index of %d memories: %+v, %+v", st.n, made, is)
	}
	st.indexed = true
	return time.Duration(made.Seconds * float64(time.Second))
}

// index is how an index stands beside the memories, as the commands tell it.
type index struct {
	Exists    bool `json:"exists"`
	Documents int  `json:"documents"`
	Behind    int  `json:"behind"`
}

func (i index) complete(n int) bool { return i.Exists && i.Documents == n && i.Behind == 0 }

// sizeOf is how much the files of a directory hold.
func sizeOf(dir string) float64 {
	var size int64
	measure.Check(filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	}))
	return float64(size) / (1 << 20)
}

// commands search with the built command, another word each time, and every
// answer must have all that there is.
func commands(bin string, st *sample, rounds int) []time.Duration {
	var all []time.Duration
	for _, word := range st.words(rounds) {
		var page struct {
			Hits []struct{} `json:"hits"`
			Page struct {
				Total int `json:"total"`
			} `json:"page"`
		}
		all = append(all, measure.Timed(func() { ask(st.dir, &page, bin, "search", word, "--json") }))
		if total := st.count(query{words: []string{word}}); page.Page.Total != total || len(page.Hits) != min(10, total) {
			log.Fatalf("%s is in %d of %d memories, and the command found %d and printed %d", word, total, st.n, page.Page.Total, len(page.Hits))
		}
	}
	return all
}

func ask(dir string, answer any, args ...string) {
	if out := run(dir, args...); json.Unmarshal([]byte(out), answer) != nil {
		log.Fatalf("%v: no answer is %q", args, out)
	}
}

func run(dir string, args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		var said []byte
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			said = exit.Stderr
		}
		log.Fatalf("%v: %v\n%s%s", args, err, out, said)
	}
	return string(out)
}

func mustBeClean(dir string) {
	if out := run(dir, "git", "status", "--porcelain"); out != "" {
		log.Fatalf("%s is not clean:\n%.500s", dir, out)
	}
}

// eventually waits until something is so.
func eventually(what string, is func() bool) {
	for began := time.Now(); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > patience {
			log.Fatalf("%s: not after %s", what, patience)
		}
	}
}
