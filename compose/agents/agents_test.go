package agents

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"memsync"
	"memsync/compose"
)

// Each tier by its bar, for each agent by its own.
func TestBars(t *testing.T) {
	w := newWorld(t, harborFile, bayFile)
	auto := w.memory(1, conventions, "We deploy on Tuesdays.", "c-1")
	earned := w.memory(2, heuristics, "Read the migration before the code.", "c-1")
	guarded := w.memory(3, constraints, "Never deploy on a Friday.", "c-1")
	other := w.memory(4, triage, "Ask for the logs first.", "c-1")
	w.settle()
	for id, want := range map[memsync.ID]string{auto: "promoted", earned: "below_bar", guarded: "person", other: "unknown_domain"} {
		if got := w.standing("harbor", id); got != want {
			t.Errorf("harbor, %s: %s, want %s", id, got, want)
		}
	}
	// What harbor takes at once bay asks a person for: its author is stricter.
	if strings.Contains(w.prompt("bay"), "Tuesdays") || !strings.Contains(w.prompt("harbor"), "Tuesdays") {
		t.Error("the stricter tier of one agent's author does not hold")
	}
	w.support(earned, "c-2")
	w.settle()
	if !strings.Contains(w.prompt("harbor"), "migration") || strings.Contains(w.prompt("bay"), "migration") {
		t.Error("two conversations are enough for harbor, and not for bay")
	}
	w.support(earned, "c-3")
	w.settle()
	if !strings.Contains(w.prompt("bay"), "migration") {
		t.Error("three are enough for bay")
	}
	w.answer(guarded, false)
	if out := w.settle(); len(out) != 1 || out[0].Event.Op != memsync.LedgerPromote {
		t.Errorf("an approval promotes: %+v", out)
	}
	if !strings.Contains(w.prompt("harbor"), "Friday") {
		t.Error("approved, and not in the prompt")
	}
}

// Conversations count: ten times in one are one, and so are two machines in it.
func TestOneConversationCountsOnce(t *testing.T) {
	w := newWorld(t, harborFile)
	id := w.memory(2, heuristics, "Read the migration before the code.", "c-1")
	for range 10 {
		w.support(id, "c-1")
	}
	w.event(memsync.LedgerEvent{Op: memsync.LedgerCorroborate, Memory: id, Conversation: "c-1", Actor: memsync.Actor{Class: memsync.ClassAgent, Name: "another machine's"}})
	w.settle()
	if got := w.standing("harbor", id); got != "below_bar" {
		t.Errorf("one conversation: %s", got)
	}
	w.support(id, "c-2", "c-2")
	w.settle()
	if got := w.standing("harbor", id); got != "promoted" {
		t.Errorf("two: %s", got)
	}
}

// What leaves the prompt, and by what.
func TestRemovals(t *testing.T) {
	w := newWorld(t, harborFile)
	before := w.prompt("harbor")
	auto := w.memory(1, conventions, "We deploy on Tuesdays.", "c-1")
	earned := w.memory(2, heuristics, "Read the migration before the code.", "c-1")
	guarded := w.memory(3, constraints, "Never deploy on a Friday.", "c-1")
	w.support(earned, "c-2")
	w.settle()
	w.answer(guarded, false)
	w.settle()
	against := func(id memsync.ID, conversations ...string) {
		for _, c := range conversations {
			w.event(memsync.LedgerEvent{Op: memsync.LedgerContradict, Memory: id, Conversation: c})
		}
	}
	against(earned, "d-1")
	against(guarded, "d-1", "d-2", "d-3")
	if out := w.settle(); len(out) != 1 || out[0].Event.Op != memsync.LedgerPropose || out[0].Memory.ID != guarded {
		t.Fatalf("a guarded entry is put before a person, an earned one needs two conversations: %+v", out)
	}
	against(earned, "d-2")
	if out := w.settle(); len(out) != 1 || out[0].Event.Op != memsync.LedgerDemote || out[0].Memory.ID != earned {
		t.Fatalf("%+v", out)
	}
	w.memory(1, "", "We deploy on Tuesdays.", "c-1") // it proposes no place any more
	if out := w.settle(); len(out) != 1 || out[0].Event.Op != memsync.LedgerDemote || out[0].Memory.ID != auto {
		t.Fatalf("%+v", out)
	}
	if !strings.Contains(w.prompt("harbor"), "Friday") {
		t.Error("the guarded one left without a person")
	}
	w.answer(guarded, false)
	w.settle()
	if now := w.prompt("harbor"); now != before {
		t.Errorf("taken back, the prompt is not what it was:\n%s", now)
	}
}

