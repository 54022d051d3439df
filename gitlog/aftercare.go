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
// So a commit is looked after for a moment. Its entries are set again when
//   - the index was written again, and HEAD is still ours,
//   - every one of them is back at what it was before,
//   - none of the files on disk is, too (they hold what we committed, or a
//     later save),
//   - no git command runs here.
//
// The last two tell it from a `git switch` or `git reset` on its way, which
// write the index before HEAD. Nobody undoes all of a commit in the index
// alone that fast by hand; whoever does so later is left alone.

// lookedAfter is how long the index is watched after a commit. git's gap is as
// long as it takes to read the index and to stat the tracked files: 50 ms at
// 10,000 files, several times that on a busy machine. Looking is a stat, 2 µs;
// at first it has to be more often than git can be started anew.
const (
	lookedAfter = 2 * time.Second
	lookClosely = 100 * time.Millisecond
	lookEvery   = 2 * time.Millisecond
	lookLater   = 20 * time.Millisecond
	watchedMost = 16 // commits; git's gap spans a few at most
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
	if n := len(w.commits) - watchedMost + 1; n > 0 {
		w.commits = w.commits[n:]
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
	edits, busy := r.undone()
	if len(edits) == 0 {
		if !busy {
			w.stamp = stamp // written by somebody who knows our commits
		}
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
	if edits, _ := r.undone(); len(edits) > 0 && r.editIndex(edits) == nil {
		w.stamp = stampOf(w.stamp.path)
	}
}

// undone gives the edits that the index has lost. busy: it looks so, but
// somebody may be in the middle of something.
func (r *Repo) undone() (edits []indexEdit, busy bool) {
	ref, head, err := r.head()
	if err != nil {
		return nil, false
	}
	x, _, err := r.readIndex()
	if err != nil || x.foreign() != "" {
		return nil, false
	}
	return r.lost(x, ref, head)
}

// lost is undone for an index and a HEAD that were read already.
func (r *Repo) lost(x *indexFile, ref string, head oid) (edits []indexEdit, busy bool) {
	w := r.watched
	if w == nil || head != w.last().id || ref != w.ref {
		return nil, false
	}
	if edits = w.lost(x); len(edits) == 0 {
		return nil, false
	}
	for _, e := range edits {
		if r.onDisk(e.name, e.prev) {
			return nil, false
		}
	}
	if gitRunning(r.top) {
		return nil, true
	}
	return edits, false
}

// onDisk: the work tree has that blob at a path, or nothing for "".
func (r *Repo) onDisk(name string, blob oid) bool {
	data, err := os.ReadFile(filepath.Join(r.top, filepath.FromSlash(name)))
	if err != nil {
		return blob == "" && isAbsent(err)
	}
	return r.kind.id(typeBlob, data) == blob
}

// lost gives the edits of the first run of commits that an index has lost:
// every path that no later commit has changed again is back at what it was
// before the run.
func (w *indexWatch) lost(x *indexFile) []indexEdit {
	now := time.Now()
	for i, c := range w.commits {
		if now.After(c.until) {
			continue
		}
		for j := len(w.commits); j > i; j-- {
			if run := w.lostRun(x, w.commits[i:j], w.commits[j:]); len(run) > 0 {
				return run
			}
		}
	}
	return nil
}

func (w *indexWatch) lostRun(x *indexFile, commits, later []watchedCommit) []indexEdit {
	run := map[string]indexEdit{}
	for _, c := range commits {
		for _, e := range c.edits {
			if was, ok := run[e.name]; ok {
				e.prev, e.prevMode = was.prev, was.prevMode
			}
			run[e.name] = e
		}
	}
	for _, c := range later {
		for _, e := range c.edits {
			delete(run, e.name)
		}
	}
	for name, e := range run {
		var has oid
		if i, found := x.find(name); found {
			has = x.id(x.entries[i])
		}
		if has != e.prev || e.prev == e.next {
			return nil
		}
	}
	return slices.SortedFunc(maps.Values(run), byName)
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
