//go:build !unix

package gitlog

import (
	"io/fs"
	"os"
)

func inode(fs.FileInfo) uint64 { return 0 }

func isNotDir(error) bool { return false }

// alive reports whether a process with that id exists.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	p.Release()
	return true
}
