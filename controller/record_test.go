package controller

import (
	"testing"

	"memsync"
)

func record(actor memsync.Actor, e memsync.LedgerEvent) memsync.Candidate {
	return memsync.Candidate{Origin: memsync.OriginCLI, Actor: actor, Op: memsync.OpRecord, ID: e.Memory, Events: []memsync.LedgerEvent{e}}
}

// A forget takes file, snapshots, archive and conflict copies in one decision;
// the event has the hash of the value, and the path only without inline
// identity; nothing of the content is left.
func TestForget(t *testing.T) {
	a := ulid(1)
	w := newWorld(t)
	w.accepted["memory/feedback_a.md"] = good(a, "a", integrity)
	w.attached = []Attached{{Path: "memory/_system/approved/" + memsync.Path(a) + "-x.md", Hash: "h1"}, {Path: "memory/_system/conflicts/" + memsync.Path(a) + "-y.md", Hash: "h2"}}
	w.check(w.decide(record(robot, memsync.LedgerEvent{Op: memsync.LedgerForget, Memory: a})), want{op: memsync.OpReject, code: memsync.CodePersonRequired})

	// Whatever is on disk goes, also a save that nobody has accepted.
	w.disk["memory/feedback_a.md"] = "---\nunreadable: [\n---\n"
	d := w.decide(record(person, memsync.LedgerEvent{Op: memsync.LedgerForget, Memory: a, Reason: "private"}))
	w.check(d, want{op: memsync.OpRecord, id: a, events: "forget",
		files: []memsync.Path{"memory/feedback_a.md", w.attached[0].Path, w.attached[1].Path}})
	for _, f := range d.Files {
		if f.Post != "" || !f.Secret || f.Base == "" {
			t.Errorf("the change of %s: %+v", f.Path, f)
		}
	}
	e := d.Events[0]
	if e.Value != valueHash(integrity) || e.Path != "" || e.Hash != "" || d.After != nil {
		t.Errorf("the event: %+v", e)
	}
	w.take(d)
	w.check(w.decide(record(person, memsync.LedgerEvent{Op: memsync.LedgerForget, Memory: a})), want{op: memsync.OpNoop})
	w.check(w.decide(record(person, memsync.LedgerEvent{Op: memsync.LedgerRestore, Memory: a})), want{op: memsync.OpReject, code: memsync.CodeForgotten})
	w.check(w.decide(record(person, memsync.LedgerEvent{Op: memsync.LedgerForget, Memory: ulid(5)})), want{op: memsync.OpReject, code: memsync.CodeNotFound})

	// Without inline identity the event names the path.
	w = newWorld(t)
	w.take(w.save("bound/note.md", "text\n"))
	id := w.view().ByPath("bound/note.md").ID
	d = w.decide(record(person, memsync.LedgerEvent{Op: memsync.LedgerForget, Memory: id}))
	w.check(d, want{op: memsync.OpRecord, id: id})
	if d.Events[0].Path != "note.md" || d.Scope != "workspace/bound" {
		t.Errorf("the event: %+v in %s", d.Events[0], d.Scope)
	}
	w.take(d)
	w.check(w.save("bound/note.md", "text\n"), want{op: memsync.OpHold, code: memsync.CodeForgotten})

	// A deleted memory can be forgotten after the fact.
	w = newWorld(t)
	w.accepted["memory/feedback_a.md"] = good(a, "a", integrity)
	w.take(w.vanish("memory/feedback_a.md"))
	d = w.decide(record(person, memsync.LedgerEvent{Op: memsync.LedgerForget, Memory: a}))
	w.check(d, want{op: memsync.OpRecord, events: "forget"})
	if d.Events[0].Value != valueHash(integrity) {
		t.Errorf("the value of the deleted text is lost: %+v", d.Events[0])
	}
}

