package keeper

import (
	"slices"

	"memsync"
	"memsync/compose"
	"memsync/compose/agents"
	"memsync/controller"
)

// promotedFacts are the bars that a memory passed into some agent's prompt: what an
// agent may do to it depends on them.
func (b *batch) promotedFacts(f *controller.Facts, p memsync.Path) error {
	m := b.view.ByPath(p)
	if m == nil || !b.k.HasAgents() || !b.k.wasPromoted(m) {
		return nil
	}
	store, err := b.agents()
	if err != nil || store == nil {
		return err
	}
	for _, tier := range store.PromotedTiers(m.ID) {
		f.Guarded = f.Guarded || tier == compose.Guarded
		f.Earned = f.Earned || tier == compose.Earned
	}
	return nil
}

// takesOut is the first promotion that took evidence or a person and that a decision
// of somebody who is no person would take out of a prompt by the way: by replacing
// or hiding its memory, ending its time, or moving it to where its agent does not
// read it. "" for none.
func (b *batch) takesOut(d *memsync.Decision) (memsync.Path, error) {
	if !d.Op.Changes() || d.Actor.Person() || d.Origin == memsync.OriginPeer {
		return "", nil
	}
	changes, concerned := b.changesOf(d), false
	for p, m := range changes {
		concerned = concerned || b.composable(b.view.ByPath(p)) || b.composable(m)
	}
	if !concerned || !b.k.HasAgents() {
		return "", nil
	}
	now, err := b.agents()
	if err != nil || now == nil {
		return "", err
	}
	kept := now.Kept()
	if len(kept) == 0 {
		return "", nil
	}
	at := b.parts()
	at.view = b.view.With(b.base, changes)
	at.body = func(m *memsync.Memory) (string, error) {
		for i := range d.Files {
			if f := &d.Files[i]; f.Path == m.Path && f.Content != nil {
				return b.bodyOf(f.Content), nil
			}
		}
		return b.plannedBody(m)
	}
	then, err := b.k.agentsFrom(at, b.now, b.byModel)
	if err != nil || then == nil {
		return "", err
	}
	still := map[agents.Keeps]bool{}
	for _, x := range then.Kept() {
		still[x] = true
	}
	for _, x := range kept {
		if m, _, known := now.Memory(x.Memory); known && !still[x] {
			return m.Path, nil
		}
	}
	return "", nil
}

// noteChoice remembers who chose a place in a composition. Where that asks for a
// person, the question is recorded with the choice, whatever else it waits for now:
// nothing later would say that nobody but an agent wanted it there.
func (b *batch) noteChoice(d *memsync.Decision) {
	m := d.After
	if m == nil || m.Target == "" || d.Actor.Person() || d.Origin == memsync.OriginPeer || !d.Op.Changes() {
		return
	}
	if old := b.view.ByPath(d.Path); old != nil && old.Target == m.Target {
		return
	}
	remember(&b.byModel, m.ID, true)
	if b.k.Store.Policy.Targets.FromModel != memsync.ModelPropose || m.ID == "" {
		return
	}
	body := ""
	for i := range d.Files {
		if f := &d.Files[i]; f.Path == m.Path && f.Content != nil {
			body = b.bodyOf(f.Content)
		}
	}
	wants := agents.WantsOf(m, body)
	asked := compose.Propose(m.ID, wants.Hash, wants.Snapshot.Target, agents.Supports(m, b.state.Events(m.ID)))
	if wants.Err == nil && !slices.ContainsFunc(b.state.Events(m.ID), func(e memsync.LedgerEvent) bool { return e.ID == asked.ID }) {
		d.Events = append(d.Events, asked)
	}
}
