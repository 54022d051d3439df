package gitlog

import (
	"errors"

	"memsync"
)

// Replace puts content in place of the file at p, which lies below root, if it
// still holds the bytes whose hash is old; CodeIORaced otherwise, with
// everything as others left it. It is for programs that write where no owner
// of the store lives: no journal keeps the old bytes, git or the caller does.
// name is a fresh id, for what lies beside the file meanwhile.
func Replace(root string, p memsync.Path, old memsync.Hash, content []byte, name memsync.ID) error {
	w := newFiles(root, name, diskOf(root))
	defer w.close()
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
