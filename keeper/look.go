package keeper

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"memsync"
	"memsync/indexer"
	"memsync/internal/store"
	"memsync/watcher"
)

// How long a file may look unfinished before it is believed. Editors replace
// files by way of a moment without them; slow writers pause inside a block.
const (
	goneGrace     = 500 * time.Millisecond
	emptyGrace    = 500 * time.Millisecond
	unclosedGrace = 2 * time.Second
	truncating    = 20 * time.Millisecond
)

// sight is what one look at the disk found.
type sight struct {
	saves    []memsync.Candidate // changed and new memories, by path
	gone     []memsync.Candidate // vanished memories, by path
	authored []memsync.Candidate // files that people write and we only commit
	edited   []savedIndex        // MEMORY.md files that somebody saved
	indexes  []memsync.Path      // MEMORY.md files that somebody removed
	index    map[string]*indexEdit
	reviews  []savedReview
	ticks    []memsync.Candidate // decisions that a person ticked in REVIEW.md
	skipped  []memsync.Finding
	rooms    []memsync.Path // scope directories that are missing or hold nothing, as an unmounted disk leaves them
	on       int            // memories on disk
	again    []memsync.Path // unfinished, in a glance
}

// glance is where a look looks.
type glance struct {
	paths  []memsync.Path // these alone; nil is everywhere
	graced []memsync.Path // what is away of these was away for long enough
}

// errElsewhere: what a glance at a few paths found can be understood only by
// looking everywhere. A vanished memory may be half of a rename or of a mass
// delete, a policy file may change what counts.
var errElsewhere = errors.New("look everywhere")

// scan asks the watcher what differs from what was noted.
func (k *Keeper) scan(ctx context.Context, g glance) (watcher.Batch, error) {
	outside := k.Store.Kind != store.Embedded
	if g.paths != nil {
		b := watcher.Look(k.Store.Root, k.Store.Scopes, outside, g.paths)
		for _, p := range b.Absent {
			if _, _, accepted := k.catalog.Accepted(p); accepted || k.isHeld(p) {
				return b, errElsewhere
			}
		}
		for _, seen := range b.Authored {
			if base := seen.Path.Base(); base == "memsync.toml" || base == "workspace.toml" || base == ".gitignore" || base == ".gitattributes" {
				return b, errElsewhere
			}
		}
		return b, nil
	}
	b, err := k.scanAll(outside)
	if errors.Is(err, indexer.ErrDamaged) {
		if err := k.renew(ctx); err != nil {
			return watcher.Batch{}, err
		}
		b, err = k.scanAll(outside)
	}
	return b, err
}

func (k *Keeper) scanAll(outside bool) (watcher.Batch, error) {
	walk, err := k.catalog.Walk(k.Store.Kind == store.Embedded) // a project's other files are the project's
	if err != nil {
		return watcher.Batch{}, err
	}
	b, err := watcher.Scan(k.Store.Root, k.Store.Scopes, outside, &watcher.Known{
		Stat: func(p memsync.Path) (watcher.Stat, bool) {
			st, ok := walk.Stat(p)
			return watcher.Stat(st), ok
		},
		Next: walk.Next,
	})
	return b, errors.Join(err, walk.Close())
}

