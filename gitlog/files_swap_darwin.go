package gitlog

import (
	"os"

	"golang.org/x/sys/unix"
)

func exchange(dir int, a, b string) error {
	return unix.RenameatxNp(dir, a, dir, b, unix.RENAME_SWAP)
}

func renameNoReplace(dir int, from, to string) error {
	return unix.RenameatxNp(dir, from, dir, to, unix.RENAME_EXCL)
}

// beingWritten: macOS cannot say.
func beingWritten(*os.File) bool { return false }
