package join

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"memsync"
	"memsync/controller/merge"
	"memsync/internal/config"
	"memsync/internal/format"
	"memsync/internal/ledger"
)

var simSeed = flag.Uint64("sim.seed", 0, "replay the one history of this seed")

// sync.convergence, sync.no_resurrection and the laws of joining: clones that
// edit, rename, delete and forget what they like, and exchange commits through
// one remote in any order, late, repeatedly or not for a while, end at one
// commit, without a person. No line is lost, nothing forgotten returns, every
// file reads, MEMORY.md is what a plan would make of it, and nobody pushes in a
// circle.
func TestAcceptance_sync_convergence(t *testing.T) {
	if *simSeed != 0 {
		simulate(t, *simSeed)
		return
	}
	var next atomic.Uint64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for seed := next.Add(1); seed <= histories && !t.Failed(); seed = next.Add(1) {
				simulate(t, seed)
			}
		})
	}
	wg.Wait()
	t.Logf("%d joins, %d of them over several bases; conflicts by kind: %v", seenJoins.all, seenJoins.crossed, seenJoins.kinds)
	for _, kind := range []string{merge.Body, merge.Scalar, merge.DeleteEdit, merge.ForgetEdit, merge.Rename, merge.SameKey} {
		if seenJoins.kinds[kind] == 0 {
			t.Errorf("no history had a conflict of kind %s: they prove too little", kind)
		}
	}
	if seenJoins.crossed == 0 {
		t.Error("no join had several bases: they prove too little")
	}
}

// seenJoins is what the histories were made of.
var seenJoins = struct {
	sync.Mutex
	all, crossed int
	kinds        map[string]int
}{kinds: map[string]int{}}

// world is one history.
type world struct {
	*memory
	t      testing.TB
	seed   uint64
	r      *rand.Rand
	remote string
	seen   []string // where the remote ever was
	clones []*clone
	clock  time.Time
	n      int // of tokens, ids, events

	dropped   map[string]bool       // tokens that somebody deleted on purpose
	owner     map[string]memsync.ID // tokens of memories
	forgotten map[memsync.ID]bool
}

type clone struct {
	name string
	head string
	skew time.Duration
}

func simulate(t testing.TB, seed uint64) {
	w := &world{memory: newMemory(), t: t, seed: seed, r: rand.New(rand.NewPCG(seed, 7)), clock: day0,
		dropped: map[string]bool{}, owner: map[string]memsync.ID{}, forgotten: map[memsync.ID]bool{}}
	root := w.digested(w.tree(nil, "memsync.toml", "format = 1\n", "agents/r/AGENT.md", "# R\n", "note.txt", "note\n",
		"memory/user_first.md", memo(string(w.id()), "First", w.line("")+"\n\n"+w.line("")+"\n\n"+w.line("")), "memory/plain.md", "- "+w.line("")+"\n"), "")
	w.remote = w.commit(root, w.clock)
	w.seen = []string{w.remote}
	for i := range 3 + w.r.IntN(3) {
		w.clones = append(w.clones, &clone{fmt.Sprintf("clone%d", i), w.remote, time.Duration(w.r.IntN(7)-3) * time.Hour})
	}
	for range 10 + w.r.IntN(15) {
		c := w.clones[w.r.IntN(len(w.clones))]
		if w.r.IntN(5) < 3 {
			w.edit(c)
		} else {
			w.sync(c, w.source(c))
		}
	}
	w.settle()
	w.check()
}

func (w *world) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Errorf("seed %d (go test -run sync_convergence -sim.seed=%d): "+format, append([]any{w.seed, w.seed}, args...)...)
}

// source is what a clone fetches: the remote, an old state of it (a fetch that
// was long ago), or what another clone has and nobody else yet.
func (w *world) source(c *clone) string {
	switch w.r.IntN(4) {
	case 0:
		return w.seen[w.r.IntN(len(w.seen))]
	case 1:
		return w.clones[w.r.IntN(len(w.clones))].head
	}
	return w.remote
}

