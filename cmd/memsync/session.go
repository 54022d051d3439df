package main

import (
	"errors"
	"os"

	"memsync"
	"memsync/controller"
	"memsync/internal/store"
)

// here is the directory that a command acts from.
func (a *app) here() (string, error) {
	if a.flags.dir != "" {
		return a.abs(a.flags.dir)
	}
	if s := a.env("MEMSYNC_STORE"); s != "" {
		return a.abs(s)
	}
	if a.cwd != "" {
		return a.cwd, nil
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
