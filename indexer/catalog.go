package indexer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"runtime/debug"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"memsync"
)

// schema changes when what the catalog holds is computed differently; an older
// catalog is made anew.
const schema = 1

// Options say how a catalog is opened.
type Options struct {
	Timeout time.Duration // how long to wait for another process to let go; 0 means 2 s
	Boot    string        // names this boot of the machine; "" where the system does not say
}

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

// Update is one step of the catalog, applied wholly or not at all.
type Update struct {
	Revision memsync.Revision
	Memories map[memsync.Path]*memsync.Memory // nil: no longer in the view
	Tracked  map[memsync.Path]Tracked
	Stats    map[memsync.Path]Disk
	Gone     []memsync.Path // no longer in the store: memory, accepted version and stat go
}

// Catalog is the open catalog of one store.
type Catalog struct {
	file     string
	db       *bolt.DB
	rebuilt  bool
	revision memsync.Revision
}

var (
	bucketMeta     = []byte("meta")
	bucketStats    = []byte("stats")
	bucketTracked  = []byte("tracked")
	bucketMemories = []byte("memories")
	buckets        = [][]byte{bucketMeta, bucketStats, bucketTracked, bucketMemories}

	keySchema   = []byte("schema")
	keyRevision = []byte("revision")
)

// ErrDamaged is wrapped by errors of a catalog that no longer makes sense.
// Discard removes it; the next Open begins with an empty one.
var ErrDamaged = errors.New("the catalog is damaged")

// Open opens the catalog, making an empty one when there is none or when what
// is there cannot be trusted: another schema, damage, or a machine that went
// down while it was open (the catalog is written without waiting for the
// disk). A file that may not be read, or a full disk, is an error and wipes
// nothing.
func Open(file string, opt Options) (*Catalog, error) {
	if opt.Timeout == 0 {
		opt.Timeout = 2 * time.Second
	}
	c := &Catalog{file: file}
	if lostPower(file, opt.Boot) {
		if err := c.Discard(); err != nil {
			return nil, err
		}
		c.rebuilt = true
	}
	err := c.open(opt)
	if errors.Is(err, ErrDamaged) {
		if err := c.Discard(); err != nil {
			return nil, err
		}
		c.rebuilt = true
		err = c.open(opt)
	}
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(marker(file), []byte(opt.Boot), 0o600); err != nil {
		c.db.Close()
		return nil, wrap(err)
	}
	return c, nil
}

func (c *Catalog) open(opt Options) (err error) {
	defer guard(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	before, statErr := os.Stat(c.file)
	db, err := bolt.Open(c.file, 0o600, &bolt.Options{Timeout: opt.Timeout, NoSync: true, NoFreelistSync: true, FreelistType: bolt.FreelistMapType})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return &memsync.Error{Code: memsync.CodeStoreBusy, Message: "the catalog is held by another process", Hint: "try again when it has finished"}
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrChecksum), errors.Is(err, bolterrors.ErrVersionMismatch):
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case err != nil:
		return wrap(err)
	}
	defer func() {
		if c.db == nil {
			db.Close()
		}
	}()
	fresh := statErr != nil || before.Size() == 0
	err = db.View(func(tx *bolt.Tx) error {
		if !fresh && tx.Size() > before.Size() {
			return fmt.Errorf("%w: it was cut short", ErrDamaged)
		}
		meta := tx.Bucket(bucketMeta)
		if meta == nil {
			if k, _ := tx.Cursor().First(); k != nil {
				return fmt.Errorf("%w: it is another database", ErrDamaged)
			}
			fresh = true
			return nil
		}
		for _, b := range buckets {
			if tx.Bucket(b) == nil {
				return fmt.Errorf("%w: %s is missing", ErrDamaged, b)
			}
		}
		if string(meta.Get(keySchema)) != fmt.Sprint(schema) {
			return fmt.Errorf("%w: it has another schema", ErrDamaged)
		}
		return json.Unmarshal(meta.Get(keyRevision), &c.revision)
	})
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err == nil && fresh {
		c.revision = memsync.Revision{}
		err = db.Update(func(tx *bolt.Tx) error {
			for _, b := range buckets {
				if _, err := tx.CreateBucketIfNotExists(b); err != nil {
					return err
				}
			}
			meta := tx.Bucket(bucketMeta)
			if err := meta.Put(keyRevision, []byte("{}")); err != nil {
				return err
			}
			return meta.Put(keySchema, []byte(fmt.Sprint(schema)))
		})
	}
	if err != nil {
		return wrap(err)
	}
	c.db = db
	return nil
}

