package join

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"memsync"
	"memsync/controller/merge"
	"memsync/internal/ledger"
)

const (
	idA = "01JNB2Q0T7ZC4X9V8M5H3K2RDA"
	idB = "01JNB2Q0T7ZC4X9V8M5H3K2RDB"
	idC = "01JNB2Q0T7ZC4X9V8M5H3K2RDC"
)

// memo is a memory's file.
func memo(id, name, body string, keys ...string) string {
	return "---\nid: " + id + "\nname: " + name + "\ndescription: About " + name + "\ntype: user\n" + strings.Join(append(keys, ""), "\n") + "---\n\n" + body + "\n"
}

// event is a ledger line.
func event(n int, op memsync.LedgerOp, id, path string, sees ...memsync.ID) string {
	when := day0.Add(time.Duration(n) * time.Minute)
	e := memsync.LedgerEvent{ID: memsync.MakeID(when, [10]byte{byte(n)}), Op: op, Memory: memsync.ID(id), At: when,
		Actor: memsync.Actor{Class: memsync.ClassPerson}, Path: memsync.Path(path), Sees: sees}
	return string(ledger.Append(nil, e))
}

const ledgerA, ledgerB = "memory/_system/ledger/2026-03.aaaa.jsonl", "memory/_system/ledger/2026-03.bbbb.jsonl"

// kinds are the conflicts of a result, by kind and file.
func kinds(r *Result) (out []string) {
	for _, c := range r.Conflicts {
		out = append(out, strings.TrimSpace(c.Kind+" "+string(c.File)))
	}
	slices.Sort(out)
	return out
}

