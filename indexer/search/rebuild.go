package search

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"memsync"
)

// rebuildBatch is how many documents one transaction of a rebuild holds.
// A batch is in memory at about sixty times the size of its texts, so
// rebuildBytes ends one too, and no more than rebuildWriters are made at once.
const (
	rebuildBatch   = 1000
	rebuildBytes   = 2 << 20
	rebuildWriters = 2
)

// Rebuild makes the index anew from docs and says what it stands for. The new
// one is made beside the old one, which is searched until the new one is
// complete and stays when anything fails: a full disk, an error that docs
// yields. What is not Indexed is left out; no path may come twice.
func (x *Index) Rebuild(docs iter.Seq2[Doc, error], stamp string) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.mu.RLock()
	closed := x.closed
	x.mu.RUnlock()
	if closed {
		_, err := x.used(nil)
		return err
	}
	g, err := x.fill(docs, stamp)
	if err != nil {
		return wrap(err)
	}
	x.mu.Lock()
	if old := x.gen; old != nil {
		old.close()
	}
	x.gen, x.stamp, x.why = g, stamp, nil
	x.mu.Unlock()
	x.sweep(g.name)
	return nil
}

// fill makes a generation, and makes it the one that counts.
func (x *Index) fill(docs iter.Seq2[Doc, error], stamp string) (_ *generation, err error) {
	if err := x.holdAgain(); err != nil {
		return nil, err
	}
	name, err := x.newName()
	if err != nil {
		return nil, err
	}
	g, err := openGeneration(x.dir, name, x.opt.Timeout)
	defer func() {
		if err != nil {
			if g != nil {
				g.close()
			}
			os.RemoveAll(filepath.Join(x.dir, name))
		}
	}()
	if err != nil {
		return nil, err
	}
	if err := g.fill(docs, stamp); err != nil {
		return nil, err
	}
	if err := syncDir(g.path); err != nil {
		return nil, err
	}
	if err := (manifest{Index: name}).write(x.dir, true); err != nil {
		if old := x.current(); old != nil { // if the manifest was replaced already, the old one counts again
			manifest{Index: old.name}.write(x.dir, false)
		}
		return nil, err
	}
	return g, nil
}

// fill writes all documents. Scorch makes a segment of a batch in the goroutine
// that brings it, which is most of the work, so several bring batches at once.
// What the generation says of itself comes last, when all of them are in.
func (g *generation) fill(docs iter.Seq2[Doc, error], stamp string) error {
	var (
		batches = make(chan *batch)
		failed  = make(chan struct{})
		wg      sync.WaitGroup
		mu      sync.Mutex
		sum     totals
		first   error
	)
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if first == nil {
			first = err
			close(failed)
		}
	}
	for range min(rebuildWriters, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for b := range batches {
				a, err := b.analyze(1)
				if err == nil {
					err = g.apply(a.ops(), true)
				}
				if err != nil {
					fail(err)
					return
				}
				mu.Lock()
				sum.join(a.sum)
				mu.Unlock()
			}
		})
	}
	if err := collect(docs, batches, failed); err != nil {
		fail(err)
	}
	close(batches)
	wg.Wait()
	if first != nil {
		return first
	}
	return g.write(&analyzed{batch: Batch{Stamp: stamp}.batch(), sum: sum}, true)
}

// collect makes batches of documents, each path once, until there are no more
// or the work has failed.
func collect(docs iter.Seq2[Doc, error], batches chan<- *batch, failed <-chan struct{}) error {
	b, bytes := Batch{}.batch(), 0
	seen := make(map[memsync.Path]bool)
	flush := func() {
		select {
		case batches <- b:
		case <-failed:
		}
		b, bytes = Batch{}.batch(), 0
	}
	for d, err := range docs {
		switch {
		case err != nil:
			return err
		case d.Memory == nil:
			return errors.New("bug: a document without a memory")
		case seen[d.Memory.Path]:
			return errors.New("bug: two documents at one path")
		}
		select {
		case <-failed:
			return nil
		default:
		}
		seen[d.Memory.Path] = true
		b.add(&d)
		if bytes += len(d.Body); len(b.put) >= rebuildBatch || bytes >= rebuildBytes {
			flush()
		}
	}
	flush()
	return nil
}

// holdAgain takes the lock anew when somebody deleted the directory, lock and
// all: the file that we hold is not the one that others would meet.
func (x *Index) holdAgain() error {
	held, err := x.lock.Stat()
	if err == nil {
		var now os.FileInfo
		if now, err = os.Stat(x.lock.Path()); err == nil && os.SameFile(held, now) {
			return nil
		}
	}
	x.lock.Close()
	return x.hold()
}

func (x *Index) current() *generation {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.gen
}

// newName is a generation's that no file has.
func (x *Index) newName() (string, error) {
	names, err := generations(x.dir)
	if err != nil {
		return "", err
	}
	last := 0
	if old := x.current(); old != nil {
		last = number(old.name) // whose directory somebody may have deleted
	}
	for _, n := range names {
		last = max(last, number(n))
	}
	return fmt.Sprintf("index-%d", last+1), nil
}
