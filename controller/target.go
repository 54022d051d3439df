package controller

import (
	"slices"
	"strings"

	"memsync"
	"memsync/internal/format"
)

// prepareWrite finds the scope and the memory of a write.
//
// A named path decides, then an id (or an id among aliases), then the key or
// the slot, then (type, slug). What no memory answers to is a new one.
func (s *Subject) prepareWrite(f Facts) {
	c := &s.Candidate
	if c.Raw != nil && s.kind == isWrite {
		if s.doc, s.refused = parse(c.Raw, s.policy.Limits); s.refused != nil {
			return
		}
		s.body = s.doc.Body()
	}
	s.readPayload()
	if s.refused == nil {
		s.findTarget(f)
	}
	if s.refused == nil && s.kind == isRename {
		s.prepareRename(f)
	}
	if s.refused != nil {
		return
	}
	for _, e := range c.Events {
		if e.Op == memsync.LedgerResolve && s.Memory != nil {
			s.Needs.Attached = s.Memory.ID
		}
	}
	if s.Memory != nil {
		s.Path, s.Needs.Read = s.Memory.Path, s.Memory.Path
		return
	}
	if s.kind != isWrite {
		s.refused = s.absent(f)
		return
	}
	s.prepareNew(f)
}

// readPayload takes type, name and body of a new memory from fields, content,
// operations or whole bytes.
func (s *Subject) readPayload() {
	c := &s.Candidate
	if c.Op == memsync.OpBatch && (c.Content != nil || c.Raw != nil) {
		s.refused = &memsync.Error{Code: memsync.CodeBatchShape, Message: "operations and whole content don't mix"}
		return
	}
	if c.Op != memsync.OpBatch && len(c.Operations) > 0 {
		s.refused = &memsync.Error{Code: memsync.CodeBatchShape, Message: "operations come in a batch"}
		return
	}
	kept, noted, refused := cleanFields(c.Fields, s.actor, s.policy.Limits)
	if s.refused = refused; refused != nil {
		return // the fields stay as given: a secret among them is the first thing to say
	}
	s.Candidate.Fields, s.noted = kept, noted
	if s.doc != nil {
		m := format.Describe(s.doc, nameless, memsync.Scope{})
		s.typ, s.slug = m.Type, slugFrom(m.Name, m.Description, s.body)
		return
	}
	if c.Content != nil {
		s.body = *c.Content
	}
	s.typ, _ = memsync.ParseType(fieldText(c.Fields, "type"))
	if s.typ == memsync.Untyped {
		s.typ, _ = memsync.ParseType(fieldText(c.Fields, "metadata.type"))
	}
	s.slug = slugFrom(fieldText(s.Candidate.Fields, "name"), heading(s.body), fieldText(s.Candidate.Fields, "description"), s.body)
}

// nameless stands for the path of bytes that have none yet.
const nameless memsync.Path = "memory.md"

// findTarget sets Scope, and Path and Memory where there is one.
func (s *Subject) findTarget(f Facts) {
	c := &s.Candidate
	v := f.View
	var named *memsync.Scope
	if c.Scope != "" {
		scope, ok := v.Scope(c.Scope)
		if !ok {
			s.refused = noScope(c.Scope)
			return
		}
		named = &scope
		s.Scope = scope
	}
	path := c.Path
	if s.kind == isRename {
		path = c.From // Path is where it goes
		if path == "" && c.ID == "" {
			path = c.Path
		}
	}
	if path != "" {
		s.byPath(f, path, named)
		return
	}
	if c.ID != "" {
		s.byID(f, named)
		return
	}
	if s.kind != isWrite {
		s.refused = &memsync.Error{Code: memsync.CodeUsage, Message: "nothing is named", Hint: "give an id or a path"}
		return
	}
	if named == nil {
		if s.Scope, s.refused = DefaultScope(s.typ, v.Scopes, f.AllGlobal); s.refused != nil {
			return
		}
	}
	s.bySaying(f)
}

