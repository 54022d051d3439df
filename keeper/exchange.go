package keeper

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"memsync"
	"memsync/gitlog"
	"memsync/internal/checkout"
	"memsync/internal/store"
)

// pushTries is how often a push that came second is tried, with a pause of up to
// pushPause, doubled each time: five machines that push at once are through then.
const (
	pushTries = 5
	pushPause = 100 * time.Millisecond
)

// exchange is one Sync.
type exchange struct {
	turns Turns
	opt   SyncOptions
	out   Synced

	repo *gitlog.Repo
	to   gitlog.Destination
	push bool
	head string
	tip  string // of the remote's branch

	peeked chan peeked // the remote's tip, asked for meanwhile; nil: not asked, or heard
}

func (x *exchange) transfer() gitlog.Transfer {
	return gitlog.Transfer{Ask: x.opt.Ask, Timeout: x.opt.Timeout}
}

func (x *exchange) run(ctx context.Context) error {
	if err := x.turns(ctx, x.prepare); err != nil {
		return err
	}
	if x.opt.DryRun {
		return x.rehearse(ctx)
	}
	only, err := x.alone(ctx)
	if err != nil {
		return err
	}
	defer only.Unlock()
	for try := 1; ; try++ {
		if err := x.fetch(ctx); err != nil {
			return err
		}
		sent, err := x.send(ctx)
		if !errors.Is(err, memsync.CodeSyncRejected) || try == pushTries {
			if sent {
				return errors.Join(err, x.turns(ctx, x.tellPushed))
			}
			return second(err)
		}
		if err := sleep(ctx, rand.N(pushPause<<try)); err != nil {
			return err
		}
	}
}

// second is the error of a push that came second each time, for whoever asked for
// an exchange.
func second(err error) error {
	var e *memsync.Error
	if !errors.Is(err, memsync.CodeSyncRejected) || !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Hint = "others were faster each time: run `memsync sync` again; the commits stay here, ahead of the remote"
	return &c
}

// prepare finds out where to, and decides about what waits on the disk.
func (x *exchange) prepare(ctx context.Context, k *Keeper) error {
	if err := MayLeave(k.Store); err != nil {
		return err
	}
	if k.Store.Kind == store.Embedded {
		return partOfProject()
	}
	st, err := k.unlocked(ctx)
	if err != nil {
		return err
	}
	if st.Paused != "" {
		return paused(st.Paused, st.Detail)
	}
	to, err := k.repo.Destination(st.Branch)
	if err != nil {
		return err
	}
	x.to, x.push = to, k.Store.Policy.Sync.Push && !x.opt.NoPush
	x.out.Remote, x.out.Address, x.out.Branch, x.out.Before = to.Remote.Name, to.Remote.Shown(), to.Branch, st.Head
	switch {
	case x.opt.NoPush:
		x.out.NotPushed = "--no-push"
	case !k.Store.Policy.Sync.Push:
		x.out.NotPushed = "memsync.toml says [sync] push = false"
	case !to.Chosen:
		x.push, x.out.NotPushed = false, "nobody chose a remote for the branch "+st.Branch+": `git config branch."+st.Branch+".remote "+to.Remote.Name+"` does"
	}
	x.repo = k.repo
	if !x.opt.DryRun {
		x.peek(ctx, k)
	}
	r, err := k.Once(ctx, OnceOptions{})
	switch {
	case err != nil:
		return err
	case r.Paused != "":
		return paused(r.Paused, r.Detail)
	}
	x.out.Held = len(r.Held)
	return x.stand(k)
}

func paused(why, detail string) error {
	return &memsync.Error{Code: memsync.CodeStorePaused, Message: "the store is paused: " + why, Hint: detail, Details: map[string]string{"paused": why}}
}

func partOfProject() error {
	return &memsync.Error{Code: memsync.CodeStoreRefused, Message: "this store is part of a project's repository and goes where that goes",
		Hint: "`git pull` and `git push` in the project exchange it"}
}

