package controller

import (
	"slices"
	"strings"

	"memsync"
	"memsync/internal/scan"
)

// peoples reports whether only a person may cause the event.
func peoples(op memsync.LedgerOp) bool {
	switch op {
	case memsync.LedgerAccept, memsync.LedgerAllow, memsync.LedgerApprove, memsync.LedgerDeny,
		memsync.LedgerPromote, memsync.LedgerForget, memsync.LedgerRejectValue,
		memsync.LedgerRestore, memsync.LedgerResolve:
		return true
	}
	return false
}

// known reports whether an event that is not peoples' may be asked for: a demotion
// by whoever is not allowed to is a request, since the bar of what it ends is
// worked out anew by everybody who reads it. Those that follow from decisions about files (identify, delete, quarantine) are not among them:
// asked for by themselves they would forge what a path is.
func known(op memsync.LedgerOp) bool {
	switch op {
	case memsync.LedgerCorroborate, memsync.LedgerContradict, memsync.LedgerFeedback, memsync.LedgerLink,
		memsync.LedgerUnlink, memsync.LedgerPropose, memsync.LedgerRequest, memsync.LedgerInvalidate,
		memsync.LedgerArchive, memsync.LedgerRevive, memsync.LedgerDemote:
		return true
	}
	return false
}

// travelling reports whether the event may come with a file: it has no effect on
// files of its own but the copy that a resolve ends.
func travelling(op memsync.LedgerOp) bool {
	switch op {
	case memsync.LedgerResolve, memsync.LedgerLink, memsync.LedgerUnlink, memsync.LedgerPropose,
		memsync.LedgerFeedback, memsync.LedgerContradict:
		return true
	}
	return false
}

// checkEvents refuses events that are not the actor's to cause.
func checkEvents(c *memsync.Candidate) *memsync.Error {
	for _, e := range c.Events {
		switch {
		case c.Op != memsync.OpRecord && !travelling(e.Op) && !peoples(e.Op):
			return &memsync.Error{Code: memsync.CodeUsage, Message: "that event does not come with a file"}
		case peoples(e.Op) && !c.Actor.Person():
			return personRequired(string(e.Op))
		case c.Origin == memsync.OriginPeer && e.Op == memsync.LedgerDelete: // answers a commit that dropped the file
		case !peoples(e.Op) && !known(e.Op):
			return &memsync.Error{Code: memsync.CodeUsage, Message: "no such event can be asked for"}
		case c.Op != memsync.OpRecord && !travelling(e.Op):
			return &memsync.Error{Code: memsync.CodeUsage, Message: string(e.Op) + " does not come with a file", Hint: "record it by itself"}
		case e.Op == memsync.LedgerAllow && (!scan.IsFingerprint(e.Fingerprint) || c.Path == "" && e.Path == ""):
			return &memsync.Error{Code: memsync.CodeUsage, Message: "allow needs a fingerprint and the path it was found at"}
		case e.Op == memsync.LedgerAllow && strings.TrimSpace(e.Reason) == "":
			return &memsync.Error{Code: memsync.CodeUsage, Message: "allow needs a reason", Hint: "say why it is no secret: --reason"}
		}
	}
	return nil
}

