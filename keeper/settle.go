package keeper

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"

	"memsync"
	"memsync/controller"
	"memsync/gitlog"
	"memsync/indexer"
	"memsync/watcher"
)

// settle brings catalog, held records and events to where the batch ended.
// plan is nil when nothing changed.
func (k *Keeper) settle(b *batch, plan *memsync.Plan, done gitlog.Applied) error {
	up := indexer.Update{Revision: b.base, Memories: map[memsync.Path]*memsync.Memory{}, Tracked: map[memsync.Path]indexer.Tracked{}, Stats: map[memsync.Path]indexer.Disk{}}
	if done.Commit != "" && k.follows(done.Commit, b.base.Commit) {
		up.Revision.Commit = done.Commit
	} // else somebody committed in between: the next catch-up starts where this one did
	if plan != nil {
		for _, f := range plan.Files {
			if f.Post == "" {
				up.Gone = append(up.Gone, f.Path)
				continue
			}
			up.Tracked[f.Path] = indexer.Tracked{Hash: f.Post, Blob: done.Blobs[f.Path]}
			k.noteDisk(&up, f.Path, f.Post)
		}
		if k.Store.CommitMode() == memsync.CommitOff {
			up.Revision.Working = k.working(up.Revision.Working, plan)
		}
	}
	for p, m := range b.changes {
		if m == nil {
			up.Memories[p] = nil // what was accepted there stays known, for when the file is back
			continue
		}
		c := *m
		if blob := done.Blobs[p]; blob != "" {
			c.Blob = blob
		} else if _, blob, ok := k.catalog.Accepted(p); ok && c.Blob == "" && plan == nil {
			c.Blob = blob
		}
		up.Memories[p] = &c
	}
	if err := k.welcome(&up); err != nil {
		return err
	}
	if err := k.settleHeld(b, &up); err != nil {
		return err
	}
	if err := k.settleDeletes(b); err != nil {
		return err
	}
	if len(k.stale) > 0 {
		if err := k.journal.PutFact(factStale, nil); err != nil {
			return err
		}
		k.stale = nil
	}
	if b.answers() {
		for _, fact := range []string{factDropped, factIncoming, factTicks} {
			if err := k.journal.PutFact(fact, nil); err != nil {
				return err
			}
		}
	}
	if err := k.settleComposed(b); err != nil {
		return err
	}
	if err := k.catalog.Advance(up); err != nil {
		return err
	}
	k.view, k.state = b.view.With(up.Revision, up.Memories), b.state
	if len(b.retouched) > 0 {
		k.view = nil // with what is hidden now
	}
	return k.announce(b)
}

// answers reports whether the batch took along what others' commits did.
func (b *batch) answers() bool {
	return slices.ContainsFunc(b.decisions, func(d memsync.Decision) bool { return d.Origin == memsync.OriginPeer })
}

// follows reports whether a commit's parent is what the plan was decided on.
func (k *Keeper) follows(commit, base string) bool {
	if commit == base {
		return true
	}
	v, err := k.repo.Log(gitlog.LogQuery{From: commit, Limit: 1})
	if err != nil || len(v) == 0 {
		return false
	}
	return len(v[0].Parents) == 0 && base == "" || len(v[0].Parents) == 1 && v[0].Parents[0] == base
}

// welcome takes files into the view that git, not a person, put there: a stash
// or a branch that brings back what was accepted or what HEAD holds.
func (k *Keeper) welcome(up *indexer.Update) error {
	var described []*memsync.Memory
	for _, p := range k.returned {
		scope, ok := memsync.ScopeOf(k.Store.Scopes, p)
		if _, planned := up.Memories[p]; planned || !ok {
			continue
		}
		data, hash, err := k.onDisk(p)
		if err != nil {
			return err
		}
		if data == nil {
			continue
		}
		blob := k.repo.BlobID(data)
		accepted, known, ok := k.catalog.Accepted(p)
		head, err := k.headBlob(p)
		if err != nil {
			return err
		}
		switch {
		case head == blob:
		case ok && accepted == hash:
			blob = known
		default:
			continue // it changed again: the next look sees a save
		}
		up.Tracked[p] = indexer.Tracked{Hash: hash, Blob: blob}
		k.noteDisk(up, p, hash)
		if p == indexPath(scope) || !memoryClass(p.Rel(scope.Dir)) {
			continue
		}
		m := k.describe(p, scope, data)
		m.Blob = blob
		up.Memories[p] = m
		described = append(described, m)
	}
	k.returned = nil
	return k.identify(described)
}

// noteDisk remembers a file's stat if the file still holds these bytes: a save
// that came in between must not be taken for ours.
func (k *Keeper) noteDisk(up *indexer.Update, p memsync.Path, want memsync.Hash) {
	before := k.opt.Now()
	data, st, err := watcher.Read(k.Store.Root, p, 0)
	if err != nil || memsync.HashOf(data) != want {
		return
	}
	k.note(up, p, st, before, want, data)
}