// One row for each sentence of "Merging one document" and "Joining".
func TestJoin(t *testing.T) {
	const m = "memory/user_a.md"
	a0 := memo(idA, "A", "one\n\ntwo\n\nthree")
	for name, c := range map[string]struct {
		base, a, b []string
		want       []string // path, content; "*word" for holding it, gone for none
		conflicts  []string
	}{
		"one side changed": {[]string{m, a0}, []string{m, memo(idA, "A", "ONE\n\ntwo\n\nthree")}, []string{"note.md", "x\n"},
			[]string{m, memo(idA, "A", "ONE\n\ntwo\n\nthree"), "note.md", "x\n"}, nil},
		"body: edits that do not overlap": {[]string{m, a0}, []string{m, memo(idA, "A", "ONE\n\ntwo\n\nthree")}, []string{m, memo(idA, "A", "one\n\ntwo\n\nTHREE")},
			[]string{m, memo(idA, "A", "ONE\n\ntwo\n\nTHREE")}, nil},
		"overlap: the later in place, the other in a copy": {[]string{m, a0}, []string{m, memo(idA, "A", "early\n\ntwo\n\nthree")}, []string{m, memo(idA, "A", "late\n\ntwo\n\nthree")},
			[]string{m, memo(idA, "A", "late\n\ntwo\n\nthree")}, []string{"body " + m}},
		"rename against edit: both": {[]string{m, a0}, []string{m, gone, "memory/user_b.md", a0}, []string{m, memo(idA, "A", "one\n\ntwo\n\nTHREE")},
			[]string{m, gone, "memory/user_b.md", memo(idA, "A", "one\n\ntwo\n\nTHREE")}, nil},
		"rename and edit against edit": {[]string{m, a0}, []string{m, gone, "memory/sub/user_b.md", memo(idA, "A", "ONE\n\ntwo\n\nthree")}, []string{m, memo(idA, "A", "one\n\ntwo\n\nTHREE")},
			[]string{m, gone, "memory/sub/user_b.md", memo(idA, "A", "ONE\n\ntwo\n\nTHREE")}, nil},
		"rename against rename: the smaller path": {[]string{m, a0}, []string{m, gone, "memory/user_z.md", a0}, []string{m, gone, "memory/user_b.md", a0},
			[]string{m, gone, "memory/user_b.md", a0, "memory/user_z.md", gone}, []string{"rename memory/user_b.md"}},
		"delete against nothing": {[]string{m, a0}, []string{m, gone}, []string{"note.md", "x\n"}, []string{m, gone}, nil},
		"delete against edit: the edit stays": {[]string{m, a0}, []string{m, gone}, []string{m, memo(idA, "A", "one\n\ntwo\n\nTHREE")},
			[]string{m, memo(idA, "A", "one\n\ntwo\n\nTHREE")}, []string{"delete-edit " + m}},
		"delete against rename: it stays": {[]string{m, a0}, []string{m, gone}, []string{m, gone, "memory/user_b.md", a0},
			[]string{m, gone, "memory/user_b.md", a0}, []string{"delete-edit memory/user_b.md"}},
		"forget against edit: forget wins": {[]string{m, a0}, []string{m, gone, ledgerA, event(1, memsync.LedgerForget, idA, "")}, []string{m, memo(idA, "A", "one\n\ntwo\n\nTHREE")},
			[]string{m, gone}, []string{"forget-edit"}},
		"forget against rename: forget wins": {[]string{m, a0}, []string{m, gone, ledgerA, event(1, memsync.LedgerForget, idA, "")}, []string{m, gone, "memory/user_b.md", a0},
			[]string{m, gone, "memory/user_b.md", gone}, nil},
		"forget against a snapshot of it": {[]string{m, a0}, []string{m, gone, ledgerA, event(1, memsync.LedgerForget, idA, "")},
			[]string{"memory/_system/approved/" + idA + "-abc.md", "old", "memory/_system/conflicts/" + idA + "-abc.md", "old"},
			[]string{m, gone, "memory/_system/approved/" + idA + "-abc.md", gone, "memory/_system/conflicts/" + idA + "-abc.md", gone}, nil},
		"both added one file": {nil, []string{m, a0}, []string{m, a0}, []string{m, a0}, nil},
		"both added one path, two memories: the later suffixed": {nil, []string{m, memo(idB, "A", "b")}, []string{m, memo(idA, "A", "a")},
			[]string{m, memo(idA, "A", "a"), "memory/user_a-2.md", memo(idB, "A", "b")}, nil},
		"both added one path without ids: one memory": {nil, []string{m, "- early\n"}, []string{m, "- late\n"}, []string{m, "- early\n- late\n"}, nil},
		"a log that both began": {nil, []string{"memory/logs/2026-03-07.md", "- early\n"}, []string{"memory/logs/2026-03-07.md", "- late\n"},
			[]string{"memory/logs/2026-03-07.md", "- early\n- late\n"}, nil},
		"rename onto what the other added": {[]string{m, a0}, []string{m, gone, "memory/user_b.md", a0}, []string{"memory/user_b.md", memo(idB, "B", "b")},
			[]string{m, gone, "memory/user_b.md", a0, "memory/user_b-2.md", memo(idB, "B", "b")}, nil},
		"one slug in two folders": {nil, []string{m, a0}, []string{"memory/user/2026-03/user_a.md", memo(idB, "A", "b")},
			[]string{m, a0, "memory/user/2026-03/user_a.md", gone, "memory/user/2026-03/user_a-2.md", memo(idB, "A", "b")}, nil},
		"one key, two memories": {nil, []string{m, memo(idA, "A", "a", "key: deploy-day")}, []string{"memory/user_b.md", memo(idB, "B", "b", "key: deploy-day")},
			[]string{m, "*deploy-day", "memory/user_b.md", "*deploy-day"}, []string{"same-key memory/user_b.md"}},
		"paths that differ by case": {nil, []string{"memory/user_A.md", a0}, []string{m, memo(idB, "B", "b")},
			[]string{"memory/user_A.md", a0, m, gone, "memory/user_a-2.md", memo(idB, "B", "b")}, nil},
		"logs that differ by case": {nil, []string{"memory/logs/2026-03-07-A.md", "a\n"}, []string{"memory/logs/2026-03-07-a.md", "b\n"},
			[]string{"memory/logs/2026-03-07-A.md", "*\n", "memory/logs/2026-03-07-a.md", gone}, nil},
		"paths that differ by case on one side already": {nil, []string{"memory/user_A.md", a0, m, memo(idB, "B", "b")}, []string{"note.md", "x\n"},
			[]string{"memory/user_A.md", a0, m, memo(idB, "B", "b")}, nil},
		"foreign paths that differ by case":       {nil, []string{"Notes.txt", "a\n"}, []string{"notes.txt", "b\n"}, []string{"Notes.txt", "a\n", "notes-2.txt", "b\n"}, nil},
		"a file where the other made a directory": {nil, []string{"x", "a\n"}, []string{"x/y.md", "b\n"}, []string{"x-2", "a\n", "x/y.md", "b\n"}, nil},
		"an id that both added: the smaller, the other an alias": {[]string{m, "---\nname: A\n---\n\ntext\n"},
			[]string{m, "---\nid: " + idA + "\nname: A\n---\n\ntext\n"}, []string{m, "---\nid: " + idB + "\nname: A\n---\n\ntext\n"},
			[]string{m, "*id: " + idA + "\nname: A\naliases: [" + idB + "]"}, nil},
		"archived against edit: the edit goes along": {[]string{m, a0}, []string{m, gone, "memory/_system/archive/user_a.md", a0}, []string{m, memo(idA, "A", "one\n\ntwo\n\nTHREE")},
			[]string{m, gone, "memory/_system/archive/user_a.md", "*THREE"}, nil},
		"authored by lines": {[]string{"agents/r/AGENT.md", "# R\n\none\n\ntwo\n"}, []string{"agents/r/AGENT.md", "# R\n\nONE\n\ntwo\n"}, []string{"agents/r/AGENT.md", "# R\n\none\n\nTWO\n"},
			[]string{"agents/r/AGENT.md", "# R\n\nONE\n\nTWO\n"}, nil},
		"authored, an overlap": {[]string{"agents/r/AGENT.md", "one\n"}, []string{"agents/r/AGENT.md", "early\n"}, []string{"agents/r/AGENT.md", "late\n"},
			[]string{"agents/r/AGENT.md", "late\n"}, []string{"body agents/r/AGENT.md"}},
		"authored, delete against edit": {[]string{"note.md", "one\n"}, []string{"note.md", gone}, []string{"note.md", "two\n"},
			[]string{"note.md", "two\n"}, []string{"delete-edit note.md"}},
		"binary": {[]string{"p.bin", "\x00\x01"}, []string{"p.bin", "\x00early"}, []string{"p.bin", "\x00late"}, []string{"p.bin", "\x00late"}, []string{"unparsed p.bin"}},
		"policy by key": {nil, []string{"memsync.toml", "format = 1\n\n[limits]\nbody_lines = 300\n"}, []string{"memsync.toml", "format = 1\n\n[deletes]\nhold_files = 3\n"},
			[]string{"memsync.toml", "*body_lines = 300"}, nil},
		"the joined policy says what is a memory": {[]string{m, a0, "memory/drafts/user_x.md", memo(idB, "X", "x")},
			[]string{"memsync.toml", "format = 1\n\n[[scope]]\npath = \"memory\"\nignore = [\"drafts/**\"]\n"}, []string{"memory/user_c.md", memo(idC, "C", "c")},
			[]string{"memory/MEMORY.md", "*[C](user_c.md)"}, nil},
		"ledgers united, in the order of ids": {[]string{ledgerA, event(1, memsync.LedgerLink, idA, "")},
			[]string{ledgerA, event(1, memsync.LedgerLink, idA, "") + event(3, memsync.LedgerLink, idA, "")}, []string{ledgerA, event(1, memsync.LedgerLink, idA, "") + event(2, memsync.LedgerLink, idA, "")},
			[]string{ledgerA, event(1, memsync.LedgerLink, idA, "") + event(2, memsync.LedgerLink, idA, "") + event(3, memsync.LedgerLink, idA, "")}, nil},
		"a ledger that one side lost": {[]string{ledgerA, event(1, memsync.LedgerForget, idA, "")}, []string{ledgerA, gone}, []string{m, a0},
			[]string{ledgerA, event(1, memsync.LedgerForget, idA, ""), m, gone}, []string{"forget-edit"}},
		"REVIEW.md by union": {[]string{"memory/REVIEW.md", "# Review\n\n- [ ] x\n"}, []string{"memory/REVIEW.md", "# Review\n\n- [x] x\n"}, []string{"memory/REVIEW.md", "# Review\n\n- [ ] x\n- [ ] y\n"},
			[]string{"memory/REVIEW.md", "*- [x] x"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFork(t, c.base, c.a, c.b)
			r := f.join()
			for i := 0; i < len(c.want); i += 2 {
				got := f.text(r.Tree, c.want[i])
				if word, part := strings.CutPrefix(c.want[i+1], "*"); part && strings.Contains(got, word) || got == c.want[i+1] {
					continue
				}
				t.Errorf("%s is\n%s\nwant\n%s", c.want[i], got, c.want[i+1])
			}
			if got := kinds(r); !slices.Equal(got, c.conflicts) {
				t.Errorf("conflicts %q, want %q", got, c.conflicts)
			}
			for _, k := range r.Conflicts {
				rec, err := merge.ParseRecord([]byte(f.text(r.Tree, string(k.Path))))
				if err != nil || rec.Kind != k.Kind {
					t.Errorf("the copy %s does not read: %v", k.Path, err)
				}
				if k.Kind == merge.ForgetEdit && (rec.Commit == "" || len(rec.Places) > 0) {
					t.Errorf("a forgotten memory's record: %+v", rec)
				}
			}
			f.fixed(t, r)
			if t.Failed() {
				t.Log(f.show(r.Tree))
			}
		})
	}
}

