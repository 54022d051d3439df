//go:build !windows

package journal

import (
	"errors"
	"strings"
	"syscall"
)

// isFull reports whether err says that no room is left: on the disk, in the
// quota, or in the size a process may give a file. bbolt passes some errors on
// as text only ("file resize error: …"), so the text is looked at, too.
func isFull(err error) bool {
	for _, full := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, full) || strings.HasSuffix(err.Error(), full.Error()) {
			return true
		}
	}
	return false
}

// ignoreUnsupported drops the answer of a filesystem that cannot sync a
// directory.
func ignoreUnsupported(err error) error {
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
