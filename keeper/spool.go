package keeper

import (
	"time"

	"memsync"
	"memsync/controller"
	"memsync/gitlog"
	"memsync/internal/spool"
)

// Ripe are the conflict copies that a merge of git's left in the spool, of those
// merges that are concluded: the files that they become. done takes them out of
// the spool, once they are files, and what says nothing any more. idOf names a
// file without an id of its own; false leaves its texts waiting.
func Ripe(repo *gitlog.Repo, scopes []memsync.Scope, idOf func(memsync.Path) (memsync.ID, bool), read func(memsync.Path) ([]byte, error)) (files []memsync.FileChange, done func() error, err error) {
	done = func() error { return nil }
	entries, err := spool.List(repo.StateDir())
	if err != nil || len(entries) == 0 {
		return nil, done, err
	}
	head, err := repo.Resolve("HEAD")
	if err != nil && memsync.CodeOf(err) != memsync.CodeNotFound {
		return nil, done, err
	}
	if st, err := repo.State(); err != nil {
		return nil, done, err
	} else if st.Paused != "" {
		head = "" // a commit is about to conclude the merge
	}
	var ended []spool.Entry
	for _, e := range entries {
		if e.Head != "" {
			if ours, err := repo.IsAncestor(e.Head, "HEAD"); err != nil || !ours {
				// Another branch is checked out, or the rebase was called off.
				if time.Since(e.At) > strayAfter {
					ended = append(ended, e)
				}
				continue
			}
		}
		now, err := read(e.Path)
		if err != nil {
			return nil, done, err
		}
		scope, ok := memsync.ScopeOf(scopes, e.Path)
		if !ok && len(scopes) > 0 {
			scope = scopes[0]
		}
		id := e.Memory
		if id == "" {
			if id, ok = idOf(e.Path); !ok {
				continue
			}
		}
		if id == "" {
			id = "file" // no memory: a name that is no id
		}
		for _, c := range e.Still(now, head) {
			files = append(files, memsync.FileChange{Path: controller.ConflictPath(scope, id, c), Post: memsync.HashOf(c), Content: c})
		}
		ended = append(ended, e)
	}
	return files, func() error {
		for _, e := range ended {
			if err := e.Drop(); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// strayAfter is how long a spooled text waits for its branch to be checked out.
// Its versions are in git all the while.
const strayAfter = 30 * 24 * time.Hour

// spool has the next plan hold what is ripe, beside what is decided.
func (k *Keeper) spool() (done func() error, err error) {
	k.spooled = nil
	files, done, err := Ripe(k.repo, k.Store.Scopes, func(p memsync.Path) (memsync.ID, bool) {
		if v, err := k.View(); err == nil && v.ByPath(p) != nil {
			return v.ByPath(p).ID, true
		}
		return "", true
	}, func(p memsync.Path) ([]byte, error) {
		data, _, err := k.onDisk(p)
		return data, err
	})
	if err != nil {
		return nil, err
	}
	if k.opt.ReadOnly {
		done = func() error { return nil }
	}
	if len(files) == 0 {
		return nil, done()
	}
	for i := range files {
		if _, files[i].Base, err = k.onDisk(files[i].Path); err != nil {
			return nil, err
		}
	}
	k.spooled = files
	return done, nil
}
