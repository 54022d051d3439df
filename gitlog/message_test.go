package gitlog

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"memsync"
	"memsync/gitlog/journal"
)

func messagePlan(decisions ...memsync.Decision) *memsync.Plan {
	return &memsync.Plan{ID: "01KK40DQ9S0W00M00000000000", At: planTime, Decisions: decisions}
}

func TestMessage(t *testing.T) {
	ann := memsync.Actor{Class: memsync.ClassPerson, Name: "ann"}
	bot := memsync.Actor{Class: memsync.ClassAgent, Name: "reviewer"}
	update := memsync.Decision{Op: memsync.OpUpdate, Scope: "global", Path: "memory/user_review-style.md", Memory: "01KK40DQ9S0W00M00000000001",
		Origin: memsync.OriginTool, Actor: bot, Conversation: "c-90"}
	add := memsync.Decision{Op: memsync.OpAdd, Scope: "global", Path: "memory/notes.md", Memory: "01KK40DQ9S0W00M00000000002", Origin: memsync.OriginFile, Actor: ann}
	authored := memsync.Decision{Op: memsync.OpAuthored, Path: "agents/x/AGENT.md", Origin: memsync.OriginFile, Actor: ann}
	noop := memsync.Decision{Op: memsync.OpNoop, Scope: "global", Path: "memory/x.md", Origin: memsync.OriginFile, Actor: ann}
	for _, c := range []struct {
		name      string
		decisions []memsync.Decision
		want      string
	}{
		{"one", []memsync.Decision{update}, `memory(global): update user/review-style

Memory-Decision: 01KK40DQ9S0W00M00000000000.0
Memory-Id: 01KK40DQ9S0W00M00000000001
Memory-Op: update
Memory-Origin: tool
Memory-Actor: agent:reviewer
Memory-Conversation: c-90
Memory-At: 2026-03-07T11:20:09.001Z
`},
		{"a batch: count and list", []memsync.Decision{update, add}, `memory(global): 2 changes

- update user/review-style
- add other/notes

Memory-Decision: 01KK40DQ9S0W00M00000000000.0
Memory-Decision: 01KK40DQ9S0W00M00000000000.1
Memory-Id: 01KK40DQ9S0W00M00000000001
Memory-Id: 01KK40DQ9S0W00M00000000002
Memory-Op: update
Memory-Op: add
Memory-Origin: tool
Memory-Origin: file
Memory-Actor: agent:reviewer
Memory-Actor: person:ann
Memory-Conversation: c-90
Memory-Conversation: -
Memory-At: 2026-03-07T11:20:09.001Z
`},
		{"a file that is no memory", []memsync.Decision{authored}, `memory: authored agents/x/AGENT.md

Memory-Decision: 01KK40DQ9S0W00M00000000000.0
Memory-Op: authored
Memory-Origin: file
Memory-Actor: person:ann
Memory-At: 2026-03-07T11:20:09.001Z
`},
		{"what changes nothing is not listed", []memsync.Decision{add, noop}, `memory(global): add other/notes

Memory-Decision: 01KK40DQ9S0W00M00000000000.0
Memory-Decision: 01KK40DQ9S0W00M00000000000.1
Memory-Id: 01KK40DQ9S0W00M00000000002
Memory-Id: -
Memory-Op: add
Memory-Op: noop
Memory-Origin: file
Memory-Actor: person:ann
Memory-At: 2026-03-07T11:20:09.001Z
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Message(messagePlan(c.decisions...))); diff != "" {
				t.Error(diff)
			}
		})
	}
	p := messagePlan(update)
	p.Subject = "memory(global): revert\nMemory-Actor: person"
	if got := Message(p); !strings.HasPrefix(got, `memory(global): revert\nMemory-Actor: person`+"\n\nMemory-Decision") {
		t.Errorf("the keeper's subject became %q", got)
	}
}

func TestMessageOfMany(t *testing.T) {
	var list []memsync.Decision
	for i := range 1000 {
		list = append(list, memsync.Decision{Op: memsync.OpAdd, Scope: "global", Path: memsync.Path(fmt.Sprintf("memory/user_%d.md", i))})
	}
	got := Message(messagePlan(list...))
	if !strings.HasPrefix(got, "memory(global): add 1000 files\n") || !strings.Contains(got, "\nand 950 more\n") {
		t.Error(got[:200])
	}
	v := Version{Trailers: trailersOf(got)}
	if n := len(v.Decisions()); n != 1000 {
		t.Errorf("%d decisions are named", n)
	}
}

// Whatever a memory, an agent or a conversation is called, it makes no line of
// its own and the trailers read back as what they were.
func TestMessageProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hostile := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"a\nMemory-Op: delete", "x\r\n\r\nMemory-Id: y", "\u202egnp.md", "\u2028", "a\x00b", "\xff\xfe", "-", ""}))
		n := rapid.IntRange(1, 4).Draw(t, "decisions")
		var list []memsync.Decision
		for range n {
			list = append(list, memsync.Decision{
				Op:   rapid.SampledFrom([]memsync.Op{memsync.OpAdd, memsync.OpUpdate, memsync.OpDelete, memsync.OpNoop, "x\ny"}).Draw(t, "op"),
				Path: memsync.Path(hostile.Draw(t, "path")), Scope: hostile.Draw(t, "scope"), Memory: memsync.ID(hostile.Draw(t, "id")),
				Actor:        memsync.Actor{Class: memsync.ActorClass(hostile.Draw(t, "class")), Name: hostile.Draw(t, "name")},
				Conversation: hostile.Draw(t, "conversation"), Origin: memsync.OriginTool,
			})
		}
		p := messagePlan(list...)
		got := Message(p)
		for _, r := range got {
			if r != '\n' && r != '…' && !unicode.IsGraphic(r) {
				t.Fatalf("%q in %q", r, got)
			}
		}
		have := Version{Trailers: trailersOf(got)}.Decisions()
		if len(have) != n {
			t.Fatalf("%d of %d decisions read back from %q", len(have), n, got)
		}
		for i, d := range have {
			if d.ID != journal.RecordID(p.ID, i) || d.Origin != memsync.OriginTool {
				t.Fatalf("%d reads back as %+v from %q", i, d, got)
			}
			if op := list[i].Op; op != "x\ny" && d.Op != op {
				t.Fatalf("%q reads back as %q", op, d.Op)
			}
		}
		if len(trailersOf(got)) > 7 {
			t.Fatalf("a trailer too many in %q", got)
		}
	})
}

func TestAuthorOfACommit(t *testing.T) {
	s := newLogStore(t)
	for _, c := range []struct {
		actor memsync.Actor
		want  string
	}{
		{memsync.Actor{Class: memsync.ClassPerson}, "Ann <ann@example.org>"},
		{memsync.Actor{Class: memsync.ClassAgent, Name: "reviewer"}, "reviewer <reviewer@memsync.localhost>"},
		{memsync.Actor{Class: memsync.ClassAgent, Name: "Ü <x>\ny"}, `Ü x\ny <---x--y@memsync.localhost>`},
		{memsync.Actor{Class: memsync.ClassProgram, Name: "unknown"}, "unknown <unknown@memsync.localhost>"},
		{memsync.Actor{Class: memsync.ClassProgram}, "Ann <ann@example.org>"}, // a script that a person runs
		{memsync.Actor{}, "memsync <memsync@localhost>"},
	} {
		p := s.plan("memory/a.md", fmt.Sprint(c.actor))
		p.Author = c.actor
		s.mustApply(p)
		if got := s.git("log", "-1", "--format=%an <%ae>|%cn"); got != c.want+"|memsync" {
			t.Errorf("%+v: %s", c.actor, got)
		}
	}
}
