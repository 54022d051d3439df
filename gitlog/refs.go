package gitlog

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"memsync"
	"memsync/internal/plainfile"
)

// readHead is the name of the ref that HEAD stands for, or "" when HEAD is a
// commit.
func readHead(gitDir string) (ref string, err error) {
	data, err := plainfile.Read(filepath.Join(gitDir, "HEAD"))
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(data))
	if to, ok := strings.CutPrefix(text, "ref:"); ok {
		return strings.TrimSpace(to), nil
	}
	return "", nil
}

// head reads HEAD: the full name of its branch ("" when detached) and its
// commit ("" for an unborn branch).
func (r *Repo) head() (ref string, id oid, err error) {
	if r.reftable() {
		return r.headByGit()
	}
	ref, err = readHead(r.gitDir)
	if err != nil {
		return "", "", fault(memsync.CodeIORead, "reading HEAD", err)
	}
	if ref == "" {
		data, err := plainfile.Read(filepath.Join(r.gitDir, "HEAD"))
		if err != nil {
			return "", "", fault(memsync.CodeIORead, "reading HEAD", err)
		}
		id, ok := r.kind.parseOID(strings.TrimSpace(string(data)))
		if !ok {
			return "", "", corrupt("HEAD is neither a branch nor a commit", nil)
		}
		return "", id, nil
	}
	id, _, err = r.readRef(ref)
	return ref, id, err
}

// readRef is the value of a ref, "" where there is none. A ref that points on
// to another one is followed; symbolic says so.
func (r *Repo) readRef(ref string) (id oid, symbolic bool, err error) {
	for depth := 0; depth < 5; depth++ {
		data, err := plainfile.Read(filepath.Join(r.refDir(ref), filepath.FromSlash(ref)))
		if err != nil {
			if !isAbsent(err) {
				return "", symbolic, fault(memsync.CodeIORead, "reading "+ref, err)
			}
			id, err := r.packedRef(ref)
			return id, symbolic, err
		}
		text := strings.TrimSpace(string(data))
		if to, ok := strings.CutPrefix(text, "ref:"); ok {
			ref, symbolic = strings.TrimSpace(to), true
			continue
		}
		id, ok := r.kind.parseOID(text)
		if !ok {
			return "", symbolic, corrupt(ref+" does not hold a commit", nil)
		}
		return id, symbolic, nil
	}
	return "", true, corrupt(ref+" points in a circle", nil)
}

// isAbsent: a ref may be absent because a parent of its name is a file.
func isAbsent(err error) bool {
	return os.IsNotExist(err) || isNotDir(err)
}

// refDir is the directory below which a ref lives: a few belong to the
// worktree alone.
func (r *Repo) refDir(ref string) string {
	for _, own := range []string{"refs/bisect/", "refs/worktree/", "refs/rewritten/"} {
		if strings.HasPrefix(ref, own) {
			return r.gitDir
		}
	}
	if !strings.HasPrefix(ref, "refs/") {
		return r.gitDir
	}
	return r.common
}

// packedRefs is the content of packed-refs while the file stays the same.
type packedRefs struct {
	stamp fileStamp
	data  []byte
}

// packedRef looks a ref up in packed-refs.
func (r *Repo) packedRef(ref string) (oid, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	file := filepath.Join(r.common, "packed-refs")
	stamp := stampOf(file)
	if stamp != r.packed.stamp || !stamp.ok {
		r.packed = packedRefs{stamp: stamp}
		if stamp.ok {
			data, err := plainfile.Read(file)
			if err != nil && !os.IsNotExist(err) {
				return "", fault(memsync.CodeIORead, "reading packed-refs", err)
			}
			r.packed.data = data
		}
	}
	return r.kind.packedRef(r.packed.data, ref), nil
}

// packedRef is the value of a ref in the content of packed-refs, "" for none.
func (k hashKind) packedRef(data []byte, ref string) oid {
	needle := []byte(" " + ref + "\n")
	for {
		i := bytes.Index(data, needle)
		if i < 0 {
			return ""
		}
		start := bytes.LastIndexByte(data[:i], '\n') + 1
		if id, ok := k.parseOID(string(data[start:i])); ok {
			return id
		}
		data = data[i+len(needle):]
	}
}

// refNames yields every ref below prefix ("refs/heads/"), loose and packed,
// for finding what somebody called by its short name.
func (r *Repo) refExists(ref string) (oid, bool) {
	id, _, err := r.readRef(ref)
	return id, err == nil && id != ""
}
