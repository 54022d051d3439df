package journal

import (
	"fmt"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"

	"memsync"
)

// Begin makes a plan durable, in one transaction, before any of its files
// changes: the decisions, the contents, the request hashes.
//
// base holds the bytes that the plan replaces and git does not hold, so that
// they can be put back. A file that has Base and Prior and is not in base is
// understood to be in git as Prior. Bytes of files marked Secret are not taken,
// on either side. mode is remembered for whoever has to finish the plan.
func (j *Journal) Begin(p *memsync.Plan, mode memsync.CommitMode, base map[memsync.Path][]byte) error {
	if len(p.Requests) != 0 && len(p.Requests) != len(p.Decisions) {
		return fmt.Errorf("bug: plan %s has %d decisions and %d request hashes", p.ID, len(p.Decisions), len(p.Requests))
	}
	return j.update(func(tx *bolt.Tx) error {
		if tx.Bucket(bucketPlans).Get([]byte(p.ID)) != nil {
			return &memsync.Error{Code: memsync.CodeInternal, Message: "plan " + string(p.ID) + " was journaled before"}
		}
		seq, err := tx.Bucket(bucketPlans).NextSequence()
		if err != nil {
			return err
		}
		err = put(tx, bucketPlans, []byte(p.ID), planRecord{
			Seq: seq, State: Planned, At: p.At, Base: p.Base, Author: p.Author, Subject: p.Subject,
			Forget: p.Forget, Decisions: len(p.Decisions), Mode: mode, Target: p.Target, Dirty: p.Dirty,
		})
		if err != nil {
			return err
		}
		if err := tx.Bucket(bucketOpen).Put(be64(seq), []byte(p.ID)); err != nil {
			return err
		}
		if err := beginFiles(tx, seq, p, base); err != nil {
			return err
		}
		return beginDecisions(tx, seq, p)
	})
}

func beginFiles(tx *bolt.Tx, seq uint64, p *memsync.Plan, base map[memsync.Path][]byte) error {
	files := make([]fileRecord, len(p.Files))
	sorted := make([]*memsync.FileChange, len(p.Files)) // by hash: bbolt likes its keys in order
	for i := range p.Files {
		files[i], sorted[i] = newFile(p.Files[i]), &p.Files[i]
	}
	slices.SortFunc(sorted, func(a, b *memsync.FileChange) int { return strings.Compare(string(a.Post), string(b.Post)) })
	for _, f := range sorted {
		if f.Secret {
			continue
		}
		if f.Post != "" {
			if memsync.HashOf(f.Content) != f.Post {
				return fmt.Errorf("bug: plan %s: the content of %s is not its post", p.ID, f.Path)
			}
			if f.InGit != "" {
				if err := putBlob(tx, f.Post, f.InGit); err != nil {
					return err
				}
			} else if err := store(tx, f.Post, f.Content, needPost, planOwner(seq, f.Path)); err != nil {
				return err
			}
		}
		if f.Base == "" || f.Base == f.Post {
			continue
		}
		if old, ok := base[f.Path]; ok {
			if memsync.HashOf(old) != f.Base {
				return fmt.Errorf("bug: plan %s: the bytes before of %s are not its base", p.ID, f.Path)
			}
			if err := store(tx, f.Base, old, needBase, planOwner(seq, f.Path)); err != nil {
				return err
			}
		} else if f.Prior != "" {
			if err := putBlob(tx, f.Base, f.Prior); err != nil {
				return err
			}
		}
	}
	return put(tx, bucketFiles, []byte(p.ID), files)
}

func beginDecisions(tx *bolt.Tx, seq uint64, p *memsync.Plan) error {
	decisions := tx.Bucket(bucketDecisions)
	byPath, byMemory := tx.Bucket(bucketByPath), tx.Bucket(bucketByMemory)
	for i := range p.Decisions {
		d := &p.Decisions[i]
		request := ""
		if len(p.Requests) > 0 {
			request = p.Requests[i]
		}
		v, err := encodeDecision(p.ID, p.At, d, request)
		if err != nil {
			return err
		}
		key := decisionKey(seq, i)
		if err := decisions.Put(key, v); err != nil {
			return err
		}
		for _, path := range pathsOf(d) {
			if err := byPath.Put(indexKey(string(path), key), []byte{}); err != nil {
				return err
			}
		}
		if d.Memory != "" {
			if err := byMemory.Put(indexKey(string(d.Memory), key), []byte{}); err != nil {
				return err
			}
		}
	}
	meta := tx.Bucket(bucketMeta)
	return meta.Put(keyDecisions, be64(number(meta.Get(keyDecisions))+uint64(len(p.Decisions))))
}