// fixed: joining what was joined with a tip of it changes nothing, and so does
// deriving again.
func (f *fork) fixed(t testing.TB, r *Result) {
	t.Helper()
	tip := f.land(r)
	side := f.commit(f.tree(r.Tree, "zz.txt", "x\n"), r.Time.Add(time.Minute), tip)
	other := f.commit(f.tree(r.Tree, "yy.txt", "x\n"), r.Time.Add(time.Minute), tip)
	again := f.memory.join(t, side, other)
	for p, e := range r.Tree {
		if again.Tree[p] != e {
			t.Errorf("%s is no fixed point:\n%s\n%s", p, f.text(r.Tree, string(p)), f.text(again.Tree, string(p)))
		}
	}
	if len(again.Tree) != len(r.Tree)+2 {
		t.Errorf("%d files became %d", len(r.Tree)+2, len(again.Tree))
	}
}

func TestJoinModes(t *testing.T) {
	f := newFork(t, []string{"run.sh", "one\n", "l", "there"}, nil, nil)
	root := f.commits[f.base].tree
	x := f.tree(root)
	x["run.sh"] = Entry{x["run.sh"].Blob, ModeExec}
	x["l"] = Entry{f.put([]byte("early")), ModeLink}
	x["sub"] = Entry{strings.Repeat("1", 40), ModeModule}
	y := f.tree(root, "run.sh", "two\n")
	y["l"] = Entry{f.put([]byte("late")), ModeLink}
	y["sub"] = Entry{strings.Repeat("2", 40), ModeModule}
	a, b := f.commit(x, day0.Add(time.Hour), f.base), f.commit(y, day0.Add(2*time.Hour), f.base)
	r := f.memory.join(t, a, b)
	if got := r.Tree["run.sh"]; got.Mode != ModeExec || f.text(r.Tree, "run.sh") != "two\n" {
		t.Errorf("run.sh is %+v", got)
	}
	if f.text(r.Tree, "l") != "late" || r.Tree["l"].Mode != ModeLink || r.Tree["sub"] != y["sub"] {
		t.Errorf("link %q, submodule %+v", f.text(r.Tree, "l"), r.Tree["sub"])
	}
	if got := kinds(r); fmt.Sprint(got) != "[unparsed l unparsed sub]" {
		t.Error(got)
	}
}

