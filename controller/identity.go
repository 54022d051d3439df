package controller

import "memsync"

// identity is rule 8. Who it is was found before (who.go, target.go): here a
// candidate that continues an accepted memory becomes its update or rename.
func (x *deciding) identity() bool {
	switch {
	case x.kind == isRename:
		return x.rename()
	case x.old == nil:
		if x.copied != nil {
			x.pass("identity", "a copy; its id belongs to "+string(x.copied.Path))
		} else {
			x.pass("identity", "new")
		}
		return false
	}
	op, detail := memsync.OpUpdate, x.how
	if x.kind == isSave {
		detail = "by path"
	}
	if x.moveTo != "" {
		x.Path, x.Scope = x.moveTo, x.toScope
		x.d.Path, x.d.Scope = x.Path, x.Scope.Name()
	}
	if x.old.Path != x.Path {
		op, detail = memsync.OpRename, "moved from "+string(x.old.Path)
	}
	x.pass("identity", detail)
	return x.settle(op)
}

// slot is rule 9 for what matched no memory: the slot is new.
func (x *deciding) slot() bool {
	if SlotKey(x.Candidate.Entity, x.Candidate.Attribute) != "" {
		x.pass("slot", "no memory has it yet")
	}
	return false
}

// add is rule 13.
func (x *deciding) add() bool {
	x.pass("add", "")
	return x.settle(memsync.OpAdd)
}
