package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	index "github.com/blevesearch/bleve_index_api"
	"github.com/gofrs/flock"

	"memsync"
	"memsync/internal/diskfull"
)

// Options say how an index is opened.
type Options struct {
	Timeout time.Duration                    // how long to wait for another process to let go; 0 means 2 s
	Notice  func(format string, args ...any) // told once of an index that cannot be used, and why; nil: nobody is
}

// Index is the open index of one store. Any number of searches run beside one
// Apply or Rebuild; both wait for their turn. Whoever has it open holds its
// lock until Close.
type Index struct {
	dir  string
	opt  Options
	lock *flock.Flock

	writing sync.Mutex // held by Apply, Rebuild and Close

	mu     sync.RWMutex // read: whoever uses gen; write: whoever changes what follows
	gen    *generation  // nil: there is nothing to search in
	stamp  string       // gen's
	why    error        // of gen being nil
	closed bool
}

// Open opens the index in dir, making the directory when there is none. An
// index that is not there or cannot be used is no error: Stamp is empty then,
// Search and Apply answer ErrRebuild, and Rebuild heals it. Errors are what
// rebuilding would not heal: a lock that another process holds
// (memsync.CodeStoreBusy, after Options.Timeout), files that may not be read
// or written, a full disk. They leave everything as it is.
func Open(dir string, opt Options) (*Index, error) {
	if opt.Timeout <= 0 {
		opt.Timeout = 2 * time.Second
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, wrap(err)
	}
	x := &Index{dir: dir, opt: opt}
	if err := x.hold(); err != nil {
		return nil, err
	}
	gen, stamp, err := x.load()
	switch {
	case err == nil:
		x.gen, x.stamp = gen, stamp
	case errors.Is(err, errDamaged):
		x.unusable(err)
	case errors.Is(err, fs.ErrNotExist):
		x.why = errors.New("it is new")
	default:
		x.lock.Close()
		return nil, wrap(err)
	}
	return x, nil
}

// hold makes the directory and takes its lock.
func (x *Index) hold() error {
	if err := os.MkdirAll(x.dir, 0o700); err != nil {
		return wrap(err)
	}
	x.lock = flock.New(filepath.Join(x.dir, "lock"), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), x.opt.Timeout)
	defer cancel()
	held, err := x.lock.TryLockContext(ctx, 5*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) {
		err = busy()
	} else if err == nil && !held {
		err = busy()
	}
	if err != nil {
		x.lock.Close()
		return wrap(err)
	}
	return nil
}

// load opens the generation that counts. fs.ErrNotExist says that there never
// was one.
func (x *Index) load() (*generation, string, error) {
	m, err := readManifest(x.dir)
	if errors.Is(err, fs.ErrNotExist) {
		if names, lerr := generations(x.dir); lerr != nil {
			return nil, "", lerr
		} else if len(names) > 0 {
			err = fmt.Errorf("%w: its manifest is gone", errDamaged)
		}
	}
	if err != nil {
		return nil, "", err
	}
	if err := inspect(filepath.Join(x.dir, m.Index), m.Closed, x.opt.Timeout); err != nil {
		return nil, "", err
	}
	if m.Closed != nil {
		open := manifest{Index: m.Index}
		err := open.write(x.dir, false)
		if diskfull.Is(err) { // it can be searched still
			err = open.overwrite(x.dir)
		}
		if err != nil {
			return nil, "", err
		}
	}
	g, err := openGeneration(x.dir, m.Index, x.opt.Timeout)
	if err != nil {
		return nil, "", judge(err)
	}
	t, err := g.sound(m.Closed == nil)
	if err == nil && m.Closed != nil && (m.Closed.Docs != t.Docs || m.Closed.Stamp != t.Stamp) {
		err = fmt.Errorf("%w: it is not the one that was closed", errDamaged)
	}
	if err != nil {
		g.close()
		return nil, "", judge(err)
	}
	x.sweep(m.Index)
	return g, t.Stamp, nil
}

// judge makes damage of every error that neither the outside world nor the
// caller is to blame for.
func judge(err error) error {
	var e *memsync.Error
	if err == nil || environment(err) || errors.Is(err, ErrRebuild) || errors.Is(err, errDamaged) || errors.As(err, &e) || isTimeout(err) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", errDamaged, err)
}