// stand notes where the branch is.
func (x *exchange) stand(k *Keeper) error {
	st, err := k.repo.State()
	x.head, x.out.Commit = st.Head, st.Head
	return err
}

// alone waits until no other exchange of this store is at work.
func (x *exchange) alone(ctx context.Context) (*flock.Flock, error) {
	l := flock.New(filepath.Join(x.repo.StateDir(), "sync.lock"))
	limited, cancel := context.WithTimeout(ctx, max(x.opt.Wait, time.Millisecond))
	defer cancel()
	ok, err := l.TryLockContext(limited, 20*time.Millisecond)
	switch {
	case ok:
		return l, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && limited.Err() == nil:
		return nil, ioError(err, "")
	}
	return nil, &memsync.Error{Code: memsync.CodeStoreBusy, Message: "another exchange of this store is at work", Hint: "try again when it has ended"}
}

// peek asks the remote for its tip while the disk is looked at, with a repository of
// its own: mostly it is what is known, and there is nothing to fetch.
func (x *exchange) peek(ctx context.Context, k *Keeper) {
	x.peeked = make(chan peeked, 1)
	nearby := k.repo.Nearby(x.to)
	root, without := k.Store.Root, k.opt.NoBinary
	remote, branch, opt := x.to.Remote.Name, x.to.Branch, x.transfer()
	opt.Ask = false // a question is put once, by the fetch
	go func() {
		if tip, ok := nearby(); ok {
			x.peeked <- peeked{tip: tip}
			return
		}
		var p peeked
		repo, err := gitlog.Open(root, gitlog.Options{NoBinary: without})
		if err == nil {
			var heads map[string]string
			heads, err = repo.Heads(ctx, remote, opt)
			p.tip = heads[branch]
			repo.Close()
		}
		p.err = err
		x.peeked <- p
	}()
}

// peeked is the remote's tip, or why it is not known.
type peeked struct {
	tip string
	err error
}

// heard is what peek found out, or nothing after as long as a transfer may take: a
// directory whose server is away gives no answer at all.
func (x *exchange) heard(ctx context.Context) (p peeked, err error) {
	limit := x.opt.Timeout
	if limit <= 0 {
		limit = gitlog.DefaultTransfer
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case p = <-x.peeked:
	case <-limited.Done():
		err = ctx.Err()
	}
	x.peeked = nil
	return p, err
}

// fetch brings the remote's commits here and takes them over.
func (x *exchange) fetch(ctx context.Context) error {
	if x.peeked != nil {
		p, err := x.heard(ctx)
		if err != nil {
			return err
		}
		if errors.Is(p.err, memsync.CodeSyncAuth) && !x.opt.Ask {
			return p.err // whoever is not let in does not knock twice
		}
		if known, err := x.repo.Known(x.to); err != nil {
			return err
		} else if p.tip != "" && p.tip == known && x.repo.Has(p.tip) {
			return x.relate(ctx, p.tip)
		}
	}
	got, err := x.repo.Fetch(ctx, x.to.Remote.Name, x.to.Branch, x.transfer())
	if err != nil {
		return err
	}
	return x.relate(ctx, got.Tip)
}

// relate takes over what the remote's tip has and the store has not.
func (x *exchange) relate(ctx context.Context, tip string) error {
	if x.tip = tip; x.tip == "" || x.tip == x.head {
		return nil
	}
	if x.head != "" {
		switch rel, _, err := x.repo.Relate(x.head, x.tip); {
		case err != nil:
			return err
		case rel == gitlog.Ahead || rel == gitlog.Same:
			return nil
		}
	}
	return x.turns(ctx, x.take)
}

