package join

import (
	"slices"
	"strings"

	"memsync"
	"memsync/controller/merge"
	"memsync/internal/format"
)

// document is a joined memory on its way into the tree.
type document struct {
	*slot
	path      memsync.Path
	entry     Entry
	who       identity
	conflicts []merge.Conflict
	header    *memsync.Memory // nil for one that does not parse
}

func (j *joiner) joinDocuments(paths []memsync.Path) error {
	if err := j.identifyAll(paths); err != nil {
		return err
	}
	slots := j.slots(paths)
	if err := j.askFor(slots); err != nil {
		return err
	}
	var docs []*document
	for _, s := range slots {
		d, err := j.document(s)
		if err != nil {
			return err
		}
		if d != nil {
			docs = append(docs, d)
		}
	}
	if err := j.place(docs); err != nil {
		return err
	}
	for _, d := range docs {
		for _, c := range d.conflicts {
			name := string(d.id)
			if c.Record.Memory != "" {
				name = string(c.Record.Memory)
			}
			if name == "" {
				c = c.In(d.path)
				name = stem(d.path)
			}
			j.tell(j.scopeOf(d.path), name, c, d.path)
		}
	}
	return nil
}

// stem is how the copies of a file without an id are called.
func stem(p memsync.Path) string {
	base := p.Base()
	if i := strings.LastIndexByte(base, '.'); i > 0 {
		return base[:i]
	}
	return base
}

// askFor learns when the versions were made, of memories that both sides
// touched: of the others nothing depends on it.
func (j *joiner) askFor(slots []*slot) error {
	var paths [3][]memsync.Path
	for _, s := range slots {
		if !j.contested(s) && !j.isForgotten(s) {
			continue
		}
		for v := one; v <= two; v++ {
			if p := s.path[v]; p != "" {
				paths[v] = append(paths[v], p)
			} else if p := s.path[base]; p != "" {
				paths[v] = append(paths[v], p) // the commit that took it away
			}
		}
	}
	for v := one; v <= two; v++ {
		if err := j.side[v].ask(j.h, paths[v]); err != nil {
			return err
		}
	}
	return nil
}

// contested reports whether both sides changed a memory: text, mode or place.
func (j *joiner) contested(s *slot) bool {
	changed := func(v int) bool {
		return s.path[v] != s.path[base] || s.path[v] != "" && j.side[v].tree[s.path[v]] != j.side[base].tree[s.path[base]]
	}
	return changed(one) && changed(two)
}

// isForgotten reports whether what stands in either version is forgotten; it
// is gone then, whatever was done to it. One that a person accepted again has
// another id.
func (j *joiner) isForgotten(s *slot) bool {
	found := false
	for v := one; v <= two; v++ {
		p := s.path[v]
		if p == "" {
			continue
		}
		if !j.forgets(j.side[v].ids[p], p) {
			return false
		}
		found = true
	}
	return found
}

func (j *joiner) forgets(who identity, p memsync.Path) bool {
	if who.id != "" {
		if _, gone := j.state.Forgotten(who.id); gone {
			return true
		}
	}
	if who.inline {
		return false
	}
	_, gone := j.state.ForgottenAt(p)
	return gone
}

// document joins one memory; nil when it is gone.
func (j *joiner) document(s *slot) (*document, error) {
	if j.isForgotten(s) {
		return nil, j.forgetEdit(s)
	}
	d := &document{slot: s}
	d.where()
	switch {
	case s.path[one] == "" && s.path[two] == "":
		return nil, nil
	case s.path[one] == "" || s.path[two] == "":
		v := one
		if s.path[one] == "" {
			v = two
		}
		if keep, err := j.survives(d, v); !keep || err != nil {
			return nil, err
		}
		d.entry, d.who = j.side[v].tree[s.path[v]], j.side[v].ids[s.path[v]]
	default:
		if err := j.mergeDocument(d); err != nil {
			return nil, err
		}
	}
	data, err := j.bytes(d.entry)
	if err != nil {
		return nil, err
	}
	doc, err := format.Parse(data, j.policy.Limits)
	if err != nil {
		return d, nil
	}
	d.header = format.Header(doc, d.path, j.scopeOf(d.path))
	if d.header.ID != "" && (d.who.inline || d.who.id == "") {
		d.id, d.who = d.header.ID, identity{id: d.header.ID, inline: true}
	}
	return d, nil
}

// where says where the memory goes: where one side moved it; where both did, to
// the smaller path, with a record.
func (d *document) where() {
	b, x, y := d.path3()
	switch {
	case x == "" || y != "" && x == b:
		d.path = y
	case y == "" || y == b || x == y:
		d.path = x
	default:
		d.path = min(x, y)
		if b != "" {
			rec := merge.Record{Kind: merge.Rename, Memory: d.id, Places: []merge.Place{{
				Base: textValue(string(b)), Kept: textValue(string(d.path)), Lost: textValue(string(max(x, y)))}}}
			d.conflicts = append(d.conflicts, rec.Conflict())
		}
	}
}

