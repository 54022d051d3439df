package keeper

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"time"

	"memsync"
	"memsync/controller"
	"memsync/gitlog"
	"memsync/internal/format"
	"memsync/internal/store"
)

// nearest is how many of the most similar memories a candidate is compared
// with word for word.
const nearest = 32

// fill gathers what a candidate's rules ask for.
func (b *batch) fill(f *controller.Facts, c memsync.Candidate, n controller.Needs) error {
	k := b.k
	if gone := c.Op == memsync.OpAuthored && c.Raw == nil; n.Read != "" && (!c.Origin.Save() || gone) {
		data, _, err := k.planned(b, n.Read)
		if err != nil {
			return err
		}
		f.Current = data
		if _, blob, ok := k.catalog.Accepted(n.Read); ok {
			f.Prior = blob
		}
		if f.Disk, err = b.diskHash(n.Read); err != nil {
			return err
		}
	}
	if len(n.Dirs) > 0 {
		f.Names = map[memsync.Path][]string{}
		for _, dir := range n.Dirs {
			f.Names[dir] = b.namesIn(dir)
		}
	}
	if n.Vanished {
		f.Vanished = b.vanished
		if c.Origin.Save() {
			if err := b.headFacts(f, c.Path); err != nil {
				return err
			}
		}
	}
	if n.History {
		if err := b.history(f, n.Read); err != nil {
			return err
		}
	}
	if c.Origin == memsync.OriginPeer {
		_, f.Blob, _ = k.catalog.Accepted(c.Path)
	}
	if n.Near != nil {
		if err := b.neighbours(f, *n.Near, n.Read); err != nil {
			return err
		}
	}
	if n.Read != "" && c.Op != memsync.OpAuthored && !(c.Origin.Save() && c.Actor.Person()) { // whose saves are free
		if err := b.promotedFacts(f, n.Read); err != nil {
			return err
		}
	}
	if n.Attached != "" {
		f.Attached = k.attached(n.Attached)
	}
	return nil
}

// planned are the accepted bytes at p as the batch has planned them so far.
func (k *Keeper) planned(b *batch, p memsync.Path) ([]byte, memsync.Hash, error) {
	if f, ok := b.files[p]; ok {
		return f.Content, f.Post, nil
	}
	return k.accepted(p)
}

func (b *batch) diskHash(p memsync.Path) (memsync.Hash, error) {
	if f, ok := b.files[p]; ok && b.k.opt.ReadOnly {
		return f.Post, nil // of a save that the real run would have settled before
	} else if ok {
		return f.Base, nil
	}
	_, h, err := b.k.onDisk(p)
	return h, err
}

// namesIn are the names in a directory, on disk and planned.
func (b *batch) namesIn(dir memsync.Path) []string {
	names, ok := b.names[dir]
	if !ok {
		if entries, err := os.ReadDir(b.k.abs(dir)); err == nil {
			for _, e := range entries {
				names = append(names, e.Name())
			}
		}
		b.names[dir] = names
	}
	return names
}

// headFacts are what HEAD knows of a saved path.
func (b *batch) headFacts(f *controller.Facts, p memsync.Path) error {
	if _, blob, ok := b.k.catalog.Accepted(p); ok && blob != "" {
		f.HeadHolds = true
		if m := b.before.ByPath(p); m != nil {
			f.DerivedID = m.ID
		}
	}
	return nil
}

// history is what the journal knows of earlier saves of a path.
func (b *batch) history(f *controller.Facts, p memsync.Path) error {
	k := b.k
	save, ok, err := k.journal.PreviousSave(p)
	if err != nil {
		return err
	}
	if ok {
		if data, err := k.bytesOf(p, save.Hash, save.Blob); err == nil {
			f.PreviousSave, f.PreviousSaveAt = data, save.At
		}
		last, changed, err := k.journal.LastChange(p)
		if err != nil {
			return err
		}
		hash, blob, _ := k.catalog.Accepted(p)
		switch {
		case changed && last.Post != hash && blob != "":
			// Not what this keeper left: a commit of somebody else's.
			f.OthersChangedAt = k.headTime()
		case changed && !last.Origin.Save() && last.At.After(save.At):
			f.OthersChangedAt = last.At
		case changed && last.Origin.Save() && save.Hash != hash:
			// The save before was joined with what others wrote, and the
			// writer's buffer may still not have it.
			if joined, err := b.joined(p, f.PreviousSave); err != nil {
				return err
			} else if joined {
				f.OthersChangedAt = last.At
			}
		}
	}
	if f.HeldBase, f.Dirty, err = k.startedFrom(p); err != nil {
		return err
	}
	for _, h := range k.heldNow() {
		if h.Path != p || h.Base == "" || f.Dirty {
			continue
		}
		if data, err := k.repo.Blob(h.Base); err == nil {
			f.HeldBase = data
		}
	}
	if f.PreviousSave != nil || f.HeldBase != nil {
		f.Current, _, err = k.planned(b, p)
	}
	return err
}