// sync joins what was fetched, and pushes.
func (w *world) sync(c *clone, tip string) {
	switch {
	case w.ancestors(c.head)[tip]:
	case w.ancestors(tip)[c.head]:
		c.head = tip
	default:
		before := w.tokens(w.commits[c.head].tree)
		maps.Copy(before, w.tokens(w.commits[tip].tree))
		r := w.memory.join(w.t, c.head, tip)
		bases, _ := w.Bases([]string{c.head}, []string{tip})
		c.head = w.land(r)
		seenJoins.Lock()
		seenJoins.all++
		if len(bases) > 1 {
			seenJoins.crossed++
		}
		for _, k := range r.Conflicts {
			seenJoins.kinds[k.Kind]++
		}
		seenJoins.Unlock()
		w.noneLost(before, r.Tree, "joining "+strings.Join(r.Parents, " and "))
	}
	if w.ancestors(c.head)[w.remote] && c.head != w.remote { // else the push is rejected
		w.remote = c.head
		w.seen = append(w.seen, c.head)
	}
}

// settle lets every clone sync until all are at one commit.
func (w *world) settle() {
	for range 3 {
		for _, i := range w.r.Perm(len(w.clones)) {
			w.sync(w.clones[i], w.remote)
		}
	}
	for _, c := range w.clones {
		if c.head != w.remote {
			w.fail("%s is at %s, the remote at %s", c.name, c.head, w.remote)
		}
	}
	all := len(w.commits)
	for _, c := range w.clones {
		w.sync(c, w.remote)
	}
	if len(w.commits) != all {
		w.fail("they push in a circle")
	}
}

var tokenPattern = regexp.MustCompile(`t[0-9]+x`)

func (w *world) tokens(t Tree) map[string]bool {
	out := map[string]bool{}
	for p := range t {
		for _, tok := range tokenPattern.FindAllString(w.text(t, string(p)), -1) {
			out[tok] = true
		}
	}
	return out
}

// noneLost: what was there still is, or somebody took it away on purpose.
func (w *world) noneLost(before map[string]bool, t Tree, when string) {
	now := w.tokens(t)
	for tok := range before {
		if !now[tok] && !w.dropped[tok] && !w.forgotten[w.owner[tok]] {
			w.fail("%s lost %s", when, tok)
		}
	}
}

func (w *world) check() {
	t := w.commits[w.remote].tree
	all := map[string]bool{}
	for i := range w.n {
		all[fmt.Sprintf("t%dx", i)] = true
	}
	made := map[string]bool{} // tokens that a commit ever had
	for _, c := range w.commits {
		maps.Copy(made, w.tokens(c.tree))
	}
	maps.DeleteFunc(all, func(tok string, _ bool) bool { return !made[tok] })
	w.noneLost(all, t, "the history")
	for tok := range w.tokens(t) {
		if id := w.owner[tok]; w.forgotten[id] {
			w.fail("%s of the forgotten %s is back", tok, id)
		}
	}
	for p := range t {
		data := []byte(w.text(t, string(p)))
		switch {
		case strings.HasPrefix(string(p), "memory/") && format.Classify(p.Rel("memory")) == format.MemoryFile:
			if _, err := format.Parse(data, memsync.DefaultLimits()); err != nil {
				w.fail("%s does not parse: %v\n%s", p, err, data)
			}
		case p == PolicyFile:
			if _, err := config.Parse(data); err != nil {
				w.fail("%s: %v\n%s", p, err, data)
			}
		case strings.HasSuffix(string(p), ".jsonl"):
			if _, findings := ledger.Parse(p, data); len(findings) > 0 {
				w.fail("%s: %v", p, findings)
			}
		}
	}
	if again := w.digested(t, w.remote); !maps.Equal(again, t) {
		w.fail("MEMORY.md is no fixed point:\n%s\n%s", w.text(t, "memory/MEMORY.md"), w.text(again, "memory/MEMORY.md"))
	}
	if w.t.Failed() {
		return
	}
}