func (s *slot) path3() (b, x, y memsync.Path) { return s.path[base], s.path[one], s.path[two] }

func textValue(s string) *memsync.Value { return &memsync.Value{Text: s} }

// survives decides about a memory that one side alone has, at version v. The
// other side took it away or never had it.
func (j *joiner) survives(d *document, v int) (bool, error) {
	p, b := d.slot.path[v], d.slot.path[base]
	gone := j.side[one+two-v]
	rec := merge.Record{Kind: merge.DeleteEdit, Memory: d.id, Kept: j.side[v].versions[p].Time}
	switch {
	case b != "" && p == b && j.side[v].tree[p] == j.side[base].tree[b]:
		return false, nil // nobody changed what was taken away
	case b != "":
		rec.Lost = gone.versions[b].Time
		d.conflicts = append(d.conflicts, rec.Conflict())
	default:
		// New here. One that was deleted, and that nobody brought back, does
		// not return in silence.
		if e, deleted := j.state.Deleted(d.id); deleted && d.id != "" {
			rec.Lost = e.At
			d.conflicts = append(d.conflicts, rec.Conflict())
		}
	}
	return true, nil
}

// mergeDocument joins the two versions of one memory.
func (j *joiner) mergeDocument(d *document) error {
	var e [3]Entry
	for v, p := range d.slot.path {
		if p != "" {
			e[v] = j.side[v].tree[p]
		}
	}
	a, b := j.side[one].ids[d.slot.path[one]], j.side[two].ids[d.slot.path[two]]
	d.who = a
	if b.explicit() && (!a.explicit() || b.id < a.id) {
		d.who = b
	}
	d.entry.Mode = mergeMode(e)
	if blob, ok := oneSided(e[base].Blob, e[one].Blob, e[two].Blob); ok {
		d.entry.Blob = blob
		return nil
	}
	var v [3]merge.Version
	for i, s := range j.side {
		if p := d.slot.path[i]; p != "" {
			var err error
			if v[i], err = j.version(s, p); err != nil {
				return err
			}
		}
	}
	r := merge.Merge(v[base], v[one], v[two], j.policy.Limits)
	d.entry.Blob = j.keep(r.Bytes)
	d.conflicts = append(d.conflicts, r.Conflicts...)
	return nil
}

// oneSided is what a value becomes that at most one side changed.
func oneSided[T comparable](b, x, y T) (T, bool) {
	switch {
	case x == y || y == b:
		return x, true
	case x == b:
		return y, true
	}
	var none T
	return none, false
}

// mergeMode joins the modes of plain files: what one side made executable, or
// no longer.
func mergeMode(e [3]Entry) uint32 {
	if !e[base].there() {
		return max(e[one].Mode, e[two].Mode)
	}
	mode, _ := oneSided(e[base].Mode, e[one].Mode, e[two].Mode) // of two values, two are equal
	return mode
}

// forgetEdit takes a forgotten memory away. What was changed in it meanwhile
// is named by its commit, never told.
func (j *joiner) forgetEdit(s *slot) error {
	for v := one; v <= two; v++ {
		p, b := s.path[v], s.path[base]
		if p == "" || b != "" && j.side[v].tree[p].Blob == j.side[base].tree[b].Blob {
			continue
		}
		made := j.side[v].versions[p]
		rec := merge.Record{Kind: merge.ForgetEdit, Memory: s.id, File: p, Commit: made.Commit, Lost: made.Time}
		j.tell(j.scopeOf(p), string(s.id), rec.Conflict(), "")
	}
	return nil
}

// sameKeys records memories that the two sides added with one key.
func (j *joiner) sameKeys(docs []*document) {
	first := map[[2]string]*document{}
	for _, d := range docs {
		if d.header == nil || d.header.Key == "" || d.slot.path[base] != "" {
			continue
		}
		k := [2]string{d.header.Scope, d.header.Key}
		f := first[k]
		if f == nil {
			first[k] = d
			continue
		}
		if !f.together(d) {
			rec := merge.Record{Kind: merge.SameKey, Memory: d.id, Key: d.header.Key,
				Places: []merge.Place{{Kept: textValue(string(f.id)), Lost: textValue(string(d.id))}}}
			d.conflicts = append(d.conflicts, rec.Conflict())
		}
	}
}

// together reports whether one side has both memories already, so that the
// join brings nothing about between them.
func (d *document) together(o *document) bool {
	return d.slot.path[one] != "" && o.slot.path[one] != "" || d.slot.path[two] != "" && o.slot.path[two] != ""
}

// byID is the order in which memories keep their names: the older id first.
func byID(docs []*document) {
	slices.SortFunc(docs, func(a, b *document) int {
		if c := strings.Compare(string(a.id), string(b.id)); c != 0 {
			return c
		}
		return strings.Compare(string(a.path), string(b.path))
	})
}
