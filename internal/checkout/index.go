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
	only   map[memsync.Path]bool // Partial: of all files, these and MEMORY.md are listed
	under  map[memsync.Path][]memsync.Path
}

// staged opens the index, and the store as the index has it: a commit takes the
// policy with it.
func (j *judge) staged() (*index, error) {
	staged := j.opt.Index
	if staged == nil {
		var err error
		if staged, err = j.repo.Staged(j.opt.IndexFile); err != nil {
			return nil, err
		}
	}
	var err error
	x := &index{repo: j.repo, staged: staged, under: map[memsync.Path][]memsync.Path{}}
	var policy []byte
	if e, ok := staged.Entry(j.store.PolicyPath()); ok && e.Stage == 0 && !e.IntentToAdd {
		if policy, err = j.repo.Blob(e.Blob); err != nil {
			return nil, err
		}
	}
	j.store, err = j.store.AsIn(policy, func(yield func(memsync.Path) bool) {
		for e := range x.staged.Lines() {
			if !yield(e.Path) {
				return
			}
		}
	})
	x.store = j.store
	return x, err
}

func (x *index) List() (l Listing, err error) {
	for e := range x.staged.Lines() {
		if e.Stage == 0 && system(e.Path) && e.Mode != modeLink && e.Mode != modeRepository && !e.IntentToAdd {
			x.under[e.Path.Dir()] = append(x.under[e.Path.Dir()], e.Path)
			continue
		}
		if x.only != nil && !x.only[e.Path] && !strings.HasSuffix(string(e.Path), format.IndexName) {
			continue
		}
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
				to, err := x.Reader().Read(e.Path, 0)
				if err != nil {
					return l, err
				}
				l.Skipped = append(l.Skipped, lint.Skip{Path: e.Path, Reason: fmt.Sprintf("a symbolic link to %q, not followed", to.Data)})
			}
			continue
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

// known are the paths of all files that a commit would have.
func (x *index) known(yield func(memsync.Path) bool) {
	for e := range x.staged.Lines() {
		if e.Stage == 0 && !e.IntentToAdd && e.Mode != modeLink && e.Mode != modeRepository && !yield(e.Path) {
			return
		}
	}
}

// holds reports whether a commit would have a file at p.
func (x *index) holds(p memsync.Path) bool {
	e, ok := x.staged.Entry(p)
	return ok && e.Stage == 0 && !e.IntentToAdd && e.Mode != modeLink && e.Mode != modeRepository
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
	s := string(p)
	return strings.Contains(s, "/_system/") || strings.Contains(s, "/_index/") || strings.HasPrefix(s, "_system/") || strings.HasPrefix(s, "_index/")
}

func (x *index) Under(dir memsync.Path) []memsync.Path { return x.under[dir] }

func (x *index) Has(dir memsync.Path) bool {
	for e := range x.staged.Lines() {
		if !e.IntentToAdd && e.Path.In(dir) {
			return true
		}
	}
	return false
}

func (x *index) Reader() Reader { return indexReader{x} }

type indexReader struct{ *index }

func (indexReader) Close() {}

func (r indexReader) Read(p memsync.Path, limit int64) (lint.File, error) {
	e, ok := r.staged.Entry(p)
	if !ok || e.Stage != 0 || e.IntentToAdd {
		return lint.File{}, &memsync.Error{Code: memsync.CodeNotFound, Path: p, Message: "it is not in the index"}
	}
	blob := e.Blob
	data, err := r.repo.Blob(blob)
	f := lint.File{Path: p, Data: data, Size: int64(len(data)), Blob: blob}
	if limit > 0 && f.Size > limit {
		f.Data = nil
	}
	return f, err
}

// stagedChanges finds what a commit would change: what is told of.
func (j *judge) stagedChanges(x *index) error {
	changes, err := x.staged.Changes()
	if err != nil {
		return err
	}
	j.touched = map[memsync.Path]bool{}
	for _, c := range changes {
		j.touched[c.Path] = true
		if c.To == "" {
			if class, ok := classify(j.store, c.Path); ok && (class == format.MemoryFile || class == format.LogFile || class == format.IndexFile) && !c.Unmerged {
				j.whole.Gone = append(j.whole.Gone, c.Path)
			}
		}
	}
	if j.opt.Partial {
		x.only, j.whole.Known, j.whole.Holds = j.touched, x.known, x.holds
	}
	return nil
}
