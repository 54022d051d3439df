package gitlog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

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
		if err := r.takeBack(m.PID); err != nil {
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
func (r *Repo) takeBack(pid int) error {
	tip := filepath.Join(r.gitDir, tipPrefix+strconv.Itoa(pid)+".tmp")
	data, err := os.ReadFile(tip)
	if err != nil {
		return nil // it was renamed over the branch, or never written
	}
	id, ok := r.kind.parseOID(strings.TrimSpace(string(data)))
	if !ok {
		return nil
	}
	_, head, err := r.head()
	if err != nil || head == id {
		return err
	}
	if c, err := r.commitAt(id); err != nil || len(c.parents) > 0 && c.parents[0] != head {
		return nil // somebody has moved on; what is staged is theirs to judge
	}
	return r.rollbackIndex(id)
}

// rollbackIndex puts our entries back to what the parent of a commit has. The
// index lock is held, by us or by the dead.
func (r *Repo) rollbackIndex(id oid) error {
	c, err := r.commitAt(id)
	if err != nil {
		return err
	}
	var parent oid
	if len(c.parents) > 0 {
		pc, err := r.commitAt(c.parents[0])
		if err != nil {
			return err
		}
		parent = pc.tree
	}
	var edits []indexEdit
	err = r.diffTrees(parent, c.tree, "", func(name string, from, to treeItem) error {
		edits = append(edits, indexEdit{name: name, prev: oid(to.id), next: oid(from.id), mode: from.mode})
		return nil
	})
	if err != nil {
		return err
	}
	x, stamp, err := r.readIndex()
	if err != nil || x.foreign() != "" {
		return nil // rewritten by git; `git reset -- PATH` by a person
	}
	// The cached trees name the commit that is not; no edit is known for them.
	for i, e := range x.exts {
		if e.name == "TREE" {
			x.exts = append(x.exts[:i:i], x.exts[i+1:]...)
			break
		}
	}
	data, err := x.patch(edits, nil, indexSecond(stamp))
	if err != nil {
		return nil
	}
	file := filepath.Join(r.gitDir, indexPrefix+strconv.Itoa(os.Getpid())+".tmp")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		return fault(memsync.CodeIOWrite, "writing the index", err)
	}
	if err := os.Rename(file, filepath.Join(r.gitDir, "index")); err != nil {
		return fault(memsync.CodeIOWrite, "writing the index", err)
	}
	return nil
}

// removePrepared removes files that dead processes have prepared.
func (r *Repo) removePrepared() {
	entries, err := os.ReadDir(r.gitDir)
	if err != nil {
		return
	}
	for _, e := range entries {
		for _, prefix := range []string{markPrefix, tipPrefix, indexPrefix} {
			rest, ok := strings.CutPrefix(e.Name(), prefix)
			if !ok {
				continue
			}
			pid, err := strconv.Atoi(strings.TrimSuffix(rest, ".tmp"))
			if err == nil && !alive(pid) {
				os.Remove(filepath.Join(r.gitDir, e.Name()))
			}
		}
	}
}
