package search

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
)

// rebuildBatch is how many documents one transaction of a rebuild holds.
// Measured: 100 take half as long again, more than 1,000 gain nothing. Two
// batches are in memory, at about sixty times the size of their texts, so
// rebuildBytes ends one too. It is a guess.
const (
	rebuildBatch = 1000
	rebuildBytes = 2 << 20
)

// Rebuild makes the index anew from docs and says what it stands for. The new
// one is made beside the old one, which is searched until the new one is
// complete and stays when anything fails: a full disk, an error that docs
// yields. What is not Indexed is left out.
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

// fill writes all documents, analyzing a batch while the one before is written.
func (g *generation) fill(docs iter.Seq2[Doc, error], stamp string) error {
	batches := make(chan *analyzed)
	written := make(chan error, 1)
	go func() {
		var err error
		for b := range batches {
			if err == nil {
				err = g.write(b)
			}
			if err != nil {
				select {
				case written <- err:
				default:
				}
			}
		}
		close(written)
	}()
	b, bytes := Batch{}.batch(), 0
	b.whole = false
	err := func() error {
		defer close(batches)
		flush := func() error {
			a, err := b.analyze()
			if err != nil {
				return err
			}
			select {
			case batches <- a:
				return nil
			case err := <-written:
				return err
			}
		}
		for d, err := range docs {
			if err != nil {
				return err
			}
			if d.Memory == nil {
				return errors.New("bug: a document without a memory")
			}
			b.add(&d)
			if bytes += len(d.Body); len(b.put) >= rebuildBatch || bytes >= rebuildBytes {
				if err := flush(); err != nil {
					return err
				}
				b, bytes = Batch{}.batch(), 0
				b.whole = false
			}
		}
		b.stamp, b.whole = stamp, true
		return flush()
	}()
	for werr := range written { // waits for the last batch
		if err == nil {
			err = werr
		}
	}
	return err
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
