package keeper

import (
	"context"
	"slices"
	"strings"

	"memsync"
)

// FileDiff is a file on two sides; nil is absent.
type FileDiff struct {
	Path     memsync.Path
	Old, New []byte
}

// Changes are the files that differ between two commits, or, without from,
// between what was accepted and the disk. to "" is HEAD.
func (k *Keeper) Changes(ctx context.Context, from, to string) ([]FileDiff, error) {
	if from != "" {
		return k.changesBetween(from, to)
	}
	readOnly := k.opt.ReadOnly
	k.opt.ReadOnly = true // look without waiting for files to settle
	s, err := k.look(ctx, glance{})
	k.opt.ReadOnly = readOnly
	if err != nil {
		return nil, err
	}
	var out []FileDiff
	for _, list := range [][]memsync.Candidate{s.saves, s.gone, s.authored} {
		for _, c := range list {
			old, _, err := k.accepted(c.Path)
			if err != nil {
				return nil, err
			}
			out = append(out, FileDiff{c.Path, old, c.Raw})
		}
	}
	slices.SortFunc(out, func(a, b FileDiff) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return out, nil
}

func (k *Keeper) changesBetween(from, to string) ([]FileDiff, error) {
	if to == "" {
		to = "HEAD"
	}
	a, err := k.repo.Resolve(from)
	if err != nil {
		return nil, err
	}
	b, err := k.repo.Resolve(to)
	if err != nil {
		return nil, err
	}
	changes, err := k.repo.Diff(a, b)
	if err != nil {
		return nil, err
	}
	state, err := k.State()
	if err != nil {
		return nil, err
	}
	var out []FileDiff
	for _, ch := range changes {
		if _, gone := state.ForgottenAt(ch.Path); gone {
			continue
		}
		d := FileDiff{Path: ch.Path}
		if ch.From != "" {
			if d.Old, err = k.repo.Blob(ch.From); err != nil {
				return nil, err
			}
		}
		if ch.To != "" {
			if d.New, err = k.repo.Blob(ch.To); err != nil {
				return nil, err
			}
		}
		out = append(out, d)
	}
	return out, nil
}

// PathsOf are the paths at which a memory ever lived, as the journal, the
// ledger and the catalog know them; the present one first.
func (k *Keeper) PathsOf(m *memsync.Memory) ([]memsync.Path, error) {
	paths := []memsync.Path{m.Path}
	add := func(p memsync.Path) {
		if p != "" && !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	state, err := k.State()
	if err != nil {
		return nil, err
	}
	for _, p := range state.PathsOf(m.ID) {
		add(p)
	}
	return paths, nil
}