// prepareRecord finds the memory that the events are about.
func (s *Subject) prepareRecord(f Facts) {
	c := &s.Candidate
	if len(c.Events) == 0 {
		s.refused = &memsync.Error{Code: memsync.CodeUsage, Message: "nothing is to be recorded"}
		return
	}
	id := c.ID
	for _, e := range c.Events {
		if id == "" {
			id = e.Memory
		}
	}
	if c.Path != "" {
		s.Path, s.Memory = c.Path, f.View.ByPath(c.Path)
		s.Scope, _ = memsync.ScopeOf(f.View.Scopes, c.Path)
	}
	if s.Memory == nil && id != "" {
		if s.Memory = anywhere(f.View, id); s.Memory != nil {
			s.Path = s.Memory.Path
		}
	}
	if s.Memory != nil {
		if scope, ok := f.View.Scope(s.Memory.Scope); ok {
			s.Scope = scope
		}
		if id == "" {
			id = s.Memory.ID
		}
	}
	if c.Scope != "" && s.Memory == nil {
		scope, ok := f.View.Scope(c.Scope)
		if !ok {
			s.refused = noScope(c.Scope)
			return
		}
		s.Scope = scope
	}
	if s.Scope.Kind == "" && id != "" {
		// A memory that is gone: its events stay with the scope it was in.
		for _, p := range f.State.PathsOf(id) {
			if scope, ok := memsync.ScopeOf(f.View.Scopes, p); ok {
				s.Scope = scope
			}
		}
	}
	if s.Scope.Kind == "" {
		var err *memsync.Error
		if s.Scope, err = DefaultScope(memsync.User, f.View.Scopes, f.AllGlobal); err != nil && len(f.View.Scopes) > 0 {
			s.Scope = f.View.Scopes[0]
		}
	}
	if s.Memory != nil {
		s.Needs.Read = s.Memory.Path
	}
	for _, e := range c.Events {
		if e.Op == memsync.LedgerForget || e.Op == memsync.LedgerResolve {
			s.Needs.Attached = id
		}
	}
	s.Candidate.ID = id
}

// record is what is true of a memory but not its text.
func (x *deciding) record() bool {
	if x.kind != isRecord {
		return false
	}
	x.old = x.Memory
	for i := range x.Candidate.Events {
		e := x.Candidate.Events[i]
		if e.Memory == "" {
			e.Memory = x.Candidate.ID
		}
		if err := x.recordOne(e); err != nil {
			x.events, x.extra = nil, nil
			return x.refuse("shape", err)
		}
	}
	if len(x.events) == 0 {
		return x.noop("exact", "recorded already")
	}
	x.pass("add", string(x.Candidate.Events[0].Op))
	d := &x.d
	d.Op, d.Memory, d.Base, d.Post = memsync.OpRecord, x.Candidate.ID, x.f.Disk, x.current
	d.After = x.Memory
	for _, f := range x.extra {
		if f.Path == x.Path && f.Post == "" {
			d.Post, d.After = "", nil
		}
	}
	d.Files, d.Events = x.extra, x.events
	return true
}

func (x *deciding) recordOne(e memsync.LedgerEvent) *memsync.Error {
	if e.Op != memsync.LedgerForget && e.Memory != "" {
		if _, ok := x.f.State.Forgotten(e.Memory); ok {
			return forgottenError(x.Path)
		}
	}
	switch e.Op {
	case memsync.LedgerForget:
		return x.forget(e)
	case memsync.LedgerRejectValue:
		return x.rejectValue(e)
	case memsync.LedgerResolve:
		x.resolve(e)
		return nil
	case memsync.LedgerAllow, memsync.LedgerAccept:
		if e.Path == "" {
			e.Path = x.rel(x.Candidate.Path)
		}
		if e.Op == memsync.LedgerAllow && x.f.State.Allowed(x.Scope.Dir.Join(string(e.Path)), e.Fingerprint) {
			return nil
		}
	case memsync.LedgerCorroborate:
		if x.Memory == nil {
			return x.absent(x.f)
		}
		if x.counted(x.Memory) {
			return nil
		}
		exposed := x.f.Exposed[x.Memory.ID]
		e.Exposed = &exposed
	case memsync.LedgerPropose:
		if x.Memory == nil {
			return x.absent(x.f)
		}
		if slices.ContainsFunc(x.f.State.Events(e.Memory), func(o memsync.LedgerEvent) bool { return o.ID == e.ID }) {
			return nil
		}
	case memsync.LedgerDelete, memsync.LedgerRestore, memsync.LedgerRevive, memsync.LedgerApprove, memsync.LedgerDeny, memsync.LedgerRequest:
		// About what may be gone, or about a proposal.
	default:
		if x.Memory == nil {
			return x.absent(x.f)
		}
	}
	x.event(e)
	return nil
}

