package keeper

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"memsync"
	"memsync/controller"
	"memsync/indexer"
	"memsync/internal/format"
	"memsync/internal/text"
	"memsync/watcher"
)

// catchUp brings the catalog to HEAD when somebody else moved it: a person's
// commit, a pull, a branch switch; and to the policy when that changed. It
// reads; what follows for MEMORY.md and the ledger is the next step's.
func (k *Keeper) catchUp(ctx context.Context) error {
	if err := k.catchUpHead(ctx); err != nil {
		return err
	}
	if err := k.confine(k.Store); err != nil {
		return err
	}
	return k.catchUpPolicy(ctx)
}

func (k *Keeper) catchUpHead(ctx context.Context) error {
	st, err := k.repo.State()
	if err != nil {
		return err
	}
	from := k.catalog.Revision().Commit
	if from == st.Head {
		return nil
	}
	// A commit that was rewritten away and pruned is as good as none.
	fresh := from == ""
	if !fresh {
		if _, err := k.repo.Resolve(from); err != nil {
			from, fresh = "", true
		}
	}
	changes, err := k.repo.Diff(from, st.Head)
	if err != nil {
		return err
	}
	up := indexer.Update{Revision: memsync.Revision{Commit: st.Head}, Memories: map[memsync.Path]*memsync.Memory{}, Tracked: map[memsync.Path]indexer.Tracked{}, Stats: map[memsync.Path]indexer.Disk{}}
	if fresh { // whatever the catalog has beyond HEAD is gone
		for p := range k.catalog.AllAccepted() {
			up.Gone = append(up.Gone, p)
		}
	}
	files := watcher.NewReader(k.Store.Root)
	defer files.Close()
	var described []*memsync.Memory
	var drops []drop
	descends := false
	if !fresh && st.Head != "" {
		if descends, err = k.repo.IsAncestor(from, st.Head); err != nil {
			return err
		}
	}
	for i, ch := range changes {
		if err := ctx.Err(); err != nil {
			return err
		}
		k.opt.Progress(i, len(changes))
		scope, inScope := memsync.ScopeOf(k.Store.Scopes, ch.Path)
		class := format.NotMemory
		if inScope {
			class = format.Classify(ch.Path.Rel(scope.Dir))
		}
		hash, _, _ := k.catalog.Accepted(ch.Path)
		if ch.To == "" {
			up.Gone = append(up.Gone, ch.Path)
			if m, err := k.lastKnown(ch.Path); err != nil {
				return err
			} else if m != nil && descends {
				drops = append(drops, drop{m.ID, m.Path, m.Hash, st.Head})
			}
			continue
		}
		began := k.opt.Now()
		data, stat, there, err := k.blobContent(files, ch.Path, ch.To)
		if err != nil {
			return err
		}
		now := memsync.HashOf(data)
		up.Tracked[ch.Path] = indexer.Tracked{Hash: now, Blob: ch.To}
		if ch.Path == k.Store.PolicyPath() && now != hash && !fresh {
			before, _, err := k.accepted(ch.Path)
			if err != nil {
				before = nil // defaults, as where there was none
			}
			if err := k.noteWriters(before, data); err != nil {
				return err
			}
		}
		if now != hash {
			if err := k.noteTicks(ch.Path, data, st.Head); err != nil {
				return err
			}
		}
		if !inScope || !remembers(class) || watcher.Excluded(scope, ch.Path) {
			continue
		}
		seen := func() { // so that the next look need not read it again
			if there {
				k.note(&up, ch.Path, stat, began, now, data)
			}
		}
		if now == hash { // a person committed what was accepted already
			if m, err := k.lastKnown(ch.Path); err == nil && m != nil {
				c := *m
				c.Blob = ch.To
				up.Memories[ch.Path] = &c
				seen()
				continue
			}
		}
		m := k.describe(ch.Path, scope, data)
		m.Blob = ch.To
		up.Memories[ch.Path] = m
		seen()
		described = append(described, m)
	}
	if err := k.identify(described); err != nil {
		return err
	}
	moved := map[memsync.ID]bool{}
	for _, m := range up.Memories {
		moved[m.ID] = true
	}
	if err := k.noteDrops(drops, moved); err != nil {
		return err
	}
	if !fresh {
		if err := k.noteIncoming(described); err != nil {
			return err
		}
	}
	if k.Store.CommitMode() == memsync.CommitAuto {
		paths := slices.Collect(maps.Keys(up.Memories))
		if err := k.noteStale(k.scopesOf(append(paths, up.Gone...)...)); err != nil {
			return err
		}
	}
	if len(changes) > 0 {
		if err := k.journal.PutFact(factComposed, nil); err != nil {
			return err
		}
	}
	k.view = nil
	k.state = nil
	return k.catalog.Advance(up)
}

func remembers(c format.Class) bool { return c == format.MemoryFile || c == format.LogFile }

// factPolicy is where the catalog says by which policy its memories were made.
const factPolicy = "policy"

// derivedBy names what a memory is made of besides its bytes: which files are
// in which scope, and the limits that they are read with.
func (k *Keeper) derivedBy() ([]byte, error) {
	data, err := json.Marshal(struct {
		Scopes []memsync.Scope
		Limits memsync.Limits
	}{k.Store.Scopes, k.Store.Policy.Limits})
	return []byte(memsync.HashOf(data)), err
}

