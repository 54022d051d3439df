package checkout

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memsync"
	"memsync/gitlog"
	"memsync/internal/format"
	"memsync/internal/store"
	"memsync/lint"
	"memsync/watcher"
)

// disk is the working tree, with files as an editor has them in place of what
// is saved.
type disk struct {
	store   *store.Store
	repo    *gitlog.Repo
	overlay map[memsync.Path][]byte
}

// Disk is a store's working tree, for who reads some files of it.
func Disk(s *store.Store) Tree { return &disk{store: s} }

func (d *disk) List() (l Listing, err error) {
	b, err := watcher.Scan(d.store.Root, d.store.Scopes, d.store.Kind != store.Embedded, nil)
	if err != nil {
		return l, err
	}
	seen := make(map[memsync.Path]bool, len(d.overlay))
	add := func(p memsync.Path, class format.Class) {
		l.Files = append(l.Files, Entry{p, class})
		if len(d.overlay) > 0 {
			seen[p] = true
		}
	}
	for _, p := range d.authors() {
		b.Authored = append(b.Authored, watcher.Seen{Path: p})
	}
	l.Files = make([]Entry, 0, len(b.Changed)+len(b.Authored)+len(b.Copies))
	all := make([]memsync.Path, 0, cap(l.Files))
	for _, list := range [][]watcher.Seen{b.Changed, b.Authored} {
		for _, s := range list {
			all = append(all, s.Path)
		}
	}
	all = append(all, b.Copies...)
	ignored := map[memsync.Path]bool{}
	if d.repo != nil {
		if ignored, err = d.repo.Ignored(all); err != nil {
			return l, err
		}
	}
	for i, list := range [][]watcher.Seen{b.Changed, b.Authored} {
		for _, s := range list {
			if i == 1 && (s.Class == format.MemoryFile || s.Class == format.LogFile) {
				s.Class = format.NotMemory // the scope ignores it
			}
			switch {
			case !ignored[s.Path]:
				add(s.Path, s.Class)
			case s.Class == format.MemoryFile || s.Class == format.LogFile || s.Class == format.IndexFile:
				l.Ignored = append(l.Ignored, s.Path)
			}
		}
	}
	for _, p := range b.Copies {
		if !ignored[p] {
			add(p, format.ConflictCopy)
		}
	}
	for p := range d.overlay {
		if !seen[p] {
			if class, ok := classify(d.store, p); ok {
				add(p, class)
			}
		}
	}
	slices.SortFunc(l.Files, func(a, b Entry) int { return strings.Compare(string(a.Path), string(b.Path)) })
	l.Nested = b.Nested
	for _, s := range b.Skipped {
		l.Skipped = append(l.Skipped, lint.Skip{Path: s.Path, Reason: s.Reason, Unseen: slices.Contains(b.RootGone, s.Path) || !strings.HasPrefix(s.Reason, "a ")})
	}
	l.Repos = d.repositories(l.Files)
	return l, nil
}

// authors are the AGENT.md files of an embedded store: the scan of others finds
// them by itself.
func (d *disk) authors() (out []memsync.Path) {
	if d.store.Kind != store.Embedded {
		return nil
	}
	dir := d.store.Base().Join("agents")
	entries, err := os.ReadDir(d.abs(dir))
	if err != nil {
		return nil // not there: no agents
	}
	for _, e := range entries {
		p := dir.Join(e.Name(), "AGENT.md")
		if info, err := os.Lstat(d.abs(p)); err == nil && info.Mode().IsRegular() {
			out = append(out, p)
		}
	}
	return out
}

// repositories are directories below a scope that are repositories themselves.
func (d *disk) repositories(files []Entry) (out []memsync.Path) {
	looked := map[memsync.Path]bool{}
	for _, f := range files {
		scope, ok := memsync.ScopeOf(d.store.Scopes, f.Path)
		if !ok {
			continue
		}
		for dir := f.Path.Dir(); dir != scope.Dir && !looked[dir] && dir.In(scope.Dir); dir = dir.Dir() {
			looked[dir] = true
			if _, err := os.Lstat(d.abs(dir.Join(".git"))); err == nil {
				out = append(out, dir)
			}
		}
	}
	slices.Sort(out)
	return out
}

func (d *disk) abs(p memsync.Path) string {
	return filepath.Join(d.store.Root, filepath.FromSlash(string(p)))
}

func (d *disk) Under(dir memsync.Path) (out []memsync.Path) {
	entries, err := os.ReadDir(d.abs(dir))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.Type().IsRegular() {
			out = append(out, dir.Join(e.Name()))
		}
	}
	return out
}

func (d *disk) Has(dir memsync.Path) bool {
	info, err := os.Stat(d.abs(dir))
	return err == nil && info.IsDir()
}

func (d *disk) Reader() Reader { return &diskReader{d, watcher.NewReader(d.store.Root)} }

type diskReader struct {
	*disk
	files *watcher.Reader
}

func (r *diskReader) Close() { r.files.Close() }

func (r *diskReader) Read(p memsync.Path, limit int64) (lint.File, error) {
	if data, ok := r.overlay[p]; ok {
		return lint.File{Path: p, Data: data, Size: int64(len(data))}, nil
	}
	data, st, err := r.files.Read(p, limit)
	if errors.Is(err, memsync.CodeTooLarge) {
		return lint.File{Path: p, Size: st.Size}, nil
	}
	return lint.File{Path: p, Data: data, Size: st.Size}, err
}

// classify says what a file of the store is by its path; ok is false for one
// that is nobody's business.
func classify(s *store.Store, p memsync.Path) (class format.Class, ok bool) {
	scope, inScope := memsync.ScopeOf(s.Scopes, p)
	if inScope {
		class = format.Classify(p.Rel(scope.Dir))
		switch class {
		case format.MemoryFile, format.LogFile:
			if !watcher.Excluded(scope, p) {
				return class, true
			}
			class = format.NotMemory
		case format.ConflictCopy, format.Unnamable:
			return class, true
		case format.IndexFile:
			return class, p.Dir() == scope.Dir
		case format.SystemFile:
			return class, false
		}
	}
	if !inScope && s.Kind == store.Embedded {
		return class, lint.AuthorOf(p) != "" && p.In(s.Base())
	}
	return class, watcher.Authored(s.Scopes, p)
}
