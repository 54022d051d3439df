package main

import (
	"errors"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/keeper"
)

// yesFlag is for verbs that ask before they do what can't be undone.
func (a *app) yesFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&a.flags.yes, "yes", "y", false, "don't ask")
}

// notConfirmed ends a verb whose question was not answered with yes.
func notConfirmed(verb string) error {
	return &memsync.Error{Code: memsync.CodePersonRequired, Message: "not confirmed, so nothing was changed",
		Hint: "run `memsync " + verb + "` again and answer y, or pass --yes"}
}

// presentOrGone finds a memory by what it is called, in the store found here
// or the home store; when it is not there any more, what is remembered of it.
// Exactly one of the two is set.
func (a *app) presentOrGone(arg string) (*opened, *memsync.Memory, *keeper.Gone, error) {
	set, err := a.readSet()
	if err != nil {
		return nil, nil, nil, err
	}
	type try func(*opened) (*memsync.Memory, *keeper.Gone, error)
	for _, look := range []try{
		func(k *opened) (*memsync.Memory, *keeper.Gone, error) {
			m, err := a.lookup(k, arg)
			if errors.Is(err, memsync.CodeForgotten) { // the second round knows more
				return nil, nil, nil
			}
			return m, nil, err
		},
		func(k *opened) (*memsync.Memory, *keeper.Gone, error) {
			p, _ := a.pathIn(k.Store, arg)
			g, err := k.FindGone(arg, p)
			return nil, g, err
		},
	} {
		for _, s := range set {
			k, err := a.open(s)
			if err != nil {
				return nil, nil, nil, err
			}
			m, g, err := look(k)
			if err == nil && (m != nil || g != nil) {
				return k, m, g, nil
			}
			k.Close()
			if err != nil {
				return nil, nil, nil, err
			}
		}
	}
	return nil, nil, nil, &memsync.Error{Code: memsync.CodeNotFound, Message: "no memory answers to " + oneLine(arg) + ", and none that is gone",
		Hint: "see what there is with `memsync list --all`"}
}

// goneError says that a memory is gone, and how.
func goneError(g *keeper.Gone) error {
	if g.Forgotten {
		return forgottenError(g)
	}
	e := &memsync.Error{Code: memsync.CodeDeleted, Path: g.Path, Message: "this memory was deleted" + when(g),
		Hint: "a person brings it back with `memsync restore " + string(g.Memory) + "`", Details: map[string]string{"memory_id": string(g.Memory)}}
	return e
}

func forgottenError(g *keeper.Gone) error {
	return &memsync.Error{Code: memsync.CodeForgotten, Message: "this memory was forgotten" + when(g),
		Hint: "what was forgotten does not come back; write what you need anew", Details: map[string]string{"memory_id": string(g.Memory)}}
}

func when(g *keeper.Gone) string {
	if g.Event.At.IsZero() {
		return ""
	}
	s := " on " + g.Event.At.UTC().Format("2006-01-02")
	if g.Event.Actor.Name != "" {
		s += " by " + oneLine(g.Event.Actor.Name)
	}
	return s
}
