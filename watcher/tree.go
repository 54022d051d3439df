package watcher

import (
	"os"
	"path/filepath"
	"slices"

	"memsync"
)

// Place is what is watched: the scopes' directories of a store, or the whole
// store, and the directory in which git says what it is doing.
type Place struct {
	Root    string // absolute
	Scopes  []memsync.Scope
	Outside bool // files outside of every scope count, too

	// Own is where an embedded store keeps its policy, and where scopes come up:
	// Own/memory, Own/agents/NAME/memory. "" where all of the store is watched.
	Own memsync.Path

	GitDir string // absolute
}

func (p Place) abs(path memsync.Path) string {
	return filepath.Join(p.Root, filepath.FromSlash(string(path)))
}

// tops are the directories that a watch begins with: the root, or the scopes'
// own, or, for a scope whose directory is not there, the way to it.
func (p Place) tops(exists func(memsync.Path) bool) []memsync.Path {
	if p.Outside {
		return []memsync.Path{""}
	}
	var out []memsync.Path
	dirs := []memsync.Path{p.Own}
	if p.Own == "" {
		dirs = nil
	}
	for _, s := range p.Scopes {
		dirs = append(dirs, s.Dir)
	}
	for _, dir := range dirs {
		for dir != "" && !exists(dir) {
			dir = dir.Dir()
		}
		if !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

// lays reports whether a directory is one of the store's own in which scopes
// come up.
func (p Place) lays(dir memsync.Path) bool {
	if p.Own == "" {
		return false
	}
	agents := p.Own.Join("agents")
	return dir == p.Own || dir == agents || dir.Dir() == agents
}

// enters reports whether a scan looks into the folder name of dir.
func (p Place) enters(dir memsync.Path, name string) bool {
	child := join(dir, name)
	if p.lays(child) {
		return true
	}
	w := &walk{scopes: p.Scopes}
	_, inScope := memsync.ScopeOf(p.Scopes, join(dir, "x"))
	if w.passedBy(dir, name, inScope) {
		return false
	}
	_, childIn := memsync.ScopeOf(p.Scopes, join(child, "x"))
	return p.Outside || childIn || w.leadsToScope(child)
}

// foreign reports whether a path lies in another repository below the root, as
// a scan sees it: a directory outside of every scope that has a .git.
func (p Place) foreign(path memsync.Path) bool {
	w := &walk{scopes: p.Scopes}
	for dir := path.Dir(); dir != ""; dir = dir.Dir() {
		if _, inScope := memsync.ScopeOf(p.Scopes, join(dir, "x")); inScope || w.leadsToScope(dir) {
			continue
		}
		if _, err := os.Lstat(p.abs(dir.Join(".git"))); err == nil {
			return true
		}
	}
	return false
}

// counts reports whether a scan looks at a file of that path.
func (p Place) counts(path memsync.Path) bool {
	dir := path.Dir()
	scope, inScope := memsync.ScopeOf(p.Scopes, path)
	w := &walk{scopes: p.Scopes}
	if !inScope && !p.Outside || w.passedBy(dir, path.Base(), inScope) {
		return false
	}
	_, list := w.judge(path, scope, inScope)
	return list != listNone
}
