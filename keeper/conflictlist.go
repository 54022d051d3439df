package keeper

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"memsync"
	"memsync/controller/merge"
	"memsync/internal/format"
	"memsync/internal/store"
	"memsync/watcher"
)

// Where a conflict comes from.
const (
	ConflictJoin  = "join"       // a copy below _system/conflicts: two versions overlapped
	ConflictSync  = "file-sync"  // a copy that a file-sync tool left beside the memory
	ConflictSaved = "saved-over" // a held version that was saved over, kept in the journal
)

// wholeVersion is the kind of a copy that is no record of places but a whole
// version of the file.
const wholeVersion = "version"

// Conflict is a text that lost and that nobody has looked at.
type Conflict struct {
	Name   string       `json:"name"` // what `resolve` takes
	Source string       `json:"source"`
	Scope  string       `json:"scope,omitempty"`
	Copy   memsync.Path `json:"copy,omitempty"` // the file of the copy; "" where the journal has it
	Memory memsync.ID   `json:"memory_id,omitempty"`
	Path   memsync.Path `json:"path,omitempty"` // of the memory; "" when it is gone
	Kind   string       `json:"kind"`           // scalar body delete-edit unparsed version
	Key    string       `json:"key,omitempty"`  // of a scalar
	Why    memsync.Code `json:"why,omitempty"`  // why a saved-over version was held
	Since  time.Time    `json:"since,omitzero"` // when it was held

	Bytes  []byte        `json:"-"` // of the copy
	Record *merge.Record `json:"-"` // what it says; nil for a whole version
}

// dismissed is the journal's fact with the saved-over versions that a person
// has done with. Their bytes stay.
const dismissed = "conflicts.dismissed"

// Conflicts are all of them: by scope and memory, then those of file-sync
// tools, then what was saved over.
func (k *Keeper) Conflicts(ctx context.Context) ([]Conflict, error) {
	out, err := k.joinConflicts()
	if err != nil {
		return nil, err
	}
	sync, err := k.syncConflicts()
	if err != nil {
		return nil, err
	}
	saved, err := k.savedConflicts()
	if err != nil {
		return nil, err
	}
	return append(append(out, sync...), saved...), ctx.Err()
}

