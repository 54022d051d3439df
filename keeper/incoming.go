package keeper

import (
	"slices"

	"memsync"
	"memsync/controller"
	"memsync/gitlog"
	"memsync/internal/ledger"
)

// factIncoming is where the documents that others' commits brought wait to be
// scanned. They are in the tree and stay there; what the scan refuses is taken
// out of every reader's sight by an event that all clones write alike.
const factIncoming = "incoming"

func (k *Keeper) noteIncoming(brought []*memsync.Memory) error {
	if len(brought) == 0 {
		return nil
	}
	paths, err := k.incoming()
	if err != nil {
		return err
	}
	for _, m := range brought {
		paths = append(paths, m.Path)
	}
	return k.journal.PutFact(factIncoming, paths)
}

func (k *Keeper) incoming() (paths []memsync.Path, err error) {
	_, err = k.journal.Fact(factIncoming, &paths)
	return paths, err
}

// peerCandidates are the documents that wait to be scanned. Where the person
// commits they wait for the next write here (writing): nothing is written in
// answer to a pull.
func (k *Keeper) peerCandidates(writing bool) ([]memsync.Candidate, error) {
	if !writing && k.Store.CommitMode() != memsync.CommitAuto {
		return nil, nil
	}
	paths, err := k.incoming()
	if err != nil {
		return nil, err
	}
	var out []memsync.Candidate
	seen := map[memsync.Path]bool{}
	for _, p := range paths {
		scope, ok := memsync.ScopeOf(k.Store.Scopes, p)
		if !ok || seen[p] {
			continue
		}
		seen[p] = true
		data, _, err := k.accepted(p)
		if err != nil {
			return nil, err
		}
		if data == nil {
			continue // it went again
		}
		out = append(out, memsync.Candidate{Origin: memsync.OriginPeer, Actor: memsync.Actor{Class: memsync.ClassProgram, Name: "memsync"},
			Op: memsync.OpUpsert, Scope: scope.Name(), Path: p, Raw: data})
	}
	return out, nil
}

// copyByCommit tells the rules of a document that others' commits brought and
// whose id another path already had: it is decided as if it were not in the
// view yet, and gets the id that its own history gives it. Of two that came
// together the one that sorts first keeps the id.
func (b *batch) copyByCommit(f *controller.Facts, c memsync.Candidate) error {
	m := b.view.ByPath(c.Path)
	if c.Origin != memsync.OriginPeer || c.Op != memsync.OpUpsert || m == nil || m.ID == "" {
		return nil
	}
	if len(b.view.ByID(m.ID)) < 2 { // the usual one
		return nil
	}
	came, err := b.k.incoming()
	if err != nil {
		return err
	}
	earlier := slices.ContainsFunc(b.view.ByID(m.ID), func(o *memsync.Memory) bool {
		return o.Path != m.Path && (o.Path < m.Path || !slices.Contains(came, o.Path))
	})
	if !earlier {
		return nil
	}
	derived, _, err := b.k.repo.DerivedIDs([]memsync.Path{c.Path})
	if err != nil {
		return err
	}
	f.DerivedID, f.HeadHolds = derived[c.Path], true
	f.View = b.view.With(b.base, map[memsync.Path]*memsync.Memory{c.Path: nil})
	return nil
}

// deriveID gives an event that answers a commit the id that every clone gives
// it: from the newest commit that changed the path.
func (k *Keeper) deriveID(e *memsync.LedgerEvent, p memsync.Path) {
	v, err := k.repo.Log(gitlog.LogQuery{Paths: []memsync.Path{p}, Limit: 1})
	if err != nil || len(v) == 0 {
		return
	}
	e.At = v[0].When
	e.ID = ledger.DerivedID(v[0].When, v[0].Commit, string(p), string(e.Op))
}

// visible is v without what a quarantine takes out of sight.
func (k *Keeper) visible(v *memsync.View) (*memsync.View, error) {
	k.hidden = nil
	state, err := k.State()
	if err != nil || state.Len() == 0 {
		return v, err
	}
	hidden := map[memsync.Path]*memsync.Memory{}
	for m := range v.All() {
		if m.Blob == "" {
			continue
		}
		if _, quarantined := state.Quarantined(m.Path, m.Blob); quarantined {
			hidden[m.Path] = nil
			k.hidden = append(k.hidden, m.Path)
		}
	}
	if len(hidden) == 0 {
		return v, nil
	}
	return v.With(v.Revision, hidden), nil
}

// showOrHide lets the planned view follow an event: what is quarantined leaves
// it, what a person allowed is back.
func (b *batch) showOrHide(e memsync.LedgerEvent, scope memsync.Scope) error {
	if e.Op != memsync.LedgerQuarantine && e.Op != memsync.LedgerAllow {
		return nil
	}
	p := scope.Dir.Join(string(e.Path))
	b.retouched[scope.Name()] = true
	all, err := b.k.catalog.View(b.k.Store.Scopes)
	if err != nil {
		return err
	}
	m := all.ByPath(p)
	if m == nil {
		return nil
	}
	if _, quarantined := b.state.Quarantined(p, m.Blob); quarantined {
		m = nil
	}
	b.view = b.view.With(b.base, map[memsync.Path]*memsync.Memory{p: m})
	return nil
}
