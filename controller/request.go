package controller

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"memsync"
)

// RequestHash tells whether two submissions are the same request. A request id
// decides where there is one, per origin and actor (programs count from 1).
// Without it everything that was asked does: origin, actor, conversation, op,
// place, and content or operations. The base is left out: the same text sent
// again after a lost answer names another one.
func RequestHash(c memsync.Candidate) string {
	w := fieldHash{sha256.New()}
	w.text("memsync request 1", string(c.Origin), string(c.Actor.Class), c.Actor.Name)
	if c.RequestID != "" {
		w.text("id", c.RequestID)
		return w.sum()
	}
	w.text("content", c.Conversation, string(c.Op), c.Scope, string(c.ID), string(c.Path), string(c.From),
		c.Entity, c.Attribute, c.Override)
	w.flag(c.Accept)
	w.flag(c.Raw != nil)
	w.bytes(c.Raw)
	w.flag(c.Content != nil)
	if c.Content != nil {
		w.text(*c.Content)
	}
	w.count(len(c.Fields))
	for _, f := range c.Fields {
		w.text(f.Key, f.Value.Text)
		w.flag(f.Remove)
		w.flag(f.Value.IsList)
		w.count(len(f.Value.List))
		w.text(f.Value.List...)
	}
	w.count(len(c.Operations))
	for _, op := range c.Operations {
		w.text(op.Action, op.OldText, op.Content)
	}
	w.count(len(c.Events))
	for _, e := range c.Events {
		w.text(string(e.Op), string(e.Memory), string(e.Path), string(e.Hash), e.Blob, string(e.Value), e.Fingerprint,
			string(e.Other), e.Target, string(e.Proposal), e.Outcome, e.Conflict, e.Reason)
		w.count(len(e.Sees))
		for _, id := range e.Sees {
			w.text(string(id))
		}
	}
	return w.sum()
}

// fieldHash hashes fields with their lengths, so that no two lists of fields
// run into each other.
type fieldHash struct{ h hash.Hash }

func (w fieldHash) count(n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	w.h.Write(b[:])
}

func (w fieldHash) bytes(b []byte) {
	w.count(len(b))
	w.h.Write(b)
}

func (w fieldHash) text(list ...string) {
	for _, s := range list {
		w.bytes([]byte(s))
	}
}

func (w fieldHash) flag(b bool) {
	if b {
		w.count(1)
	} else {
		w.count(0)
	}
}

func (w fieldHash) sum() string { return hex.EncodeToString(w.h.Sum(nil)) }
