package keeper

import (
	"slices"

	"memsync"
	"memsync/controller"
	"memsync/controller/merge"
	"memsync/internal/filemerge"
)

// A file that somebody was writing while others' commits were taken over: HEAD
// has moved on under it, and what its writer started from is what gitlog.Log
// remembers of it (Bases). Measured by HEAD such a save would undo what others
// wrote, so it is joined with that instead.

// startedFrom are the bytes that the writer of such a file started from, empty
// for none; false for any other file.
func (k *Keeper) startedFrom(p memsync.Path) (base []byte, dirty bool, err error) {
	bases, err := k.log.Bases()
	if err != nil {
		return nil, false, err
	}
	blob, dirty := bases[p]
	if !dirty {
		return nil, false, nil
	}
	base = []byte{}
	if blob != "" {
		if base, err = k.repo.Blob(blob); err != nil {
			return nil, false, err
		}
	}
	return base, true, nil
}

// joinedSave is what such a file, which no rule joins (see controller's rule
// "stale" for memories), is to say: the save and what others wrote. What overlaps
// becomes conflict copies of the next plan.
func (k *Keeper) joinedSave(p memsync.Path, saved []byte) ([]byte, error) {
	base, dirty, err := k.startedFrom(p)
	if err != nil || !dirty {
		return saved, err
	}
	current, _, err := k.accepted(p)
	if err != nil || current == nil {
		return saved, err
	}
	was := merge.Version{Bytes: base}
	if len(base) == 0 {
		was.Bytes = nil
	}
	r := filemerge.Join(k.Store, p, was, merge.Version{Bytes: current, Time: k.headTime()}, merge.Version{Bytes: saved, Time: k.opt.Now()})
	if r.Bytes == nil {
		return saved, nil
	}
	scope, ok := memsync.ScopeOf(k.Store.Scopes, p)
	if !ok && len(k.Store.Scopes) > 0 {
		scope = k.Store.Scopes[0]
	}
	for _, c := range r.Conflicts {
		f := memsync.FileChange{Path: controller.ConflictPath(scope, "file", c.Bytes), Post: memsync.HashOf(c.Bytes), Content: c.Bytes}
		if _, f.Base, err = k.onDisk(f.Path); err != nil {
			return saved, err
		}
		if !slices.ContainsFunc(k.spooled, func(o memsync.FileChange) bool { return o.Path == f.Path }) {
			k.spooled = append(k.spooled, f)
		}
	}
	return r.Bytes, nil
}

// forgetSettled ends what was remembered of files that are again what is
// accepted.
func (k *Keeper) forgetSettled() error {
	if k.opt.ReadOnly {
		return nil
	}
	bases, err := k.log.Bases()
	if err != nil || len(bases) == 0 {
		return err
	}
	var done []memsync.Path
	for p := range bases {
		_, disk, err := k.onDisk(p)
		if err != nil {
			continue // it can't be read, and waits
		}
		if accepted, _, _ := k.catalog.Accepted(p); disk == accepted {
			done = append(done, p)
		} else if there, err := k.headBlob(p); err != nil {
			return err
		} else if disk == "" && there == "" {
			done = append(done, p)
		}
	}
	if len(done) == 0 {
		return nil
	}
	return k.log.ForgetBases(done...)
}

// bringBack writes files to disk again that somebody had removed, and no plan had
// recorded, while others edited them: the edit stays. It says which.
func (k *Keeper) bringBack() ([]memsync.Path, error) {
	bases, err := k.log.Bases()
	if err != nil {
		return nil, err
	}
	rooms := k.scopesGone()
	var back []memsync.Path
	k.head = nil
	for p, base := range bases {
		head, err := k.headBlob(p)
		if err != nil {
			return nil, err
		}
		scope, inScope := memsync.ScopeOf(k.Store.Scopes, p)
		if _, disk, err := k.onDisk(p); err != nil || disk != "" || head == "" || head == base || inScope && rooms[scope.Name()] {
			continue
		}
		if err := k.PutBack(p); err != nil && !isConflict(err) {
			return nil, err
		}
		back = append(back, p)
	}
	slices.Sort(back)
	return back, nil
}

// isConflict: somebody has just saved it.
func isConflict(err error) bool { return memsync.CodeOf(err) == memsync.CodeVersionConflict }
