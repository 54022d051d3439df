//go:build !windows

package diskfull

import "syscall"

var numbers = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
