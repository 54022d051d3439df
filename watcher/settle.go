package watcher

import (
	"slices"
	"time"

	"memsync"
)

// Timing is how long the watcher waits before it believes what it sees.
type Timing struct {
	Quiet     time.Duration // without another event, before a file is looked at
	Limit     time.Duration // after the first event, quiet or not
	Empty     time.Duration // for a file with nothing in it: an editor truncates before it writes
	Gone      time.Duration // for a file that is not there: an editor replaces it
	Moved     time.Duration // before a moved directory is watched again (see Watch.moved)
	Reconcile time.Duration // between looks at everything, whatever the events say
	Poll      time.Duration // between looks where there are no events
}

// Usual are the times of the design. Slow writers and editors were measured:
// 50 ms of quiet is the floor, the slowest pause inside one save was 32 ms;
// the others are guesses on the safe side.
var Usual = Timing{
	Quiet: 75 * time.Millisecond, Limit: 2 * time.Second,
	Empty: 500 * time.Millisecond, Gone: 500 * time.Millisecond,
	Moved: 50 * time.Millisecond, Reconcile: time.Minute, Poll: 2 * time.Second,
}

// state is what a path looks like when its quiet is over.
type state int

const (
	whole  state = iota
	empty        // a regular file of no bytes
	absent       // nothing is there
)

// dirt is one path that somebody touched.
type dirt struct {
	first, last time.Time // events
	at          time.Time // when to look
}

// dirty are the paths that were touched and are not quiet yet. It knows no
// clock and no disk.
type dirty struct {
	timing Timing
	paths  map[memsync.Path]dirt
}

func newDirty(t Timing) *dirty { return &dirty{timing: t, paths: map[memsync.Path]dirt{}} }

// touch notes an event.
func (d *dirty) touch(p memsync.Path, now time.Time) {
	x, known := d.paths[p]
	if !known {
		x.first = now
	}
	x.last = now
	x.at = earlier(now.Add(d.timing.Quiet), x.first.Add(d.timing.Limit))
	d.paths[p] = x
}

// next is when the first path may be looked at; false when none waits.
func (d *dirty) next() (at time.Time, ok bool) {
	for _, x := range d.paths {
		if !ok || x.at.Before(at) {
			at, ok = x.at, true
		}
	}
	return at, ok
}

// due takes out the paths that are quiet at now. A file that is empty or
// absent is given more time: what it is after that it is. While one is absent
// the others wait with it, so that a renamed file's two names are seen at
// once.
func (d *dirty) due(now time.Time, look func(memsync.Path) state) []memsync.Path {
	var out []memsync.Path
	var wait time.Time // until then an absent one may come back
	for p, x := range d.paths {
		if x.at.After(now) {
			continue
		}
		more := x.last
		switch look(p) {
		case empty:
			more = x.last.Add(d.timing.Empty)
		case absent:
			if more = x.last.Add(d.timing.Gone); more.After(wait) {
				wait = more
			}
		}
		if more.After(now) {
			x.at = more
			d.paths[p] = x
			continue
		}
		out = append(out, p)
	}
	if wait.After(now) {
		for _, p := range out {
			x := d.paths[p]
			x.at = wait
			d.paths[p] = x
		}
		return nil
	}
	for _, p := range out {
		delete(d.paths, p)
	}
	slices.Sort(out)
	return out
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
