package keeper

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"memsync"
	"memsync/gitlog"
	"memsync/gitlog/journal"
	"memsync/internal/format"
)

// SubmitAll takes several writes through the door as one batch: one plan, one
// commit. It is all or nothing: when one of them would not be accepted, only
// that one is decided, and its answer is the outcome.
func (k *Keeper) SubmitAll(ctx context.Context, cs ...memsync.Candidate) (Outcome, error) {
	if !k.opt.ReadOnly { // saves that wait are their own commits and go first
		if _, err := k.Submit(ctx); err != nil {
			return Outcome{}, err
		}
	}
	k.sight = nil
	return k.step(ctx, func() ([]memsync.Candidate, error) {
		b, err := k.begin()
		if err != nil {
			return nil, err
		}
		err = b.decideAll(ctx, cs)
		k.near = nil // the tables followed a plan that is not carried out
		if err != nil {
			return nil, err
		}
		for i, d := range b.decisions {
			if d.Op == memsync.OpReject || d.Op == memsync.OpHold {
				return cs[i : i+1], nil
			}
		}
		return cs, nil
	})
}

// PutBack writes the last accepted bytes of a path to disk again. It only
// creates: a file that is there is somebody's save and stays, with
// CodeVersionConflict.
func (k *Keeper) PutBack(p memsync.Path) error {
	data, _, err := k.accepted(p)
	if err != nil {
		return err
	}
	if data == nil {
		return &memsync.Error{Code: memsync.CodeNotFound, Path: p, Message: "nothing was ever accepted there"}
	}
	if k.opt.ReadOnly {
		return nil
	}
	root, err := os.OpenRoot(k.Store.Root)
	if err != nil {
		return ioError(err, p)
	}
	defer root.Close()
	name := filepath.FromSlash(string(p))
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return ioError(err, p)
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return &memsync.Error{Code: memsync.CodeVersionConflict, Path: p, Message: "a file is there, so nothing is put over it",
			Hint: "move it away first, or let `memsync up --once` take it as it is"}
	}
	if err != nil {
		return ioError(err, p)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		root.Remove(name) // ours, unfinished
	}
	return ioError(err, p)
}

// Accepted reports whether a version was accepted at a path and is known still.
func (k *Keeper) Accepted(p memsync.Path) bool {
	_, _, ok := k.catalog.Accepted(p)
	return ok
}

// Belonging are the files below _system/ that carry a memory's id: snapshots,
// archived and conflict copies.
func (k *Keeper) Belonging(id memsync.ID) []memsync.Path {
	var out []memsync.Path
	for _, a := range k.attached(id) {
		out = append(out, a.Path)
	}
	return out
}

// EverPaths are all paths at which a memory is known to have lived: what the
// ledger, this machine's journal and the commits that name it say. The given
// ones come first.
func (k *Keeper) EverPaths(id memsync.ID, known ...memsync.Path) ([]memsync.Path, error) {
	var out []memsync.Path
	add := func(p memsync.Path) {
		if _, ok := memsync.ScopeOf(k.Store.Scopes, p); ok && p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	for _, p := range known {
		add(p)
	}
	if id == "" {
		return out, nil
	}
	state, err := k.State()
	if err != nil {
		return nil, err
	}
	for _, p := range state.PathsOf(id) {
		add(p)
	}
	for q := (journal.Query{Memory: id, Limit: pageLimit}); ; {
		page, next, _, err := k.journal.Decisions(q)
		if err != nil {
			return nil, err
		}
		for _, r := range page {
			add(r.Decision.Path)
			add(r.Decision.From)
		}
		if q.Cursor = next; next == "" {
			break
		}
	}
	versions, err := k.repo.Log(gitlog.LogQuery{}) // what other machines decided
	if err != nil {
		return nil, err
	}
	for _, v := range versions {
		named := v.Decisions()
		if len(named) == 0 || slices.ContainsFunc(named, func(d gitlog.Trailered) bool { return d.Memory != id }) {
			continue // of several memories: nobody says which path is whose
		}
		for _, c := range v.Changes {
			if s, ok := memsync.ScopeOf(k.Store.Scopes, c.Path); ok && memoryClass(c.Path.Rel(s.Dir)) {
				add(c.Path)
			}
		}
	}
	return out, nil
}

func memoryClass(rel memsync.Path) bool {
	c := format.Classify(rel)
	return c == format.MemoryFile || c == format.LogFile
}

// pageLimit is the largest page that the journal gives.
const pageLimit = 200

// Versions are the commits of all history that changed any of the paths,
// newest first, with those changes only. Unlike the history of one file this
// does not end where the path was gone for a while.
func (k *Keeper) Versions(paths []memsync.Path) ([]gitlog.Version, error) {
	all, err := k.repo.Log(gitlog.LogQuery{})
	if err != nil {
		return nil, err
	}
	out := []gitlog.Version{}
	for _, v := range all {
		v.Changes = slices.DeleteFunc(slices.Clone(v.Changes), func(c gitlog.TreeChange) bool { return !slices.Contains(paths, c.Path) })
		if len(v.Changes) > 0 {
			out = append(out, v)
		}
	}
	return out, nil
}
