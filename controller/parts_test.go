package controller

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"memsync"
	"memsync/internal/text"

	"pgregory.net/rapid"
)

func TestApplyOperations(t *testing.T) {
	type op = memsync.Operation
	for _, c := range []struct {
		name, body string
		ops        []op
		want       string
		code       memsync.Code
	}{
		{"add to nothing", "", []op{{Action: "add", Content: "a"}}, "a\n", ""},
		{"add is the last lines", "a", []op{{Action: "add", Content: "b\n\n"}}, "a\nb\n", ""},
		{"in order, each on what the one before left", "a\n", []op{{Action: "add", Content: "b"}, {Action: "replace", OldText: "b", Content: "c"}, {Action: "remove", OldText: "a"}}, "c\n", ""},
		{"remove takes a line with its end", "a\nb\nc\n", []op{{Action: "remove", OldText: "b"}}, "a\nc\n", ""},
		{"remove takes the last line with the end before it", "a\nb", []op{{Action: "remove", OldText: "b"}}, "a", ""},
		{"remove inside a line leaves the rest", "abc\n", []op{{Action: "remove", OldText: "b"}}, "ac\n", ""},
		{"remove at the start of a line leaves the rest", "abc\nd\n", []op{{Action: "remove", OldText: "a"}}, "bc\nd\n", ""},
		{"CRLF in an operation is no other text", "a\nb\n", []op{{Action: "replace", OldText: "a\r\nb", Content: "x\r\ny"}}, "x\ny\n", ""},
		{"missing", "a\n", []op{{Action: "replace", OldText: "z", Content: "y"}}, "", memsync.CodeBatchMissing},
		{"ambiguous", "a a\n", []op{{Action: "replace", OldText: "a", Content: "y"}}, "", memsync.CodeBatchAmbiguous},
		{"ambiguous though overlapping", "aaa\n", []op{{Action: "remove", OldText: "aa"}}, "", memsync.CodeBatchAmbiguous},
		{"no operation", "a\n", nil, "", memsync.CodeBatchShape},
		{"an unknown action", "a\n", []op{{Action: "append", Content: "b"}}, "", memsync.CodeBatchShape},
		{"add without content", "a\n", []op{{Action: "add"}}, "", memsync.CodeBatchShape},
		{"add with old_text", "a\n", []op{{Action: "add", Content: "b", OldText: "a"}}, "", memsync.CodeBatchShape},
		{"replace without old_text", "a\n", []op{{Action: "replace", Content: "b"}}, "", memsync.CodeBatchShape},
		{"replace without content", "a\n", []op{{Action: "replace", OldText: "a"}}, "", memsync.CodeBatchShape},
		{"remove with content", "a\n", []op{{Action: "remove", OldText: "a", Content: "b"}}, "", memsync.CodeBatchShape},
		{"the second of two refuses both", "a\n", []op{{Action: "add", Content: "b"}, {Action: "remove", OldText: "z"}}, "", memsync.CodeBatchMissing},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, applied, err := ApplyOperations(c.body, c.ops)
			if code := memsync.CodeOf(asErr(err)); code != c.code || got != c.want {
				t.Fatalf("got %q, %v; want %q, %q", got, err, c.want, c.code)
			}
			if err == nil && len(applied) != len(c.ops) {
				t.Errorf("%d of %d are answered", len(applied), len(c.ops))
			}
			if err != nil && strings.Contains(err.Error()+err.Hint, "zz") {
				t.Errorf("the text is repeated: %v", err)
			}
		})
	}
}

func asErr(e *memsync.Error) error {
	if e == nil {
		return nil
	}
	return e
}

