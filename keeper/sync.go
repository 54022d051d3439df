package keeper

import (
	"context"
	"errors"
	"time"

	"memsync"
	"memsync/internal/checkout"
)

// How a dedicated store is exchanged with its remote: what waits on the disk is
// decided about, then the remote's commits are fetched, taken over (gitlog.Log's
// Join) and scanned, then ours are scanned and pushed. Laws:
//
//   - The network is talked to between two turns of the keeper: others write
//     meanwhile.
//   - One exchange of a store at a time, whoever asks.
//   - Nothing is forced, ever; nothing is sent where nobody chose a remote for the
//     branch; nothing leaves that the scan refuses.
//   - Only a push that came second is tried again by itself.
//   - A repository in the middle of something is left alone, before the network is.

// Turns gives a store's keeper to do, one turn each call; between two calls others
// may have it.
type Turns func(ctx context.Context, do func(ctx context.Context, k *Keeper) error) error

// SyncOptions say how far an exchange goes.
type SyncOptions struct {
	NoPush  bool
	DryRun  bool          // say what would happen; the remote is asked for its tip alone
	Ask     bool          // a person sits at the terminal: git and ssh may ask there
	Timeout time.Duration // of one transfer; 0 is gitlog.DefaultTransfer
	Wait    time.Duration // for an exchange that is at work; 0 gives up at once
}

// Synced is what one exchange did. Commit ids are full, counts are of commits
// unless they say otherwise.
type Synced struct {
	At          time.Time       `json:"at"`
	Remote      string          `json:"remote"`
	Address     string          `json:"address"` // without what must not be seen
	Branch      string          `json:"branch"`  // over there
	Before      string          `json:"before"`
	Commit      string          `json:"commit"`
	Pulled      int             `json:"pulled"`
	Files       int             `json:"files"` // that differ here since
	Joined      bool            `json:"joined"`
	Pushed      int             `json:"pushed"`
	Ahead       int             `json:"ahead"` // afterwards
	Behind      int             `json:"behind"`
	Conflicts   []memsync.Path  `json:"conflicts"`             // copies of texts that lost, which came with it
	Quarantined []memsync.Path  `json:"quarantined"`           // that the scan took out of sight
	Kept        []memsync.Path  `json:"kept,omitempty"`        // removed here, edited there: back on disk
	Writers     []Confined      `json:"writers,omitempty"`     // see Confined
	Held        int             `json:"held"`                  // files that wait for a person, and did before
	NotPushed   string          `json:"not_pushed,omitempty"`  // why commits stay, where that is no error
	Error       *memsync.Error  `json:"error,omitempty"`       // what ended it early
	Leaks       []checkout.Leak `json:"-"`                     // what must not leave
	DryRun      bool            `json:"dry_run,omitempty"`     // nothing of it was done
	Unfetched   bool            `json:"unfetched,omitempty"`   // of a dry run: the remote has commits that are not here, so nobody counted them
	Interrupted bool            `json:"interrupted,omitempty"` // the caller went away, or what gives turns failed
}

// Exchanged reports whether anything went either way.
func (s Synced) Exchanged() bool { return s.Pulled > 0 || s.Pushed > 0 || s.Joined }

// NeedsPerson reports whether what came is a person's to decide about.
func (s Synced) NeedsPerson() bool {
	return len(s.Conflicts) > 0 || len(s.Quarantined) > 0 || len(s.Writers) > 0
}

// Sync exchanges a store's commits with its remote. What it did before it failed
// is in Synced all the same.
//
// Errors: memory.sync.*; CodeStorePaused; CodeStoreBusy for another exchange at
// work; CodeStoreRefused for a store that is no repository of its own, or the
// local one; what the keeper says.
func Sync(ctx context.Context, turns Turns, opt SyncOptions) (Synced, error) {
	x := &exchange{turns: turns, opt: opt, out: Synced{At: time.Now().UTC().Truncate(time.Millisecond), DryRun: opt.DryRun,
		Conflicts: []memsync.Path{}, Quarantined: []memsync.Path{}}}
	err := x.run(ctx)
	var e *memsync.Error
	switch {
	case err == nil:
	case errors.As(err, &e):
		x.out.Error = e
	default:
		x.out.Interrupted = true
		return x.out, err
	}
	if x.repo != nil {
		x.count()
		if !opt.DryRun && !errors.Is(err, memsync.CodeStoreBusy) { // then another one will say
			err = errors.Join(err, putLastSync(x.repo, x.out))
		}
	}
	return x.out, err
}
