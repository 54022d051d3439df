package controller

import "memsync"

// protected is rule 5: a pinned memory and one with a guarded promotion are
// changed by people, and what would take the latter out of a prompt by the way is
// theirs to do, too. A person's save is free (and unpins by saving), a
// person's write says why with --override; others are refused, and wait where
// nobody asks for the answer.
func (x *deciding) protected() bool {
	m := x.old
	if x.kind == isVanished || x.kind == isRemove || x.kind == isRename {
		m = x.Memory
	}
	why := ""
	switch {
	case x.f.TakesOut != "":
		why = "it would take the promoted " + string(x.f.TakesOut) + " out of a prompt"
	case m == nil:
		return false
	case m.Pinned:
		why = "the memory is pinned"
	case x.f.Guarded:
		why = "the memory has a guarded promotion"
	case x.f.Earned && (x.kind == isVanished || x.kind == isRemove):
		why = "the memory has an earned promotion"
	default:
		x.pass("protected", "")
		return false
	}
	switch {
	case x.fromDisk() && x.actor.Person():
		x.pass("protected", why+"; a person saved")
		return false
	case x.accepting():
		x.pass("protected", why+"; accepted by a person")
		return false
	case x.Candidate.Override != "" && x.Candidate.Actor.Person():
		x.pass("protected", why+"; overridden")
		return false
	}
	if x.unchanged() {
		return false // rule 7 says that it is already so
	}
	e := &memsync.Error{Code: memsync.CodeProtected, Message: why, Hint: "a person edits the file or passes --override with a reason"}
	if m != nil {
		e.Details = map[string]string{"memory_id": string(m.ID)}
	}
	return x.wait("protected", e)
}

// unchanged reports whether the candidate leaves the memory as it is.
func (x *deciding) unchanged() bool {
	switch {
	case x.f.TakesOut != "":
		return false // what changes nothing takes nothing out
	case x.kind == isSave:
		return x.old.Path == x.Path && x.saved == x.current
	case x.kind == isWrite && x.mem != nil && x.moveTo == "":
		return x.mem.BodyKey == x.old.BodyKey && x.mem.MetaKey == x.old.MetaKey
	}
	return false
}
