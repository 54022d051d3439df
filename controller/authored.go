package controller

import "memsync"

// authored commits a file that people wrote and memsync only keeps: AGENT.md,
// memsync.toml, notes outside the scopes. It is taken as saved, byte for byte;
// only a secret holds it.
func (x *deciding) authored() bool {
	if x.kind != isAuthored {
		return false
	}
	c := &x.Candidate
	d := &x.d
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
	x.pass("add", "as saved")
	d.Op = memsync.OpAuthored
	d.Files = []memsync.FileChange{{Path: c.Path, Base: d.Base, Post: d.Post, Content: c.Raw, Prior: x.f.Prior}}
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
	x.d.After = x.peerMemory()
	x.noop("add", "in the tree")
	x.d.Memory, x.d.Post = x.d.After.ID, x.d.After.Hash
	return true
}

// peerMemory is the memory as its path and the facts name it.
func (x *deciding) peerMemory() *memsync.Memory {
	m := *x.read
	m.Hash, m.Size, m.Blob = memsync.HashOf(x.Candidate.Raw), int64(len(x.Candidate.Raw)), x.f.Blob
	m.Inline = m.ID != ""
	m.Sketch = x.sketchOf()
	if m.ID == "" {
		if id, ok := x.f.State.Identity(x.Path); ok {
			m.ID = id
		} else if x.Memory != nil {
			m.ID = x.Memory.ID
		} else {
			m.ID = x.f.DerivedID
		}
	}
	return &m
}

func (x *deciding) quarantine(why *memsync.Error) bool {
	if _, already := x.f.State.Quarantined(x.Path, x.f.Blob); already {
		return x.noop("scan", "quarantined already")
	}
	x.answer(memsync.OpRecord, "scan", why)
	x.event(memsync.LedgerEvent{Op: memsync.LedgerQuarantine, Path: x.rel(x.Path), Blob: x.f.Blob, Reason: string(why.Code)})
	x.d.Events = x.events
	return true
}
