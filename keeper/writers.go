package keeper

import (
	"maps"
	"slices"

	"memsync"
	"memsync/internal/store"
)

// A memsync.toml that others' commits brought may say that a scope's saves are
// people's, which were an agent's here: whoever can push would give an agent a
// person's privileges. It waits for a person's word on this clone; everything else
// of the new policy is in force at once.

// Confined is a scope whose writers are not yet what memsync.toml says.
type Confined struct {
	Scope string          `json:"scope"`
	Path  memsync.Path    `json:"path"`
	Has   memsync.Writers `json:"has"`   // in force here
	Wants memsync.Writers `json:"wants"` // what memsync.toml says
}

// factWriters is where the journal keeps the writers that stay in force, by the
// scopes' directories.
const factWriters = "writers"

// wider reports whether saves gain privileges.
func wider(from, to memsync.Writers) bool {
	rank := func(w memsync.Writers) int {
		switch w {
		case memsync.People, "":
			return 2
		case memsync.Mixed:
			return 1
		}
		return 0
	}
	return rank(to) > rank(from)
}

// noteWriters compares a memsync.toml that others' commits brought with the one
// before.
func (k *Keeper) noteWriters(before, now []byte) error {
	if k.Store.Kind == store.Embedded {
		return nil
	}
	old, fresh := *k.Store, *k.Store
	if old.UsePolicy(before) != nil || fresh.UsePolicy(now) != nil {
		return nil // the last good one stays in force
	}
	kept := map[memsync.Path]memsync.Writers{}
	if _, err := k.journal.Fact(factWriters, &kept); err != nil {
		return err
	}
	n := len(kept)
	for _, s := range fresh.Scopes {
		was, ok := memsync.ScopeOf(old.Scopes, s.Dir.Join("x.md"))
		if _, waits := kept[s.Dir]; ok && !waits && wider(was.Writers, s.Writers) {
			kept[s.Dir] = was.Writers
		}
	}
	if len(kept) == n {
		return nil
	}
	return k.journal.PutFact(factWriters, kept)
}

// confine has a store's scopes keep the writers that wait for a person.
func (k *Keeper) confine(s *store.Store) error {
	list, err := k.confined(s)
	for _, c := range list {
		scope, _ := memsync.FindScope(s.Scopes, c.Scope)
		scope.Writers = c.Has
		s.Policy.Scopes = slices.DeleteFunc(slices.Clone(s.Policy.Scopes), func(o memsync.Scope) bool { return o.Dir == c.Path })
		s.Policy.Scopes = append(s.Policy.Scopes, scope)
	}
	if err != nil || len(list) == 0 {
		return err
	}
	return s.Resolve()
}

func (k *Keeper) confined(s *store.Store) (out []Confined, err error) {
	kept := map[memsync.Path]memsync.Writers{}
	if _, err := k.journal.Fact(factWriters, &kept); err != nil || len(kept) == 0 {
		return nil, err
	}
	for _, dir := range slices.Sorted(maps.Keys(kept)) {
		i := slices.IndexFunc(s.Scopes, func(o memsync.Scope) bool { return o.Dir == dir })
		if i >= 0 && wider(kept[dir], s.Scopes[i].Writers) {
			out = append(out, Confined{s.Scopes[i].Name(), dir, kept[dir], s.Scopes[i].Writers})
		}
	}
	return out, nil
}

// Confined are the scopes whose writers wait for a person's word.
func (k *Keeper) Confined() ([]Confined, error) {
	s, err := store.Load(k.Store.Root, k.Store.Kind)
	if err != nil || s.PolicyErr != nil {
		return nil, err
	}
	return k.confined(s)
}

// AcceptWriters has what memsync.toml says of writers take effect here: a person's
// decision.
func (k *Keeper) AcceptWriters() error {
	if k.opt.ReadOnly {
		return nil
	}
	return k.journal.PutFact(factWriters, nil)
}
