package gitlog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"memsync"
)

// CleanLocks removes what a crash of ours has left: locks with our mark whose
// process is gone, and prepared files. A half-published commit is taken back
// first, so that its files are not staged for the next person's commit. Locks
// of others stay, whatever their age. The names of removed locks are returned.
func (r *Repo) CleanLocks() ([]string, error) {
	var removed []string
	candidates := []string{filepath.Join(r.gitDir, "HEAD.lock")}
	if ref, err := readHead(r.gitDir); err == nil && ref != "" {
		candidates = append(candidates, filepath.Join(r.refDir(ref), filepath.FromSlash(ref)+".lock"))
	}
	index := filepath.Join(r.gitDir, "index.lock")
	if stale(index) {
		// The branch may have been switched since: look at all of them.
		candidates = append(candidates, branchLocks(filepath.Join(r.common, "refs", "heads"))...)
	}
	// The index lock goes last: while it is there, nobody else writes.
	for _, path := range append(candidates, index) {
		gone, err := r.removeStale(path)
		if err != nil {
			return removed, err
		}
		if gone {
			removed = append(removed, path)
		}
	}
	r.removePrepared()
	return removed, nil
}

func branchLocks(dir string) []string {
	var out []string
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".lock") {
			out = append(out, path)
		}
		return nil
	})
	return out
}

// stale reports whether path is a lock of ours whose holder is gone.
func stale(path string) bool {
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	m, ok := ParseMarker(data)
	return ok && m.Dead()
}

// removeStale removes a lock of ours whose holder is gone. Cleaners take
// turns: a stale lock that one of them has seen can then only be gone, never
// replaced by a live one, when another removes it.
func (r *Repo) removeStale(path string) (bool, error) {
	if !stale(path) {
		return false, nil
	}
	turn := flock.New(filepath.Join(r.StateDir(), "clean.lock"))
	if err := turn.Lock(); err != nil {
		return false, fault(memsync.CodeIOWrite, "cleaning up after a crash", err)
	}
	defer turn.Unlock()
	data, err := os.ReadFile(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist), nil
	}
	m, ok := ParseMarker(data)
	if !ok || !m.Dead() {
		return false, nil
	}
	if path == filepath.Join(r.gitDir, "index.lock") {
		if err := r.takeBack(m); err != nil {
			return false, err
		}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fault(memsync.CodeIOWrite, "removing "+r.short(path), err)
	}
	return true, nil
}

// takeBack undoes the index of a commit that never became the branch's. The
// dead process has left the branch's intended value.
func (r *Repo) takeBack(m Mark) error {
	entries, err := os.ReadDir(r.gitDir)
	if err != nil {
		return fault(memsync.CodeIORead, "cleaning up after a crash", err)
	}
	for _, e := range entries {
		kind, who, pid, ok := parsePrepared(e.Name())
		if !ok || kind != tipKind || pid != m.PID || who != m.who() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(r.gitDir, e.Name()))
		if err != nil {
			continue
		}
		id, ok := r.kind.parseOID(strings.TrimSpace(string(data)))
		if !ok {
			continue // the crash came before it was written: nothing was published
		}
		_, head, err := r.head()
		if err != nil {
			return err
		}
		if head == id || !r.comesFrom(head, id) {
			continue // somebody has moved on; what is staged is theirs to judge
		}
		if err := r.rollbackIndex(head, id); err != nil {
			return err
		}
	}
	return nil
}

// comesFrom reports whether a prepared commit was made on top of head, or of a
// history that has it.
func (r *Repo) comesFrom(head, id oid) bool {
	c, err := r.commitAt(id)
	switch {
	case err != nil:
		return false
	case head == "":
		return len(c.parents) == 0
	case slices.Contains(c.parents, head):
		return true
	}
	ok, err := r.IsAncestor(head.hex(), id.hex())
	return err == nil && ok
}

// rollbackIndex puts our entries back to what the commit has from which the
// branch was to be moved. The index lock is held, by us or by the dead.
func (r *Repo) rollbackIndex(from, id oid) error {
	edits, err := r.editsOf(from, id)
	if err != nil {
		return err
	}
	for i, e := range edits {
		edits[i] = indexEdit{name: e.name, prev: e.next, next: e.prev, mode: e.prevMode, prevMode: e.mode}
	}
	return r.editIndex(edits)
}

// editsOf is what a commit changed against another one ("" for none), as edits
// of the index.
func (r *Repo) editsOf(from, id oid) (edits []indexEdit, err error) {
	c, err := r.commitAt(id)
	if err != nil {
		return nil, err
	}
	var parent oid
	if from != "" {
		pc, err := r.commitAt(from)
		if err != nil {
			return nil, err
		}
		parent = pc.tree
	}
	err = r.diffTrees(parent, c.tree, "", func(name string, from, to treeItem) error {
		edits = append(edits, indexEdit{name: name, prev: oid(from.id), prevMode: from.mode, next: oid(to.id), mode: to.mode})
		return nil
	})
	slices.SortFunc(edits, byName)
	return edits, err
}

// editIndex patches the index outside of a commit. The index lock is held. An
// index that only git can write is left alone: `git reset -- PATH` mends it.
func (r *Repo) editIndex(edits []indexEdit) error {
	x, stamp, err := r.readIndex()
	if err != nil || x.foreign() != "" {
		return nil
	}
	x.dropTrees()
	parts, err := x.patch(edits, nil, indexSecond(stamp))
	if err != nil {
		return nil // a conflict: no commit can come of this index
	}
	file := r.preparedName(indexKind)
	defer os.Remove(file)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err == nil {
		err = errors.Join(parts.writeTo(f, r.kind), f.Close())
	}
	if err == nil {
		if info, serr := os.Stat(filepath.Join(r.gitDir, "index")); serr == nil {
			_ = os.Chmod(file, info.Mode().Perm())
		}
		err = os.Rename(file, filepath.Join(r.gitDir, "index"))
	}
	return fault(memsync.CodeIOWrite, "writing the index", err)
}

// forgotten is how old a prepared file of an unknown process has to be before
// it is removed; no commit takes an hour.
const forgotten = time.Hour

// removePrepared removes files that dead processes have prepared.
func (r *Repo) removePrepared() {
	entries, err := os.ReadDir(r.gitDir)
	if err != nil {
		return
	}
	self := selfMark().who()
	for _, e := range entries {
		_, who, pid, ok := parsePrepared(e.Name())
		if !ok {
			continue
		}
		dead := who == self && !alive(pid)
		if who != self {
			info, err := e.Info()
			dead = err == nil && time.Since(info.ModTime()) > forgotten
		}
		if dead {
			os.Remove(filepath.Join(r.gitDir, e.Name()))
		}
	}
}
