package keeper

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"unicode/utf8"

	"memsync"
	"memsync/indexer/search"
	"memsync/internal/format"
	"memsync/internal/scan"
)

// Shelf names memories that are not in force and can be read still.
type Shelf string

const (
	ShelfDeleted Shelf = "deleted" // by their last version; forgotten ones are in no shelf
	ShelfHeld    Shelf = "held"    // what waits for a person; a file with a secret is not looked into
)

// shelved is a memory of a shelf, and its bytes.
type shelved struct {
	memory *memsync.Memory
	data   []byte
}

// shelved are the memories of a shelf. One whose bytes can't be had keeps nobody
// from the others.
func (k *Keeper) shelved(s Shelf) (out []shelved, err error) {
	if s == ShelfHeld {
		for _, h := range k.heldNow() {
			data, hash, err := k.onDisk(h.Path)
			if err != nil || hash != h.Hash {
				if data, _, err = k.journal.Content(h.Hash); err != nil {
					return nil, err
				}
			}
			if h.Why != memsync.CodeSecret && readable(h.Path, data) {
				out = append(out, k.shelve(h.Path, h.Memory, data)...)
			}
		}
		return out, nil
	}
	state, err := k.State()
	if err != nil {
		return nil, err
	}
	v, err := k.View()
	if err != nil {
		return nil, err
	}
	for _, id := range state.AllDeleted() {
		if len(v.ByID(id)) > 0 {
			continue // it is back
		}
		g, err := k.goneByID(id, "")
		if err != nil {
			return nil, err
		}
		if g == nil || g.Forgotten || g.Path == "" {
			continue
		}
		data, err := k.LastBytes(g)
		if errors.Is(err, memsync.CodeNotFound) {
			continue // a shallow clone
		}
		if err != nil {
			return nil, err
		}
		out = append(out, k.shelve(g.Path, id, data)...)
	}
	return out, nil
}

// readable reports whether held bytes may be shown: they are text, and nothing
// in them looks like a secret. Held for another reason, the rules that look for
// one may not have been asked.
func readable(p memsync.Path, data []byte) bool {
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return false
	}
	return !slices.ContainsFunc(scan.Text(string(p), string(data)), func(h scan.Hit) bool { return h.Kind == scan.Secret })
}

func (k *Keeper) shelve(p memsync.Path, id memsync.ID, data []byte) []shelved {
	scope, ok := memsync.ScopeOf(k.Store.Scopes, p)
	if !ok || data == nil {
		return nil
	}
	m := k.describe(p, scope, data)
	if m.ID == "" {
		m.ID = id
	}
	return []shelved{{m, data}}
}

const shelfName = "shelf"

// SearchShelf finds memories of a shelf by their words, in the scopes that may be
// read, in an index that is made for this search. Its scores are no measure
// against Search's. A hit's Path is the key of its memory in found: several may
// have lived in one place.
func (k *Keeper) SearchShelf(ctx context.Context, s Shelf, req search.Request, readable func(scope string) bool) (page search.Page, found map[memsync.Path]*memsync.Memory, err error) {
	list, err := k.shelved(s)
	if err != nil || len(list) == 0 {
		return search.Page{}, nil, err
	}
	dir := filepath.Join(k.localState(), shelfName)
	if err := os.RemoveAll(dir); err != nil { // of a process that died
		return search.Page{}, nil, ioError(err, "")
	}
	defer os.RemoveAll(dir)
	x, err := search.Open(dir, search.Options{})
	if err != nil {
		return search.Page{}, nil, err
	}
	defer x.Close()
	found = map[memsync.Path]*memsync.Memory{}
	err = x.Rebuild(func(yield func(search.Doc, error) bool) {
		for i, one := range list {
			if !readable(one.memory.Scope) {
				continue
			}
			m := *one.memory
			if found[m.Path] != nil {
				m.Path += memsync.Path("\x00" + strconv.Itoa(i))
			}
			found[m.Path] = one.memory
			scope, _ := memsync.FindScope(k.Store.Scopes, m.Scope)
			d := search.Doc{Memory: &m, Scope: scope, Body: string(one.data), BodyLine: 1}
			if doc, err := format.Parse(one.data, k.Store.Policy.Limits); err == nil {
				d = search.NewDoc(&m, scope, doc)
			} else { // held because nobody understands it: by all its text
				m.Kind = memsync.KindMemory
			}
			if !yield(d, nil) {
				return
			}
		}
	}, string(s))
	if err != nil {
		return search.Page{}, nil, err
	}
	page, err = x.Search(ctx, req)
	return page, found, err
}
