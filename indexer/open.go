package indexer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"memsync"
	"memsync/internal/diskfull"
)

// schema changes when what the catalog holds is computed or written
// differently; an older catalog is made anew.
const schema = 3

// Options say how a catalog is opened.
type Options struct {
	Timeout time.Duration // how long to wait for another process to let go; 0 means 2 s
	Boot    string        // names this boot of the machine; "" asks the system
}

// ErrDamaged is wrapped by errors of a catalog that no longer makes sense.
// Discard removes it; the next Open begins with an empty one.
var ErrDamaged = errors.New("the catalog is damaged")

// Open opens the catalog, making an empty one when there is none or when what
// is there cannot be trusted: another schema, damage of any kind, or a machine
// that went down while it was written (state.go says how that shows). A file
// that may not be read, or a full disk, is an error and wipes nothing; so is a
// catalog that another process holds (CodeStoreBusy).
func Open(file string, opt Options) (*Catalog, error) {
	if opt.Timeout == 0 {
		opt.Timeout = 2 * time.Second
	}
	if opt.Boot == "" {
		opt.Boot = bootID()
	}
	c := &Catalog{file: file, boot: opt.Boot}
	health, err := inspect(file, opt.Boot)
	if err == nil {
		err = c.open(opt.Timeout, health == crashed)
	}
	if errors.Is(err, ErrDamaged) {
		if err := c.Discard(); err != nil {
			return nil, err
		}
		c.rebuilt = true
		err = c.open(opt.Timeout, false)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// open opens the database. Nothing waits for the disk, not even when the file
// grows. The list of free pages is kept in the file: without it bbolt walks
// all pages in a goroutine of its own, where a damaged one would end the
// process.
func (c *Catalog) open(timeout time.Duration, doubtful bool) (err error) {
	defer guard(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	db, err := bolt.Open(c.file, 0o600, &bolt.Options{Timeout: timeout, NoSync: true, NoGrowSync: true, FreelistType: bolt.FreelistMapType})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return &memsync.Error{Code: memsync.CodeStoreBusy, Message: "the catalog is held by another process", Hint: "try again when it has finished"}
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrChecksum), errors.Is(err, bolterrors.ErrVersionMismatch):
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case err != nil:
		return wrap(err)
	}
	db.AllocSize = 1 << 20
	c.db = db
	defer func() {
		if err != nil && c.db != nil {
			c.db.Close()
			c.db = nil
		}
	}()
	fresh := false
	if err := c.read(func(tx *bolt.Tx) (err error) {
		fresh, err = c.load(tx)
		return err
	}); err != nil {
		return err
	}
	if fresh {
		return c.create()
	}
	if doubtful {
		c.marked = true // so that Close, which has seen it whole, says so
		return c.check()
	}
	return nil
}

// load reads what the catalog says of itself; fresh: there is nothing in it.
func (c *Catalog) load(tx *bolt.Tx) (fresh bool, err error) {
	meta := tx.Bucket(bucketMeta)
	if meta == nil {
		if k, _ := tx.Cursor().First(); k != nil {
			return false, fmt.Errorf("%w: it is another database", ErrDamaged)
		}
		return true, nil
	}
	if string(meta.Get(keySchema)) != strconv.Itoa(schema) {
		return false, fmt.Errorf("%w: it has another schema", ErrDamaged)
	}
	for _, b := range buckets {
		if tx.Bucket(b) == nil {
			return false, fmt.Errorf("%w: %s is missing", ErrDamaged, b)
		}
	}
	if err := json.Unmarshal(meta.Get(keyRevision), &c.revision); err != nil {
		return false, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return false, nil
}

func (c *Catalog) create() error {
	c.revision = memsync.Revision{}
	return c.write(func(tx *bolt.Tx) error {
		for _, b := range buckets {
			if _, err := tx.CreateBucketIfNotExists(b); err != nil {
				return err
			}
		}
		meta := tx.Bucket(bucketMeta)
		if err := meta.Put(keyRevision, []byte("{}")); err != nil {
			return err
		}
		return meta.Put(keySchema, []byte(strconv.Itoa(schema)))
	})
}

// check reads every record once.
func (c *Catalog) check() error {
	return c.read(func(tx *bolt.Tx) error {
		d := newDecoder()
		err := tx.Bucket(bucketMemories).ForEach(func(k, v []byte) error {
			return d.memory(&memsync.Memory{}, memsync.Path(k), v)
		})
		if err != nil {
			return err
		}
		err = tx.Bucket(bucketStats).ForEach(func(k, v []byte) error {
			if _, ok := decodeDisk(v); !ok {
				return fmt.Errorf("%w: the stat of %s", ErrDamaged, k)
			}
			return nil
		})
		if err != nil {
			return err
		}
		return tx.Bucket(bucketTracked).ForEach(func(k, v []byte) error {
			if _, ok := decodeTracked(v); !ok {
				return fmt.Errorf("%w: the version of %s", ErrDamaged, k)
			}
			return nil
		})
	})
}

// Rebuilt reports whether what was there before could not be used: the
// catalog is empty and must be filled from HEAD and disk.
func (c *Catalog) Rebuilt() bool { return c.rebuilt }

// Close lets go of the catalog and notes that it is whole. It may be called
// more than once.
func (c *Catalog) Close() error {
	if c.db == nil {
		return nil
	}
	var used int64
	err := c.db.View(func(tx *bolt.Tx) error {
		used = tx.Size()
		return nil
	})
	if err == nil && c.marked {
		err = seal(c.file, c.boot, used)
	}
	if cerr := c.db.Close(); err == nil {
		err = cerr
	}
	c.db = nil
	return wrap(err)
}

// Compact writes the catalog anew, so that its file holds nothing but what is in
// it: what was deleted stays in free pages.
func (c *Catalog) Compact() (err error) {
	defer guard(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	fresh := c.file + ".compact"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wrap(err)
	}
	defer os.Remove(fresh)
	to, err := bolt.Open(fresh, 0o600, &bolt.Options{NoSync: true, NoGrowSync: true, FreelistType: bolt.FreelistMapType})
	if err != nil {
		return wrap(err)
	}
	err = bolt.Compact(to, c.db, 1<<20)
	if cerr := to.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return wrap(err)
	}
	if err := c.write(func(*bolt.Tx) error { return nil }); err != nil { // it says "open" from here on
		return err
	}
	if err := c.db.Close(); err != nil {
		return wrap(err)
	}
	if err := os.Rename(fresh, c.file); err != nil {
		return errors.Join(wrap(err), c.open(time.Second, false))
	}
	return c.open(time.Second, false)
}

// Discard closes and removes the catalog.
func (c *Catalog) Discard() error {
	if c.db != nil {
		c.db.Close()
		c.db = nil
	}
	for _, f := range []string{c.file, stateFile(c.file)} {
		if err := os.Remove(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return wrap(err)
		}
	}
	c.marked = false
	return nil
}

func (c *Catalog) read(fn func(*bolt.Tx) error) (err error) {
	defer guard(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	return c.db.View(fn)
}

func (c *Catalog) write(fn func(*bolt.Tx) error) (err error) {
	if !c.marked {
		if err := os.WriteFile(stateFile(c.file), []byte("open "+c.boot+"\n"), 0o600); err != nil {
			return wrap(err)
		}
		c.marked = true
	}
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
	case diskfull.Is(err):
		code = memsync.CodeIOFull
	}
	return &memsync.Error{Code: code, Message: "the catalog can't be read or written", Err: err,
		Hint: "see that the store's git directory is writable and has room"}
}
