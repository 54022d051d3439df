package search

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"memsync"
)

// generation is one scorch index on disk, open. Readers may work beside one
// writer.
type generation struct {
	name, path string
	scorch     index.Index
	queue      *index.AnalysisQueue
	root       os.FileInfo // root.bolt when it was opened
	died       chan error  // holds one error once a goroutine of scorch has panicked
	unwritten  chan error  // holds why what is in memory could not be written, the last time it was tried
	closing    chan struct{}
	words      vocabulary
	dirty      atomic.Bool // something was applied that may not be on disk
}

// openGenerations finds a generation by its path, for scorch's callback.
var openGenerations sync.Map

func init() {
	scorch.RegistryAsyncErrorCallbacks["memsync"] = func(err error, path string) {
		if g, ok := openGenerations.Load(path); ok {
			g.(*generation).troubled(err)
		}
	}
}

// pause is how long a goroutine of scorch waits after a failure. It would try
// again at once and for ever: a merge that a full disk stops would keep a
// processor busy until somebody makes room. A guess.
const pause = time.Second

// troubled is called by goroutines of scorch.
func (g *generation) troubled(err error) {
	if errors.Is(err, scorch.ErrAsyncPanic) {
		select {
		case g.died <- fmt.Errorf("%w: %w", errDamaged, err):
		default:
		}
		return
	}
	if errors.Is(err, scorch.ErrPersist) {
		select {
		case g.unwritten <- unflattened(err):
		default:
		}
	}
	wait := time.NewTimer(pause)
	defer wait.Stop()
	select {
	case <-g.closing:
	case <-wait.C:
	}
}

// openGeneration opens the generation or makes an empty one. The caller has
// inspected it.
func openGeneration(dir, name string, timeout time.Duration) (*generation, error) {
	g := &generation{name: name, path: filepath.Join(dir, name), queue: index.NewAnalysisQueue(1), died: make(chan error, 1), unwritten: make(chan error, 1), closing: make(chan struct{})}
	err := guarded(func() (err error) {
		g.scorch, err = scorch.NewScorch(scorch.Name, map[string]any{
			"path":                   g.path,
			"bolt_timeout":           timeout.String(),
			"unsafe_batch":           true, // see apply
			"asyncErrorCallbackName": "memsync",
		}, g.queue)
		if err != nil {
			return err
		}
		openGenerations.Store(g.path, g)
		return unflattened(g.scorch.Open())
	})
	if err == nil {
		g.root, err = os.Stat(filepath.Join(g.path, rootFile))
		if err != nil {
			close(g.closing)
			g.scorch.Close()
		}
	}
	if err != nil {
		openGenerations.Delete(g.path)
		g.queue.Close()
		return nil, err
	}
	return g, nil
}

// close waits for scorch's goroutines. Whoever reads has finished. One that
// panicked on damaged files may have held a lock that nobody gives back: then
// what is left of it is left.
func (g *generation) close() error {
	close(g.closing)
	done := make(chan error, 1)
	go func() { done <- guarded(g.scorch.Close) }()
	var err error
	select {
	case err = <-done:
	case died := <-g.died:
		g.died <- died
		select {
		case err = <-done:
		case <-time.After(pause):
			err = died
		}
	}
	openGenerations.Delete(g.path)
	g.queue.Close()
	return err
}

// there makes sure that the files are still the ones that were opened.
func (g *generation) there() error {
	now, err := os.Stat(filepath.Join(g.path, rootFile))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(g.root, now) {
		return fmt.Errorf("%w: it was removed", errDamaged)
	}
	return err
}

// read runs fn on the newest state. The totals are of the same state.
func (g *generation) read(fn func(index.IndexReader, totals) error) error {
	return guarded(func() (err error) {
		r, err := g.scorch.Reader()
		if err != nil {
			return err
		}
		defer func() {
			if cerr := r.Close(); err == nil {
				err = cerr
			}
		}()
		t, err := readTotals(r)
		if err != nil {
			return err
		}
		return fn(r, t)
	})
}

func readTotals(r index.IndexReader) (t totals, err error) {
	raw, err := r.GetInternal(totalsKey)
	if err != nil {
		return t, err
	}
	if raw == nil {
		return t, nil // being filled for the first time
	}
	if err := json.Unmarshal(raw, &t); err != nil {
		return t, fmt.Errorf("%w: what it says of itself: %w", errDamaged, err)
	}
	return t, nil
}

// sound reports whether a state that was just opened is what it says it is.
// Closely means that every document is looked at.
func (g *generation) sound(closely bool) (t totals, err error) {
	err = g.read(func(r index.IndexReader, have totals) error {
		t = have
		docs, err := r.DocCount()
		switch {
		case err != nil:
			return err
		case t.Mapping != mapping || !t.Whole:
			return fmt.Errorf("%w: it was never filled", errDamaged)
		case int(docs) != t.Docs:
			return fmt.Errorf("%w: it has %d documents and says %d", errDamaged, docs, t.Docs)
		case closely:
			_, err = count(r, t)
			return err
		}
		return nil
	})
	return t, err
}

