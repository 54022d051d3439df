package watcher

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"memsync"
)

// Settled says where to look now.
type Settled struct {
	Paths []memsync.Path // files that were touched and are quiet; sorted
	All   bool           // everywhere: something may have been missed
	Git   bool           // something happened in the git directory
}

// Empty reports whether there is nothing to look at.
func (s Settled) Empty() bool { return len(s.Paths) == 0 && !s.All && !s.Git }

// Info is how well the watcher sees.
type Info struct {
	Backend    string    `json:"backend"` // "inotify", "kqueue", "windows", or "poll"
	Watches    int       `json:"watches"` // directories watched
	Allowed    int       `json:"allowed"` // directories that this user may watch; 0: the system does not say
	Blind      string    `json:"blind,omitempty"`
	Reconciled time.Time `json:"reconciled"` // the last look at everything
}

// Watch tells where in a place somebody saved. It is a hint: now and then, and
// whenever it may have missed something, it says to look everywhere. It reads
// no file; it never follows a symbolic link.
type Watch struct {
	timing Timing
	out    chan Settled
	follow chan Place
	done   chan struct{} // it has ended
	tell   func(Info)    // when it became blind, or sees again

	// Of the loop alone.
	place Place
	fs    *fsnotify.Watcher
	dirs  map[memsync.Path]bool // watched
	dirty *dirty
	ready Settled
	trees map[memsync.Path]bool // to be watched, with all below, at treesAt
	wake  map[cause]time.Time
	began time.Time
	gap   time.Duration // by which the wall clock had run ahead of the monotonic one

	mu   sync.Mutex
	info Info
}

// Start begins to watch a place; it ends with ctx. tell is called when the
// watcher becomes blind and when it sees again; it must not wait.
func Start(ctx context.Context, place Place, timing Timing, poll bool, tell func(Info)) *Watch {
	w := &Watch{timing: timing, out: make(chan Settled), follow: make(chan Place), done: make(chan struct{}), tell: tell,
		place: place, wake: map[cause]time.Time{}, began: time.Now()}
	w.dirty = newDirty(timing)
	w.open(poll)
	go w.run(ctx)
	return w
}

// Settled gives where to look, everything since the last time in one. It is
// closed when the watch has ended.
func (w *Watch) Settled() <-chan Settled { return w.out }

// Follow changes what is watched: scopes came or went.
func (w *Watch) Follow(ctx context.Context, place Place) {
	select {
	case w.follow <- place:
	case <-ctx.Done():
	case <-w.done:
	}
}

// Info is how well it sees at this moment.
func (w *Watch) Info() Info {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.info
}

// Reconciled notes that somebody has looked everywhere.
func (w *Watch) Reconciled(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.info.Reconciled = at
}

// cause is why the loop wakes up.
type cause int

const (
	wakeDirty cause = iota
	wakeTrees
	wakeGit
	wakeAll
	wakeReconcile
	wakeBlind
	wakeProbe
)

// open begins anew: events where the system gives them, else polling. Whoever was told
// that it is blind is told, by watchAll, when it is not any more.
func (w *Watch) open(poll bool) {
	w.dirs = map[memsync.Path]bool{}
	w.trees = map[memsync.Path]bool{}
	now := time.Now()
	w.setInfo(func(i *Info) { *i = Info{Backend: "poll", Blind: i.Blind, Reconciled: i.Reconciled} })
	w.wake[wakeReconcile] = now.Add(w.timing.Poll)
	if poll || !hasEvents(w.place.Root) {
		w.setInfo(func(i *Info) { i.Blind = "" })
		return
	}
	var err error
	if w.fs, err = fsnotify.NewWatcher(); err != nil {
		w.blind("the system gives no more watchers: " + err.Error())
		return
	}
	w.setInfo(func(i *Info) { i.Backend, i.Allowed = backend, allowed() })
	w.wake[wakeReconcile] = now.Add(w.timing.Reconcile)
	if w.fs.Add(w.place.GitDir) == nil { // where it can't be watched the reconcile sees it
		w.probe()
	}
	w.watchAll(false)
}

// probeName is a file in the git directory that is made and removed to hear
// whether this file system tells of changes.
const probeName = "memsync-probe"

// probeMost is how long its event may take. It takes 36 µs (p99 464 µs); the
// rest is for a busy machine.
const probeMost = 5 * time.Second

// probe asks for an event. Where none comes, nobody is told of saves either.
func (w *Watch) probe() {
	name := filepath.Join(w.place.GitDir, probeName)
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		return // nothing can be written here, and so nothing saved
	}
	os.Remove(name)
	w.wake[wakeProbe] = time.Now().Add(probeMost)
}

func (w *Watch) close() {
	if w.fs != nil {
		w.fs.Close()
		w.fs = nil
	}
}

func (w *Watch) setInfo(f func(*Info)) {
	w.mu.Lock()
	f(&w.info)
	w.mu.Unlock()
}

// blind gives up on events: from now on everything is looked at, often.
func (w *Watch) blind(why string) {
	w.close()
	w.setInfo(func(i *Info) { i.Backend, i.Blind, i.Watches = "poll", why, 0 })
	w.tell(w.Info())
	w.ready.All = true
	w.at(wakeReconcile, time.Now().Add(w.timing.Poll))
}

// at arms a wake-up, unless an earlier one is armed.
func (w *Watch) at(why cause, when time.Time) {
	if t, ok := w.wake[why]; !ok || when.Before(t) {
		w.wake[why] = when
	}
}

