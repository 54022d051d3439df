package keeper

import (
	"errors"
	"io/fs"
	"os"

	"memsync"
	"memsync/internal/ledger"
)

// State is the fold of the store's ledgers: what is on disk, lines that wait
// for a person's commit included, and what HEAD holds, so that a file that
// somebody removed from the working tree lifts no tombstone.
func (k *Keeper) State() (*ledger.State, error) {
	if k.state != nil {
		return k.state, nil
	}
	versions, err := k.ledgerVersions()
	if err != nil {
		return nil, err
	}
	fresh, grown, err := k.folded.grow(k, versions)
	if err != nil {
		return nil, err
	}
	state := k.folded.state
	switch {
	case !grown:
		state = ledger.Fold(fresh)
	case len(fresh) > 0:
		state = state.With(fresh...)
	}
	k.state, k.folded = state, folded{state, versions}
	return state, nil
}

// ledgerVersion is a ledger file as it stands somewhere.
type ledgerVersion struct {
	scope, path memsync.Path
	blob        string // its git name
	data        []byte // nil: read from git when it is asked for
	size        int
	whole       bool // its last line has ended
}

func (v *ledgerVersion) bytes(k *Keeper) (data []byte, err error) {
	if v.data == nil {
		v.data, err = k.repo.Blob(v.blob)
	}
	return v.data, err
}

// ledgerVersions are the ledger files on disk, then those of HEAD that differ.
func (k *Keeper) ledgerVersions() (out []ledgerVersion, err error) {
	for _, s := range k.Store.Scopes {
		dir := ledgerDir(s)
		seen := map[memsync.Path]string{} // blob ids of what is on disk
		entries, err := os.ReadDir(k.abs(dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, ioError(err, dir)
		}
		for _, e := range entries {
			if _, _, _, ok := ledger.ParseFileName(e.Name()); !ok || !e.Type().IsRegular() {
				continue
			}
			p := dir.Join(e.Name())
			data, err := os.ReadFile(k.abs(p))
			if err != nil {
				return nil, ioError(err, p)
			}
			seen[p] = k.repo.BlobID(data)
			out = append(out, ledgerVersion{scope: s.Dir, path: p, blob: seen[p], data: data})
		}
		committed, err := k.ledgersAtHead(dir)
		if err != nil {
			return nil, err
		}
		for p, blob := range committed {
			if seen[p] != blob {
				out = append(out, ledgerVersion{scope: s.Dir, path: p, blob: blob}) // the fold drops what both have
			}
		}
	}
	return out, nil
}

// folded is a State and what it was folded from, without the bytes. Ledgers only
// grow, and an owner stays for months: what it has folded it does not read
// again.
type folded struct {
	state *ledger.State
	from  []ledgerVersion
}

// grow are the events that versions have and f has not; grown is false where
// something that f counted is not there any more, and then they are all events.
// The versions come back without bytes, ready to be the next f's.
func (f *folded) grow(k *Keeper, versions []ledgerVersion) (fresh []ledger.Located, grown bool, err error) {
	left := len(f.from) // those that are not seen in versions, whole or as their beginning
	known, starts := make([]bool, len(versions)), make([]int, len(versions))
	for _, old := range f.from {
		found := false
		for i := range versions {
			v := &versions[i]
			switch {
			case v.path != old.path:
			case v.blob == old.blob:
				v.size, v.whole = old.size, old.whole
				known[i], found = true, true
			case old.whole && len(v.data) > old.size && k.repo.BlobID(v.data[:old.size]) == old.blob:
				starts[i], found = max(starts[i], old.size), true
			}
		}
		if found {
			left--
		}
	}
	grown = f.state != nil && left == 0
	for i := range versions {
		v := &versions[i]
		if !grown || !known[i] {
			data, err := v.bytes(k)
			if err != nil {
				return nil, false, err
			}
			v.size, v.whole = len(data), len(data) == 0 || data[len(data)-1] == '\n'
			if grown {
				data = data[starts[i]:]
			}
			lines, _ := ledger.Parse(v.path, data)
			fresh = append(fresh, ledger.Locate(v.scope, v.path, lines)...)
		}
		v.data = nil
	}
	return fresh, grown, nil
}

// ledgersAtHead are the ledger files of a directory that HEAD holds, with their
// blob ids.
func (k *Keeper) ledgersAtHead(dir memsync.Path) (map[memsync.Path]string, error) {
	st, err := k.repo.State()
	if err != nil || st.Head == "" {
		return nil, err
	}
	entries, err := k.repo.Tree(st.Head, dir)
	if err != nil {
		return nil, err
	}
	out := map[memsync.Path]string{}
	for _, e := range entries {
		if _, _, _, ok := ledger.ParseFileName(e.Path.Base()); ok {
			out[e.Path] = e.Blob
		}
	}
	return out, nil
}

// missingLedgers are the ledger files that HEAD holds and the disk does not, in
// scopes whose directory is there.
func (k *Keeper) missingLedgers() ([]memsync.Path, error) {
	var out []memsync.Path
	gone := k.scopesGone()
	for _, s := range k.Store.Scopes {
		if k.Store.CommitMode() != memsync.CommitAuto || gone[s.Name()] && k.holdsMemories(s) {
			continue // an unmounted disk: nothing is made there
		}
		committed, err := k.ledgersAtHead(ledgerDir(s))
		if err != nil {
			return nil, err
		}
		for p := range committed {
			if _, err := os.Lstat(k.abs(p)); errors.Is(err, fs.ErrNotExist) {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// holdsMemories reports whether memories are accepted in a scope.
func (k *Keeper) holdsMemories(s memsync.Scope) bool {
	for p := range k.catalog.MemoryPaths() {
		if p.In(s.Dir) {
			return true
		}
	}
	return false
}

// bringBackLedgers puts ledger files back that somebody removed: they are
// append-only, and only `forget` takes a line's subject away.
func (k *Keeper) bringBackLedgers() error {
	missing, err := k.missingLedgers()
	if err != nil {
		return err
	}
	for _, p := range missing {
		if err := k.PutBack(p); err != nil && !errors.Is(err, memsync.CodeVersionConflict) {
			return err
		}
		k.opt.Notice("%s was removed and is back: the ledger is append-only", p)
	}
	return nil
}