// forget takes a memory away for good: its file whatever is in it now, its
// snapshots, archive and conflict copies. The event has the hash of the value,
// so that it does not come back under another name, and without inline
// identity the path.
func (x *deciding) forget(e memsync.LedgerEvent) *memsync.Error {
	m := x.Memory
	if m == nil {
		if _, ok := x.f.State.Forgotten(e.Memory); ok && e.Memory != "" {
			return nil // already so
		}
		ev, was := x.f.State.Deleted(e.Memory)
		if !was && x.Candidate.Path != "" {
			ev, was = x.f.State.DeletedAt(x.Candidate.Path)
		}
		if !was {
			return x.absent(x.f)
		}
		// Deleted before: its text is in history only.
		e.Memory, e.Value, e.Path = ev.Memory, ev.Value, ev.Path
	} else {
		e.Memory = m.ID
		if body, ok := x.bodyOf(m); ok && strings.TrimSpace(body) != "" {
			e.Value = valueHash(body)
		}
		e.Path = ""
		if !m.Inline {
			e.Path = x.rel(m.Path)
		}
		x.extra = append(x.extra, memsync.FileChange{Path: m.Path, Base: x.f.Disk, Prior: x.prior(m), Secret: true})
	}
	for _, a := range x.f.Attached {
		x.extra = append(x.extra, memsync.FileChange{Path: a.Path, Base: a.Hash, Secret: true})
	}
	e.Hash = ""
	x.event(e)
	return nil
}

// rejectValue rejects a text: what the candidate brings, or what a memory
// says. A memory that says it goes.
func (x *deciding) rejectValue(e memsync.LedgerEvent) *memsync.Error {
	m := x.Memory
	switch {
	case x.Candidate.Content != nil && strings.TrimSpace(*x.Candidate.Content) != "":
		e.Value = valueHash(*x.Candidate.Content)
	case m != nil:
		body, ok := x.bodyOf(m)
		if !ok {
			return &memsync.Error{Code: memsync.CodeIORead, Path: m.Path, Message: "the accepted version could not be read"}
		}
		if x.f.Disk != "" && x.dirty() {
			return unseen(m.Path)
		}
		if strings.TrimSpace(body) == "" {
			body = m.Description
		}
		e.Memory, e.Value = m.ID, valueHash(body)
		x.extra = append(x.extra, memsync.FileChange{Path: m.Path, Base: x.f.Disk, Prior: x.prior(m)})
		x.deleteEvent(m)
	case e.Value == "":
		return x.absent(x.f)
	}
	if _, already := x.f.State.Rejected(x.Scope.Dir, e.Value); already && len(x.extra) == 0 {
		return nil
	}
	e.Path = ""
	x.event(e)
	return nil
}

// resolve ends a conflict: its copy goes.
func (x *deciding) resolve(e memsync.LedgerEvent) {
	for _, a := range x.f.Attached {
		if a.Path.Base() == e.Conflict || string(a.Path) == e.Conflict {
			x.extra = append(x.extra, memsync.FileChange{Path: a.Path, Base: a.Hash})
		}
	}
	x.event(e)
}

// travel adds the events that come with a file.
func (x *deciding) travel() {
	x.events, x.extra = nil, nil
	for i := range x.Candidate.Events {
		e := x.Candidate.Events[i]
		if e.Memory == "" {
			e.Memory = x.d.Memory
		}
		if e.Op == memsync.LedgerResolve {
			x.resolve(e)
			continue
		}
		x.event(e)
	}
	x.d.Events = append(x.d.Events, x.events...)
	x.d.Files = append(x.d.Files, x.extra...)
}

// toInbox puts what waits for a person where people find it:
// _inbox/<id>.md, tracked and not indexed.
func (x *deciding) toInbox() {
	if x.doc == nil || x.f.FreshID == "" || x.Scope.Kind == "" {
		return
	}
	content := x.doc.Bytes()
	x.d.Files = []memsync.FileChange{{
		Path: system(x.Scope).Join("_inbox", string(x.f.FreshID)+".md"), Post: memsync.HashOf(content), Content: content,
	}}
}
