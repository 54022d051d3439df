package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"memsync"
)

var t0 = time.Date(2026, 3, 7, 11, 20, 9, 0, time.UTC)

// planID is the n-th plan's.
func planID(n int) memsync.ID {
	return memsync.MakeID(t0.Add(time.Duration(n)*time.Second), [10]byte{1, byte(n >> 8), byte(n)})
}

func memoryID(n int) memsync.ID { return memsync.MakeID(t0, [10]byte{2, byte(n >> 8), byte(n)}) }

func open(t testing.TB) *Journal {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "journal.db"))
}

func openAt(t testing.TB, file string) *Journal {
	t.Helper()
	j, err := Open(file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if j.closed {
			return
		}
		if err := j.Check(); err != nil {
			t.Error(err)
		}
		j.Close()
	})
	return j
}

// write is a plan with one decision that makes path hold text.
func write(n int, path memsync.Path, memory memsync.ID, before, after string) *memsync.Plan {
	d := memsync.Decision{
		Op: memsync.OpUpdate, Origin: memsync.OriginCLI, Actor: memsync.Actor{Class: memsync.ClassPerson, Name: "ann"},
		Scope: "global", Path: path, Memory: memory, Source: memsync.SourceRule,
		Reasons: []memsync.Reason{{Rule: "identity", Passed: true, Detail: "says " + after}},
	}
	f := memsync.FileChange{Path: path}
	if before != "" {
		d.Base, f.Base = hash(before), hash(before)
	} else {
		d.Op = memsync.OpAdd
	}
	if after != "" {
		d.Post, f.Post, f.Content = hash(after), hash(after), []byte(after)
	} else {
		d.Op = memsync.OpDelete
	}
	d.Files = []memsync.FileChange{f}
	request := "r:" + after // readable for the tests that compare it, a hash as in life for the others
	if len(after) > 8 {
		request = string(hash(after))
	}
	return &memsync.Plan{
		ID: planID(n), At: planID(n).Time(), Base: memsync.Revision{Commit: "c0"}, Author: d.Actor,
		Decisions: []memsync.Decision{d}, Requests: []string{request}, Files: []memsync.FileChange{f}, Subject: "s",
	}
}

func hash(s string) memsync.Hash { return memsync.HashOf([]byte(s)) }

func begin(t testing.TB, j *Journal, p *memsync.Plan, base ...string) {
	t.Helper()
	var m map[memsync.Path][]byte
	if len(base) > 0 {
		m = map[memsync.Path][]byte{p.Files[0].Path: []byte(base[0])}
	}
	if err := j.Begin(p, memsync.CommitAuto, m); err != nil {
		t.Fatal(err)
	}
}

func applied(t testing.TB, j *Journal, p *memsync.Plan, commit string) []memsync.Event {
	t.Helper()
	blobs := map[memsync.Path]string{}
	for _, f := range p.Files {
		if commit != "" && f.Post != "" {
			blobs[f.Path] = "blob-" + string(f.Post[:8])
		}
	}
	events, err := j.Applied(p.ID, commit, blobs)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func has(t testing.TB, j *Journal, text string) bool {
	t.Helper()
	b, ok, err := j.Content(hash(text))
	if err != nil {
		t.Fatal(err)
	}
	if ok && string(b) != text {
		t.Fatalf("content of %q is %q", text, b)
	}
	return ok
}

func TestPlanSurvivesReopening(t *testing.T) {
	file := filepath.Join(t.TempDir(), "journal.db")
	j := openAt(t, file)
	p := write(1, "memory/a.md", memoryID(1), "old", "new")
	p.Decisions[0].Events = []memsync.LedgerEvent{{ID: memoryID(9), Op: memsync.LedgerIdentify, At: t0}}
	p.Decisions[0].Error = &memsync.Error{Code: memsync.CodeProtected, Message: "m"}
	p.Forget = []memsync.ID{memoryID(3)}
	p.Files = append(p.Files, memsync.FileChange{Path: "memory/MEMORY.md", Post: hash(""), Content: []byte{}},
		memsync.FileChange{Path: "memory/\xff.md", Base: hash("gone")})
	begin(t, j, p, "old")
	j.Close()

	j = openAt(t, file)
	plans, err := j.Unfinished()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Unfinished{{p, memsync.CommitAuto}}, plans, cmp.Comparer(func(a, b *memsync.Error) bool {
		return (a == nil) == (b == nil) && (a == nil || a.Code == b.Code && a.Message == b.Message)
	})); diff != "" {
		t.Fatalf("the plan changed in the journal (-begun +read):\n%s", diff)
	}
	if !has(t, j, "old") {
		t.Error("the bytes to go back to are not there")
	}
}

