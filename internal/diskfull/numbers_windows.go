package diskfull

import "syscall"

// numbers are ERROR_HANDLE_DISK_FULL and ERROR_DISK_FULL.
var numbers = []syscall.Errno{39, 112}
