package watcher

import (
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"

	"memsync"
)

// listing is what one directory holds, by path, and the memory for it, which the
// next one uses again.
type listing struct {
	folder  *folder
	refused error // it can't be entered
	err     error // it can't be listed
	entries []entry

	text, room []byte
	busy       sync.WaitGroup
}

// entry is what a directory holds under a name.
type entry struct {
	path memsync.Path
	name string
	kind fs.FileMode // its type's bits
	stat Stat        // none where nothing is known to compare with
	err  error       // it can't be looked at
}

func (e entry) isDir() bool { return e.err == nil && e.kind == fs.ModeDir }

// byPath compares two names in one directory as the paths below them compare.
func (e entry) byPath(o entry) int {
	n := min(len(e.name), len(o.name))
	if c := strings.Compare(e.name[:n], o.name[:n]); c != 0 || len(e.name) == len(o.name) {
		return c
	}
	after := func(e entry) byte {
		switch {
		case len(e.name) > n:
			return e.name[n]
		case e.isDir():
			return '/'
		}
		return 0
	}
	return int(after(e)) - int(after(o))
}

// usual is how many entries a directory has at most where memsync chose it (the
// controller's crowded).
const usual = 256

// listRoom is how much a directory says at once, as os.File.ReadDir has it.
const listRoom = 8 << 10

// fill lists l.folder, which is at dir. Where nothing is known to compare with
// (stats false) the directory's own word for what each entry is will do; a file
// system that has none says irregular.
func (l *listing) fill(dir memsync.Path, stats bool) {
	if l.room == nil {
		l.room, l.text, l.entries = make([]byte, listRoom), make([]byte, 0, usual*64), make([]entry, 0, usual)
	}
	l.err = l.folder.list(l.room, func(name []byte, kind fs.FileMode) {
		if stats {
			kind = fs.ModeIrregular
		}
		l.entries = append(l.entries, entry{kind: kind})
		if l.text = append(l.text, dir...); dir != "" {
			l.text = append(l.text, '/')
		}
		l.text = append(append(l.text, name...), 0)
	})
	if l.err != nil {
		return
	}
	rest := string(l.text) // one piece of memory for all of them
	for i := range l.entries {
		e := &l.entries[i]
		var path string
		path, rest, _ = strings.Cut(rest, "\x00")
		e.path, e.name = memsync.Path(path), strings.TrimPrefix(path[len(dir):], "/")
	}
	inParts(l.entries, func(part []entry) {
		var look looker
		for i := range part {
			if e := &part[i]; e.kind == fs.ModeIrregular {
				e.stat, e.kind, e.err = look.at(l.folder, e.name)
			}
		}
	})
	slices.SortFunc(l.entries, entry.byPath)
}

// large is how many entries make a directory one that several threads look at.
// Smaller ones are looked at ahead.
const large = 1024

// inParts has as many threads as there are processors, up to four, do a part of all
// each.
func inParts(all []entry, do func([]entry)) {
	n := min(runtime.GOMAXPROCS(0), 4)
	if n < 2 || len(all) < large {
		do(all)
		return
	}
	var done sync.WaitGroup
	for part := range slices.Chunk(all, (len(all)+n-1)/n) {
		done.Go(func() { do(part) })
	}
	done.Wait()
}

// listing is an empty one.
func (w *walk) listing() *listing {
	if len(w.free) == 0 {
		return new(listing)
	}
	l := w.free[len(w.free)-1]
	w.free = w.free[:len(w.free)-1]
	l.refused, l.err, l.entries, l.text = nil, nil, l.entries[:0], l.text[:0]
	return l
}

// lookAhead is how many directories are being listed while one is gone through.
const lookAhead = 2

// ahead gives, with each call, the listing of the next directory in l that the walk
// enters. It has to be asked for all of them.
func (w *walk) ahead(l *listing, dir memsync.Path, inScope bool) (next func() *listing) {
	rest := l.entries
	var begun []*listing
	return func() *listing {
		for len(begun) <= lookAhead && len(rest) > 0 {
			e := rest[0]
			if rest = rest[1:]; !e.isDir() || w.passedBy(dir, e.name, inScope) {
				continue
			}
			n := w.listing()
			n.busy.Go(func() {
				if n.folder, n.refused = l.folder.folder(e.name); n.refused == nil {
					n.fill(e.path, w.known != nil)
				}
			})
			begun = append(begun, n)
		}
		n := begun[0]
		begun = begun[1:]
		n.busy.Wait()
		return n
	}
}