func TestBeginTwice(t *testing.T) {
	j := open(t)
	p := write(1, "a.md", "", "", "x")
	begin(t, j, p)
	if err := j.Begin(p, memsync.CommitOff, nil); !errors.Is(err, memsync.CodeInternal) {
		t.Fatalf("a second Begin: %v", err)
	}
}

// Contents: who keeps what, and until when.
func TestContents(t *testing.T) {
	cases := []struct {
		name string
		do   func(*testing.T, *Journal)
		want map[string]bool
	}{
		{"stay while the plan is unfinished", func(t *testing.T, j *Journal) {
			begin(t, j, write(1, "a.md", "", "old", "new"), "old")
		}, map[string]bool{"old": true, "new": true}},
		{"become blob ids once a commit holds them; what was replaced and git lacks stays", func(t *testing.T, j *Journal) {
			p := write(1, "a.md", "", "old", "new")
			begin(t, j, p, "old")
			applied(t, j, p, "c1")
			if blob, ok, _ := j.Blob(hash("new")); !ok || blob != "blob-"+string(hash("new")[:8]) {
				t.Errorf("blob of new: %q %v", blob, ok)
			}
		}, map[string]bool{"old": true, "new": false}},
		{"a base that git holds is known by its blob", func(t *testing.T, j *Journal) {
			p := write(1, "a.md", "", "old", "new")
			p.Files[0].Prior = "b0"
			begin(t, j, p)
			applied(t, j, p, "c1")
			if blob, _, _ := j.Blob(hash("old")); blob != "b0" {
				t.Errorf("blob of old: %q", blob)
			}
		}, map[string]bool{"old": false, "new": false}},
		{"stay with commit = off", func(t *testing.T, j *Journal) {
			p := write(1, "a.md", "", "", "one")
			begin(t, j, p)
			applied(t, j, p, "")
			p = write(2, "a.md", "", "one", "two")
			begin(t, j, p, "one")
			applied(t, j, p, "")
		}, map[string]bool{"one": true, "two": true}},
		{"go when the plan failed before its caller", func(t *testing.T, j *Journal) {
			p := write(1, "a.md", "", "old", "new")
			begin(t, j, p, "old")
			if err := j.Failed(p.ID, memsync.CodeIOFull); err != nil {
				t.Fatal(err)
			}
		}, map[string]bool{"old": false, "new": false}},
		{"stay when the plan was superseded", func(t *testing.T, j *Journal) {
			p := write(1, "a.md", "", "old", "new")
			begin(t, j, p, "old")
			if err := j.Superseded(p.ID, []memsync.Held{{Path: "a.md", Hash: hash("new"), Why: memsync.CodeIORaced}}); err != nil {
				t.Fatal(err)
			}
			held, _ := j.Held()
			if len(held) != 1 || held[0].Path != "a.md" {
				t.Errorf("held: %v", held)
			}
		}, map[string]bool{"old": true, "new": true}},
		{"are shared by hash and go with the last who needs them", func(t *testing.T, j *Journal) {
			a, b := write(1, "a.md", "", "", "same"), write(2, "b.md", "", "", "same")
			begin(t, j, a)
			begin(t, j, b)
			j.Failed(a.ID, memsync.CodeIOFull)
		}, map[string]bool{"same": true}},
		{"P08: a file marked secret never enters, on either side", func(t *testing.T, j *Journal) {
			p := write(1, "a.md", "", "token-before", "token-after")
			p.Files[0].Secret = true
			begin(t, j, p, "token-before")
		}, map[string]bool{"token-before": false, "token-after": false}},
		{"named contents are replaced and dropped", func(t *testing.T, j *Journal) {
			j.PutContent("n", []byte("first"))
			j.PutContent("n", []byte("second"))
			j.PutContent("m", []byte("third"))
			j.DropContent("m")
		}, map[string]bool{"first": false, "second": true, "third": false}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			j := open(t)
			c.do(t, j)
			for text, want := range c.want {
				if have := has(t, j, text); have != want {
					t.Errorf("%q is there: %v", text, have)
				}
			}
		})
	}
}

func TestSecretNeverReachesTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "journal.db")
	j := openAt(t, file)
	token := []byte("tok" + "en-7f3a9c55")
	p := write(1, "a.md", "", string(token), "x")
	p.Decisions[0].Reasons = nil
	p.Files[0].Secret = true
	begin(t, j, p, string(token))
	h := memsync.Held{Path: "b.md", Hash: memsync.HashOf(token), Why: memsync.CodeSecret}
	if err := j.PutHeld(h, token); err != nil {
		t.Fatal(err)
	}
	j.Close()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(raw, token) {
		t.Error("P08: the journal holds a secret")
	}
}

// The same-request rule (controller.md): the last applied decision on that
// path or id answers, nothing older.
func TestP01_LastAppliedDecision(t *testing.T) {
	j := open(t)
	if _, ok, err := j.Last("a.md", memoryID(1)); ok || err != nil {
		t.Fatalf("an empty journal knows a decision: %v %v", ok, err)
	}
	n := 0
	step := func(before, after string) {
		n++
		p := write(n, "a.md", memoryID(1), before, after)
		begin(t, j, p, before)
		applied(t, j, p, "c")
	}
	last := func() string {
		byPath, _, _ := j.Last("a.md", "")
		byID, _, _ := j.Last("", memoryID(1))
		if byPath.ID != byID.ID {
			t.Errorf("by path %s, by id %s", byPath.ID, byID.ID)
		}
		return byPath.RequestHash
	}
	before := ""
	for _, after := range []string{"A", "B", "A", "B", "", "B"} {
		step(before, after)
		if have := last(); have != "r:"+after {
			t.Errorf("after writing %q the last request is %q", after, have)
		}
		before = after
	}

	t.Run("what is not applied does not count", func(t *testing.T) {
		for i, close := range []func(memsync.ID) error{
			func(id memsync.ID) error { return j.Failed(id, memsync.CodeIORaced) },
			func(id memsync.ID) error { return j.Superseded(id, nil) },
			func(memsync.ID) error { return nil },
		} {
			p := write(100+i, "a.md", memoryID(1), "B", "C")
			begin(t, j, p, "B")
			if err := close(p.ID); err != nil {
				t.Fatal(err)
			}
			if have := last(); have != "r:B" {
				t.Errorf("%d: the last request is %q", i, have)
			}
		}
	})
	t.Run("a noop changes nothing and is not the last", func(t *testing.T) {
		p := write(200, "a.md", memoryID(1), "B", "B")
		p.Decisions[0].Op, p.Files, p.Requests[0] = memsync.OpNoop, nil, "r:noop"
		begin(t, j, p)
		applied(t, j, p, "")
		if have := last(); have != "r:B" {
			t.Errorf("the last request is %q", have)
		}
	})
	t.Run("a rename is the last of both paths", func(t *testing.T) {
		p := write(201, "b.md", memoryID(1), "", "B")
		p.Decisions[0].Op, p.Decisions[0].From, p.Requests[0] = memsync.OpRename, "a.md", "r:rename"
		begin(t, j, p)
		applied(t, j, p, "")
		for _, path := range []memsync.Path{"a.md", "b.md"} {
			if rec, _, _ := j.Last(path, ""); rec.RequestHash != "r:rename" {
				t.Errorf("%s: %q", path, rec.RequestHash)
			}
		}
	})
	t.Run("of path and id the newer", func(t *testing.T) {
		p := write(202, "a.md", memoryID(2), "", "Z")
		begin(t, j, p)
		applied(t, j, p, "")
		if rec, _, _ := j.Last("a.md", memoryID(1)); rec.RequestHash != "r:Z" {
			t.Errorf("the last request is %q", rec.RequestHash)
		}
	})
	t.Run("a request id finds its own decision", func(t *testing.T) {
		p := write(203, "c.md", memoryID(3), "", "Q")
		p.Decisions[0].RequestID = "req-1"
		begin(t, j, p)
		if _, ok, _ := j.ByRequestID("req-1"); ok {
			t.Error("found before it was applied")
		}
		applied(t, j, p, "c")
		if rec, ok, _ := j.ByRequestID("req-1"); !ok || rec.ID != RecordID(p.ID, 0) || rec.State != Applied || rec.Commit != "c" {
			t.Errorf("%v %+v", ok, rec)
		}
	})
}

