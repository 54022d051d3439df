package join

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"memsync"
	"memsync/controller/merge"
	"memsync/internal/format"
)

// Q50: two machines change what tools write into every header (a time, a
// counter, tags) and different paragraphs. Nothing of it is a conflict.
func TestQ50(t *testing.T) {
	const p = "memory/project_deploy.md"
	file := func(updated, uses, tags, one, two string) string {
		return "---\nid: " + idA + "\nname: Deploy\ndescription: How we deploy\ntype: project\ntags: [" + tags + "]\nuses: " + uses + "\nupdated: " + updated + "\n---\n\n" +
			one + "\n\n" + two + "\n"
	}
	f := newFork(t, []string{p, file("2026-03-01T10:00:00Z", "3", "ops, old", "On Monday.", "By hand.")},
		[]string{p, file("2026-03-07T12:30:00Z", "4", "ops, ci", "On Tuesday.", "By hand.")},
		[]string{p, file("2026-03-05T10:00:00Z", "7", "ops, old, release", "On Monday.", "By a script.")})
	r := f.join()
	if got, want := f.text(r.Tree, p), file("2026-03-07T12:30:00Z", "7", "ops, release, ci", "On Tuesday.", "By a script."); got != want || len(r.Conflicts) > 0 {
		t.Errorf("%v\n%s\nwant\n%s", r.Conflicts, got, want)
	}
}

// Q51: both sides edit one sentence, and one key of the header: a valid file in
// place, each losing text in a record by the memory's name, markers nowhere.
func TestQ51(t *testing.T) {
	const p = "memory/user_a.md"
	f := newFork(t, []string{p, memo(idA, "A", "We ship on Monday.", "hook: old")},
		[]string{p, memo(idA, "A", "We ship on Tuesday.", "hook: early")}, []string{p, memo(idA, "A", "We ship on Friday.", "hook: late")})
	r := f.join()
	if got := f.text(r.Tree, p); got != memo(idA, "A", "We ship on Friday.", "hook: late") {
		t.Errorf("in place is\n%s", got)
	}
	lost := map[string]string{}
	for _, c := range r.Conflicts {
		if !strings.HasPrefix(string(c.Path), "memory/_system/conflicts/"+idA+"-") || c.Memory != idA || string(c.File) != p {
			t.Errorf("%+v", c)
		}
		rec, err := merge.ParseRecord([]byte(f.text(r.Tree, string(c.Path))))
		if err != nil || len(rec.Places) != 1 {
			t.Fatal(rec, err)
		}
		lost[rec.Kind+rec.Key] = rec.Places[0].Lost.Text + "|" + rec.Places[0].Kept.Text + "|" + rec.Places[0].Base.Text
	}
	if len(lost) != 2 || lost["scalarhook"] != "early|late|old" || lost["body"] != "We ship on Tuesday.|We ship on Friday.|We ship on Monday." {
		t.Errorf("lost: %q", lost)
	}
	for q := range r.Tree {
		if bytes.Contains([]byte(f.text(r.Tree, string(q))), []byte("<<<<<<<")) {
			t.Errorf("markers in %s", q)
		}
	}
}

// Q52: A adds one memory, B another: MEMORY.md lists both, the same bytes for
// both (join insists), with no time and no absolute path in it.
func TestQ52(t *testing.T) {
	f := newFork(t, nil, nil, nil)
	a := f.commit(f.digested(f.tree(f.commits[f.base].tree, "memory/user_m1.md", memo(idA, "M1", "one")), f.base), day0.Add(time.Hour), f.base)
	b := f.commit(f.digested(f.tree(f.commits[f.base].tree, "memory/user_m2.md", memo(idB, "M2", "two")), f.base), day0.Add(2*time.Hour), f.base)
	r := f.memory.join(t, a, b)
	want := format.IndexBegin + "\n\n## user\n\n- [M1](user_m1.md) — About M1\n- [M2](user_m2.md) — About M2\n" + format.IndexEnd + "\n"
	if got := f.text(r.Tree, "memory/MEMORY.md"); got != want || len(r.Conflicts) > 0 {
		t.Errorf("%v\n%s\nwant\n%s", r.Conflicts, got, want)
	}
}

