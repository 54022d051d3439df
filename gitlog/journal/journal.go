package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"memsync"
	"memsync/internal/diskfull"
	"memsync/internal/pages"
)

// Options say how a journal is opened. The zero value is right for a keeper.
type Options struct {
	Timeout time.Duration // how long to wait for another process to let go; 0 means 2 s
}

// Journal is the open journal of one store. Its methods may be called from
// several goroutines; writes come one after the other.
type Journal struct {
	file string
	opt  Options

	mu     sync.RWMutex // held for writing only while compaction swaps the file
	db     *bolt.DB
	closed bool

	writes atomic.Int64
}

// The buckets. Keys that order by time are big-endian sequence numbers, drawn
// when a plan begins: a plan's is 8 bytes, a decision's 12 (plan, index).
var (
	bucketMeta      = []byte("meta")      // format, counters, the wish to compact
	bucketOpen      = []byte("open")      // sequence -> plan id: unfinished plans
	bucketPlans     = []byte("plans")     // plan id -> planRecord
	bucketFiles     = []byte("files")     // plan id -> []fileRecord
	bucketDecisions = []byte("decisions") // sequence, index -> header, decisionRecord
	bucketByPath    = []byte("by-path")   // path, 0, sequence, index
	bucketByMemory  = []byte("by-memory") // memory id, 0, sequence, index
	bucketLast      = []byte("last")      // what was applied last, by path, id and request
	bucketContents  = []byte("contents")  // hash -> bytes
	bucketRefs      = []byte("refs")      // hash, who needs the bytes
	bucketBlobs     = []byte("blobs")     // hash -> git object id
	bucketHeld      = []byte("held")      // path, 0, hash -> heldRecord
	bucketEvents    = []byte("events")    // sequence -> memsync.Event
	bucketFacts     = []byte("facts")     // name -> JSON

	buckets = [][]byte{
		bucketMeta, bucketOpen, bucketPlans, bucketFiles, bucketDecisions, bucketByPath, bucketByMemory,
		bucketLast, bucketContents, bucketRefs, bucketBlobs, bucketHeld, bucketEvents, bucketFacts,
	}

	// appended are those whose keys grow with time: numbers and ULIDs.
	appended = [][]byte{bucketPlans, bucketFiles, bucketDecisions, bucketEvents}

	keyFormat    = []byte("format")
	keyDecisions = []byte("decisions") // how many there are
	keyCompact   = []byte("compact")   // something was scrubbed and its pages are still in the file
)

// format is the number of the layout above. A journal with a larger one was
// written by a newer program and is refused.
const format = 1

// Open opens the journal, making it when there is none. A file that is damaged
// is an error with [memsync.CodeJournal] and stays as it is; one that another
// process holds is [memsync.CodeStoreBusy].
func Open(file string, opt Options) (*Journal, error) {
	if opt.Timeout == 0 {
		opt.Timeout = 2 * time.Second
	}
	j := &Journal{file: file, opt: opt}
	if err := j.open(); err != nil {
		return nil, err
	}
	if err := os.Remove(j.scratch()); err != nil && !errors.Is(err, os.ErrNotExist) {
		j.db.Close()
		return nil, j.wrap("clear an unfinished compaction", err)
	}
	if j.wantsCompaction() {
		if err := j.compact(); err != nil {
			j.db.Close()
			return nil, err
		}
	}
	return j, nil
}

func (j *Journal) open() (err error) {
	if err := checkLength(j.file); err != nil {
		return err
	}
	defer guard(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	db, err := bolt.Open(j.file, 0o600, &bolt.Options{Timeout: j.opt.Timeout, FreelistType: bolt.FreelistMapType})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return &memsync.Error{Code: memsync.CodeStoreBusy, Message: "the journal is held by another process", Err: err,
			Hint: "wait for it to finish, or stop it; `memsync status` names it"}
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrChecksum), errors.Is(err, bolterrors.ErrVersionMismatch):
		return damaged(err)
	case err != nil:
		return j.wrap("open the journal", err)
	}
	defer func() { // a panic of bbolt's on a damaged page leaves no open handle
		if j.db == nil {
			db.Close()
		}
	}()
	if err := prepare(db); err != nil {
		return err
	}
	j.db = db
	return nil
}

// prepare makes the buckets of a new journal and reads the format of an old one.
func prepare(db *bolt.DB) error {
	fresh := false
	err := db.View(func(tx *bolt.Tx) error {
		meta := tx.Bucket(bucketMeta)
		if meta == nil {
			if k, _ := tx.Cursor().First(); k != nil {
				return damaged(errors.New("this is a database, but no journal"))
			}
			fresh = true
			return nil
		}
		if n := number(meta.Get(keyFormat)); n != format {
			return &memsync.Error{Code: memsync.CodeJournal,
				Message: fmt.Sprintf("the journal has format %d, this program knows %d", n, format),
				Hint:    "use the newer memsync that wrote it"}
		}
		for _, name := range buckets {
			if tx.Bucket(name) == nil {
				return damaged(fmt.Errorf("bucket %s is missing", name))
			}
		}
		return nil
	})
	if err != nil || !fresh {
		return err
	}
	return db.Update(func(tx *bolt.Tx) error {
		for _, name := range buckets {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		return tx.Bucket(bucketMeta).Put(keyFormat, be64(format))
	})
}

// Close lets go of the file. Calls afterwards fail with CodeJournal.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	return j.db.Close()
}

