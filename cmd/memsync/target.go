package main

import (
	"path/filepath"
	"slices"
	"strings"

	"memsync"
	"memsync/internal/format"
	"memsync/internal/store"
	"memsync/internal/text"
)

// target finds the store and the memory that an argument means: an id, a path
// (as git prints it, or from the working directory), a file stem, a slug, a
// name or an alias. The store found here is asked first, then the home store.
func (a *app) target(arg string) (*opened, *memsync.Memory, error) {
	set, err := a.readSet()
	if err != nil {
		return nil, nil, err
	}
	for _, s := range set {
		k, err := a.open(s)
		if err != nil {
			return nil, nil, err
		}
		m, err := a.lookup(k, arg)
		if err == nil && m != nil {
			return k, m, nil
		}
		k.Close()
		if err != nil {
			return nil, nil, err
		}
	}
	if err := a.whyGone(set, arg); err != nil {
		return nil, nil, err
	}
	return nil, nil, &memsync.Error{Code: memsync.CodeNotFound, Message: "no memory answers to " + oneLine(arg),
		Hint: "see what there is with `memsync list --all`"}
}

// whyGone is the error about a memory that arg once meant and that was deleted
// or forgotten; nil when nothing is remembered of it.
func (a *app) whyGone(set []*store.Store, arg string) error {
	for _, s := range set {
		k, err := a.open(s)
		if err != nil {
			return err
		}
		p, _ := a.pathIn(k.Store, arg)
		g, err := k.FindGone(arg, p)
		k.Close()
		switch {
		case err != nil:
			return err
		case g != nil:
			return goneError(g)
		}
	}
	return nil
}

// lookup finds a memory in one store; nil when there is none.
func (a *app) lookup(k *opened, arg string) (*memsync.Memory, error) {
	v, err := k.View()
	if err != nil {
		return nil, err
	}
	if p, ok := a.pathIn(k.Store, arg); ok {
		if m := v.ByPath(p); m != nil {
			return m, nil
		}
	}
	if id, err := memsync.ParseID(arg); err == nil {
		if found := v.ByID(id); len(found) > 0 {
			return found[0], nil
		}
		state, err := k.State()
		if err != nil {
			return nil, err
		}
		if e, ok := state.Forgotten(id); ok {
			return nil, &memsync.Error{Code: memsync.CodeForgotten, Message: "that memory was forgotten on " + e.At.Format("2006-01-02")}
		}
	}
	var found []*memsync.Memory
	folded := text.Fold(arg)
	for m := range v.All() {
		stem := strings.TrimSuffix(m.Path.Base(), ".md")
		if stem == arg || m.Slug == arg || m.Name == arg || text.Fold(m.Name) == folded || m.Key != "" && m.Key == arg ||
			slices.Contains(m.Aliases, arg) {
			found = append(found, m)
		}
	}
	if len(found) > 1 {
		var ids []string
		for _, m := range found {
			ids = append(ids, string(m.Path))
		}
		return nil, &memsync.Error{Code: memsync.CodeAmbiguous, Message: oneLine(arg) + " could be " + strings.Join(ids, ", "),
			Hint: "name one of the paths"}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return nil, nil
}

// pathIn is an argument as a path of the store: relative to it, or to the
// working directory.
func (a *app) pathIn(s *store.Store, arg string) (memsync.Path, bool) {
	clean := memsync.Path(filepath.ToSlash(filepath.Clean(arg)))
	if _, ok := memsync.ScopeOf(s.Scopes, clean); ok && format.CheckPath(clean) == nil {
		if _, err := a.here(); err == nil {
			return clean, true
		}
	}
	dir, err := a.here()
	if err != nil {
		return "", false
	}
	full := arg
	if !filepath.IsAbs(full) {
		full = filepath.Join(dir, arg)
	}
	rel, err := filepath.Rel(s.Root, full)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return memsync.Path(filepath.ToSlash(rel)), true
}
