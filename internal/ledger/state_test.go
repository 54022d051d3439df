package ledger

import (
	"strings"
	"testing"

	"memsync"
)

// story reads a history from a small language, one event a line:
//
//	E1 person delete M1 a.md           id, actor, op, memory, path
//	E2 agent  restore M1 - sees=E1     "-" for none; then key=value
//
// Actors: person, agent, program. Keys: sees, value, blob, fp, conv, exposed,
// scope (default memory).
func story(t *testing.T, text string) *State {
	t.Helper()
	var events []Located
	for l := range strings.Lines(text) {
		words := strings.Fields(l)
		if len(words) == 0 {
			continue
		}
		if len(words) < 5 {
			t.Fatalf("a story line needs five words: %s", l)
		}
		e := Located{Scope: "memory"}
		e.ID, e.Op = id(words[0]), memsync.LedgerOp(words[2])
		e.Actor = map[string]memsync.Actor{"person": person, "agent": agent, "program": program}[words[1]]
		if words[3] != "-" {
			e.Memory = id(words[3])
		}
		if words[4] != "-" {
			e.Path = memsync.Path(words[4])
		}
		for _, w := range words[5:] {
			key, value, _ := strings.Cut(w, "=")
			switch key {
			case "sees":
				for s := range strings.SplitSeq(value, ",") {
					e.Sees = append(e.Sees, id(s))
				}
			case "value":
				e.Value = memsync.Hash(value)
			case "blob":
				e.Blob = value
			case "fp":
				e.Fingerprint = value
			case "conv":
				e.Conversation = value
			case "exposed":
				shown := value == "yes"
				e.Exposed = &shown
			case "scope":
				e.Scope = memsync.Path(value)
			default:
				t.Fatalf("unknown key %q", key)
			}
		}
		events = append(events, e)
	}
	return Fold(events)
}

