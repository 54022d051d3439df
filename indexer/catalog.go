package indexer

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"

	bolt "go.etcd.io/bbolt"

	"memsync"
	"memsync/internal/pages"
)

// Stat is what the file system says of a file. Times are nanoseconds since
// 1970. CTime and Inode are 0 where the system has none.
type Stat struct {
	Size         int64
	MTime, CTime int64
	Inode        uint64
	Mode         uint32
}

// Disk is what was on disk when it was last read.
type Disk struct {
	Stat Stat
	Hash memsync.Hash
	Blob string // git's object id of those bytes
}

// Tracked is the last accepted version of any file of the store. Blob is ""
// while no commit holds it.
type Tracked struct {
	Hash memsync.Hash
	Blob string
}

// bulk is how many records at once fill pages nearly whole instead of by half
// (bbolt's default leaves room for inserts): a first filling makes the file a
// third smaller. The number is a guess.
const bulk = 256

// Update is one step of the catalog, applied wholly or not at all.
type Update struct {
	Revision memsync.Revision
	Memories map[memsync.Path]*memsync.Memory // nil: no longer in the view
	Tracked  map[memsync.Path]Tracked
	Stats    map[memsync.Path]Disk
	Gone     []memsync.Path    // no longer in the store: memory, accepted version and stat go
	Facts    map[string][]byte // what the store's owner keeps about it, by name; nil: forgotten
}

// Catalog is the open catalog of one store. Reads may go on beside a write;
// writes come from one goroutine.
type Catalog struct {
	file     string
	boot     string
	bare     bool
	db       *bolt.DB
	rebuilt  bool
	marked   bool // the state file says that we write
	revision memsync.Revision
}

var (
	bucketMeta     = []byte("meta")
	bucketStats    = []byte("stats")
	bucketTracked  = []byte("tracked")
	bucketMemories = []byte("memories")
	bucketFacts    = []byte("facts")
	bucketFresh    = []byte("fresh") // paths that the search index has not taken yet
	buckets        = [][]byte{bucketMeta, bucketStats, bucketTracked, bucketMemories, bucketFacts, bucketFresh}

	keySchema   = []byte("schema")
	keyRevision = []byte("revision")
	keyIndexed  = []byte("indexed") // the stamp of the search index that took everything but those
)

// Bare has View leave out the sketches from now on, for who looks for no
// near-duplicates. Such memories must not be given to Advance.
func (c *Catalog) Bare(yes bool) { c.bare = yes }

// Rest gives back the memory that looking at the catalog took.
func (c *Catalog) Rest() error { return pages.Return(c.db) }

// Revision is where the catalog stands.
func (c *Catalog) Revision() memsync.Revision { return c.revision }

// StatOf is what was on disk at p when it was last read.
func (c *Catalog) StatOf(p memsync.Path) (d Disk, ok bool) {
	c.read(func(tx *bolt.Tx) error {
		d, ok = decodeDisk(tx.Bucket(bucketStats).Get([]byte(p)))
		return nil
	})
	return d, ok
}

// Accepted is the last accepted version at p.
func (c *Catalog) Accepted(p memsync.Path) (hash memsync.Hash, blob string, ok bool) {
	c.read(func(tx *bolt.Tx) error {
		var t Tracked
		if t, ok = decodeTracked(tx.Bucket(bucketTracked).Get([]byte(p))); ok {
			hash, blob = t.Hash, t.Blob
		}
		return nil
	})
	return hash, blob, ok
}

// Fact is what the store's owner keeps under that name (the time of the last
// scan, a fingerprint of the scopes), nil for nothing.
func (c *Catalog) Fact(name string) (value []byte) {
	c.read(func(tx *bolt.Tx) error {
		value = bytes.Clone(tx.Bucket(bucketFacts).Get([]byte(name)))
		return nil
	})
	return value
}

// AllAccepted yields every accepted file.
func (c *Catalog) AllAccepted() iter.Seq2[memsync.Path, Tracked] {
	return func(yield func(memsync.Path, Tracked) bool) {
		errStop := errors.New("stop")
		c.read(func(tx *bolt.Tx) error {
			return tx.Bucket(bucketTracked).ForEach(func(k, v []byte) error {
				t, ok := decodeTracked(v)
				if ok && !yield(memsync.Path(k), t) {
					return errStop
				}
				return nil
			})
		})
	}
}

