package keeper

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"memsync"
	"memsync/gitlog"
	"memsync/gitlog/journal"
	"memsync/indexer"
	"memsync/indexer/search"
	"memsync/internal/ledger"
	"memsync/internal/store"
	"memsync/internal/text"
	"memsync/watcher"
)

// Options say how a store is opened.
type Options struct {
	ReadOnly bool          // dry run and reading verbs: nothing is written anywhere, ever
	Unlocked bool          // the store's lock is held for this keeper, see Turn and Lend
	Wait     time.Duration // for the store's lock; 0 means LockWait
	LookUp   bool          // memories are looked up and read, and nothing is decided
	NoBinary bool          // as on a machine without git
	Now      func() time.Time
	Notice   func(format string, args ...any) // talk for people; nil is silence
	Progress func(done, total int)            // long work; nil is silence

	// Busy is asked, again and again, while another process holds the store's
	// lock; true ends the wait with CodeStoreBusy. Nil only waits.
	Busy func(stateDir string) bool
}

// Keeper owns one store. It is used by one goroutine at a time; several take
// turns, see Turn.
type Keeper struct {
	Store *store.Store

	opt     Options
	repo    *gitlog.Repo
	journal *journal.Journal
	log     *gitlog.Log
	catalog *indexer.Catalog
	lock    *flock.Flock
	ids     *ids
	clone   memsync.ID
	scratch string // of a read-only keeper: its own copy of the local state

	turn     chan struct{} // holds one entry while somebody has the keeper
	told     chan struct{} // holds one entry when somebody asked for a look, see Look
	turns    atomic.Uint64 // how often somebody had it
	delivery string        // see Caller

	// What is known at the current revision; each is made when first asked for.
	view   *memsync.View
	state  *ledger.State
	folded folded // what State folded last
	near   map[nearKey]*text.Table
	held   []memsync.Held
	hidden []memsync.Path // quarantined: in the catalog and not in the view

	index *search.Index // nil until it is asked for

	parts readBefore // of compositions

	// MEMORY.md of a scope, as this keeper made it of the view.
	digested map[string]memsync.Hash

	nameless []memsync.Held // files held in this process whose very name is a secret

	// What the next step must take along.
	sight         *sight
	returned      []memsync.Path       // files that git, not a person, put back: as accepted, or as HEAD holds them
	spooled       []memsync.FileChange // conflict copies of a merge that git ran, for the next plan
	head          map[memsync.Path]string
	stale         map[string]bool // scopes whose MEMORY.md others' commits may have left behind
	knewHeld      map[memsync.Path]memsync.Hash
	acceptDeletes bool

	watch    atomic.Pointer[watcher.Watch] // while it runs
	lockFile os.FileInfo                   // of the lock that is held
	lent     bool                          // another process had the store, and what it left is not looked at yet
}

type nearKey struct{ scope, kind string }

// Open takes the store's lock, finishes what an earlier process left
// unfinished, and catches up with commits that others made.
func Open(ctx context.Context, s *store.Store, opt Options) (k *Keeper, err error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Wait == 0 {
		opt.Wait = LockWait
	}
	if opt.Notice == nil {
		opt.Notice = func(string, ...any) {}
	}
	if opt.Progress == nil {
		opt.Progress = func(int, int) {}
	}
	k = &Keeper{Store: s, opt: opt, ids: newIDs(), digested: map[string]memsync.Hash{}, turn: make(chan struct{}, 1), told: make(chan struct{}, 1)}
	defer func() {
		if err != nil {
			k.Close()
			k = nil
		}
	}()
	if k.repo, err = gitlog.Open(s.Root, gitlog.Options{NoBinary: opt.NoBinary}); err != nil {
		return k, err
	}
	dir := k.repo.StateDir()
	if k.lock, err = k.takeLock(ctx, dir); err != nil {
		return k, err
	}
	k.lockFile, _ = os.Stat(filepath.Join(dir, "lock"))
	if opt.ReadOnly {
		if dir, err = k.copyState(dir); err != nil {
			return k, err
		}
	}
	if err := k.openState(dir); err != nil {
		return k, err
	}
	if err := k.loadPolicy(); err != nil {
		return k, err
	}
	if s.Kind != store.Embedded {
		k.repo.ExpectBranch(s.Policy.Git.Branch)
	}
	id, err := k.log.Clone(func() memsync.ID { return k.ids.draw(opt.Now()) })
	if err != nil {
		return k, err
	}
	k.clone = id
	if err := k.recallStale(); err != nil {
		return k, err
	}
	if !opt.ReadOnly {
		if err := k.replay(ctx); err != nil {
			return k, err
		}
	}
	err = k.catchUp(ctx) // which keeps what it reads of memories
	k.catalog.Bare(opt.LookUp)
	return k, err
}

const catalogName = "catalog.db"