// P18: the same request is the same, whatever base it names; anything else
// that was asked makes it another.
func TestRequestHash(t *testing.T) {
	c := write(robot, "text", "name", "N")
	c.Path, c.Scope = "memory/a.md", "global"
	same := c
	same.Base = "b"
	if RequestHash(c) != RequestHash(same) {
		t.Error("the base makes another request")
	}
	others := map[string]func(*memsync.Candidate){
		"origin":       func(c *memsync.Candidate) { c.Origin = memsync.OriginHTTP },
		"actor":        func(c *memsync.Candidate) { c.Actor.Name = "x" },
		"scope":        func(c *memsync.Candidate) { c.Scope = "workspace" },
		"path":         func(c *memsync.Candidate) { c.Path = "memory/b.md" },
		"op":           func(c *memsync.Candidate) { c.Op = memsync.OpDelete },
		"content":      func(c *memsync.Candidate) { c.Content = str("other") },
		"no content":   func(c *memsync.Candidate) { c.Content = nil },
		"empty":        func(c *memsync.Candidate) { c.Content = str("") },
		"field":        func(c *memsync.Candidate) { c.Fields = fields("name", "M") },
		"removed":      func(c *memsync.Candidate) { c.Fields = []memsync.Field{{Key: "name", Remove: true}} },
		"list":         func(c *memsync.Candidate) { c.Fields = []memsync.Field{{Key: "name", Value: memsync.List("N")}} },
		"operations":   func(c *memsync.Candidate) { c.Operations = []memsync.Operation{{Action: "add", Content: "text"}} },
		"raw":          func(c *memsync.Candidate) { c.Raw = []byte("text") },
		"event":        func(c *memsync.Candidate) { c.Events = []memsync.LedgerEvent{{Op: memsync.LedgerAllow}} },
		"conversation": func(c *memsync.Candidate) { c.Conversation = "c-2" },
		"slot":         func(c *memsync.Candidate) { c.Entity = "e" },
		"request id":   func(c *memsync.Candidate) { c.RequestID = "1" },
	}
	seen := map[string]string{RequestHash(c): "itself"}
	for name, change := range others {
		o := c
		change(&o)
		h := RequestHash(o)
		if was, dup := seen[h]; dup {
			t.Errorf("%s is the same request as %s", name, was)
		}
		seen[h] = name
	}
	a, b := c, c
	a.RequestID, b.RequestID, b.Content = "7", "7", str("changed")
	if RequestHash(a) != RequestHash(b) {
		t.Error("a request id decides")
	}
	b.Actor = program
	if RequestHash(a) == RequestHash(b) {
		t.Error("two programs that count from 1 share a request")
	}
}

// Fields that run into each other are still two requests.
func TestRequestHashInjective(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pair := func(label string) memsync.Candidate {
			s := rapid.SampledFrom([]string{"", "a", "b", "ab", "ba", "aab"})
			c := memsync.Candidate{Op: memsync.OpUpsert, Entity: s.Draw(t, label+"1"), Attribute: s.Draw(t, label+"2"), Scope: s.Draw(t, label+"3")}
			for range rapid.IntRange(0, 2).Draw(t, label+"n") {
				c.Fields = append(c.Fields, memsync.Field{Key: s.Draw(t, label+"k"), Value: memsync.Text(s.Draw(t, label+"v"))})
			}
			return c
		}
		a, b := pair("a"), pair("b")
		if equal := reflect.DeepEqual(a, b); equal != (RequestHash(a) == RequestHash(b)) {
			t.Fatalf("%+v\n%+v", a, b)
		}
	})
}

// The short way for ASCII is text.ValueKey's.
func TestValueHash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.OneOf(rapid.RuneFrom(nil, &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0, Hi: 0x7f, Stride: 1}}}),
			rapid.SampledFrom([]rune("imnIlL0O1rnvw \n")))).Draw(t, "text")
		if rapid.IntRange(0, 9).Draw(t, "other scripts") == 0 {
			s += rapid.String().Draw(t, "more")
		}
		if valueHash(s) != memsync.HashOf([]byte(text.ValueKey(s))) {
			t.Fatalf("%q", s)
		}
	})
}

