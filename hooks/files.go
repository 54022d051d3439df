package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"memsync"
)

// failed is an error of the disk.
func failed(what string, err error) error {
	if err == nil {
		return nil
	}
	code := memsync.CodeIOWrite
	if errors.Is(err, fs.ErrPermission) {
		code = memsync.CodeIODenied
	}
	return &memsync.Error{Code: code, Message: what, Err: err, Hint: "what was there is as it was; run the command again"}
}

// made is the mode of a script of ours: the rest is the umask's.
const made fs.FileMode = 0o777

// put makes name hold data, whole or not at all: a new file beside it, synced,
// renamed over it. A mode other than made is kept exactly.
func put(name string, data []byte, mode fs.FileMode) (err error) {
	f, err := os.OpenFile(temporary(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err == nil && mode != made {
		err = f.Chmod(mode)
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), name); err != nil {
		return err
	}
	syncDir(filepath.Dir(name))
	return nil
}

// temporary is a name beside name that no other living process uses.
func temporary(name string) string {
	tmp := fmt.Sprintf("%s.memsync-%d.tmp", name, os.Getpid())
	os.Remove(tmp)
	return tmp
}

// double gives a hook a second name, so that the first can be taken by another
// file without a moment in which there is none. A link stays a link. Where a file
// can't have two names it is copied, synced.
func double(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	if !info.Mode().IsRegular() {
		return errors.New(from + " is no file")
	}
	if os.Link(from, to) == nil {
		syncDir(filepath.Dir(to))
		return nil
	}
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return put(to, data, info.Mode().Perm())
}

// alike reports whether two names have the same hook: one file, two links to the
// same place, or equal bytes and modes.
func alike(a, b string) bool {
	x, errA := os.Lstat(a)
	y, errB := os.Lstat(b)
	if errA != nil || errB != nil || x.Mode() != y.Mode() {
		return false
	}
	if x.Mode()&fs.ModeSymlink != 0 {
		to, errA := os.Readlink(a)
		too, errB := os.Readlink(b)
		return errA == nil && errB == nil && to == too
	}
	if os.SameFile(x, y) {
		return true
	}
	p, errA := os.ReadFile(a)
	q, errB := os.ReadFile(b)
	return errA == nil && errB == nil && bytes.Equal(p, q)
}

// aside is a free name for a script that somebody changed.
func aside(name string) string {
	for i := 1; ; i++ {
		to := name + ".memsync-kept"
		if i > 1 {
			to = fmt.Sprintf("%s-%d", to, i)
		}
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return to
		}
	}
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func removeIf(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncDir makes names last. Not every system can, and none needs it for more than
// a power cut.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
