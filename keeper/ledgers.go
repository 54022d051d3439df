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
	var events []ledger.Located
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
			lines, _ := ledger.Parse(p, data)
			events = append(events, ledger.Locate(s.Dir, p, lines)...)
			seen[p] = k.repo.BlobID(data)
		}
		committed, err := k.ledgersAtHead(dir)
		if err != nil {
			return nil, err
		}
		for p, blob := range committed {
			if seen[p] == blob {
				continue
			}
			data, err := k.repo.Blob(blob)
			if err != nil {
				return nil, err
			}
			lines, _ := ledger.Parse(p, data)
			events = append(events, ledger.Locate(s.Dir, p, lines)...) // the fold drops what both have
		}
	}
	k.state = ledger.Fold(events)
	return k.state, nil
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
