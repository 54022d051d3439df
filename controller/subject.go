package controller

import (
	"memsync"
	"memsync/internal/format"
	"memsync/internal/text"
)

// kind is what a candidate comes down to.
type kind int

const (
	isSave     kind = iota // bytes that are on disk
	isVanished             // a file that is gone from disk
	isWrite                // upsert, batch, restore, revert: content that is wanted
	isRemove               // a delete that was asked for
	isRename               // a rename that was asked for
	isAuthored             // an authored file, as saved
	isRecord               // ledger events
	isPeer                 // bytes that are in the tree, brought by others
)

// Subject is a candidate that has been read: what it is about, and which facts
// it asks for. It is made by Prepare and used once.
type Subject struct {
	Candidate memsync.Candidate
	Scope     memsync.Scope
	Path      memsync.Path    // the file meant; "" for a new memory whose file name is still open
	Memory    *memsync.Memory // the accepted memory meant; nil for none
	Needs     Needs

	kind   kind
	actor  memsync.Actor
	policy memsync.Policy

	doc  *format.Document // saves, peers, and writes that bring whole bytes
	read *memsync.Memory  // what doc says at Path

	// Of a write that will be a new memory.
	typ  memsync.Type
	slug string
	body string

	class    format.Class
	moveTo   memsync.Path  // a rename, or a revert of one: where it goes; "" while open
	toScope  memsync.Scope // the scope of moveTo
	shingles []uint64
	sketch   []uint32
	sketched bool

	how     string         // how a write found its memory
	refused *memsync.Error // what shape will say
	noted   []string       // what was taken out of the payload
}

// Prepare reads a candidate: its scope, its file, its document. It needs Now,
// View, State and AllGlobal of the facts, and says in Subject.Needs what to
// fill before Decide.
func Prepare(c memsync.Candidate, f Facts, p memsync.Policy) *Subject {
	f = f.normal()
	s := &Subject{Candidate: c, policy: p, actor: c.Actor, kind: kindOf(c)}
	switch s.kind {
	case isSave, isPeer, isVanished:
		s.prepareFile(f)
	case isAuthored:
		s.prepareAuthored(f)
	case isRecord:
		s.prepareRecord(f)
	default:
		s.prepareWrite(f)
	}
	return s
}

func kindOf(c memsync.Candidate) kind {
	switch {
	case c.Op == memsync.OpAuthored:
		return isAuthored
	case c.Op == memsync.OpRecord:
		return isRecord
	case c.Origin == memsync.OriginPeer:
		return isPeer
	case c.Origin.Save() && c.Op == memsync.OpDelete:
		return isVanished
	case c.Origin.Save():
		return isSave
	case c.Op == memsync.OpDelete:
		return isRemove
	case c.Op == memsync.OpRename:
		return isRename
	default:
		return isWrite
	}
}

// fromDisk reports whether nobody waits for an answer because the bytes came by
// the disk: such a candidate is never rejected.
func (s *Subject) fromDisk() bool {
	return s.Candidate.Origin.Save() || s.kind == isPeer
}

// prepareFile reads a save, a vanished file or a peer's file.
func (s *Subject) prepareFile(f Facts) {
	c := &s.Candidate
	s.Path = c.Path
	var ok bool
	if s.Scope, ok = memsync.ScopeOf(f.View.Scopes, c.Path); !ok {
		return // shape says so
	}
	if c.Origin.Save() && !(c.Accept && c.Actor.Person()) {
		// Who saved is what the scope's writers say, whatever the candidate
		// claims; only a person's accept is its own.
		s.actor = s.Scope.Writers.Actor()
	}
	s.class = format.Classify(c.Path.Rel(s.Scope.Dir))
	s.Memory = f.View.ByPath(c.Path)
	s.Needs.Read = c.Path
	if s.kind == isVanished {
		s.Needs.Vanished = true // its own text, for the delete event
		return
	}
	doc, err := format.Parse(c.Raw, s.policy.Limits)
	if err != nil {
		s.refused = asError(err, memsync.CodeFrontmatter)
		return
	}
	s.doc, s.read = doc, format.Describe(doc, c.Path, s.Scope)
	s.body = doc.Body()
	if s.kind == isPeer {
		s.Needs.Vanished = true
		return
	}
	s.Needs.Dirs = []memsync.Path{c.Path.Dir()}
	if s.Memory != nil {
		s.Needs.History = true
	}
	if s.Memory == nil || s.read.ID != "" && s.read.ID != s.Memory.ID {
		s.Needs.Vanished = true
		s.needNear(s.read.Type)
	}
}

func (s *Subject) prepareAuthored(f Facts) {
	s.Path, s.Needs.Read = s.Candidate.Path, s.Candidate.Path
	if s.Candidate.Origin.Save() {
		// An authored file belongs to people wherever it lies; a directory
		// whose writers are agents says otherwise.
		s.actor = memsync.Actor{Class: memsync.ClassPerson}
	}
	if scope, ok := memsync.ScopeOf(f.View.Scopes, s.Path); ok {
		s.Scope = scope
		if s.Candidate.Origin.Save() {
			s.actor = scope.Writers.Actor()
		}
	}
}

// needNear asks for memories of similar text.
func (s *Subject) needNear(t memsync.Type) {
	if sketch := s.sketchOf(); sketch != nil {
		s.Needs.Near = &NearQuery{Scope: s.Scope.Name(), Type: t, Sketch: sketch}
	}
}

// sketchOf is the MinHash of the candidate's body, computed once.
func (s *Subject) sketchOf() []uint32 {
	s.shinglesOf()
	return s.sketch
}

func (s *Subject) shinglesOf() []uint64 {
	if !s.sketched {
		s.sketched = true
		s.shingles = text.Shingles(s.body)
		s.sketch = text.Sketch(s.shingles)
	}
	return s.shingles
}

// setBody replaces the body that rules look at.
func (s *Subject) setBody(body string) {
	if body != s.body {
		s.body, s.sketched = body, false
	}
}

// asError is err as the error every surface shows.
func asError(err error, fallback memsync.Code) *memsync.Error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*memsync.Error); ok && e != nil {
		copied := *e
		return &copied
	}
	return &memsync.Error{Code: fallback, Message: err.Error()}
}
