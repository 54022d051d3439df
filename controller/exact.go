package controller

import (
	"slices"

	"memsync"
)

// exact is rule 7: it is already so.
//
// At the same path: a save is a no-op when its bytes are the accepted ones
// (other bytes with the same meaning are still what the person wants to have
// there); a write is one when text and meaning are the same, so that no time
// stamp is written for nothing. Elsewhere in the scope, the same text with the
// same header: another conversation that says it corroborates, the same one is
// answered with the memory that is there, a save is told.
func (x *deciding) exact() bool {
	c := &x.Candidate
	if x.doc == nil || x.kind == isRename {
		return false
	}
	if x.old != nil && x.old.Path == x.Path && x.moveTo == "" {
		same := x.kind == isSave && x.saved == x.current || x.kind == isWrite && x.mem.Hash == x.current
		if x.kind == isWrite && c.Raw == nil {
			same = same || x.unchanged()
		}
		if same && len(x.events) == 0 && len(c.Events) == 0 && x.copied == nil && x.alias == "" {
			return x.noop("exact", "already so")
		}
		x.pass("exact", "")
		return false
	}
	if x.old != nil {
		return false
	}
	for _, m := range x.twins() {
		if m.MetaKey != x.mem.MetaKey {
			continue
		}
		if x.kind == isSave || x.accepting() || x.restoring() {
			x.pass("exact", "the same memory stands at another path")
			return false
		}
		return x.repeats("exact", m, 1)
	}
	x.tellTwin()
	x.pass("exact", "")
	return false
}

// tellTwin says where the same text stands under another type: near-duplicates
// are looked for within a type only.
func (x *deciding) tellTwin() {
	for _, m := range x.twins() {
		if m.Type != x.mem.Type {
			x.warn(memsync.FindSameText, "the same text stands in "+string(m.Path), "keep one of them, or make them say different things")
			return
		}
	}
}

// restoring reports that whole bytes were asked for by somebody who has seen
// what there is.
func (x *deciding) restoring() bool {
	return x.Candidate.Op == memsync.OpRestore || x.Candidate.Op == memsync.OpRevert || x.Candidate.Origin == memsync.OriginLint
}

// twins are the other memories of the scope with the same normalized body.
func (x *deciding) twins() []*memsync.Memory {
	if x.mem.BodyKey == "" || x.sketchOf() == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(x.f.View.ByBody(x.Scope.Name(), x.mem.BodyKey)), func(m *memsync.Memory) bool {
		return m.Path == x.Path || m.ID == x.id || x.gone(m.Path)
	})
}

// repeats answers a write that says what m says: support from a conversation
// that is not counted yet, else a no-op that names m.
func (x *deciding) repeats(rule string, m *memsync.Memory, likeness float64) bool {
	c := &x.Candidate
	x.d.Other, x.d.Memory, x.d.Confidence = m.ID, m.ID, likeness
	x.d.Path = m.Path
	if c.Conversation == "" && rule == "exact" || x.counted(m) {
		x.pass(rule, "the memory is there already")
		x.d.Op, x.d.Base, x.d.Prior, x.d.Post = memsync.OpNoop, m.Hash, m.Hash, m.Hash
		return true
	}
	x.pass(rule, "the same lesson from another conversation")
	exposed := x.f.Exposed[m.ID]
	x.event(memsync.LedgerEvent{Op: memsync.LedgerCorroborate, Memory: m.ID, Exposed: &exposed})
	x.d.Op, x.d.Base, x.d.Prior, x.d.Post = memsync.OpCorroborate, m.Hash, m.Hash, m.Hash
	x.d.Events = x.events
	x.d.After = m
	return true
}

// counted reports whether this conversation is evidence for m already: it is
// where m comes from, or has corroborated it. Without a conversation, whether
// this actor has.
func (x *deciding) counted(m *memsync.Memory) bool {
	c := &x.Candidate
	if c.Conversation != "" && slices.Contains(m.Conversations, c.Conversation) {
		return true
	}
	return slices.ContainsFunc(x.f.State.Events(m.ID), func(e memsync.LedgerEvent) bool {
		return e.Op == memsync.LedgerCorroborate && e.Conversation == c.Conversation && (c.Conversation != "" || e.Actor == x.actor)
	})
}
