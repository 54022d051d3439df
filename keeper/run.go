package keeper

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"memsync"
	"memsync/internal/store"
	"memsync/watcher"
)

// RunOptions say how a keeper goes on by itself. None of the functions may
// wait for the keeper.
type RunOptions struct {
	Timing  watcher.Timing
	Poll    bool               // look now and then instead of listening
	Ready   func()             // the first look is done
	Report  func(Report)       // a pass did or found something
	Problem func(error)        // a pass failed; it is tried again
	Sight   func(watcher.Info) // the watcher became blind, or sees again
	Synced  func(Synced)       // an exchange with the remote did something, or ended otherwise than the one before
}

// How long to wait before something is tried again. Git's own commands end, so
// a paused repository is asked often; a disk that is full stays so for a while.
const (
	pausedRetry = time.Second // git's directory tells, too; this is in case it does not
	failedRetry = time.Second
	failedMost  = 30 * time.Second
)

// restAfter is how long nobody has a turn, once to twice that long, until memory
// that work took goes back to the system. A guess.
const restAfter = 5 * time.Second

// passingMost is how long a git command may take before people are told that
// it is waited for.
const passingMost = 5 * time.Second

// tendEvery is how often, at most, an idle keeper lets git pack what its
// commits left.
const tendEvery = 10 * time.Minute

// Run takes every save through the house as soon as it is settled, until ctx
// ends. It returns nil then; a pass that has begun is finished first.
func (k *Keeper) Run(ctx context.Context, opt RunOptions) error {
	watching, stop := context.WithCancel(context.Background())
	defer stop()
	r := &runner{k: k, opt: opt, todo: watcher.Settled{All: true}, tended: time.Now()}
	release, err := k.Turn(ctx) // clients may be here already
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	r.policy = r.stamps()
	w := watcher.Start(watching, k.place(), opt.Timing, opt.Poll, opt.Sight)
	release()
	k.watch.Store(w)
	defer k.watch.Store(nil)
	r.watch = w
	retry := time.NewTimer(0)
	defer retry.Stop()
	rest := time.NewTicker(restAfter)
	defer rest.Stop()
	exchanging, end := context.WithCancel(ctx)
	var exchanges sync.WaitGroup
	defer func() { end(); exchanges.Wait() }()
	r.syncs = &exchanger{k: k, told: opt.Synced, made: make(chan struct{}, 1)}
	for {
		select {
		case <-ctx.Done():
			return nil
		case s := <-w.Settled():
			r.todo.Paths = append(r.todo.Paths, s.Paths...)
			r.todo.All, r.todo.Git = r.todo.All || s.All, r.todo.Git || s.Git
		case <-retry.C:
			r.todo.Paths = append(r.todo.Paths, r.again...)
			r.again = nil
		case <-k.told:
			r.todo.All, r.todo.Git = true, true
		case <-rest.C:
			r.rest()
			continue
		}
		if ctx.Err() != nil {
			return nil
		}
		retry.Stop()
		rested := r.rested == k.turns.Load()
		r.worked = false
		wait := r.pass(ctx)
		if r.replaced {
			return ErrReplaced
		}
		if opt.Ready != nil {
			opt.Ready()
			opt.Ready = nil
			if opt.Synced != nil {
				exchanges.Go(func() { r.syncs.run(exchanging) })
			}
		}

		if wait == 0 && r.feed(ctx) {
			wait = time.Millisecond
		}
		if rested && !r.worked { // a look that found nothing is rest, too
			r.rested = k.turns.Load()
		}
		if wait > 0 {
			retry.Reset(wait)
		}
		r.tend()
	}
}

// Look has a Run look at everything soon, for whoever knows that git has just
// moved files: a watcher that is blind or polls would see it later. It never
// waits, and does nothing where there is no Run.
func (k *Keeper) Look() {
	select {
	case k.told <- struct{}{}:
	default: // one look sees all
	}
}

// ErrReplaced ends a Run whose store is another one now: its git directory, or
// what memsync keeps in it, was removed and is back, and the lock that this
// process holds locks nothing any more. Whoever ran it opens the store anew.
var ErrReplaced = errors.New("the store was replaced")

