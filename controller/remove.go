package controller

import "memsync"

// remove is rule 6: a file that is gone, or that somebody wants gone.
func (x *deciding) remove() bool {
	switch {
	case x.kind == isVanished:
	case x.kind == isRemove:
	case x.kind == isWrite && x.doc == nil: // the revert of an add
	default:
		return false
	}
	m := x.Memory
	if m == nil {
		// A save that is gone, or an add that was undone already.
		return x.noop("delete", "no memory is there")
	}
	if x.kind != isVanished && x.f.Disk != "" && x.dirty() {
		return x.refuse("delete", unseen(x.Path))
	}
	x.pass("delete", "")
	x.d.Op, x.d.Memory, x.d.Base = memsync.OpDelete, m.ID, x.f.Disk
	if x.kind == isVanished {
		x.d.Base = ""
		if x.policy.Git.Commit == memsync.CommitOff && !x.f.HeadDropped {
			// A stash or a branch switch takes files away too: the memory
			// leaves the View, and the ledger waits for the commit.
			x.d.Reasons[len(x.d.Reasons)-1].Detail = "gone from the working tree; the commit that drops it decides"
			return true
		}
	}
	x.d.Files = append(x.d.Files, memsync.FileChange{Path: m.Path, Base: x.d.Base, Prior: x.prior(m)})
	x.deleteEvent(m)
	x.d.Events = append(x.d.Events, x.events...)
	x.travel()
	return true
}

// deleteEvent records a deletion with the hash of the last bytes and of the
// text, so that the very same comes back from anybody.
func (x *deciding) deleteEvent(m *memsync.Memory) {
	ev := memsync.LedgerEvent{Op: memsync.LedgerDelete, Memory: m.ID, Path: x.relTo(m), Hash: m.Hash, Reason: x.Candidate.Override}
	if body, ok := x.bodyOf(m); ok {
		ev.Value = valueHash(body)
	}
	x.event(ev)
}

// bodyOf is the accepted body of a memory, where the facts have it.
func (x *deciding) bodyOf(m *memsync.Memory) (string, bool) {
	if x.Memory != nil && m.Path == x.Memory.Path && x.f.Current != nil {
		if d, err := parse(x.f.Current, x.policy.Limits); err == nil {
			return d.Body(), true
		}
		return "", false
	}
	for _, v := range x.f.Vanished {
		if v.Memory != nil && v.Memory.Path == m.Path {
			return v.Body, true
		}
	}
	return "", false
}

func (x *deciding) prior(m *memsync.Memory) string {
	if m == nil {
		return x.f.Prior
	}
	if x.f.Prior != "" && x.Memory != nil && m.Path == x.Memory.Path {
		return x.f.Prior
	}
	return m.Blob
}
