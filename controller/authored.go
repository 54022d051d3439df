package controller

import (
	"strings"

	"memsync"
	"memsync/internal/config"
	"memsync/internal/format"
)

// authored commits a file that people wrote and memsync only keeps: AGENT.md,
// memsync.toml, notes outside the scopes. It is taken as saved, byte for byte;
// only a secret holds it.
func (x *deciding) authored() bool {
	if x.kind != isAuthored {
		return false
	}
	c := &x.Candidate
	d := &x.d
	switch {
	case c.Path == "":
		return x.refuse("shape", &memsync.Error{Code: memsync.CodePathInvalid, Message: "no file is named"})
	case c.Origin.Save():
	case !c.Actor.Person() && c.Origin != memsync.OriginLint:
		return x.refuse("shape", personRequired("writing an authored file"))
	default:
		if e := asError(format.CheckPath(c.Path), memsync.CodePathInvalid); e != nil && (e.Code == memsync.CodePathEscape || e.Details["reason"] == "git") {
			return x.refuse("shape", e)
		}
	}
	d.Base, d.Post = memsync.HashOf(c.Raw), memsync.HashOf(c.Raw)
	if c.Raw == nil {
		d.Base, d.Post = "", ""
	}
	switch {
	case d.Post == x.current:
		x.pass("exact", "already so")
		d.Op = memsync.OpNoop
		return true
	case !c.Origin.Save():
		d.Base = x.f.Disk
		if x.baseMoved() {
			return x.refuse("stale", x.conflict())
		}
	}
	if err := policyError(c); err != nil {
		return x.refuse("shape", err)
	}
	x.pass("add", "as saved")
	d.Op = memsync.OpAuthored
	d.Files = []memsync.FileChange{{Path: c.Path, Base: d.Base, Post: d.Post, Content: c.Raw, Prior: x.f.Prior}}
	if x.Scope.Kind == "" {
		d.Scope = ""
		return true
	}
	x.travel()
	return true
}

// peer looks at a document that others' commits brought: it is in the tree and
// stays there, so that all clones agree on the tree. What the scan refuses is
// taken out of every reader's sight by a quarantine event (scan.go); what does
// not parse is listed as unreadable; everything else is already so.
func (x *deciding) peer() bool {
	if x.kind != isPeer {
		return false
	}
	m := x.peerMemory()
	x.d.After, x.d.Memory = m, m.ID
	if x.copied != nil {
		// Every clone says the same of it: the id is derived from history.
		x.warn(memsync.FindDuplicateID, "the id in this file belongs to "+string(x.copied.Path)+"; this file has "+string(m.ID),
			"`memsync lint --fix` writes the id of its own")
		x.event(memsync.LedgerEvent{Op: memsync.LedgerIdentify, Memory: m.ID, Path: x.rel(x.Path), Hash: m.Hash})
		x.pass("identity", "a copy; its id belongs to "+string(x.copied.Path))
		x.d.Op, x.d.Post, x.d.Events = memsync.OpRecord, m.Hash, x.events
		return true
	}
	x.noop("add", "in the tree")
	x.d.Memory, x.d.Post = m.ID, m.Hash
	return true
}

// peerMemory is the memory as its path and the facts name it.
func (x *deciding) peerMemory() *memsync.Memory {
	m := *x.read
	m.Blob, m.Sketch = x.f.Blob, x.sketchOf()
	other := m.ID
	Identify(&m, x.f.DerivedID, x.f.State)
	if holder := x.holder(other); other != "" && m.ID == other && holder != nil && x.f.DerivedID != "" &&
		(x.Memory == nil || x.Memory.ID != other) {
		m.ID, m.Inline, x.copied = x.f.DerivedID, false, holder
	}
	return &m
}

func (x *deciding) quarantine(why *memsync.Error) bool {
	if _, already := x.f.State.Quarantined(x.Path, x.f.Blob); already {
		return x.noop("scan", "quarantined already")
	}
	x.answer(memsync.OpRecord, "scan", why)
	x.event(memsync.LedgerEvent{Op: memsync.LedgerQuarantine, Path: x.rel(x.Path), Blob: x.f.Blob,
		Fingerprint: strings.Join(Fingerprints(why), ","), Reason: string(why.Code)})
	x.d.Events = x.events
	return true
}

// policyError says why a memsync.toml does not decode: it is held, and the last
// good one stays in force.
func policyError(c *memsync.Candidate) *memsync.Error {
	if c.Path.Base() != "memsync.toml" || c.Raw == nil {
		return nil
	}
	_, err := config.Parse(c.Raw)
	e := asError(err, memsync.CodeConfig)
	if e != nil {
		e.Path = c.Path
	}
	return e
}