func (w *Watch) run(ctx context.Context) {
	defer close(w.out)
	defer close(w.done)
	defer w.close()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		now := time.Now()
		w.slept(now.Round(0).Sub(w.began.Round(0)), now.Sub(w.began))
		w.due(now)
		var next time.Time
		for _, t := range w.wake {
			if next.IsZero() || t.Before(next) {
				next = t
			}
		}
		timer.Reset(time.Until(next))
		var events chan fsnotify.Event
		var errs chan error
		if w.fs != nil {
			events, errs = w.fs.Events, w.fs.Errors
		}
		var out chan Settled
		if !w.ready.Empty() {
			out = w.out
		}
		select {
		case <-ctx.Done():
			return
		case ev, ok := <-events:
			if ok {
				w.event(ev)
				w.drain(events)
			}
		case err := <-errs:
			w.failed(err)
		case out <- w.ready:
			w.ready = Settled{}
		case place := <-w.follow:
			w.close()
			w.place = place
			w.open(w.Info().Backend == "poll" && w.Info().Blind == "")
			w.ready.All = true
		case <-timer.C:
		}
	}
}

// drain takes what has queued up, so that a storm is no turn of the loop an
// event.
func (w *Watch) drain(events chan fsnotify.Event) {
	for range 10_000 {
		select {
		case ev, ok := <-events:
			if !ok || w.fs == nil {
				return
			}
			w.event(ev)
		default:
			return
		}
	}
}

// slept notices that the machine was suspended, or its clock set: the wall
// clock (measured without the monotonic reading) went on by more than the
// monotonic one, which stands still in suspend.
func (w *Watch) slept(wall, monotonic time.Duration) {
	const most = 10 * time.Second // a guess; a clock is corrected by less
	gap := wall - monotonic
	if (gap - w.gap).Abs() > most {
		w.ready.All = true
	}
	w.gap = gap
}

// due does what has come due.
func (w *Watch) due(now time.Time) {
	for why, at := range w.wake {
		if at.After(now) {
			continue
		}
		delete(w.wake, why)
		switch why {
		case wakeDirty:
			w.ready.Paths = merged(w.ready.Paths, w.dirty.due(now, w.state))
			if next, ok := w.dirty.next(); ok {
				w.at(wakeDirty, next)
			}
		case wakeTrees:
			for dir := range w.trees {
				w.watch(dir, true)
			}
			clear(w.trees)
		case wakeGit:
			w.ready.Git = true
		case wakeAll:
			w.ready.All = true
		case wakeReconcile:
			w.reconcile(now)
		case wakeBlind:
			w.watchAll(true)
		case wakeProbe:
			w.blind("the file system does not tell of changes")
		}
	}
}

func merged(a, b []memsync.Path) []memsync.Path {
	if len(a) == 0 {
		return b
	}
	a = append(a, b...)
	slices.Sort(a)
	return slices.Compact(a)
}

// reconcile looks everywhere, and watches what was overlooked.
func (w *Watch) reconcile(now time.Time) {
	w.ready.All = true
	if w.fs == nil {
		w.at(wakeReconcile, now.Add(w.timing.Poll))
		return
	}
	w.at(wakeReconcile, now.Add(w.timing.Reconcile))
	clear(w.dirs)
	for _, name := range w.fs.WatchList() {
		if p, ok := w.rel(name); ok {
			w.dirs[p] = true
		}
	}
	w.watchAll(false)
}

// rel is a name of the system's as a path of the store.
func (w *Watch) rel(name string) (memsync.Path, bool) {
	if name == w.place.Root {
		return "", true
	}
	rest, ok := strings.CutPrefix(name, w.place.Root+string(filepath.Separator))
	return memsync.Path(filepath.ToSlash(rest)), ok
}

func (w *Watch) inGit(name string) bool {
	return name == w.place.GitDir || filepath.Dir(name) == w.place.GitDir
}

// event notes one event.
func (w *Watch) event(ev fsnotify.Event) {
	now := time.Now()
	if w.inGit(ev.Name) {
		if filepath.Base(ev.Name) == probeName {
			delete(w.wake, wakeProbe)
		}
		if !strings.HasPrefix(filepath.Base(ev.Name), "memsync-") { // files that a commit of ours prepares
			w.at(wakeGit, now.Add(w.timing.Quiet))
		}
		return
	}
	p, ok := w.rel(ev.Name)
	if !ok {
		return
	}
	if p != "" && w.place.lays(p.Dir()) && ev.Op != fsnotify.Chmod {
		w.at(wakeAll, now.Add(w.timing.Quiet)) // the policy, or a scope that comes or goes
	}
	if w.dirs[p] && ev.Has(fsnotify.Rename|fsnotify.Remove) {
		w.moved(p, now)
		return
	}
	if ev.Has(fsnotify.Create) && p != "" && w.place.enters(p.Dir(), p.Base()) {
		if info, err := os.Lstat(ev.Name); err == nil && info.IsDir() {
			w.tree(p, now)
			return
		}
	}
	if ev.Op != fsnotify.Chmod && p != "" && w.place.counts(p) {
		w.dirty.touch(p, now)
		w.at(wakeDirty, now.Add(w.timing.Quiet))
	}
}

// failed: the system says that it has lost events, or that it can't go on.
func (w *Watch) failed(err error) {
	if errors.Is(err, fsnotify.ErrEventOverflow) {
		w.reconcile(time.Now())
	} else if err != nil {
		w.ready.All = true
	}
}
