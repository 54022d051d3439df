package watcher

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"memsync"
)

// tree has a directory watched soon.
func (w *Watch) tree(p memsync.Path, now time.Time) {
	w.trees[p] = true
	w.at(wakeTrees, now.Add(w.timing.Moved))
}

// moved: a watched directory is not where it was. The system goes on watching
// it under its old name, and a watch that is set at once at its new name is
// taken away by the last event of the old one (8 of 8 times). So all watches
// at and below the old name go now, and the new name is watched a moment
// later.
func (w *Watch) moved(p memsync.Path, now time.Time) {
	for dir := range w.dirs {
		if dir == p || dir.In(p) {
			_ = w.fs.Remove(w.place.abs(dir))
			delete(w.dirs, dir)
		}
	}
	w.count()
	w.at(wakeAll, now.Add(w.timing.Moved+w.timing.Quiet))
	if p == "" || w.place.Own != "" && w.place.Own.In(p) || slices.ContainsFunc(w.place.Scopes, func(s memsync.Scope) bool { return s.Dir.In(p) }) {
		w.lost()
	}
}

func (w *Watch) exists(p memsync.Path) bool {
	info, err := os.Lstat(w.place.abs(p))
	return err == nil && info.IsDir()
}

// state is what a touched path looks like now.
func (w *Watch) state(p memsync.Path) state {
	info, err := os.Lstat(w.place.abs(p))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absent
	case err == nil && info.Mode().IsRegular() && info.Size() == 0:
		return empty
	}
	return whole
}

// watchAll watches every directory that counts and is not watched. fresh says
// that what is in them is news.
func (w *Watch) watchAll(fresh bool) {
	if w.fs == nil {
		return
	}
	if info, err := os.Stat(w.place.Root); err != nil || !info.IsDir() {
		w.lost()
		return
	}
	if w.Info().Blind != "" {
		w.setInfo(func(i *Info) { i.Blind = "" })
		w.tell(w.Info())
		w.ready.All = true
	}
	for _, top := range w.place.tops(w.exists) {
		w.watch(top, fresh)
		if w.fs == nil {
			return
		}
	}
}

// lost: the store's own directory is not there.
func (w *Watch) lost() {
	if _, err := os.Stat(w.place.Root); err != nil && w.Info().Blind == "" {
		w.setInfo(func(i *Info) { i.Blind = "the store's directory is gone: " + w.place.Root })
		w.tell(w.Info())
	}
	w.at(wakeBlind, time.Now().Add(retry))
}

// watch watches a directory and all that count below it: first it is added,
// then listed, so that nothing comes in between. fresh touches the files.
func (w *Watch) watch(dir memsync.Path, fresh bool) {
	if w.fs == nil {
		return
	}
	name := w.place.abs(dir)
	if !w.dirs[dir] {
		if info, err := os.Lstat(name); dir != "" && (err != nil || !info.IsDir()) {
			return
		}
		if err := w.fs.Add(name); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return
			}
			if full(err) {
				w.blind(w.tooMany())
			}
			return // one that can't be read is skipped by the scan, which says so
		}
		w.dirs[dir] = true
		w.count()
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return
	}
	if !w.own(dir, entries) {
		return
	}
	now := time.Now()
	for _, e := range entries {
		p := join(dir, e.Name())
		switch {
		case e.IsDir() && w.place.enters(dir, e.Name()):
			w.watch(p, fresh)
		case fresh && w.place.counts(p):
			w.dirty.touch(p, now)
			w.at(wakeDirty, now.Add(w.timing.Quiet))
		}
	}
}

// own: dir is not the top of another repository.
func (w *Watch) own(dir memsync.Path, entries []os.DirEntry) bool {
	if _, inScope := memsync.ScopeOf(w.place.Scopes, join(dir, "x")); inScope || dir == "" {
		return true
	}
	git := slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == ".git" })
	return !git || (&walk{scopes: w.place.Scopes}).leadsToScope(dir)
}

func (w *Watch) count() {
	n := len(w.dirs)
	w.setInfo(func(i *Info) { i.Watches = n })
}

// retry is how often a store that is gone is looked for.
const retry = time.Second
