package keeper

import (
	"context"
	"errors"
	"slices"

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
	Files          []memsync.Path     `json:"files,omitempty"`    // that the plan writes
	Composed       []Composed         `json:"composed,omitempty"` // what followed for the agents of the store
}

// Composed is what followed from a batch for an agent.
type Composed struct {
	Op     memsync.LedgerOp `json:"op"` // promote, demote, propose
	Agent  string           `json:"agent"`
	Memory memsync.ID       `json:"memory_id"`
	Path   memsync.Path     `json:"path"`
	Event  memsync.ID       `json:"event"`
}

// races is how often a batch that lost a race is decided again before the
// caller is told.
const races = 5

// step takes one batch of one author through the house: decide, plan, apply,
// advance. One call is at most one commit. A batch that lost a race against
// somebody else's bytes is gathered and decided again.
//
// A save that no commit can hold (its folder is a file at HEAD) stays as it is
// and is told; the others go on without it.
func (k *Keeper) step(ctx context.Context, gather func() ([]memsync.Candidate, error)) (Outcome, error) {
	var left []memsync.Finding // out, and why
	for try := 1; ; try++ {
		cs, err := gather()
		if err != nil {
			return Outcome{}, err
		}
		cs = slices.DeleteFunc(slices.Clone(cs), func(c memsync.Candidate) bool {
			return slices.ContainsFunc(left, func(f memsync.Finding) bool { return f.Path == c.Path })
		})
		due, err := k.composeDue()
		if err != nil {
			return Outcome{}, err
		}
		if len(cs) == 0 && len(k.stale) == 0 && len(k.returned) == 0 && len(k.spooled) == 0 && !due {
			return Outcome{}, nil // the usual pass: nothing changed, and no header is read
		}
		b, err := k.begin()
		if err != nil {
			return Outcome{}, err
		}
		b.findings = append(b.findings, left...)
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
		if len(plan.Forget) > 0 {
			if err := k.journal.PutFact(factPurge, true); err != nil {
				return Outcome{}, err
			}
		}
		done, err := k.log.Apply(ctx, plan, k.Store.CommitMode())
		if raced(err) && try < races {
			if err := k.refresh(ctx); err != nil {
				return Outcome{}, err
			}
			continue
		}
		if f, ok := k.barred(err, cs); ok {
			left = append(left, f)
			k.forgetDerived()
			continue
		}
		if err != nil {
			k.forgetDerived()
			return b.outcome(nil, ""), err
		}
		made := done.Commit
		if done.Unchanged { // git had all of it: nobody made a commit
			made = ""
		}
		err = k.settle(b, plan, done)
		if len(plan.Forget) > 0 && err == nil {
			err = k.purgeIndex()
		}
		return b.outcome(plan, made), err
	}
}

// barred is the save that an error of a commit is about.
func (k *Keeper) barred(err error, cs []memsync.Candidate) (memsync.Finding, bool) {
	var e *memsync.Error
	if !errors.As(err, &e) || e.Code != memsync.CodePathInvalid {
		return memsync.Finding{}, false
	}
	i := slices.IndexFunc(cs, func(c memsync.Candidate) bool {
		return c.Origin.Save() && (c.Path == e.Path || k.repo.Prefix().Join(string(c.Path)) == e.Path)
	})
	if i < 0 {
		return memsync.Finding{}, false
	}
	return memsync.Finding{Code: memsync.FindSkipped, Severity: memsync.Severe, Path: cs[i].Path, Message: e.Message,
		Hint: "move it elsewhere; nothing else waits for it"}, true
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
