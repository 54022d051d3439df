package keeper

import (
	"memsync"
	"memsync/internal/ledger"
)

// drop is a memory that a commit of somebody else's removed. The delete event
// that answers it is derived from the commit, so that every clone writes the
// same one.
type drop struct {
	Memory memsync.ID   `json:"memory"`
	Path   memsync.Path `json:"path"`
	Hash   memsync.Hash `json:"hash"`
	Commit string       `json:"commit"`
}

// factDropped is where drops wait in the journal until a plan takes their
// events along.
const factDropped = "dropped"

// noteDrops keeps drops until they are answered. A memory that the same commits
// only moved is none.
func (k *Keeper) noteDrops(found []drop, moved map[memsync.ID]bool) error {
	var fresh []drop
	for _, d := range found {
		if d.Memory != "" && !moved[d.Memory] {
			fresh = append(fresh, d)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	waiting, err := k.waitingDrops()
	if err != nil {
		return err
	}
	return k.journal.PutFact(factDropped, append(waiting, fresh...))
}

func (k *Keeper) waitingDrops() (list []drop, err error) {
	_, err = k.journal.Fact(factDropped, &list)
	return list, err
}

// dropEvents are the candidates that record what others' commits deleted. Where
// the person commits they wait for the next write here (writing).
func (k *Keeper) dropEvents(writing bool) ([]memsync.Candidate, error) {
	if !writing && k.Store.CommitMode() != memsync.CommitAuto {
		return nil, nil
	}
	list, err := k.waitingDrops()
	if err != nil || len(list) == 0 {
		return nil, err
	}
	state, err := k.State()
	if err != nil {
		return nil, err
	}
	view, err := k.View()
	if err != nil {
		return nil, err
	}
	var out []memsync.Candidate
	for _, d := range list {
		scope, ok := memsync.ScopeOf(k.Store.Scopes, d.Path)
		if _, known := state.Deleted(d.Memory); known || !ok || len(view.ByID(d.Memory)) > 0 {
			continue
		}
		when := k.commitTime(d.Commit)
		out = append(out, memsync.Candidate{Origin: memsync.OriginPeer, Actor: memsync.Actor{Class: memsync.ClassPerson}, Op: memsync.OpRecord,
			Scope: scope.Name(), ID: d.Memory, Events: []memsync.LedgerEvent{{
				ID: ledger.DerivedID(when, d.Commit, string(d.Path), string(memsync.LedgerDelete)), At: when,
				Op: memsync.LedgerDelete, Memory: d.Memory, Path: d.Path.Rel(scope.Dir), Hash: d.Hash,
			}}})
	}
	return out, nil
}
