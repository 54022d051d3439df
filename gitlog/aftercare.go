package gitlog

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// `git commit` reads the index before it takes the lock, and writes what it
// has read once it has it. When one of our commits falls into that gap, git
// puts the old index back over ours; it then finds that the branch has moved
// and gives up, but the index is left with the reversal of our commit staged,
// which the person's next `git commit` would commit. (Two git commits at once
// do the same to each other.)
//
// So a commit is looked after for a moment: if the index is written again, HEAD
// is still ours and every one of our entries is back at what it was before,
// they are set again. Nobody undoes a commit in the index alone that fast by
// hand; whoever does so later is left alone.

// lookedAfter is how long the index is watched after a commit. git's gap is as
// long as it takes to read the index and to stat the tracked files: 50 ms at
// 10,000 files, several times that on a busy machine. Looking is a stat, 2 µs;
// at first it has to be more often than git can be started anew.
const (
	lookedAfter = 2 * time.Second
	lookClosely = 100 * time.Millisecond
	lookEvery   = 2 * time.Millisecond
	lookLater   = 20 * time.Millisecond
)

// aftercare is the watch over the last commit's index.
type aftercare struct {
	mu     sync.Mutex
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// end stops a watch and waits for it.
func (a *aftercare) end() {
	a.mu.Lock()
	if a.cancel != nil {
		a.cancel()
		a.cancel = nil
	}
	a.mu.Unlock()
	a.wg.Wait()
}

// watchIndex begins the watch. The index lock is still held, so the index is
// ours as of now. A commit that follows takes over: it looks first, see
// mendIndex.
func (r *Repo) watchIndex(j *commitJob) {
	if j.patched == nil {
		r.watched = nil
		return // git wrote the index, in a form that is git's alone
	}
	now := time.Now()
	w := &indexWatch{ref: j.ref, stamp: stampOf(filepath.Join(r.gitDir, "index")), mark: string(j.c.Plan)}
	if old := r.watched; old != nil && old.ref == j.ref && old.last().id == j.parent {
		for _, c := range old.commits {
			if now.Before(c.until) {
				w.commits = append(w.commits, c)
			}
		}
	}
	w.commits = append(w.commits, watchedCommit{j.id, j.patched, now.Add(lookedAfter)})
	r.watched = w
	r.care.mu.Lock()
	defer r.care.mu.Unlock()
	if r.care.cancel != nil {
		r.care.cancel()
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.care.cancel = cancel
	r.care.wg.Go(func() {
		defer cancel()
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for n := 0; n < int((lookedAfter-lookClosely)/lookLater); {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if now.Add(lookClosely).Before(time.Now()) {
				n++
				tick.Reset(lookLater)
			}
			if r.commits.TryLock() { // else the next commit is looking already
				r.mendIndex()
				r.commits.Unlock()
			}
		}
	})
}

// indexWatch is what the index was given by the last commits, one on top of
// the other. Guarded by r.commits.
type indexWatch struct {
	ref     string
	commits []watchedCommit // oldest first, at least one
	stamp   fileStamp       // of the index when it was last looked at
	mark    string
}

type watchedCommit struct {
	id    oid
	edits []indexEdit
	until time.Time
}

func (w *indexWatch) last() watchedCommit { return w.commits[len(w.commits)-1] }

// mendIndex sets our entries again where a racing `git commit` has put the old
// index back. Called with r.commits held.
func (r *Repo) mendIndex() {
	w := r.watched
	if w == nil || w.stamp.current() {
		return
	}
	stamp := stampOf(w.stamp.path)
	if len(r.undone()) == 0 {
		w.stamp = stamp // written by somebody who knows our commits
		return
	}
	mark := r.preparedName(markKind)
	defer os.Remove(mark)
	if os.WriteFile(mark, Marker(w.mark), 0o444) != nil {
		return
	}
	// Not waited for: git may be about to give the lock back, and the next look
	// is near.
	lock, err := makeLock(filepath.Join(r.gitDir, "index.lock"), mark)
	if err != nil {
		return
	}
	defer lock.release()
	if edits := r.undone(); len(edits) > 0 && r.editIndex(edits) == nil {
		w.stamp = stampOf(w.stamp.path)
	}
}

// undone gives the edits that the index has lost, while HEAD is still ours.
func (r *Repo) undone() []indexEdit {
	ref, head, err := r.head()
	if err != nil {
		return nil
	}
	x, _, err := r.readIndex()
	if err != nil || x.foreign() != "" {
		return nil
	}
	return r.watched.lost(x, ref, head)
}

// lost gives the edits that an index has lost: those of the longest run of
// last commits of which every entry is back at what it was before the run.
// Only while the last of them is the branch's.
func (w *indexWatch) lost(x *indexFile, ref string, head oid) []indexEdit {
	if w == nil || head != w.last().id || ref != w.ref {
		return nil
	}
	now := time.Now()
	for i, c := range w.commits {
		if now.After(c.until) {
			continue
		}
		run := map[string]indexEdit{}
		for _, c := range w.commits[i:] {
			for _, e := range c.edits {
				if was, ok := run[e.name]; ok {
					e.prev, e.prevMode = was.prev, was.prevMode
				}
				run[e.name] = e
			}
		}
		lost := len(run) > 0
		for name, e := range run {
			var has oid
			if i, found := x.find(name); found {
				has = x.id(x.entries[i])
			}
			lost = lost && has == e.prev
		}
		if lost {
			return slices.SortedFunc(maps.Values(run), byName)
		}
	}
	return nil
}

func byName(a, b indexEdit) int { return strings.Compare(a.name, b.name) }

// after is edits on top of what the index has lost.
func after(lost, edits []indexEdit) []indexEdit {
	if len(lost) == 0 {
		return edits
	}
	was := map[string]indexEdit{}
	for _, e := range lost {
		was[e.name] = e
	}
	var out []indexEdit
	for _, e := range edits {
		if l, ok := was[e.name]; ok {
			e.prev, e.prevMode = l.prev, l.prevMode
			delete(was, e.name)
		}
		out = append(out, e)
	}
	for _, e := range was {
		out = append(out, e)
	}
	slices.SortFunc(out, byName)
	return out
}
