package keeper

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"memsync"
	"memsync/controller"
	"memsync/indexer"
	"memsync/indexer/recall"
	"memsync/internal/format"
	"memsync/internal/store"
	"memsync/watcher"
)

// How long a file may look unfinished before it is believed. Editors replace
// files by way of a moment without them; slow writers pause inside a block.
const (
	goneGrace     = 500 * time.Millisecond
	unclosedGrace = 2 * time.Second
)

// sight is what one look at the disk found.
type sight struct {
	saves    []memsync.Candidate // changed and new memories, by path
	gone     []memsync.Candidate // vanished memories, by path
	authored []memsync.Candidate // files that people write and we only commit
	edited   []savedIndex        // MEMORY.md files that somebody saved
	indexes  []memsync.Path      // MEMORY.md files that somebody removed
	index    map[string]*indexEdit
	skipped  []memsync.Finding
	rooms    []memsync.Path // scope directories that are missing or hold nothing, as an unmounted disk leaves them
	on       int            // memories on disk
}

// look scans the disk and reads what differs from what was accepted. Files
// that were only touched are noted in the catalog on the way.
func (k *Keeper) look(ctx context.Context) (*sight, error) {
	stats, err := k.catalog.Stats()
	if err != nil {
		return nil, err
	}
	known := func(p memsync.Path) (watcher.Stat, bool) {
		d, ok := stats[p]
		return watcher.Stat(d.Stat), ok
	}
	scanned, err := watcher.Scan(k.Store.Root, k.Store.Scopes, k.Store.Kind != store.Embedded, known)
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
	for _, h := range k.heldNow() { // what waits is looked at each time: rules, policy and allowances move
		paths[h.Path] = true
	}
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
		if err := k.lookAt(ctx, s, p, &touched); err != nil {
			return nil, err
		}
	}
	if err := k.lookForGone(ctx, s, scanned); err != nil {
		return nil, err
	}
	k.lookForIndexes(s)
	if !k.opt.ReadOnly {
		k.sight = s
		if err := k.bringBackLedgers(); err != nil {
			return nil, err
		}
	}
	for _, seen := range scanned.Authored {
		if err := k.lookAtAuthored(s, seen.Path, &touched); err != nil {
			return nil, err
		}
	}
	if err := k.lookAtIndexes(ctx, s); err != nil {
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
func (k *Keeper) lookAt(ctx context.Context, s *sight, p memsync.Path, touched *indexer.Update) error {
	scope, ok := memsync.ScopeOf(k.Store.Scopes, p)
	if !ok {
		return nil
	}
	before := k.opt.Now()
	data, st, err := watcher.Read(k.Store.Root, p, int64(k.Store.Policy.Limits.SaveBytes))
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
	if k.Store.CommitMode() == memsync.CommitOff && !k.isHeld(p) && err == nil {
		// Where the person commits, git moves files too: what HEAD holds is a
		// revision to catch up with, not a save.
		if blob, err := k.headBlob(p); err != nil {
			return err
		} else if blob != "" && blob == k.repo.BlobID(data) {
			k.returned = append(k.returned, p)
			return nil
		}
	}
	if err == nil && unclosed(data, k.Store.Policy.Limits) {
		if data, err = k.waitForRest(ctx, p, st, data); err != nil {
			return err
		}
	}
	s.saves = append(s.saves, memsync.Candidate{Origin: memsync.OriginFile, Actor: scope.Writers.Actor(), Op: memsync.OpUpsert,
		Scope: scope.Name(), Path: p, Raw: data})
	return nil
}

// heldIsGone ends the waiting of a held new file that was removed. One that was
// accepted before is a delete, and decided about as such.
func (k *Keeper) heldIsGone(p memsync.Path) error {
	if _, _, accepted := k.catalog.Accepted(p); accepted || !k.isHeld(p) {
		return nil
	}
	k.held = slices.DeleteFunc(k.heldNow(), func(h memsync.Held) bool { return h.Path == p })
	if k.opt.ReadOnly {
		return nil
	}
	return k.journal.DropHeld(p)
}

// lookAgainAtKnown brings a memory back into the view whose file was away and
// is back with the accepted bytes: a stash, a branch, a disk.
func (k *Keeper) lookAgainAtKnown(s *sight, p memsync.Path, scope memsync.Scope) error {
	v, err := k.View()
	if err != nil || v.ByPath(p) != nil {
		return err
	}
	k.returned = append(k.returned, p)
	return nil
}

// headBlob is git's object at p in HEAD; "" for none. The tree is read once a
// look.
func (k *Keeper) headBlob(p memsync.Path) (string, error) {
	if k.head == nil {
		k.head = map[memsync.Path]string{}
		st, err := k.repo.State()
		if err != nil {
			return "", err
		}
		if st.Head != "" {
			entries, err := k.repo.Tree(st.Head, "")
			if err != nil {
				return "", err
			}
			for _, e := range entries {
				k.head[e.Path] = e.Blob
			}
		}
	}
	return k.head[p], nil
}

// waitForRest gives a file whose frontmatter is not closed yet the time to
// become whole: 2 s after its last write it is taken as it is.
func (k *Keeper) waitForRest(ctx context.Context, p memsync.Path, st watcher.Stat, data []byte) ([]byte, error) {
	age := k.opt.Now().Sub(time.Unix(0, st.MTime))
	if age < 0 || age >= unclosedGrace || k.opt.ReadOnly {
		return data, nil
	}
	if err := sleep(ctx, unclosedGrace-age); err != nil {
		return nil, err
	}
	again, _, err := watcher.Read(k.Store.Root, p, int64(k.Store.Policy.Limits.SaveBytes))
	if err != nil {
		return data, nil // gone or grown: the next look sees it
	}
	return again, nil
}

// lookForGone finds accepted memories whose files are not there, and looks a
// second time before it believes it.
func (k *Keeper) lookForGone(ctx context.Context, s *sight, scanned watcher.Batch) error {
	v, err := k.missingView(scanned)
	if err != nil || len(v) == 0 {
		return err
	}
	if !k.opt.ReadOnly {
		if err := sleep(ctx, goneGrace); err != nil {
			return err
		}
	}
	for _, p := range v {
		if _, _, err := watcher.Read(k.Store.Root, p, 1); !errors.Is(err, memsync.CodeNotFound) {
			continue // it is back
		}
		scope, ok := memsync.ScopeOf(k.Store.Scopes, p)
		if !ok {
			continue
		}
		s.gone = append(s.gone, memsync.Candidate{Origin: memsync.OriginFile, Actor: scope.Writers.Actor(), Op: memsync.OpDelete,
			Scope: scope.Name(), Path: p})
	}
	return nil
}

// missingView are the accepted memories that the scan did not meet.
func (k *Keeper) missingView(scanned watcher.Batch) ([]memsync.Path, error) {
	var out []memsync.Path
	out = append(out, scanned.Missing(k.catalog.MemoryPaths())...)
	slices.Sort(out)
	return out, nil
}

// lookForIndexes finds MEMORY.md files that somebody removed: what people wrote
// in them went with them, what is generated comes back. In a directory that is
// empty or gone nothing is made.
func (k *Keeper) lookForIndexes(s *sight) {
	for _, scope := range k.Store.Scopes {
		path := indexPath(scope)
		if scope.MemoryMD != memsync.Region || k.Store.CommitMode() != memsync.CommitAuto || slices.Contains(s.rooms, scope.Dir) {
			continue
		}
		if _, _, accepted := k.catalog.Accepted(path); !accepted {
			continue
		}
		if _, err := os.Lstat(k.abs(path)); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		s.indexes = append(s.indexes, path)
		if k.stale == nil {
			k.stale = map[string]bool{}
		}
		k.stale[scope.Name()] = true
	}
}

// lookAtAuthored reads MEMORY.md and the files that people write beside the
// memories. In an embedded store they are the person's to commit; there only
// MEMORY.md is looked at, for the entries edited in it.
func (k *Keeper) lookAtAuthored(s *sight, p memsync.Path, touched *indexer.Update) error {
	scope, inScope := memsync.ScopeOf(k.Store.Scopes, p)
	isIndex := inScope && p == indexPath(scope)
	if k.Store.Kind == store.Embedded && !isIndex {
		return nil
	}
	before := k.opt.Now()
	data, st, err := watcher.Read(k.Store.Root, p, int64(k.Store.Policy.Limits.SaveBytes))
	if err != nil {
		return nil // too large, a link, or gone: a person's file stays theirs
	}
	hash := memsync.HashOf(data)
	accepted, _, known := k.catalog.Accepted(p)
	if known && hash == accepted {
		k.note(touched, p, st, before, hash, data)
		return nil
	}
	if k.Store.CommitMode() == memsync.CommitOff {
		if blob, err := k.headBlob(p); err != nil {
			return err
		} else if blob != "" && blob == k.repo.BlobID(data) {
			k.returned = append(k.returned, p)
			return nil
		}
	}
	c := memsync.Candidate{Origin: memsync.OriginFile, Op: memsync.OpAuthored, Path: p, Raw: data, Actor: memsync.Actor{Class: memsync.ClassPerson}}
	if inScope {
		c.Scope, c.Actor = scope.Name(), scope.Writers.Actor()
	}
	s.authored = append(s.authored, c)
	if isIndex && scope.MemoryMD == memsync.Region {
		s.edited = append(s.edited, savedIndex{scope, data, known})
	}
	return nil
}

// savedIndex is a MEMORY.md that is not what was accepted.
type savedIndex struct {
	scope memsync.Scope
	data  []byte
	known bool
}

// lookAtIndexes reads the saved MEMORY.md files against the view that the other
// saves of this look lead to: an entry that says what its memory says now was
// not edited, whoever put it there.
func (k *Keeper) lookAtIndexes(ctx context.Context, s *sight) error {
	if len(s.edited) == 0 {
		return nil
	}
	k.sight = s
	b, err := k.begin()
	if err != nil {
		return err
	}
	err = b.decideAll(ctx, append(slices.Clone(s.saves), s.gone...))
	k.near = nil // the tables followed a plan that is not carried out
	if err != nil {
		return err
	}
	for _, x := range s.edited {
		if err := k.lookAtIndex(s, b.view, x.scope, x.data, x.known); err != nil {
			return err
		}
	}
	return nil
}

// lookAtIndex turns what a person edited inside MEMORY.md's region into edits
// of the memories.
func (k *Keeper) lookAtIndex(s *sight, v *memsync.View, scope memsync.Scope, saved []byte, known bool) error {
	var previous []byte
	if known {
		var err error
		if previous, _, err = k.accepted(indexPath(scope)); err != nil {
			return err
		}
	}
	edited := recall.Edits(previous, saved, v, scope)
	edit := &indexEdit{base: edited.Base, findings: edited.Findings}
	s.index[scope.Name()] = edit
	var err error
	for _, h := range edited.Hooks {
		i := slices.IndexFunc(s.saves, func(c memsync.Candidate) bool { return c.Path == h.Path })
		var raw []byte
		var disk memsync.Hash
		if i >= 0 {
			raw, disk = s.saves[i].Raw, s.saves[i].OnDisk
		}
		if raw == nil {
			if raw, disk, err = k.onDisk(h.Path); err != nil || raw == nil {
				edit.held = true
				continue
			}
		}
		if disk == "" {
			disk = memsync.HashOf(raw)
		}
		doc, err := format.Parse(raw, k.Store.Policy.Limits)
		if err == nil && h.Text == "" {
			doc, err = doc.Remove("hook")
		} else if err == nil {
			doc, err = doc.Set("hook", memsync.Text(h.Text))
		}
		if err != nil {
			// What was typed is only in MEMORY.md: it stays as it is.
			edit.held = true
			edit.findings = append(edit.findings, memsync.Finding{Code: memsync.FindHeld, Severity: memsync.Warning, Path: h.Path,
				Message: "its entry was edited in MEMORY.md, and the file can't take it: " + err.Error(), Hint: "set hook in the file's frontmatter"})
			continue
		}
		c := memsync.Candidate{Origin: memsync.OriginFile, Actor: scope.Writers.Actor(), Op: memsync.OpUpsert, Scope: scope.Name(),
			Path: h.Path, Raw: doc.Bytes(), OnDisk: disk}
		if i >= 0 {
			s.saves[i] = c
		} else {
			s.saves = append(s.saves, c)
		}
	}
	slices.SortFunc(s.saves, func(a, b memsync.Candidate) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return nil
}

// vanishedAt is what the rename rules need to know of a vanished memory.
func (k *Keeper) vanishedAt(c memsync.Candidate) *controller.Vanished {
	if !c.Origin.Save() || c.Op != memsync.OpDelete {
		return nil
	}
	m, err := k.lastKnown(c.Path)
	if err != nil || m == nil {
		return nil
	}
	body, err := k.body(m)
	if err != nil {
		return nil
	}
	return &controller.Vanished{Memory: m, Body: body}
}

// note remembers what is on disk, unless the file was written so recently that
// a second write could leave the same stat.
// before is when reading began.
func (k *Keeper) note(up *indexer.Update, p memsync.Path, st watcher.Stat, before time.Time, hash memsync.Hash, data []byte) {
	if age := before.UnixNano() - max(st.MTime, st.CTime); age < int64(racy(st)) {
		return
	}
	up.Stats[p] = indexer.Disk{Stat: indexer.Stat(st), Hash: hash, Blob: k.repo.BlobID(data)}
}

// racy is how long a file's times may stand still while it is written: a few
// ticks of the kernel's clock, two seconds where the file system counts whole
// seconds.
func racy(st watcher.Stat) time.Duration {
	if st.MTime%int64(time.Second) == 0 && st.CTime%int64(time.Second) == 0 {
		return 2 * time.Second
	}
	return 50 * time.Millisecond
}

// unclosed reports whether the bytes look like a frontmatter block that is
// still being written.
func unclosed(data []byte, lim memsync.Limits) bool {
	_, err := format.Parse(data, lim)
	var e *memsync.Error
	return errors.As(err, &e) && e.Details["unclosed"] != ""
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

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
