// Command compose measures composition: a prompt of 1,000 promoted memories
// beside `cat` of the same files, the fold of 100,000 events, what it adds to an
// edit in a store of 10,000 memories, and the time from a tick in REVIEW.md to the
// prompt.
package main

import (
	"context"
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
	"memsync/compose"
	"memsync/internal/ledger"
	"memsync/internal/store"
	"memsync/keeper"
)

const seed = 7

func main() {
	r := measure.Start("compose", "overlay, fold, edit, tick")
	defer r.End()
	bin, scratch, want := r.Bin, r.Scratch, r.Want
	if want("overlay") {
		overlay(filepath.Join(scratch, "cat"))
	}
	if want("fold") {
		fold()
	}
	if want("edit") {
		edits(bin, filepath.Join(scratch, "edit"))
	}
	if want("tick") {
		ticks(bin, filepath.Join(scratch, "tick"))
	}
}

const author = `---
name: bench
judgments: [{domain: review}]
background: {conventions: {}, currentState: {}}
learn: {per_day: 1000, budgets: {background: 99000, awareness: 99000, judgment: 99000, example: 99000, recovery: 99000, manual: 99000, ceiling: 99000}}
---
`

// sentence is the i-th thing learned; no two say nearly the same.
func sentence(i int) string {
	words := strings.Fields("amber basil cedar delta ember fjord grove heath inlet jetty knoll larch mango north otter pearl quill ridge slate thorn umber vapor wheat xenon yucca zebra acorn birch coral dunes")
	at := func(n int) string { return words[(i*n+i/len(words))%len(words)] + fmt.Sprint(i*n%97) }
	return fmt.Sprintf("The %s of %s goes to %s before %s, and %s waits for it.", at(1), at(7), at(11), at(13), at(17))
}

// overlay composes 1,000 promoted memories, and lets cat put 1,000 files together.
func overlay(dir string) {
	agent, err := compose.ParseAgent("agents/bench/AGENT.md", []byte(author))
	measure.Check(err)
	var learned []compose.Learned
	measure.Check(os.MkdirAll(dir, 0o755))
	cat := exec.Command("cat")
	for i := range 1000 {
		at := time.Date(2026, 3, 1, 0, i*7919%1000, 0, 0, time.UTC)
		t := compose.Target{Primitive: compose.BackgroundSlot, Section: "conventions", Key: fmt.Sprint("fact ", i)}
		if i%2 == 1 {
			t = compose.Target{Primitive: compose.JudgmentSlot, Domain: "review", Slot: "heuristics"}
		}
		learned = append(learned, compose.Learned{ID: memsync.MakeID(at, [10]byte{byte(i >> 8), byte(i)}), Snapshot: compose.Snapshot{Target: t, Text: sentence(i)},
			Supports: 2, Created: at})
		name := filepath.Join(dir, fmt.Sprintf("%d.md", i))
		measure.Check(os.WriteFile(name, []byte("- "+sentence(i)+"\n"), 0o644))
		cat.Args = append(cat.Args, name)
	}
	var ours, theirs []time.Duration
	for range 50 {
		ours = append(ours, measure.Timed(func() {
			c, r := compose.Overlay(agent, learned)
			if len(r.Applied) != len(learned) {
				log.Fatalf("%d applied", len(r.Applied))
			}
			compose.Prompt(compose.Render(c))
		}))
		theirs = append(theirs, measure.Timed(func() {
			c := exec.Command(cat.Path, cat.Args[1:]...)
			_, err := c.Output()
			measure.Check(err)
		}))
	}
	measure.Figure("overlay_1000_ms", measure.MS(measure.Median(ours)), "ms")
	measure.Figure("cat_1000_ms", measure.MS(measure.Median(theirs)), "ms")
}

