package controller

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"strings"
	"time"

	"memsync"
	"memsync/internal/format"
	"memsync/internal/ledger"
	"memsync/internal/text"
)

// tester is what a test, a benchmark and a property have in common.
type tester interface {
	Helper()
	Errorf(string, ...any)
	Fatalf(string, ...any)
}

// world is a store in memory: it fills the facts that Needs names, as a keeper
// does from disk and git, and can take a decision into itself.
type world struct {
	t        tester
	scopes   []memsync.Scope
	policy   memsync.Policy
	now      time.Time
	accepted map[memsync.Path]string
	disk     map[memsync.Path]string // where it differs from accepted
	missing  map[memsync.Path]bool   // accepted, gone from disk
	derived  map[memsync.Path]memsync.ID
	located  []ledger.Located
	attached []Attached
	near     []Neighbour // beside what the table would propose
	exposed  map[memsync.ID]bool

	previous    string
	othersAt    time.Time
	heldBase    string
	guarded     bool
	allGlobal   bool
	headDropped bool
	drawn       int
}

var (
	people = memsync.Scope{Kind: memsync.Global, Dir: "memory", System: "memory", Writers: memsync.People, Identity: memsync.Inline}
	agents = memsync.Scope{Kind: memsync.Agent, Agent: "reviewer", Tier: memsync.TierGlobal, Dir: "agents/reviewer/memory",
		System: "agents/reviewer/memory", Writers: "agent:reviewer", Identity: memsync.Inline}
	space = memsync.Scope{Kind: memsync.Workspace, Dir: "ws/memory", System: "ws/memory", Writers: memsync.People, Identity: memsync.Inline}
	bound = memsync.Scope{Kind: memsync.Workspace, Dir: "bound", System: ".memsync/bound/x", Writers: "agent:claude",
		Identity: memsync.Ledger, Label: "workspace/bound"}

	person  = memsync.Actor{Class: memsync.ClassPerson}
	robot   = memsync.Actor{Class: memsync.ClassAgent, Name: "reviewer"}
	program = memsync.Actor{Class: memsync.ClassProgram}
	start   = time.Date(2026, 4, 12, 14, 32, 11, 0, time.UTC)
)

func newWorld(t tester) *world {
	return &world{
		t: t, scopes: []memsync.Scope{people, agents, space, bound}, policy: memsync.DefaultPolicy(), now: start,
		accepted: map[memsync.Path]string{}, disk: map[memsync.Path]string{}, missing: map[memsync.Path]bool{},
		derived: map[memsync.Path]memsync.ID{}, exposed: map[memsync.ID]bool{},
	}
}

// ulid is a readable, valid id.
func ulid(n int) memsync.ID {
	return memsync.MakeID(start.Add(-time.Hour+time.Duration(n)*time.Second), [10]byte{9: byte(n)})
}

func (w *world) draw() memsync.ID {
	w.drawn++
	return ulid(1000 + w.drawn)
}

func (w *world) state() *ledger.State { return ledger.Fold(w.located) }

func (w *world) event(scope memsync.Scope, e memsync.LedgerEvent) memsync.ID {
	if e.ID == "" {
		e.ID = w.draw()
	}
	e.At = w.now
	w.located = append(w.located, ledger.Located{LedgerEvent: e, Scope: scope.Dir})
	return e.ID
}

func (w *world) view() *memsync.View {
	var ms []*memsync.Memory
	state := w.state()
	for p, content := range w.accepted {
		scope, ok := memsync.ScopeOf(w.scopes, p)
		if !ok {
			continue
		}
		d, err := format.Parse([]byte(content), w.policy.Limits)
		if err != nil {
			continue
		}
		m := format.Describe(d, p, scope)
		Identify(m, w.derived[p], state)
		m.Sketch = text.Sketch(text.Shingles(d.Body()))
		m.Blob = "blob:" + string(p)
		ms = append(ms, m)
	}
	return memsync.NewView(memsync.Revision{}, w.scopes, ms)
}

func (w *world) onDisk(p memsync.Path) (string, bool) {
	if s, ok := w.disk[p]; ok {
		return s, true
	}
	if w.missing[p] {
		return "", false
	}
	s, ok := w.accepted[p]
	return s, ok
}