// Ledger events: who may cause them, and what a payload cannot claim.
func TestRecord(t *testing.T) {
	a := ulid(1)
	for _, op := range []memsync.LedgerOp{memsync.LedgerAccept, memsync.LedgerAllow, memsync.LedgerApprove, memsync.LedgerDeny, memsync.LedgerPromote,
		memsync.LedgerForget, memsync.LedgerRejectValue, memsync.LedgerRestore, memsync.LedgerResolve} {
		w := newWorld(t)
		w.accepted["memory/feedback_a.md"] = good(a, "a", integrity)
		w.check(w.decide(record(robot, memsync.LedgerEvent{Op: op, Memory: a})), want{op: memsync.OpReject, code: memsync.CodePersonRequired})
	}
	w := newWorld(t)
	w.accepted["memory/feedback_a.md"] = good(a, "a", integrity)
	forged := memsync.LedgerEvent{ID: ulid(3), At: start, Op: memsync.LedgerFeedback, Memory: a, Actor: person, Outcome: "success"}
	d := w.decide(record(robot, forged))
	w.check(d, want{op: memsync.OpRecord, id: a, events: "feedback", files: []memsync.Path{}})
	if e := d.Events[0]; e.Actor != robot || e.ID != "" || !e.At.IsZero() || e.Outcome != "success" {
		t.Errorf("a payload claims: %+v", e)
	}
	w.check(w.decide(record(robot, memsync.LedgerEvent{Op: memsync.LedgerFeedback, Memory: ulid(7)})), want{op: memsync.OpReject, code: memsync.CodeNotFound})
	w.check(w.decide(record(robot, memsync.LedgerEvent{Op: "sabotage", Memory: a})), want{op: memsync.OpReject, code: memsync.CodeUsage})
	for _, op := range []memsync.LedgerOp{memsync.LedgerIdentify, memsync.LedgerDelete, memsync.LedgerQuarantine} {
		w.check(w.decide(record(person, memsync.LedgerEvent{Op: op, Memory: a})), want{op: memsync.OpReject, code: memsync.CodeUsage})
	}
	w.check(w.decide(memsync.Candidate{Origin: memsync.OriginCLI, Actor: person, Op: memsync.OpRecord}), want{op: memsync.OpReject, code: memsync.CodeUsage})

	// A conversation is evidence once, and says whether the memory was shown.
	c := record(robot, memsync.LedgerEvent{Op: memsync.LedgerCorroborate, Memory: a})
	c.Conversation = "c-1"
	d = w.take(w.decide(c))
	w.check(d, want{op: memsync.OpRecord, events: "corroborate"})
	if e := d.Events[0]; e.Exposed == nil || *e.Exposed {
		t.Errorf("exposed: %+v", e)
	}
	w.check(w.decide(c), want{op: memsync.OpNoop})

	// Resolving a conflict takes its copy away.
	w.attached = []Attached{{Path: "memory/_system/conflicts/" + memsync.Path(a) + "-y.md", Hash: "h2"}}
	d = w.decide(record(person, memsync.LedgerEvent{Op: memsync.LedgerResolve, Memory: a, Conflict: string(a) + "-y.md"}))
	w.check(d, want{op: memsync.OpRecord, events: "resolve", files: []memsync.Path{w.attached[0].Path}})
}

// Evidence, at the level of decisions: what a tool writes carries the
// conversation that taught it, in the file and on the decision; deleting the
// source names it so that what was derived can be found.
func TestAcceptance_evidence_claim_resolves_to_source(t *testing.T) {
	w := newWorld(t)
	c := write(robot, integrity, "name", "N", "type", "user")
	c.Conversation = "c-7"
	d := w.take(w.decide(c))
	if d.Conversation != "c-7" || len(d.After.Conversations) != 1 || d.After.Conversations[0] != "c-7" {
		t.Errorf("an orphan: %s", dump(d))
	}
	gone := w.decide(memsync.Candidate{Origin: memsync.OriginCLI, Actor: program, Op: memsync.OpDelete, ID: d.Memory})
	if e := gone.Events[0]; e.Memory != d.Memory || e.Hash != d.Post || e.Value != valueHash(integrity) || e.Path != "user_n.md" {
		t.Errorf("the delete event does not name its source: %+v", e)
	}
}