func (k *Keeper) joinConflicts() ([]Conflict, error) {
	v, err := k.View()
	if err != nil {
		return nil, err
	}
	var out []Conflict
	for _, s := range k.Store.Scopes {
		dir := s.System.Join("_system", "conflicts")
		entries, err := os.ReadDir(k.abs(dir))
		if err != nil {
			continue // not there
		}
		for _, e := range entries {
			if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".md") {
				continue
			}
			p := dir.Join(e.Name())
			data, _, err := k.onDisk(p)
			if err != nil {
				return nil, err
			}
			c := Conflict{Name: strings.TrimSuffix(e.Name(), ".md"), Source: ConflictJoin, Scope: s.Name(), Copy: p, Kind: wholeVersion, Bytes: data}
			if r, err := merge.ParseRecord(data); err == nil {
				c.Record, c.Kind, c.Key, c.Memory = &r, r.Kind, r.Key, r.Memory
			}
			if c.Memory == "" && len(e.Name()) > 26 {
				if id, err := memsync.ParseID(e.Name()[:26]); err == nil {
					c.Memory = id
				}
			}
			if found := v.ByID(c.Memory); c.Memory != "" && len(found) > 0 {
				c.Path = found[0].Path
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// syncConflicts are the copies that file-sync tools left: known by their name,
// or held because they repeat the id of the file that they number.
func (k *Keeper) syncConflicts() ([]Conflict, error) {
	scanned, err := watcher.Scan(k.Store.Root, k.Store.Scopes, k.Store.Kind != store.Embedded, nil)
	if err != nil {
		return nil, err
	}
	copies := scanned.Copies
	for _, h := range k.heldNow() {
		if h.Why == memsync.CodeConflictUnresolved && !slices.Contains(copies, h.Path) {
			copies = append(copies, h.Path)
		}
	}
	v, err := k.View()
	if err != nil {
		return nil, err
	}
	slices.Sort(copies)
	var out []Conflict
	for _, p := range copies {
		data, _, err := watcher.Read(k.Store.Root, p, int64(k.Store.Policy.Limits.SaveBytes))
		if errors.Is(err, memsync.CodeNotFound) {
			continue
		}
		if err != nil {
			data = nil // listed all the same; its text can't be shown
		}
		c := Conflict{Name: string(p), Source: ConflictSync, Copy: p, Kind: wholeVersion, Bytes: data}
		if s, ok := memsync.ScopeOf(k.Store.Scopes, p); ok {
			c.Scope = s.Name()
		}
		if m := v.ByPath(p.Dir().Join(originalOf(p.Base()))); m != nil {
			c.Memory, c.Path = m.ID, m.Path
		} else if m := k.byInlineID(v, data); m != nil {
			c.Memory, c.Path = m.ID, m.Path
		}
		out = append(out, c)
	}
	return out, nil
}

func (k *Keeper) byInlineID(v *memsync.View, data []byte) *memsync.Memory {
	doc, err := format.Parse(data, k.Store.Policy.Limits)
	if err != nil {
		return nil
	}
	if id := doc.ID(); id != "" {
		if found := v.ByID(id); len(found) > 0 {
			return found[0]
		}
	}
	return nil
}

// originalOf is the name of the file that a file-sync tool's copy is of:
// `x.sync-conflict-20260101-120000-ABCDEFG.md`, `x (… conflicted copy …).md`
// and `x 2.md` are of x.md.
func originalOf(base string) string {
	if orig, _, ok := strings.Cut(base, ".sync-conflict-"); ok {
		return orig + ".md"
	}
	if i := strings.Index(base, "conflicted copy"); i >= 0 {
		if open := strings.LastIndex(base[:i], " ("); open >= 0 {
			return base[:open] + ".md"
		}
	}
	if orig, ok := format.NumberedCopy(base); ok {
		return orig
	}
	return base
}

// savedConflicts are held versions that were saved over before anybody took
// them, unless git has them by now or a person has done with them.
func (k *Keeper) savedConflicts() ([]Conflict, error) {
	copies, err := k.journal.HeldCopies()
	if err != nil {
		return nil, err
	}
	var done []memsync.Hash
	if _, err := k.journal.Fact(dismissed, &done); err != nil {
		return nil, err
	}
	v, err := k.View()
	if err != nil {
		return nil, err
	}
	var out []Conflict
	for _, h := range copies {
		if _, inGit, err := k.journal.Blob(h.Hash); err != nil {
			return nil, err
		} else if inGit || slices.Contains(done, h.Hash) {
			continue
		}
		data, ok, err := k.journal.Content(h.Hash)
		if err != nil {
			return nil, err
		}
		if accepted, _, known := k.catalog.Accepted(h.Path); !ok || known && accepted == h.Hash {
			continue
		}
		c := Conflict{Name: "saved-" + string(h.Hash[:min(12, len(h.Hash))]), Source: ConflictSaved, Scope: h.Scope, Memory: h.Memory,
			Kind: wholeVersion, Why: h.Why, Since: h.Since, Bytes: data}
		if m := v.ByPath(h.Path); m != nil {
			c.Path, c.Memory = m.Path, m.ID
		} else if found := v.ByID(h.Memory); h.Memory != "" && len(found) > 0 {
			c.Path = found[0].Path
		}
		out = append(out, c)
	}
	return out, nil
}

// EndConflict ends a conflict that is no file of the store's: the file-sync
// tool's copy is removed if it still is what was looked at, the saved-over
// version is listed no more.
func (k *Keeper) EndConflict(c Conflict) error {
	if k.opt.ReadOnly {
		return nil
	}
	switch c.Source {
	case ConflictSync:
		_, now, err := k.onDisk(c.Copy)
		if err != nil || now == "" {
			return err
		}
		if now != memsync.HashOf(c.Bytes) {
			return &memsync.Error{Code: memsync.CodeIORaced, Path: c.Copy, Message: "the copy changed meanwhile, so it stays",
				Hint: "look at it again with `memsync conflicts --diff`"}
		}
		root, err := os.OpenRoot(k.Store.Root)
		if err != nil {
			return ioError(err, c.Copy)
		}
		defer root.Close()
		if err := root.Remove(string(c.Copy)); err != nil {
			return ioError(err, c.Copy)
		}
		if k.isHeld(c.Copy) {
			if err := k.journal.DropHeld(c.Copy); err != nil {
				return err
			}
			k.held = nil
		}
		return nil
	case ConflictSaved:
		var done []memsync.Hash
		if _, err := k.journal.Fact(dismissed, &done); err != nil {
			return err
		}
		return k.journal.PutFact(dismissed, append(done, memsync.HashOf(c.Bytes)))
	}
	return nil
}
