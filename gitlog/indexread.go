package gitlog

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"memsync"
	"memsync/internal/plainfile"
)

// readIndex reads this worktree's index; a missing one is empty.
func (r *Repo) readIndex() (*indexFile, fileStamp, error) {
	return r.readIndexInto(&indexFile{})
}

// readIndexInto is readIndex in the room of an index that is no longer used,
// which is taken as it is when nobody wrote the file since.
func (r *Repo) readIndexInto(x *indexFile) (*indexFile, fileStamp, error) {
	file := filepath.Join(r.gitDir, "index")
	stamp := stampOf(file)
	if x.stamp.ok && x.stamp == stamp {
		return x, stamp, nil
	}
	x.stamp = fileStamp{}
	data, err := readInto(x.data, file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, stamp, fault(memsync.CodeIORead, "reading the index", err)
	}
	x, err = parseIndexInto(x, data, r.kind)
	return x, stamp, err
}

// readInto is os.ReadFile into buf, or into a new buffer when that is small.
func readInto(buf []byte, file string) ([]byte, error) {
	f, err := plainfile.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(slices.Grow(buf[:0], int(info.Size())+bytes.MinRead))
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}

// tracked answers whether the index holds a path (relative to the top).
func (r *Repo) tracked() (func(name string) bool, error) {
	x, _, err := r.readIndex()
	var foreign *foreignIndex
	if err != nil && !errors.As(err, &foreign) {
		return nil, err
	}
	if err == nil && !x.incomplete() {
		return func(name string) bool { _, ok := x.find(name); return ok }, nil
	}
	if r.binary == "" {
		return nil, missing("this index (split or sparse) is read through the git binary")
	}
	out, err := r.run(context.Background(), gitCall{args: []string{"ls-files", "-z"}})
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for _, name := range strings.Split(string(out), "\x00") {
		set[name] = true
	}
	return func(name string) bool { return set[name] }, nil
}

// incomplete: not every entry stands in this file by itself.
func (x *indexFile) incomplete() bool {
	for _, e := range x.exts {
		if e.name == "link" || e.name == "sdir" {
			return true
		}
	}
	return false
}
