package ledger

import (
	"maps"
	"slices"
	"strings"

	"memsync"
)

// Located is an event with the scope it belongs to and, for findings, the file
// it stands in.
type Located struct {
	memsync.LedgerEvent
	Scope memsync.Path // the scope's Dir
	File  memsync.Path // relative to the store; "" where nobody asks
}

// Locate puts a file's events into their scope.
func Locate(scope, file memsync.Path, events []memsync.LedgerEvent) []Located {
	out := make([]Located, len(events))
	for i, e := range events {
		out[i] = Located{LedgerEvent: e, Scope: scope, File: file}
	}
	return out
}

// State is what the events of a store add up to. Same events, any order, same
// State. It is immutable: With gives a new one, and both may be read by many
// goroutines at once.
//
// It holds the events, sorted by what is asked of them; each question is
// answered when it is put, from the few events that bear on it.
type State struct {
	base *index                 // large, shared between a State and those made from it
	over *index                 // small, nil when there is nothing
	bad  map[memsync.ID][]place // ids under which different events stand: where the other ones do
}

// index finds events; each list is in id order.
type index struct {
	byID     map[memsync.ID]*entry
	byMemory map[memsync.ID][]*memsync.LedgerEvent
	byPath   map[memsync.Path][]*memsync.LedgerEvent // path relative to the store
	byValue  map[valueKey][]*memsync.LedgerEvent
	answers  map[memsync.ID][]*memsync.LedgerEvent // those that see the event with this id
}

// entry is one event and where it stands: nearly always in one place, but a
// ledger may have been copied with its directory, and an event then holds in
// both scopes.
type entry struct {
	event memsync.LedgerEvent
	place place
	also  []place
}

type place struct{ scope, file memsync.Path }

func (e *entry) places() []place { return append([]place{e.place}, e.also...) }

type valueKey struct {
	scope memsync.Path
	value memsync.Hash
}

// Fold adds up events, in any order, duplicates included.
func Fold(events []Located) *State {
	s := &State{base: newIndex(len(events)), bad: make(map[memsync.ID][]place)}
	s.add(s.base, events)
	return s
}

// refoldAbove is how many events may lie over the base before With folds them
// into it: copying them costs a few microseconds per thousand. A guess.
const refoldAbove = 2048

// With is the State after more events; it costs what the events added since
// the last full fold cost, not what the ledger costs.
func (s *State) With(events ...Located) *State {
	next := &State{base: s.base, over: newIndex(len(events)), bad: maps.Clone(s.bad)}
	if s.over != nil {
		next.over = s.over.clone()
	}
	next.add(next.over, events)
	if len(next.over.byID) <= max(refoldAbove, len(s.base.byID)/8) {
		return next
	}
	return next.flatten()
}

// Len counts the distinct events, contradictory ones left out.
func (s *State) Len() int {
	n := len(s.base.byID)
	if s.over != nil {
		for id := range s.over.byID {
			if s.base.byID[id] == nil {
				n++
			}
		}
	}
	return n - len(s.bad)
}

func newIndex(n int) *index {
	return &index{
		byID:     make(map[memsync.ID]*entry, n),
		byMemory: make(map[memsync.ID][]*memsync.LedgerEvent, n),
		byPath:   make(map[memsync.Path][]*memsync.LedgerEvent),
		byValue:  make(map[valueKey][]*memsync.LedgerEvent),
		answers:  make(map[memsync.ID][]*memsync.LedgerEvent),
	}
}

// clone is an index that may be added to without the old one changing.
func (x *index) clone() *index {
	return &index{
		byID: maps.Clone(x.byID), byMemory: cloneLists(x.byMemory), byPath: cloneLists(x.byPath),
		byValue: cloneLists(x.byValue), answers: cloneLists(x.answers),
	}
}

// cloneLists clips the lists, so that two States made from one never append to
// the same memory.
func cloneLists[K comparable](m map[K][]*memsync.LedgerEvent) map[K][]*memsync.LedgerEvent {
	out := make(map[K][]*memsync.LedgerEvent, len(m))
	for k, list := range m {
		out[k] = slices.Clip(list)
	}
	return out
}

// add enters events into x, which nobody else may hold yet.
func (s *State) add(x *index, events []Located) {
	slab := make([]entry, len(events)) // one allocation; the slice of events stays the caller's
	for i := range events {
		l := &events[i]
		here := place{l.Scope, l.File}
		known := s.entry(l.ID)
		switch {
		case known == nil:
			slab[i] = entry{event: l.LedgerEvent, place: here}
			e := &slab[i].event
			x.byID[e.ID] = &slab[i]
			x.enter(e, l.Scope)
			if e.Memory != "" {
				x.byMemory[e.Memory] = insert(x.byMemory[e.Memory], e)
			}
			for _, seen := range e.Sees {
				x.answers[seen] = insert(x.answers[seen], e)
			}
		case !same(&known.event, &l.LedgerEvent):
			s.bad[l.ID] = append(slices.Clip(s.bad[l.ID]), here)
		case known.place != here && !slices.Contains(known.also, here):
			x.byID[l.ID] = &entry{event: known.event, place: known.place, also: append(slices.Clip(known.also), here)}
			x.enter(&known.event, l.Scope)
		}
	}
}

// enter notes what an event says about a path and a value of a scope, at most
// once. Paths are clean: Parse refuses others.
func (x *index) enter(e *memsync.LedgerEvent, scope memsync.Path) {
	if e.Path != "" {
		p := inStore(scope, e.Path)
		x.byPath[p] = insert(x.byPath[p], e)
	}
	if e.Value != "" {
		k := valueKey{scope, e.Value}
		x.byValue[k] = insert(x.byValue[k], e)
	}
}

// inStore is a path of a scope, relative to the store.
func inStore(scope, p memsync.Path) memsync.Path {
	if scope == "" {
		return p
	}
	return scope + "/" + p
}

// insert is list with e at its place by id, once. It writes into list's spare
// room: a list that others hold must be clipped first. Events come nearly
// sorted.
func insert(list []*memsync.LedgerEvent, e *memsync.LedgerEvent) []*memsync.LedgerEvent {
	if n := len(list); n == 0 || list[n-1].ID < e.ID {
		return append(list, e)
	}
	at, there := slices.BinarySearchFunc(list, e.ID, func(e *memsync.LedgerEvent, id memsync.ID) int {
		return strings.Compare(string(e.ID), string(id))
	})
	if there {
		return list
	}
	return slices.Insert(list, at, e)
}

// flatten is the same State in one index.
func (s *State) flatten() *State {
	all := make([]Located, 0, len(s.base.byID)+len(s.over.byID))
	for _, e := range s.entries() {
		for _, p := range e.places() {
			all = append(all, Located{LedgerEvent: e.event, Scope: p.scope, File: p.file})
		}
	}
	flat := Fold(all)
	flat.bad = s.bad
	return flat
}

// entry is what is known under an id, or nil.
func (s *State) entry(id memsync.ID) *entry {
	if s.over != nil {
		if e := s.over.byID[id]; e != nil {
			return e
		}
	}
	return s.base.byID[id]
}

// entries are all of them, by id; the first seen of those that contradict each
// other is among them.
func (s *State) entries() []*entry {
	out := make([]*entry, 0, len(s.base.byID))
	for id, e := range s.base.byID {
		if s.over == nil || s.over.byID[id] == nil {
			out = append(out, e)
		}
	}
	if s.over != nil {
		for _, e := range s.over.byID {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b *entry) int { return strings.Compare(string(a.event.ID), string(b.event.ID)) })
	return out
}