func TestPreviousSave(t *testing.T) {
	j := open(t)
	save := func(n int, path, from memsync.Path, before, after string) {
		t.Helper()
		p := write(n, path, memoryID(1), before, after)
		d := &p.Decisions[0]
		d.Origin, d.From = memsync.OriginFile, from
		if from != "" {
			d.Op = memsync.OpRename
		}
		begin(t, j, p, before)
		applied(t, j, p, "c")
	}
	want := func(path memsync.Path, text string) {
		t.Helper()
		s, ok, err := j.PreviousSave(path)
		if err != nil || ok != (text != "") || ok && s.Hash != hash(text) {
			t.Errorf("previous save of %s is %v %v %v, want %q", path, s, ok, err, text)
		}
	}
	save(1, "a.md", "", "hand", "hand with id")
	want("a.md", "hand") // what the editor has, not what became of it
	if !has(t, j, "hand") {
		t.Error("its bytes are nowhere")
	}
	tool := write(2, "a.md", memoryID(1), "hand with id", "tool")
	begin(t, j, tool, "hand with id")
	applied(t, j, tool, "c")
	want("a.md", "hand")
	if c, ok, _ := j.LastChange("a.md"); !ok || c.Origin != memsync.OriginCLI || c.Actor.Name != "ann" || c.Post != hash("tool") {
		t.Errorf("last change: %+v", c)
	}
	save(3, "a.md", "", "again", "again")
	want("a.md", "again")
	if s, _, _ := j.PreviousSave("a.md"); s.Blob != "blob-"+string(hash("again")[:8]) {
		t.Errorf("a save taken as it was has a blob: %+v", s)
	}
	save(4, "b.md", "a.md", "again", "again")
	want("a.md", "")
	want("b.md", "again")
	save(5, "b.md", "", "", "")
	want("b.md", "")
}

func TestHeld(t *testing.T) {
	j := open(t)
	put := func(path memsync.Path, text string, copy bool, why memsync.Code) {
		t.Helper()
		var content []byte
		if copy {
			content = []byte(text)
		}
		if err := j.PutHeld(memsync.Held{Path: path, Hash: hash(text), Why: why, Since: t0}, content); err != nil {
			t.Fatal(err)
		}
	}
	names := func(list []memsync.Held, err error) (out []string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range list {
			for _, text := range []string{"one", "two", "three", "secret"} {
				if h.Hash == hash(text) {
					out = append(out, string(h.Path)+"="+text)
				}
			}
		}
		return out
	}
	check := func(what string, current, copies []string) {
		t.Helper()
		if diff := cmp.Diff(current, names(j.Held())); diff != "" {
			t.Errorf("%s: held %s", what, diff)
		}
		if diff := cmp.Diff(copies, names(j.HeldCopies())); diff != "" {
			t.Errorf("%s: copies %s", what, diff)
		}
	}
	put("a.md", "one", true, memsync.CodeInjection)
	put("\xff.md", "three", false, memsync.CodePathInvalid)
	check("two files wait", []string{"a.md=one", "\xff.md=three"}, nil)
	put("a.md", "one", true, memsync.CodeInjection)
	check("the same again", []string{"a.md=one", "\xff.md=three"}, nil)
	put("a.md", "two", false, memsync.CodeFrontmatter)
	check("saved over: the copy stays", []string{"a.md=two", "\xff.md=three"}, []string{"a.md=one"})
	put("a.md", "three", true, memsync.CodeInjection)
	check("what only the file had is gone with it", []string{"a.md=three", "\xff.md=three"}, []string{"a.md=one"})
	put("a.md", "secret", true, memsync.CodeSecret)
	check("a secret waits without a copy", []string{"a.md=secret", "\xff.md=three"}, []string{"a.md=one", "a.md=three"})
	if has(t, j, "secret") {
		t.Error("P08: a held secret was copied")
	}
	j.DropHeld("a.md")
	j.DropHeld("\xff.md")
	check("released", nil, []string{"a.md=one", "a.md=three"})

	p := write(1, "b.md", "", "one", "one")
	p.Decisions[0].Origin = memsync.OriginFile
	put("b.md", "one", true, memsync.CodeInjection)
	begin(t, j, p)
	applied(t, j, p, "c")
	j.DropHeld("b.md")
	check("what a commit holds needs no copy", nil, []string{"a.md=one", "a.md=three"})
}