// take is the turn in which the remote's commits become the store's.
func (x *exchange) take(ctx context.Context, k *Keeper) error {
	before := x.head
	t, err := k.takeOver(ctx, x.tip)
	if standErr := x.stand(k); err == nil {
		err = standErr
	}
	x.out.Files += len(t.joined.Changes)
	x.out.Joined = x.out.Joined || !t.joined.Forward && !t.joined.Unchanged && t.joined.Commit != ""
	x.out.Conflicts = append(x.out.Conflicts, t.conflicts...)
	x.out.Quarantined = append(x.out.Quarantined, t.quarantined...)
	x.out.Kept = append(x.out.Kept, t.kept...)
	if err != nil {
		return err
	}
	x.out.Held = len(t.report.Held)
	if x.out.Writers, err = k.Confined(); err != nil {
		return err
	}
	_, pulled, err := k.repo.Apart(before, x.tip)
	if err != nil {
		return err
	}
	x.out.Pulled += pulled
	events := []memsync.Event{{Op: memsync.EventPulled, At: k.opt.Now().UTC().Truncate(time.Millisecond), Commit: x.head}}
	for _, p := range t.conflicts {
		e := events[0]
		e.Op, e.Path = memsync.EventConflict, p
		events = append(events, e)
	}
	return k.journal.Emit(events...)
}

// send pushes what the remote lacks; sent: something went.
func (x *exchange) send(ctx context.Context) (sent bool, err error) {
	if !x.push || x.head == "" || x.head == x.tip {
		return false, nil
	}
	ahead, _, err := x.repo.Apart(x.head, x.tip)
	if err != nil {
		return false, err
	}
	if x.out.Leaks, err = leaving(x.repo, x.to, x.head, x.tip); err != nil {
		return false, err
	}
	if err := checkout.Blocked(x.out.Leaks); err != nil {
		return false, err
	}
	opt := x.transfer()
	opt.Scanned = true
	if err := x.repo.Push(ctx, x.to.Remote.Name, x.head, x.to.Branch, opt); err != nil {
		return false, err
	}
	x.out.Pushed, x.tip = ahead, x.head
	return true, nil
}

func (x *exchange) tellPushed(_ context.Context, k *Keeper) error {
	return k.journal.Emit(memsync.Event{Op: memsync.EventPushed, At: k.opt.Now().UTC().Truncate(time.Millisecond), Commit: x.out.Commit})
}

// leaving is what must not leave of what a push would bring.
func leaving(repo *gitlog.Repo, to gitlog.Destination, head, tip string) ([]checkout.Leak, error) {
	if tip == "" {
		tip = nobody(head)
	}
	return checkout.Leaving(repo, true, to.Remote.Name, []checkout.Range{{Local: head, Remote: tip}})
}

// nobody is git's name for no commit, as long as another name.
func nobody(like string) string { return string(slices.Repeat([]byte{'0'}, len(like))) }

// rehearse says what an exchange would do, as far as that is known without a
// fetch.
func (x *exchange) rehearse(ctx context.Context) error {
	c, err := compare(ctx, x.repo, x.to, x.head, x.transfer())
	if err != nil {
		return err
	}
	x.tip, x.out.Unfetched, x.out.Pulled = c.Tip, c.Unknown, c.Behind
	if !x.push || c.Ahead == 0 {
		return nil
	}
	known := c.Tip
	if c.Unknown {
		known = ""
	}
	if x.out.Leaks, err = leaving(x.repo, x.to, x.head, known); err != nil {
		return err
	}
	x.out.Pushed = c.Ahead
	return checkout.Blocked(x.out.Leaks)
}

// count says how the store stands to what is known of its remote.
func (x *exchange) count() {
	known, err := x.repo.Known(x.to)
	if err == nil {
		x.out.Ahead, x.out.Behind, _ = x.repo.Apart(x.head, known) // of unrelated ones nobody counts
	}
}

// isCopy reports whether a path is that of a conflict copy.
func isCopy(p memsync.Path) bool {
	dir := p.Dir()
	return dir.Base() == "conflicts" && dir.Dir().Base() == "_system"
}