// pathsOf are the paths a decision is about: where it is, and where it was.
func pathsOf(d *memsync.Decision) []memsync.Path {
	switch {
	case d.Path == "" && d.From == "":
		return nil
	case d.From == "" || d.From == d.Path:
		return []memsync.Path{d.Path}
	case d.Path == "":
		return []memsync.Path{d.From}
	}
	return []memsync.Path{d.Path, d.From}
}

func indexKey(name string, key []byte) []byte {
	out := make([]byte, 0, len(name)+1+len(key))
	out = append(append(out, name...), 0)
	return append(out, key...)
}

// Applied marks a plan as wholly there, in one transaction with everything
// that follows from it: contents that the commit holds are dropped for their
// object ids, the same-request index and the previous saves move on, one event
// a decision is emitted, and what the plan forgets is scrubbed. With an empty
// commit the contents stay.
//
// A plan that was marked before is left alone. The events are those emitted.
func (j *Journal) Applied(plan memsync.ID, commit string, blobs map[memsync.Path]string) ([]memsync.Event, error) {
	var events []memsync.Event
	forgets := false
	err := j.update(func(tx *bolt.Tx) error {
		events = nil
		rec, err := getPlan(tx, plan)
		if err != nil || rec.State == Applied {
			return err
		}
		if rec.State != Planned {
			return &memsync.Error{Code: memsync.CodeInternal, Message: "plan " + string(plan) + " is " + string(rec.State)}
		}
		rec.State, rec.Commit = Applied, commit
		if err := closePlan(tx, plan, rec); err != nil {
			return err
		}
		files, err := getFiles(tx, plan)
		if err != nil {
			return err
		}
		if err := settleFiles(tx, plan, rec, files, commit, blobs); err != nil {
			return err
		}
		if events, err = settleDecisions(tx, plan, rec, files); err != nil {
			return err
		}
		forgets = len(rec.Forget) > 0
		if forgets {
			return scrub(tx, rec.Forget, nil)
		}
		return nil
	})
	if err == nil && forgets {
		err = j.Compact()
	}
	return events, err
}

// closePlan takes a plan off the list of unfinished ones.
func closePlan(tx *bolt.Tx, plan memsync.ID, rec planRecord) error {
	if err := tx.Bucket(bucketOpen).Delete(be64(rec.Seq)); err != nil {
		return err
	}
	return put(tx, bucketPlans, []byte(plan), rec)
}

func settleFiles(tx *bolt.Tx, plan memsync.ID, rec planRecord, files []fileRecord, commit string, blobs map[memsync.Path]string) error {
	for i := range files {
		f := &files[i]
		owner := planOwner(rec.Seq, f.Path)
		if blob := blobs[f.Path]; commit != "" && blob != "" && f.Post != "" {
			f.Blob = blob
			if err := putBlob(tx, f.Post, blob); err != nil {
				return err
			}
			if err := release(tx, f.Post, needPost, owner); err != nil {
				return err
			}
		}
		// The bytes that were replaced and are nowhere else stay: they were on
		// disk, and no version that was is lost.
		if f.Base != "" && f.Base != f.Post && otherNeeds(tx, f.Base, needBase, owner) {
			if err := release(tx, f.Base, needBase, owner); err != nil {
				return err
			}
		}
		if err := noteLedger(tx, f); err != nil {
			return err
		}
	}
	if commit == "" {
		return nil
	}
	return put(tx, bucketFiles, []byte(plan), files)
}

// Superseded closes a plan whose files somebody else's bytes overtook. Its
// contents stay, on both sides (the bytes it started from may have been saved
// over, too), and held names those of them that a person or the keeper should
// look at again.
func (j *Journal) Superseded(plan memsync.ID, held []memsync.Held) error {
	return j.undone(plan, Superseded, memsync.CodeIORaced, held)
}

// Failed closes a plan that was undone while its caller still waits and is
// told why. Its contents go; the caller has them.
func (j *Journal) Failed(plan memsync.ID, why memsync.Code) error {
	return j.undone(plan, Failed, why, nil)
}

func (j *Journal) undone(plan memsync.ID, state State, why memsync.Code, held []memsync.Held) error {
	return j.update(func(tx *bolt.Tx) error {
		rec, err := getPlan(tx, plan)
		if err != nil || rec.State == state {
			return err
		}
		if rec.State != Planned {
			return &memsync.Error{Code: memsync.CodeInternal, Message: "plan " + string(plan) + " is " + string(rec.State)}
		}
		rec.State, rec.Code = state, why
		if err := closePlan(tx, plan, rec); err != nil {
			return err
		}
		waits := map[memsync.Path]memsync.Hash{}
		for _, h := range held {
			if err := putHeld(tx, h, nil); err != nil {
				return err
			}
			waits[h.Path] = h.Hash
		}
		files, err := getFiles(tx, plan)
		if err != nil {
			return err
		}
		for _, f := range files {
			owner := planOwner(rec.Seq, f.Path)
			if state == Superseded {
				if f.Post == "" || waits[f.Path] != f.Post {
					continue
				}
				// The held record keeps them from now on, so that they stay as a
				// copy when the path is decided about.
				if err := release(tx, f.Post, needPost, owner); err != nil {
					return err
				}
				continue
			}
			if err := release(tx, f.Base, needBase, owner); err != nil {
				return err
			}
			if err := release(tx, f.Post, needPost, owner); err != nil {
				return err
			}
		}
		return nil
	})
}