// fold folds 100,000 events of 5,000 memories and judges each.
func fold() {
	const memories, n = 5000, 100_000
	events := make([]memsync.LedgerEvent, n)
	hash := memsync.HashOf([]byte("a snapshot"))
	for i := range events {
		at := time.Date(2026, 3, 1+i%300, 0, 0, 0, 0, time.UTC)
		e := memsync.LedgerEvent{ID: ledger.DerivedID(at, fmt.Sprint(i)), Op: memsync.LedgerCorroborate, At: at, Actor: memsync.Actor{Class: memsync.ClassAgent, Name: "a"},
			Memory: ledger.DerivedID(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), fmt.Sprint(i%memories)), Conversation: fmt.Sprint("c-", i%977)}
		switch i / memories {
		case 5:
			e.Op, e.Conversation, e.Hash = memsync.LedgerPromote, "", hash
		case 6:
			e.Op = memsync.LedgerContradict
		}
		events[i] = e
	}
	located := ledger.Locate("memory", "memory/_system/ledger/2026-03.c.jsonl", events)
	var all []time.Duration
	for range 9 {
		all = append(all, measure.Timed(func() {
			state := ledger.Fold(located)
			for m := range memories {
				id := events[m].Memory
				st := compose.Judge(compose.Facts{Memory: id, N: 2, Current: hash, Snapshots: map[memsync.Hash]compose.Tier{hash: compose.Earned}}, state.Events(id))
				if st.Promotion == nil {
					log.Fatal("not promoted")
				}
			}
		}))
	}
	measure.Figure("fold_100k_events_ms", measure.MS(measure.Median(all)), "ms")
}

// memory is one that proposes a place.
func memory(i, version int, slot string) []byte {
	target := fmt.Sprintf("{primitive: background, section: conventions, key: fact %d}", i)
	if slot != "" {
		target = "{primitive: judgment, domain: review, slot: " + slot + "}"
	}
	return fmt.Appendf(nil, "---\nname: fact %d\ndescription: fact %d\ntype: project\ntarget: %s\n---\n\n%s Version %d.\n", i, i, target, sentence(i), version)
}

// edits times one saved edit in a store of 10,000 memories: in one without an
// agent, and in one whose agent learned 200 of them and keeps its prompt in a file.
func edits(bin, dir string) {
	plain, composed := dir+"-plain", dir+"-composed"
	for _, d := range []string{plain, composed} {
		measure.Check(gen.Store(d, 10_000, gen.Ours, seed))
		for i := range 200 {
			measure.Check(os.MkdirAll(filepath.Join(d, "memory"), 0o755))
			measure.Check(os.WriteFile(filepath.Join(d, "memory", fmt.Sprintf("project_fact-%d.md", i)), memory(i, 0, ""), 0o644))
		}
		if d == composed {
			measure.Check(os.MkdirAll(filepath.Join(d, "agents/bench"), 0o755))
			measure.Check(os.WriteFile(filepath.Join(d, "agents/bench/AGENT.md"), []byte(author), 0o644))
		}
		run(d, bin, "up", "--once")
	}
	run(composed, bin, "compose", "bench", "--into", "AGENTS.md")
	a, b := open(plain), open(composed)
	defer a.Close()
	defer b.Close()
	var without, beside, plainly, learned []time.Duration
	save := func(k *keeper.Keeper, d string, name string, content []byte) time.Duration {
		p := memsync.Path("memory").Join(name)
		measure.Check(os.WriteFile(filepath.Join(d, string(p)), content, 0o644))
		return measure.Timed(func() {
			_, err := k.Once(context.Background(), keeper.OnceOptions{Only: []memsync.Path{p}})
			measure.Check(err)
		})
	}
	for i := range 120 {
		at := i * 7919 % 10_000
		name, content := string(gen.Path(at, gen.Ours).Rel("memory")), gen.Memory(at, 1, seed)
		without = append(without, save(a, plain, name, content))
		beside = append(beside, save(b, composed, name, content))
		name = fmt.Sprintf("project_fact-%d.md", i)
		plainly = append(plainly, save(a, plain, name, memory(i, 1, "")))
		learned = append(learned, save(b, composed, name, memory(i, 1, "")))
	}
	data, err := os.ReadFile(filepath.Join(composed, "AGENTS.md"))
	measure.Check(err)
	if n := strings.Count(string(data), "Version 1."); n != 120 {
		log.Fatalf("%d of 120 edits are in the prompt", n)
	}
	measure.Figure("edit_without_agents_ms", measure.MS(measure.Median(without)), "ms")
	measure.Figure("edit_beside_agents_ms", measure.MS(measure.Median(beside)), "ms")
	measure.Figure("compose_on_edit_ms", measure.MS(measure.Median(beside)-measure.Median(without)), "ms")
	measure.Figure("edit_of_a_learned_memory_ms", measure.MS(measure.Median(learned)), "ms")
	measure.Figure("learned_on_edit_ms", measure.MS(measure.Median(learned)-measure.Median(plainly)), "ms")
}