// look scans the disk and reads what differs from what was accepted. Files
// that were only touched are noted in the catalog on the way.
func (k *Keeper) look(ctx context.Context, g glance) (*sight, error) {
	scanned, err := k.scan(ctx, g)
	if err != nil {
		return nil, err
	}
	k.head = nil
	s := &sight{index: map[string]*indexEdit{}, rooms: append(scanned.RootGone, scanned.Emptied...), on: scanned.Memories}
	s.skipped = skipFindings(scanned.Skipped)
	touched := indexer.Update{Stats: map[memsync.Path]indexer.Disk{}}

	paths := map[memsync.Path]bool{}
	for _, seen := range scanned.Changed {
		paths[seen.Path] = true
	}
	authored := map[memsync.Path]bool{}
	for _, seen := range scanned.Authored {
		authored[seen.Path] = true
	}
	if g.paths == nil {
		for _, h := range k.heldNow() { // what waits is looked at each time: rules, policy and allowances move
			if k.isAuthored(h.Path) {
				authored[h.Path] = true
			} else {
				paths[h.Path] = true
			}
		}
	}
	files := watcher.NewReader(k.Store.Root)
	defer files.Close()
	ignored, err := k.repo.Ignored(slices.Collect(maps.Keys(paths)))
	if err != nil {
		return nil, err
	}
	for i, p := range slices.Sorted(maps.Keys(paths)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k.opt.Progress(i, len(paths))
		if ignored[p] {
			continue
		}
		if err := k.lookAt(ctx, s, files, p, g, &touched); err != nil {
			return nil, err
		}
	}
	if g.paths == nil {
		if err := k.lookForGone(ctx, s, scanned, g.graced); err != nil {
			return nil, err
		}
	}
	k.lookForIndexes(s)
	if !k.opt.ReadOnly && g.paths == nil {
		k.sight = s
		if err := k.bringBackLedgers(); err != nil {
			return nil, err
		}
	}
	for _, p := range slices.Sorted(maps.Keys(authored)) {
		if err := k.lookAtAuthored(s, p, &touched); err != nil {
			return nil, err
		}
	}
	if err := k.lookAtIndexes(ctx, s); err != nil {
		return nil, err
	}
	if err := k.lookAtReviews(s); err != nil {
		return nil, err
	}
	if len(touched.Stats) > 0 && !k.opt.ReadOnly {
		if err := k.catalog.PutStats(touched.Stats); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// lookAt reads one path that may have changed.
func (k *Keeper) lookAt(ctx context.Context, s *sight, files *watcher.Reader, p memsync.Path, g glance, touched *indexer.Update) error {
	scope, ok := memsync.ScopeOf(k.Store.Scopes, p)
	if !ok {
		return nil
	}
	before := k.opt.Now()
	data, st, err := files.Read(p, int64(k.Store.Policy.Limits.SaveBytes))
	if err == nil && len(data) == 0 && !k.opt.ReadOnly {
		// A file that is being truncated is empty a moment before its times say so
		// (Linux writes the size first), and would look as if it had been for long.
		if err := sleep(ctx, truncating); err != nil {
			return err
		}
		before = k.opt.Now()
		data, st, err = files.Read(p, int64(k.Store.Policy.Limits.SaveBytes))
	}
	switch {
	case errors.Is(err, memsync.CodeTooLarge):
		// The candidate carries one byte too many, so that shape says so
		// without anybody reading the rest.
		data = make([]byte, k.Store.Policy.Limits.SaveBytes+1)
	case errors.Is(err, memsync.CodeNotFound):
		return k.heldIsGone(p)
	case err != nil:
		s.skipped = append(s.skipped, memsync.Finding{Code: memsync.FindSkipped, Severity: memsync.Severe, Path: p, Message: err.Error(),
			Hint: "make the file readable; nothing else waits for it"})
		return nil
	}
	hash := memsync.HashOf(data)
	accepted, _, isKnown := k.catalog.Accepted(p)
	if isKnown && hash == accepted && !k.isHeld(p) {
		k.note(touched, p, st, before, hash, data)
		return k.lookAgainAtKnown(s, p, scope)
	}
	if k.Store.CommitMode() == memsync.CommitOff && !k.isHeld(p) && err == nil && !k.opt.ReadOnly {
		// Where the person commits, git moves files too: what HEAD holds is a
		// revision to catch up with, not a save.
		if blob, err := k.headBlob(p); err != nil {
			return err
		} else if blob != "" && blob == k.repo.BlobID(data) {
			k.returned = append(k.returned, p)
			return nil
		}
	}
	if left := k.unfinished(st, data); err == nil && left > 0 {
		if g.paths != nil {
			s.again = append(s.again, p)
			return nil
		}
		if data, err = k.waitForRest(ctx, p, data, left); err != nil {
			return err
		}
	}
	s.saves = append(s.saves, memsync.Candidate{Origin: memsync.OriginFile, Actor: scope.Writers.Actor(), Op: memsync.OpUpsert,
		Scope: scope.Name(), Path: p, Raw: data})
	return nil
}

func (k *Keeper) isHeld(p memsync.Path) bool {
	return slices.ContainsFunc(k.heldNow(), func(h memsync.Held) bool { return h.Path == p })
}

func skipFindings(skips []watcher.Skip) []memsync.Finding {
	var out []memsync.Finding
	for _, s := range skips {
		out = append(out, memsync.Finding{Code: memsync.FindSkipped, Severity: memsync.Warning, Path: s.Path, Message: s.Reason,
			Hint: "memories are regular files; move the file itself here"})
	}
	return out
}
