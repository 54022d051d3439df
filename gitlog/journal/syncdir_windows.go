package journal

import (
	"errors"
	"syscall"
)

// isFull reports whether err is ERROR_HANDLE_DISK_FULL or ERROR_DISK_FULL.
func isFull(err error) bool {
	return errors.Is(err, syscall.Errno(39)) || errors.Is(err, syscall.Errno(112))
}

// ignoreUnsupported drops the answer to syncing a directory, which Windows
// does not do.
func ignoreUnsupported(error) error { return nil }