// isReplaced reports whether the lock in its place is not the one that is held.
func (k *Keeper) isReplaced() bool {
	if _, err := os.Stat(k.repo.GitDir()); err != nil {
		return false // gone, and looked for
	}
	now, err := os.Stat(filepath.Join(k.repo.StateDir(), "lock"))
	return err != nil && errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, k.lockFile)
}

// Watching is how well a running keeper sees; nil when it does not run.
func (k *Keeper) Watching() *watcher.Info {
	w := k.watch.Load()
	if w == nil {
		return nil
	}
	info := w.Info()
	return &info
}

// place is what there is to watch.
func (k *Keeper) place() watcher.Place {
	p := watcher.Place{Root: k.Store.Root, Scopes: k.Store.Scopes, Outside: k.Store.Kind != store.Embedded, GitDir: k.repo.GitDir()}
	if !p.Outside {
		p.Own = k.Store.Base()
	}
	return p
}

// runner is one Run.
type runner struct {
	k     *Keeper
	opt   RunOptions
	watch *watcher.Watch

	todo     watcher.Settled // since the last pass that succeeded
	again    []memsync.Path  // unfinished files
	paused   string          // that was reported
	since    time.Time       // when the repository was first found busy, zero when it is not
	failed   time.Duration   // how long the last failure is waited for
	policy   [2]stamp
	gone     bool   // the store's directory is
	fed      bool   // the search index lacked nothing when it was last fed
	starved  bool   // the search index could not be fed, which was told
	replaced bool   // see ErrReplaced
	turns    uint64 // of the keeper, when they were last counted
	rested   uint64 // turns when memory was last given back
	worked   bool   // the pass at hand did something
	made     bool   // commits since git last tidied up
	syncs    *exchanger
	tended   time.Time // when
}

// tend lets git pack what commits have left, when nothing else is to be done.
func (r *runner) tend() {
	if r.made && len(r.todo.Paths) == 0 && time.Since(r.tended) > tendEvery {
		r.made, r.tended = false, time.Now()
		_ = r.k.repo.Maintain(context.Background()) // it only saves room
	}
}

// rest gives memory back once nobody has had a turn for a while.
func (r *runner) rest() {
	turns := r.k.turns.Load()
	if turns != r.turns || r.rested == turns {
		r.turns = turns
		return
	}
	select {
	case r.k.turn <- struct{}{}:
	default:
		return // somebody has just come
	}
	defer func() { <-r.k.turn }()
	r.rested = turns
	r.k.closeIndex() // its files are mapped; the next search opens it again
	if r.k.catalog != nil {
		_ = r.k.catalog.Rest() // it only saves memory
	}
	runtime.GC() // what pools keep for the next use goes with the second collection
	debug.FreeOSMemory()
}

// feed has the search index take a slice of what it lacks, and reports whether
// it lacks more. What fails is tried again after the next pass, and told to
// whoever searches.
func (r *runner) feed(ctx context.Context) (more bool) {
	release, err := r.k.Turn(ctx)
	if err != nil {
		return false
	}
	defer release()
	if r.k.index == nil && r.fed { // it was closed for a rest
		if _, todo, err := r.k.catalog.Fresh(); err == nil && len(todo) == 0 {
			return false
		}
	}
	r.worked = true
	more, err = r.k.feed(ctx, slice)
	r.fed = err == nil && !more
	switch {
	case err == nil:
		r.starved = false
	case !r.starved && ctx.Err() == nil:
		r.starved = true
		r.opt.Problem(err)
	}
	return more && err == nil
}

