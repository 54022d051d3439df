package gitlog

import (
	"errors"
	"time"

	"memsync"
)

// Replace puts content in place of the file at p, which lies below root, if it
// still holds the bytes whose hash is old; CodeIORaced otherwise, with
// everything as others left it. It is for programs that write where no owner
// of the store lives: no journal keeps the old bytes, git or the caller does.
// name is a fresh id, for what lies beside the file meanwhile; its entropy begins
// with two zero bytes, so that what a killed process left is known for such.
func Replace(root string, p memsync.Path, old memsync.Hash, content []byte, name memsync.ID) error {
	w := newFiles(root, name, diskOf(root))
	defer w.close()
	w.clearLeft(p.Dir(), name)
	there, info, err := w.read(p)
	if err != nil {
		return w.fault(&change{path: p}, err)
	}
	if hashOf(there) != old {
		return raced(p)
	}
	c := &change{path: p, from: old, to: memsync.HashOf(content), content: content, info: info}
	if err := w.prepare([]*change{c}); err != nil {
		return errors.Join(err, w.tidy([]*change{c}))
	}
	err = w.swap(c)
	if errors.Is(err, errRaced) {
		err = raced(p)
	}
	return errors.Join(err, w.tidy([]*change{c}), w.sync())
}

// leftAfter is how old a prepared file has to be to belong to nobody: no process
// takes a second between preparing one and moving it.
const leftAfter = time.Minute

// clearLeft removes files that a killed Replace had prepared in a directory. What
// it had moved aside (.old) may be somebody's save, and stays.
func (w *files) clearLeft(dir memsync.Path, now memsync.ID) {
	d, err := w.folder(dir, false)
	if err != nil {
		return
	}
	names, err := d.names()
	if err != nil {
		return
	}
	for _, name := range names {
		m := besideName().FindStringSubmatch(name)
		if m == nil || m[3] != "tmp" || m[1][10:13] != "000" {
			continue
		}
		if now.Time().Sub(memsync.ID(m[1]).Time()) > leftAfter {
			d.remove(name)
		}
	}
}
