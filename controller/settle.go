package controller

import (
	"slices"
	"time"

	"memsync"
	"memsync/internal/format"
)

// settle ends with a change: the id is placed, times are stamped where they
// are kept, and the decision gets its files, events and the memory as the View
// will hold it.
func (x *deciding) settle(op memsync.Op) bool {
	inline := x.placeID()
	x.stampTimes()
	content := x.doc.Bytes()
	post := x.saved
	if x.kind != isSave || x.doc != x.Subject.doc {
		post = memsync.HashOf(content)
	}

	if x.mem.Hash != post || x.mem.Path != x.Path {
		x.mem = format.Describe(x.doc, x.Path, x.Scope)
	}
	m := *x.mem
	m.ID, m.Inline, m.Hash, m.Size = x.id, inline, post, int64(len(content))
	switch {
	case x.old != nil && x.old.BodyKey == m.BodyKey && x.old.Sketch != nil:
		m.Sketch = x.old.Sketch
	default:
		m.Sketch = x.sketchOf()
	}
	m.Aliases = x.aliases(m.Aliases)
	if x.alias != "" || x.needsEvent(inline) {
		x.event(memsync.LedgerEvent{Op: memsync.LedgerIdentify, Memory: x.id, Path: x.rel(x.Path), Hash: post, Other: x.alias})
	}

	d := &x.d
	d.Op, d.Memory, d.Post, d.After = op, x.id, post, &m
	d.Base = x.onDisk()
	if x.old != nil && x.old.Path != x.Path {
		d.From = x.old.Path
		gone := memsync.FileChange{Path: x.old.Path, Prior: x.old.Blob}
		if x.kind != isSave {
			gone.Base = x.f.Disk
			d.Base = ""
		}
		x.extra = append(x.extra, gone)
		d.Prior = x.old.Hash
	}
	file := memsync.FileChange{Path: x.Path, Base: d.Base, Post: post, Content: content}
	switch {
	case x.replaced != nil:
		file.Prior = x.replaced.Blob
		x.deleteEvent(x.replaced)
	case d.From == "":
		file.Prior = x.prior(x.old)
	}
	d.Files = append([]memsync.FileChange{file}, x.extra...)
	d.Events = append(d.Events, x.events...)
	x.travel()
	x.tellNames(op)
	return true
}

// aliases are those of the file, those that events gave the memory, and the
// one that this decision gives: what Identify will find.
func (x *deciding) aliases(list []string) []string {
	add := func(id memsync.ID) {
		if id != "" && !slices.Contains(list, string(id)) {
			list = append(slices.Clip(list), string(id))
		}
	}
	for _, e := range x.f.State.Events(x.id) {
		if e.Op == memsync.LedgerIdentify {
			add(e.Other)
		}
	}
	add(x.alias)
	return list
}

// placeID makes the file carry its id where ids live in files, and reports
// whether it does. A file is touched for it once: when the line is missing.
func (x *deciding) placeID() (inline bool) {
	has := x.mem.ID
	if has != "" && has == x.id {
		return true
	}
	if x.id == "" || x.Scope.Identity == memsync.Ledger || x.mem.Kind == memsync.KindLog || !x.doc.HasFrontmatter() {
		return false
	}
	if _, there := x.doc.Get("id"); there && !(x.setID && has != "") {
		// A person's id that is no ULID, or one that belongs to another path.
		return false
	}
	if x.kind == isWrite && x.old != nil && !x.old.Inline {
		return false // a write changes what was asked for
	}
	var d *format.Document
	var err error
	if x.setID && has != "" {
		d, err = x.doc.Set("id", memsync.Text(string(x.id)))
	} else {
		d, err = x.doc.InsertID(x.id)
	}
	if err != nil {
		return false // frontmatter that cannot be edited: ledger identity
	}
	x.doc = d
	return true
}

// needsEvent reports whether an event must say the id of the path: not when
// one does already, nor when it stands in the file, follows from HEAD or was
// established so. An older event that says otherwise is always answered, or
// Identify would go by it.
func (x *deciding) needsEvent(inline bool) bool {
	if x.id == "" {
		return false
	}
	if id, ok := x.f.State.Identity(x.Path); ok {
		return id != x.id
	}
	if inline {
		return false
	}
	if x.mem.ID == "" && x.f.HeadHolds && x.f.DerivedID == x.id {
		return false
	}
	return x.mem.ID != "" || x.old == nil || x.old.Path != x.Path || x.old.ID != x.id || x.old.Inline || x.copied != nil
}

// stampTimes keeps provenance.updated_at: of writes always, of saves with
// [normalize] stamp; only where the file has it and something was changed.
func (x *deciding) stampTimes() {
	if x.old == nil || x.Candidate.Raw != nil && x.kind == isWrite {
		return
	}
	if x.kind == isSave && (!x.policy.Stamp || x.Scope.Identity == memsync.Ledger || x.mem.Kind == memsync.KindLog ||
		x.mem.BodyKey == x.old.BodyKey && x.mem.MetaKey == x.old.MetaKey) {
		return
	}
	if _, there := x.doc.Get("provenance.updated_at"); !there {
		return
	}
	if d, err := x.doc.Set("provenance.updated_at", memsync.Text(stamp(x.f.Now))); err == nil {
		x.doc = d
	}
}

// tellNames adds what is worth knowing about names and ids.
func (x *deciding) tellNames(op memsync.Op) {
	if x.copied != nil {
		x.warn(memsync.FindDuplicateID, "the id in this file belongs to "+string(x.copied.Path)+"; this file has "+string(x.id),
			"`memsync lint --fix` writes the id of its own")
	}
	if x.alias != "" {
		x.warn(memsync.FindDuplicateID, "the id line changed; the memory is "+string(x.id)+" and answers to "+string(x.alias)+" too", "")
	}
	if x.kind != isSave {
		return
	}
	if n, hit := collides(x.Path, x.f.Names[x.Path.Dir()], func(p memsync.Path) bool { return x.gone(p) || x.old != nil && p == x.old.Path }); hit {
		x.warn(memsync.FindNameCollision, "differs from "+n+" by case or Unicode form only: both cannot exist on every machine", "rename one of them")
	}
	if op == memsync.OpUpdate && x.old != nil && x.old.Type == x.mem.Type {
		return
	}
	for _, m := range x.f.View.BySlug(x.Scope.Name(), x.mem.Type, x.mem.Slug) {
		if m.Path != x.Path && !x.gone(m.Path) && m.ID != x.id {
			x.warn(memsync.FindSlugCollision, "has the type and name of "+string(m.Path)+": they are two memories", "rename one of them")
			break
		}
	}
}

// rel is a path as events carry it: relative to the scope.
func (x *deciding) rel(p memsync.Path) memsync.Path { return p.Rel(x.Scope.Dir) }

// relTo is a memory's path relative to its own scope.
func (x *deciding) relTo(m *memsync.Memory) memsync.Path {
	if scope, ok := x.f.View.Scope(m.Scope); ok {
		return m.Path.Rel(scope.Dir)
	}
	return x.rel(m.Path)
}

// event adds a ledger event in the name of who acts, whatever it says. Its id
// and time are the keeper's.
func (x *deciding) event(e memsync.LedgerEvent) {
	if e.Op == memsync.LedgerPropose { // every machine writes it alike
		x.events = append(x.events, e)
		return
	}
	if x.Candidate.Origin != memsync.OriginPeer {
		e.ID, e.At = "", time.Time{} // what answers a commit has its id and time from it
	}
	e.Actor, e.Conversation = x.actor, x.Candidate.Conversation
	x.events = append(x.events, e)
}
