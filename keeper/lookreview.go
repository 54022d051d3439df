package keeper

import (
	"fmt"
	"slices"

	"memsync"
	"memsync/compose/agents"
	"memsync/lint"
)

// savedReview is a REVIEW.md that is not what was accepted; data is nil where it is
// gone.
type savedReview struct {
	scope memsync.Scope
	data  []byte
}

// lookAtReviews turns the boxes that somebody ticked in REVIEW.md into decisions.
// Where the scope's writers are people, a tick is a person's decision; elsewhere it
// is a request that a person confirms.
func (k *Keeper) lookAtReviews(s *sight) error {
	var store *agents.Store
	for _, r := range s.reviews {
		ticks := agents.Ticks(r.data)
		if len(ticks) == 0 {
			continue
		}
		if store == nil {
			var err error
			if store, err = k.Agents(); err != nil {
				return err
			}
			if store == nil {
				return nil // nobody asks: the file is written anew
			}
		}
		waiting := store.Waiting(r.scope.Name())
		for _, t := range ticks {
			i := slices.IndexFunc(waiting, func(w agents.Waiting) bool { return w.Proposal == t.Proposal || slices.Contains(w.Also, t.Proposal) })
			if i < 0 {
				s.skipped = append(s.skipped, memsync.Finding{Code: lint.TickUnasked, Severity: memsync.Warning, Path: agents.ReviewPath(r.scope), Line: t.Line,
					Message: fmt.Sprintf("the box of %s was ticked, and that is not asked any more", t.Proposal), Hint: "`memsync review` shows what waits now"})
				continue
			}
			actor := r.scope.Writers.Actor()
			events := store.Answer(waiting[i], t.Deny)
			if !actor.Person() {
				if store.Requested(waiting[i], t.Deny) {
					continue // the file is looked at again and again while it is held
				}
				events = []memsync.LedgerEvent{agents.Request(waiting[i], t.Deny)}
			}
			s.ticks = append(s.ticks, memsync.Candidate{Origin: memsync.OriginFile, Actor: actor, Op: memsync.OpRecord, Scope: r.scope.Name(),
				ID: waiting[i].Memory.ID, Path: waiting[i].Memory.Path, Events: events})
		}
	}
	return nil
}
