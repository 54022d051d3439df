package gitlog

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"memsync"
)

// follow brings along what the swap of plain files leaves: links, files where a
// directory was and the other way about, executable bits. Each is changed only
// while it is what the branch had, and nothing outside of the store is ever
// reached. Submodules are left to `git submodule`.
func (l *Log) follow(ctx context.Context, p *memsync.Plan, edits []*fileEdit) error {
	apart := setApart(edits)
	var root *os.Root
	for _, e := range edits {
		_, dirty := p.Dirty[memsync.Path(e.name)]
		flips := e.blob != "" && (e.mode == modeExec) != (e.prevMode == modeExec) && e.mode != modeSymlink && e.mode != modeModule
		if dirty || !apart[e.name] && !flips || e.prevMode == modeModule {
			continue
		}
		if root == nil {
			var err error
			if root, err = os.OpenRoot(l.Repo.Root()); err != nil {
				return fault(memsync.CodeIOWrite, "opening the store", err)
			}
			defer root.Close()
		}
		f := follower{l.Repo, ctx, root, p.ID}
		var err error
		if apart[e.name] {
			err = f.replace(e)
		}
		if err == nil && flips {
			err = f.flip(e)
		}
		if err != nil {
			return fault(memsync.CodeIOWrite, "writing "+e.name, err)
		}
	}
	return nil
}

type follower struct {
	r    *Repo
	ctx  context.Context
	root *os.Root
	plan memsync.ID
}

// is reports whether the disk has a version of a tree at a path.
func (f follower) is(name string, blob oid, mode uint32) (bool, error) {
	file := filepath.FromSlash(name)
	info, err := f.root.Lstat(file)
	if isAbsent(err) {
		return blob == "", nil
	}
	if err != nil || blob == "" {
		// An empty directory is nothing to git.
		return blob == "" && err == nil && info.IsDir() && f.empty(file), err
	}
	if mode == modeSymlink {
		if info.Mode().Type() != fs.ModeSymlink {
			return false, nil
		}
		to, err := f.root.Readlink(file)
		if err != nil {
			return false, err
		}
		want, err := f.r.object(blob, typeBlob)
		return to == string(want), err
	}
	if !info.Mode().IsRegular() {
		return false, nil
	}
	now, err := f.root.ReadFile(file)
	if err != nil {
		return false, err
	}
	want, err := f.r.checkedOut(f.ctx, f.r.attributes(), name, blob)
	return bytes.Equal(now, want), err
}

// empty removes a directory that has no files, directories in it included.
func (f follower) empty(dir string) bool {
	d, err := f.root.Open(dir)
	if err != nil {
		return false
	}
	entries, err := d.ReadDir(-1)
	d.Close()
	if err != nil {
		return false
	}
	for _, e := range entries {
		if !e.IsDir() || !f.empty(filepath.Join(dir, e.Name())) {
			return false
		}
	}
	return f.root.Remove(dir) == nil
}

// replace brings one file from what the branch had to what it has.
func (f follower) replace(e *fileEdit) error {
	if e.mode != modeModule {
		if there, err := f.is(e.name, e.blob, e.mode); err != nil || there {
			return err
		}
	}
	if old, err := f.is(e.name, e.prev, e.prevMode); err != nil || !old {
		return err // somebody's own by now
	}
	file := filepath.FromSlash(e.name)
	switch {
	case e.blob == "":
		return f.root.Remove(file)
	case e.mode == modeModule && e.prev == "":
		return f.root.MkdirAll(file, 0o777) // its place, as git makes it
	case e.mode == modeModule:
		return nil
	}
	if dir := path.Dir(e.name); dir != "." {
		if err := f.root.MkdirAll(filepath.FromSlash(dir), 0o777); err != nil {
			if errors.Is(err, fs.ErrExist) || isNotDir(err) {
				return nil // something is in the way that somebody saved
			}
			return err
		}
	}
	tmp := filepath.Join(filepath.Dir(file), besidePrefix+string(f.plan)+"-0.tmp")
	if err := f.root.Remove(tmp); err != nil && !isAbsent(err) {
		return err
	}
	if e.mode == modeSymlink {
		to, err := f.r.object(e.blob, typeBlob)
		if err != nil {
			return err
		}
		if err := f.root.Symlink(string(to), tmp); err != nil {
			return err
		}
	} else {
		data, err := f.r.checkedOut(f.ctx, f.r.attributes(), e.name, e.blob)
		if err != nil {
			return err
		}
		if err := f.root.WriteFile(tmp, data, 0o666); err != nil {
			return err
		}
	}
	return f.root.Rename(tmp, file)
}

// flip sets or clears the executable bits of a file that is the branch's.
func (f follower) flip(e *fileEdit) error {
	if there, err := f.is(e.name, e.blob, e.mode); err != nil || !there {
		return err
	}
	file := filepath.FromSlash(e.name)
	info, err := f.root.Lstat(file)
	if err != nil {
		return err
	}
	mode := info.Mode().Perm() &^ 0o111
	if e.mode == modeExec {
		mode |= mode >> 2 & 0o111
	}
	return f.root.Chmod(file, mode)
}

// isDirectory reports whether a directory of the store, no link, is there.
func isDirectory(root string, p memsync.Path) bool {
	info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(string(p))))
	return err == nil && info.IsDir()
}