// TestState has a story for each sentence of the design and, for each
// question, the id of the event that answers it ("" for none).
func TestState(t *testing.T) {
	type want map[string]string // question -> event id
	for _, tc := range []struct {
		name, story string
		want        want
	}{
		{"a delete is in force", `
			E1 person delete M1 a.md`,
			want{"deleted M1": "E1", "deleted-at memory/a.md": "E1", "deleted M2": "", "deleted-at memory/b.md": ""}},
		{"a restore that saw it answers it", `
			E1 person delete M1 a.md
			E2 person restore M1 a.md sees=E1`,
			want{"deleted M1": "", "deleted-at memory/a.md": ""}},
		{"a revive that saw it answers it", `
			E1 person delete M1 a.md
			E2 program revive M1 - sees=E1`,
			want{"deleted M1": ""}},
		{"a restore that saw another delete does not", `
			E1 person delete M1 a.md
			E2 person delete M1 a.md
			E3 person restore M1 a.md sees=E1`,
			want{"deleted M1": "E2", "deleted-at memory/a.md": "E2"}},
		{"a restore that saw nothing does not", `
			E1 person delete M1 a.md
			E2 person restore M1 a.md`,
			want{"deleted M1": "E1"}},
		{"a clock that is behind does not matter", `
			E5 person delete M1 a.md
			E2 person restore M1 a.md sees=E5`,
			want{"deleted M1": ""}},
		{"deleted again after it came back", `
			E1 person delete M1 a.md
			E2 person restore M1 a.md sees=E1
			E3 agent delete M1 a.md`,
			want{"deleted M1": "E3", "deleted-at memory/a.md": "E3"}},
		{"a corroboration brings nothing back", `
			E1 person delete M1 a.md
			E2 agent corroborate M1 a.md sees=E1 conv=c1`,
			want{"deleted M1": "E1"}},
		{"another memory lives at the path since", `
			E1 person delete M1 a.md
			E2 program identify M2 a.md`,
			want{"deleted M1": "E1", "deleted-at memory/a.md": "", "identity memory/a.md": "M2"}},
		{"the memory itself was identified there by a clock that is ahead", `
			E3 program identify M1 a.md
			E1 person delete M1 a.md`,
			want{"deleted-at memory/a.md": "E1"}},
		{"an older delete of another memory does not come back with the last one", `
			E1 person delete M1 a.md
			E2 person delete M2 a.md
			E3 person restore M2 a.md sees=E2`,
			want{"deleted M1": "E1", "deleted-at memory/a.md": ""}},
		{"deleted where it was moved to", `
			E1 program identify M1 a.md
			E2 program identify M1 b.md
			E3 person delete M1 b.md`,
			want{"deleted-at memory/a.md": "", "deleted-at memory/b.md": "E3", "paths M1": "memory/a.md memory/b.md"}},
		{"archived, and revived by who saw it", `
			E1 program archive M1 a.md
			E2 program archive M2 b.md
			E3 agent revive M2 b.md sees=E2`,
			want{"archived M1": "E1", "archived M2": ""}},

		{"forget beats everything for its id", `
			E1 person forget M1 a.md value=v1
			E2 person restore M1 a.md sees=E1
			E3 person revive M1 a.md sees=E1
			E4 person accept M1 a.md sees=E1`,
			want{"forgotten M1": "E1"}},
		{"a forget is believed of anybody", `
			E1 agent forget M1 -`,
			want{"forgotten M1": "E1", "forgotten-at memory/a.md": ""}},
		{"the first forget is the one", `
			E2 person forget M1 -
			E1 person forget M1 -`,
			want{"forgotten M1": "E1"}},
		{"a path is forgotten until a person accepts it", `
			E1 person forget M1 a.md value=v1
			E2 person forget M2 b.md value=v2
			E3 person accept M3 b.md`,
			want{"forgotten-at memory/a.md": "E1", "forgotten-at memory/b.md": "", "forgotten M2": "E2", "rejected memory v1": "E1", "rejected memory v2": ""}},
		{"only a person accepts", `
			E1 person forget M1 a.md value=v1
			E2 agent accept M2 a.md
			E3 program accept M2 a.md sees=E1`,
			want{"forgotten-at memory/a.md": "E1", "rejected memory v1": "E1", "problem": "E2"}},
		{"an accept at another path is for that path", `
			E1 person forget M1 a.md
			E2 person accept M2 b.md`,
			want{"forgotten-at memory/a.md": "E1"}},
		{"forgotten again after an accept", `
			E1 person forget M1 a.md
			E2 person accept M2 a.md
			E3 person forget M2 a.md`,
			want{"forgotten-at memory/a.md": "E3"}},
		{"an accept that names what it saw answers nothing else", `
			E1 person forget M1 a.md
			E2 person forget M2 a.md
			E3 person accept M3 a.md sees=E1`,
			want{"forgotten-at memory/a.md": "E2"}},

		{"a value is rejected in its scope", `
			E1 person reject-value M1 - value=v1`,
			want{"rejected memory v1": "E1", "rejected memory v2": "", "rejected agents/a/memory v1": ""}},
		{"tombstone.laundering_sequence: superseding, restating and corroborating do not lift it", `
			E1 person reject-value M1 a.md value=v1
			E2 agent corroborate M1 a.md conv=c1
			E3 agent identify M2 a.md
			E4 agent restore M1 a.md sees=E1
			E5 program invalidate M1 a.md sees=E1`,
			want{"rejected memory v1": "E1"}},
		{"a person who saw it lifts it", `
			E1 person reject-value M1 - value=v1
			E2 person restore - - sees=E1
			E3 person reject-value M2 - value=v2
			E4 person invalidate - - sees=E3`,
			want{"rejected memory v1": "", "rejected memory v2": ""}},
		{"rejected twice, lifted once", `
			E1 person reject-value M1 - value=v1
			E2 person reject-value M2 - value=v1
			E3 person restore - - sees=E1`,
			want{"rejected memory v1": "E2"}},
		{"a forget rejects what it forgot, and a restore does not lift that", `
			E1 person forget M1 - value=v1
			E2 person restore M1 - sees=E1`,
			want{"rejected memory v1": "E1"}},

		{"a quarantine names path and blob", `
			E1 program quarantine M1 a.md blob=b1 fp=f1`,
			want{"quarantined memory/a.md b1": "E1", "quarantined memory/a.md b2": "", "quarantined memory/b.md b1": ""}},
		{"a person's allow of the fingerprint at the path releases it, before or after", `
			E2 program quarantine M1 a.md blob=b1 fp=f1
			E1 person allow - a.md fp=f1`,
			want{"quarantined memory/a.md b1": "", "allowed memory/a.md f1": "yes", "allowed memory/b.md f1": "", "allowed memory/a.md f2": ""}},
		{"an allow elsewhere, of another fingerprint or by an agent does not", `
			E1 program quarantine M1 a.md blob=b1 fp=f1
			E2 person allow - b.md fp=f1
			E3 person allow - a.md fp=f2
			E4 agent allow - a.md fp=f1`,
			want{"quarantined memory/a.md b1": "E1", "allowed memory/a.md f1": "", "problem": "E4"}},
		{"every fingerprint must be allowed", `
			E1 program quarantine M1 a.md blob=b1 fp=f1,f2
			E2 person allow - a.md fp=f1
			E3 program quarantine M2 b.md blob=b1 fp=f1,f2
			E4 person allow - b.md fp=f1
			E5 person allow - b.md fp=f2`,
			want{"quarantined memory/a.md b1": "E1", "quarantined memory/b.md b1": ""}},
		{"a quarantine without fingerprints ends with the next allow", `
			E1 person allow - a.md fp=f1
			E2 program quarantine M1 a.md blob=b1
			E3 program quarantine M2 b.md blob=b1
			E4 person allow - b.md fp=f1`,
			want{"quarantined memory/a.md b1": "E2", "quarantined memory/b.md b1": ""}},

		{"the newest identify wins per path", `
			E2 program identify M2 a.md
			E1 program identify M1 a.md`,
			want{"identity memory/a.md": "M2", "identity memory/b.md": "", "paths M1": "memory/a.md"}},
		{"paths are relative to the scope, and a memory keeps its events when it moves", `
			E1 program identify M1 a.md
			E2 program identify M1 a.md scope=agents/a/memory
			E3 agent corroborate M1 - conv=c1
			E4 agent corroborate M1 - conv=c2 scope=agents/a/memory`,
			want{"identity memory/a.md": "M1", "identity agents/a/memory/a.md": "M1", "paths M1": "memory/a.md agents/a/memory/a.md", "supports M1": "c1 c2"}},
		{"back at an old path, that path is the newest", `
			E1 program identify M1 a.md
			E2 program identify M1 b.md
			E3 program identify M1 a.md`,
			want{"paths M1": "memory/b.md memory/a.md"}},
		{"an op of a newer program is kept and does nothing", `
			E1 person vanish M1 a.md sees=E0
			E2 person delete M2 b.md
			E3 person vanish M2 b.md sees=E2`,
			want{"deleted M1": "", "deleted M2": "E2", "events M1": "E1"}},
		{"supports are distinct conversations, echoes not among them", `
			E1 agent corroborate M1 - conv=c1
			E2 agent corroborate M1 - conv=c1
			E3 agent corroborate M1 - conv=c2 exposed=yes
			E4 agent corroborate M1 - conv=c3 exposed=no
			E5 agent corroborate M1 -
			E6 agent contradict M1 - conv=c4`,
			want{"supports M1": "c1 c3"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := story(t, tc.story)
			for question, want := range tc.want {
				if got := ask(t, s, question); got != want {
					t.Errorf("%s: %q, want %q", question, got, want)
				}
			}
			if _, asked := tc.want["problem"]; !asked && len(s.Problems()) > 0 {
				t.Errorf("problems: %v", s.Problems())
			}
		})
	}
}

