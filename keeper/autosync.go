package keeper

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"time"

	"memsync"
	"memsync/internal/store"
)

// commitQuiet is how long nobody committed before commits are sent: a person who
// saves often makes one exchange of it. A guess.
const commitQuiet = 2 * time.Second

// exchanger exchanges a running keeper's store by itself, where memsync.toml says
// so: at the start, after commits, and once an interval. What failed is tried
// again with the next interval, but for who somebody is: that waits until an
// exchange that a person asked for went through.
type exchanger struct {
	k    *Keeper
	told func(Synced) // when the outcome is another than the last one
	made chan struct{}

	head  string       // when a pass last looked; the runner's
	known atomic.Value // the commit that the last exchange ended at

	last   memsync.Code // of the last outcome
	denied time.Time    // when the remote let nobody in, zero for not
}

// at is told where the branch is, after each pass: somebody may have committed.
// It never waits.
func (x *exchanger) at(head string) {
	if x.head == head || x.known.Load() == head {
		x.head = head
		return
	}
	x.head = head
	select {
	case x.made <- struct{}{}:
	default:
	}
}

// run ends with ctx.
func (x *exchanger) run(ctx context.Context) {
	next := time.NewTimer(0)
	defer next.Stop()
	due := time.Now() // at the latest: who commits all the time puts nothing off
	for {
		select {
		case <-ctx.Done():
			return
		case <-x.made:
			if x.policy(ctx).Auto && x.denied.IsZero() {
				next.Reset(min(commitQuiet, time.Until(due)))
			}
			continue
		case <-next.C:
		}
		p := x.policy(ctx)
		if p.Auto {
			x.exchange(ctx)
		}
		pause := x.pause(p)
		due = time.Now().Add(pause)
		next.Reset(pause)
	}
}

// policy is what the store's files say now.
func (x *exchanger) policy(ctx context.Context) memsync.SyncPolicy {
	release, err := x.k.Turn(ctx)
	if err != nil {
		return memsync.SyncPolicy{}
	}
	defer release()
	if x.k.Store.Kind != store.Dedicated {
		return memsync.SyncPolicy{Interval: x.k.Store.Policy.Sync.Interval}
	}
	return x.k.Store.Policy.Sync
}

// pause is how long to wait for the next exchange: an interval, or up to a fifth
// less, so that machines that began together don't go on together.
func (x *exchanger) pause(p memsync.SyncPolicy) time.Duration {
	d, err := time.ParseDuration(p.Interval)
	if err != nil || d < time.Second {
		d = time.Minute // nothing is exchanged; the policy is looked at again
	}
	return d - rand.N(d/5)
}

func (x *exchanger) exchange(ctx context.Context) {
	if !x.denied.IsZero() && !x.letIn() {
		return
	}
	out, err := Sync(ctx, x.turn, SyncOptions{})
	if ctx.Err() != nil || err != nil && out.Error == nil {
		return // it ends, or somebody else has the store; the next one says
	}
	x.known.Store(out.Commit)
	code := memsync.Code("")
	if out.Error != nil {
		code = out.Error.Code
	}
	switch code {
	case memsync.CodeSyncNoRemote, memsync.CodeStoreBusy, memsync.CodeStorePaused:
		return // nothing to say: none yet, or the pass tells of it
	case memsync.CodeSyncAuth:
		x.denied = out.At
	default:
		x.denied = time.Time{}
	}
	if code != x.last || out.Exchanged() || out.NeedsPerson() {
		x.last = code
		x.told(out)
	}
}

// letIn reports whether an exchange went through since the remote let nobody in.
func (x *exchanger) letIn() bool {
	last, err := lastSync(x.k.repo)
	return err == nil && last != nil && last.At.After(x.denied) && last.Error == nil
}

// errAway: the store's directory is gone, or another store is there now.
var errAway = errors.New("the store is away")

func (x *exchanger) turn(ctx context.Context, do func(context.Context, *Keeper) error) error {
	release, err := x.k.Turn(ctx)
	if err != nil {
		return err
	}
	defer release()
	if _, err := os.Stat(x.k.Store.Root); err != nil || x.k.isReplaced() {
		return errAway
	}
	return do(context.WithoutCancel(ctx), x.k)
}