// Rebuilt reports whether what was there before could not be used.
func (c *Catalog) Rebuilt() bool { return c.rebuilt }

// Close writes the catalog out and lets go of it.
func (c *Catalog) Close() error {
	if c.db == nil {
		return nil
	}
	err := c.db.Sync()
	if cerr := c.db.Close(); err == nil {
		err = cerr
	}
	c.db = nil
	if err != nil {
		return wrap(err) // the marker stays: what is on disk is not known
	}
	return os.Remove(marker(c.file))
}

// Discard closes and removes the catalog.
func (c *Catalog) Discard() error {
	if c.db != nil {
		c.db.Close()
		c.db = nil
	}
	for _, f := range []string{c.file, marker(c.file)} {
		if err := os.Remove(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return wrap(err)
		}
	}
	return nil
}

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

// Stats are all stat records: one pass instead of one transaction a file.
func (c *Catalog) Stats() (map[memsync.Path]Disk, error) {
	out := map[memsync.Path]Disk{}
	err := c.read(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketStats).ForEach(func(k, v []byte) error {
			d, ok := decodeDisk(v)
			if !ok {
				return ErrDamaged
			}
			out[memsync.Path(k)] = d
			return nil
		})
	})
	return out, err
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

// View decodes every header. An error that wraps ErrDamaged says that the
// catalog must be discarded.
func (c *Catalog) View(scopes []memsync.Scope) (*memsync.View, error) {
	var list []*memsync.Memory
	err := c.read(func(tx *bolt.Tx) error {
		b := tx.Bucket(bucketMemories)
		return b.ForEach(func(k, v []byte) error {
			m, err := decodeMemory(memsync.Path(k), v)
			if err != nil {
				return err
			}
			list = append(list, m)
			return nil
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
		stats, tracked, memories := tx.Bucket(bucketStats), tx.Bucket(bucketTracked), tx.Bucket(bucketMemories)
		for _, p := range u.Gone {
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
		}
		for p, d := range u.Stats {
			if err := stats.Put([]byte(p), encodeDisk(d)); err != nil {
				return err
			}
		}
		for p, m := range u.Memories {
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

func (c *Catalog) read(fn func(*bolt.Tx) error) (err error) {
	defer guard(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	return c.db.View(fn)
}

func (c *Catalog) write(fn func(*bolt.Tx) error) (err error) {
	defer guard(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	return wrap(c.db.Update(fn))
}

// guard turns a fault in a damaged, mapped file, or a panic of the database on
// a page that makes no sense, into ErrDamaged.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: %v", ErrDamaged, r)
	}
}

func wrap(err error) error {
	var e *memsync.Error
	if err == nil || errors.Is(err, ErrDamaged) || errors.As(err, &e) {
		return err
	}
	code := memsync.CodeIO
	switch {
	case errors.Is(err, fs.ErrPermission):
		code = memsync.CodeIODenied
	case isFull(err):
		code = memsync.CodeIOFull
	}
	return &memsync.Error{Code: code, Message: "the catalog can't be written", Err: err,
		Hint: "see that the store's git directory is writable and has room"}
}

// marker is a file that is there while the catalog is open. One of another
// boot means that the machine went down meanwhile, and that pages may be
// missing that the file's headers count on.
func marker(file string) string { return file + ".open" }

func lostPower(file, boot string) bool {
	old, err := os.ReadFile(marker(file))
	return err == nil && (string(old) != boot || boot == "")
}