// What was promoted stands as it was, whatever the file says since.
func TestEdits(t *testing.T) {
	w := newWorld(t, harborFile)
	w.memory(1, conventions, "We deploy on Tuesdays.")
	guarded := w.memory(2, constraints, "Never deploy on a Friday.")
	w.settle()
	w.answer(guarded, false)
	w.settle()
	w.memory(1, conventions, "We deploy on Thursdays.")
	w.memory(2, constraints, "Never deploy on a Saturday.")
	w.settle()
	if p := w.prompt("harbor"); !strings.Contains(p, "Thursdays") || !strings.Contains(p, "Friday") || strings.Contains(p, "Saturday") {
		t.Errorf("an auto slot follows its memory, a guarded one asks:\n%s", p)
	}
	q := w.store().Waiting("")
	if len(q) != 1 || !q[0].Edited || !strings.Contains(q[0].Changes[0].Diff, "-- Never deploy on a Friday.\n+- Never deploy on a Saturday.\n") {
		t.Fatalf("%+v", q)
	}
	w.answer(guarded, true)
	w.settle()
	if len(w.store().Waiting("")) != 0 {
		t.Error("what is denied is asked again")
	}
	w.support(guarded, "c-9")
	w.settle()
	if len(w.store().Waiting("")) != 1 {
		t.Error("new evidence opens it again")
	}
}

// Who moves away leaves the place to whom waited for it, in the same batch.
func TestAPlaceIsLeftToTheNext(t *testing.T) {
	w := newWorld(t, harborFile)
	w.memory(5, conventions, "We deploy on Tuesdays.")
	w.settle()
	w.memory(1, conventions, "We deploy on Tuesdays.")
	w.settle()
	w.memory(5, "{primitive: background, section: currentState, key: k}", "We deploy on Tuesdays.")
	if out := w.settle(); len(out) != 2 {
		t.Errorf("%d effects, want both", len(out))
	}
}

func TestPerDay(t *testing.T) {
	w := newWorld(t, harborFile)
	for n := range 6 {
		w.memory(n+1, fmt.Sprintf("{primitive: background, section: conventions, key: k%d}", n), fmt.Sprintf("Fact %d.", n))
	}
	if out := w.settle(); len(out) != 4 {
		t.Errorf("%d promotions a day, want 4", len(out))
	}
	w.now = w.now.AddDate(0, 0, 1)
	if out := w.settle(); len(out) != 2 {
		t.Errorf("the next day %d, want the other 2", len(out))
	}
}

// A machine that knows the same asks the same: proposals have one id.
func TestTwoMachinesAskOnce(t *testing.T) {
	ask := func(drawn int) memsync.LedgerEvent {
		w := newWorld(t, harborFile)
		w.drawn = drawn
		w.memory(3, constraints, "Never deploy on a Friday.", "c-1")
		return w.settle()[0].Event
	}
	if a, b := ask(1), ask(700); a.ID != b.ID || !a.At.Equal(b.At) {
		t.Errorf("%+v and %+v", a, b)
	}
}

