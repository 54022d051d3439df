package watcher

import (
	"errors"
	"io"
	"io/fs"
	"strings"

	"memsync"
)

// tries is how often a file that changes while it is read is read again.
const tries = 4

// Read gives a file's bytes and the stat they belong to: the stat is the same
// before and after reading. limit is in bytes, 0 for none; a larger file is
// refused with CodeTooLarge without being read. What is reached through a
// symbolic link below root is refused, wherever in the path it stands.
func Read(root string, p memsync.Path, limit int64) ([]byte, Stat, error) {
	r := NewReader(root)
	defer r.Close()
	return r.Read(p, limit)
}

// Reader is Read for many files: it keeps the last directory open, so that
// files in the order of their paths cost one opening each. It is for one
// goroutine.
type Reader struct {
	root string
	at   memsync.Path // of dir
	dir  *folder
}

// NewReader reads below root.
func NewReader(root string) *Reader { return &Reader{root: root} }

// Close lets go of the directory.
func (r *Reader) Close() {
	if r.dir != nil {
		r.dir.close()
		r.dir = nil
	}
}

// Read is what the package's Read says.
func (r *Reader) Read(p memsync.Path, limit int64) ([]byte, Stat, error) {
	if r.dir == nil || r.at != p.Dir() {
		r.Close()
		dir, _, err := openParent(r.root, p)
		if err != nil {
			return nil, Stat{}, readError(p, err)
		}
		r.dir, r.at = dir, p.Dir()
	}
	dir, name := r.dir, p.Base()
	for range tries {
		data, before, after, err := read(dir, name, limit)
		if err != nil {
			return nil, before, readError(p, err)
		}
		if before == after && int64(len(data)) == before.Size {
			return data, before, nil
		}
	}
	return nil, Stat{}, &memsync.Error{Code: memsync.CodeIORaced, Path: p, Message: "the file is being written", Hint: "it is looked at again"}
}

var (
	errTooLarge = errors.New("too large")
	errLink     = errors.New("a symbolic link is not followed")
	errSpecial  = errors.New("not a regular file")
)

// openParent opens the directory that holds p, step by step from root.
func openParent(root string, p memsync.Path) (*folder, string, error) {
	dir, err := openRoot(root)
	if err != nil {
		return nil, "", err
	}
	rest := string(p)
	for {
		name, below, more := strings.Cut(rest, "/")
		if !more {
			return dir, name, nil
		}
		next, err := dir.folder(name)
		dir.close()
		if err != nil {
			return nil, "", err
		}
		dir, rest = next, below
	}
}

func read(dir *folder, name string, limit int64) (data []byte, before, after Stat, err error) {
	f, err := dir.open(name)
	if err != nil {
		return nil, before, after, err
	}
	defer f.Close()
	before, kind, err := f.stat()
	switch {
	case err != nil:
		return nil, before, after, err
	case kind != 0:
		return nil, before, after, errSpecial
	case limit > 0 && before.Size > limit:
		return nil, before, after, errTooLarge
	}
	data = make([]byte, before.Size)
	n, err := io.ReadFull(f, data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, before, after, err
	}
	after, _, err = f.stat()
	return data[:n], before, after, err
}

func readError(p memsync.Path, err error) error {
	switch {
	case errors.Is(err, errTooLarge):
		return &memsync.Error{Code: memsync.CodeTooLarge, Path: p, Message: "the file is larger than a memory may be",
			Hint: "split it, or raise limits.save_bytes in memsync.toml"}
	case errors.Is(err, errLink):
		return &memsync.Error{Code: memsync.CodeIORead, Path: p, Message: "a symbolic link on the way is not followed", Err: err,
			Hint: "put the file itself here"}
	case errors.Is(err, fs.ErrNotExist):
		return &memsync.Error{Code: memsync.CodeNotFound, Path: p, Message: "no such file", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &memsync.Error{Code: memsync.CodeIODenied, Path: p, Message: "not allowed to read it", Err: err,
			Hint: "check who owns the file"}
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &memsync.Error{Code: memsync.CodeIORead, Path: p, Message: "can't be read", Err: err}
}
