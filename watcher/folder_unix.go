//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package watcher

import (
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// folder is an open directory. What is below it is reached from the open
// directory, one name at a time and never through a symbolic link, so that
// nobody can put a link into a path between two looks.
type folder struct {
	file *os.File
	fd   int
}

// openRoot opens the store's root, which may be reached through links.
func openRoot(root string) (*folder, error) {
	fd, err := again(func() (int, error) { return unix.Open(root, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: root, Err: err}
	}
	return newFolder(fd, root), nil
}

func newFolder(fd int, name string) *folder {
	return &folder{file: os.NewFile(uintptr(fd), name), fd: fd}
}

// folder opens a directory in d.
func (d *folder) folder(name string) (*folder, error) {
	fd, err := again(func() (int, error) {
		return unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, d.refused(name, err)
	}
	return newFolder(fd, name), nil
}

// open opens a regular file in d. It never waits: opening a pipe would.
func (d *folder) open(name string) (*opened, error) {
	fd, err := again(func() (int, error) {
		return unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, d.refused(name, err)
	}
	return &opened{fd, name}, nil
}

// refused says whether it was a link that could not be opened; systems differ
// in the error that they give for one.
func (d *folder) refused(name string, err error) error {
	if _, kind, statErr := d.stat(name); statErr == nil && kind == fs.ModeSymlink {
		return errLink
	} else if statErr == nil && err == unix.ENOTDIR {
		err = unix.ENOENT // a file where the path wants a directory
	}
	return &fs.PathError{Op: "open", Path: name, Err: err}
}

// stat describes name itself, not what it links to; kind is its type's bits.
func (d *folder) stat(name string) (st Stat, kind fs.FileMode, err error) {
	return new(looker).at(d, name)
}

// looker is folder.stat for one name after the other in the same memory.
type looker struct{ sys unix.Stat_t }

func (l *looker) at(d *folder, name string) (st Stat, kind fs.FileMode, err error) {
	for {
		err = unix.Fstatat(d.fd, name, &l.sys, unix.AT_SYMLINK_NOFOLLOW)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil {
		return st, 0, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	st, kind = statOf(&l.sys)
	return st, kind, nil
}

// link is what a symbolic link says.
func (d *folder) link(name string) string {
	buf := make([]byte, 4096)
	n, err := unix.Readlinkat(d.fd, name, buf)
	if err != nil {
		return ""
	}
	return string(buf[:n])
}

func (d *folder) close() { d.file.Close() }

// opened is an open regular file, read without the runtime's poller, which
// costs two system calls a file and waits for nothing here.
type opened struct {
	fd   int
	name string
}

func (f *opened) Read(p []byte) (int, error) {
	n, err := again(func() (int, error) { return unix.Read(f.fd, p) })
	switch {
	case err != nil:
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: err}
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}

func (f *opened) Close() error { return unix.Close(f.fd) }

func (f *opened) stat() (st Stat, kind fs.FileMode, err error) {
	var sys unix.Stat_t
	if err := unix.Fstat(f.fd, &sys); err != nil {
		return st, 0, &fs.PathError{Op: "stat", Path: f.name, Err: err}
	}
	st, kind = statOf(&sys)
	return st, kind, nil
}

func statOf(sys *unix.Stat_t) (Stat, fs.FileMode) {
	kind := fs.ModeIrregular
	switch uint32(sys.Mode) & unix.S_IFMT {
	case unix.S_IFREG:
		kind = 0
	case unix.S_IFDIR:
		kind = fs.ModeDir
	case unix.S_IFLNK:
		kind = fs.ModeSymlink
	}
	return Stat{
		Size: sys.Size, MTime: sys.Mtim.Nano(), CTime: sys.Ctim.Nano(),
		Inode: uint64(sys.Ino), Mode: uint32(sys.Mode) & 0o7777,
	}, kind
}

// again repeats a call that a signal interrupted.
func again(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR {
			return n, err
		}
	}
}
