package main

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"memsync"
	"memsync/controller"
	"memsync/internal/store"
	"memsync/keeper"
)

// here is the directory that a command acts from.
func (a *app) here() (string, error) {
	if a.flags.dir != "" {
		return filepath.Abs(a.flags.dir)
	}
	if s := a.env("MEMSYNC_STORE"); s != "" {
		return filepath.Abs(s)
	}
	return os.Getwd()
}

// find is the store that holds the working directory, else the home store.
func (a *app) find() (*store.Store, error) {
	dir, err := a.here()
	if err != nil {
		return nil, err
	}
	s, err := store.Find(dir)
	if err == nil || !errors.Is(err, memsync.CodeStoreNone) || a.flags.dir != "" || a.env("MEMSYNC_STORE") != "" {
		return s, err
	}
	h, herr := store.LoadHome(a.env)
	if herr != nil || h == nil {
		return nil, err
	}
	return h, nil
}

// open opens a store for the length of one command. A dry run works on a
// scratch copy of the local state and writes nothing.
func (a *app) open(s *store.Store) (*keeper.Keeper, error) {
	return keeper.Open(a.ctx, s, keeper.Options{
		ReadOnly: a.flags.dryRun,
		Now:      time.Now,
		Notice:   a.say,
		Progress: a.progress(),
	})
}

// openHere opens the store of the working directory.
func (a *app) openHere() (*keeper.Keeper, error) {
	s, err := a.find()
	if err != nil {
		return nil, err
	}
	return a.open(s)
}

// actor is who types this command.
func (a *app) actor() memsync.Actor { return controller.WhoIsPerson(a.env, a.terminal()) }

// person refuses what only a person may do.
func (a *app) person(verb string) error {
	if a.actor().Person() {
		return nil
	}
	return &memsync.Error{Code: memsync.CodePersonRequired, Message: "`memsync " + verb + "` is a person's decision",
		Hint: "run it yourself on a terminal, outside an agent's shell"}
}

// candidate is a write of this command's caller.
func (a *app) candidate(op memsync.Op) memsync.Candidate {
	return memsync.Candidate{Origin: memsync.OriginCLI, Actor: a.actor(), Op: op, Conversation: a.env("MEMSYNC_SESSION"),
		Override: a.env("MEMSYNC_OVERRIDE")}
}
