package ledger

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"memsync"
)

// The universe of the random histories: small, so that events meet.
var (
	memories     = []memsync.ID{id("M1"), id("M2"), id("M3")}
	scopes       = []memsync.Path{"memory", "agents/a/memory"}
	paths        = []memsync.Path{"a.md", "b.md", "sub/a.md"}
	values       = []memsync.Hash{"v1", "v2"}
	fingerprints = []string{"f1", "f2"}
	blobs        = []string{"b1", "b2"}
	actors       = []memsync.Actor{person, agent, program}
	ops          = []memsync.LedgerOp{
		memsync.LedgerDelete, memsync.LedgerRestore, memsync.LedgerRevive, memsync.LedgerArchive, memsync.LedgerForget,
		memsync.LedgerAccept, memsync.LedgerAllow, memsync.LedgerQuarantine, memsync.LedgerIdentify, memsync.LedgerRejectValue,
		memsync.LedgerInvalidate, memsync.LedgerCorroborate, "from-the-future",
	}
)

// view is everything a State answers, as text: two States are the same when
// nobody can tell them apart.
func view(s *State) string {
	var b strings.Builder
	say := func(what string, e memsync.LedgerEvent, ok bool) {
		if ok {
			fmt.Fprintf(&b, "%s: %s", what, appendLine(nil, &e))
		}
	}
	fmt.Fprintf(&b, "%d events\n", s.Len())
	for _, m := range memories {
		e, ok := s.Deleted(m)
		say("deleted "+string(m), e, ok)
		e, ok = s.Archived(m)
		say("archived "+string(m), e, ok)
		e, ok = s.Forgotten(m)
		say("forgotten "+string(m), e, ok)
		fmt.Fprintf(&b, "paths %s: %v\nsupports: %v\n", m, s.PathsOf(m), s.Supports(m))
		for _, e := range s.Events(m) {
			say("event", e, true)
		}
	}
	for _, scope := range scopes {
		for _, v := range values {
			e, ok := s.Rejected(scope, v)
			say("rejected "+string(scope)+" "+string(v), e, ok)
		}
		for _, rel := range paths {
			p := scope.Join(string(rel))
			e, ok := s.DeletedAt(p)
			say("deleted at "+string(p), e, ok)
			e, ok = s.ForgottenAt(p)
			say("forgotten at "+string(p), e, ok)
			for _, f := range fingerprints {
				fmt.Fprintf(&b, "allowed %s %s: %v\n", p, f, s.Allowed(p, f))
			}
			for _, blob := range blobs {
				e, ok = s.Quarantined(p, blob)
				say("quarantined "+string(p)+" "+blob, e, ok)
			}
			m, ok := s.Identity(p)
			fmt.Fprintf(&b, "identity %s: %s %v\n", p, m, ok)
		}
	}
	for _, f := range s.Problems() {
		fmt.Fprintf(&b, "%+v\n", f)
	}
	return b.String()
}

// genHistory draws distinct ids unless clashes is set; then an id may stand
// under several different events.
func genHistory(clashes bool) *rapid.Generator[[]Located] {
	return rapid.Custom(func(t *rapid.T) []Located {
		n := rapid.IntRange(0, 14).Draw(t, "n")
		var out []Located
		for i := range n {
			number := i
			if clashes {
				number = rapid.IntRange(0, 9).Draw(t, "number")
			}
			scope := rapid.SampledFrom(scopes).Draw(t, "scope")
			e := memsync.LedgerEvent{
				ID: id(fmt.Sprintf("E%02d", number)), Op: rapid.SampledFrom(ops).Draw(t, "op"), At: time.UnixMilli(1e12).UTC(),
				Actor: rapid.SampledFrom(actors).Draw(t, "actor"), Memory: rapid.SampledFrom(memories).Draw(t, "memory"),
				Path:        rapid.SampledFrom(append([]memsync.Path{""}, paths...)).Draw(t, "path"),
				Value:       rapid.SampledFrom(append([]memsync.Hash{""}, values...)).Draw(t, "value"),
				Fingerprint: rapid.SampledFrom([]string{"", "f1", "f2", "f1,f2"}).Draw(t, "fingerprint"),
				Blob:        rapid.SampledFrom(blobs).Draw(t, "blob"), Conversation: rapid.SampledFrom([]string{"", "c1", "c2"}).Draw(t, "conversation"),
			}
			for range rapid.IntRange(0, 2).Draw(t, "sees") {
				e.Sees = append(e.Sees, id(fmt.Sprintf("E%02d", rapid.IntRange(0, 13).Draw(t, "seen"))))
			}
			file := scope.Join("_system/ledger", rapid.SampledFrom([]string{"1.jsonl", "2.jsonl"}).Draw(t, "file"))
			out = append(out, Located{LedgerEvent: e, Scope: scope, File: file})
		}
		return out
	})
}