// Ids that stand in the ledger are followed like those in files, and two that
// meet at one path keep theirs.
func TestJoinLedgerIdentity(t *testing.T) {
	toml := "format = 1\n\n[[scope]]\npath = \"memory\"\nidentity = \"ledger\"\n"
	identify := func(n int, id, p string) string { return event(n, memsync.LedgerIdentify, id, p) }
	f := newFork(t, []string{"memsync.toml", toml, "memory/x.md", "one\n\ntwo\n", ledgerA, identify(1, idA, "x.md")},
		[]string{"memory/x.md", gone, "memory/y.md", "one\n\ntwo\n", ledgerA, identify(1, idA, "x.md") + identify(2, idA, "y.md"),
			"memory/new.md", "a\n"},
		[]string{"memory/x.md", "one\n\nTWO\n", ledgerB, identify(3, idC, "new.md"), "memory/new.md", "c\n"})
	// The other side's event for the contested path.
	root := f.commits[f.a].tree
	f.a = f.commit(f.tree(root, ledgerA, f.text(root, ledgerA)+identify(4, idB, "new.md")), day0.Add(90*time.Minute), f.a)
	r := f.join()
	if got := f.text(r.Tree, "memory/y.md"); got != "one\n\nTWO\n" || f.text(r.Tree, "memory/x.md") != gone {
		t.Errorf("the edit did not follow the rename: %q", got)
	}
	if f.text(r.Tree, "memory/new.md") != "a\n" || f.text(r.Tree, "memory/new-2.md") != "c\n" {
		t.Errorf("two memories at one path:\n%s", f.show(r.Tree))
	}
	s := f.state(r.Tree)
	for p, want := range map[memsync.Path]memsync.ID{"memory/y.md": idA, "memory/new.md": idB, "memory/new-2.md": idC} {
		if got, _ := s.Identity(p); got != want {
			t.Errorf("%s is %s, want %s", p, got, want)
		}
	}
}

