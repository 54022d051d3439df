package gitlog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/cache"

	"memsync/internal/plainfile"
)

// nativeObjects reads loose and packed objects in this process. (go-git's own
// storage does the same, holds the indexes of all packs in memory, and brings
// its configuration parser into every start of the program.)
type nativeObjects struct {
	dir string // objects/ of the repository

	mu    sync.Mutex
	dirs  []string  // the repository's objects/ and those that it borrows from; nil until they are listed
	packs []*pack   // of all of them, the one that was read from last first
	stamp fileStamp // of the pack directory when packs were listed
	cache *cache.BufferLRU

	hurry  int          // how many callers are in the middle of many reads
	loaded int          // so many of packs, the first ones, have their index in memory; -1: nobody looked; counts while hurry > 0
	busy   sync.RWMutex // held for reading while a pack is read without mu, taken after mu
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
				path: filepath.Join(dir, "pack", name), number: int64(len(n.packs)), cache: n.cache,
			})
		}
	}
	alternates, err := plainfile.Read(filepath.Join(dir, "info", "alternates"))
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

// many has read answer faster until done is called: the indexes of packs are in
// memory, packs come before loose objects, and several goroutines read at the same
// time.
func (n *nativeObjects) many() (done func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.hurry++; n.hurry == 1 {
		n.loaded = -1
	}
	return sync.OnceFunc(func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.hurry--; n.hurry == 0 {
			n.letGo()
		}
	})
}

// letGo closes every pack; what was read of them stays in the cache.
func (n *nativeObjects) letGo() error {
	n.busy.Lock() // whoever reads ends first
	defer n.busy.Unlock()
	n.loaded = -1
	var errs []error
	for _, p := range n.packs {
		errs = append(errs, p.close())
	}
	return errors.Join(errs...)
}

// Bounds of what many holds: 32 MB are the names of a million objects.
const (
	loadedMost = 32 << 20 // bytes of indexes
	hurryPacks = 64       // packs that are open
)

// load brings indexes into memory, as far as there is room: the packs that were
// listed first.
func (n *nativeObjects) load() {
	room := int64(loadedMost)
	n.loaded = 0
	for _, p := range n.packs[:min(len(n.packs), hurryPacks)] {
		info, err := os.Stat(p.path + ".idx")
		if err != nil || info.Size() > room || p.loadIndex() != nil {
			return // find says what is wrong with it
		}
		room -= info.Size()
		n.loaded++
	}
}

// located is where an object stands in a pack whose index is in memory, nil for
// nowhere. Called with mu held.
func (n *nativeObjects) located(id oid) (*pack, int64) {
	if n.dirs == nil {
		n.list()
	}
	if n.loaded < 0 {
		n.load()
	}
	for _, p := range n.packs[:n.loaded] {
		if at, err := p.find(id); err == nil && p.open() == nil {
			return p, at
		}
	}
	return nil, 0
}

func (n *nativeObjects) read(id oid) (typ string, data []byte, err error) {
	n.mu.Lock()
	if n.hurry > 0 {
		if p, at := n.located(id); p != nil {
			n.busy.RLock()
			n.mu.Unlock()
			typ, data, err = p.at(at)
			n.busy.RUnlock()
			if err == nil {
				return typ, data, nil
			}
			n.mu.Lock() // damaged: perhaps another place has it
		}
	}
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

// changed says that this process made a pack.
func (n *nativeObjects) changed() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closeLocked()
}

// find looks in every place; errNoObject when it is in none. A file that can't
// be read is the answer only when no other place has the object.
func (n *nativeObjects) find(id oid) (string, []byte, error) {
	missing := errNoObject
	in := inflaters.Get().(*inflater)
	defer inflaters.Put(in)
	for _, dir := range n.dirs {
		switch typ, data, err := in.loose(looseIn(dir, id)); {
		case err == nil:
			return typ, data, nil
		case !errors.Is(err, fs.ErrNotExist):
			missing = err
		}
	}
	for i, p := range n.packs {
		typ, data, err := p.read(id)
		switch {
		case n.hurry > 0:
			if i >= max(openPacks, n.loaded) {
				p.close()
			}
		case err == nil:
			copy(n.packs[1:], n.packs[:i])
			n.packs[0] = p
			if i >= openPacks {
				n.packs[openPacks].close()
			}
		case i >= openPacks:
			p.close()
		}
		if err == nil {
			return typ, data, nil
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
	err := n.letGo()
	n.dirs, n.packs = nil, nil
	return err
}