// shuffled is the history in another order, some events repeated.
func shuffled(t *rapid.T, events []Located) []Located {
	other := rapid.Permutation(events).Draw(t, "order")
	if len(other) > 0 {
		for range rapid.IntRange(0, 4).Draw(t, "repeats") {
			other = append(other, rapid.SampledFrom(events).Draw(t, "again"))
		}
	}
	return other
}

func TestSameEventsAnyOrderSameState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := genHistory(true).Draw(t, "events")
		want := view(Fold(events))
		if d := cmp.Diff(want, view(Fold(shuffled(t, events)))); d != "" {
			t.Fatal(d)
		}
	})
}

func TestWithIsTheFoldOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := genHistory(true).Draw(t, "events")
		other := shuffled(t, events)
		s := Fold(nil)
		for len(other) > 0 {
			n := rapid.IntRange(1, len(other)).Draw(t, "step")
			before := view(s)
			next := s.With(other[:n]...)
			s.With(Located{LedgerEvent: memsync.LedgerEvent{ID: id("ZZ"), Op: memsync.LedgerForget, Memory: id("M1"), Path: "a.md"}, Scope: "memory"})
			if rapid.Bool().Draw(t, "flatten") {
				next = next.flatten()
			}
			if d := cmp.Diff(before, view(s)); d != "" {
				t.Fatal("With changed the State it was called on: " + d)
			}
			s, other = next, other[n:]
		}
		if d := cmp.Diff(view(Fold(events)), view(s)); d != "" {
			t.Fatal(d)
		}
	})
}

func TestForgottenStaysForgotten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := genHistory(false).Draw(t, "events")
		n := rapid.IntRange(0, len(events)).Draw(t, "n")
		before, after := Fold(events[:n]), Fold(events)
		for _, m := range memories {
			_, was := before.Forgotten(m)
			if _, is := after.Forgotten(m); was && !is {
				t.Fatalf("%s came back", m)
			}
		}
	})
}

// TestStatesShareNoRoom: two States made from one must not write into the same
// spare room of a list, nor two answers.
func TestStatesShareNoRoom(t *testing.T) {
	del := func(n int) Located {
		return Located{LedgerEvent: memsync.LedgerEvent{ID: id(fmt.Sprintf("E%d", n)), Op: memsync.LedgerDelete, Memory: id("M1"), Path: "a.md"}, Scope: "memory"}
	}
	for _, s := range []*State{Fold([]Located{del(1), del(2), del(3)}), Fold(nil).With(del(1), del(2), del(3)), Fold(nil).With(del(1)).With(del(2)).With(del(3))} {
		a, b := s.With(del(4)), s.With(del(5))
		for i, other := range []*State{a.With(del(6)), a.With(del(7)), a.With(del(8)), a.With(del(9))} {
			seen := other.about(id("M1"))
			a.With(del(0)).about(id("M1"))
			b.With(del(0)).about(id("M1"))
			var got []string
			for _, e := range seen {
				got = append(got, short(e.ID))
			}
			if d := cmp.Diff([]string{"E1", "E2", "E3", "E4", fmt.Sprintf("E%d", 6+i)}, got); d != "" {
				t.Error(d)
			}
		}
	}
}