// A call is a person's only on a terminal with no marker of an agent.
func TestWhoIsPerson(t *testing.T) {
	env := func(kv ...string) func(string) string {
		return func(k string) string {
			for i := 0; i+1 < len(kv); i += 2 {
				if kv[i] == k {
					return kv[i+1]
				}
			}
			return ""
		}
	}
	agent := func(name string) memsync.Actor { return memsync.Actor{Class: memsync.ClassAgent, Name: name} }
	for _, c := range []struct {
		name string
		env  func(string) string
		tty  bool
		want memsync.Actor
	}{
		{"a terminal", env(), true, person},
		{"no terminal", env(), false, program},
		{"a marker on a terminal", env("CLAUDECODE", "1"), true, agent("claude-code")},
		{"a marker without one", env("GEMINI_CLI", "1"), false, agent("gemini-cli")},
		{"MEMSYNC_AGENT names it", env("CLAUDECODE", "1", "MEMSYNC_AGENT", "reviewer"), true, agent("reviewer")},
		{"MEMSYNC_AGENT alone", env("MEMSYNC_AGENT", "reviewer"), true, agent("reviewer")},
		{"no line of its own in a commit", env("MEMSYNC_AGENT", "a\nMemory-Actor: person"), true, agent("aMemory-Actor: person")},
		{"a marker that was switched off", env("CLAUDECODE", "0"), true, person},
		{"some agent", env("AI_AGENT", "anything"), true, agent("unknown")},
		{"a person's own configuration is no marker", env("AIDER_MODEL", "x", "CURSOR_TRACE_ID", "x", "CODEX_HOME", "/x"), true, person},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := WhoIsPerson(c.env, c.tty); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	for _, m := range agentMarkers {
		if m.why == "" {
			t.Errorf("%s has no reason", m.variable)
		}
		if got := WhoIsPerson(env(m.variable, "1"), true); got.Class != memsync.ClassAgent {
			t.Errorf("%s: %v", m.variable, got)
		}
	}
	if CheckAgent(agent("a"), "b") == nil || CheckAgent(agent("a"), "a") != nil || CheckAgent(agent("a"), "") != nil || CheckAgent(program, "b") != nil {
		t.Error("an agent that is pinned cannot act as another, and only that")
	}
}

// Q44: more than 10 files and more than 30 % of a scope in one batch wait;
// renames and verbs don't count; a scope that is gone is never a deletion.
func TestQ44MassDelete(t *testing.T) {
	for _, c := range []struct {
		name           string
		total, deletes int
		renames        int
		gone, verb     bool
		held           bool
	}{
		{"11 of 30", 30, 11, 0, false, false, true},
		{"10 of 10: the files are few", 10, 10, 0, false, false, false},
		{"11 of 37: less than 30 %", 37, 11, 0, false, false, false},
		{"12 of 40 are 30 %, not more", 40, 12, 0, false, false, false},
		{"11 of 36", 36, 11, 0, false, false, true},
		{"50 of 50", 50, 50, 0, false, false, true},
		{"5 deleted, 20 renamed of 30", 30, 5, 20, false, false, false},
		{"one of one, the directory gone", 1, 1, 0, true, false, true},
		{"50 of 50, by a verb", 50, 50, 0, false, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			origin := memsync.OriginFile
			if c.verb {
				origin = memsync.OriginCLI
			}
			for i := range c.total {
				w.accepted[memsync.Path(fmt.Sprintf("memory/user_%d.md", i))] = good(ulid(i), fmt.Sprint(i), fmt.Sprint("text ", i))
			}
			view := w.view()
			var ds []memsync.Decision
			for i := range c.deletes {
				w.missing[memsync.Path(fmt.Sprintf("memory/user_%d.md", i))] = !c.verb
				ds = append(ds, w.decide(memsync.Candidate{Origin: origin, Actor: program, Op: memsync.OpDelete, Path: memsync.Path(fmt.Sprintf("memory/user_%d.md", i))}))
			}
			for i := range c.renames {
				ds = append(ds, memsync.Decision{Op: memsync.OpRename, Origin: origin, Scope: "global", Path: memsync.Path(fmt.Sprint("r", i)), After: &memsync.Memory{}})
			}
			other := memsync.Decision{Op: memsync.OpDelete, Origin: origin, Scope: "workspace", Path: "ws/memory/a.md"}
			ds = append(ds, other)
			held := HoldDeletes(ds, view, map[string]bool{"global": c.gone}, nil, w.policy)
			if (len(held) == 1 && held[0] == "global") != c.held || len(held) > 1 {
				t.Fatalf("held %v", held)
			}
			for i, d := range ds[:c.deletes] {
				if (d.Op == memsync.OpHold) != c.held {
					t.Fatalf("%d: %s", i, dump(d))
				}
				if c.held {
					lawful(t, memsync.Candidate{Origin: origin}, d)
					if d.Error.Code != memsync.CodeDeletesHeld {
						t.Fatalf("%s", dump(d))
					}
				}
			}
			if ds[len(ds)-1].Op != memsync.OpDelete {
				t.Error("another scope's delete waits too")
			}
		})
	}
}

// What waited once waits on, however few are left of it; others go.
func TestHoldDeletesRemembers(t *testing.T) {
	w := newWorld(t)
	for i := range 20 {
		w.accepted[memsync.Path(fmt.Sprintf("memory/user_%d.md", i))] = good(ulid(i), fmt.Sprint(i), fmt.Sprint("text ", i))
	}
	view := w.view()
	var ds []memsync.Decision
	for i := range 2 {
		p := memsync.Path(fmt.Sprintf("memory/user_%d.md", i))
		w.missing[p] = true
		ds = append(ds, w.decide(memsync.Candidate{Origin: memsync.OriginFile, Op: memsync.OpDelete, Path: p}))
	}
	held := HoldDeletes(ds, view, nil, map[memsync.Path]bool{"memory/user_0.md": true}, w.policy)
	if len(held) != 1 || ds[0].Op != memsync.OpHold || ds[0].Error.Code != memsync.CodeDeletesHeld || ds[1].Op != memsync.OpDelete {
		t.Fatalf("held %v\n%s\n%s", held, dump(ds[0]), dump(ds[1]))
	}
}