func TestEvents(t *testing.T) {
	j := open(t)
	p := write(1, "a.md", memoryID(1), "", "x")
	p.Decisions = append(p.Decisions, memsync.Decision{Op: memsync.OpNoop}, memsync.Decision{Op: memsync.OpHold},
		memsync.Decision{Op: memsync.OpReject, Error: &memsync.Error{Code: memsync.CodeProtected}}, memsync.Decision{Op: memsync.OpAsk})
	p.Requests = nil
	begin(t, j, p)
	if n, _ := j.LastEvent(); n != 0 {
		t.Fatal("an event before anything happened")
	}
	events := applied(t, j, p, "c1")
	if again, err := j.Applied(p.ID, "c1", nil); err != nil || len(again) != 0 {
		t.Fatalf("restart.no_duplicate_effect: marked twice: %v %v", again, err)
	}
	j.Emit(memsync.Event{Op: memsync.EventReverted, At: t0})
	stored, err := j.Events(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ops []memsync.EventOp
	for i, e := range stored {
		ops = append(ops, e.Op)
		if e.Seq != uint64(i+1) {
			t.Errorf("event %d has number %d", i, e.Seq)
		}
	}
	want := []memsync.EventOp{memsync.EventCommitted, memsync.EventNoop, memsync.EventHeld, memsync.EventRejected, memsync.EventReverted}
	if diff := cmp.Diff(want, ops); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(events, stored[:4]); diff != "" {
		t.Errorf("told and stored differ: %s", diff)
	}
	if some, _ := j.Events(2, 1); len(some) != 1 || some[0].Seq != 3 {
		t.Errorf("one after the second: %v", some)
	}
	if e := stored[3]; e.Code != memsync.CodeProtected {
		t.Errorf("%+v", e)
	}
}

func TestEventsAreBounded(t *testing.T) {
	j := open(t)
	batch := make([]memsync.Event, 20_000)
	for range 7 {
		if err := j.Emit(batch...); err != nil {
			t.Fatal(err)
		}
	}
	all, _ := j.Events(0, 0)
	if len(all) != keepEvents || all[len(all)-1].Seq != 140_000 {
		t.Errorf("%d events stay, the last is %d", len(all), all[len(all)-1].Seq)
	}
}

func TestFacts(t *testing.T) {
	j := open(t)
	drawn := 0
	draw := func() memsync.ID { drawn++; return memoryID(drawn) }
	for _, c := range []struct {
		binding string
		want    memsync.ID
	}{{"here", memoryID(1)}, {"here", memoryID(1)}, {"copied", memoryID(2)}, {"copied", memoryID(2)}} {
		if id, err := j.Clone(c.binding, draw); err != nil || id != c.want {
			t.Errorf("%s: %s %v, want %s", c.binding, id, err, c.want)
		}
	}
	if list, err := j.PendingDeletes(); err != nil || list != nil {
		t.Errorf("%v %v", list, err)
	}
	pending := []PendingDelete{{Scope: "global", Paths: []memsync.Path{"a.md"}, Since: t0}}
	j.PutPendingDeletes(pending)
	if list, _ := j.PendingDeletes(); cmp.Diff(pending, list) != "" {
		t.Errorf("%v", list)
	}
	j.PutPendingDeletes(nil)
	if list, _ := j.PendingDeletes(); list != nil {
		t.Errorf("%v", list)
	}

	const dir = "memory/_system/ledger"
	p := write(1, dir+"/2026-03.C.jsonl", "", "", "{}\n")
	begin(t, j, p)
	if _, ok, _ := j.LedgerTail(dir); ok {
		t.Error("a tail before the plan is applied")
	}
	applied(t, j, p, "c")
	if tail, ok, _ := j.LedgerTail(dir); !ok || tail != (LedgerTail{"2026-03.C.jsonl", 3, hash("{}\n")}) {
		t.Errorf("%+v", tail)
	}
}

func TestRecent(t *testing.T) {
	j := open(t)
	var want []memsync.ID
	for n := range 5 {
		p := write(n+1, "a.md", "", "", fmt.Sprint(n))
		p.Decisions, p.Requests = append(p.Decisions, p.Decisions[0], p.Decisions[0]), nil
		begin(t, j, p)
		want = append([]memsync.ID{p.ID}, want...)
	}
	for n := range 7 {
		if have, err := j.Recent(n); err != nil || !slices.Equal(have, want[:min(n, 5)]) {
			t.Errorf("%d: %v %v", n, have, err)
		}
	}
}

func TestKeepCopy(t *testing.T) {
	j := open(t)
	for range 2 {
		if err := j.KeepCopy(memsync.Held{Path: "a.md", Why: memsync.CodeIORaced, Since: t0}, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	held, _ := j.Held()
	copies, _ := j.HeldCopies()
	if len(held) != 0 || len(copies) != 1 || !has(t, j, "x") {
		t.Errorf("%v %v", held, copies)
	}
}

func TestDamageIsReportedNeverWiped(t *testing.T) {
	file := filepath.Join(t.TempDir(), "journal.db")
	j := openAt(t, file)
	for n := range 20 {
		p := write(n+1, memsync.Path(fmt.Sprintf("%d.md", n)), memoryID(n), "", string(bytes.Repeat([]byte{'a' + byte(n)}, 5000)))
		begin(t, j, p)
		applied(t, j, p, "")
	}
	j.Close()
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		bytes []byte
	}{
		{"cut off", good[:len(good)/3]},
		{"cut inside the header", good[:50]},
		{"another file", []byte("this is a letter to my aunt, longer than a header page " + string(make([]byte, 40000)))},
		{"zeros", make([]byte, len(good))},
		{"both headers lost", append(make([]byte, 8192), good[8192:]...)},
		{"pages lost", append(append([]byte{}, good[:8192]...), make([]byte, len(good)-8192)...)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(file, c.bytes, 0o600); err != nil {
				t.Fatal(err)
			}
			j, err := Open(file, Options{})
			if err == nil {
				j.Close()
				t.Fatal("opened")
			}
			var e *memsync.Error
			if !errors.As(err, &e) || e.Code != memsync.CodeJournal || e.Hint == "" {
				t.Errorf("%#v", err)
			}
			if now, _ := os.ReadFile(file); !bytes.Equal(now, c.bytes) {
				t.Error("the damaged file was changed")
			}
		})
	}
}

func TestSecondProcessIsToldBusy(t *testing.T) {
	j := open(t)
	_, err := Open(j.file, Options{Timeout: time.Millisecond})
	if !errors.Is(err, memsync.CodeStoreBusy) {
		t.Fatal(err)
	}
}

func TestClosed(t *testing.T) {
	j := open(t)
	j.Close()
	if _, err := j.Unfinished(); !errors.Is(err, memsync.CodeJournal) {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}