// TestLineUnionMergesAreHarmless merges two clones' versions of one file as
// git's union driver does, in both directions, overlaps included.
func TestLineUnionMergesAreHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := genHistory(false).Draw(t, "events")
		a := rapid.IntRange(0, len(events)).Draw(t, "a")
		b := rapid.IntRange(0, len(events)).Draw(t, "b")
		file := func(events []Located) []byte {
			var plain []memsync.LedgerEvent
			for _, e := range events {
				plain = append(plain, e.LedgerEvent)
			}
			return Append(nil, plain...)
		}
		ours, theirs := file(events[:a]), file(events[b:])
		read := func(data []byte) string {
			got, findings := Parse("l", data)
			if len(findings) > 0 {
				t.Fatal(findings)
			}
			return view(Fold(Locate("memory", "memory/_system/ledger/1.jsonl", got)))
		}
		if d := cmp.Diff(read(append(slices.Clone(ours), theirs...)), read(append(slices.Clone(theirs), ours...))); d != "" {
			t.Fatal(d)
		}
	})
}

func TestContradictionsAreDroppedAndNamed(t *testing.T) {
	del := memsync.LedgerEvent{ID: id("E1"), Op: memsync.LedgerDelete, Memory: id("M1"), Actor: person}
	other := del
	other.Memory = id("M2")
	one, two := memsync.Path("memory/_system/ledger/1.jsonl"), memsync.Path("memory/_system/ledger/2.jsonl")
	in := func(file memsync.Path, events ...memsync.LedgerEvent) []Located {
		return Locate("memory", file, events)
	}
	for name, tc := range map[string]struct {
		events []Located
		files  []memsync.Path
	}{
		"in one file":         {in(one, del, other), []memsync.Path{one}},
		"in two files":        {slices.Concat(in(two, del), in(one, other)), []memsync.Path{one, two}},
		"the first one twice": {slices.Concat(in(one, del), in(one, other), in(two, del)), []memsync.Path{one, two}},
	} {
		s := Fold(tc.events)
		for _, m := range []memsync.ID{del.Memory, other.Memory} {
			if _, ok := s.Deleted(m); ok || len(s.Events(m)) > 0 {
				t.Errorf("%s: an event that is contradicted counts for %s", name, m)
			}
		}
		var files []memsync.Path
		for _, f := range s.Problems() {
			if f.Code != memsync.FindLedgerLine || !strings.Contains(f.Message, string(del.ID)) {
				t.Errorf("%s: %+v", name, f)
			}
			files = append(files, f.Path)
		}
		if d := cmp.Diff(tc.files, files); d != "" {
			t.Errorf("%s: files named: %s", name, d)
		}
	}
	// Parse leaves them to Fold, which sees every file.
	if got, findings := Parse(one, Append(nil, del, other, del)); len(got) != 2 || len(findings) > 0 {
		t.Errorf("Parse: %d events, %v", len(got), findings)
	}
}

func BenchmarkFold(b *testing.B) {
	events := history(100000)
	b.ReportAllocs()
	for b.Loop() {
		Fold(events)
	}
}

func BenchmarkWith(b *testing.B) {
	events := history(100000)
	s := Fold(events)
	for i := range 1000 {
		s = s.With(Located{LedgerEvent: memsync.LedgerEvent{ID: DerivedID(time.UnixMilli(int64(2e12+i)), "e"), Op: memsync.LedgerDelete, Memory: events[i].Memory}})
	}
	e := Located{LedgerEvent: memsync.LedgerEvent{ID: DerivedID(time.UnixMilli(3e12), "e"), Op: memsync.LedgerDelete, Memory: events[7].Memory}}
	b.ReportAllocs()
	for b.Loop() {
		s.With(e)
	}
}

func history(n int) []Located {
	events := make([]Located, n)
	for i := range events {
		at := time.UnixMilli(int64(1e12 + i))
		events[i] = Located{LedgerEvent: memsync.LedgerEvent{
			ID: DerivedID(at, "e"), Op: memsync.LedgerIdentify, Memory: DerivedID(time.UnixMilli(int64(i%20000)), "m"), At: at,
			Actor: program, Path: memsync.Path(fmt.Sprintf("feedback/2026-01/feedback_%d.md", i%20000)),
		}, Scope: "memory", File: "memory/_system/ledger/2026-03.c.jsonl"}
	}
	return events
}
