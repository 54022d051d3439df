package gitlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"memsync"
)

// objectReader gives the bytes of objects by name.
type objectReader interface {
	// read gives type and content, which the caller must not change. A missing
	// object is errNoObject.
	read(id oid) (typ string, data []byte, err error)
	// many says that many reads come until done is called.
	many() (done func())
	// changed says that this process wrote a pack.
	changed()
	close() error
}

var errNoObject = errors.New("object not found")

// newObjectReader reads through go-git, and through the git binary what go-git
// cannot: sha256, objects that a partial clone has not fetched yet.
func (r *Repo) newObjectReader() objectReader {
	set := r.config()
	native := &nativeObjects{dir: filepath.Join(r.common, "objects")}
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

// ManyReads makes reading many objects, by any number of goroutines, fast until
// done is called. It costs some memory meanwhile.
func (r *Repo) ManyReads() (done func()) { return r.objects.many() }

// looseFile is where an object lies when it is not packed.
func looseFile(common string, id oid) string { return looseIn(filepath.Join(common, "objects"), id) }

func looseIn(objects string, id oid) string {
	h := id.hex()
	return filepath.Join(objects, h[:2], h[2:])
}