// settleHeld records what waits and releases what waits no more.
func (k *Keeper) settleHeld(b *batch, up *indexer.Update) error {
	waiting := map[memsync.Path]memsync.Held{}
	for _, h := range k.heldNow() {
		waiting[h.Path] = h
	}
	for i, d := range b.decisions {
		if d.Path == "" || !d.Origin.Save() || d.Op == memsync.OpRecord || errors.Is(asErr(d.Error), memsync.CodeDeletesHeld) {
			continue
		}
		h, was := waiting[d.Path]
		switch {
		case d.Op == memsync.OpHold && nameless(d):
			// The name itself is what can't be kept: no record, no stat. It is
			// found again by each look, and shown as its error does.
			k.nameless = append(k.nameless, memsync.Held{Path: d.Error.Path, Scope: d.Scope, Why: d.Error.Code, Error: d.Error, Since: b.now,
				Fingerprints: controller.Fingerprints(d.Error)})
			b.decisions[i].Path = d.Error.Path
			continue
		case d.Op == memsync.OpHold:
			if b.candidates[i].Op != memsync.OpAuthored { // which is found again by its stat alone
				k.noteDisk(up, d.Path, d.Base)
			}
			if was && h.Hash == d.Base && d.Error != nil && h.Why == d.Error.Code {
				continue
			}
			next := memsync.Held{Path: d.Path, Scope: d.Scope, Memory: d.Memory, Hash: d.Base, Error: d.Error, Since: b.now,
				Fingerprints: controller.Fingerprints(d.Error)}
			if d.Error != nil {
				next.Why = d.Error.Code
			}
			bases, err := k.log.Bases()
			if err != nil {
				return err
			}
			if base, dirty := bases[d.Path]; dirty {
				next.Base = base
			} else if was && h.Base != "" {
				next.Base = h.Base
			} else if _, blob, ok := k.catalog.Accepted(d.Path); ok {
				next.Base = blob
			}
			if err := k.journal.PutHeld(next, k.copyOf(next, b.candidates[i])); err != nil {
				return err
			}
		case was:
			if err := k.journal.DropHeld(d.Path); err != nil {
				return err
			}
		}
		if d.Op == memsync.OpNoop {
			k.noteDisk(up, d.Path, d.Base)
		}
	}
	k.held = nil
	return nil
}

// copyOf is the copy that the journal keeps of held bytes: of what a save over
// them would lose. A secret is never copied; what cannot be understood is the
// person's to mend in the file.
func (k *Keeper) copyOf(h memsync.Held, c memsync.Candidate) []byte {
	switch h.Why {
	case memsync.CodeInjection, memsync.CodeHidden, memsync.CodeDeleted, memsync.CodeForgotten, memsync.CodeProtected, memsync.CodeValueRejected:
		return slices.Clone(c.Raw)
	}
	return nil
}

// announce emits an event for each decision that the journal has not told
// about: those that changed nothing.
func (k *Keeper) announce(b *batch) error {
	ops := map[memsync.Op]memsync.EventOp{
		memsync.OpHold: memsync.EventHeld, memsync.OpReject: memsync.EventRejected, memsync.OpNoop: memsync.EventNoop,
	}
	var events []memsync.Event
	for _, d := range b.decisions {
		op, ok := ops[d.Op]
		if !ok || d.Op == memsync.OpHold && b.k.knewHeld[d.Path] == d.Base || d.Op == memsync.OpNoop && d.Origin == memsync.OriginPeer {
			continue
		}
		e := memsync.Event{Op: op, At: b.now, Decision: d.Op, Memory: d.Memory, Path: d.Path, Scope: d.Scope, Origin: d.Origin, Actor: d.Actor,
			Findings: d.Codes()}
		if d.Error != nil {
			e.Code = d.Error.Code
		}
		events = append(events, e)
	}
	if len(events) == 0 {
		return nil
	}
	return k.journal.Emit(events...)
}

// working is the hash of the accepted working bytes after a plan: the sum
// (exclusive or) of one hash a file, so that it depends on the bytes and not
// on the order in which they came.
func (k *Keeper) working(before memsync.Hash, p *memsync.Plan) memsync.Hash {
	sum, err := hex.DecodeString(string(before))
	if err != nil || len(sum) != sha256.Size {
		sum = make([]byte, sha256.Size)
	}
	add := func(path memsync.Path, h memsync.Hash) {
		if h == "" {
			return
		}
		one := sha256.Sum256([]byte(string(path) + "\x00" + string(h)))
		for i := range sum {
			sum[i] ^= one[i]
		}
	}
	for _, f := range p.Files {
		old, _, _ := k.catalog.Accepted(f.Path)
		add(f.Path, old)
		add(f.Path, f.Post)
	}
	return memsync.Hash(hex.EncodeToString(sum))
}

// nameless reports whether a save is held for a name that must not or can't be
// kept: its error shows another.
func nameless(d memsync.Decision) bool {
	return d.Error != nil && (d.Error.Code == memsync.CodeSecret || d.Error.Code == memsync.CodePathInvalid) && d.Error.Path != d.Path
}

func asErr(e *memsync.Error) error {
	if e == nil {
		return nil
	}
	return e
}

// heldNow are the files that wait, read once a batch.
func (k *Keeper) heldNow() []memsync.Held {
	if k.held == nil {
		list, err := k.journal.Held()
		if err != nil {
			return nil
		}
		k.held = list
		k.knewHeld = map[memsync.Path]memsync.Hash{}
		for _, h := range list {
			k.knewHeld[h.Path] = h.Hash
		}
		if k.held == nil {
			k.held = []memsync.Held{}
		}
	}
	return k.held
}
