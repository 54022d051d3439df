//go:build !unix

package gitlog

import (
	"errors"
	"io/fs"
	"os"

	"memsync"
	"memsync/internal/plainfile"
)

// A folder is one open directory of the store. Names given to it are single
// path elements; os.Root keeps them inside, and links are refused.
type folder struct{ root *os.Root }

func openFolder(root string, dir memsync.Path, create bool) (at *folder, made []memsync.Path, err error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, nil, err
	}
	walked := memsync.Path("")
	for _, elem := range elements(dir) {
		walked = walked.Join(elem)
		info, err := r.Lstat(elem)
		if errors.Is(err, fs.ErrNotExist) && create {
			if err = r.Mkdir(elem, 0o777); err == nil {
				made = append(made, walked)
				info, err = r.Lstat(elem)
			}
		}
		if err == nil && !info.IsDir() {
			err = inTheWay(walked)
		}
		var next *os.Root
		if err == nil {
			next, err = r.OpenRoot(elem)
		}
		r.Close()
		if err != nil {
			return nil, made, err
		}
		r = next
	}
	return &folder{r}, made, nil
}

func (d *folder) close() error { return d.root.Close() }

// sync: Windows has no way to sync a directory.
func (d *folder) sync() error { return nil }

func (d *folder) read(name string) ([]byte, fs.FileInfo, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errNotRegular
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	content, err := plainfile.ReadRest(f, info.Size())
	return content, info, err
}

func (d *folder) quiet(name string) (content []byte, settled bool, err error) {
	content, _, err = d.read(name)
	return content, err == nil, err
}

func (d *folder) create(name string, like fs.FileInfo) (*os.File, error) {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil && like != nil {
		err = f.Chmod(like.Mode().Perm())
	}
	return f, err
}

func (d *folder) rename(from, to string) error { return d.root.Rename(from, to) }

func (d *folder) remove(name string) error {
	if err := d.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (d *folder) removeDir(name string) { _ = d.root.Remove(name) }

// moveAway gives a file another name and replaces nothing.
func (d *folder) moveAway(from, to string) error {
	if err := d.root.Link(from, to); err == nil {
		return d.root.Remove(from)
	} else if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := d.root.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return d.root.Rename(from, to)
}

func (d *folder) exchange(a, b string) error { return errNoExchange }

func (d *folder) names() ([]string, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}
