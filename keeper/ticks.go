package keeper

import (
	"slices"

	"memsync"
	"memsync/compose/agents"
	"memsync/internal/ledger"
)

// broughtTick is a box that was ticked in a REVIEW.md that others' commits
// brought: nobody here saw who ticked it, so it asks a person to confirm.
type broughtTick struct {
	Scope    string       `json:"scope"`
	Path     memsync.Path `json:"path"`
	Proposal memsync.ID   `json:"proposal"`
	Deny     bool         `json:"deny,omitempty"`
	Commit   string       `json:"commit"`
}

// factTicks is where they wait in the journal until a plan takes their events
// along.
const factTicks = "ticks"

// noteTicks keeps the ticks of a version that a commit brought.
func (k *Keeper) noteTicks(p memsync.Path, data []byte, commit string) error {
	scope, ok := memsync.ScopeOf(k.Store.Scopes, p)
	if !ok || p != agents.ReviewPath(scope) {
		return nil
	}
	ticks := agents.Ticks(data)
	if len(ticks) == 0 {
		return nil
	}
	list, err := k.broughtTicks()
	if err != nil {
		return err
	}
	for _, t := range ticks {
		list = append(list, broughtTick{scope.Name(), p, t.Proposal, t.Deny, commit})
	}
	return k.journal.PutFact(factTicks, list)
}

func (k *Keeper) broughtTicks() (list []broughtTick, err error) {
	_, err = k.journal.Fact(factTicks, &list)
	return list, err
}

// tickRequests are the candidates that record them: the same event on every clone,
// since it answers a commit. Where the person commits they wait for the next write
// here (writing).
func (k *Keeper) tickRequests(writing bool) ([]memsync.Candidate, error) {
	if !writing && k.Store.CommitMode() != memsync.CommitAuto {
		return nil, nil
	}
	list, err := k.broughtTicks()
	if err != nil || len(list) == 0 {
		return nil, err
	}
	store, err := k.Agents()
	if err != nil || store == nil {
		return nil, err
	}
	waiting := store.Waiting("")
	var out []memsync.Candidate
	for _, t := range list {
		i := slices.IndexFunc(waiting, func(w agents.Waiting) bool { return w.Proposal == t.Proposal || slices.Contains(w.Also, t.Proposal) })
		if i < 0 {
			continue // decided meanwhile
		}
		e := agents.Request(waiting[i], t.Deny)
		e.At = k.commitTime(t.Commit)
		e.ID = ledger.DerivedID(e.At, t.Commit, string(t.Path), string(memsync.LedgerRequest), string(t.Proposal))
		out = append(out, memsync.Candidate{Origin: memsync.OriginPeer, Actor: memsync.Actor{Class: memsync.ClassProgram, Name: "memsync"}, Op: memsync.OpRecord,
			Scope: t.Scope, ID: e.Memory, Path: waiting[i].Memory.Path, Events: []memsync.LedgerEvent{e}})
	}
	if len(out) == 0 && !k.opt.ReadOnly {
		return nil, k.journal.PutFact(factTicks, nil)
	}
	return out, nil
}
