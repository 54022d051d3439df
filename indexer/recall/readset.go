package recall

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"memsync"
)

// Standing says whether a memory counts. The empty one is "in force".
type Standing string

const (
	InForce    Standing = ""
	Expired    Standing = "expired"    // its valid_until has passed
	Upcoming   Standing = "upcoming"   // its valid_from is still to come
	Superseded Standing = "superseded" // another one in force names it in supersedes
	Shadowed   Standing = "shadowed"   // one of the same type and slug is in force in a more specific scope
)

// Source is one store that a reader looks into.
type Source struct {
	Root      string
	Local     bool       // a store that never leaves the machine; it ranks right before the global scope
	Workspace memsync.ID // of the project that the store is part of, if it is
	View      *memsync.View
}

// ReadSet is what one reader may read: the scopes of one or more stores, most
// specific first, and which memories count at one moment. Identity for shadowing
// is type and slug. A memory is shadowed whether or not what shadows it matches
// anything.
type ReadSet struct {
	Agent   string     // who reads; "" is a person, who reads every agent's scopes
	where   memsync.ID // the workspace where they read; "" is none
	Now     time.Time
	Sources []Source
	Places  []Place // that may be read, most specific first

	once       sync.Once
	superseded map[memsync.ID]bool
}

// Place is one scope of a read set.
type Place struct {
	Source int // index in Sources
	Scope  memsync.Scope
	rank   int
}

// rankLocal is behind a workspace and before the global scope.
const rankLocal = 3

// NewReadSet orders the scopes of the sources for a reader. Of scopes that rank
// alike the one of the earlier source comes first, then the one that its store
// lists first.
func NewReadSet(agent string, now time.Time, sources ...Source) *ReadSet {
	s := &ReadSet{Agent: agent, Now: now, Sources: sources}
	for _, src := range sources {
		s.where = cmp.Or(s.where, src.Workspace)
	}
	for i, src := range sources {
		for _, sc := range src.View.Scopes {
			if agent != "" && sc.Kind == memsync.Agent && sc.Agent != agent {
				continue
			}
			if s.where != "" && sc.Workspace != "" && sc.Workspace != s.where {
				continue // what is kept for another project
			}
			rank := sc.Rank()
			if src.Local {
				rank = rankLocal
			}
			s.Places = append(s.Places, Place{i, sc, rank})
		}
	}
	slices.SortStableFunc(s.Places, func(a, b Place) int { return cmp.Compare(a.rank, b.rank) })
	return s
}

// Readable reports whether the reader may read a scope of a source.
func (s *ReadSet) Readable(source int, scope string) bool { return s.index(source, scope) >= 0 }

func (s *ReadSet) index(source int, scope string) int {
	return slices.IndexFunc(s.Places, func(p Place) bool { return p.Source == source && p.Scope.Name() == scope })
}

// Standing says whether a memory of that source counts, and for a shadowed one
// the scope of the memory that shadows it.
func (s *ReadSet) Standing(source int, m *memsync.Memory) (Standing, Place) {
	return s.standing(s.index(source, m.Scope), m)
}

// standing is that of a memory in the at-th place; -1 for none.
func (s *ReadSet) standing(at int, m *memsync.Memory) (Standing, Place) {
	if st := s.dated(m); st != InForce {
		return st, Place{}
	}
	if s.supersedes(m.ID) {
		return Superseded, Place{}
	}
	if at <= 0 || m.Kind != memsync.KindMemory {
		return InForce, Place{}
	}
	for _, p := range s.Places[:at] {
		if p.rank == s.Places[at].rank && p.Source == s.Places[at].Source || !sameReader(p.Scope, s.Places[at].Scope) ||
			p.Scope.Workspace != "" && p.Scope.Workspace != s.where { // kept for a project that this is not
			continue
		}
		for _, other := range s.Sources[p.Source].View.BySlug(p.Scope.Name(), m.Type, m.Slug) {
			if other.Kind == memsync.KindMemory && s.dated(other) == InForce && !s.supersedes(other.ID) {
				return Shadowed, p
			}
		}
	}
	return InForce, Place{}
}

// sameReader reports whether anybody reads both scopes as one: two agents do
// not.
func sameReader(a, b memsync.Scope) bool {
	return a.Kind != memsync.Agent || b.Kind != memsync.Agent || a.Agent == b.Agent
}

func (s *ReadSet) dated(m *memsync.Memory) Standing {
	switch {
	case !m.ValidUntil.IsZero() && s.Now.After(m.ValidUntil):
		return Expired
	case s.Now.Before(m.ValidFrom):
		return Upcoming
	}
	return InForce
}

// supersedes reports whether a memory that may be read, and whose time it is,
// names this one in supersedes.
func (s *ReadSet) supersedes(id memsync.ID) bool {
	if id == "" {
		return false
	}
	s.once.Do(func() {
		older := map[memsync.ID][]memsync.ID{}
		for i, src := range s.Sources {
			for m := range src.View.All() {
				if m.Supersedes != "" && s.dated(m) == InForce && s.Readable(i, m.Scope) {
					older[m.ID] = append(older[m.ID], m.Supersedes)
				}
			}
		}
		s.superseded = map[memsync.ID]bool{}
		for newer, list := range older {
			for _, id := range list {
				if !reaches(older, id, newer, map[memsync.ID]bool{}) {
					s.superseded[id] = true
				} // else they name each other in a ring, and nobody knows which one counts
			}
		}
	})
	return len(s.superseded) > 0 && s.superseded[id]
}

// reaches reports whether one leads to another by what supersedes what.
func reaches(older map[memsync.ID][]memsync.ID, from, to memsync.ID, seen map[memsync.ID]bool) bool {
	if from == to {
		return true
	}
	if seen[from] {
		return false
	}
	seen[from] = true
	return slices.ContainsFunc(older[from], func(id memsync.ID) bool { return reaches(older, id, to, seen) })
}

// Out are the memories of a source that its reader does not find: what may not
// be read, and what is not in force, but for what is asked for.
func (s *ReadSet) Out(source int, asked func(Standing) bool) (out []memsync.Path) {
	scope, at := "", -1 // memories come by path, so their scopes in runs
	for m := range s.Sources[source].View.All() {
		if m.Scope != scope || at < 0 {
			scope, at = m.Scope, s.index(source, m.Scope)
		}
		if at < 0 {
			out = append(out, m.Path)
		} else if st, _ := s.standing(at, m); st != InForce && !asked(st) {
			out = append(out, m.Path)
		}
	}
	return out
}
