package journal

import (
	"bytes"
	"encoding/json"

	bolt "go.etcd.io/bbolt"

	"memsync"
)

// heldRecord is a file that waits (Current), or the copy of one that was
// saved over.
type heldRecord struct {
	memsync.Held
	Current bool   `json:"current,omitempty"`
	Seq     uint64 `json:"seq"` // orders the copies of one path
}

// PutHeld records that a file waits. There is one current record a path; an
// earlier one of other bytes becomes a copy when its content is here, else it
// goes.
//
// content is a copy of the file's bytes, for what may be saved over before a
// person looks; nil when the file alone has them. A held secret is never
// copied: with [memsync.CodeSecret] content is ignored.
func (j *Journal) PutHeld(h memsync.Held, content []byte) error {
	return j.update(func(tx *bolt.Tx) error { return putHeld(tx, h, content) })
}

func putHeld(tx *bolt.Tx, h memsync.Held, content []byte) error {
	b := tx.Bucket(bucketHeld)
	if err := retire(tx, h.Path, h.Hash); err != nil {
		return err
	}
	secret := h.Why == memsync.CodeSecret
	switch {
	case secret:
		if err := release(tx, h.Hash, needHeld, heldOwner(h.Path)); err != nil {
			return err
		}
	case content != nil:
		if err := store(tx, memsync.HashOf(content), content, needHeld, heldOwner(h.Path)); err != nil {
			return err
		}
		h.Hash = memsync.HashOf(content)
	default:
		if _, err := hold(tx, h.Hash, needHeld, heldOwner(h.Path)); err != nil {
			return err
		}
	}
	seq, err := b.NextSequence()
	if err != nil {
		return err
	}
	return put(tx, bucketHeld, heldKey(h.Path, h.Hash), heldRecord{Held: h, Current: true, Seq: seq})
}

// KeepCopy keeps bytes that were on disk at a path and are nowhere any more,
// as the copy of a version that was saved over.
func (j *Journal) KeepCopy(h memsync.Held, content []byte) error {
	if h.Why == memsync.CodeSecret {
		return nil
	}
	h.Hash = memsync.HashOf(content)
	return j.update(func(tx *bolt.Tx) error {
		if tx.Bucket(bucketHeld).Get(heldKey(h.Path, h.Hash)) != nil {
			return nil
		}
		if err := store(tx, h.Hash, content, needHeld, heldOwner(h.Path)); err != nil {
			return err
		}
		seq, err := tx.Bucket(bucketHeld).NextSequence()
		if err != nil {
			return err
		}
		return put(tx, bucketHeld, heldKey(h.Path, h.Hash), heldRecord{Held: h, Seq: seq})
	})
}

// retire turns the current record of a path, unless it is of these bytes,
// into a copy when nobody else keeps its content, and drops it otherwise.
func retire(tx *bolt.Tx, p memsync.Path, except memsync.Hash) error {
	for _, r := range heldAt(tx, p) {
		if !r.Current || (except != "" && r.Hash == except) {
			continue
		}
		if onlyHere(tx, p, r.Hash) {
			r.Current = false
			if err := put(tx, bucketHeld, heldKey(p, r.Hash), r); err != nil {
				return err
			}
			continue
		}
		if err := dropHeld(tx, r); err != nil {
			return err
		}
	}
	return nil
}

// onlyHere reports whether the held record is all that keeps its bytes.
func onlyHere(tx *bolt.Tx, p memsync.Path, h memsync.Hash) bool {
	key, ok := rawHash(h)
	return ok && tx.Bucket(bucketRefs).Get(ref(key, needHeld, heldOwner(p))) != nil &&
		tx.Bucket(bucketBlobs).Get(key) == nil && !otherNeeds(tx, h, needHeld, heldOwner(p))
}

func dropHeld(tx *bolt.Tx, r heldRecord) error {
	if err := tx.Bucket(bucketHeld).Delete(heldKey(r.Path, r.Hash)); err != nil {
		return err
	}
	return release(tx, r.Hash, needHeld, heldOwner(r.Path))
}

// DropHeld says that a path waits no more. Bytes that a commit or a plan holds
// are let go; bytes that are only here stay as a copy.
func (j *Journal) DropHeld(p memsync.Path) error {
	return j.update(func(tx *bolt.Tx) error { return retire(tx, p, "") })
}

// Held are the files that wait, by path.
func (j *Journal) Held() ([]memsync.Held, error) { return j.held(true) }

// HeldCopies are held versions that were saved over, by path. Content has
// their bytes.
func (j *Journal) HeldCopies() ([]memsync.Held, error) { return j.held(false) }

func (j *Journal) held(current bool) (out []memsync.Held, err error) {
	err = j.view(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketHeld).ForEach(func(k, v []byte) error {
			r, err := decodeHeld(k, v)
			if err == nil && r.Current == current {
				out = append(out, r.Held)
			}
			return err
		})
	})
	return out, err
}

func heldAt(tx *bolt.Tx, p memsync.Path) (out []heldRecord) {
	prefix := heldKey(p, "")
	c := tx.Bucket(bucketHeld).Cursor()
	for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if r, err := decodeHeld(k, v); err == nil {
			out = append(out, r)
		}
	}
	return out
}

func decodeHeld(k, v []byte) (r heldRecord, err error) {
	if err := json.Unmarshal(v, &r); err != nil {
		return r, damaged(err)
	}
	// The key has the path as it is; JSON would change invalid UTF-8.
	if i := bytes.LastIndexByte(k, 0); i >= 0 {
		r.Path = memsync.Path(k[:i])
	}
	return r, nil
}

func heldKey(p memsync.Path, h memsync.Hash) []byte { return []byte(string(p) + "\x00" + string(h)) }
func heldOwner(p memsync.Path) []byte               { return []byte(p) }