func ask(t *testing.T, s *State, question string) string {
	words := strings.Fields(question)
	event := func(e memsync.LedgerEvent, ok bool) string {
		if !ok {
			return ""
		}
		return short(e.ID)
	}
	join := func(paths []memsync.Path) string {
		var out []string
		for _, p := range paths {
			out = append(out, string(p))
		}
		return strings.Join(out, " ")
	}
	switch words[0] {
	case "deleted":
		return event(s.Deleted(id(words[1])))
	case "deleted-at":
		return event(s.DeletedAt(memsync.Path(words[1])))
	case "archived":
		return event(s.Archived(id(words[1])))
	case "forgotten":
		return event(s.Forgotten(id(words[1])))
	case "forgotten-at":
		return event(s.ForgottenAt(memsync.Path(words[1])))
	case "rejected":
		return event(s.Rejected(memsync.Path(words[1]), memsync.Hash(words[2])))
	case "quarantined":
		return event(s.Quarantined(memsync.Path(words[1]), words[2]))
	case "allowed":
		if s.Allowed(memsync.Path(words[1]), words[2]) {
			return "yes"
		}
		return ""
	case "identity":
		m, _ := s.Identity(memsync.Path(words[1]))
		return short(m)
	case "paths":
		return join(s.PathsOf(id(words[1])))
	case "supports":
		return strings.Join(s.Supports(id(words[1])), " ")
	case "events":
		var out []string
		for _, e := range s.Events(id(words[1])) {
			out = append(out, short(e.ID))
		}
		return strings.Join(out, " ")
	case "problem":
		for _, f := range s.Problems() {
			for n := range 10 {
				if e := "E" + string(rune('0'+n)); strings.Contains(f.Message, string(id(e))) {
					return e
				}
			}
		}
		return ""
	}
	t.Fatalf("unknown question %q", question)
	return ""
}

func short(i memsync.ID) string {
	if i == "" {
		return ""
	}
	return string(i[len(i)-2:])
}

func TestQuestionsAboutNothing(t *testing.T) {
	s := story(t, `
		E1 person reject-value - - 
		E2 program quarantine - a.md
		E3 person allow - a.md
		E4 program identify - a.md
		E5 person delete - a.md`)
	if _, ok := s.Deleted(""); ok {
		t.Error("no id is deleted")
	}
	if _, ok := s.Rejected("memory", ""); ok {
		t.Error("no value is rejected")
	}
	if _, ok := s.Quarantined("memory/a.md", ""); ok {
		t.Error("no blob is quarantined")
	}
	if s.Allowed("memory/a.md", "") {
		t.Error("no fingerprint is allowed")
	}
	if _, ok := s.Identity("memory/a.md"); ok {
		t.Error("an identify without a memory gives an id")
	}
	if _, ok := s.DeletedAt("memory/a.md"); ok {
		t.Error("nobody in particular is deleted")
	}
}
