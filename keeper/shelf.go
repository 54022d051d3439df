package keeper

import (
	"context"
	"errors"
	"os"

	"memsync"
	"memsync/indexer/search"
	"memsync/internal/format"
)

// Shelf names memories that are not in force and can be read still.
type Shelf string

const (
	ShelfDeleted Shelf = "deleted" // by their last version; forgotten ones are in no shelf
	ShelfHeld    Shelf = "held"    // what waits for a person; a file with a secret is not looked into
)

// Shelved are the memories of a shelf and their bytes.
func (k *Keeper) Shelved(s Shelf) (memories []*memsync.Memory, bytes map[*memsync.Memory][]byte, err error) {
	bytes = map[*memsync.Memory][]byte{}
	add := func(p memsync.Path, id memsync.ID, data []byte) {
		scope, ok := memsync.ScopeOf(k.Store.Scopes, p)
		if !ok || data == nil {
			return
		}
		m := k.describe(p, scope, data)
		if m.ID == "" {
			m.ID = id
		}
		memories, bytes[m] = append(memories, m), data
	}
	if s == ShelfHeld {
		for _, h := range k.heldNow() {
			if h.Why == memsync.CodeSecret {
				continue
			}
			data, hash, err := k.onDisk(h.Path)
			if err != nil {
				return nil, nil, err
			}
			if hash != h.Hash {
				if data, _, err = k.journal.Content(h.Hash); err != nil {
					return nil, nil, err
				}
			}
			add(h.Path, h.Memory, data)
		}
		return memories, bytes, nil
	}
	state, err := k.State()
	if err != nil {
		return nil, nil, err
	}
	v, err := k.View()
	if err != nil {
		return nil, nil, err
	}
	for _, id := range state.AllDeleted() {
		if len(v.ByID(id)) > 0 {
			continue // it is back
		}
		g, err := k.goneByID(id, "")
		if err != nil {
			return nil, nil, err
		}
		if g == nil || g.Forgotten || g.Path == "" {
			continue
		}
		data, err := k.LastBytes(g)
		if errors.Is(err, memsync.CodeNotFound) {
			continue // a shallow clone
		}
		if err != nil {
			return nil, nil, err
		}
		add(g.Path, id, data)
	}
	return memories, bytes, nil
}

// SearchShelf finds memories of a shelf by their words, in the scopes that may be
// read, in an index that is made for this search. Its scores are no measure
// against Search's.
func (k *Keeper) SearchShelf(ctx context.Context, s Shelf, req search.Request, readable func(scope string) bool) (search.Page, map[memsync.Path]*memsync.Memory, error) {
	memories, bytes, err := k.Shelved(s)
	if err != nil || len(memories) == 0 {
		return search.Page{}, nil, err
	}
	dir, err := os.MkdirTemp("", "memsync-search-")
	if err != nil {
		return search.Page{}, nil, ioError(err, "")
	}
	defer os.RemoveAll(dir)
	x, err := search.Open(dir, search.Options{})
	if err != nil {
		return search.Page{}, nil, err
	}
	defer x.Close()
	found := map[memsync.Path]*memsync.Memory{}
	err = x.Rebuild(func(yield func(search.Doc, error) bool) {
		for _, m := range memories {
			if !readable(m.Scope) {
				continue
			}
			scope, _ := memsync.FindScope(k.Store.Scopes, m.Scope)
			d := search.Doc{Memory: m, Scope: scope, Body: string(bytes[m]), BodyLine: 1}
			if doc, err := format.Parse(bytes[m], k.Store.Policy.Limits); err == nil {
				d = search.NewDoc(m, scope, doc)
			} else { // held because nobody understands it: by all its text
				m.Kind = memsync.KindMemory
			}
			found[m.Path] = m
			if !yield(d, nil) {
				return
			}
		}
	}, string(s))
	if err != nil {
		return search.Page{}, nil, err
	}
	page, err := x.Search(ctx, req)
	return page, found, err
}