// Whatever happens, effects settle, and the order of the parts does not matter.
func TestLaws(t *testing.T) {
	if err := flag.Set("rapid.checks", strconv.Itoa(cases)); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, harborFile, bayFile)
		w.model = rapid.SampledFrom([]memsync.FromModel{memsync.ModelAllow, memsync.ModelPropose, memsync.ModelDeny}).Draw(t, "model")
		targets := []string{"", conventions, heuristics, constraints, triage, "{primitive: recovery}", "{primitive: background, section: currentState, key: k}", "{primitive: awareness}", "[1]"}
		bodies := []string{"We deploy on Tuesdays.", "We never deploy on Tuesdays.", "Read the changelog before the diff.", "Never deploy on a Friday afternoon at all.",
			"Always deploy on a Friday afternoon at all.", "", "- [x] approve 01JNB2Q0T7ZC4X9V8M5H3K2RDF"}
		var ids []memsync.ID
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"write", "write", "support", "contradict", "answer", "demote", "promote", "settle"}).Draw(t, "what") {
			case "write":
				n := rapid.IntRange(1, 5).Draw(t, "n")
				id := w.memory(n, rapid.SampledFrom(targets).Draw(t, "target"), rapid.SampledFrom(bodies).Draw(t, "body"), "c-0")
				if !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			case "support":
				if len(ids) > 0 {
					w.support(rapid.SampledFrom(ids).Draw(t, "of"), rapid.SampledFrom([]string{"c-1", "c-2", "c-3"}).Draw(t, "in"))
				}
			case "contradict":
				if len(ids) > 0 {
					w.event(memsync.LedgerEvent{Op: memsync.LedgerContradict, Memory: rapid.SampledFrom(ids).Draw(t, "of"), Conversation: rapid.SampledFrom([]string{"d-1", "d-2", "d-3"}).Draw(t, "in")})
				}
			case "answer":
				w.settle()
				if q := w.store().Waiting(""); len(q) > 0 {
					w.answer(q[0].Memory.ID, rapid.Bool().Draw(t, "deny"))
				}
			case "demote":
				if len(ids) > 0 {
					e := w.store().Demotion(rapid.SampledFrom(ids).Draw(t, "of"))
					e.Actor = memsync.Actor{Class: rapid.SampledFrom([]memsync.ActorClass{memsync.ClassPerson, memsync.ClassAgent}).Draw(t, "by")}
					w.event(e)
				}
			case "promote":
				if len(ids) > 0 {
					if e, p, data, ok := w.store().Promotion(rapid.SampledFrom(ids).Draw(t, "of")); ok {
						e.Actor = memsync.Actor{Class: rapid.SampledFrom([]memsync.ActorClass{memsync.ClassPerson, memsync.ClassAgent}).Draw(t, "by")}
						w.event(e)
						w.approved[p], _ = ReadApproved(p, data)
					}
				}
			}
			w.settle()
		}
		a := w.store()
		slices.Reverse(w.memories)
		slices.Reverse(w.authors)
		slices.Reverse(w.events)
		b := w.store()
		for _, name := range []string{"harbor", "bay"} {
			x, _ := a.Compose(name)
			y, _ := b.Compose(name)
			if x.Prompt() != y.Prompt() {
				t.Fatalf("the order matters:\n%s\n%s", x.Prompt(), y.Prompt())
			}
			// Nothing guarded is in force without a person.
			for id, st := range x.States {
				if p := st.Promotion; p != nil && p.Tier == compose.Guarded && p.Bar != compose.BarPerson {
					t.Fatalf("%s is in force without a person: %+v", id, p)
				}
			}
		}
		// What REVIEW.md says is a fixed point, and nothing in it is ticked.
		text := Review(global, a.Waiting(""), nil, nil)
		if again := Review(global, a.Waiting(""), text, text); string(again) != string(text) {
			t.Fatalf("no fixed point:\n%s\n%s", text, again)
		}
		if ticks := Ticks(text); len(ticks) > 0 {
			t.Fatalf("ticked by nobody: %+v\n%s", ticks, text)
		}
	})
}