// digested is a tree with the MEMORY.md and pages that a plan would write.
func (m *memory) digested(t Tree, head string) Tree {
	p := &point{tree: t}
	if head != "" {
		p.heads, p.time = []string{head}, m.commits[head].time
	}
	j := newJoiner(&folder{h: m, fresh: map[string][]byte{}}, p, p, p, false)
	j.diff()
	for _, step := range []func() error{j.joinPolicy, j.joinLedgers} {
		if err := step(); err != nil {
			panic(err)
		}
	}
	j.touched = []memsync.Path{PolicyFile}
	if err := j.derive(); err != nil {
		panic(err)
	}
	for _, data := range j.fresh {
		m.put(data)
	}
	return j.out
}

func (w *world) id() memsync.ID {
	w.n++
	return memsync.MakeID(w.clock, [10]byte{byte(w.r.IntN(256)), byte(w.n >> 8), byte(w.n)})
}

// line is a text that stands nowhere else.
func (w *world) line(of memsync.ID) string {
	w.n++
	tok := fmt.Sprintf("t%dx", w.n)
	if of != "" {
		w.owner[tok] = of
	}
	return "Says " + tok + "."
}

// edit makes a commit of one to three changes.
func (w *world) edit(c *clone) {
	w.clock = w.clock.Add(time.Duration(1+w.r.IntN(50)) * time.Minute)
	before := w.commits[c.head].tree
	t := maps.Clone(before)
	for range 1 + w.r.IntN(3) {
		t = w.change(c, t)
	}
	t = w.digested(t, c.head)
	now := w.tokens(t)
	for tok := range w.tokens(before) {
		if !now[tok] {
			w.dropped[tok] = true
		}
	}
	c.head = w.commit(t, w.clock.Add(c.skew), c.head)
}

// memories are those of a tree that a person would edit.
func (w *world) memories(t Tree) []string {
	var out []string
	for p := range t {
		if p.In("memory") && format.Classify(p.Rel("memory")) == format.MemoryFile {
			out = append(out, string(p))
		}
	}
	slices.Sort(out)
	return out
}

