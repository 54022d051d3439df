package keeper

import (
	"errors"
	"slices"
	"strings"

	"memsync"
	"memsync/gitlog"
	"memsync/gitlog/journal"
	"memsync/internal/format"
	"memsync/internal/text"
)

// Gone is a memory that is not in the store any more and is remembered.
type Gone struct {
	Memory    memsync.ID
	Path      memsync.Path // where it last lived; "" where nobody remembers
	Scope     string       // the name of the scope it lived in
	Forgotten bool         // for good; else it was deleted
	Event     memsync.LedgerEvent
}

// FindGone finds the deleted or forgotten memory that arg means: an id, a path
// of the store, a file stem, a slug or a name. nil when nobody answers to it.
// Several deleted ones are CodeAmbiguous.
func (k *Keeper) FindGone(arg string, path memsync.Path) (*Gone, error) {
	state, err := k.State()
	if err != nil {
		return nil, err
	}
	if id, err := memsync.ParseID(arg); err == nil {
		return k.goneByID(id, path)
	}
	if path != "" {
		if e, ok := state.ForgottenAt(path); ok {
			return k.gone(e, path, true), nil
		}
		if e, ok := state.DeletedAt(path); ok {
			return k.gone(e, path, false), nil
		}
	}
	last, err := k.lastOf(func(p memsync.Path) bool { return p == path || answers(p, arg) })
	if err != nil {
		return nil, err
	}
	var found []*Gone
	for id, p := range last {
		g, err := k.goneByID(id, p)
		if err != nil {
			return nil, err
		}
		if g != nil {
			found = append(found, g)
		}
	}
	slices.SortFunc(found, func(a, b *Gone) int { return strings.Compare(string(b.Event.ID), string(a.Event.ID)) })
	deleted := slices.DeleteFunc(slices.Clone(found), func(g *Gone) bool { return g.Forgotten })
	switch {
	case len(deleted) > 1 && deleted[0].Path != path:
		var ids []string
		for _, g := range deleted {
			ids = append(ids, string(g.Memory)+" ("+string(g.Path)+")")
		}
		return nil, &memsync.Error{Code: memsync.CodeAmbiguous, Message: "several deleted memories answer to that: " + strings.Join(ids, ", "),
			Hint: "name the one you mean by its id"}
	case len(deleted) > 0:
		return deleted[0], nil
	case len(found) > 0:
		return found[0], nil
	}
	return nil, nil
}

// answers reports whether a memory that lived at p would be called name.
func answers(p memsync.Path, name string) bool {
	_, slug := format.SplitName(p.Base())
	return strings.TrimSuffix(p.Base(), ".md") == name || slug == name || slug != "" && slug == format.Slug(name) ||
		text.Fold(strings.TrimSuffix(p.Base(), ".md")) == text.Fold(name)
}

func (k *Keeper) goneByID(id memsync.ID, hint memsync.Path) (*Gone, error) {
	state, err := k.State()
	if err != nil {
		return nil, err
	}
	if e, ok := state.Forgotten(id); ok {
		return k.gone(e, hint, true), nil
	}
	e, ok := state.Deleted(id)
	if !ok {
		return nil, nil
	}
	for _, s := range k.Store.Scopes { // the event's path is relative to its scope
		p := s.Dir.Join(string(e.Path))
		if at, ok := state.DeletedAt(p); ok && at.ID == e.ID {
			return k.gone(e, p, false), nil
		}
	}
	if hint == "" {
		paths, err := k.EverPaths(id)
		if err != nil {
			return nil, err
		}
		if len(paths) > 0 {
			hint = paths[0]
		}
	}
	return k.gone(e, hint, false), nil
}

func (k *Keeper) gone(e memsync.LedgerEvent, p memsync.Path, forgotten bool) *Gone {
	g := &Gone{Memory: e.Memory, Path: p, Forgotten: forgotten, Event: e}
	if s, ok := memsync.ScopeOf(k.Store.Scopes, p); ok {
		g.Scope = s.Name()
	}
	return g
}

// lastOf finds the memories that once lived at paths that match, by this
// machine's journal and by what commits say, each with its last such path.
func (k *Keeper) lastOf(match func(memsync.Path) bool) (map[memsync.ID]memsync.Path, error) {
	out := map[memsync.ID]memsync.Path{}
	note := func(id memsync.ID, p memsync.Path) {
		if _, known := out[id]; id != "" && !known && match(p) {
			out[id] = p
		}
	}
	for q := (journal.Query{Limit: pageLimit}); ; {
		page, next, _, err := k.journal.Decisions(q)
		if err != nil {
			return nil, err
		}
		for _, r := range page {
			note(r.Decision.Memory, r.Decision.Path)
			note(r.Decision.Memory, r.Decision.From)
		}
		if q.Cursor = next; next == "" {
			break
		}
	}
	versions, err := k.repo.Log(gitlog.LogQuery{})
	if err != nil {
		return nil, err
	}
	state, err := k.State()
	if err != nil {
		return nil, err
	}
	for _, v := range versions {
		var named []memsync.ID
		for _, d := range v.Decisions() {
			named = append(named, d.Memory)
		}
		for _, c := range v.Changes {
			if c.To != "" || !match(c.Path) {
				continue
			}
			if e, ok := state.DeletedAt(c.Path); ok {
				note(e.Memory, c.Path)
			} else if len(named) == 1 {
				note(named[0], c.Path)
			}
		}
	}
	return out, nil
}

// LastBytes are the bytes that a deleted memory had last, from the journal or
// from git.
func (k *Keeper) LastBytes(g *Gone) ([]byte, error) {
	if g.Event.Hash != "" {
		data, err := k.version(g.Path, g.Event.Hash)
		if err == nil {
			return data, nil
		}
		if !errors.Is(err, memsync.CodeGitCorrupt) {
			return nil, err
		}
	}
	if g.Path != "" {
		versions, err := k.repo.Log(gitlog.LogQuery{Paths: []memsync.Path{g.Path}})
		if err != nil {
			return nil, err
		}
		for _, v := range versions {
			for _, c := range v.Changes {
				for _, blob := range []string{c.From, c.To} {
					if blob == "" {
						continue
					}
					data, err := k.repo.Blob(blob)
					if err != nil {
						return nil, err
					}
					if g.Event.Hash == "" || memsync.HashOf(data) == g.Event.Hash {
						return data, nil
					}
				}
			}
		}
	}
	return nil, &memsync.Error{Code: memsync.CodeNotFound, Path: g.Path, Message: "its last version is neither in the journal nor in git's history",
		Hint: "if the history was cut off (a shallow clone), `git fetch --unshallow` brings it"}
}
