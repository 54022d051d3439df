package journal

import (
	"encoding/json"
	"path"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"memsync"
)

// Fact reads a small fact of this machine into a value; false when there is
// none by that name.
func (j *Journal) Fact(name string, into any) (ok bool, err error) {
	err = j.view(func(tx *bolt.Tx) error {
		v := tx.Bucket(bucketFacts).Get([]byte("fact/" + name))
		if v == nil {
			return nil
		}
		ok = true
		if err := json.Unmarshal(v, into); err != nil {
			return damaged(err)
		}
		return nil
	})
	return ok, err
}

// PutFact writes a fact; nil removes it.
func (j *Journal) PutFact(name string, value any) error {
	key := []byte("fact/" + name)
	return j.update(func(tx *bolt.Tx) error {
		if value == nil {
			return tx.Bucket(bucketFacts).Delete(key)
		}
		return put(tx, bucketFacts, key, value)
	})
}

type cloneRecord struct {
	ID      memsync.ID `json:"id"`
	Binding string     `json:"binding"`
}

// Clone is the id under which this clone writes its ledger files. It is bound
// to a place: a directory that was copied brings its journal along and must
// not append to the original's files, so another binding draws another id.
func (j *Journal) Clone(binding string, draw func() memsync.ID) (id memsync.ID, err error) {
	key := []byte("clone")
	err = j.view(func(tx *bolt.Tx) error { // the usual case costs no write
		var rec cloneRecord
		if v := tx.Bucket(bucketFacts).Get(key); v != nil {
			if err := json.Unmarshal(v, &rec); err != nil {
				return damaged(err)
			}
			if rec.Binding == binding {
				id = rec.ID
			}
		}
		return nil
	})
	if err != nil || id != "" {
		return id, err
	}
	id = draw()
	return id, j.update(func(tx *bolt.Tx) error { return put(tx, bucketFacts, key, cloneRecord{id, binding}) })
}

// LedgerTail is the ledger file that this clone wrote last in a directory, as
// it left it.
type LedgerTail struct {
	Name string       `json:"name"` // base name
	Len  int          `json:"len"`  // bytes
	Hash memsync.Hash `json:"hash"`
}

// LedgerTail is what the last applied plan left in a ledger directory
// (<scope>/_system/ledger). Applied keeps it.
func (j *Journal) LedgerTail(dir memsync.Path) (tail LedgerTail, ok bool, err error) {
	err = j.view(func(tx *bolt.Tx) error {
		v := tx.Bucket(bucketFacts).Get([]byte("ledger/" + string(dir)))
		if v == nil {
			return nil
		}
		ok = true
		if err := json.Unmarshal(v, &tail); err != nil {
			return damaged(err)
		}
		return nil
	})
	return tail, ok, err
}

// noteLedger keeps the tail when a plan's file is a ledger.
func noteLedger(tx *bolt.Tx, f *fileRecord) error {
	dir, base := path.Split(string(f.Path))
	dir = strings.TrimSuffix(dir, "/")
	if f.Post == "" || !strings.HasSuffix(base, ".jsonl") || !strings.HasSuffix("/"+dir, "/_system/ledger") {
		return nil
	}
	return put(tx, bucketFacts, []byte("ledger/"+dir), LedgerTail{base, f.Size, f.Post})
}

// PendingDelete is a mass delete that waits for accept-deletes or restore.
type PendingDelete struct {
	Scope string         `json:"scope"`
	Paths []memsync.Path `json:"paths"`
	Since time.Time      `json:"since"`
}

// PendingDeletes are the mass deletes that wait, by scope.
func (j *Journal) PendingDeletes() (out []PendingDelete, err error) {
	_, err = j.Fact("pending-deletes", &out)
	return out, err
}

// PutPendingDeletes replaces the list; an empty one clears it.
func (j *Journal) PutPendingDeletes(list []PendingDelete) error {
	if len(list) == 0 {
		return j.PutFact("pending-deletes", nil)
	}
	return j.PutFact("pending-deletes", list)
}
