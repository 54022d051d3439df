package controller

import (
	"slices"

	"memsync"
	"memsync/internal/text"
)

// similar is the Jaccard similarity of 3-shingles from which a vanished file
// and a new one without an id count as one that moved: the lower bound of
// rule 10's bands.
const similar = 0.4

// who finds the identity of what a candidate brings: x.id, and x.old where it
// continues an accepted memory. It says nothing; rule 8 does.
func (x *deciding) who() {
	if x.id != "" {
		return
	}
	switch x.kind {
	case isSave:
		x.whoSaved()
	case isWrite:
		x.whoWritten()
	default:
		if x.Memory != nil {
			x.id = x.Memory.ID
		}
	}
}

func (x *deciding) whoWritten() {
	switch {
	case x.Memory != nil && x.Memory.ID != "":
		x.id = x.Memory.ID
		if x.mem != nil && x.mem.ID != "" && x.mem.ID != x.id {
			// Whole bytes with another id: the memory stays who it is.
			if x.copied = x.holder(x.mem.ID); x.copied == nil && !slices.Contains(x.Memory.Aliases, string(x.mem.ID)) {
				x.alias = x.mem.ID
			}
		}
	case x.mem != nil && x.mem.ID != "" && len(x.f.View.ByID(x.mem.ID)) == 0:
		x.id = x.mem.ID // whole bytes that carry an id: a restore, an import
	case x.Candidate.ID != "" && (x.Candidate.Op == memsync.OpRestore || x.Candidate.Op == memsync.OpRevert || x.Candidate.Origin == memsync.OriginImport):
		x.id = x.Candidate.ID
	case x.mem != nil && x.mem.ID != "":
		x.copied = anywhere(x.f.View, x.mem.ID)
		x.id = x.f.FreshID
	default:
		x.id = x.f.FreshID
	}
}

// whoSaved is the identity of a saved file.
//
//   - At a known path: that path's memory, when the file says so or says
//     nothing. An id given by event stands for its path whatever the file says.
//   - An id whose known path is gone: that memory, moved here.
//   - An id whose known path is still there: a copy. The path that held the id
//     earlier keeps it, this one has an id of its own.
//   - Another id than the path had: both are ids of the path, the smaller is
//     the name, the other an alias.
//   - No id: a vanished file of similar text, moved; else what the path was
//     called before; else the id derived from HEAD; else a fresh one.
func (x *deciding) whoSaved() {
	here, id := x.Memory, x.mem.ID
	if here != nil && here.ID == "" {
		// Bytes at HEAD that could not be read had no id; these can be.
		here = nil
		defer func() {
			if x.old == nil {
				x.old = x.Memory
			}
		}()
	}
	switch {
	case here != nil && (id == "" || id == here.ID || slices.Contains(here.Aliases, string(id)) || x.byEvent(here)):
		x.id, x.old = here.ID, here
		if id != "" && id != here.ID {
			if m := x.holder(id); m != nil && !x.gone(m.Path) {
				x.copied = m
			}
		}
	case id != "":
		holder := x.holder(id)
		switch {
		case holder == nil && here == nil:
			x.id = id
		case holder == nil:
			x.old, x.id, x.alias = here, here.ID, id
			if id < here.ID && !x.buried(id) {
				x.id, x.alias = id, here.ID
			}
		case x.gone(holder.Path):
			x.id, x.old = id, holder
			if here != nil {
				x.replaced = here
			}
		case here != nil:
			x.id, x.old, x.copied = here.ID, here, holder
		default:
			x.copied = holder
			x.id = x.own()
		}
	default:
		if m := x.moved(); m != nil {
			x.id, x.old = m.ID, m
			return
		}
		x.id = x.own()
	}
}

// byEvent reports whether an identify event gives the path its id.
func (x *deciding) byEvent(here *memsync.Memory) bool {
	if here.Inline {
		return false
	}
	id, ok := x.f.State.Identity(here.Path)
	return ok && id == here.ID
}

func (x *deciding) buried(id memsync.ID) bool {
	if _, ok := x.f.State.Deleted(id); ok {
		return true
	}
	_, ok := x.f.State.Forgotten(id)
	return ok
}

// holder is another path's memory with that id: one that is still there before
// one that is gone.
func (x *deciding) holder(id memsync.ID) *memsync.Memory {
	var gone *memsync.Memory
	if id == "" {
		return nil
	}
	for _, m := range x.f.View.ByID(id) {
		switch {
		case m.Path == x.Path:
		case !x.gone(m.Path):
			return m
		case gone == nil:
			gone = m
		}
	}
	return gone
}

// own is the id of a path by itself.
func (x *deciding) own() memsync.ID {
	free := func(id memsync.ID) bool { return id != "" && len(x.f.View.ByID(id)) == 0 }
	if id, ok := x.f.State.Identity(x.Path); ok && free(id) {
		return id
	}
	if x.mem.ID == "" {
		if ev, ok := x.f.State.DeletedAt(x.Path); ok && free(ev.Memory) {
			return ev.Memory
		}
	}
	if x.f.HeadHolds && free(x.f.DerivedID) {
		return x.f.DerivedID
	}
	return x.f.FreshID
}

// moved is the vanished memory that a file without an id continues: the one
// the candidate names, else the most similar text, of equals the first path.
func (x *deciding) moved() *memsync.Memory {
	var best *memsync.Memory
	score := 0.0
	for i := range x.f.Vanished {
		v := &x.f.Vanished[i]
		m := v.Memory
		if m == nil || m.Path == x.Path || m.ID == "" {
			continue
		}
		if known := x.f.View.ByPath(m.Path); known == nil || known.ID != m.ID {
			continue // another file of this batch continues it, or its deletion was decided
		}
		if m.Path == x.Candidate.From {
			return m
		}
		s := 0.0
		switch {
		case m.BodyKey != "" && m.BodyKey == x.mem.BodyKey && (x.sketchOf() != nil || m.MetaKey == x.mem.MetaKey):
			s = 1
		default:
			s = text.Jaccard(x.shinglesOf(), text.Shingles(v.Body))
		}
		if s >= similar && (s > score || s == score && m.Path < best.Path) {
			best, score = m, s
		}
	}
	if best == nil && x.Candidate.From != "" {
		return x.f.View.ByPath(x.Candidate.From)
	}
	return best
}
