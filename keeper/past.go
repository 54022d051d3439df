package keeper

import (
	"time"

	"memsync"
	"memsync/controller"
	"memsync/gitlog"
	"memsync/internal/format"
	"memsync/watcher"
)

// ViewAsOf is what the commit rev contained. A forgotten memory is in no past.
func (k *Keeper) ViewAsOf(rev string) (*memsync.View, error) {
	id, err := k.repo.Resolve(rev)
	if err != nil {
		return nil, err
	}
	entries, err := k.repo.Tree(id, "")
	if err != nil {
		return nil, err
	}
	blobs := map[memsync.Path]string{}
	for _, e := range entries {
		if e.Mode == 0o100644 || e.Mode == 0o100755 {
			blobs[e.Path] = e.Blob
		}
	}
	return k.past(memsync.Revision{Commit: id}, blobs)
}

// ViewAt is what was true at a time: of each document the newest version
// reachable from HEAD that was decided, or else committed, not later.
func (k *Keeper) ViewAt(at time.Time) (*memsync.View, error) {
	blobs, err := k.blobsAt(at)
	if err != nil {
		return nil, err
	}
	return k.past(memsync.Revision{}, blobs)
}

// blobsAt are the files that were there at a time, in the sense of ViewAt.
func (k *Keeper) blobsAt(at time.Time) (map[memsync.Path]string, error) {
	versions, err := k.repo.Log(gitlog.LogQuery{})
	if err != nil {
		return nil, err
	}
	blobs := map[memsync.Path]string{}
	when := map[memsync.Path]time.Time{}
	for _, v := range versions { // newest first
		if v.At.After(at) {
			continue
		}
		for _, ch := range v.Changes {
			if best, ok := when[ch.Path]; ok && !v.At.After(best) {
				continue
			}
			when[ch.Path] = v.At
			blobs[ch.Path] = ch.To
		}
	}
	for p, b := range blobs {
		if b == "" {
			delete(blobs, p)
		}
	}
	return blobs, nil
}

// past describes versions of memories.
func (k *Keeper) past(rev memsync.Revision, blobs map[memsync.Path]string) (*memsync.View, error) {
	now, err := k.View()
	if err != nil {
		return nil, err
	}
	state, err := k.State()
	if err != nil {
		return nil, err
	}
	var list []*memsync.Memory
	for p, blob := range blobs {
		scope, ok := memsync.ScopeOf(k.Store.Scopes, p)
		if !ok || watcher.Excluded(scope, p) {
			continue
		}
		if c := format.Classify(p.Rel(scope.Dir)); c != format.MemoryFile && c != format.LogFile {
			continue
		}
		m := now.ByPath(p)
		if m == nil || m.Blob != blob {
			data, err := k.repo.Blob(blob)
			if err != nil {
				return nil, err
			}
			known := m
			m = k.describe(p, scope, data)
			m.Blob = blob
			if m.Kind != memsync.KindUnreadable {
				derived := memsync.ID("")
				if known != nil {
					derived = known.ID
				}
				controller.Identify(m, derived, state)
			}
		}
		if _, gone := state.Forgotten(m.ID); gone {
			continue
		}
		if _, gone := state.ForgottenAt(p); gone {
			continue
		}
		list = append(list, m)
	}
	return memsync.NewView(rev, k.Store.Scopes, list), nil
}