// joined reports whether what is accepted at p is more than a save and the id
// line it was given.
func (b *batch) joined(p memsync.Path, saved []byte) (bool, error) {
	current, _, err := b.k.planned(b, p)
	if err != nil || current == nil || saved == nil {
		return false, err
	}
	m := b.view.ByPath(p)
	doc, err := format.Parse(saved, b.k.Store.Policy.Limits)
	if err != nil || m == nil {
		return false, nil
	}
	if doc, err = doc.InsertID(m.ID); err != nil {
		return !bytes.Equal(saved, current), nil
	}
	return !bytes.Equal(doc.Bytes(), current), nil
}

// neighbours asks the MinHash table and reads what it proposes.
func (b *batch) neighbours(f *controller.Facts, q controller.NearQuery, self memsync.Path) error {
	table := b.k.nearTable(b.view, q.Scope, q.Type)
	for _, key := range table.Query(q.Sketch) {
		m := b.view.ByPath(memsync.Path(key))
		if m == nil || m.Path == self || len(f.Near) == nearest {
			continue
		}
		body, err := b.plannedBody(m)
		if err != nil {
			return err
		}
		f.Near = append(f.Near, controller.Neighbour{Memory: m, Body: body})
	}
	return nil
}

// attached are the files below _system/ that carry a memory's id in their
// name.
func (k *Keeper) attached(id memsync.ID) []controller.Attached {
	var out []controller.Attached
	for _, s := range k.Store.Scopes {
		for _, kind := range []string{"approved", "archive", "conflicts"} {
			dir := s.System.Join("_system", kind)
			entries, err := os.ReadDir(k.abs(dir))
			if err != nil {
				continue // not there
			}
			for _, e := range entries {
				if !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), string(id)) {
					continue
				}
				p := dir.Join(e.Name())
				if _, h, err := k.onDisk(p); err == nil && h != "" {
					out = append(out, controller.Attached{Path: p, Hash: h})
				}
			}
		}
	}
	return out
}

// allGlobal reports whether every type's default scope is global here.
func (k *Keeper) allGlobal() bool { return k.Store.Kind != store.Embedded }

// plannedBody is the text of a memory of the planned view.
func (b *batch) plannedBody(m *memsync.Memory) (string, error) {
	f, ok := b.files[m.Path]
	if !ok || f.Content == nil {
		return b.k.body(m)
	}
	return b.bodyOf(f.Content), nil
}

// bodyOf is the text of a memory's bytes; "" where they do not parse.
func (b *batch) bodyOf(data []byte) string {
	doc, err := format.Parse(data, b.k.Store.Policy.Limits)
	if err != nil {
		return ""
	}
	return doc.Body()
}

// headTime is when HEAD was committed; zero for none.
func (k *Keeper) headTime() time.Time { return k.commitTime("") }

// commitTime is when a commit was made ("" is HEAD); zero for none.
func (k *Keeper) commitTime(commit string) time.Time {
	v, err := k.repo.Log(gitlog.LogQuery{From: commit, Limit: 1})
	if err != nil || len(v) == 0 {
		return time.Time{}
	}
	return v[0].When
}

// sameRequest finds the decision that this very submission led to before, if
// nothing was applied to its memory since.
func (k *Keeper) sameRequest(c memsync.Candidate, p memsync.Path, hash string) (memsync.Decision, bool, error) {
	rec, ok, err := k.journal.ByRequestID(c.RequestID)
	if err != nil {
		return memsync.Decision{}, false, err
	}
	if !ok {
		if rec, ok, err = k.journal.Last(p, c.ID); err != nil || !ok {
			return memsync.Decision{}, false, err
		}
		now, _, _ := k.catalog.Accepted(rec.Decision.Path)
		if now != rec.Decision.Post {
			return memsync.Decision{}, false, nil // somebody's commit came in between
		}
	}
	return rec.Decision, rec.RequestHash == hash, nil
}

// scopesGone names the scopes whose directory the last look found missing or
// holding nothing at all: an unmounted disk looks like that.
func (k *Keeper) scopesGone() map[string]bool {
	gone := map[string]bool{}
	if k.sight == nil {
		return gone
	}
	for _, s := range k.Store.Scopes {
		if slices.Contains(k.sight.rooms, s.Dir) {
			gone[s.Name()] = true
		}
	}
	return gone
}