// Unfinished is a plan that somebody has to finish, and how it was to be
// committed.
type Unfinished struct {
	*memsync.Plan
	Mode memsync.CommitMode
}

// Unfinished are the plans that began and neither were applied nor undone, in
// the order in which they began, with the contents that the journal holds: a
// file marked Secret comes without.
func (j *Journal) Unfinished() ([]Unfinished, error) {
	var plans []Unfinished
	err := j.view(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketOpen).ForEach(func(_, id []byte) error {
			rec, err := getPlan(tx, memsync.ID(id))
			if err != nil {
				return err
			}
			p, err := loadPlan(tx, memsync.ID(id))
			plans = append(plans, Unfinished{p, rec.Mode})
			return err
		})
	})
	return plans, err
}

// Pending counts the plans that are unfinished.
func (j *Journal) Pending() (n int, err error) {
	return n, j.view(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketOpen).ForEach(func(_, _ []byte) error { n++; return nil })
	})
}

// Recent are the newest n plans, newest first, whatever became of them.
func (j *Journal) Recent(n int) (ids []memsync.ID, err error) {
	err = j.view(func(tx *bolt.Tx) error {
		c := tx.Bucket(bucketDecisions).Cursor()
		for k, v := c.Last(); k != nil && len(ids) < n; k, v = c.Prev() {
			h, _, err := splitDecision(v)
			if err != nil {
				return err
			}
			ids = append(ids, memsync.ID(h.plan))
			c.Seek(k[:8:8]) // the first decision of this plan
		}
		return nil
	})
	return ids, err
}

// Plan is a plan as it was decided, with the contents that are still here, and
// where it stands.
func (j *Journal) Plan(id memsync.ID) (p *memsync.Plan, state State, commit string, err error) {
	err = j.view(func(tx *bolt.Tx) error {
		rec, err := getPlan(tx, id)
		if err != nil {
			return err
		}
		state, commit = rec.State, rec.Commit
		p, err = loadPlan(tx, id)
		return err
	})
	return p, state, commit, err
}

func loadPlan(tx *bolt.Tx, id memsync.ID) (*memsync.Plan, error) {
	rec, err := getPlan(tx, id)
	if err != nil {
		return nil, err
	}
	p := &memsync.Plan{ID: id, At: rec.At, Base: rec.Base, Author: rec.Author, Subject: rec.Subject, Forget: rec.Forget, Target: rec.Target, Dirty: rec.Dirty}
	files, err := getFiles(tx, id)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		f.Content = content(tx, f.Post)
		p.Files = append(p.Files, f.FileChange)
	}
	for i := range rec.Decisions {
		v := tx.Bucket(bucketDecisions).Get(decisionKey(rec.Seq, i))
		_, body, err := splitDecision(v)
		if err != nil {
			return nil, err
		}
		d, err := decodeDecision(body)
		if err != nil {
			return nil, err
		}
		for k := range d.Decision.Files {
			f := &d.Decision.Files[k]
			f.Content = content(tx, f.Post)
		}
		p.Decisions = append(p.Decisions, d.Decision)
		p.Requests = append(p.Requests, d.Request)
	}
	return p, nil
}

// content is a copy of stored bytes, nil for none.
func content(tx *bolt.Tx, h memsync.Hash) []byte {
	key, ok := rawHash(h)
	if !ok {
		return nil
	}
	if v := tx.Bucket(bucketContents).Get(key); v != nil {
		return append([]byte{}, v...)
	}
	return nil
}

// File is what a plan did to one path.
type File struct {
	memsync.FileChange        // without Content
	Size               int    // of the bytes of Post
	Blob               string // git's name of the bytes of Post, once committed
}

// Files are the files of a plan: what a revert goes back to.
func (j *Journal) Files(plan memsync.ID) (out []File, err error) {
	err = j.view(func(tx *bolt.Tx) error {
		if v := tx.Bucket(bucketFiles).Get([]byte(plan)); v == nil {
			return &memsync.Error{Code: memsync.CodeNotFound, Message: "no plan " + string(plan)}
		}
		files, err := getFiles(tx, plan)
		for _, f := range files {
			out = append(out, File{f.FileChange, f.Size, f.Blob})
		}
		return err
	})
	return out, err
}
