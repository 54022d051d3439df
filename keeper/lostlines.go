package keeper

import (
	"context"
	"slices"

	"memsync"
	"memsync/internal/ledger"
)

// LostLines finds the lines of ledgers that commits of others' took out, all of
// history, and those that only HEAD still has. A ledger is append-only: a line that
// is gone lets come back what it ended.
func (k *Keeper) LostLines() (lost []ledger.LostLine, err error) {
	var dirs []memsync.Path
	for _, s := range k.Store.Scopes {
		dirs = append(dirs, ledgerDir(s))
	}
	cuts, err := k.repo.Cuts(dirs, 0)
	if err != nil {
		return nil, err
	}
	versions, err := k.ledgerVersions()
	if err != nil {
		return nil, err
	}
	known := map[memsync.ID]bool{}
	var head []ledgerVersion
	for _, v := range versions {
		if v.data == nil {
			head = append(head, v)
			continue
		}
		events, _ := ledger.Parse(v.path, v.data)
		for _, e := range events {
			known[e.ID] = true
		}
	}
	for _, v := range head {
		data, err := v.bytes(k)
		if err != nil {
			return nil, err
		}
		lost = append(lost, ledger.Lost(v.path, data, "", known)...)
	}
	for _, c := range cuts {
		data, err := k.repo.Blob(c.Blob)
		if err != nil {
			return nil, err
		}
		lost = append(lost, ledger.Lost(c.Path, data, c.Commit, known)...)
	}
	return lost, nil
}

// RestoreLedger writes the lines that ledgers lost back where they were, to the
// byte, at the end of their files.
func (k *Keeper) RestoreLedger(ctx context.Context, by memsync.Actor) ([]ledger.LostLine, Outcome, error) {
	lost, err := k.LostLines()
	if err != nil || len(lost) == 0 {
		return lost, Outcome{}, err
	}
	var cs []memsync.Candidate
	for _, l := range lost {
		i := slices.IndexFunc(cs, func(c memsync.Candidate) bool { return c.Path == l.Path })
		if i < 0 {
			data, _, err := k.onDisk(l.Path)
			if err != nil {
				return nil, Outcome{}, err
			}
			if len(data) > 0 && data[len(data)-1] != '\n' {
				data = append(data, '\n')
			}
			cs = append(cs, memsync.Candidate{Origin: memsync.OriginCLI, Actor: by, Op: memsync.OpAuthored, Path: l.Path, Raw: slices.Clone(data)})
			i = len(cs) - 1
		}
		cs[i].Raw = append(append(cs[i].Raw, l.Line...), '\n')
	}
	out, err := k.SubmitAll(ctx, cs...)
	if err != nil || k.opt.ReadOnly {
		return lost, out, err
	}
	// What the lines say is true again: fold them, and let compositions follow.
	k.forgetDerived()
	if err := k.journal.PutFact(factComposed, nil); err != nil {
		return lost, out, err
	}
	_, err = k.Submit(ctx)
	return lost, out, err
}