// pass does what there is to do. It says when to try again, 0 for never.
func (r *runner) pass(ctx context.Context) time.Duration {
	release, err := r.k.Turn(ctx)
	if ctx.Err() != nil {
		if err == nil {
			release()
		}
		return 0
	}
	var report Report
	if err == nil {
		defer release()
		if _, gone := os.Stat(r.k.Store.Root); gone != nil {
			if !r.gone { // the watcher begins anew, says that it is blind, and looks for it
				r.gone = true
				r.watch.Follow(ctx, r.k.place())
			}
			r.todo.All = true
			return failedRetry
		}
		r.gone = false
		if r.replaced = r.k.isReplaced(); r.replaced {
			return 0
		}
		report, err = r.look(context.WithoutCancel(ctx))
		r.syncs.at(r.k.catalog.Revision().Commit)
	}
	switch {
	case err != nil:
		r.failed = min(max(2*r.failed, failedRetry), failedMost)
		r.todo.All = true
		r.opt.Problem(err)
		return r.failed
	case report.Paused != "":
		if r.since.IsZero() {
			r.since = time.Now()
		}
		if passing := report.Paused == "locked" || report.Paused == "commit"; report.Paused != r.paused && (!passing || time.Since(r.since) > passingMost) {
			r.opt.Report(report)
			r.paused = report.Paused
		}
		r.todo.All = true
		return pausedRetry
	}
	r.worked = len(report.Outcomes) > 0
	if r.worked || r.paused != "" {
		r.opt.Report(report)
	}
	r.paused, r.since, r.failed = "", time.Time{}, 0
	r.made = r.made || slices.ContainsFunc(report.Outcomes, func(o Outcome) bool { return o.Commit != "" })
	if r.todo.All {
		r.watch.Reconciled(time.Now())
	}
	r.todo = watcher.Settled{}
	if r.again = report.Again; len(r.again) > 0 {
		return emptyGrace
	}
	return 0
}

// look is one pass over what is to be done.
func (r *runner) look(ctx context.Context) (Report, error) {
	k := r.k
	st, err := k.repo.State()
	if err != nil {
		return Report{}, err
	}
	if st.Paused != "" {
		return Report{Paused: st.Paused, Detail: st.Detail}, nil
	}
	if st.Head != k.catalog.Revision().Commit { // somebody else committed, or switched
		if err := k.refresh(ctx); err != nil {
			return Report{}, err
		}
		r.todo.All = true
	}
	if now := r.stamps(); now != r.policy || k.scopesMoved() {
		r.policy = now
		if err := k.reload(); err != nil {
			return Report{}, err
		}
		if err := k.catchUp(ctx); err != nil {
			return Report{}, err
		}
		r.watch.Follow(ctx, k.place())
		r.todo.All = true
	}
	opt := OnceOptions{}
	if !r.todo.All {
		if len(r.todo.Paths) == 0 {
			return Report{}, nil
		}
		slices.Sort(r.todo.Paths)
		opt.Only = slices.Compact(r.todo.Paths)
	}
	return k.Once(ctx, opt)
}

// stamp tells whether a file was written.
type stamp struct {
	size int64
	mod  time.Time
}

// stamps are those of the policy files.
func (r *runner) stamps() (out [2]stamp) {
	for i, name := range []memsync.Path{r.k.Store.PolicyPath(), store.Dir.Join("workspace.toml")} {
		if info, err := os.Stat(filepath.Join(r.k.Store.Root, filepath.FromSlash(string(name)))); err == nil {
			out[i] = stamp{info.Size(), info.ModTime()}
		}
	}
	return out
}

// scopesMoved reports whether a scope's directory came or went: the standard
// ones need no policy.
func (k *Keeper) scopesMoved() bool {
	now := *k.Store
	return now.Resolve() == nil && !reflect.DeepEqual(now.Scopes, k.Store.Scopes)
}

// reload reads the store's policy and scopes again. A policy that does not
// decode leaves the last good one in force.
func (k *Keeper) reload() error {
	s, err := store.Load(k.Store.Root, k.Store.Kind)
	if err != nil {
		return err
	}
	if s.PolicyErr != nil && !errors.Is(s.PolicyErr, memsync.CodeStoreFormat) {
		s.Policy, s.Scopes = k.Store.Policy, k.Store.Scopes // the last good ones
	}
	k.Store = s
	if k.Store.PolicyErr != nil && errors.Is(k.Store.PolicyErr, memsync.CodeStoreFormat) {
		return k.Store.PolicyErr
	}
	if k.Store.Kind != store.Embedded {
		k.repo.ExpectBranch(k.Store.Policy.Git.Branch)
	}
	k.forgetDerived()
	return nil
}
