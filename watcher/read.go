package watcher

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"memsync"
)

// tries is how often a file that changes while it is read is read again.
const tries = 4

// Read gives a file's bytes and the stat they belong to: the stat is the same
// before and after reading. limit is in bytes, 0 for none; a larger file is
// refused with CodeTooLarge without being read. A symbolic link is refused.
func Read(root string, p memsync.Path, limit int64) ([]byte, Stat, error) {
	full := filepath.Join(root, filepath.FromSlash(string(p)))
	for try := 1; ; try++ {
		data, before, after, err := read(full, limit)
		if err != nil {
			return nil, before, readError(p, err)
		}
		if before == after || try == tries {
			if before != after {
				return nil, before, &memsync.Error{Code: memsync.CodeIORaced, Path: p, Message: "the file is being written",
					Hint: "it is looked at again"}
			}
			return data, before, nil
		}
	}
}

var errTooLarge = errors.New("too large")

func read(full string, limit int64) (data []byte, before, after Stat, err error) {
	f, err := openNoFollow(full)
	if err != nil {
		return nil, before, after, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, before, after, err
	}
	before = statOf(info)
	if !info.Mode().IsRegular() {
		return nil, before, after, errors.New("no regular file")
	}
	if limit > 0 && info.Size() > limit {
		return nil, before, after, errTooLarge
	}
	data = make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, before, after, err
	}
	data = data[:n]
	if info, err = f.Stat(); err != nil {
		return nil, before, after, err
	}
	return data, before, statOf(info), nil
}

func readError(p memsync.Path, err error) error {
	switch {
	case errors.Is(err, errTooLarge):
		return &memsync.Error{Code: memsync.CodeTooLarge, Path: p, Message: "the file is larger than a memory may be",
			Hint: "split it, or raise limits.save_bytes in memsync.toml"}
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
