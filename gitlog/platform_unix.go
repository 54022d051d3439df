//go:build unix

package gitlog

import (
	"errors"
	"io/fs"
	"syscall"
)

// inode is the number by which the file system knows a file.
func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino)
	}
	return 0
}

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// alive reports whether a process with that id exists.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
