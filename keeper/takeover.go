package keeper

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"memsync"
	"memsync/gitlog"
)

// taken is what became of a store that took another tip over.
type taken struct {
	joined      gitlog.Joined
	report      Report // of the pass that followed
	conflicts   []memsync.Path
	quarantined []memsync.Path
	kept        []memsync.Path
}

// takeOver brings the store to where it has all that another tip has, with what
// follows from that: the policy of the new tree, files that were being written,
// the scan of what came, MEMORY.md and compositions. The tip was fetched before.
func (k *Keeper) takeOver(ctx context.Context, tip string) (t taken, err error) {
	for try := 1; ; try++ {
		now := k.opt.Now().UTC()
		t.joined, err = k.log.Join(ctx, gitlog.JoinRequest{Plan: k.ids.draw(now), At: now, Tip: tip})
		switch {
		case err == nil:
		case raced(err) && try < races: // somebody saved, or committed
			if err := k.refresh(ctx); err != nil {
				return t, err
			}
			if _, err := k.Once(ctx, OnceOptions{}); err != nil {
				return t, err
			}
			continue
		case errors.Is(err, memsync.CodeJournal) && try < races:
			if err := k.replay(ctx); err != nil {
				return t, err
			}
			continue
		default:
			return t, err
		}
		break
	}
	if t.joined.Unchanged {
		return t, nil
	}
	for _, c := range t.joined.Changes {
		if c.From == "" && isCopy(c.Path) {
			t.conflicts = append(t.conflicts, c.Path)
		}
	}
	scopes := k.Store.Scopes
	if err := k.reload(); err != nil {
		return t, err
	}
	if err := k.refresh(ctx); err != nil {
		return t, err
	}
	if w := k.watch.Load(); w != nil && !reflect.DeepEqual(scopes, k.Store.Scopes) {
		w.Follow(ctx, k.place())
	}
	if t.kept, err = k.bringBack(); err != nil {
		return t, err
	}
	t.report, err = k.Once(ctx, OnceOptions{})
	for _, o := range t.report.Outcomes {
		for _, p := range o.Files {
			if isCopy(p) && !slices.Contains(t.conflicts, p) {
				t.conflicts = append(t.conflicts, p)
			}
		}
	}
	if _, viewErr := k.View(); viewErr != nil { // which notes what is hidden
		return t, errors.Join(err, viewErr)
	}
	for _, c := range t.joined.Changes {
		if slices.Contains(k.hidden, c.Path) {
			t.quarantined = append(t.quarantined, c.Path)
		}
	}
	return t, err
}