func (w *world) base() Facts {
	return Facts{Now: w.now, FreshID: w.draw(), View: w.view(), State: w.state(), AllGlobal: w.allGlobal}
}

func (w *world) body(p memsync.Path) string {
	d, err := format.Parse([]byte(w.accepted[p]), w.policy.Limits)
	if err != nil {
		return ""
	}
	return d.Body()
}

func (w *world) fill(f *Facts, s *Subject) {
	n := s.Needs
	if n.Read != "" {
		if c, ok := w.accepted[n.Read]; ok {
			f.Current = []byte(c)
		}
		if c, ok := w.onDisk(n.Read); ok {
			f.Disk = memsync.HashOf([]byte(c))
		}
		f.Guarded = w.guarded
	}
	if len(n.Dirs) > 0 {
		f.Names = map[memsync.Path][]string{}
		for _, dir := range n.Dirs {
			names := []string{}
			for _, p := range append(slices.Collect(maps.Keys(w.accepted)), slices.Collect(maps.Keys(w.disk))...) {
				if _, there := w.onDisk(p); there && p.Dir() == dir && !slices.Contains(names, p.Base()) {
					names = append(names, p.Base())
				}
			}
			sort.Strings(names)
			f.Names[dir] = names
		}
	}
	if n.Vanished {
		for p := range w.missing {
			if m := f.View.ByPath(p); m != nil {
				f.Vanished = append(f.Vanished, Vanished{m, w.body(p)})
			}
		}
		slices.SortFunc(f.Vanished, func(a, b Vanished) int { return strings.Compare(string(a.Memory.Path), string(b.Memory.Path)) })
		f.DerivedID, f.HeadHolds = w.derived[s.Path], w.derived[s.Path] != ""
		f.HeadDropped = w.headDropped
	}
	if n.History {
		if w.previous != "" {
			f.PreviousSave, f.PreviousSaveAt = []byte(w.previous), w.now.Add(-2*time.Hour)
		}
		if w.heldBase != "" {
			f.HeldBase = []byte(w.heldBase)
		}
		f.OthersChangedAt = w.othersAt
	}
	if n.Near != nil {
		f.Near = append(f.Near, w.near...)
		for m := range f.View.InScope(n.Near.Scope) {
			if m.Type == n.Near.Type && m.Path != s.Path {
				f.Near = append(f.Near, Neighbour{Memory: m, Body: w.body(m.Path)})
			}
		}
	}
	f.Exposed = w.exposed
	if n.Attached != "" {
		f.Attached = w.attached
	}
	f.Blob = "b10b"
}

// decide answers a candidate, twice, and checks what holds for every decision.
func (w *world) decide(c memsync.Candidate) memsync.Decision {
	w.t.Helper()
	f := w.base()
	s := Prepare(c, f, w.policy)
	w.fill(&f, s)
	d := s.Decide(f)
	again := Decide(c, f, w.policy)
	if !reflect.DeepEqual(d, again) {
		w.t.Errorf("decided twice, two answers:\n%s\n%s", dump(d), dump(again))
	}
	lawful(w.t, c, d)
	return d
}

func dump(d memsync.Decision) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s scope=%s path=%s from=%s memory=%s other=%s actor=%v\n", d.Op, d.Origin, d.Scope, d.Path, d.From, d.Memory, d.Other, d.Actor)
	for _, r := range d.Reasons {
		fmt.Fprintf(&b, "  reason  %s passed=%v %s %s\n", r.Rule, r.Passed, r.Code, r.Detail)
	}
	for _, f := range d.Findings {
		fmt.Fprintf(&b, "  finding %s %s %s:%d %s\n", f.Code, f.Severity, f.Path, f.Line, f.Message)
	}
	for _, f := range d.Files {
		fmt.Fprintf(&b, "  file    %s base=%.6s post=%.6s %q\n", f.Path, f.Base, f.Post, f.Content)
	}
	for _, e := range d.Events {
		fmt.Fprintf(&b, "  event   %+v\n", e)
	}
	if d.Error != nil {
		fmt.Fprintf(&b, "  error   %+v\n", *d.Error)
	}
	return b.String()
}

