//go:build !windows

package journal

import (
	"errors"
	"syscall"
)

// isFull reports whether err says that no room is left: on the disk, in the
// quota, or in the size a process may give a file.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// ignoreUnsupported drops the answer of a filesystem that cannot sync a
// directory.
func ignoreUnsupported(err error) error {
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