func idOf(text string) memsync.ID {
	if doc, err := format.Parse([]byte(text), memsync.DefaultLimits()); err == nil {
		if v, ok := doc.Get("id"); ok {
			return memsync.ID(v.Text)
		}
	}
	return ""
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func (w *world) change(c *clone, t Tree) Tree {
	list := w.memories(t)
	p, text := "", ""
	var id memsync.ID
	if len(list) > 0 {
		p = list[w.r.IntN(len(list))]
		text = w.text(t, p)
		id = idOf(text)
	}
	switch n := w.r.IntN(20); {
	case n < 3 || p == "":
		id := w.id()
		slug := pick(w.r, "a", "b", "c", "D", "d")
		p := pick(w.r, "memory/user_", "memory/sub/user_") + slug + ".md"
		if _, taken := t[memsync.Path(p)]; taken {
			return t
		}
		keys := []string{"tags: [x, y]"}
		if w.r.IntN(4) == 0 {
			keys = append(keys, "key: one-fact")
		}
		return w.tree(t, p, memo(string(id), strings.ToUpper(slug), w.line(id)+"\n\n"+w.line(id)+"\n\n"+w.line(id), keys...))
	case n < 9: // a line of a body
		head, body, ok := strings.Cut(text, "\n---\n")
		if !ok {
			head, body = "", text
		} else {
			head += "\n---\n"
		}
		lines := strings.Split(strings.TrimRight(body, "\n"), "\n")
		i := w.r.IntN(len(lines))
		switch w.r.IntN(4) {
		case 0:
			lines = append(lines, "", w.line(id))
		case 1:
			lines = slices.Insert(lines, i, w.line(id))
		case 2:
			if i > 0 {
				lines[i] = w.line(id)
			}
		case 3:
			if i > 0 && len(lines) > 2 {
				lines = slices.Delete(lines, i, i+1)
			}
		}
		return w.tree(t, p, head+strings.Join(lines, "\n")+"\n")
	case n < 12: // the header
		doc, err := format.Parse([]byte(text), memsync.DefaultLimits())
		if err != nil || id == "" {
			return t
		}
		switch w.r.IntN(4) {
		case 0:
			doc, err = doc.Set("description", memsync.Text(w.line(id)))
		case 1:
			doc, err = doc.Set("hook", memsync.Text(w.line(id)))
		case 2:
			doc, err = doc.Set("tags", memsync.List(pick(w.r, "x", "y", "z"), fmt.Sprint("tag", w.r.IntN(9))))
		case 3:
			doc, err = doc.Set("uses", memsync.Text(fmt.Sprint(w.r.IntN(99))))
		}
		if err != nil {
			return t
		}
		return w.tree(t, p, string(doc.Bytes()))
	case n < 14: // rename
		to := pick(w.r, "memory/user_", "memory/moved/user_") + pick(w.r, "a", "b", "e", "f", "g") + ".md"
		if _, taken := t[memsync.Path(to)]; taken || id == "" {
			return t
		}
		return w.tree(t, p, gone, to, text)
	case n < 15: // delete
		return w.event(c, w.tree(t, p, gone), memsync.LedgerDelete, id)
	case n < 16: // forget
		if id == "" {
			return t
		}
		w.forgotten[id] = true
		pairs := []string{p, gone}
		for q := range t {
			if strings.HasPrefix(q.Base(), string(id)) || idOf(w.text(t, string(q))) == id {
				pairs = append(pairs, string(q), gone)
			}
		}
		return w.event(c, w.tree(t, pairs...), memsync.LedgerForget, id)
	case n < 17:
		return w.event(c, t, memsync.LedgerLink, id)
	case n < 18: // beside memories
		p := pick(w.r, "agents/r/AGENT.md", "note.txt", "memory/plain.md", "memory/REVIEW.md")
		old := w.text(t, p)
		if old == gone {
			old = ""
		}
		return w.tree(t, p, old+pick(w.r, "", "\n")+w.line("")+"\n")
	case n < 19: // MEMORY.md and the policy
		if w.r.IntN(2) == 0 {
			toml := w.text(t, "memsync.toml")
			if out, err := config.Set([]byte(toml), pick(w.r, "limits.body_lines", "deletes.hold_files", "limits.description_chars"), fmt.Sprint(100+w.r.IntN(100))); err == nil {
				toml = string(out)
			}
			return w.tree(t, "memsync.toml", toml)
		}
		index := w.text(t, "memory/MEMORY.md")
		if index == gone {
			index = ""
		}
		return w.tree(t, "memory/MEMORY.md", pick(w.r, "# Mine\n\n", "")+w.line("")+"\n\n"+index)
	default: // a conflict is resolved
		for _, q := range slices.Sorted(maps.Keys(t)) {
			if q.In("memory/_system/conflicts") {
				return w.tree(t, string(q), gone)
			}
		}
		return t
	}
}

func (w *world) event(c *clone, t Tree, op memsync.LedgerOp, id memsync.ID) Tree {
	if id == "" {
		return t
	}
	file := "memory/_system/ledger/2026-03." + c.name + ".jsonl"
	old := w.text(t, file)
	if old == gone {
		old = ""
	}
	e := memsync.LedgerEvent{ID: w.id(), Op: op, Memory: id, At: w.clock, Actor: memsync.Actor{Class: memsync.ClassPerson}}
	return w.tree(t, file, string(ledger.Append([]byte(old), e)))
}