// lawful holds for every decision.
func lawful(t tester, c memsync.Candidate, d memsync.Decision) {
	t.Helper()
	bad := func(format string, args ...any) {
		t.Helper()
		t.Errorf(format+"\n%s", append(args, dump(d))...)
	}
	switch d.Op {
	case memsync.OpAdd, memsync.OpUpdate, memsync.OpRename, memsync.OpDelete, memsync.OpAuthored, memsync.OpRecord,
		memsync.OpCorroborate, memsync.OpNoop, memsync.OpHold, memsync.OpReject:
	default:
		bad("no such answer: %q", d.Op)
	}
	if c.Origin.Save() && d.Op == memsync.OpReject {
		bad("law 11: a save was rejected")
	}
	if c.Origin.Save() && d.Op == memsync.OpHold && (len(d.Files) > 0 || len(d.Events) > 0) {
		bad("a held save has file changes or events")
	}
	if d.Op == memsync.OpReject && (len(d.Files) > 0 || len(d.Events) > 0) {
		bad("a rejected write has file changes or events")
	}
	if (d.Op == memsync.OpHold || d.Op == memsync.OpReject) != (d.Error != nil && d.Op != memsync.OpRecord) {
		bad("an error and %s don't go together", d.Op)
	}
	if len(d.Reasons) == 0 {
		bad("no reason")
	}
	for _, e := range d.Events {
		if e.ID != "" || !e.At.IsZero() {
			bad("an event has an id or a time: they are the keeper's")
		}
		if e.Actor != d.Actor {
			bad("an event's actor is %v, the decision's %v", e.Actor, d.Actor)
		}
	}
	for _, f := range d.Files {
		if f.Post != "" && f.Post != memsync.HashOf(f.Content) {
			bad("post is not the hash of the content of %s", f.Path)
		}
		if f.Post == "" && f.Content != nil {
			bad("content of a file that goes: %s", f.Path)
		}
	}
	if d.After != nil && d.Op != memsync.OpNoop && d.Op != memsync.OpRecord && d.Op != memsync.OpCorroborate && d.After.Hash != d.Post {
		bad("After is not what is written")
	}
}

// take makes the decision's plan so.
func (w *world) take(d memsync.Decision) memsync.Decision {
	w.t.Helper()
	for _, f := range d.Files {
		if f.Post == "" {
			delete(w.accepted, f.Path)
			delete(w.disk, f.Path)
			delete(w.missing, f.Path)
			continue
		}
		w.accepted[f.Path] = string(f.Content)
		delete(w.disk, f.Path)
		delete(w.missing, f.Path)
	}
	scope, ok := memsync.FindScope(w.scopes, d.Scope)
	for _, e := range d.Events {
		if !ok {
			w.t.Fatalf("an event in no scope: %+v", d)
		}
		w.event(scope, e)
	}
	w.now = w.now.Add(time.Minute)
	w.rebuilds(d)
	return d
}

// rebuilds asserts law 8 for identity: tree and ledger alone say what the
// decision said.
func (w *world) rebuilds(d memsync.Decision) {
	w.t.Helper()
	if d.After == nil || d.Op != memsync.OpAdd && d.Op != memsync.OpUpdate && d.Op != memsync.OpRename {
		return
	}
	m := w.view().ByPath(d.Path)
	if m == nil {
		w.t.Errorf("%s is not in a view made anew\n%s", d.Path, dump(d))
		return
	}
	if m.ID != d.After.ID || m.Inline != d.After.Inline || m.Hash != d.After.Hash || m.MetaKey != d.After.MetaKey {
		w.t.Errorf("made anew it is %s (inline %v), decided was %s (inline %v)\n%s", m.ID, m.Inline, d.After.ID, d.After.Inline, dump(d))
	}
	if !slices.Equal(m.Aliases, d.After.Aliases) {
		w.t.Errorf("made anew it answers to %v, decided was %v\n%s", m.Aliases, d.After.Aliases, dump(d))
	}
}

