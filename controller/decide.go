package controller

import (
	"memsync"
	"memsync/internal/format"
)

// Decide answers a candidate. It is Prepare and Subject.Decide in one, for
// callers that know all facts beforehand.
func Decide(c memsync.Candidate, f Facts, p memsync.Policy) memsync.Decision {
	return guard(c, func() memsync.Decision { return Prepare(c, f, p).decide(f) })
}

// Decide answers the candidate that was prepared. f is what Prepare got, with
// what Needs names filled in.
func (s *Subject) Decide(f Facts) memsync.Decision {
	return guard(s.Candidate, func() memsync.Decision { return s.decide(f) })
}

// guard keeps a defect in a rule or a parser from taking the keeper down over
// one file: the candidate gets an answer that touches nothing.
func guard(c memsync.Candidate, decide func() memsync.Decision) (d memsync.Decision) {
	defer func() {
		if recover() == nil {
			return
		}
		d = memsync.Decision{
			Op: memsync.OpReject, Origin: c.Origin, Actor: c.Actor, Scope: c.Scope, Path: c.Path, Confidence: 1, Source: memsync.SourceRule,
			Conversation: c.Conversation, RequestID: c.RequestID,
			Reasons: []memsync.Reason{{Rule: "shape", Code: memsync.CodeInternal, Detail: "a rule failed"}},
			Error: &memsync.Error{Code: memsync.CodeInternal, Message: "bug: a rule failed on this candidate",
				Hint: "nothing was changed; please report it"},
		}
		if c.Origin.Save() {
			d.Op = memsync.OpHold
		}
	}()
	return decide()
}

// deciding is one decision in the making.
type deciding struct {
	*Subject
	f Facts
	d memsync.Decision

	doc *format.Document // what the file will hold
	mem *memsync.Memory  // what doc says

	old      *memsync.Memory // the accepted memory that this continues; nil for a new one
	id       memsync.ID      // of the memory
	alias    memsync.ID      // a second id of the same path
	replaced *memsync.Memory // a save that put another memory's file over this one
	copied   *memsync.Memory // the memory whose id this file repeats
	setID    bool            // a person accepted that the id line changes

	current memsync.Hash // of the last accepted bytes at Path; "" for none
	saved   memsync.Hash // of the bytes of a save
	events  []memsync.LedgerEvent
	extra   []memsync.FileChange // files beside the memory's own
}

func (s *Subject) decide(f Facts) memsync.Decision {
	x := &deciding{Subject: s, f: f.normal(), doc: s.doc, mem: s.read, old: s.Memory}
	x.d = memsync.Decision{
		Origin: s.Candidate.Origin, Actor: s.actor, Scope: s.Candidate.Scope, Path: s.Path, Confidence: 1, Source: memsync.SourceRule,
		Conversation: s.Candidate.Conversation, RequestID: s.Candidate.RequestID,
		Reasons: make([]memsync.Reason, 0, 10),
	}
	if s.Scope.Kind != "" {
		x.d.Scope = s.Scope.Name()
	}
	switch {
	case x.f.Current != nil:
		x.current = memsync.HashOf(x.f.Current)
	case s.Memory != nil:
		x.current = s.Memory.Hash
	}
	switch {
	case s.kind != isSave:
	case s.read != nil:
		x.saved = s.read.Hash
	default:
		x.saved = memsync.HashOf(s.Candidate.Raw)
	}
	x.d.Prior = x.current
	for _, look := range rules {
		if look(x) {
			return x.d
		}
	}
	// The last rule settles everything that reaches it.
	panic("bug: no rule settled the candidate")
}

func (x *deciding) pass(rule, detail string) {
	x.d.Reasons = append(x.d.Reasons, memsync.Reason{Rule: rule, Passed: true, Detail: detail})
}

func (x *deciding) find(f memsync.Finding) {
	if f.Path == "" {
		f.Path = x.Path
	}
	x.d.Findings = append(x.d.Findings, f)
}

func (x *deciding) warn(code, message, hint string) {
	x.find(memsync.Finding{Code: code, Severity: memsync.Warning, Message: message, Hint: hint})
}

// refuse ends with the answer that fits the door: a save is held, a write is
// rejected.
func (x *deciding) refuse(rule string, e *memsync.Error) bool {
	op := memsync.OpReject
	if x.fromDisk() {
		op = memsync.OpHold
	}
	return x.answer(op, rule, e)
}

// wait ends with a hold for whom nobody waits, and as refuse otherwise.
func (x *deciding) wait(rule string, e *memsync.Error) bool {
	if x.fromDisk() || !x.Candidate.Origin.Autonomous() && x.Candidate.Origin != memsync.OriginImport {
		return x.refuse(rule, e)
	}
	x.answer(memsync.OpHold, rule, e)
	x.toInbox()
	return true
}

func (x *deciding) answer(op memsync.Op, rule string, e *memsync.Error) bool {
	if e.Path == "" && e.Code != memsync.CodeSecret {
		e.Path = x.Path
	}
	x.d.Op, x.d.Error = op, e
	x.d.Reasons = append(x.d.Reasons, memsync.Reason{Rule: rule, Code: e.Code, Detail: e.Message})
	if x.old != nil && x.d.Memory == "" {
		x.d.Memory = x.old.ID
	}
	x.d.Base = x.onDisk()
	return true
}

// onDisk is the hash of what the file holds now.
func (x *deciding) onDisk() memsync.Hash {
	switch {
	case x.kind == isAuthored && x.fromDisk() && x.Candidate.Raw != nil:
		return memsync.HashOf(x.Candidate.Raw)
	case x.kind != isSave:
		return x.f.Disk
	case x.Candidate.OnDisk != "":
		return x.Candidate.OnDisk
	default:
		return x.saved
	}
}

// noop ends with "already so".
func (x *deciding) noop(rule, detail string) bool {
	x.pass(rule, detail)
	x.d.Op = memsync.OpNoop
	if x.old != nil {
		x.d.Memory = x.old.ID
	}
	x.d.Base, x.d.Post = x.onDisk(), x.current
	return true
}