// Check walks every page and names the first thing that is wrong. It takes as
// long as reading the file.
func (j *Journal) Check() error {
	return j.view(func(tx *bolt.Tx) error {
		var first error
		for err := range tx.Check() {
			if first == nil {
				first = err
			}
		}
		if first != nil {
			return damaged(first)
		}
		return j.checkRefs(tx)
	})
}

// update writes. What the time orders is appended, so its pages are filled, not
// left half empty for keys in between that never come.
func (j *Journal) update(fn func(*bolt.Tx) error) error {
	err := j.run(func(tx *bolt.Tx) error {
		for _, name := range appended {
			tx.Bucket(name).FillPercent = 0.95
		}
		return fn(tx)
	}, (*bolt.DB).Update)
	if err == nil && j.writes.Add(1)%unmapEvery == 0 {
		err = pages.Return(j.db)
	}
	return err
}

// unmapEvery is after how many writes the pages of the file that were looked at
// are given back. The system counts them as this process's memory, and a
// process that stays for months would come to hold the whole file. What is used
// all the time is back after some page faults, microseconds each.
const unmapEvery = 4

func (j *Journal) view(fn func(*bolt.Tx) error) error { return j.run(fn, (*bolt.DB).View) }

func (j *Journal) run(fn func(*bolt.Tx) error, with func(*bolt.DB, func(*bolt.Tx) error) error) (err error) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	if j.closed {
		return errClosed()
	}
	defer guard(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	err = with(j.db, fn)
	var e *memsync.Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	return j.wrap("write the journal", err)
}

// wrap names the file and what was tried. A full disk keeps its own code.
func (j *Journal) wrap(what string, err error) error {
	code, hint := memsync.CodeJournal, "see that "+filepath.Dir(j.file)+" can be written"
	if diskfull.Is(err) {
		code, hint = memsync.CodeIOFull, "nothing was changed; make room on the disk and try again"
	}
	return &memsync.Error{Code: code, Message: what, Hint: hint, Err: err}
}

func errClosed() error {
	return &memsync.Error{Code: memsync.CodeJournal, Message: "the journal is closed"}
}

func damaged(err error) error {
	return &memsync.Error{Code: memsync.CodeJournal, Message: "the journal is damaged", Err: err,
		Hint: "nothing was changed; put journal.db back from a backup, or move it aside: the memories are in the files and in git, its decisions and held copies are only there"}
}

// guard turns a fault in a damaged, mapped file into an error: bbolt panics on
// a page that makes no sense, and reading behind the end of a file that shrank
// is a fault of the processor.
func guard(err *error) {
	r := recover()
	if r == nil {
		return
	}
	if text := fmt.Sprint(r); strings.HasPrefix(text, "bug:") {
		panic(r)
	} else {
		*err = damaged(errors.New(text))
	}
}

// checkLength compares the file's length with what its newest header says.
// bbolt maps the file and would die of a truncated one.
func checkLength(file string) error {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &memsync.Error{Code: memsync.CodeJournal, Message: "open the journal", Err: err}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return &memsync.Error{Code: memsync.CodeJournal, Message: "open the journal", Err: err}
	}
	if info.Size() == 0 { // made, but the machine died before the first page
		return nil
	}
	// Two headers, at the first and the second page: 16 bytes of page header,
	// then magic, version, page size, flags (4 bytes each), root (16),
	// freelist (8), the number of the page behind the last (8), transaction
	// (8), checksum (8), in the machine's byte order.
	var head [80]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return damaged(fmt.Errorf("%d bytes are too few", info.Size()))
	}
	native := binary.NativeEndian
	size := int64(native.Uint32(head[24:]))
	if native.Uint32(head[16:]) != 0xED0CDAED || size < 512 || size > 1<<20 {
		return nil // the second header may be good; bbolt looks
	}
	pages, txid := native.Uint64(head[56:]), native.Uint64(head[64:])
	var other [80]byte
	if _, err := f.ReadAt(other[:], size); err == nil &&
		native.Uint32(other[16:]) == 0xED0CDAED && native.Uint64(other[64:]) > txid {
		pages = native.Uint64(other[56:])
	}
	if int64(pages)*size > info.Size() {
		return damaged(fmt.Errorf("%d bytes, there were %d", info.Size(), int64(pages)*size))
	}
	return nil
}

func be64(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func number(b []byte) uint64 {
	if len(b) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(b)
}
