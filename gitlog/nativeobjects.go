package gitlog

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// nativeObjects reads loose and packed objects in this process, with go-git's
// readers of each format. (go-git's own storage does the same, and brings its
// configuration parser into every start of the program.)
type nativeObjects struct {
	dir string // objects/ of the repository

	mu    sync.Mutex // a pack's reader is for one goroutine
	dirs  []objectDir
	cache cache.Object
	packs fileStamp // of the pack directory when dirs were listed
}

// objectDir is an object directory: the repository's, or one that it borrows
// from.
type objectDir struct {
	path  string
	packs []*pack
}

// pack is opened when an object is first looked for in it.
type pack struct {
	path  string // without an ending
	index *idxfile.MemoryIndex
	file  billy.File
	reads *packfile.Packfile
}

// cacheBytes bounds what is kept of packed objects. A store's trees are a few
// kilobytes each; 8 MiB hold the hot ones of a large store several times over.
const cacheBytes = 8 * cache.MiByte

// borrowedMost is how deep repositories may borrow from each other: git's own
// bound.
const borrowedMost = 5

// list finds the directories and their packs anew.
func (n *nativeObjects) list() {
	n.closeLocked()
	n.packs = stampOf(filepath.Join(n.dir, "pack"))
	n.cache = cache.NewObjectLRU(cacheBytes)
	n.add(n.dir, 0)
}

func (n *nativeObjects) add(dir string, depth int) {
	d := objectDir{path: dir}
	entries, _ := os.ReadDir(filepath.Join(dir, "pack")) // none is no packs
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".idx"); ok && strings.HasPrefix(name, "pack-") {
			d.packs = append(d.packs, &pack{path: filepath.Join(dir, "pack", name)})
		}
	}
	n.dirs = append(n.dirs, d)
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
	if err != nil && !fresh && !n.packs.current() {
		n.list()
		typ, data, err = n.find(id)
	}
	return typ, data, err
}

// find looks in every place; errNoObject when it is in none. A file that can't
// be read is the answer only when no other place has the object.
func (n *nativeObjects) find(id oid) (string, []byte, error) {
	missing := errNoObject
	var h plumbing.Hash
	copy(h[:], id)
	for _, d := range n.dirs {
		switch typ, data, err := readLoose(looseIn(d.path, id)); {
		case err == nil:
			return typ, data, nil
		case !errors.Is(err, fs.ErrNotExist):
			missing = err
		}
		for _, p := range d.packs {
			typ, data, err := p.read(h, n.cache)
			switch {
			case err == nil:
				return typ, data, nil
			case !errors.Is(err, plumbing.ErrObjectNotFound):
				missing = err
			}
		}
	}
	return "", nil, missing
}

// readLoose reads an object that is a file of its own.
func readLoose(file string) (typ string, data []byte, err error) {
	f, err := os.Open(file)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	r, err := objfile.NewReader(f)
	if err != nil {
		return "", nil, err
	}
	defer r.Close()
	t, size, err := r.Header()
	if err != nil {
		return "", nil, err
	}
	data, err = readExactly(r, size)
	return t.String(), data, err
}

// readExactly reads an object of that size. What a broken header claims is not
// believed before the bytes are there.
func readExactly(r io.Reader, size int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, size+1))
	if err == nil && int64(len(data)) != size {
		err = io.ErrUnexpectedEOF
	}
	return data, err
}

func (p *pack) open(c cache.Object) error {
	if p.reads != nil {
		return nil
	}
	idx, err := os.Open(p.path + ".idx")
	if err != nil {
		return err
	}
	defer idx.Close()
	index := idxfile.NewMemoryIndex()
	if err := idxfile.NewDecoder(idx).Decode(index); err != nil {
		return err
	}
	file, err := osfs.New(filepath.Dir(p.path)).Open(filepath.Base(p.path) + ".pack")
	if err != nil {
		return err
	}
	p.index, p.file, p.reads = index, file, packfile.NewPackfileWithCache(index, nil, file, c, 0)
	return nil
}

func (p *pack) read(h plumbing.Hash, c cache.Object) (typ string, data []byte, err error) {
	if err := p.open(c); err != nil {
		return "", nil, err
	}
	obj, err := p.reads.Get(h)
	if err != nil {
		return "", nil, err
	}
	r, err := obj.Reader()
	if err != nil {
		return "", nil, err
	}
	defer r.Close()
	data, err = readExactly(r, obj.Size())
	return obj.Type().String(), data, err
}

func (n *nativeObjects) close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.closeLocked()
}

func (n *nativeObjects) closeLocked() error {
	var errs []error
	for _, d := range n.dirs {
		for _, p := range d.packs {
			if p.file != nil {
				errs = append(errs, p.file.Close())
			}
		}
	}
	n.dirs = nil
	return errors.Join(errs...)
}