func (s *Subject) byPath(f Facts, path memsync.Path, named *memsync.Scope) {
	c := &s.Candidate
	if m := f.View.ByPath(path); m != nil {
		// It is there: a name that no write may choose can still be mended.
		s.Scope, _ = f.View.Scope(m.Scope)
	} else if s.Scope, s.refused = checkTarget(path, f.View.Scopes); s.refused != nil {
		return
	}
	s.class = format.Classify(path.Rel(s.Scope.Dir))
	if named != nil && s.kind != isRename && named.Name() != s.Scope.Name() {
		s.refused = &memsync.Error{Code: memsync.CodeScopeInvalid, Path: path,
			Message: "the path lies in scope " + s.Scope.Name() + ", not in " + named.Name()}
		return
	}
	s.Path, s.Memory, s.how = path, f.View.ByPath(path), "by path"
	if c.ID == "" {
		return
	}
	switch {
	case s.Memory != nil && s.Memory.ID != c.ID && !slices.Contains(s.Memory.Aliases, string(c.ID)):
		s.refused = &memsync.Error{Code: memsync.CodeIdentityMismatch, Path: path,
			Message: "another memory lives there", Details: map[string]string{"memory_id": string(s.Memory.ID)}}
	case s.Memory == nil:
		if m := anywhere(f.View, c.ID); m != nil {
			// A restore or revert may bring a memory back to an earlier path.
			if c.Op == memsync.OpRestore || c.Op == memsync.OpRevert {
				s.Memory, s.moveTo = m, path
				return
			}
			s.refused = &memsync.Error{Code: memsync.CodeIdentityMismatch, Path: path,
				Message: "the memory with that id lives elsewhere", Details: map[string]string{"path": string(m.Path)}}
		} else if (c.Op == memsync.OpUpsert || c.Op == memsync.OpBatch) && c.Origin != memsync.OriginImport {
			s.refused = s.absent(f)
		}
	}
}

func (s *Subject) byID(f Facts, named *memsync.Scope) {
	c := &s.Candidate
	all := f.View.ByID(c.ID)
	if len(all) > 1 {
		s.refused = &memsync.Error{Code: memsync.CodeDuplicateID, Message: "several files have that id",
			Hint: "name the path", Details: map[string]string{"paths": paths(all)}}
		return
	}
	m := anywhere(f.View, c.ID)
	if m == nil {
		s.refused = s.absent(f)
		return
	}
	scope, ok := f.View.Scope(m.Scope)
	if !ok {
		scope, _ = memsync.ScopeOf(f.View.Scopes, m.Path)
	}
	if named != nil && s.kind != isRename && named.Name() != scope.Name() {
		s.refused = &memsync.Error{Code: memsync.CodeScopeInvalid, Path: m.Path,
			Message: "the memory lives in scope " + scope.Name() + ", not in " + named.Name()}
		return
	}
	s.Scope, s.Path, s.Memory, s.how = scope, m.Path, m, "by id"
	s.class = format.Classify(m.Path.Rel(scope.Dir))
}

// bySaying finds the memory that says it is about the same: by key, by slot,
// by type and slug. Whole bytes say it by their id first.
func (s *Subject) bySaying(f Facts) {
	c := &s.Candidate
	name := s.Scope.Name()
	if s.doc != nil {
		if id := format.Describe(s.doc, nameless, memsync.Scope{}).ID; id != "" {
			if m := anywhere(f.View, id); m != nil && m.Scope == name {
				s.Memory, s.how = m, "by id"
				return
			}
		}
	}
	key := fieldText(c.Fields, "key")
	if s.doc != nil {
		if v, ok := s.doc.Get("key"); ok && !v.IsList {
			key = v.Text
		}
	}
	for i, k := range []string{key, SlotKey(c.Entity, c.Attribute)} {
		if k == "" {
			continue
		}
		switch found := f.View.ByKey(name, k); len(found) {
		case 0:
		case 1:
			s.Memory, s.how = found[0], [...]string{"by key", "by slot"}[i]
			return
		default:
			s.refused = &memsync.Error{Code: memsync.CodeDuplicateAmbiguous, Message: "several memories have that key",
				Hint: "name the one you mean by path or id", Details: map[string]string{"paths": paths(found)}}
			return
		}
	}
	if s.slug == "" {
		return
	}
	switch found := f.View.BySlug(name, s.typ, s.slug); len(found) {
	case 0:
	case 1:
		s.Memory, s.how = found[0], "by type and name"
	default:
		s.refused = &memsync.Error{Code: memsync.CodeAmbiguous, Message: "several memories have that type and name",
			Hint: "name the one you mean by path or id", Details: map[string]string{"paths": paths(found)}}
	}
}

