//go:build unix

package keeper

import (
	"os"
	"strconv"
	"syscall"
)

// inode names a directory for as long as it is not copied.
func inode(dir string) string {
	st, err := os.Stat(dir)
	if err != nil {
		return ""
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		return strconv.FormatUint(uint64(sys.Dev), 10) + "." + strconv.FormatUint(sys.Ino, 10)
	}
	return ""
}
