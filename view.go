package memsync

import (
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// View is everything that is in a store at one Revision. It is immutable:
// With gives a new one. Lookups cost a map access; a View made by With shares
// everything with its parent but the changes.
type View struct {
	Revision Revision
	Scopes   []Scope // precedence order

	base *viewIndex
	over map[Path]*Memory // nil: gone
}

type viewIndex struct {
	sorted []*Memory // by path
	once   sync.Once
	built  atomic.Bool
	byPath map[Path]*Memory
	byID   map[ID][]*Memory
	bySlug map[slugKey][]*Memory
	byKey  map[slugKey][]*Memory
	byBody map[slugKey][]*Memory
}

type slugKey struct{ scope, kind, value string }

// NewView makes a View of memories, which it keeps and sorts by path.
func NewView(rev Revision, scopes []Scope, memories []*Memory) *View {
	slices.SortFunc(memories, func(a, b *Memory) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return &View{Revision: rev, Scopes: scopes, base: &viewIndex{sorted: memories}}
}

func (x *viewIndex) build() {
	x.once.Do(func() {
		n := len(x.sorted)
		x.byPath = make(map[Path]*Memory, n)
		x.byID = make(map[ID][]*Memory, n)
		x.bySlug = make(map[slugKey][]*Memory, n)
		x.byKey = make(map[slugKey][]*Memory)
		x.byBody = make(map[slugKey][]*Memory, n)
		for _, m := range x.sorted {
			x.byPath[m.Path] = m
			if m.ID != "" {
				x.byID[m.ID] = append(x.byID[m.ID], m)
			}
			k := slugKey{m.Scope, string(m.Type), m.Slug}
			x.bySlug[k] = append(x.bySlug[k], m)
			if m.Key != "" {
				k := slugKey{m.Scope, "", m.Key}
				x.byKey[k] = append(x.byKey[k], m)
			}
			if m.BodyKey != "" {
				k := slugKey{m.Scope, "", string(m.BodyKey)}
				x.byBody[k] = append(x.byBody[k], m)
			}
		}
		x.built.Store(true)
	})
}

// at is the memory at p, or nil. It makes no lookup tables: whoever asks for a
// few paths does not wait for them.
func (x *viewIndex) at(p Path) *Memory {
	if x.built.Load() {
		return x.byPath[p]
	}
	i, ok := slices.BinarySearchFunc(x.sorted, p, func(m *Memory, p Path) int { return strings.Compare(string(m.Path), string(p)) })
	if !ok {
		return nil
	}
	return x.sorted[i]
}

// With is the View after changes: each path maps to its new Memory, or to nil
// when it is gone.
func (v *View) With(rev Revision, changes map[Path]*Memory) *View {
	over := make(map[Path]*Memory, len(v.over)+len(changes))
	for p, m := range v.over {
		over[p] = m
	}
	for p, m := range changes {
		over[p] = m
	}
	return &View{Revision: rev, Scopes: v.Scopes, base: v.base, over: over}
}

// Len counts the memories.
func (v *View) Len() int {
	n := len(v.base.sorted)
	for p, m := range v.over {
		if v.base.at(p) != nil {
			n--
		}
		if m != nil {
			n++
		}
	}
	return n
}

// All yields every memory by path.
func (v *View) All() iter.Seq[*Memory] {
	return func(yield func(*Memory) bool) {
		changed := make([]Path, 0, len(v.over))
		for p := range v.over {
			changed = append(changed, p)
		}
		slices.Sort(changed)
		// Two sorted lists: of a path in both, what changed counts.
		emit := func(p Path) bool {
			m := v.over[p]
			return m == nil || yield(m)
		}
		for _, m := range v.base.sorted {
			for len(changed) > 0 && changed[0] < m.Path {
				if !emit(changed[0]) {
					return
				}
				changed = changed[1:]
			}
			if len(changed) > 0 && changed[0] == m.Path {
				continue // its successor, if any, comes next
			}
			if !yield(m) {
				return
			}
		}
		for _, p := range changed {
			if !emit(p) {
				return
			}
		}
	}
}

// InScope yields the memories of one scope by path.
func (v *View) InScope(scope string) iter.Seq[*Memory] {
	return func(yield func(*Memory) bool) {
		for m := range v.All() {
			if m.Scope == scope && !yield(m) {
				return
			}
		}
	}
}

// ByPath is the memory at p, or nil.
func (v *View) ByPath(p Path) *Memory {
	if m, ok := v.over[p]; ok {
		return m
	}
	return v.base.at(p)
}

// ByID are the memories with that id, by path: more than one only while a copy
// waits to be told apart. An alias is not looked up; see Resolve.
func (v *View) ByID(id ID) []*Memory {
	v.base.build()
	return v.pick(v.base.byID[id], func(m *Memory) bool { return m.ID == id })
}

// BySlug are the memories of one scope with that type and slug.
func (v *View) BySlug(scope string, t Type, slug string) []*Memory {
	v.base.build()
	return v.pick(v.base.bySlug[slugKey{scope, string(t), slug}], func(m *Memory) bool {
		return m.Scope == scope && m.Type == t && m.Slug == slug
	})
}

// ByKey are the memories of one scope with that key.
func (v *View) ByKey(scope, key string) []*Memory {
	v.base.build()
	return v.pick(v.base.byKey[slugKey{scope, "", key}], func(m *Memory) bool { return m.Scope == scope && m.Key == key })
}

// ByBody are the memories of one scope whose normalized body has that hash.
func (v *View) ByBody(scope string, body Hash) []*Memory {
	v.base.build()
	return v.pick(v.base.byBody[slugKey{scope, "", string(body)}], func(m *Memory) bool {
		return m.Scope == scope && m.BodyKey == body
	})
}

// pick overlays the changes on a lookup in the base.
func (v *View) pick(found []*Memory, match func(*Memory) bool) []*Memory {
	if len(v.over) == 0 {
		return found
	}
	var out []*Memory
	for _, m := range found {
		if _, changed := v.over[m.Path]; !changed {
			out = append(out, m)
		}
	}
	for _, m := range v.over {
		if m != nil && match(m) {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b *Memory) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return out
}

// Scope finds a scope by name.
func (v *View) Scope(name string) (Scope, bool) { return FindScope(v.Scopes, name) }

// FindScope finds a scope by name.
func FindScope(scopes []Scope, name string) (Scope, bool) {
	for _, s := range scopes {
		if s.Is(name) {
			return s, true
		}
	}
	return Scope{}, false
}

// ScopeOf is the innermost scope that holds p.
func ScopeOf(scopes []Scope, p Path) (Scope, bool) {
	best, found := Scope{}, false
	for _, s := range scopes {
		if p != s.Dir && p.In(s.Dir) && (!found || len(s.Dir) > len(best.Dir)) {
			best, found = s, true
		}
	}
	return best, found
}