// generations are the names of all generations, complete or not.
func generations(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if number(e.Name()) >= 0 {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// sweep removes what a process that died left: every generation but keep, and
// manifests that were not finished. What cannot be removed is tried again at
// the next Open; nothing depends on it.
func (x *Index) sweep(keep string) {
	names, _ := generations(x.dir)
	for _, name := range names {
		if name != keep {
			os.RemoveAll(filepath.Join(x.dir, name))
		}
	}
	temps, _ := filepath.Glob(filepath.Join(x.dir, manifestFile+".*.tmp"))
	for _, t := range temps {
		os.Remove(t)
	}
}

// unusable notes why there is nothing to search in, and says so once. mu is
// held, or nobody else has x yet.
func (x *Index) unusable(why error) {
	x.gen, x.stamp, x.why = nil, "", why
	if x.opt.Notice != nil {
		x.opt.Notice("%v; it will be made anew", why)
	}
}

// Stamp is what the last Apply or Rebuild said the index stands for. "" means
// that it needs a Rebuild, or that it was given an empty stamp, which is the
// same.
func (x *Index) Stamp() string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.stamp
}

// use runs fn on the generation that counts. Damage that shows ends its use.
func (x *Index) use(fn func(*generation) error) error {
	g, err := x.used(fn)
	if err = judge(err); errors.Is(err, ErrRebuild) || !errors.Is(err, errDamaged) {
		return wrap(err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.gen == g && g != nil {
		g.close()
		x.unusable(err)
	}
	return fmt.Errorf("%w: %w", ErrRebuild, err)
}

func (x *Index) used(fn func(*generation) error) (*generation, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	switch {
	case x.closed:
		return nil, &memsync.Error{Code: memsync.CodeInternal, Message: "the search index was used after it was closed", Err: errClosed}
	case x.gen == nil:
		return nil, fmt.Errorf("%w: %w", ErrRebuild, x.why)
	}
	if err := x.gen.there(); err != nil {
		return x.gen, err
	}
	return x.gen, fn(x.gen)
}

// Batch is one step of the index, applied wholly or not at all.
type Batch struct {
	Put   []Doc // new or changed; of two at one path the last counts. What is not Indexed goes
	Gone  []memsync.Path
	Stamp string // what the index stands for afterwards
}

// Apply takes one step. When it returns nil, every search that begins from now
// on sees it; it is written to disk soon, wholly. A process that is killed
// before leaves an index of an earlier Stamp. When Apply fails, it is as if it
// had not been tried, or as if it had succeeded; Stamp says which.
//
// What goes is found no more, but its bytes stay in the files until scorch
// merges them away. Who must be rid of them, after a forget, calls Rebuild.
func (x *Index) Apply(step Batch) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	b, err := step.batch().analyze(runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}
	var written *generation
	err = x.use(func(g *generation) error {
		written = g
		return g.write(b, false)
	})
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case written == nil || x.gen != written: // damaged, which use or a search has noticed
	case err == nil:
		x.stamp = b.stamp
	default:
		x.reopen()
	}
	return err
}

func (step Batch) batch() *batch {
	b := &batch{put: make(map[memsync.Path]*Doc, len(step.Put)), gone: make(map[memsync.Path]bool, len(step.Gone)), stamp: step.Stamp}
	for _, p := range step.Gone {
		b.gone[p] = true
	}
	for i := range step.Put {
		b.add(&step.Put[i])
	}
	return b
}

func (b *batch) add(d *Doc) {
	p := d.Memory.Path
	if Indexed(d.Memory) {
		b.put[p] = d
		delete(b.gone, p)
	} else {
		b.gone[p] = true
		delete(b.put, p)
	}
}

// reopen goes back to what is on disk after a write that failed: scorch would
// search what it could not write, and try to write it for ever. mu is held.
func (x *Index) reopen() {
	name := x.gen.name
	x.gen.close()
	g, err := openGeneration(x.dir, name, x.opt.Timeout)
	var t totals
	if err == nil {
		if t, err = g.sound(false); err != nil {
			g.close()
		}
	}
	if err != nil {
		x.unusable(judge(err))
		return
	}
	x.gen, x.stamp = g, t.Stamp
}

// Verify compares the index with what it should hold, by path and content
// hash, and its statistics with its documents. Statistics that are wrong are
// damage: ErrRebuild.
func (x *Index) Verify(want iter.Seq2[memsync.Path, memsync.Hash]) ([]Difference, error) {
	var diffs []Difference
	err := x.use(func(g *generation) error {
		return g.read(func(r index.IndexReader, t totals) error {
			have, err := count(r, t)
			if err != nil {
				return err
			}
			diffs = compare(have, want)
			return nil
		})
	})
	return diffs, err
}

// Close waits for whoever uses the index, notes that it is whole and lets go of
// it. It may be called more than once.
func (x *Index) Close() error {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil
	}
	x.closed = true
	var err error
	if x.gen != nil {
		err = x.seal()
	}
	x.gen, x.stamp = nil, ""
	if cerr := x.lock.Close(); err == nil {
		err = cerr
	}
	return wrap(err)
}

// seal closes the generation and writes its checksum into the manifest.
func (x *Index) seal() error {
	g := x.gen
	var t totals
	err := g.read(func(_ index.IndexReader, have totals) error {
		t = have
		return nil
	})
	gone := g.there()
	if err == nil && gone == nil && g.dirty.Load() {
		err = g.flush(t)
	}
	if cerr := g.close(); err == nil {
		err = cerr
	}
	if err != nil || gone != nil {
		return err // the manifest says "open", so the next Open looks closely
	}
	sum, size, err := checksum(filepath.Join(g.path, rootFile))
	if err != nil {
		return err
	}
	return manifest{Index: g.name, Closed: &sealed{Size: size, Sum: sum, Docs: t.Docs, Stamp: t.Stamp}}.write(x.dir, false)
}
