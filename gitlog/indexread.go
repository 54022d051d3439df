package gitlog

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"memsync"
)

// readIndex reads this worktree's index; a missing one is empty.
func (r *Repo) readIndex() (*indexFile, fileStamp, error) {
	file := filepath.Join(r.gitDir, "index")
	stamp := stampOf(file)
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, stamp, fault(memsync.CodeIORead, "reading the index", err)
	}
	x, err := parseIndex(data, r.kind)
	return x, stamp, err
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