// Q54: A forgets m1; B, offline, edits it; C re-adds the old file from a backup
// months later. It is gone each time, and each time a record names the commit.
// Only what a person accepted again, under another id, stays.
func TestQ54(t *testing.T) {
	const p = "memory/user_m1.md"
	old := memo(idA, "M1", "secret words")
	f := newFork(t, []string{p, old}, []string{p, gone, ledgerA, event(1, memsync.LedgerForget, idA, "")}, []string{p, memo(idA, "M1", "secret words, edited")})
	check := func(r *Result) {
		t.Helper()
		if f.text(r.Tree, p) != gone || len(r.Conflicts) != 1 || r.Conflicts[0].Kind != merge.ForgetEdit {
			t.Fatalf("%+v\n%s", r.Conflicts, f.show(r.Tree))
		}
		for q := range r.Tree {
			if strings.Contains(f.text(r.Tree, string(q)), "secret") {
				t.Errorf("its text is in %s", q)
			}
		}
	}
	r := f.join()
	check(r)
	if rec, _ := merge.ParseRecord([]byte(f.text(r.Tree, string(r.Conflicts[0].Path)))); rec.Commit != f.b || string(rec.File) != p {
		t.Errorf("the record names %+v", rec)
	}
	joined := f.land(r)
	// C had taken all of it over, and its copy of the ledger is whole.
	other := f.commit(f.tree(r.Tree, "x.md", "x\n"), day0.Add(50*24*time.Hour), joined)
	stale := f.commit(f.tree(r.Tree, p, old), day0.Add(90*24*time.Hour), joined)
	check(f.memory.join(t, other, stale))
	accepted := memo(idB, "M1", "said again")
	back := f.commit(f.tree(r.Tree, p, accepted, ledgerB, event(9, memsync.LedgerAccept, idB, "user_m1.md")), day0.Add(91*24*time.Hour), joined)
	if again := f.memory.join(t, other, back); f.text(again.Tree, p) != accepted || len(again.Conflicts) > 0 {
		t.Errorf("an accepted one: %+v", again.Conflicts)
	}
}

// sync.no_resurrection: deleted on A, edited offline on B, re-added by the stale
// clone C. The choice is shown each time, nothing returns in silence; a memory
// that nobody touched syncs.
func TestAcceptance_sync_no_resurrection(t *testing.T) {
	const p, q = "memory/user_m1.md", "memory/user_m2.md"
	old, edited := memo(idA, "M1", "one"), memo(idA, "M1", "one, edited")
	f := newFork(t, []string{p, old, q, memo(idB, "M2", "two")}, []string{p, gone, ledgerA, event(1, memsync.LedgerDelete, idA, "user_m1.md")}, []string{p, edited})
	r := f.join()
	if f.text(r.Tree, p) != edited || len(r.Conflicts) != 1 || r.Conflicts[0].Kind != merge.DeleteEdit || r.Conflicts[0].Memory != idA {
		t.Errorf("deleted against edited: %+v", r.Conflicts)
	}
	// C has only ever seen the base: it has nothing to bring back.
	c := f.commit(f.tree(f.commits[f.base].tree, "c.md", "c\n"), day0.Add(3*time.Hour), f.base)
	r = f.memory.join(t, f.a, c)
	if f.text(r.Tree, p) != gone || len(r.Conflicts) > 0 || f.text(r.Tree, q) != memo(idB, "M2", "two") {
		t.Errorf("a stale clone: %+v\n%s", r.Conflicts, f.show(r.Tree))
	}
	// It took the deletion over and adds the file again all the same.
	again := f.commit(f.tree(r.Tree, p, old), day0.Add(5*time.Hour), f.land(r))
	other := f.commit(f.tree(r.Tree, "d.md", "d\n"), day0.Add(6*time.Hour), f.land(r))
	r = f.memory.join(t, again, other)
	if f.text(r.Tree, p) != old || len(r.Conflicts) != 1 || r.Conflicts[0].Kind != merge.DeleteEdit {
		t.Errorf("re-added: %+v", r.Conflicts)
	}
}

// BenchmarkTips joins two clones of a store with 10,000 memories, of which each
// changed 1,000 and both 500.
func BenchmarkTips(b *testing.B) {
	m := newMemory()
	text := func(i int, top, end string) string {
		return memo(string(memsync.MakeID(day0, [10]byte{byte(i >> 8), byte(i)})), "M", top+"\n\n"+strings.Repeat("What stands here is known to nobody else. ", 9)+"\n\n"+end)
	}
	name := func(i int) string {
		return "memory/user/" + string(memsync.MakeID(day0, [10]byte{byte(i >> 8), byte(i)})) + ".md"
	}
	var all, here, there []string
	for i := range 10_000 {
		all = append(all, name(i), text(i, "top", "end"))
		if i < 1000 {
			here = append(here, name(i), text(i, "TOP", "end"))
		}
		if i >= 500 && i < 1500 {
			there = append(there, name(i), text(i, "top", "END"))
		}
	}
	root := m.tree(nil, all...)
	base := m.commit(root, day0)
	x, y := m.commit(m.tree(root, here...), day0.Add(time.Hour), base), m.commit(m.tree(root, there...), day0.Add(2*time.Hour), base)
	b.ResetTimer()
	for b.Loop() {
		if r, err := Tips(m, x, y); err != nil || len(r.Conflicts) > 0 {
			b.Fatal(err)
		}
	}
}
