package indexer

import (
	"bytes"
	"runtime/debug"

	bolt "go.etcd.io/bbolt"

	"memsync"
)

// Walk goes through the catalog once in the order of the paths, beside somebody
// who goes through the files. It sees the catalog as it was when it began; nobody
// may write in the catalog before it is closed. It is for one goroutine.
type Walk struct {
	tx    *bolt.Tx
	stats *bolt.Cursor
	key   []byte // where stats stands, and what is there
	value []byte
	asked bool
	paths *bolt.Cursor
	path  []byte // the last one
	begun bool
	err   error
}

// Walk begins a walk. memories: Next yields the memories in the view alone, else
// every accepted file; deleted memories, which stay known, included.
func (c *Catalog) Walk(memories bool) (*Walk, error) {
	tx, err := c.db.Begin(false)
	if err != nil {
		return nil, wrap(err)
	}
	bucket := bucketTracked
	if memories {
		bucket = bucketMemories
	}
	return &Walk{tx: tx, stats: tx.Bucket(bucketStats).Cursor(), paths: tx.Bucket(bucket).Cursor()}, nil
}

// Close ends the walk. Its error, which may wrap ErrDamaged, is that of any answer:
// what was said is worth nothing then.
func (w *Walk) Close() error {
	if err := w.tx.Rollback(); w.err == nil {
		w.err = err
	}
	return w.err
}

// answer reads pages of a mapped file, which may be damaged.
func (w *Walk) answer(read func()) {
	if w.err != nil {
		return
	}
	defer guard(&w.err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	read()
}

// Stat is what was on disk at p when it was last read. Paths that are asked for in
// ascending order cost a step each, others a search.
func (w *Walk) Stat(p memsync.Path) (st Stat, ok bool) {
	w.answer(func() {
		if w.asked && w.key != nil && string(w.key) < string(p) {
			w.key, w.value = w.stats.Next()
		}
		if !w.asked || string(w.key) != string(p) {
			w.key, w.value = w.stats.Seek([]byte(p))
			w.asked = true
		}
		if string(w.key) == string(p) {
			if st, ok = decodeStat(w.value); !ok {
				w.err = ErrDamaged
			}
		}
	})
	return st, ok
}

// Next is the next path, in memory that is good until the next call; nil after the
// last one. Whoever gets it may look at it: a damaged page is ErrDamaged, and so
// are paths that do not ascend, of which a file that is there would seem missing.
func (w *Walk) Next() (path []byte) {
	w.answer(func() {
		var key []byte
		if w.begun {
			key, _ = w.paths.Next()
		} else {
			key, _ = w.paths.First()
		}
		if key == nil {
			return
		}
		if len(key) > bolt.MaxKeySize || w.begun && bytes.Compare(key, w.path) <= 0 {
			w.err = ErrDamaged
			return
		}
		w.begun = true
		w.path = append(w.path[:0], key...)
		path = w.path
	})
	return path
}
