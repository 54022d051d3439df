// Package filemerge joins one file of a store by what it is: for git, whose merge
// driver it is, for what git left unmerged, and for a save that met another.
package filemerge

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"memsync"
	"memsync/controller/merge"
	"memsync/gitlog"
	"memsync/internal/format"
	"memsync/internal/spool"
	"memsync/internal/store"
)

// Join joins two versions of a store's file by what it is: memories by
// meaning, MEMORY.md entry by entry, memsync.toml key by key, everything else by
// lines.
func Join(s *store.Store, p memsync.Path, base, ours, theirs merge.Version) merge.Result {
	if p == s.PolicyPath() {
		return merge.Policy(base, ours, theirs)
	}
	scope, ok := memsync.ScopeOf(s.Scopes, p)
	if !ok {
		return merge.Lines(base, ours, theirs)
	}
	switch format.Classify(p.Rel(scope.Dir)) {
	case format.MemoryFile, format.LogFile, format.ConflictCopy:
		return merge.Merge(base, ours, theirs, s.Policy.Limits)
	case format.IndexFile:
		return merge.Index(base, ours, theirs)
	}
	return merge.Lines(base, ours, theirs)
}

// Repo is a repository whose files are joined, as memsync's own joins do.
type Repo struct {
	*gitlog.Repo        // opened at its top
	Head         string // "" for an unborn branch
}

// StoreOf is the store that a path of the work tree lies in, and the path
// relative to its root; CodeStoreNone for none, CodeStoreFormat for one that this
// program does not know.
func (r Repo) StoreOf(p memsync.Path) (*store.Store, memsync.Path, error) {
	dir := p.Dir()
	for dir != "" && !isDir(filepath.Join(r.Top(), filepath.FromSlash(string(dir)))) {
		dir = dir.Dir() // the other side's directory
	}
	s, err := store.Find(filepath.Join(r.Top(), filepath.FromSlash(string(dir))))
	if err != nil {
		return nil, "", err
	}
	if errors.Is(s.PolicyErr, memsync.CodeStoreFormat) {
		return nil, "", s.PolicyErr
	}
	root, inside := store.Within(r.Top(), s.Root)
	if !inside {
		return nil, "", &memsync.Error{Code: memsync.CodeStoreNone, Message: "no store in the repository " + r.Top()}
	}
	return s, p.Rel(memsync.Path(root)), nil
}

// knows reports whether this program knows the format of the store as a commit
// has it: the other side of a merge may have been upgraded.
func (r Repo) knows(s *store.Store, rev string) bool {
	prefix, _ := store.Within(r.Top(), s.Root)
	entries, err := r.Tree(rev, memsync.Path(prefix).Join(string(s.PolicyPath())))
	if err != nil || len(entries) != 1 {
		return true // no policy there: the default one
	}
	data, err := r.Blob(entries[0].Blob)
	if err != nil {
		return true
	}
	_, err = s.AsIn(data, func(func(memsync.Path) bool) {})
	return !errors.Is(err, memsync.CodeStoreFormat)
}

// Lost is what waits until the merge of one file is concluded: who joined what, and
// what lost.
func (r Repo) Lost(s *store.Store, p memsync.Path, ours, theirs merge.Version, joined merge.Result) (spool.Entry, error) {
	e := spool.Entry{Path: p, Memory: idOfFile(joined.Bytes, s.Policy.Limits), Head: r.Head, At: time.Now().UTC(),
		Sides: []memsync.Hash{memsync.HashOf(ours.Bytes), memsync.HashOf(theirs.Bytes)}, Result: memsync.HashOf(joined.Bytes)}
	for _, c := range joined.Conflicts {
		e.Copies = append(e.Copies, c.Bytes)
	}
	st, err := r.State()
	e.Rebase = st.Paused == "rebase"
	return e, err
}

func isDir(p string) bool { st, err := os.Stat(p); return err == nil && st.IsDir() }

// idOfFile is the id that a file itself says, "" for none.
func idOfFile(data []byte, lim memsync.Limits) memsync.ID {
	doc, err := format.Parse(data, lim)
	if err != nil {
		return ""
	}
	return doc.ID()
}
