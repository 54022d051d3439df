//go:build unix && !linux && !darwin

package gitlog

import (
	"os"

	"golang.org/x/sys/unix"
)

func exchange(int, string, string) error { return unix.ENOSYS }

func renameNoReplace(int, string, string) error { return unix.ENOSYS }

func beingWritten(*os.File) bool { return false }
