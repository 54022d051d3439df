package controller

import (
	"strings"
	"time"

	"memsync"
	"memsync/internal/format"
	"memsync/internal/ledger"
)

// tombstones is rule 3. Who may pass them:
//
//	forgotten  nobody; a person's accept takes the file in under a new id
//	deleted    a person, or anybody with the very same text; with a finding
//	rejected   a person (the rejection is shown); nobody else, under any name
func (x *deciding) tombstones() bool {
	x.who()
	if x.kind == isRename {
		return x.renamesToRejected()
	}
	if x.kind == isVanished || x.kind == isRemove || x.doc == nil {
		return false
	}
	if done := x.forgotten(); done {
		return true
	}
	if done := x.deleted(); done {
		return true
	}
	if done := x.rejected(); done {
		return true
	}
	x.pass("tombstone", "")
	return false
}

func (x *deciding) accepting() bool { return x.Candidate.Accept && x.Candidate.Actor.Person() }

func (x *deciding) forgotten() bool {
	ev, gone := x.f.State.Forgotten(x.id)
	if !gone && x.mem.ID != "" && x.mem.ID != x.id && x.copied == nil {
		ev, gone = x.f.State.Forgotten(x.mem.ID)
	}
	if !gone && x.mem.ID == "" && x.old == nil {
		ev, gone = x.f.State.ForgottenAt(x.Path)
	}
	if !gone {
		return false
	}
	if !x.accepting() {
		e := forgottenError(x.Path)
		if x.fromDisk() {
			e.Hint = "a person can take the file in as a new memory with `memsync accept PATH`"
		}
		return x.refuse("tombstone", e)
	}
	x.id, x.alias, x.old, x.setID = x.f.FreshID, "", nil, x.mem.ID != ""
	x.event(memsync.LedgerEvent{Op: memsync.LedgerAccept, Memory: x.id, Path: x.rel(x.Path), Sees: []memsync.ID{ev.ID}})
	return false
}

func (x *deciding) deleted() bool {
	if x.old != nil {
		return false
	}
	ev, gone := x.f.State.Deleted(x.id)
	if !gone && x.mem.ID == "" {
		if ev, gone = x.f.State.DeletedAt(x.Path); gone && anywhere(x.f.View, ev.Memory) != nil {
			gone = false
		}
	}
	if !gone {
		return false
	}
	same := ev.Hash != "" && ev.Hash == memsync.HashOf(x.doc.Bytes()) || ev.Value != "" && ev.Value == valueHash(x.body)
	if !x.actor.Person() && !same {
		return x.wait("tombstone", deletedError(x.Path, ev))
	}
	x.id = ev.Memory
	sees := []memsync.ID{}
	for _, e := range x.f.State.Events(x.id) {
		if e.Op == memsync.LedgerDelete {
			sees = append(sees, e.ID)
		}
	}
	x.event(memsync.LedgerEvent{Op: memsync.LedgerRestore, Memory: x.id, Path: x.rel(x.Path), Sees: sees})
	x.warn(memsync.FindReturned, "this memory was deleted"+on(ev)+" and is back", "remove it again if that was not meant")
	return false
}

func (x *deciding) rejected() bool {
	ev, text, found := x.rejectedText()
	if !found {
		return false
	}
	why := whyRejected(ev)
	if x.actor.Person() {
		x.warn(memsync.FindRejectedValue, why, rejectedHint)
		x.d.Other = ev.Memory
		if x.accepting() {
			x.event(memsync.LedgerEvent{Op: memsync.LedgerAccept, Memory: x.id, Path: x.rel(x.Path), Value: text, Sees: []memsync.ID{ev.ID}})
		}
		return false
	}
	return x.wait("tombstone", &memsync.Error{Code: memsync.CodeValueRejected, Message: why,
		Hint:    "leave it out; only a person can say it again",
		Details: map[string]string{"rejection": string(ev.ID), "memory_id": string(ev.Memory)}})
}

// renamesToRejected looks for a rejected value in a new name, and in the whole
// text where the memory moves to a scope that rejected it.
func (x *deciding) renamesToRejected() bool {
	texts := []string{fieldText(x.Candidate.Fields, "name")}
	if x.old != nil && x.toScope.Dir != x.Scope.Dir {
		if d, err := format.Parse(x.f.Current, x.policy.Limits); err == nil {
			texts = append(texts, pieces(format.Describe(d, x.old.Path, x.Scope), d.Body())...)
		}
	}
	for _, t := range texts {
		if strings.TrimSpace(t) == "" {
			continue
		}
		ev, found := x.f.State.Rejected(x.toScope.Dir, valueHash(t))
		if !found {
			continue
		}
		why := whyRejected(ev)
		if x.actor.Person() {
			x.warn(memsync.FindRejectedValue, why, rejectedHint)
			return false
		}
		return x.wait("tombstone", &memsync.Error{Code: memsync.CodeValueRejected, Path: x.Path, Message: why,
			Hint:    "choose another name; only a person can say it again",
			Details: map[string]string{"rejection": string(ev.ID), "memory_id": string(ev.Memory)}})
	}
	return false
}

