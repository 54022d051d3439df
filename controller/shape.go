package controller

import (
	"memsync"
	"memsync/internal/format"
)

// shape is rule 1: parseable, closed type, scope coherent with the path,
// portable and unreserved names, limits; and nobody claims to be more than
// they are. All before anything is journaled.
func (x *deciding) shape() bool {
	c := &x.Candidate
	switch {
	case c.Accept && !c.Actor.Person():
		return x.refuse("shape", personRequired("accept"))
	case c.Override != "" && !c.Actor.Person():
		return x.refuse("shape", personRequired("--override"))
	case c.Op == memsync.OpRestore && !x.actor.Person():
		return x.refuse("shape", personRequired("restore"))
	}
	if err := checkEvents(c); err != nil {
		return x.refuse("shape", err)
	}
	switch x.kind {
	case isSave, isVanished, isPeer:
		return x.shapeFile()
	case isAuthored, isRecord:
		if bad := CheckName(x.Path, x.f.State); bad != nil && bad.Code == memsync.CodePathInvalid && x.Candidate.Origin.Save() {
			return x.unnamable(bad)
		}
		if x.refused != nil {
			return x.refuse("shape", x.refused)
		}
		x.pass("shape", "")
		return false
	}
	if x.refused != nil {
		return x.refuseWrite(x.refused)
	}
	if x.kind == isWrite {
		if err := x.draft(); err != nil {
			if x.baseMoved() {
				return x.stale() // the reason why it does not fit
			}
			return x.refuseWrite(err)
		}
	}
	detail := ""
	for i, n := range x.noted {
		if i > 0 {
			detail += "; "
		}
		detail += n
	}
	x.pass("shape", detail)
	return false
}

// refuseWrite refuses a write for its shape; for a secret in it first, because
// a parser's message may quote what it stumbled over.
func (x *deciding) refuseWrite(e *memsync.Error) bool {
	if secretIn(x.hits()) {
		return x.scan()
	}
	return x.refuse("shape", e)
}

// shapeFile is rule 1 for bytes that are on disk. The directory wins over what
// a file says about its scope, and every oddity that can be lived with is a
// finding.
func (x *deciding) shapeFile() bool {
	if x.Scope.Kind == "" {
		return x.noop("shape", "the file lies in no scope")
	}
	if bad := CheckName(x.Path, x.f.State); bad != nil && x.kind == isSave {
		if bad.Code == memsync.CodeSecret {
			return x.scan() // first of all: no other answer would mask the name
		}
		return x.unnamable(bad)
	}
	switch x.class {
	case format.MemoryFile, format.LogFile:
	case format.ConflictCopy:
		return x.conflictCopy()
	default:
		return x.noop("shape", "not a memory by its name")
	}
	if x.kind == isVanished {
		x.pass("shape", "")
		return false
	}
	if x.refused != nil {
		if x.kind == isPeer {
			return x.noop("shape", "in the tree, unreadable")
		}
		if secretIn(x.hits()) {
			return x.scan() // held as such, so that its bytes are never copied
		}
		e := *x.refused
		e.Path = x.Path
		if e.Hint == "" {
			e.Hint = "the file stays as it is; mend it and save again"
		}
		x.find(memsync.Finding{Code: memsync.FindHeld, Severity: memsync.Severe, Line: e.Line, Column: e.Column, Message: e.Message, Hint: e.Hint})
		return x.refuse("shape", &e)
	}
	x.d.Findings = append(x.d.Findings, format.Check(x.doc, x.Path, x.Scope)...)
	if e := asError(format.CheckPath(x.Path), memsync.CodePathInvalid); e != nil && e.Details["reason"] != "dash" && e.Details["reason"] != "hidden" {
		x.warn(memsync.FindNotPortable, "this name cannot exist on every system: "+e.Message, "rename the file")
	}
	if x.kind == isSave && x.secondCopy() {
		return x.conflictCopy()
	}
	x.pass("shape", "")
	return false
}

// unnamable holds a save whose name nothing can record.
func (x *deciding) unnamable(bad *memsync.Error) bool {
	x.find(memsync.Finding{Code: memsync.FindNotPortable, Severity: memsync.Severe, Path: bad.Path, Message: bad.Message, Hint: bad.Hint})
	return x.refuse("shape", bad)
}

// secondCopy reports a file-sync tool's "name 2.md": a numbered name whose id
// another file, still there, already has.
func (x *deciding) secondCopy() bool {
	if x.Memory != nil || x.mem.ID == "" {
		return false
	}
	base, numbered := format.NumberedCopy(x.Path.Base())
	if !numbered {
		return false
	}
	original := x.Path.Dir().Join(base)
	m := x.f.View.ByPath(original)
	return m != nil && m.ID == x.mem.ID && !x.gone(original)
}

func (x *deciding) conflictCopy() bool {
	if x.kind == isVanished || x.kind == isPeer {
		return x.noop("shape", "a file-sync tool's copy is kept out")
	}
	x.warn(memsync.FindConflictCopy, "a file-sync tool's copy, kept out of the store",
		"`memsync conflicts` shows what differs; move what you need into the original and remove the copy")
	return x.refuse("shape", &memsync.Error{Code: memsync.CodeConflictUnresolved, Path: x.Path,
		Message: "a file-sync tool's conflict copy", Hint: "`memsync conflicts` shows what differs"})
}

// gone reports whether an accepted path was looked at again and is not there.
func (x *deciding) gone(p memsync.Path) bool {
	if p == x.Candidate.From && p != "" && x.kind == isSave {
		return true
	}
	for i := range x.f.Vanished {
		if m := x.f.Vanished[i].Memory; m != nil && m.Path == p {
			return true
		}
	}
	return false
}

func personRequired(what string) *memsync.Error {
	return &memsync.Error{Code: memsync.CodePersonRequired, Message: what + " needs a person",
		Hint: "run it yourself on a terminal"}
}
