package keeper

import (
	"context"
	"errors"
	"slices"

	"memsync"
	"memsync/controller"
	"memsync/gitlog"
	"memsync/internal/format"
	"memsync/internal/store"
	"memsync/watcher"
)

// Status compares disk, HEAD, what was accepted and the search index, at the
// moment it is asked.
type Status struct {
	Root     string             `json:"root"`
	Kind     store.Kind         `json:"kind"`
	Revision memsync.Revision   `json:"revision"`
	Disk     int                `json:"disk"`     // memories on disk
	Head     int                `json:"head"`     // memories at HEAD
	Memories int                `json:"memories"` // memories accepted
	Index    IndexState         `json:"index"`    // the search index beside them
	Held     []memsync.Held     `json:"held"`
	Pending  []memsync.Path     `json:"pending"` // saved or gone, not decided yet
	Waiting  []memsync.Path     `json:"waiting"` // deletes that wait for accept-deletes
	Skipped  []memsync.Finding  `json:"skipped"`
	Findings *FindingCount      `json:"findings"` // of lint; null in a store that is too large to look at on the way
	Review   int                `json:"review"`   // questions that wait for a person's decision
	Paused   *string            `json:"paused"`   // null, or why nothing is committed
	Detail   string             `json:"detail,omitempty"`
	Other    *int               `json:"other_changes"` // files that are the person's to commit; null without the git binary
	Backend  string             `json:"backend"`
	Fallback bool               `json:"identity_fallback"` // no git identity is set; commits say memsync
	Commit   memsync.CommitMode `json:"commit"`
	Watch    *watcher.Info      `json:"watch"`   // how well a running keeper sees; null when none runs
	Sync     *Standing          `json:"sync"`    // how the store stands to its remote; null where there is none
	Writers  []Confined         `json:"writers"` // what waits for a person since a pull
}

// Clean reports whether nothing waits for anybody.
func (s Status) Clean() bool {
	return len(s.Held) == 0 && len(s.Pending) == 0 && len(s.Waiting) == 0 && len(s.Writers) == 0 && s.Paused == nil
}

// Status looks and tells; it settles nothing.
func (k *Keeper) Status(ctx context.Context) (Status, error) {
	st, err := k.repo.State()
	if err != nil {
		return Status{}, err
	}
	v, err := k.View()
	if err != nil {
		return Status{}, err
	}
	out := Status{Root: k.Store.Root, Kind: k.Store.Kind, Revision: v.Revision, Memories: v.Len(),
		Pending: []memsync.Path{}, Waiting: []memsync.Path{}, Skipped: []memsync.Finding{}, Detail: st.Detail,
		Backend: k.repo.Probe().Backend, Commit: k.Store.CommitMode(), Watch: k.Watching()}
	if st.Paused != "" {
		out.Paused = &st.Paused
	}
	if _, out.Fallback = k.repo.Identity(); err != nil {
		return out, err
	}
	if out.Head, err = k.headCount(st); err != nil {
		return out, err
	}
	switch other, err := k.repo.OtherChanges(); {
	case err == nil:
		out.Other = &other
	case !errors.Is(err, memsync.CodeGitMissing):
		return out, err
	}
	if out.Sync, err = k.Standing(); err != nil {
		return out, err
	}
	waits, err := k.Confined()
	if err != nil {
		return out, err
	}
	out.Writers = append([]Confined{}, waits...)
	out.Index, _ = k.Index()
	readOnly := k.opt.ReadOnly
	k.opt.ReadOnly = true // look without waiting for files to settle
	s, err := k.look(ctx, glance{})
	k.opt.ReadOnly = readOnly
	if err != nil {
		return out, err
	}
	out.Held = k.heldNow()
	k.sight = s
	out.Disk = s.on
	skipped, err := k.shownSkips(s.skipped)
	if err != nil {
		return out, err
	}
	out.Skipped = append(out.Skipped, skipped...)
	if out.Findings, err = k.countFindings(ctx, s.on); err != nil {
		return out, err
	}
	if agents, err := k.Agents(); err != nil {
		return out, err
	} else if agents != nil {
		out.Review = len(agents.Waiting(""))
	}
	state, err := k.State()
	if err != nil {
		return out, err
	}
	for _, c := range append(append([]memsync.Candidate{}, s.saves...), s.authored...) {
		bad := controller.CheckName(c.Path, state)
		switch h, held := k.knewHeld[c.Path]; {
		case held && h == memsync.HashOf(c.Raw):
		case bad != nil:
			out.Held = append(slices.Clip(out.Held), memsync.Held{Path: bad.Path, Scope: c.Scope, Why: bad.Code, Error: bad})
		default:
			out.Pending = append(out.Pending, c.Path)
		}
	}
	out.Pending = append(out.Pending, s.indexes...)
	if k.Store.Kind != store.Embedded {
		waiting, err := k.waitingDeletes(ctx, s)
		if err != nil {
			return out, err
		}
		for _, c := range s.gone {
			if waiting[c.Path] {
				out.Waiting = append(out.Waiting, c.Path)
			} else {
				out.Pending = append(out.Pending, c.Path)
			}
		}
	}
	return out, nil
}

// headCount counts the memories of HEAD.
func (k *Keeper) headCount(st gitlog.State) (int, error) {
	if st.Head == "" {
		return 0, nil
	}
	entries, err := k.repo.Tree(st.Head, "")
	if err != nil {
		return 0, err
	}
	n := 0
	for _, e := range entries {
		scope, ok := memsync.ScopeOf(k.Store.Scopes, e.Path)
		if !ok {
			continue
		}
		if c := format.Classify(e.Path.Rel(scope.Dir)); c == format.MemoryFile || c == format.LogFile {
			n++
		}
	}
	return n, nil
}

// waitingDeletes are the vanished paths that a batch would hold.
func (k *Keeper) waitingDeletes(ctx context.Context, s *sight) (map[memsync.Path]bool, error) {
	out := map[memsync.Path]bool{}
	if len(s.gone) == 0 {
		return out, nil
	}
	b, err := k.begin()
	if err != nil {
		return nil, err
	}
	if err := b.decideAll(ctx, append(append([]memsync.Candidate{}, s.saves...), s.gone...)); err != nil {
		return nil, err
	}
	for _, d := range b.decisions {
		if d.Error != nil && d.Error.Code == memsync.CodeDeletesHeld {
			out[d.Path] = true
		}
	}
	k.near = nil // the tables followed a plan that is not carried out
	return out, nil
}