// catchUpPolicy makes the memories of the catalog anew, of the same bytes, when
// the policy is another one than they were made by.
func (k *Keeper) catchUpPolicy(ctx context.Context) error {
	now, err := k.derivedBy()
	if err != nil {
		return err
	}
	before := k.catalog.Fact(factPolicy)
	if bytes.Equal(before, now) {
		return nil
	}
	up := indexer.Update{Revision: k.catalog.Revision(), Memories: map[memsync.Path]*memsync.Memory{}, Facts: map[string][]byte{factPolicy: now}}
	if before == nil { // a new catalog, which catching up with HEAD has just filled
		return k.catalog.Advance(up)
	}
	k.head = nil
	var described []*memsync.Memory
	for p := range k.catalog.AllAccepted() {
		if err := ctx.Err(); err != nil {
			return err
		}
		up.Memories[p] = nil
		scope, inScope := memsync.ScopeOf(k.Store.Scopes, p)
		if !inScope || !remembers(format.Classify(p.Rel(scope.Dir))) || watcher.Excluded(scope, p) {
			continue
		}
		hash, blob, _ := k.catalog.Accepted(p)
		data, err := k.bytesOf(p, hash, blob)
		if there, headErr := k.isThere(p); headErr != nil {
			return headErr
		} else if err != nil || !there {
			continue
		}
		m := k.describe(p, scope, data)
		m.Blob = blob
		up.Memories[p] = m
		described = append(described, m)
	}
	if err := k.identify(described); err != nil {
		return err
	}
	if k.Store.CommitMode() == memsync.CommitAuto {
		var all []string
		for _, s := range k.Store.Scopes {
			all = append(all, s.Name())
		}
		if err := k.noteStale(all); err != nil {
			return err
		}
	}
	k.forgetDerived()
	return k.catalog.Advance(up)
}

// isThere reports whether an accepted path still has its file: a deleted one
// stays known, for when it comes back.
func (k *Keeper) isThere(p memsync.Path) (bool, error) {
	if k.Store.CommitMode() == memsync.CommitOff {
		data, _, err := k.onDisk(p)
		return data != nil, err
	}
	blob, err := k.headBlob(p)
	return blob != "", err
}

// factStale is where the scopes whose MEMORY.md others' commits may have left
// behind wait for a plan: the process that catches up may be one that only
// reads.
const factStale = "stale"

func (k *Keeper) noteStale(scopes []string) error {
	if len(scopes) == 0 {
		return nil
	}
	if k.stale == nil {
		k.stale = map[string]bool{}
	}
	for _, name := range scopes {
		k.stale[name] = true
	}
	return k.journal.PutFact(factStale, slices.Sorted(maps.Keys(k.stale)))
}

// recallStale reads what an earlier process noted.
func (k *Keeper) recallStale() error {
	var scopes []string
	if _, err := k.journal.Fact(factStale, &scopes); err != nil {
		return err
	}
	for _, name := range scopes {
		if k.stale == nil {
			k.stale = map[string]bool{}
		}
		k.stale[name] = true
	}
	return nil
}

// describe turns bytes at HEAD into a header; what does not parse is listed as
// unreadable, the same on every clone.
func (k *Keeper) describe(p memsync.Path, scope memsync.Scope, data []byte) *memsync.Memory {
	doc, err := format.Parse(data, k.Store.Policy.Limits)
	if err != nil {
		return format.Unreadable(data, p, scope)
	}
	m := format.Describe(doc, p, scope)
	m.Sketch = text.Sketch(text.Shingles(doc.Body()))
	return m
}

// identify gives freshly described files at HEAD their ids, as tree, ledger and
// history say them.
func (k *Keeper) identify(fresh []*memsync.Memory) error {
	if len(fresh) == 0 {
		return nil
	}
	state, err := k.State()
	if err != nil {
		return err
	}
	var ask []memsync.Path
	for _, m := range fresh {
		if _, known := state.Identity(m.Path); !known && m.ID == "" && m.Kind != memsync.KindUnreadable {
			ask = append(ask, m.Path)
		}
	}
	slices.Sort(ask)
	var derived map[memsync.Path]memsync.ID
	if len(ask) > 0 {
		var shallow []memsync.Path
		if derived, shallow, err = k.repo.DerivedIDs(ask); err != nil {
			return err
		}
		if len(shallow) > 0 {
			k.opt.Notice("%d memories have no id: their history is cut off by a shallow clone; `git fetch --unshallow` brings it", len(shallow))
		}
	}
	for _, m := range fresh {
		if m.Kind != memsync.KindUnreadable {
			controller.Identify(m, derived[m.Path], state)
		}
	}
	return nil
}

// blobContent reads a version from disk when the same bytes are there, which
// is the usual case and much faster, else from git. st is what the disk says of
// them where they are there.
func (k *Keeper) blobContent(files *watcher.Reader, p memsync.Path, blob string) (data []byte, st watcher.Stat, there bool, err error) {
	if data, st, err = files.Read(p, 0); err == nil && k.repo.BlobID(data) == blob {
		return data, st, true, nil
	}
	data, err = k.repo.Blob(blob)
	return data, watcher.Stat{}, false, err
}

// lastKnown is the memory that the catalog has at p.
func (k *Keeper) lastKnown(p memsync.Path) (*memsync.Memory, error) {
	v, err := k.View()
	if err != nil {
		return nil, err
	}
	return v.ByPath(p), nil
}

// scopesOf are the names of the scopes that paths lie in.
func (k *Keeper) scopesOf(paths ...memsync.Path) []string {
	set := map[string]bool{}
	for _, p := range paths {
		if s, ok := memsync.ScopeOf(k.Store.Scopes, p); ok {
			set[s.Name()] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}