// prepareNew settles what a new memory needs: a type, a name, a body.
func (s *Subject) prepareNew(f Facts) {
	c := &s.Candidate
	switch {
	case c.Op == memsync.OpBatch:
		for _, op := range c.Operations {
			if op.Action != "add" {
				s.refused = s.absent(f)
				return
			}
		}
		if s.body, _, s.refused = ApplyOperations("", c.Operations); s.refused != nil {
			return
		}
	case s.doc == nil && c.Content == nil && len(c.Fields) == 0:
		if c.Op == memsync.OpRevert && c.Path != "" {
			return // reverting an add that is gone already
		}
		s.refused = &memsync.Error{Code: memsync.CodeUsage, Message: "a new memory needs content"}
		return
	}
	if s.Path != "" {
		t, slug := format.SplitName(s.Path.Base())
		if s.typ == memsync.Untyped {
			s.typ = t
		}
		s.slug = slug
		s.Needs.Read = s.Path
		s.Needs.Dirs = []memsync.Path{s.Path.Dir()}
	} else {
		s.Needs.Dirs = s.newDirs(f)
	}
	if s.typ == memsync.Untyped && s.doc == nil {
		s.refused = &memsync.Error{Code: memsync.CodeTypeInvalid, Path: s.Path, Message: "a new memory needs a type",
			Hint: "one of user, feedback, project, reference"}
		return
	}
	s.needNear(s.typ)
}

// absent says why nothing answers to what a candidate names.
func (s *Subject) absent(f Facts) *memsync.Error {
	c := &s.Candidate
	path := c.Path
	if s.kind == isRename && c.From != "" {
		path = c.From
	}
	if _, ok := f.State.Forgotten(c.ID); ok && c.ID != "" {
		return forgottenError(path)
	}
	if _, ok := f.State.ForgottenAt(path); ok && path != "" {
		return forgottenError(path)
	}
	if ev, ok := f.State.Deleted(c.ID); ok && c.ID != "" {
		return deletedError(path, ev)
	}
	if ev, ok := f.State.DeletedAt(path); ok && path != "" {
		return deletedError(path, ev)
	}
	return &memsync.Error{Code: memsync.CodeNotFound, Path: path, Message: "no memory answers to that",
		Hint: "`memsync list` shows what there is"}
}

// anywhere is the memory with an id, or with that id among its aliases; of
// several the first by path.
func anywhere(v *memsync.View, id memsync.ID) *memsync.Memory {
	if id == "" {
		return nil
	}
	if all := v.ByID(id); len(all) > 0 {
		return all[0]
	}
	for m := range v.All() {
		if slices.Contains(m.Aliases, string(id)) {
			return m
		}
	}
	return nil
}

func paths(ms []*memsync.Memory) string {
	list := make([]string, len(ms))
	for i, m := range ms {
		list[i] = string(m.Path)
	}
	return strings.Join(list, "\n")
}

func parse(raw []byte, lim memsync.Limits) (*format.Document, *memsync.Error) {
	d, err := format.Parse(raw, lim)
	if err != nil {
		return nil, asError(err, memsync.CodeFrontmatter)
	}
	return d, nil
}
