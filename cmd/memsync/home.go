package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"memsync"
	"memsync/internal/store"
	"memsync/keeper"
)

// storeFor is the store that holds a scope, or the default scope of a type.
func (a *app) storeFor(typ, scope string, local bool) (*store.Store, error) {
	s, err := a.placeFor(typ, scope, local)
	if err != nil || scope == "" {
		return s, err
	}
	return s, addScope(s, scope)
}

func (a *app) placeFor(typ, scope string, local bool) (*store.Store, error) {
	if local {
		return a.makeHome(true)
	}
	dir, err := a.here()
	if err != nil {
		return nil, err
	}
	found, err := store.Find(dir)
	if err != nil && !errors.Is(err, memsync.CodeStoreNone) {
		return nil, err
	}
	explicit := a.flags.dir != "" || a.env("MEMSYNC_STORE") != ""
	if found == nil && explicit {
		return nil, err
	}
	switch {
	case found != nil && found.Kind != store.Embedded:
		return found, nil // a dedicated store is the home store of this command
	case found != nil && scope != "":
		if holds(found, scope) {
			return found, nil
		}
		return a.makeHome(false)
	case found != nil && (typ == string(memsync.Project) || typ == string(memsync.Reference)):
		return found, nil
	case found != nil && explicit:
		return found, nil
	case found == nil && scope == "" && (typ == string(memsync.Project) || typ == string(memsync.Reference)):
		return nil, &memsync.Error{Code: memsync.CodeScopeNoWorkspace,
			Message: "a " + typ + " memory belongs to a workspace, and there is none here",
			Hint:    "run `memsync init` in the project, or name the scope: --scope global"}
	}
	return a.makeHome(false)
}

// makeHome is the home store, or its local store, made when it is not there.
func (a *app) makeHome(local bool) (*store.Store, error) {
	home, err := store.Home(a.env)
	if err != nil {
		return nil, err
	}
	s, err := store.LoadHome(a.env)
	if err != nil {
		return nil, err
	}
	if s == nil {
		if s, err = a.makeStore(home, store.Dedicated); err != nil {
			return nil, err
		}
	}
	if !local {
		return s, nil
	}
	l, err := store.LoadLocal(home)
	if err != nil || l != nil {
		return l, err
	}
	return a.makeStore(store.LocalDir(home), store.Local)
}

func (a *app) makeStore(dir string, kind store.Kind) (*store.Store, error) {
	if a.flags.dryRun {
		return nil, &memsync.Error{Code: memsync.CodeStoreNone, Message: "there is no store in " + dir + " yet",
			Hint: "a real run makes it; a dry run can't look into it"}
	}
	made, err := keeper.Init(a.ctx, dir, keeper.InitOptions{Kind: kind, Now: time.Now(), Driver: driverBinary()})
	if err != nil {
		return nil, err
	}
	if kind == store.Local {
		if err := refusePushes(dir); err != nil {
			return nil, err
		}
	}
	a.say("made the %s store in %s", kind, dir)
	return made.Store, nil
}

// refusePushes keeps git itself from sending a local store anywhere.
func refusePushes(dir string) error {
	hook := filepath.Join(dir, ".git", "hooks", "pre-push")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		return err
	}
	return os.WriteFile(hook, []byte("#!/bin/sh\necho 'memsync: this store never leaves the machine' >&2\nexit 1\n"), 0o755)
}

// readSet are the stores that a reading verb looks into: the one found here,
// then the home store and its local store, most specific first.
func (a *app) readSet() ([]*store.Store, error) {
	dir, err := a.here()
	if err != nil {
		return nil, err
	}
	var set []*store.Store
	found, err := store.Find(dir)
	switch {
	case err == nil:
		set = append(set, found)
	case !errors.Is(err, memsync.CodeStoreNone) || a.flags.dir != "" || a.env("MEMSYNC_STORE") != "":
		return nil, err
	}
	h, herr := store.LoadHome(a.env)
	if errors.Is(herr, fs.ErrPermission) {
		a.say("the home store is left out: %v", herr)
	}
	home := h != nil && found != nil && sameDir(h.Root, found.Root)
	if h != nil && (found == nil || found.Kind == store.Embedded || home) {
		if !home {
			set = append(set, h)
		}
		l, err := store.LoadLocal(h.Root)
		if err != nil {
			return nil, err
		}
		if l != nil {
			set = append(set, l)
		}
	}
	if len(set) == 0 {
		return nil, err
	}
	return set, nil
}
