package main

import (
	"errors"
	"os"
	"path/filepath"

	"memsync"
	"memsync/controller/merge"
	"memsync/gitlog"
	"memsync/internal/format"
	"memsync/internal/store"
)

// joining joins files of one repository, as memsync's own joins do.
type joining struct {
	repo *gitlog.Repo // opened at its top
	head string       // "" for an unborn branch
}

// storeOfFile is the store that a path of the work tree lies in, and the path
// relative to its root; CodeStoreNone for none, CodeStoreFormat for one that this
// program does not know.
func (j *joining) storeOfFile(p memsync.Path) (*store.Store, memsync.Path, error) {
	dir := p.Dir()
	for dir != "" && !isDir(filepath.Join(j.repo.Top(), filepath.FromSlash(string(dir)))) {
		dir = dir.Dir() // the other side's directory
	}
	s, err := store.Find(filepath.Join(j.repo.Top(), filepath.FromSlash(string(dir))))
	if err != nil {
		return nil, "", err
	}
	if errors.Is(s.PolicyErr, memsync.CodeStoreFormat) {
		return nil, "", s.PolicyErr
	}
	root, inside := within(j.repo.Top(), s.Root)
	if !inside {
		return nil, "", &memsync.Error{Code: memsync.CodeStoreNone, Message: "no store in the repository " + j.repo.Top()}
	}
	return s, p.Rel(memsync.Path(root)), nil
}

// knows reports whether this program knows the format of the store as a commit
// has it: the other side of a merge may have been upgraded.
func (j *joining) knows(s *store.Store, rev string) bool {
	prefix, _ := within(j.repo.Top(), s.Root)
	entries, err := j.repo.Tree(rev, memsync.Path(prefix).Join(string(s.PolicyPath())))
	if err != nil || len(entries) != 1 {
		return true // no policy there: the default one
	}
	data, err := j.repo.Blob(entries[0].Blob)
	if err != nil {
		return true
	}
	_, err = s.AsIn(data, func(func(memsync.Path) bool) {})
	return !errors.Is(err, memsync.CodeStoreFormat)
}

// idOfFile is the id that a file itself says, "" for none.
func idOfFile(data []byte, lim memsync.Limits) memsync.ID {
	doc, err := format.Parse(data, lim)
	if err != nil {
		return ""
	}
	v, ok := doc.Get("id")
	if !ok || v.IsList {
		return ""
	}
	id, err := memsync.ParseID(v.Text)
	if err != nil {
		return ""
	}
	return id
}

// readVersion is a version in a file of git's; an empty one stands for none.
func readVersion(name string) (merge.Version, error) {
	data, err := os.ReadFile(name)
	if len(data) == 0 {
		data = nil
	}
	return merge.Version{Bytes: data}, err
}