// count reads the hash of every document, and makes sure that the totals are
// their sum.
func count(r index.IndexReader, t totals) (map[memsync.Path]memsync.Hash, error) {
	have := make(map[memsync.Path]memsync.Hash, t.Docs)
	var sum totals
	dv, err := r.DocValueReader([]string{fieldLength})
	if err != nil {
		return nil, err
	}
	ids, err := r.DocIDReaderAll()
	if err != nil {
		return nil, err
	}
	defer ids.Close()
	for {
		id, err := ids.Next()
		if err != nil {
			return nil, err
		}
		if id == nil {
			break
		}
		path, err := r.ExternalID(id)
		if err != nil {
			return nil, err
		}
		hash, l, err := lengthsOf(dv, id)
		if err != nil {
			return nil, err
		}
		have[memsync.Path(path)] = hash
		sum.add(l, 1)
	}
	if sum.Docs != t.Docs || sum.Lengths != t.Lengths || len(have) != t.Docs {
		return nil, fmt.Errorf("%w: its documents don't add up", errDamaged)
	}
	return have, nil
}

func lengthsOf(dv index.DocValueReader, id index.IndexInternalID) (hash memsync.Hash, l lengths, err error) {
	found := false
	var derr error
	err = dv.VisitDocValues(id, func(_ string, term []byte) {
		found = true
		hash, l, derr = decodeLengths(term)
	})
	switch {
	case err != nil:
		return "", l, err
	case !found:
		return "", l, fmt.Errorf("%w: a document has no lengths", errDamaged)
	}
	return hash, l, derr
}

// batch is one transaction: what it puts and removes, and what the state after
// it says of itself.
type batch struct {
	put   map[memsync.Path]*Doc
	gone  map[memsync.Path]bool
	stamp string
}

// analyzed is a batch of which every document is made.
type analyzed struct {
	*batch
	docs []*document
	sum  totals // of the documents
}

// write applies a batch. When it fails with errDamaged the generation is of no
// use any more; with anything else the state on disk is the old one or the new
// one, wholly.
func (g *generation) write(b *analyzed, durable bool) error {
	t, err := g.without(b.batch)
	if err != nil {
		return err
	}
	ops := b.ops()
	t.join(b.sum)
	t.Mapping, t.Stamp, t.Whole = mapping, b.stamp, true
	ops.SetInternal(totalsKey, t.encode())
	if err := g.apply(ops, durable); err != nil {
		return err
	}
	g.dirty.Store(!durable)
	g.words.newer(b.docs)
	return nil
}

// ops are what scorch is to do about the documents of a batch.
func (b *analyzed) ops() *index.Batch {
	ops := index.NewBatch()
	for p := range b.gone {
		ops.Delete(string(p))
	}
	for _, d := range b.docs {
		ops.Update(d)
	}
	return ops
}

// apply carries out a batch. Every search that begins afterwards sees it; on
// disk it is as soon as scorch has written it, wholly, or, with durable, when
// apply returns. Without, nobody waits for the disk: what a process that dies
// had not written, its index does not claim to stand for.
func (g *generation) apply(ops *index.Batch, durable bool) error {
	var written chan error
	if durable {
		written = make(chan error, 1)
		ops.SetPersistedCallback(func(err error) { written <- err })
		select {
		case <-g.unwritten: // of something before
		default:
		}
	}
	done := make(chan error, 1)
	go func() { done <- guarded(func() error { return g.scorch.Batch(ops) }) }()
	for {
		select {
		case err := <-done:
			if err != nil || !durable {
				return unflattened(err)
			}
			done = nil
		case err := <-written:
			return unflattened(err)
		case err := <-g.unwritten:
			if durable {
				return err
			}
		case err := <-g.died:
			g.died <- err
			return err // Batch waits for a goroutine that is no more
		}
	}
}

// flush waits until everything that was applied is on disk.
func (g *generation) flush(t totals) error {
	ops := index.NewBatch()
	ops.SetInternal(totalsKey, t.encode())
	return g.apply(ops, true)
}

// without are the totals less what the batch removes or replaces.
func (g *generation) without(b *batch) (t totals, err error) {
	err = g.read(func(r index.IndexReader, have totals) error {
		t = have
		if t.Docs == 0 {
			return nil
		}
		dv, err := r.DocValueReader([]string{fieldLength})
		if err != nil {
			return err
		}
		take := func(p memsync.Path) error {
			id, err := r.InternalID(string(p))
			if err != nil || id == nil {
				return err
			}
			_, l, err := lengthsOf(dv, id)
			if err == nil {
				t.add(l, -1)
			}
			return err
		}
		for p := range b.put {
			if err := take(p); err != nil {
				return err
			}
		}
		for p := range b.gone {
			if err := take(p); err != nil {
				return err
			}
		}
		return nil
	})
	return t, err
}

// analyze makes the documents of a batch, on so many processors.
func (b *batch) analyze(processors int) (*analyzed, error) {
	todo := slices.Collect(maps.Values(b.put))
	out := &analyzed{batch: b, docs: make([]*document, len(todo))}
	each := make([]lengths, len(todo))
	errs := make([]error, len(todo))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(processors, len(todo)) {
		wg.Go(func() {
			w := workshops.Get().(*workshop)
			defer workshops.Put(w)
			for i := int(next.Add(1)) - 1; i < len(todo); i = int(next.Add(1)) - 1 {
				out.docs[i], each[i], errs[i] = todo[i].make(w)
				w.tidy()
			}
		})
	}
	wg.Wait()
	for _, l := range each {
		out.sum.add(l, 1)
	}
	return out, errors.Join(errs...)
}
