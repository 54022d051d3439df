package gitlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"memsync"
)

// How a file is replaced without ever destroying bytes that nobody has read
// (laws 4 and 5):
//
//	.memsync-<plan>-<n>.tmp   the new bytes, synced; ours to drop at any time
//	  rename to .old, then exchange .old and the file in one step:
//	.memsync-<plan>-<n>.old   whatever the file was at that instant
//
// Only then are the bytes compared with what was decided on. If they are those
// the file stays replaced, and .old stays as the way back until the plan is
// committed. If they are not, or somebody still has them open for writing, the
// two are exchanged again. Between the two steps a reader may see the new bytes
// for a moment; no writer loses any. Where no exchange exists the file is moved
// away to .old, compared, and the new one moved in where nothing may stand.

var (
	errNotRegular = errors.New("not a regular file")
	errNoExchange = errors.New("names cannot be exchanged here")
	errRaced      = errors.New("other bytes are there")
)

var (
	step       func(name string) // where the crash tests end the process; nil outside of them
	noExchange bool              // tests: as on a file system that cannot exchange names
)

func reached(name string, p memsync.Path) {
	if step != nil {
		step(name + " " + string(p))
	}
}

// files brings the files of one plan from one state to another.
type files struct {
	root string
	plan memsync.ID
	disk diskKind
	// later says that a commit follows whose own flush, on the same ordered
	// disk, covers everything done here: then nothing waits for the disk before
	// it. Until it is there the journal has the bytes.
	later bool

	open  map[memsync.Path]*folder // a bounded cache
	order []memsync.Path
	made  []memsync.Path // directories that were not there
	dirty map[memsync.Path]bool

	kept []keptBytes // bytes of others that are on no path any more
}

// keptBytes are bytes that were on disk and are to be kept in the journal.
type keptBytes struct {
	path    memsync.Path
	content []byte
}

// How many directories and new files are open at once: guesses, together below
// every system's limit (macOS gives 256 by default, Go raises it).
const (
	openFolders = 64
	openFiles   = 128
)

func newFiles(root string, plan memsync.ID, disk diskKind) *files {
	return &files{root: root, plan: plan, disk: disk, open: map[memsync.Path]*folder{}, dirty: map[memsync.Path]bool{}}
}

func (w *files) close() {
	for _, d := range w.open {
		d.close()
	}
	w.open, w.order = map[memsync.Path]*folder{}, nil
}

func (w *files) folder(dir memsync.Path, create bool) (*folder, error) {
	if d, ok := w.open[dir]; ok {
		return d, nil
	}
	d, made, err := openFolder(w.root, dir, create)
	w.made = append(w.made, made...)
	if err != nil {
		return nil, err
	}
	if len(w.order) >= openFolders {
		w.open[w.order[0]].close()
		delete(w.open, w.order[0])
		w.order = w.order[1:]
	}
	w.open[dir], w.order = d, append(w.order, dir)
	return d, nil
}

// change is one file on its way.
type change struct {
	path     memsync.Path
	index    int // in the plan, part of the names beside it
	from, to memsync.Hash
	content  []byte // of to
	info     fs.FileInfo
}

func (c *change) name() string { return c.path.Base() }

const besidePrefix = ".memsync-"

func (w *files) beside(c *change, suffix string) string {
	return besidePrefix + string(w.plan) + "-" + strconv.Itoa(c.index) + suffix
}

