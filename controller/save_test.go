package controller

import (
	"strings"
	"testing"

	"memsync"
)

// One row per sentence about a saved file's identity (format.md: Ids, Copies
// and renames, identity, Touched once).
func TestSaves(t *testing.T) {
	a, b := ulid(1), ulid(2)
	const text = "If a test reveals incorrect behaviour, fix the production code and never the test."
	for _, c := range []struct {
		name string
		do   func(w *world) memsync.Decision
		want want
	}{
		{"a new file without an id gets one, directly after the fence", func(w *world) memsync.Decision {
			return w.save("memory/feedback_a.md", plain("a", text))
		}, want{op: memsync.OpAdd, id: ulid(1001), bytes: withID(plain("a", text), ulid(1001)), events: "-", reason: "add"}},
		{"CRLF stays CRLF and the id line ends like the others", func(w *world) memsync.Decision {
			return w.save("memory/feedback_a.md", strings.ReplaceAll(plain("a", text), "\n", "\r\n"))
		}, want{op: memsync.OpAdd, bytes: strings.ReplaceAll(withID(plain("a", text), ulid(1001)), "\n", "\r\n")}},
		{"a new file with an id of its own keeps it, byte for byte", func(w *world) memsync.Decision {
			return w.save("memory/feedback_a.md", good(a, "a", text))
		}, want{op: memsync.OpAdd, id: a, bytes: good(a, "a", text), events: "-"}},
		{"a known file saved again is updated and not touched", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			return w.save("memory/feedback_a.md", good(a, "a", "another text"))
		}, want{op: memsync.OpUpdate, id: a, bytes: good(a, "a", "another text"), events: "-", reason: "identity"}},
		{"the same bytes are a no-op", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			return w.save("memory/feedback_a.md", good(a, "a", text))
		}, want{op: memsync.OpNoop, id: a, reason: "exact", files: nil}},
		{"other white space is what the person wants to have there", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			return w.save("memory/feedback_a.md", good(a, "a", text)+"\n")
		}, want{op: memsync.OpUpdate, id: a}},
		{"a path that comes back without its line keeps its id", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			return w.save("memory/feedback_a.md", plain("a", text+" More."))
		}, want{op: memsync.OpUpdate, id: a, bytes: withID(plain("a", text+" More."), a)}},
		{"a file without frontmatter has ledger identity and is not touched", func(w *world) memsync.Decision {
			return w.save("memory/note.md", text+"\n")
		}, want{op: memsync.OpAdd, id: ulid(1001), bytes: text + "\n", events: "identify"}},
		{"a known file that loses its frontmatter keeps its id by event", func(w *world) memsync.Decision {
			w.accepted["memory/note.md"] = good(a, "a", text)
			return w.save("memory/note.md", text+"\n")
		}, want{op: memsync.OpUpdate, id: a, bytes: text + "\n", events: "identify"}},
		{"once identified by event, a save needs no further event", func(w *world) memsync.Decision {
			w.take(w.save("memory/note.md", text+"\n"))
			return w.save("memory/note.md", text+"\nMore.\n")
		}, want{op: memsync.OpUpdate, id: ulid(1001), events: "-"}},
		{"a log is not touched", func(w *world) memsync.Decision {
			return w.save("memory/logs/2026-04-12.md", plain("a", text))
		}, want{op: memsync.OpAdd, bytes: plain("a", text), events: "identify"}},
		{"an id that is no ULID stays, the file has ledger identity", func(w *world) memsync.Decision {
			return w.save("memory/feedback_a.md", withID(plain("a", text), "mem-42"))
		}, want{op: memsync.OpAdd, id: ulid(1001), bytes: withID(plain("a", text), "mem-42"), events: "identify", finding: memsync.FindForeignID}},
		{"an empty id line stays too", func(w *world) memsync.Decision {
			return w.save("memory/feedback_a.md", withID(plain("a", text), ""))
		}, want{op: memsync.OpAdd, bytes: withID(plain("a", text), ""), events: "identify"}},
		{"frontmatter that cannot be edited has ledger identity and is not held", func(w *world) memsync.Decision {
			return w.save("memory/feedback_a.md", "---\nbase: &b 1\nname: a\ntype: feedback\nother: *b\n---\n\n"+text+"\n")
		}, want{op: memsync.OpAdd, events: "identify", bytes: "---\nbase: &b 1\nname: a\ntype: feedback\nother: *b\n---\n\n" + text + "\n"}},
		{"an empty file is a memory without text, not a deletion", func(w *world) memsync.Decision {
			w.accepted["memory/note.md"] = text + "\n"
			w.derived["memory/note.md"] = b
			return w.decide(memsync.Candidate{Origin: memsync.OriginFile, Op: memsync.OpUpsert, Path: "memory/note.md"})
		}, want{op: memsync.OpUpdate, id: b}},
		{"what HEAD had unreadable gets its id when it can be read", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = plain("a", text)
			return w.save("memory/feedback_a.md", plain("a", text+" More."))
		}, want{op: memsync.OpUpdate, bytes: withID(plain("a", text+" More."), ulid(1001))}},
		{"without a place in the file, by event", func(w *world) memsync.Decision {
			w.accepted["memory/note.md"] = text + "\n"
			return w.save("memory/note.md", text+" More.\n")
		}, want{op: memsync.OpUpdate, bytes: text + " More.\n", events: "identify"}},
		{"a scope with ledger identity is never touched", func(w *world) memsync.Decision {
			return w.save("bound/feedback_a.md", plain("a", text))
		}, want{op: memsync.OpAdd, id: ulid(1001), bytes: plain("a", text), events: "identify"}},
		{"a path that HEAD holds without an id has its derived one, written at the next save", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = plain("a", text)
			w.derived["memory/feedback_a.md"] = b
			return w.save("memory/feedback_a.md", plain("a", text+" More."))
		}, want{op: memsync.OpUpdate, id: b, bytes: withID(plain("a", text+" More."), b), events: "-"}},
		{"a derived id without a place in the file needs no event", func(w *world) memsync.Decision {
			w.derived["memory/note.md"] = b
			return w.save("memory/note.md", text+"\n")
		}, want{op: memsync.OpAdd, id: b, bytes: text + "\n", events: "-"}},

		{"Q17 a moved file with its id is a rename, whatever was edited", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			w.missing["memory/feedback_a.md"] = true
			return w.save("memory/feedback_b.md", good(a, "b", "not one word of it is left as it was before"))
		}, want{op: memsync.OpRename, id: a, path: "memory/feedback_b.md", files: []memsync.Path{"memory/feedback_b.md", "memory/feedback_a.md"}, events: "-"}},
		{"Q17 without an id in the file, similar text tells", func(w *world) memsync.Decision {
			w.accepted["bound/feedback_a.md"] = plain("a", text)
			w.derived["bound/feedback_a.md"] = a
			w.missing["bound/feedback_a.md"] = true
			return w.save("bound/feedback_b.md", plain("a", text+" Always."))
		}, want{op: memsync.OpRename, id: a, bytes: plain("a", text+" Always."), events: "identify"}},
		{"Q17 a file that lost its line on the move gets it back", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			w.missing["memory/feedback_a.md"] = true
			return w.save("memory/feedback_b.md", plain("a", text))
		}, want{op: memsync.OpRename, id: a, bytes: withID(plain("a", text), a)}},
		{"another text beside a vanished file is another memory", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			w.missing["memory/feedback_a.md"] = true
			return w.save("memory/feedback_b.md", plain("b", "Lunch is at noon in the small kitchen on the second floor."))
		}, want{op: memsync.OpAdd, id: ulid(1001)}},
		{"Q31 a case-only rename keeps the id", func(w *world) memsync.Decision {
			w.accepted["memory/note.md"] = good(a, "a", text)
			w.missing["memory/note.md"] = true
			return w.save("memory/Note.md", good(a, "a", text))
		}, want{op: memsync.OpRename, id: a, files: []memsync.Path{"memory/Note.md", "memory/note.md"}}},
		{"Q31 two names that differ by case are two memories and a finding", func(w *world) memsync.Decision {
			w.accepted["memory/a.md"] = good(a, "a", text)
			return w.save("memory/A.md", good(b, "b", "Another thing entirely, about the kitchen."))
		}, want{op: memsync.OpAdd, id: b, finding: memsync.FindNameCollision}},
		{"Q34 a copy gets an id of its own, its file is not rewritten", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			return w.save("memory/feedback_b.md", good(a, "a", text))
		}, want{op: memsync.OpAdd, id: ulid(1001), bytes: good(a, "a", text), events: "identify", finding: memsync.FindDuplicateID}},
		{"Q34 and keeps it at the next save", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			w.take(w.save("memory/feedback_b.md", good(a, "a", text)))
			return w.save("memory/feedback_b.md", good(a, "a", text+" More."))
		}, want{op: memsync.OpUpdate, id: ulid(1001), bytes: good(a, "a", text+" More."), events: "-", finding: memsync.FindDuplicateID}},
		{"Q34 and still when the original is gone: it never flips", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			w.take(w.save("memory/feedback_b.md", good(a, "a", text)))
			w.take(w.vanish("memory/feedback_a.md"))
			return w.save("memory/feedback_b.md", good(a, "a", text+" More."))
		}, want{op: memsync.OpUpdate, id: ulid(1001), events: "-"}},
		{"a copy over another memory leaves both their ids", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			w.accepted["memory/feedback_b.md"] = good(b, "b", "another")
			return w.save("memory/feedback_b.md", good(a, "a", text))
		}, want{op: memsync.OpUpdate, id: b, events: "identify", finding: memsync.FindDuplicateID, bytes: good(a, "a", text)}},
		{"a move over another memory ends that one", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			w.accepted["memory/feedback_b.md"] = good(b, "b", "another")
			w.missing["memory/feedback_a.md"] = true
			return w.save("memory/feedback_b.md", good(a, "a", text))
		}, want{op: memsync.OpRename, id: a, events: "delete", files: []memsync.Path{"memory/feedback_b.md", "memory/feedback_a.md"}}},
		{"another id line: the smaller is the name, the other an alias", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			return w.save("memory/feedback_a.md", good(b, "a", text))
		}, want{op: memsync.OpUpdate, id: a, events: "identify", bytes: good(b, "a", text)}},
		{"Q56 a file-sync tool's copy is kept out", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			return w.save("memory/feedback_a.sync-conflict-20260102-101112-ABCDEFG.md", good(a, "a", text+" x"))
		}, want{op: memsync.OpHold, code: memsync.CodeConflictUnresolved, finding: memsync.FindConflictCopy}},
		{"Q56 as is a numbered one with a known id", func(w *world) memsync.Decision {
			w.accepted["memory/a.md"] = good(a, "a", text)
			return w.save("memory/a 2.md", good(a, "a", text+" x"))
		}, want{op: memsync.OpHold, code: memsync.CodeConflictUnresolved, finding: memsync.FindConflictCopy}},
		{"Q56 a numbered name with an id of its own is a memory", func(w *world) memsync.Decision {
			w.accepted["memory/a.md"] = good(a, "a", text)
			return w.save("memory/a 2.md", good(b, "b", "Another thing entirely, about the kitchen."))
		}, want{op: memsync.OpAdd, id: b}},

		{"a copy that a commit brought has the id of its history, on every clone", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			w.derived["memory/feedback_b.md"] = b
			return w.decide(memsync.Candidate{Origin: memsync.OriginPeer, Op: memsync.OpUpsert, Path: "memory/feedback_b.md", Raw: []byte(good(a, "a", text))})
		}, want{op: memsync.OpRecord, id: b, events: "identify", finding: memsync.FindDuplicateID}},
		{"and is known by it from then on", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			w.derived["memory/feedback_b.md"] = b
			c := memsync.Candidate{Origin: memsync.OriginPeer, Op: memsync.OpUpsert, Path: "memory/feedback_b.md", Raw: []byte(good(a, "a", text))}
			w.take(w.decide(c))
			w.accepted["memory/feedback_b.md"] = good(a, "a", text)
			return w.decide(c)
		}, want{op: memsync.OpNoop, id: b}},
		{"P02 only the type changes: one update, the file keeps its name", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			return w.save("memory/feedback_a.md", strings.Replace(good(a, "a", text), "type: feedback", "type: reference", 1))
		}, want{op: memsync.OpUpdate, id: a, path: "memory/feedback_a.md", finding: memsync.FindNameDrift}},
		{"P03 only the description changes: an update", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			return w.save("memory/feedback_a.md", strings.Replace(good(a, "a", text), "one line about a", "said better", 1))
		}, want{op: memsync.OpUpdate, id: a}},
		{"P04 the same sentence under another type and name: added and said", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			return w.save("memory/reference_b.md", strings.Replace(good(b, "b", text), "type: feedback", "type: reference", 1))
		}, want{op: memsync.OpAdd, id: b}},
		{"the same text under the same type: added with a finding", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			return w.save("memory/feedback_b.md", good(b, "b", text))
		}, want{op: memsync.OpAdd, id: b, finding: memsync.FindSameText}},
		{"nearly the same text: added with a finding", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			return w.save("memory/feedback_b.md", good(b, "b", text+" Always."))
		}, want{op: memsync.OpAdd, id: b, finding: memsync.FindNearDuplicate}},
		{"two paths with one type and slug: two memories and a finding", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			return w.save("memory/sub/feedback_a.md", good(b, "b", "Lunch is at noon in the small kitchen."))
		}, want{op: memsync.OpAdd, id: b, finding: memsync.FindSlugCollision}},
		{"the directory wins over what the file says about its scope", func(w *world) memsync.Decision {
			return w.save("memory/feedback_a.md", strings.Replace(good(a, "a", text), "type:", "scope: agent\ntype:", 1))
		}, want{op: memsync.OpAdd, id: a, finding: memsync.FindScopeMismatch}},
		{"a save without a type is untyped, with a finding", func(w *world) memsync.Decision {
			return w.save("memory/x.md", "---\nid: "+string(a)+"\nname: x\ntype: idea\n---\n\n"+text+"\n")
		}, want{op: memsync.OpAdd, id: a, finding: memsync.FindUntyped}},
		{"a name that cannot exist everywhere is a finding", func(w *world) memsync.Decision {
			return w.save("memory/a?b.md", good(a, "a", text))
		}, want{op: memsync.OpAdd, finding: memsync.FindNotPortable}},
		{"P06 names that look like attacks are names", func(w *world) memsync.Decision {
			return w.save("memory/par)en.md", good(a, "a", text))
		}, want{op: memsync.OpAdd, id: a}},
		{"not a memory by its name", func(w *world) memsync.Decision {
			return w.save("memory/README.md", text)
		}, want{op: memsync.OpNoop}},
		{"outside every scope", func(w *world) memsync.Decision {
			return w.save("elsewhere/a.md", text)
		}, want{op: memsync.OpNoop}},

		{"a vanished file is a deletion", func(w *world) memsync.Decision {
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			return w.vanish("memory/feedback_a.md")
		}, want{op: memsync.OpDelete, id: a, events: "delete", files: []memsync.Path{"memory/feedback_a.md"}, reason: "delete"}},
		{"with commit = off it only leaves the View", func(w *world) memsync.Decision {
			w.policy.Git.Commit = memsync.CommitOff
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			return w.vanish("memory/feedback_a.md")
		}, want{op: memsync.OpDelete, id: a, events: "-", files: []memsync.Path{}}},
		{"until a commit that descends from the last HEAD drops the path", func(w *world) memsync.Decision {
			w.policy.Git.Commit = memsync.CommitOff
			w.headDropped = true
			w.accepted["memory/feedback_a.md"] = good(a, "a", text)
			return w.vanish("memory/feedback_a.md")
		}, want{op: memsync.OpDelete, id: a, events: "delete"}},
		{"what vanished before anybody knew it is no deletion", func(w *world) memsync.Decision {
			return w.vanish("memory/feedback_a.md")
		}, want{op: memsync.OpNoop}},
		{"an authored file is committed as saved", func(w *world) memsync.Decision {
			return w.decide(memsync.Candidate{Origin: memsync.OriginFile, Op: memsync.OpAuthored, Path: "agents/x/AGENT.md", Raw: []byte("name: [\n")})
		}, want{op: memsync.OpAuthored, bytes: "name: [\n"}},
		{"and a no-op when nothing changed", func(w *world) memsync.Decision {
			w.accepted["agents/x/AGENT.md"] = "x"
			return w.decide(memsync.Candidate{Origin: memsync.OriginFile, Op: memsync.OpAuthored, Path: "agents/x/AGENT.md", Raw: []byte("x")})
		}, want{op: memsync.OpNoop}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			d := c.do(w)
			if c.want.id == ulid(1001) {
				c.want.id = "" // whichever was drawn: checked by the bytes or below
				if d.Memory < ulid(1000) {
					t.Errorf("memory %s was not drawn fresh", d.Memory)
				}
				if strings.Contains(c.want.bytes, string(ulid(1001))) {
					c.want.bytes = strings.ReplaceAll(c.want.bytes, string(ulid(1001)), string(d.Memory))
				}
			}
			if strings.Contains(c.want.bytes, string(ulid(1001))) {
				c.want.bytes = strings.ReplaceAll(c.want.bytes, string(ulid(1001)), string(d.Memory))
			}
			w.check(d, c.want)
		})
	}
}

