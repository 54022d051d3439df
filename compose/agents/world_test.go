package agents

import (
	"fmt"
	"slices"
	"time"

	"memsync"
	"memsync/internal/format"
	"memsync/internal/ledger"
)

const harborFile = `---
name: harbor
persona: {identity: a release coordinator}
judgments:
  - domain: release-review
    heuristics: [Read the changelog before the diff.]
    constraints: [Never approve a release without a rollback note.]
background: {conventions: {branch: main}, currentState: {}}
learn: {n: 2, per_day: 4}
---
`

// bay has one slot that harbor has not, and asks for more evidence.
const bayFile = `---
name: bay
judgments:
  - domain: release-review
  - domain: triage
background: {conventions: {}}
learn: {n: 3, sections: {conventions: guarded}}
---
`

var global = memsync.Scope{Kind: memsync.Global, Dir: "memory", System: "memory", Writers: memsync.People, Identity: memsync.Inline, MemoryMD: memsync.Region}

func day(n int) time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, n) }

// failing is what a test of either kind can do.
type failing interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// world is a store in the making.
type world struct {
	t        failing
	scope    memsync.Scope
	authors  []Author
	memories []Memory
	approved map[memsync.Path]Approved
	events   []ledger.Located
	now      time.Time
	drawn    int
	model    memsync.FromModel
}

func newWorld(t failing, files ...string) *world {
	w := &world{t: t, scope: global, approved: map[memsync.Path]Approved{}, now: day(30)}
	for _, f := range files {
		name := map[string]string{harborFile: "harbor", bayFile: "bay"}[f]
		w.authors = append(w.authors, ReadAuthor(memsync.Path("agents/"+name+"/AGENT.md"), []byte(f)))
		if a := w.authors[len(w.authors)-1]; a.Err != nil {
			t.Fatal(a.Err)
		}
	}
	return w
}

// draw makes ids that grow, after those of the memories.
func (w *world) draw() memsync.ID {
	w.drawn++
	return memsync.MakeID(w.now.Add(time.Duration(w.drawn)*time.Millisecond), [10]byte{byte(w.drawn >> 8), byte(w.drawn)})
}

// memory adds or replaces the n-th memory.
func (w *world) memory(n int, target, body string, conversations ...string) memsync.ID {
	id := memsync.MakeID(day(n), [10]byte{9: byte(n)})
	text := fmt.Sprintf("---\nid: %s\nname: m%d\ntype: feedback\n", id, n)
	if target != "" {
		text += "target: " + target + "\n"
	}
	if len(conversations) > 0 {
		text += "provenance: {source_sessions: [" + conversations[0] + "]}\n"
	}
	text += "---\n\n" + body + "\n"
	p := memsync.Path(fmt.Sprintf("memory/feedback_m%d.md", n))
	doc, err := format.Parse([]byte(text), memsync.DefaultLimits())
	if err != nil {
		w.t.Fatal(err)
	}
	m := Memory{Memory: format.Describe(doc, p, w.scope), Wants: WantsOf(format.Describe(doc, p, w.scope), doc.Body())}
	w.memories = slices.DeleteFunc(w.memories, func(o Memory) bool { return o.ID == id })
	w.memories = append(w.memories, m)
	return id
}

func (w *world) event(e memsync.LedgerEvent) memsync.ID {
	if e.ID == "" {
		e.ID = w.draw()
	}
	if e.At.IsZero() {
		e.At = w.now
	}
	w.events = append(w.events, ledger.Located{LedgerEvent: e, Scope: w.scope.Dir})
	return e.ID
}

func (w *world) support(id memsync.ID, conversations ...string) {
	for _, c := range conversations {
		w.event(memsync.LedgerEvent{Op: memsync.LedgerCorroborate, Memory: id, Conversation: c, Actor: memsync.Actor{Class: memsync.ClassAgent}})
	}
}

func (w *world) store() *Store {
	list := make([]*memsync.Memory, len(w.memories))
	for i := range w.memories {
		list[i] = w.memories[i].Memory
	}
	in := Input{View: memsync.NewView(memsync.Revision{}, []memsync.Scope{w.scope}, list), Authors: w.authors, Memories: w.memories,
		State: ledger.Fold(w.events), Now: w.now, FromModel: w.model}
	for _, a := range w.approved {
		in.Approved = append(in.Approved, a)
	}
	return New(in)
}

// settle takes effects until there are none, and returns them.
func (w *world) settle() (all []Effect) {
	w.t.Helper()
	out := w.store().Effects(w.draw)
	for _, x := range out {
		w.event(x.Event)
		if x.Path != "" {
			a, ok := ReadApproved(x.Path, x.Bytes)
			if !ok {
				w.t.Fatalf("the snapshot %s does not read back", x.Path)
			}
			w.approved[x.Path] = a
		}
	}
	if again := w.store().Effects(w.draw); len(again) > 0 {
		w.t.Fatalf("effects after effects: %+v", again[0].Event)
	}
	return out
}

func (w *world) answer(id memsync.ID, deny bool) {
	w.t.Helper()
	s := w.store()
	for _, q := range s.Waiting("") {
		if q.Memory.ID != id {
			continue
		}
		for _, e := range s.Answer(q, deny) {
			e.Actor = memsync.Actor{Class: memsync.ClassPerson}
			w.event(e)
		}
		return
	}
	w.t.Fatalf("nothing waits of %s", id)
}

func (w *world) prompt(agent string) string {
	w.t.Helper()
	c, ok := w.store().Compose(agent)
	if !ok {
		w.t.Fatalf("no agent %s", agent)
	}
	return c.Prompt()
}

// standing is what the gate says of a memory, with promoted ones as "promoted".
func (w *world) standing(agent string, id memsync.ID) string {
	for _, x := range w.store().Candidates(agent) {
		if x.Memory.ID == id {
			if x.Verdict.Why == "" {
				return string(x.Verdict.Do)
			}
			return string(x.Verdict.Why)
		}
	}
	return "absent"
}

const (
	conventions = "{primitive: background, section: conventions, key: deploy day}"
	heuristics  = "{primitive: judgment, domain: release-review, slot: heuristics}"
	constraints = "{primitive: judgment, domain: release-review, slot: constraints}"
	triage      = "{primitive: judgment, domain: triage, slot: heuristics}"
)
