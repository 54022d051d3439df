package keeper

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"memsync"
	"memsync/compose/agents"
	"memsync/indexer"
	"memsync/indexer/recall"
	"memsync/internal/format"
	"memsync/internal/store"
	"memsync/watcher"
)

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

// isAuthored reports whether a path is no memory's: a MEMORY.md, or one of the
// files that people write beside the memories.
func (k *Keeper) isAuthored(p memsync.Path) bool {
	scope, ok := memsync.ScopeOf(k.Store.Scopes, p)
	class := format.Classify(p.Rel(scope.Dir))
	return !ok || watcher.Excluded(scope, p) || !remembers(class) && class != format.ConflictCopy
}

// lookAtAuthored reads MEMORY.md and the files that people write beside the
// memories. In an embedded store they are the person's to commit; there only
// MEMORY.md is looked at, for the entries edited in it.
func (k *Keeper) lookAtAuthored(s *sight, p memsync.Path, touched *indexer.Update) error {
	scope, inScope := memsync.ScopeOf(k.Store.Scopes, p)
	isIndex := inScope && p == indexPath(scope)
	isReview := inScope && p == agents.ReviewPath(scope)
	if k.Store.Kind == store.Embedded && !isIndex && !isReview {
		return nil
	}
	before := k.opt.Now()
	data, st, err := watcher.Read(k.Store.Root, p, k.readLimit(p))
	if err != nil {
		if _, _, known := k.catalog.Accepted(p); errors.Is(err, memsync.CodeNotFound) && known && k.keptAsSaved(p) {
			s.authored = append(s.authored, k.authored(p, nil))
		} else if errors.Is(err, memsync.CodeNotFound) && !known {
			return k.waitsNoMore(p)
		}
		return nil // too large or a link: a person's file stays theirs
	}
	hash := memsync.HashOf(data)
	accepted, _, known := k.catalog.Accepted(p)
	if known && hash == accepted {
		k.note(touched, p, st, before, hash, data)
		return k.waitsNoMore(p)
	}
	if k.Store.CommitMode() == memsync.CommitOff && !k.opt.ReadOnly {
		if blob, err := k.headBlob(p); err != nil {
			return err
		} else if blob != "" && blob == k.repo.BlobID(data) {
			k.returned = append(k.returned, p)
			return nil
		}
	}
	joined, err := k.joinedSave(p, data)
	if err != nil {
		return err
	}
	c := k.authored(p, joined)
	if data = joined; memsync.HashOf(joined) != hash {
		c.OnDisk = hash
	}
	s.authored = append(s.authored, c)
	if isReview {
		s.reviews = append(s.reviews, savedReview{scope, data})
	}
	if isIndex && scope.MemoryMD == memsync.Region {
		s.edited = append(s.edited, savedIndex{scope, data, known})
	}
	return nil
}

// authored is what becomes of a file that people write, by its bytes; nil: it is
// gone.
func (k *Keeper) authored(p memsync.Path, data []byte) memsync.Candidate {
	c := memsync.Candidate{Origin: memsync.OriginFile, Op: memsync.OpAuthored, Path: p, Raw: data, Actor: memsync.Actor{Class: memsync.ClassPerson}}
	if scope, inScope := memsync.ScopeOf(k.Store.Scopes, p); inScope {
		c.Scope, c.Actor = scope.Name(), scope.Writers.Actor()
	}
	return c
}

// readLimit is how much of an authored file is read; 0 is all of it. The limits
// stand in the policy, and do not apply to it: else one that is too small could
// never be committed, nor the one that mends it.
func (k *Keeper) readLimit(p memsync.Path) int64 {
	if p == k.Store.PolicyPath() {
		return 0
	}
	return int64(k.Store.Policy.Limits.SaveBytes)
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
