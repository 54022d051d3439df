package gitlog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/cache"
)

// nativeObjects reads loose and packed objects in this process. (go-git's own
// storage does the same, holds the indexes of all packs in memory, and brings
// its configuration parser into every start of the program.)
type nativeObjects struct {
	dir string // objects/ of the repository

	mu      sync.Mutex // a pack's reader is for one goroutine
	dirs    []string   // the repository's objects/ and those that it borrows from; nil until they are listed
	packs   []*pack    // of all of them, the one that was read from last first
	stamp   fileStamp  // of the pack directory when packs were listed
	cache   *cache.BufferLRU
	inflate inflater
}

// cacheBytes bounds what is kept of packed objects. A store's trees are a few
// kilobytes each; 8 MiB hold the hot ones of a large store several times over.
const cacheBytes = 8 * cache.MiByte

// openPacks is how many packs stay open: reads that follow each other go to the
// same few.
const openPacks = 2

// borrowedMost is how deep repositories may borrow from each other: git's own
// bound.
const borrowedMost = 5

// list finds the directories and their packs anew.
func (n *nativeObjects) list() {
	n.closeLocked()
	n.stamp = stampOf(filepath.Join(n.dir, "pack"))
	n.cache = cache.NewBufferLRU(cacheBytes)
	n.add(n.dir, 0)
}

func (n *nativeObjects) add(dir string, depth int) {
	n.dirs = append(n.dirs, dir)
	entries, _ := os.ReadDir(filepath.Join(dir, "pack")) // none is no packs
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".idx"); ok && strings.HasPrefix(name, "pack-") {
			n.packs = append(n.packs, &pack{
				path: filepath.Join(dir, "pack", name), number: int64(len(n.packs)), cache: n.cache, inflate: &n.inflate,
			})
		}
	}
	alternates, err := os.ReadFile(filepath.Join(dir, "info", "alternates"))
	if err != nil || depth == borrowedMost {
		return
	}
	for line := range strings.Lines(string(alternates)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(dir, line)
		}
		n.add(line, depth+1)
	}
}

func (n *nativeObjects) read(id oid) (typ string, data []byte, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	fresh := false
	if n.dirs == nil {
		n.list()
		fresh = true
	}
	typ, data, err = n.find(id)
	// Somebody's gc moves objects to packs that were not there when the list of
	// packs was read.
	if err != nil && !fresh && !n.stamp.current() {
		n.list()
		typ, data, err = n.find(id)
	}
	return typ, data, err
}

// find looks in every place; errNoObject when it is in none. A file that can't
// be read is the answer only when no other place has the object.
func (n *nativeObjects) find(id oid) (string, []byte, error) {
	missing := errNoObject
	for _, dir := range n.dirs {
		switch typ, data, err := n.inflate.loose(looseIn(dir, id)); {
		case err == nil:
			return typ, data, nil
		case !errors.Is(err, fs.ErrNotExist):
			missing = err
		}
	}
	for i, p := range n.packs {
		typ, data, err := p.read(id)
		if err == nil {
			copy(n.packs[1:], n.packs[:i])
			n.packs[0] = p
			if i >= openPacks {
				n.packs[openPacks].close()
			}
			return typ, data, nil
		}
		if i >= openPacks {
			p.close()
		}
		if err != errNoObject {
			missing = err
		}
	}
	return "", nil, missing
}

func (n *nativeObjects) close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.closeLocked()
}

func (n *nativeObjects) closeLocked() error {
	var errs []error
	for _, p := range n.packs {
		errs = append(errs, p.close())
	}
	n.dirs, n.packs = nil, nil
	return errors.Join(errs...)
}
