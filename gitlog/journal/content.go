package journal

import (
	"bytes"
	"encoding/hex"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"memsync"
)

// Who needs a content. The bytes stay while anybody does, and go, in the same
// transaction, with the last who did.
const (
	needPost  = 'p' // a plan: its bytes afterwards; owner is sequence, path
	needBase  = 'b' // a plan: the bytes it replaces and git does not hold; owner as above
	needHeld  = 'h' // a held record; owner is the path
	needSave  = 's' // the previous save of a path; owner is the path
	needNamed = 'n' // PutContent; owner is the name
)

// store keeps content under its hash for one who needs it.
func store(tx *bolt.Tx, h memsync.Hash, content []byte, need byte, owner []byte) error {
	key, ok := rawHash(h)
	if !ok {
		return fmt.Errorf("bug: %q is no hash", h)
	}
	contents := tx.Bucket(bucketContents)
	if contents.Get(key) == nil {
		if content == nil {
			content = []byte{}
		}
		if err := contents.Put(key, content); err != nil {
			return err
		}
	}
	return tx.Bucket(bucketRefs).Put(ref(key, need, owner), []byte{})
}

// hold adds a need to bytes that may be stored already; false when they are not.
func hold(tx *bolt.Tx, h memsync.Hash, need byte, owner []byte) (bool, error) {
	key, ok := rawHash(h)
	if !ok || tx.Bucket(bucketContents).Get(key) == nil {
		return false, nil
	}
	return true, tx.Bucket(bucketRefs).Put(ref(key, need, owner), []byte{})
}

// release takes one need away, and the bytes when it was the last. Bytes that
// nobody stored are no error.
func release(tx *bolt.Tx, h memsync.Hash, need byte, owner []byte) error {
	key, ok := rawHash(h)
	if !ok {
		return nil
	}
	refs := tx.Bucket(bucketRefs)
	if err := refs.Delete(ref(key, need, owner)); err != nil {
		return err
	}
	if needed(refs, key) {
		return nil
	}
	return tx.Bucket(bucketContents).Delete(key)
}

func needed(refs *bolt.Bucket, key []byte) bool {
	k, _ := refs.Cursor().Seek(key)
	return bytes.HasPrefix(k, key)
}

// otherNeeds reports whether somebody besides the one named needs the bytes.
func otherNeeds(tx *bolt.Tx, h memsync.Hash, need byte, owner []byte) bool {
	key, ok := rawHash(h)
	if !ok {
		return false
	}
	own := ref(key, need, owner)
	c := tx.Bucket(bucketRefs).Cursor()
	for k, _ := c.Seek(key); bytes.HasPrefix(k, key); k, _ = c.Next() {
		if !bytes.Equal(k, own) {
			return true
		}
	}
	return false
}

func ref(key []byte, need byte, owner []byte) []byte {
	out := make([]byte, 0, len(key)+1+len(owner))
	out = append(out, key...)
	out = append(out, need)
	return append(out, owner...)
}

func planOwner(seq uint64, p memsync.Path) []byte { return append(be64(seq), p...) }

// refPath is the path a need is about, "" for named contents.
func refPath(k []byte) (path memsync.Path, need byte) {
	need, owner := k[32], k[33:]
	switch need {
	case needPost, needBase:
		return memsync.Path(owner[8:]), need
	case needHeld, needSave:
		return memsync.Path(owner), need
	}
	return "", need
}

func rawHash(h memsync.Hash) ([]byte, bool) {
	if len(h) != 64 {
		return nil, false
	}
	raw, err := hex.DecodeString(string(h))
	return raw, err == nil
}

// Content is the bytes with that hash, where the journal holds them: those of
// unfinished plans, of everything with commit = off, of held records and
// previous saves. Where it does not, Blob may know git's name for them.
func (j *Journal) Content(h memsync.Hash) (content []byte, ok bool, err error) {
	key, valid := rawHash(h)
	if !valid {
		return nil, false, nil
	}
	err = j.view(func(tx *bolt.Tx) error {
		if v := tx.Bucket(bucketContents).Get(key); v != nil {
			content, ok = append([]byte{}, v...), true
		}
		return nil
	})
	return content, ok, err
}

// PutContent keeps bytes under a name of the caller's until DropContent. A
// second call with the name replaces the first. Secrets are the caller's to
// keep out.
func (j *Journal) PutContent(name string, content []byte) (memsync.Hash, error) {
	h := memsync.HashOf(content)
	return h, j.update(func(tx *bolt.Tx) error {
		if err := dropNamed(tx, name, h); err != nil {
			return err
		}
		if err := store(tx, h, content, needNamed, []byte(name)); err != nil {
			return err
		}
		return tx.Bucket(bucketFacts).Put([]byte("content/"+name), []byte(h))
	})
}

// DropContent lets go of what PutContent kept under a name.
func (j *Journal) DropContent(name string) error {
	return j.update(func(tx *bolt.Tx) error { return dropNamed(tx, name, "") })
}

func dropNamed(tx *bolt.Tx, name string, except memsync.Hash) error {
	facts, key := tx.Bucket(bucketFacts), []byte("content/"+name)
	old := memsync.Hash(facts.Get(key))
	if old == "" || old == except {
		return nil
	}
	if err := facts.Delete(key); err != nil {
		return err
	}
	return release(tx, old, needNamed, []byte(name))
}

// Blob is git's object id of the bytes with that hash, as far as a plan that
// was committed told.
func (j *Journal) Blob(h memsync.Hash) (id string, ok bool, err error) {
	key, valid := rawHash(h)
	if !valid {
		return "", false, nil
	}
	err = j.view(func(tx *bolt.Tx) error {
		id = string(tx.Bucket(bucketBlobs).Get(key))
		return nil
	})
	return id, id != "", err
}

func putBlob(tx *bolt.Tx, h memsync.Hash, blob string) error {
	key, ok := rawHash(h)
	if !ok || blob == "" {
		return nil
	}
	return tx.Bucket(bucketBlobs).Put(key, []byte(blob))
}

// checkRefs verifies that every content is needed and every need has its
// content or was never allowed one.
func (j *Journal) checkRefs(tx *bolt.Tx) error {
	refs, contents := tx.Bucket(bucketRefs), tx.Bucket(bucketContents)
	err := contents.ForEach(func(k, v []byte) error {
		if !needed(refs, k) {
			return damaged(fmt.Errorf("content %x is needed by nobody", k))
		}
		if raw, _ := rawHash(memsync.HashOf(v)); !bytes.Equal(raw, k) {
			return damaged(fmt.Errorf("content %x has other bytes", k))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return refs.ForEach(func(k, _ []byte) error {
		if len(k) < 33 || contents.Get(k[:32]) == nil {
			return damaged(fmt.Errorf("content %.64x is needed and not there", k))
		}
		return nil
	})
}