// Q23, Strictness: what cannot be parsed without guessing is held, untouched.
func TestSaveHeldForShape(t *testing.T) {
	for _, c := range []struct {
		name, content string
	}{
		{"duplicate keys", "---\nname: a\ntags: [a]\ntags: [b]\n---\nx\n"},
		{"Q23 two id lines after a union merge", "---\nid: " + string(ulid(1)) + "\nid: " + string(ulid(2)) + "\n---\nx\n"},
		{"an unclosed block", "---\nname: a\n"},
		{"bad YAML", "---\nname: [a\n---\nx\n"},
		{"invalid UTF-8", "---\nname: a\n---\n\xff\n"},
		{"NUL", "---\nname: a\n---\n\x00\n"},
		{"git's markers", "---\nname: a\n---\n<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n"},
		{"over a megabyte", "---\nname: a\n---\n" + strings.Repeat("0123456789abcde\n", 1<<16+1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.accepted["memory/feedback_a.md"] = good(ulid(1), "a", "x")
			d := w.save("memory/feedback_a.md", c.content)
			if d.Op != memsync.OpHold || d.Error == nil || d.Error.Hint == "" || !hasFinding(d, memsync.FindHeld) {
				t.Errorf("not held with a place and a remedy:\n%s", dump(d))
			}
			if d.Memory != ulid(1) {
				t.Errorf("the held memory is not named: %q", d.Memory)
			}
		})
	}
}

