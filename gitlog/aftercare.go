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
//   - a `git commit` has been here since, and has not got beyond its message:
//     it writes COMMIT_EDITMSG after the index and before the branch. A person
//     who takes our files out of the index by hand does not,
//   - none of the files on disk is back, too (a revert does that),
//   - no git command runs here, which may be about to move HEAD.

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

// coarse is how far the clock of file times may lag behind: a tick of the
// kernel, 10 ms at most.
const coarse = 20 * time.Millisecond

// aftercare runs the watch over the index.
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

// indexWatch is what the index was given by the last commits, one on top of
// the other. Guarded by r.commits.
type indexWatch struct {
	ref     string
	commits []watchedCommit // oldest first, at least one
	stamp   fileStamp       // of the index when it was last looked at
	foreign time.Time       // when somebody else last wrote it, as far as was seen
	doubt   bool            // it has lost entries, and it is not clear why: look again
	mark    string
}

type watchedCommit struct {
	id    oid
	edits []indexEdit
	at    time.Time
}

func (w *indexWatch) last() watchedCommit { return w.commits[len(w.commits)-1] }

func (c watchedCommit) over(now time.Time) bool { return now.Sub(c.at) > lookedAfter }

// watchIndex begins the watch. The index lock is still held, so the index is
// ours as of now. A commit that follows takes over: it looks first, see
// mendIndex.
func (r *Repo) watchIndex(j *commitJob) {
	if j.patched == nil {
		r.watched = nil
		return // git wrote the index, in a form that is git's alone
	}
	now := time.Now()
	if r.room.becomes {
		r.room.stamp = j.index.made
	}
	w := &indexWatch{ref: j.ref, stamp: j.index.made, mark: string(j.c.Plan), foreign: j.foreign, doubt: j.doubt}
	if old := r.watched; old != nil && old.ref == j.ref && old.last().id == j.parent {
		for _, c := range old.commits {
			if !c.over(now) {
				w.commits = append(w.commits, c)
			}
		}
	}
	if n := len(w.commits) - watchedMost + 1; n > 0 {
		w.commits = w.commits[n:]
	}
	w.commits = append(w.commits, watchedCommit{j.id, j.patched, now})
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
		r.watch(ctx, now)
	})
}

// watch looks at the index until the time is over.
func (r *Repo) watch(ctx context.Context, began time.Time) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for later := 0; later < int((lookedAfter-lookClosely)/lookLater); {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if time.Since(began) > lookClosely {
			later++
			tick.Reset(lookLater)
		}
		if r.commits.TryLock() { // else the next commit is looking already
			r.mendIndex()
			r.commits.Unlock()
		}
	}
}

// mendIndex sets our entries again where a racing `git commit` has put the old
// index back. Called with r.commits held.
func (r *Repo) mendIndex() {
	w := r.watched
	if w == nil || w.stamp.current() && !w.doubt {
		return
	}
	w.looked(stampOf(w.stamp.path))
	var edits []indexEdit
	if edits, w.doubt = r.undone(); len(edits) == 0 {
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
	w.looked(stampOf(w.stamp.path))
	if edits, _ := r.undone(); len(edits) > 0 && r.editIndex(edits) == nil {
		w.stamp, w.doubt = stampOf(w.stamp.path), false
	}
}

// looked notes what the index was found to be.
func (w *indexWatch) looked(now fileStamp) {
	if now != w.stamp {
		w.stamp, w.foreign = now, now.mod
	}
}

// undone gives the edits that the index has lost and that can be set again.
// doubt: some are lost, whether or not they may be set again now.
func (r *Repo) undone() (edits []indexEdit, doubt bool) {
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
func (r *Repo) lost(x *indexFile, ref string, head oid) (edits []indexEdit, doubt bool) {
	w := r.watched
	if w == nil || head != w.last().id || ref != w.ref {
		return nil, false
	}
	edits, since := w.lost(x)
	if len(edits) == 0 {
		return nil, false
	}
	if !r.commitFailed(since, w.foreign) {
		return nil, true
	}
	for _, e := range edits {
		if r.onDisk(e.name, e.prev) {
			return nil, true
		}
	}
	if gitRunning(r.top) {
		return nil, true
	}
	return edits, true
}

// at is the blob that an index has at a path, "" for none.
func (x *indexFile) at(name string) oid {
	if i, found := x.find(name); found {
		return x.id(x.entry(i))
	}
	return ""
}

// commitFailed: somebody's `git commit` has written its message since a time,
// and nobody has written the index after it.
func (r *Repo) commitFailed(since, index time.Time) bool {
	msg, err := os.Stat(filepath.Join(r.gitDir, "COMMIT_EDITMSG"))
	return err == nil && !msg.ModTime().Before(since.Add(-coarse)) && !index.After(msg.ModTime())
}

// onDisk: the work tree has that blob at a path, or nothing for "".
func (r *Repo) onDisk(name string, blob oid) bool {
	data, err := os.ReadFile(filepath.Join(r.top, filepath.FromSlash(name)))
	if err != nil {
		return blob == "" && isAbsent(err)
	}
	return r.kind.id(typeBlob, data) == blob
}

// lost gives the edits of the first run of commits that an index has lost, and
// when that run began: every path is back at what it was before the run, or at
// what a later commit has made of it.
func (w *indexWatch) lost(x *indexFile) ([]indexEdit, time.Time) {
	now := time.Now()
	for i, c := range w.commits {
		if c.over(now) {
			continue
		}
		for j := len(w.commits); j > i; j-- {
			if run := lostRun(x, w.commits[i:j], w.commits[j:]); len(run) > 0 {
				return run, c.at
			}
		}
	}
	return nil, time.Time{}
}

func lostRun(x *indexFile, commits, later []watchedCommit) []indexEdit {
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
			if was, ok := run[e.name]; ok {
				e.prev, e.prevMode = was.prev, was.prevMode
				run[e.name] = e
			}
		}
	}
	for name, e := range run {
		switch has := x.at(name); {
		case has == e.prev && e.prev != e.next:
		case has == e.next && len(later) > 0:
			delete(run, name) // a later commit has set it
		default:
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
