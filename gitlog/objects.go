package gitlog

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"

	"memsync"
)

// objectReader gives the bytes of objects by name.
type objectReader interface {
	// read gives type and content, which the caller must not change. A missing
	// object is errNoObject.
	read(id oid) (typ string, data []byte, err error)
	close() error
}

var errNoObject = errors.New("object not found")

// newObjectReader reads through go-git, and through the git binary what go-git
// cannot: sha256, objects that a partial clone has not fetched yet.
func (r *Repo) newObjectReader() objectReader {
	set := r.config()
	native := &nativeObjects{gitDir: r.gitDir, common: r.common}
	if r.kind.size != kindSHA1.size {
		return &catFile{r: r}
	}
	if set.promisor() && r.binary != "" {
		return &lazyObjects{nativeObjects: native, fetch: &catFile{r: r}}
	}
	return native
}

// promisor: some objects are still at a remote that has promised them.
func (s *settings) promisor() bool {
	for key := range s.values {
		if strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".promisor") && s.truth(key, false) {
			return true
		}
	}
	return s.has("extensions.partialclone")
}

// cacheBytes bounds what is kept of packed objects. A store's trees are a few
// kilobytes each; 8 MiB hold the hot ones of a large store several times over.
const cacheBytes = 8 * cache.MiByte

// nativeObjects reads loose and packed objects in this process.
type nativeObjects struct {
	gitDir, common string

	mu    sync.Mutex // go-git's storage is for one goroutine
	store *filesystem.ObjectStorage
	packs fileStamp // of the pack directory when store was opened
}

func (n *nativeObjects) open() {
	n.closeLocked()
	root := osfs.New("/", osfs.WithBoundOS())
	fs := dotgit.NewRepositoryFilesystem(osfs.New(n.gitDir), osfs.New(n.common))
	n.packs = stampOf(filepath.Join(n.common, "objects", "pack"))
	n.store = filesystem.NewObjectStorageWithOptions(
		dotgit.NewWithOptions(fs, dotgit.Options{AlternatesFS: root}),
		cache.NewObjectLRU(cacheBytes),
		filesystem.Options{KeepDescriptors: true, AlternatesFS: root})
}

func (n *nativeObjects) read(id oid) (typ string, data []byte, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	fresh := false
	if n.store == nil {
		n.open()
		fresh = true
	}
	var h plumbing.Hash
	copy(h[:], id)
	typ, data, err = n.fetch(h)
	// Somebody's gc moves objects to packs that were not there when the list of
	// packs was read.
	if err != nil && !fresh && !n.packs.current() {
		n.open()
		typ, data, err = n.fetch(h)
	}
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		err = errNoObject
	}
	return typ, data, err
}

func (n *nativeObjects) fetch(h plumbing.Hash) (string, []byte, error) {
	obj, err := n.store.EncodedObject(plumbing.AnyObject, h)
	if err != nil {
		return "", nil, err
	}
	rd, err := obj.Reader()
	if err != nil {
		return "", nil, err
	}
	defer rd.Close()
	data := make([]byte, obj.Size())
	if _, err := io.ReadFull(rd, data); err != nil {
		return "", nil, err
	}
	return obj.Type().String(), data, nil
}

func (n *nativeObjects) close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.closeLocked()
}

func (n *nativeObjects) closeLocked() error {
	if n.store == nil {
		return nil
	}
	err := n.store.Close()
	n.store = nil
	return err
}

// lazyObjects asks the binary, which fetches, for what a partial clone lacks.
type lazyObjects struct {
	*nativeObjects
	fetch *catFile
}

func (l *lazyObjects) read(id oid) (string, []byte, error) {
	typ, data, err := l.nativeObjects.read(id)
	if errors.Is(err, errNoObject) {
		return l.fetch.read(id)
	}
	return typ, data, err
}

func (l *lazyObjects) close() error { return errors.Join(l.nativeObjects.close(), l.fetch.close()) }

// madeMost bounds what is remembered of a commit's own trees. The next commit
// shares most of their names with this one: five objects that need not be
// unpacked again.
const madeMost = 256 << 10 // bytes

// remember keeps the trees and the commit of the last commit made here.
func (r *Repo) remember(objs []newObject) {
	made, room := map[oid]newObject{}, madeMost
	for _, o := range objs {
		if o.typ != typeBlob && len(o.data) <= room {
			made[o.id] = o
			room -= len(o.data)
		}
	}
	r.made.Store(&made)
}

// object reads one object of a known type. The caller must not change it.
func (r *Repo) object(id oid, want string) ([]byte, error) {
	if made := r.made.Load(); made != nil {
		if o, ok := (*made)[id]; ok && o.typ == want {
			return o.data, nil
		}
	}
	typ, data, err := r.objects.read(id)
	if err != nil {
		if errors.Is(err, errNoObject) {
			return nil, &memsync.Error{Code: memsync.CodeGitCorrupt,
				Message: "git object " + id.hex() + " (" + want + ") is missing",
				Hint:    "nothing was changed; run `git fsck`"}
		}
		if memsync.CodeOf(err) != memsync.CodeInternal {
			return nil, err
		}
		if errors.Is(err, os.ErrPermission) {
			return nil, fault(memsync.CodeIORead, "reading git object "+id.hex(), err)
		}
		return nil, corrupt("reading git object "+id.hex(), err)
	}
	if typ != want {
		return nil, corrupt(fmt.Sprintf("git object %s is a %s, not a %s", id.hex(), typ, want), nil)
	}
	return data, nil
}

// Blob is the content of a blob, whatever conversions a checkout would apply.
// The caller owns the bytes.
func (r *Repo) Blob(id string) ([]byte, error) {
	o, ok := r.kind.parseOID(id)
	if !ok {
		return nil, &memsync.Error{Code: memsync.CodeUsage, Message: "not a git object id: " + id}
	}
	return r.object(o, typeBlob)
}

// looseFile is where an object lies when it is not packed.
func looseFile(common string, id oid) string {
	h := id.hex()
	return filepath.Join(common, "objects", h[:2], h[2:])
}