// The actor of a save is what the scope says, whatever the candidate claims.
func TestSaveActor(t *testing.T) {
	w := newWorld(t)
	for path, actor := range map[memsync.Path]memsync.Actor{
		"memory/a.md": person, "agents/reviewer/memory/a.md": robot, "bound/a.md": {Class: memsync.ClassAgent, Name: "claude"},
	} {
		d := w.decide(memsync.Candidate{Origin: memsync.OriginFile, Op: memsync.OpUpsert, Path: path, Raw: []byte(plain("a", "x")),
			Actor: memsync.Actor{Class: memsync.ClassPerson, Name: "mallory"}})
		if d.Actor != actor {
			t.Errorf("%s: actor %v, want %v", path, d.Actor, actor)
		}
	}
}

// [normalize] stamp: updated_at is kept current where the file has it, and not
// when nothing was said (Q28).
func TestStamp(t *testing.T) {
	file := func(body, at string) string {
		return "---\nid: " + string(ulid(1)) + "\nname: a\ntype: user\nprovenance:\n  updated_at: " + at + "\n---\n\n" + body + "\n"
	}
	const old = "2026-01-01T00:00:00Z"
	for _, c := range []struct {
		name        string
		stamp       bool
		saved, want string
	}{
		{"off by default", false, file("new", old), file("new", old)},
		{"on: the time of the save", true, file("new", old), file("new", "2026-04-12T14:32:11Z")},
		{"on, but only white space changed", true, file("x", old) + "\n", file("x", old) + "\n"},
		{"on, but the file keeps no times", true, good(ulid(1), "a", "new"), good(ulid(1), "a", "new")},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.policy.Stamp = c.stamp
			w.accepted["memory/user_a.md"] = file("x", old)
			w.check(w.save("memory/user_a.md", c.saved), want{op: memsync.OpUpdate, bytes: c.want})
		})
	}
}
