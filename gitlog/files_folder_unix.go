//go:build unix

package gitlog

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"memsync"
	"memsync/internal/plainfile"
)

// A folder is one open directory of the store. Names given to it are single
// path elements and never followed when they are symbolic links; the directory
// itself was reached without one.
type folder struct{ f *os.File }

// openFolder opens dir below root, making what is missing when create is set.
// Made are the directories that were, outermost first.
func openFolder(root string, dir memsync.Path, create bool) (at *folder, made []memsync.Path, err error) {
	f, err := os.Open(root)
	if err != nil {
		return nil, nil, err
	}
	walked := memsync.Path("")
	for _, elem := range elements(dir) {
		walked = walked.Join(elem)
		fd, err := openDirAt(f, elem)
		if errors.Is(err, unix.ENOENT) && create {
			if err = unix.Mkdirat(int(f.Fd()), elem, 0o777); err == nil {
				made = append(made, walked)
				err = f.Sync() // the new name is worth nothing before its directory is durable
			} else if errors.Is(err, unix.EEXIST) {
				err = nil
			}
			if err == nil {
				fd, err = openDirAt(f, elem)
			}
		}
		f.Close()
		if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) {
			return nil, made, inTheWay(walked)
		}
		if err != nil {
			return nil, made, &fs.PathError{Op: "open", Path: string(walked), Err: err}
		}
		f = os.NewFile(uintptr(fd), string(walked))
	}
	return &folder{f}, made, nil
}

func openDirAt(at *os.File, name string) (int, error) {
	return retry(func() (int, error) {
		return unix.Openat(int(at.Fd()), name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
}

func retry[T any](do func() (T, error)) (T, error) {
	for {
		v, err := do()
		if !errors.Is(err, unix.EINTR) {
			return v, err
		}
	}
}

func (d *folder) close() error { return d.f.Close() }

func (d *folder) sync() error {
	if err := d.f.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}

// read is a regular file's bytes and what fstat said before. A link or special
// file is errNotRegular, whatever it leads to.
func (d *folder) read(name string) ([]byte, fs.FileInfo, error) {
	f, info, err := d.open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	content, err := plainfile.ReadRest(f, info.Size())
	return content, info, err
}

func (d *folder) open(name string) (*os.File, fs.FileInfo, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(int(d.f.Fd()), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	switch {
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.EMLINK), errors.Is(err, unix.ENXIO):
		return nil, nil, errNotRegular
	case err != nil:
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f := os.NewFile(uintptr(fd), name)
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// quiet is read for a file that was just taken away from its name: settled is
// false while somebody still has it open for writing and may add to it.
func (d *folder) quiet(name string) (content []byte, settled bool, err error) {
	f, info, err := d.open(name)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	if beingWritten(f) {
		return nil, false, nil
	}
	content, err = plainfile.ReadRest(f, info.Size())
	return content, err == nil, err
}

// create makes a new file that must not be there. Like gives mode and owner.
func (d *folder) create(name string, like fs.FileInfo) (*os.File, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(int(d.f.Fd()), name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o666)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: err}
	}
	f := os.NewFile(uintptr(fd), name)
	if like == nil {
		return f, nil
	}
	if st, ok := like.Sys().(*syscall.Stat_t); ok {
		var own unix.Stat_t
		if unix.Fstat(fd, &own) == nil && (own.Uid != st.Uid || own.Gid != st.Gid) {
			_ = unix.Fchown(fd, int(st.Uid), int(st.Gid)) // a group we are in, or we are root; else it stays ours
		}
	}
	if err := f.Chmod(like.Mode().Perm()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (d *folder) rename(from, to string) error {
	return unix.Renameat(int(d.f.Fd()), from, int(d.f.Fd()), to)
}

func (d *folder) remove(name string) error {
	err := unix.Unlinkat(int(d.f.Fd()), name, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	return err
}

// removeDir removes an empty directory; one that is not empty stays.
func (d *folder) removeDir(name string) { _ = unix.Unlinkat(int(d.f.Fd()), name, unix.AT_REMOVEDIR) }

// moveAway gives a file another name and replaces nothing: EEXIST when the name
// is taken.
func (d *folder) moveAway(from, to string) error {
	err := renameNoReplace(int(d.f.Fd()), from, to)
	if !unsupported(err) {
		return err
	}
	// A hard link refuses a name that is taken, too.
	switch err := unix.Linkat(int(d.f.Fd()), from, int(d.f.Fd()), to, 0); {
	case err == nil:
		return unix.Unlinkat(int(d.f.Fd()), from, 0)
	case !unsupported(err) && !errors.Is(err, unix.EPERM):
		return err
	}
	// FAT and its kind have neither: look, then rename. What is saved in
	// between is lost, the one window that is left.
	var st unix.Stat_t
	if err := unix.Fstatat(int(d.f.Fd()), to, &st, unix.AT_SYMLINK_NOFOLLOW); err == nil {
		return unix.EEXIST
	} else if !errors.Is(err, unix.ENOENT) {
		return err
	}
	return d.rename(from, to)
}

// exchange swaps two names in one step; errNoExchange where the system or the
// file system cannot.
func (d *folder) exchange(a, b string) error {
	if noExchange {
		return errNoExchange
	}
	err := exchange(int(d.f.Fd()), a, b)
	if unsupported(err) {
		return errNoExchange
	}
	return err
}

func unsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EOPNOTSUPP)
}

// names lists what is in the directory.
func (d *folder) names() ([]string, error) {
	if _, err := d.f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return d.f.Readdirnames(-1)
}
