//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package watcher

import (
	"io/fs"
	"os"
	"path/filepath"
)

// folder is a directory, by its path. Every step looks before it opens;
// a link put in between the two is followed, which the systems without
// openat cannot prevent.
type folder struct{ path string }

func openRoot(root string) (*folder, error) {
	info, err := os.Stat(root)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: root, Err: fs.ErrInvalid}
	}
	return &folder{root}, err
}

func (d *folder) at(name string) string { return filepath.Join(d.path, name) }

func (d *folder) folder(name string) (*folder, error) {
	_, kind, err := d.stat(name)
	switch {
	case err != nil:
		return nil, err
	case kind == fs.ModeSymlink:
		return nil, errLink
	case kind != fs.ModeDir:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &folder{d.at(name)}, nil
}

func (d *folder) open(name string) (*opened, error) {
	_, kind, err := d.stat(name)
	switch {
	case err != nil:
		return nil, err
	case kind == fs.ModeSymlink:
		return nil, errLink
	case kind != 0:
		return nil, errSpecial
	}
	f, err := os.Open(d.at(name))
	if err != nil {
		return nil, err
	}
	return &opened{f}, nil
}

func (d *folder) list(_ []byte, yield func(name []byte, kind fs.FileMode)) error {
	f, err := os.Open(d.path)
	if err != nil {
		return err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	for _, name := range names {
		yield([]byte(name), fs.ModeIrregular)
	}
	return err
}

func (d *folder) stat(name string) (Stat, fs.FileMode, error) {
	info, err := os.Lstat(d.at(name))
	if err != nil {
		return Stat{}, 0, err
	}
	st, kind := statOf(info)
	return st, kind, nil
}

type looker struct{}

func (looker) at(d *folder, name string) (Stat, fs.FileMode, error) { return d.stat(name) }

func (d *folder) link(name string) string {
	to, _ := os.Readlink(d.at(name))
	return to
}

func (d *folder) close() {}

type opened struct{ *os.File }

func (f *opened) stat() (Stat, fs.FileMode, error) {
	info, err := f.Stat()
	if err != nil {
		return Stat{}, 0, err
	}
	st, kind := statOf(info)
	return st, kind, nil
}

func statOf(info fs.FileInfo) (Stat, fs.FileMode) {
	return Stat{Size: info.Size(), MTime: info.ModTime().UnixNano(), Mode: uint32(info.Mode().Perm())}, info.Mode().Type()
}
