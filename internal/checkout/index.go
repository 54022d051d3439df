package checkout

import (
	"fmt"
	"slices"
	"strings"

	"memsync"
	"memsync/gitlog"
	"memsync/internal/format"
	"memsync/internal/store"
	"memsync/lint"
)

// File modes of git's.
const (
	modeLink       = 0o120000
	modeRepository = 0o160000
)

// index is git's index, as a commit would take it.
type index struct {
	store  *store.Store
	repo   *gitlog.Repo
	staged *gitlog.Staged
	blobs  map[memsync.Path]string // of what a commit takes
	under  map[memsync.Path][]memsync.Path
}

// staged opens the index.
func (j *judge) staged() (Tree, error) {
	staged, err := j.repo.Staged(j.opt.IndexFile)
	if err != nil {
		return nil, err
	}
	x := &index{store: j.store, repo: j.repo, staged: staged, blobs: map[memsync.Path]string{}, under: map[memsync.Path][]memsync.Path{}}
	return x, nil
}

func (x *index) List() (l Listing, err error) {
	for _, e := range x.staged.Entries() {
		scope, inScope := memsync.ScopeOf(x.store.Scopes, e.Path)
		class, counts := classify(x.store, e.Path)
		switch {
		case e.IntentToAdd:
			continue
		case e.Stage != 0:
			if (counts || inScope) && !slices.Contains(l.Unmerged, e.Path) {
				l.Unmerged = append(l.Unmerged, e.Path)
			}
			continue
		case e.Mode == modeRepository:
			if inScope {
				l.Repos = append(l.Repos, e.Path)
			}
			continue
		case e.Mode == modeLink:
			if inScope && !derived(e.Path.Rel(scope.Dir)) {
				to, err := x.repo.Blob(e.Blob)
				if err != nil {
					return l, err
				}
				l.Skipped = append(l.Skipped, lint.Skip{Path: e.Path, Reason: fmt.Sprintf("a symbolic link to %q, not followed", to)})
			}
			continue
		}
		x.blobs[e.Path] = e.Blob
		if system(e.Path) {
			x.under[e.Path.Dir()] = append(x.under[e.Path.Dir()], e.Path)
		}
		if inScope && class == format.IndexFile && !counts {
			l.Nested = append(l.Nested, e.Path)
		}
		if counts {
			l.Files = append(l.Files, Entry{e.Path, class})
		}
	}
	return l, nil
}

// derived reports whether a path of a scope lies where no memories are: what
// is hidden, and what is made from memories or kept about them.
func derived(rel memsync.Path) bool {
	for part := range strings.SplitSeq(string(rel), "/") {
		if part == "_system" || part == "_index" || part == "_inbox" || strings.HasPrefix(part, ".") {
			return true
		}
	}
	return false
}

// system reports whether a path is one that Under may be asked for.
func system(p memsync.Path) bool {
	s := "/" + string(p)
	return strings.Contains(s, "/_system/") || strings.Contains(s, "/_index/")
}

func (x *index) Under(dir memsync.Path) []memsync.Path { return x.under[dir] }

func (x *index) Has(dir memsync.Path) bool {
	return slices.ContainsFunc(x.staged.Entries(), func(e gitlog.StagedEntry) bool { return !e.IntentToAdd && e.Path.In(dir) })
}

func (x *index) Reader() Reader { return indexReader{x} }

type indexReader struct{ *index }

func (indexReader) Close() {}

func (r indexReader) Read(p memsync.Path, limit int64) (lint.File, error) {
	blob, ok := r.blobs[p]
	if !ok {
		return lint.File{}, &memsync.Error{Code: memsync.CodeNotFound, Path: p, Message: "it is not in the index"}
	}
	data, err := r.repo.Blob(blob)
	f := lint.File{Path: p, Data: data, Size: int64(len(data)), Blob: blob}
	if limit > 0 && f.Size > limit {
		f.Data = nil
	}
	return f, err
}

// stagedChanges finds what a commit would change: what is told of.
func (j *judge) stagedChanges() error {
	x := j.tree.(*index)
	changes, err := x.staged.Changes()
	if err != nil {
		return err
	}
	j.touched = map[memsync.Path]bool{}
	for _, c := range changes {
		j.touched[c.Path] = true
		if c.To == "" {
			if class, ok := classify(j.store, c.Path); ok && (class == format.MemoryFile || class == format.LogFile) && !c.Unmerged {
				j.whole.Gone = append(j.whole.Gone, c.Path)
			}
		}
	}
	return nil
}
