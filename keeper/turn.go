package keeper

import (
	"context"
	"reflect"
	"strings"
	"sync"

	"memsync"
	"memsync/internal/store"
)

// Turn gives the caller the keeper to itself: between two passes of its own
// loop, and while no other caller has it. It waits until ctx ends. release may
// be called more than once; what was taken for the length of the turn is given
// back before it.
func (k *Keeper) Turn(ctx context.Context) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case k.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	k.turns.Add(1)
	release = sync.OnceFunc(func() { <-k.turn })
	if err := k.takeBack(context.WithoutCancel(ctx)); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// Lend lets another process have the store while do runs: what is known locally
// of it is closed, so that a keeper opened with Unlocked finds it free. The lock
// stays here. It is called within a turn, which ends with it: the next one
// begins with what the other process left, finished where it died.
func (k *Keeper) Lend(do func()) error {
	k.lent = true
	if err := k.closeState(); err != nil {
		return err
	}
	do()
	return nil
}

func (k *Keeper) takeBack(ctx context.Context) error {
	if !k.lent {
		return nil
	}
	if err := k.closeState(); err != nil { // of an attempt that failed halfway
		return err
	}
	if err := k.openState(k.repo.StateDir()); err != nil {
		return err
	}
	undo, err := k.Reopen(ctx, k.Store)
	undo()
	k.lent = err != nil
	return err
}

// Caller is for whom a keeper works for the length of a turn.
type Caller struct {
	Notice   func(format string, args ...any) // talk for people; nil is silence
	Progress func(done, total int)            // long work; nil is silence
	Env      []string                         // says who the person is, as git knows them; nil: this process's

	// Delivery names one delivery of a command, drawn by whoever sent it. The
	// journal keeps it with what the command decided, so that a sender whose
	// answer was lost can ask what became of it: see Delivered. Unlike a request
	// id it is no part of the request: the same command delivered twice under two
	// names is two commands.
	Delivery string
}

// deliveries begin with this, so that they are never taken for request ids.
const deliveryMark = "delivery:"

// Talk says for whom the keeper works. It is called within a turn, and undo
// before the turn's release.
func (k *Keeper) Talk(c Caller) (undo func()) {
	notice, progress, delivery := k.opt.Notice, k.opt.Progress, k.delivery
	k.opt.Notice, k.opt.Progress, k.delivery = c.Notice, c.Progress, ""
	if c.Delivery != "" {
		k.delivery = deliveryMark + c.Delivery
	}
	if c.Notice == nil {
		k.opt.Notice = func(string, ...any) {}
	}
	if c.Progress == nil {
		k.opt.Progress = func(int, int) {}
	}
	myself := func() {}
	if c.Env != nil {
		myself = k.repo.WorkFor(c.Env)
	}
	return func() {
		k.opt.Notice, k.opt.Progress, k.delivery = notice, progress, delivery
		myself()
	}
}

// Delivered is what became of a command that was delivered under that name to
// whoever owned the store then; false when nothing of it was applied.
func (k *Keeper) Delivered(delivery string) (Outcome, bool, error) {
	rec, ok, err := k.journal.ByRequestID(deliveryMark + delivery)
	if err != nil || !ok {
		return Outcome{}, false, err
	}
	return Outcome{Decisions: []memsync.Decision{WithoutDelivery(rec.Decision)}, AlreadyApplied: true}, true, nil
}

// WithoutDelivery is a decision as its caller may see it: a delivery's name is
// between a sender and its owner.
func WithoutDelivery(d memsync.Decision) memsync.Decision {
	if strings.HasPrefix(d.RequestID, deliveryMark) {
		d.RequestID = ""
	}
	return d
}

// Reopen makes a keeper that others used stand where Open would put a new one:
// on the store as its files describe it now, every unfinished plan finished,
// caught up with HEAD. It is called within a turn, and undo before the turn's
// release.
func (k *Keeper) Reopen(ctx context.Context, s *store.Store) (undo func(), err error) {
	before := k.Store
	undo = func() { k.standOn(before) }
	k.Store = s
	k.sight, k.head, k.held, k.knewHeld, k.nameless, k.acceptDeletes = nil, nil, nil, nil, nil, false
	k.forgetDerived()
	if err := k.loadPolicy(); err != nil {
		return undo, err
	}
	if s.Kind != store.Embedded {
		k.repo.ExpectBranch(s.Policy.Git.Branch)
	}
	if !k.opt.ReadOnly {
		if err := k.replay(ctx); err != nil {
			return undo, err
		}
	}
	return undo, k.catchUp(ctx)
}

// standOn goes back to the store that a turn found, as its files describe it
// now: the turn may have made a scope, or changed the policy.
func (k *Keeper) standOn(before *store.Store) {
	now, err := store.Load(before.Root, before.Kind)
	if err != nil || now.PolicyErr != nil {
		now = before
	}
	_ = k.confine(now) // the next catching up says why not
	if !reflect.DeepEqual(now.Scopes, k.Store.Scopes) || !reflect.DeepEqual(now.Policy, k.Store.Policy) {
		k.forgetDerived()
	}
	k.Store = now
	if w := k.watch.Load(); w != nil && !reflect.DeepEqual(now.Scopes, before.Scopes) {
		w.Follow(context.Background(), k.place())
	}
	if now.Kind != store.Embedded {
		k.repo.ExpectBranch(now.Policy.Git.Branch)
	}
}