func (w *world) save(p memsync.Path, content string) memsync.Decision {
	w.t.Helper()
	w.disk[p] = content
	return w.decide(memsync.Candidate{Origin: memsync.OriginFile, Op: memsync.OpUpsert, Path: p, Raw: []byte(content)})
}

func (w *world) vanish(p memsync.Path) memsync.Decision {
	w.t.Helper()
	w.missing[p] = true
	delete(w.disk, p)
	return w.decide(memsync.Candidate{Origin: memsync.OriginFile, Op: memsync.OpDelete, Path: p})
}

func str(s string) *string { return &s }

func fields(kv ...string) []memsync.Field {
	var out []memsync.Field
	for i := 0; i+1 < len(kv); i += 2 {
		out = append(out, memsync.Field{Key: kv[i], Value: memsync.Text(kv[i+1])})
	}
	return out
}

// write is a tool's upsert.
func write(a memsync.Actor, content string, kv ...string) memsync.Candidate {
	return memsync.Candidate{Origin: memsync.OriginTool, Actor: a, Op: memsync.OpUpsert, Fields: fields(kv...), Content: str(content)}
}

// good is a memory as format.md shows it.
func good(id memsync.ID, name, body string) string {
	return "---\nid: " + string(id) + "\nname: " + name + "\ndescription: one line about " + name + "\ntype: feedback\n---\n\n" + body + "\n"
}

// plain is the same without an id.
func plain(name, body string) string {
	return "---\nname: " + name + "\ndescription: one line about " + name + "\ntype: feedback\n---\n\n" + body + "\n"
}

// want says what a decision should be; zero fields are not asked.
type want struct {
	op      memsync.Op
	code    memsync.Code // of the error
	path    memsync.Path
	id      memsync.ID
	bytes   string         // of the memory's file
	finding string         // a code among the findings
	reason  string         // rule of the last reason
	events  string         // ops, comma separated; "-" for none
	files   []memsync.Path // all of them, in order
}

func (w *world) check(d memsync.Decision, e want) {
	w.t.Helper()
	bad := func(what string, got, want any) {
		w.t.Helper()
		w.t.Errorf("%s: got %v, want %v\n%s", what, got, want, dump(d))
	}
	if e.op != "" && d.Op != e.op {
		bad("op", d.Op, e.op)
	}
	code := memsync.Code("")
	if d.Error != nil {
		code = d.Error.Code
	}
	if code != e.code && (e.code != "" || d.Op == memsync.OpReject || d.Op == memsync.OpHold) {
		bad("code", code, e.code)
	}
	if e.path != "" && d.Path != e.path {
		bad("path", d.Path, e.path)
	}
	if e.id != "" && d.Memory != e.id {
		bad("memory", d.Memory, e.id)
	}
	if e.bytes != "" {
		got := "(no file)"
		for _, f := range d.Files {
			if f.Path == d.Path {
				got = string(f.Content)
			}
		}
		if got != e.bytes {
			bad("bytes", fmt.Sprintf("%q", got), fmt.Sprintf("%q", e.bytes))
		}
	}
	if e.finding != "" && !hasFinding(d, e.finding) {
		bad("findings", d.Findings, e.finding)
	}
	if e.reason != "" {
		if got := d.Reasons[len(d.Reasons)-1].Rule; got != e.reason {
			bad("last reason", got, e.reason)
		}
	}
	if e.events != "" {
		var ops []string
		for _, ev := range d.Events {
			ops = append(ops, string(ev.Op))
		}
		got := strings.Join(ops, ",")
		if got == "" {
			got = "-"
		}
		if got != e.events {
			bad("events", got, e.events)
		}
	}
	if e.files != nil {
		var got []memsync.Path
		for _, f := range d.Files {
			got = append(got, f.Path)
		}
		if !slices.Equal(got, e.files) {
			bad("files", got, e.files)
		}
	}
}

func hasFinding(d memsync.Decision, code string) bool {
	return slices.ContainsFunc(d.Findings, func(f memsync.Finding) bool { return f.Code == code })
}

func withID(content string, id memsync.ID) string {
	return strings.Replace(content, "---\n", "---\nid: "+string(id)+"\n", 1)
}