var besideName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\.memsync-([0-9A-HJKMNP-TV-Z]{26})-([0-9]{1,6})\.(tmp|old|was)$`)
})

// read is what is at a path: nil and no error for nothing.
func (w *files) read(p memsync.Path) ([]byte, fs.FileInfo, error) {
	d, err := w.folder(p.Dir(), false)
	if isAbsent(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	content, info, err := d.read(p.Base())
	if isAbsent(err) {
		return nil, nil, nil
	}
	if errors.Is(err, errNotRegular) {
		return nil, nil, inTheWay(p)
	}
	return content, info, err
}

// prepare writes the new bytes of all changes beside their files and waits once
// until they are on the disk.
func (w *files) prepare(changes []*change) error {
	var written []*os.File
	defer func() {
		for _, f := range written {
			f.Close()
		}
	}()
	for _, c := range changes {
		if c.to == "" {
			continue
		}
		d, err := w.folder(c.path.Dir(), true)
		if err != nil {
			return w.fault(c, err)
		}
		name := w.beside(c, ".tmp")
		f, err := d.create(name, c.info)
		if errors.Is(err, fs.ErrExist) { // of an earlier try that died
			if err = d.remove(name); err == nil {
				f, err = d.create(name, c.info)
			}
		}
		if err != nil {
			return w.fault(c, err)
		}
		written = append(written, f)
		if _, err := f.Write(c.content); err != nil {
			return w.fault(c, err)
		}
		if w.disk == diskOrdered {
			startWriteback(f)
		}
		reached("prepared", c.path)
		if len(written) == openFiles {
			if err := w.flush(written); err != nil {
				return w.fault(c, err)
			}
			written = written[:0]
		}
	}
	if err := w.flush(written); err != nil {
		return w.fault(changes[0], err)
	}
	written = nil
	return nil
}

// flush waits for the bytes of files and closes them. On an ordered disk the
// data goes out all at once and the sync of the last one commits the sizes of
// all.
func (w *files) flush(list []*os.File) error {
	if len(list) == 0 {
		return nil
	}
	var err error
	if w.disk == diskOrdered {
		for _, f := range list {
			err = errors.Join(err, waitWriteback(f))
		}
		if !w.later {
			err = errors.Join(err, list[len(list)-1].Sync())
		}
	} else {
		err = inParallel(len(list), func(i int) error { return list[i].Sync() })
	}
	for _, f := range list {
		err = errors.Join(err, f.Close())
	}
	return err
}

// swap brings one prepared file from c.from to c.to, or returns errRaced with
// everything as others left it. What stood there is beside it afterwards.
func (w *files) swap(c *change) error {
	d, err := w.folder(c.path.Dir(), c.to != "")
	if err != nil {
		if isAbsent(err) && c.to == "" {
			return nil
		}
		return w.fault(c, err)
	}
	w.dirty[c.path.Dir()] = true
	tmp, old := w.beside(c, ".tmp"), w.beside(c, ".old")
	switch {
	case c.from == "":
		err = w.moveIn(d, c, tmp)
	case c.to == "":
		err = w.takeAway(d, c, old)
	default:
		err = w.exchange(d, c, tmp, old)
	}
	if err != nil && !errors.Is(err, errRaced) {
		err = w.fault(c, err)
	}
	return err
}

// moveIn puts a file where nothing stands.
func (w *files) moveIn(d *folder, c *change, tmp string) error {
	err := d.moveAway(tmp, c.name())
	reached("moved in", c.path)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := d.remove(tmp); err != nil {
		return err
	}
	if there, _, err := d.read(c.name()); err == nil && memsync.HashOf(there) == c.to {
		return nil // the very bytes: nobody's to replace
	}
	return errRaced
}

// takeAway moves a file to old; what is gone already is gone.
func (w *files) takeAway(d *folder, c *change, old string) error {
	if err := d.moveAway(c.name(), old); err != nil {
		if isAbsent(err) {
			return nil
		}
		return err
	}
	reached("taken away", c.path)
	if ok, err := w.settledAs(d, old, c.from); ok || err != nil {
		return err
	}
	if err := w.putBack(d, c, old); err != nil {
		return err
	}
	return errRaced
}

// putBack gives others' bytes their name again. Where the name is taken by now
// the newer ones stay and these are kept.
func (w *files) putBack(d *folder, c *change, old string) error {
	err := d.moveAway(old, c.name())
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	return w.keep(d, c, old)
}

// keep takes bytes off the disk that have no name there any more.
func (w *files) keep(d *folder, c *change, name string) error {
	content, _, err := d.read(name)
	switch {
	case err == nil:
		w.kept = append(w.kept, keptBytes{c.path, content})
	case !errors.Is(err, errNotRegular):
		return err
	}
	return d.remove(name)
}

func (w *files) exchange(d *folder, c *change, tmp, old string) error {
	if err := d.rename(tmp, old); err != nil {
		return err
	}
	reached("aside", c.path)
	switch err := d.exchange(old, c.name()); {
	case errors.Is(err, errNoExchange):
		return w.replaceInTwo(d, c, tmp, old)
	case isAbsent(err): // the file is gone: not what was decided on
		if err := d.remove(old); err != nil {
			return err
		}
		return errRaced
	case err != nil:
		return err
	}
	reached("exchanged", c.path)
	if ok, err := w.settledAs(d, old, c.from); ok || err != nil {
		return err
	}
	if err := w.exchangeBack(d, c, old, c.to); err != nil {
		return err
	}
	return errRaced
}

// exchangeBack undoes an exchange: the file becomes what lies in old, which is
// dropped once it holds what we had put there. When somebody saved over that
// meanwhile theirs is the newest: it goes back on top, and what it covered is
// kept.
func (w *files) exchangeBack(d *folder, c *change, old string, ours memsync.Hash) error {
	for range 8 {
		under, _, _ := d.read(old)
		switch err := d.exchange(old, c.name()); {
		case errors.Is(err, errNoExchange):
			return w.backInTwo(d, c, old, ours)
		case isAbsent(err):
			return w.putBack(d, c, old)
		case err != nil:
			return err
		}
		reached("exchanged back", c.path)
		if ok, err := w.settledAs(d, old, ours); err != nil {
			return err
		} else if ok {
			return d.remove(old)
		}
		if under != nil {
			// Put the newer bytes on top again; what is then in old is kept.
			w.kept = append(w.kept, keptBytes{c.path, under})
			ours = memsync.HashOf(under)
			continue
		}
	}
	return w.keep(d, c, old)
}

// replaceInTwo is exchange where the file system has none: the new bytes are in
// old, the name tmp is free.
func (w *files) replaceInTwo(d *folder, c *change, tmp, old string) error {
	if err := d.rename(old, tmp); err != nil {
		return err
	}
	gone := *c
	gone.to = ""
	if there, err := w.present(d, c.name()); err != nil || !there {
		if err == nil {
			err = errors.Join(d.remove(tmp), errRaced)
		}
		return err
	}
	if err := w.takeAway(d, &gone, old); err != nil {
		return errors.Join(err, d.remove(tmp))
	}
	if err := w.moveIn(d, c, tmp); err != nil {
		// Somebody saved in between: old holds what was decided on, which git
		// or the journal has.
		return errors.Join(err, d.remove(old))
	}
	return nil
}

// backInTwo is exchangeBack where the file system has no exchange. What stands
// there passes through a third name, .was.
func (w *files) backInTwo(d *folder, c *change, old string, ours memsync.Hash) error {
	was := w.beside(c, ".was")
	if err := d.moveAway(c.name(), was); isAbsent(err) {
		return w.putBack(d, c, old)
	} else if err != nil {
		return err
	}
	reached("was", c.path)
	if ok, err := w.settledAs(d, was, ours); err != nil {
		return err
	} else if !ok { // theirs is newer
		return errors.Join(w.putBack(d, c, was), w.keep(d, c, old))
	}
	return errors.Join(d.remove(was), w.putBack(d, c, old))
}

func (w *files) present(d *folder, name string) (bool, error) {
	_, _, err := d.read(name)
	if isAbsent(err) {
		return false, nil
	}
	if errors.Is(err, errNotRegular) {
		return true, nil
	}
	return err == nil, err
}

// settledAs reports whether a file that was taken from its name holds these
// bytes and nobody is writing more.
func (w *files) settledAs(d *folder, name string, want memsync.Hash) (bool, error) {
	content, settled, err := d.quiet(name)
	if errors.Is(err, errNotRegular) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return settled && memsync.HashOf(content) == want, nil
}

// undo brings a swapped file back, if it still is as we left it. It needs no
// room on the disk: the old file was never removed.
func (w *files) undo(c *change) error {
	d, err := w.folder(c.path.Dir(), false)
	if err != nil {
		return w.fault(c, err)
	}
	w.dirty[c.path.Dir()] = true
	old := w.beside(c, ".old")
	switch {
	case c.from == "":
		err = w.takeAway(d, &change{path: c.path, index: c.index, from: c.to}, old)
		if err == nil {
			err = d.remove(old)
		}
	case c.to == "":
		if there, e := w.present(d, old); e != nil || !there {
			err = e // it was gone before we came
		} else {
			err = w.putBack(d, c, old)
		}
	default:
		err = w.exchangeBack(d, c, old, c.to)
	}
	reached("undone", c.path)
	if errors.Is(err, errRaced) {
		return nil
	}
	return w.fault(c, err)
}

// tidy removes what lies beside the files. After a swap that is the way back,
// so it comes when there is no need for one any more.
func (w *files) tidy(changes []*change) error {
	for _, c := range changes {
		d, err := w.folder(c.path.Dir(), false)
		if isAbsent(err) || errors.Is(err, memsync.CodePathEscape) {
			continue // nothing of ours is there
		}
		if err != nil {
			return w.fault(c, err)
		}
		if err := d.remove(w.beside(c, ".tmp")); err != nil {
			return w.fault(c, err)
		}
		if c.from != "" {
			if err := d.remove(w.beside(c, ".old")); err != nil {
				return w.fault(c, err)
			}
		}
		reached("tidied", c.path)
	}
	return nil
}

// sync makes the names durable, one wait a directory.
func (w *files) sync() error {
	if w.later {
		reached("synced", "")
		return nil
	}
	for dir := range w.dirty {
		d, err := w.folder(dir, false)
		if isAbsent(err) || errors.Is(err, memsync.CodePathEscape) {
			continue
		}
		if err == nil {
			err = d.sync()
		}
		if err != nil {
			return w.fault(&change{path: dir}, err)
		}
	}
	clear(w.dirty)
	reached("synced", "")
	return nil
}

// unmake removes the directories that were made, as far as they are empty.
func (w *files) unmake() {
	for i := len(w.made) - 1; i >= 0; i-- {
		p := w.made[i]
		if d, ok := w.open[p]; ok {
			d.close()
			delete(w.open, p)
			w.order = slices.DeleteFunc(w.order, func(q memsync.Path) bool { return q == p })
		}
		if d, err := w.folder(p.Dir(), false); err == nil {
			d.removeDir(p.Base())
		}
	}
	w.made = nil
}

func (w *files) fault(c *change, err error) error {
	var e *memsync.Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	e = fault(memsync.CodeIOWrite, "write", err).(*memsync.Error)
	e.Path = c.path
	if errors.Is(err, syscall.EFBIG) {
		e.Code = memsync.CodeIOFull
	}
	if e.Hint == "" || e.Code == memsync.CodeIODenied {
		e.Hint = "nothing was changed; see that the directory can be written"
	}
	if e.Code == memsync.CodeIOFull {
		e.Hint = "nothing was changed; make room on the disk and try again"
	}
	return e
}

// inTheWay is the error for a link or a special file where a plain one should
// be: it is never followed and never replaced.
func inTheWay(p memsync.Path) error {
	return &memsync.Error{Code: memsync.CodePathEscape, Path: p, Message: "a symbolic link or special file is in the way",
		Hint: "nothing was changed; replace it by a plain file or directory, or name another path"}
}

func elements(p memsync.Path) []string {
	if p == "" {
		return nil
	}
	return strings.Split(string(p), "/")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprint(n, " ", one)
	}
	return fmt.Sprint(n, " ", many)
}
