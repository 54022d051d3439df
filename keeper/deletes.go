package keeper

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"

	"memsync"
	"memsync/gitlog/journal"
)

// waitingPaths are the vanished files of earlier batches that wait for a person
// to let them go.
func (k *Keeper) waitingPaths() (map[memsync.Path]bool, error) {
	list, err := k.journal.PendingDeletes()
	if err != nil {
		return nil, err
	}
	out := map[memsync.Path]bool{}
	for _, d := range list {
		for _, p := range d.Paths {
			out[p] = true
		}
	}
	return out, nil
}

// settleDeletes remembers what the batch holds, and forgets what was let go or
// is back on disk.
func (k *Keeper) settleDeletes(b *batch) error {
	before, err := k.waitingPaths()
	if err != nil {
		return err
	}
	now := maps.Clone(before)
	for _, d := range b.decisions {
		if d.Error != nil && d.Error.Code == memsync.CodeDeletesHeld {
			now[d.Path] = true
		} else {
			delete(now, d.Path)
		}
	}
	for p := range now {
		if _, err := os.Lstat(k.abs(p)); !errors.Is(err, fs.ErrNotExist) {
			delete(now, p)
		}
	}
	if maps.Equal(before, now) {
		return nil
	}
	scopes := map[string][]memsync.Path{}
	for _, p := range slices.Sorted(maps.Keys(now)) {
		if s, ok := memsync.ScopeOf(k.Store.Scopes, p); ok {
			scopes[s.Name()] = append(scopes[s.Name()], p)
		}
	}
	var list []journal.PendingDelete
	for _, name := range slices.Sorted(maps.Keys(scopes)) {
		list = append(list, journal.PendingDelete{Scope: name, Paths: scopes[name], Since: b.now})
	}
	return k.journal.PutPendingDeletes(list)
}
