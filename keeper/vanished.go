package keeper

import (
	"context"
	"errors"
	"os"
	"slices"

	"memsync"
	"memsync/controller"
	"memsync/internal/store"
	"memsync/watcher"
)

// heldIsGone ends the waiting of a held new file that was removed. One that was
// accepted before is a delete, and decided about as such.
func (k *Keeper) heldIsGone(p memsync.Path) error {
	if _, _, accepted := k.catalog.Accepted(p); accepted {
		return nil
	}
	return k.waitsNoMore(p)
}

// waitsNoMore ends the waiting of a held file that is gone, or is again what was
// accepted.
func (k *Keeper) waitsNoMore(p memsync.Path) error {
	if !k.isHeld(p) {
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

// lookForGone finds accepted memories whose files are not there, and looks a
// second time before it believes it. graced, sorted, were looked at before.
func (k *Keeper) lookForGone(ctx context.Context, s *sight, scanned watcher.Batch, graced []memsync.Path) error {
	v := k.missing(scanned)
	if len(v) == 0 {
		return nil
	}
	waited := func(p memsync.Path) bool { _, ok := slices.BinarySearch(graced, p); return ok }
	if !k.opt.ReadOnly && slices.ContainsFunc(v, func(p memsync.Path) bool { return !waited(p) }) {
		if err := sleep(ctx, goneGrace); err != nil {
			return err
		}
	}
	for _, p := range v {
		if _, _, err := watcher.Read(k.Store.Root, p, 1); !errors.Is(err, memsync.CodeNotFound) && !k.isFolder(p) {
			continue // it is back
		}
		scope, ok := memsync.ScopeOf(k.Store.Scopes, p)
		if k.isAuthored(p) {
			if !ok || !slices.Contains(s.rooms, scope.Dir) { // an unmounted disk
				s.authored = append(s.authored, k.authored(p, nil))
			}
			continue
		}
		s.gone = append(s.gone, memsync.Candidate{Origin: memsync.OriginFile, Actor: scope.Writers.Actor(), Op: memsync.OpDelete,
			Scope: scope.Name(), Path: p})
	}
	return nil
}

func (k *Keeper) isFolder(p memsync.Path) bool {
	info, err := os.Lstat(k.abs(p))
	return err == nil && info.IsDir()
}

// missing are the accepted memories, and the files that people write beside
// them, that the scan did not meet. What is generated comes back instead, and a
// store without its policy is none.
func (k *Keeper) missing(scanned watcher.Batch) []memsync.Path {
	return slices.DeleteFunc(scanned.Missing, func(p memsync.Path) bool {
		return !k.catalog.Remembers(p) && (k.Store.Kind == store.Embedded || !k.keptAsSaved(p))
	})
}

func (k *Keeper) keptAsSaved(p memsync.Path) bool {
	scope, inScope := memsync.ScopeOf(k.Store.Scopes, p)
	switch {
	case !k.isAuthored(p) || !watcher.Authored(k.Store.Scopes, p):
		return false
	case inScope && p == indexPath(scope):
		return scope.MemoryMD != memsync.Region
	}
	return p.Base() != "memsync.toml" && p.Base() != "workspace.toml"
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