func open(dir string) *keeper.Keeper {
	s, err := store.Find(dir)
	measure.Check(err)
	k, err := keeper.Open(context.Background(), s, keeper.Options{})
	measure.Check(err)
	_, err = k.Once(context.Background(), keeper.OnceOptions{})
	measure.Check(err)
	return k
}

// ticks times a tick in an editor, while `memsync up` runs, until the prompt in a
// file that people load has the line.
func ticks(bin, dir string) {
	const rounds = 30
	run("", bin, "init", "--dedicated", dir)
	measure.Check(os.MkdirAll(filepath.Join(dir, "agents/bench"), 0o755))
	measure.Check(os.WriteFile(filepath.Join(dir, "agents/bench/AGENT.md"), []byte(author), 0o644))
	for i := range rounds {
		measure.Check(os.WriteFile(filepath.Join(dir, "memory", fmt.Sprintf("project_rule-%d.md", i)), rule(i), 0o644))
	}
	run(dir, bin, "up", "--once")
	run(dir, bin, "compose", "bench", "--into", "AGENTS.md")
	up := exec.Command(bin, "up")
	up.Dir = dir
	said, err := up.StderrPipe()
	measure.Check(err)
	measure.Check(up.Start())
	buf := make([]byte, 4096)
	for ready := ""; !strings.Contains(ready, ": watching "); {
		n, err := said.Read(buf)
		measure.Check(err)
		ready += string(buf[:n])
	}
	review, prompt := filepath.Join(dir, "memory/REVIEW.md"), filepath.Join(dir, "AGENTS.md")
	var all []time.Duration
	for range rounds {
		data, err := os.ReadFile(review)
		measure.Check(err)
		before, err := os.ReadFile(prompt)
		measure.Check(err)
		measure.Check(os.WriteFile(review, []byte(strings.Replace(string(data), "[ ] approve", "[x] approve", 1)), 0o644))
		began := time.Now()
		for {
			now, err := os.ReadFile(prompt)
			measure.Check(err)
			if len(now) > len(before) {
				break
			}
			time.Sleep(time.Millisecond)
		}
		all = append(all, time.Since(began))
		for { // until REVIEW.md is the next question
			now, err := os.ReadFile(review)
			if err != nil || !strings.Contains(string(now), "[x]") {
				break
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(150 * time.Millisecond) // a person looks at the next one
	}
	measure.Check(up.Process.Signal(os.Interrupt))
	up.Wait()
	measure.Figure("tick_to_prompt_p50_ms", measure.MS(measure.Median(all)), "ms")
	measure.Figure("tick_to_prompt_p99_ms", measure.MS(measure.Quantile(all, 0.99)), "ms")
}

// rule is the i-th rule that asks for a person; no two are alike.
func rule(i int) []byte {
	words := []string{"amber", "basil", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty", "knoll", "larch", "mango", "north", "otter", "pearl",
		"quill", "ridge", "slate", "thorn", "umber", "vapor", "wheat", "xenon", "yucca", "zebra", "acorn", "birch", "coral", "dunes"}
	w := words[i%len(words)]
	return fmt.Appendf(nil, "---\nname: rule %s\ndescription: rule %s\ntype: project\ntarget: {primitive: judgment, domain: review, slot: constraints}\n---\n\nNever touch the %s %s%s of %s.\n", w, w, w, w, w, w)
}

func run(dir, bin string, args ...string) {
	cmd := exec.Command(bin, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		log.Fatalf("memsync %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
