//go:build !windows

package journal

import (
	"errors"
	"syscall"
)

// ignoreUnsupported drops the answer of a filesystem that cannot sync a
// directory.
func ignoreUnsupported(err error) error {
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
