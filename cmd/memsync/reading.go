package main

import (
	"time"

	"memsync"
	"memsync/controller"
	"memsync/indexer/recall"
	"memsync/internal/store"
)

// reading is what may be read here, now or at that past: the stores that are
// found here, in the eyes of the agent that is named or that this process is
// pinned to.
func (a *app) reading(agent string, asOf asOfFlags) (*recall.ReadSet, error) {
	agent, err := a.reader(agent)
	if err != nil {
		return nil, err
	}
	stores, err := a.readSet()
	if err != nil {
		return nil, err
	}
	now, err := asOf.time()
	if err != nil {
		return nil, err
	}
	if now.IsZero() {
		now = time.Now()
	}
	sources := make([]recall.Source, 0, len(stores))
	for _, s := range stores {
		v, err := a.viewOf(s, asOf)
		if err != nil {
			return nil, err
		}
		sources = append(sources, recall.Source{Root: s.Root, Local: s.Kind == store.Local, Workspace: s.Workspace, View: v})
	}
	return recall.NewReadSet(agent, now, sources...), nil
}

// reader is the agent in whose eyes a verb reads; "" is a person. A process
// that is pinned to one (MEMSYNC_AGENT) reads as no other.
func (a *app) reader(agent string) (string, error) {
	pinned := a.env("MEMSYNC_AGENT")
	if pinned == "" {
		return agent, nil
	}
	if e := controller.CheckAgent(memsync.Actor{Class: memsync.ClassAgent, Name: pinned}, agent); e != nil {
		return "", e
	}
	return pinned, nil
}

// mayRead refuses a process that is pinned to one agent what lies in another's
// scope.
func (a *app) mayRead(k *opened, p memsync.Path) error {
	scope, ok := memsync.ScopeOf(k.Store.Scopes, p)
	if !ok || scope.Agent == "" {
		return nil
	}
	_, err := a.reader(scope.Agent)
	return err
}
