package keeper

import (
	"context"
	"errors"

	"memsync"
	"memsync/gitlog"
)

// Outcome is what became of a batch.
type Outcome struct {
	Decisions      []memsync.Decision `json:"decisions"`
	Plan           memsync.ID         `json:"plan,omitempty"`
	Commit         string             `json:"commit,omitempty"`
	AlreadyApplied bool               `json:"already_applied,omitempty"`
	Findings       []memsync.Finding  `json:"findings,omitempty"`
	Files          []memsync.Path     `json:"files,omitempty"` // that the plan writes
}

// races is how often a batch that lost a race is decided again before the
// caller is told.
const races = 5

// step takes one batch of one author through the house: decide, plan, apply,
// advance. One call is at most one commit. A batch that lost a race against
// somebody else's bytes is gathered and decided again.
func (k *Keeper) step(ctx context.Context, gather func() ([]memsync.Candidate, error)) (Outcome, error) {
	for try := 1; ; try++ {
		cs, err := gather()
		if err != nil {
			return Outcome{}, err
		}
		if len(cs) == 0 && len(k.stale) == 0 && len(k.returned) == 0 {
			return Outcome{}, nil // the usual pass: nothing changed, and no header is read
		}
		b, err := k.begin()
		if err != nil {
			return Outcome{}, err
		}
		if err := b.decideAll(ctx, cs); err != nil {
			return Outcome{}, err
		}
		if b.already {
			return b.outcome(nil, ""), nil
		}
		plan, err := b.plan()
		if err != nil {
			return Outcome{}, err
		}
		if k.opt.ReadOnly {
			return b.outcome(plan, ""), nil
		}
		if plan == nil {
			return b.outcome(nil, ""), k.settle(b, nil, gitlog.Applied{})
		}
		done, err := k.log.Apply(ctx, plan, k.Store.CommitMode())
		if raced(err) && try < races {
			if err := k.refresh(ctx); err != nil {
				return Outcome{}, err
			}
			continue
		}
		if err != nil {
			k.forgetDerived()
			return b.outcome(nil, ""), err
		}
		return b.outcome(plan, done.Commit), k.settle(b, plan, done)
	}
}

// raced reports whether somebody else changed what the plan was decided on.
func raced(err error) bool {
	return errors.Is(err, memsync.CodeIORaced) || errors.Is(err, memsync.CodeGitMoved)
}

// refresh forgets what was derived and catches up with HEAD.
func (k *Keeper) refresh(ctx context.Context) error {
	k.forgetDerived()
	return k.catchUp(ctx)
}

func (k *Keeper) forgetDerived() {
	k.view, k.state, k.near = nil, nil, nil
	clear(k.digested)
}