// openState opens what is known locally of the store.
func (k *Keeper) openState(dir string) (err error) {
	if k.journal, err = journal.Open(filepath.Join(dir, "journal.db"), journal.Options{Timeout: k.opt.Wait}); err != nil {
		return err
	}
	k.log = &gitlog.Log{Repo: k.repo, Journal: k.journal}
	k.catalog, err = indexer.Open(filepath.Join(dir, catalogName), indexer.Options{Timeout: k.opt.Wait})
	return err
}

func (k *Keeper) closeState() error {
	var errs []error
	k.closeIndex()
	if k.catalog != nil {
		errs = append(errs, k.catalog.Close())
		k.catalog = nil
	}
	if k.journal != nil {
		errs = append(errs, k.journal.Close())
		k.journal = nil
	}
	return errors.Join(errs...)
}

// renew throws away a catalog that turned out to be damaged and makes it anew
// from HEAD.
func (k *Keeper) renew(ctx context.Context) error {
	k.opt.Notice("the catalog was damaged and is made anew")
	if err := k.catalog.Discard(); err != nil {
		return err
	}
	c, err := indexer.Open(filepath.Join(k.localState(), catalogName), indexer.Options{Timeout: k.opt.Wait})
	if err != nil {
		return err
	}
	k.catalog = c
	return k.refresh(ctx)
}

// takeLock takes the store's lock. A read-only keeper takes it only where
// somebody made it before, and leaves no record.
func (k *Keeper) takeLock(ctx context.Context, dir string) (*flock.Flock, error) {
	if k.opt.Unlocked {
		return nil, nil
	}
	if k.opt.ReadOnly {
		if _, err := os.Stat(filepath.Join(dir, "lock")); err != nil {
			return nil, nil
		}
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, ioError(err, "")
	}
	return lockStore(ctx, dir, k.opt.Wait, k.opt.Busy, !k.opt.ReadOnly)
}

// copyState gives a read-only keeper a journal and a catalog to write to that
// nobody else ever sees.
func (k *Keeper) copyState(dir string) (string, error) {
	scratch, err := os.MkdirTemp("", "memsync-dry-")
	if err != nil {
		return "", ioError(err, "")
	}
	k.scratch = scratch
	for _, name := range []string{"journal.db", catalogName, catalogName + ".state"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(scratch, name), data, 0o600)
		}
		if err != nil {
			return "", ioError(err, "")
		}
	}
	return scratch, nil
}

// Close lets go of the store. It may be called more than once.
func (k *Keeper) Close() error {
	errs := []error{k.closeState()}
	if k.scratch != "" {
		errs = append(errs, os.RemoveAll(k.scratch))
		k.scratch = ""
	}
	if k.lock != nil {
		errs = append(errs, k.lock.Unlock())
		k.lock = nil
	}
	return errors.Join(errs...)
}

// replay finishes or undoes the plans that a killed process left behind.
func (k *Keeper) replay(ctx context.Context) error {
	done, err := k.log.Replay(ctx)
	if err != nil {
		return err
	}
	for _, r := range done {
		if r.Outcome == journal.Superseded {
			k.opt.Notice("plan %s was overtaken by newer bytes on disk; what it would have written is kept: memsync status", r.Plan.ID)
		} else {
			k.opt.Notice("plan %s was left unfinished and is finished now", r.Plan.ID)
		}
	}
	return k.purgeIndex()
}

// loadPolicy falls back to the last good memsync.toml when the one on disk
// does not decode.
func (k *Keeper) loadPolicy() error {
	if k.Store.PolicyErr == nil {
		return nil
	}
	if errors.Is(k.Store.PolicyErr, memsync.CodeStoreFormat) {
		return k.Store.PolicyErr
	}
	_, blob, ok := k.catalog.Accepted(k.Store.PolicyPath())
	if !ok || blob == "" {
		return k.Store.PolicyErr
	}
	data, err := k.repo.Blob(blob)
	if err != nil {
		return k.Store.PolicyErr
	}
	return k.Store.UsePolicy(data)
}

// View is what is in the store at the revision that the keeper stands at.
func (k *Keeper) View() (*memsync.View, error) {
	if k.view == nil {
		v, err := k.catalog.View(k.Store.Scopes)
		if errors.Is(err, indexer.ErrDamaged) {
			if err := k.renew(context.Background()); err != nil {
				return nil, err
			}
			v, err = k.catalog.View(k.Store.Scopes)
		}
		if err == nil {
			v, err = k.visible(v)
		}
		if err != nil {
			return nil, err
		}
		k.view = v
	}
	return k.view, nil
}

func ledgerDir(s memsync.Scope) memsync.Path { return s.System.Join("_system", "ledger") }

// Repo and Journal are for verbs that only read them.
func (k *Keeper) Repo() *gitlog.Repo        { return k.repo }
func (k *Keeper) Journal() *journal.Journal { return k.journal }

func (k *Keeper) abs(p memsync.Path) string {
	return filepath.Join(k.Store.Root, filepath.FromSlash(string(p)))
}
