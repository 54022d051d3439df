package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"memsync"
	"memsync/gitlog"
	"memsync/internal/format"
	"memsync/internal/scan"
	"memsync/internal/store"
	"memsync/keeper"
)

// unspool makes what lost in a merge that git ran conflict copies of the stores
// of a repository: files. Where memsync commits, its next pass takes them, with
// what MEMORY.md has to say; elsewhere they are the person's to stage.
func (a *app) unspool(repo *gitlog.Repo) error {
	for _, s := range a.storesHere(repo) {
		at, err := gitlog.Open(s.Root, gitlog.Options{})
		if err != nil {
			return err
		}
		_, err = a.unspoolStore(at, s)
		at.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// unspoolStore gives the copies that are files now.
func (a *app) unspoolStore(repo *gitlog.Repo, s *store.Store) (kept []memsync.Path, err error) {
	read := func(p memsync.Path) ([]byte, error) {
		data, err := os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(string(p))))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return data, err
	}
	files, done, err := keeper.Ripe(repo, s.Scopes, func(p memsync.Path) (memsync.ID, bool) {
		return "", idless(s, p)
	}, read)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		kept = append(kept, f.Path)
		err := gitlog.Replace(s.Root, f.Path, "", f.Content, nameBeside())
		switch {
		case errors.Is(err, memsync.CodeIORaced): // there already: its name says what it holds
		case err != nil:
			return nil, err
		default:
			a.say("kept what lost in %s; `memsync conflicts` shows it", oneLine(scan.MaskPath(string(f.Path), nil)))
		}
	}
	if s.CommitMode() == memsync.CommitAuto {
		return kept, nil
	}
	return kept, done()
}

// idless: a file that is no memory has no id; which one a memory without an id
// line has, only the store's owner knows.
func idless(s *store.Store, p memsync.Path) bool {
	scope, ok := memsync.ScopeOf(s.Scopes, p)
	if !ok {
		return true
	}
	class := format.Classify(p.Rel(scope.Dir))
	return class != format.MemoryFile && class != format.LogFile
}