// MemoryPaths yields the paths of the memories in the view, in order.
func (c *Catalog) MemoryPaths() iter.Seq[memsync.Path] {
	return func(yield func(memsync.Path) bool) {
		errStop := errors.New("stop")
		c.read(func(tx *bolt.Tx) error {
			return tx.Bucket(bucketMemories).ForEach(func(k, _ []byte) error {
				if !yield(memsync.Path(k)) {
					return errStop
				}
				return nil
			})
		})
	}
}

// Remembers reports whether the view has a memory at p.
func (c *Catalog) Remembers(p memsync.Path) (yes bool) {
	c.read(func(tx *bolt.Tx) error {
		yes = tx.Bucket(bucketMemories).Get([]byte(p)) != nil
		return nil
	})
	return yes
}

// View decodes every header; until then none is. An error that wraps
// ErrDamaged says that the catalog must be discarded.
func (c *Catalog) View(scopes []memsync.Scope) (*memsync.View, error) {
	var list []*memsync.Memory
	err := c.read(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucketMemories)
		d := newDecoder()
		d.bare = c.bare
		var room []memsync.Memory // a few at once cost less than each by itself
		return b.ForEach(func(k, v []byte) error {
			if len(room) == 0 {
				room = make([]memsync.Memory, 32)
			}
			m := &room[0]
			room = room[1:]
			list = append(list, m)
			return d.memory(m, memsync.Path(k), v)
		})
	})
	if err != nil {
		return nil, err
	}
	return memsync.NewView(c.revision, scopes, list), nil
}

// Advance applies one step.
func (c *Catalog) Advance(u Update) error {
	rev, err := json.Marshal(u.Revision)
	if err != nil {
		return err
	}
	err = c.write(func(tx *bolt.Tx) error {
		stats, tracked, memories, fresh := tx.Bucket(bucketStats), tx.Bucket(bucketTracked), tx.Bucket(bucketMemories), tx.Bucket(bucketFresh)
		for b, n := range map[*bolt.Bucket]int{stats: len(u.Stats), tracked: len(u.Tracked), memories: len(u.Memories), fresh: len(u.Memories)} {
			if n >= bulk {
				b.FillPercent = 0.9
			}
		}
		for _, p := range u.Gone {
			if memories.Get([]byte(p)) != nil {
				if err := fresh.Put([]byte(p), nil); err != nil {
					return err
				}
			}
			for _, b := range []*bolt.Bucket{stats, tracked, memories} {
				if err := b.Delete([]byte(p)); err != nil {
					return err
				}
			}
		}
		for p, t := range u.Tracked {
			if err := tracked.Put([]byte(p), encodeTracked(t)); err != nil {
				return err
			}
			// What is known of the disk was known of other bytes: a file that is
			// moved away and back has the same stat as before.
			if d, ok := decodeDisk(stats.Get([]byte(p))); ok && d.Hash != t.Hash {
				if err := stats.Delete([]byte(p)); err != nil {
					return err
				}
			}
		}
		for p, d := range u.Stats {
			if err := stats.Put([]byte(p), encodeDisk(d)); err != nil {
				return err
			}
		}
		for p, m := range u.Memories {
			if err := fresh.Put([]byte(p), nil); err != nil {
				return err
			}
			if m == nil {
				if err := memories.Delete([]byte(p)); err != nil {
					return err
				}
				continue
			}
			if err := memories.Put([]byte(p), encodeMemory(m)); err != nil {
				return err
			}
		}
		facts := tx.Bucket(bucketFacts)
		for name, v := range u.Facts {
			if v == nil {
				if err := facts.Delete([]byte(name)); err != nil {
					return err
				}
				continue
			}
			if err := facts.Put([]byte(name), v); err != nil {
				return err
			}
		}
		return tx.Bucket(bucketMeta).Put(keyRevision, rev)
	})
	if err == nil {
		c.revision = u.Revision
	}
	return err
}

// PutStats notes what is on disk, without moving the revision.
func (c *Catalog) PutStats(stats map[memsync.Path]Disk) error {
	return c.write(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucketStats)
		for p, d := range stats {
			if err := b.Put([]byte(p), encodeDisk(d)); err != nil {
				return err
			}
		}
		return nil
	})
}