const rejectedHint = "a person's word stands; edit it if the rejection was right"

func whyRejected(ev memsync.LedgerEvent) string {
	if ev.Reason != "" {
		return "this was rejected" + on(ev) + ": " + ev.Reason
	}
	return "this was rejected" + on(ev)
}

// RejectedIn is the finding about a memory, with its text, that says what was
// rejected in its scope.
func RejectedIn(m *memsync.Memory, body string, scope memsync.Path, state *ledger.State) (memsync.Finding, bool) {
	if !state.Rejections() {
		return memsync.Finding{}, false
	}
	for _, piece := range pieces(m, body) {
		if ev, ok := state.Rejected(scope, valueHash(piece)); ok {
			return memsync.Finding{Code: memsync.FindRejectedValue, Severity: memsync.Warning, Message: whyRejected(ev), Hint: rejectedHint}, true
		}
	}
	return memsync.Finding{}, false
}

// rejectedText looks for a rejected value: in the whole body, in each of its
// paragraphs, sentences' lines and list entries, in name, description and
// hook. What the accepted version says already is no news.
func (x *deciding) rejectedText() (memsync.LedgerEvent, memsync.Hash, bool) {
	if !x.f.State.Rejections() {
		return memsync.LedgerEvent{}, "", false
	}
	var before map[memsync.Hash]bool
	for _, piece := range pieces(x.mem, x.body) {
		h := valueHash(piece)
		ev, ok := x.f.State.Rejected(x.Scope.Dir, h)
		if !ok {
			continue
		}
		if before == nil {
			before = x.accepted()
		}
		if !before[h] {
			return ev, h, true
		}
	}
	return memsync.LedgerEvent{}, "", false
}

// accepted are the values that the accepted version holds.
func (x *deciding) accepted() map[memsync.Hash]bool {
	out := map[memsync.Hash]bool{}
	if x.old == nil || x.f.Current == nil {
		return out
	}
	d, err := format.Parse(x.f.Current, x.policy.Limits)
	if err != nil {
		return out
	}
	for _, piece := range pieces(format.Describe(d, x.Path, x.Scope), d.Body()) {
		out[valueHash(piece)] = true
	}
	return out
}

// maxPieces bounds the work on a file of a megabyte: its first lines are
// looked at one by one, the rest as part of the whole. A guess.
const maxPieces = 4000

// pieces are the texts of a memory that could be a rejected value.
func pieces(m *memsync.Memory, body string) []string {
	whole := strings.TrimSpace(body)
	out := make([]string, 0, 8)
	add := func(s string) {
		if s != "" && len(out) < maxPieces {
			out = append(out, s)
		}
	}
	add(whole)
	add(m.Name)
	if m.Description != m.Name {
		add(m.Description)
	}
	add(m.Hook)
	if !strings.Contains(whole, "\n") {
		add(unmarked(whole, whole))
		return out
	}
	start, at, lines := 0, 0, 0 // of the paragraph, in whole
	flush := func() {
		if lines > 1 {
			add(whole[start:at])
		}
		lines = 0
	}
	for line := range strings.Lines(whole) {
		t := strings.TrimSpace(line)
		switch {
		case t == "":
			flush()
		default:
			if lines == 0 {
				start = at
			}
			add(unmarked(t, ""))
			lines++
		}
		at += len(line)
	}
	flush()
	return out
}

// unmarked is a line without list, quote and heading marks; "" when that is
// same.
func unmarked(line, same string) string {
	s := strings.TrimSpace(strings.TrimLeft(line, "-*+>#•0123456789.) \t"))
	if s == "" {
		s = line
	}
	if s == same {
		return ""
	}
	return s
}

func on(ev memsync.LedgerEvent) string {
	if ev.At.IsZero() {
		return ""
	}
	s := " on " + ev.At.UTC().Format(time.DateOnly)
	if ev.Actor.Name != "" {
		s += " by " + ev.Actor.Name
	}
	return s
}

func forgottenError(p memsync.Path) *memsync.Error {
	return &memsync.Error{Code: memsync.CodeForgotten, Path: p, Message: "this memory was forgotten",
		Hint: "what was forgotten does not come back; write what you need anew"}
}

func deletedError(p memsync.Path, ev memsync.LedgerEvent) *memsync.Error {
	return &memsync.Error{Code: memsync.CodeDeleted, Path: p, Message: "this memory was deleted" + on(ev),
		Hint:    "a person brings it back with `memsync restore " + string(ev.Memory) + "`; something new needs another name",
		Details: map[string]string{"memory_id": string(ev.Memory)}}
}