func (m *memory) state(t Tree) *ledger.State {
	var all []ledger.Located
	for p := range t {
		if strings.HasSuffix(string(p), ".jsonl") {
			lines, _ := ledger.Parse(p, []byte(m.text(t, string(p))))
			all = append(all, ledger.Locate("memory", p, lines)...)
		}
	}
	return ledger.Fold(all)
}

// Two best ancestors are folded; what each side did on top of both counts once.
func TestJoinCrissCross(t *testing.T) {
	const p = "memory/user_a.md"
	f := newFork(t, []string{p, memo(idA, "A", "one\n\ntwo\n\nthree")},
		[]string{p, memo(idA, "A", "ONE\n\ntwo\n\nthree")}, []string{p, memo(idA, "A", "one\n\ntwo\n\nTHREE")})
	both := f.tree(f.commits[f.base].tree, p, memo(idA, "A", "ONE\n\ntwo\n\nTHREE"))
	x := f.commit(f.tree(both, "x.md", "x\n"), day0.Add(3*time.Hour), f.a, f.b)
	y := f.commit(f.tree(both, p, memo(idA, "A", "ONE\n\nTWO\n\nTHREE")), day0.Add(4*time.Hour), f.b, f.a)
	if bases, _ := f.Bases([]string{x}, []string{y}); len(bases) != 2 {
		t.Fatalf("%d bases", len(bases))
	}
	r := f.memory.join(t, x, y)
	if got := f.text(r.Tree, p); got != memo(idA, "A", "ONE\n\nTWO\n\nTHREE") || len(r.Conflicts) > 0 || f.text(r.Tree, "x.md") != "x\n" {
		t.Errorf("%s\n%v", got, r.Conflicts)
	}
}

// A conflict copy that the fold of two bases would make is nobody's deletion.
func TestJoinCrissCrossKeepsCopies(t *testing.T) {
	const p = "memory/user_a.md"
	f := newFork(t, []string{p, memo(idA, "A", "one")}, []string{p, memo(idA, "A", "early")}, []string{p, memo(idA, "A", "late")})
	m := f.join()
	x := f.commit(f.tree(m.Tree, "x.md", "x\n"), day0.Add(3*time.Hour), f.a, f.b)
	y := f.commit(f.tree(m.Tree, "y.md", "y\n"), day0.Add(4*time.Hour), f.b, f.a)
	r := f.memory.join(t, x, y)
	for p, e := range m.Tree {
		if r.Tree[p] != e {
			t.Errorf("%s changed", p)
		}
	}
	y = f.commit(f.tree(f.commits[f.b].tree, "y.md", "y\n"), day0.Add(4*time.Hour), f.b, f.a)
	if r = f.memory.join(t, x, y); f.text(r.Tree, string(m.Conflicts[0].Path)) == gone {
		t.Error("the copy that one side had is gone")
	}
}

func TestJoinRefuses(t *testing.T) {
	m := newMemory()
	a := m.commit(m.tree(nil, "a", "a"), day0)
	b := m.commit(m.tree(nil, "b", "b"), day0)
	if _, err := Tips(m, a, b); memsync.CodeOf(err) != memsync.CodeSyncUnrelated {
		t.Errorf("unrelated histories: %v", err)
	}
	f := newFork(t, nil, []string{"memsync.toml", "format = 2\n"}, []string{"x", "x"})
	if _, err := Tips(f, f.a, f.b); memsync.CodeOf(err) != memsync.CodeStoreFormat {
		t.Errorf("a format of tomorrow: %v", err)
	}
}
