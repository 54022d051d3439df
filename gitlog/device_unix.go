//go:build unix

package gitlog

import (
	"os"
	"syscall"
)

// sameDevice reports whether two directories lie on one file system.
func sameDevice(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX != nil || errY != nil {
		return false
	}
	sx, okX := x.Sys().(*syscall.Stat_t)
	sy, okY := y.Sys().(*syscall.Stat_t)
	return okX && okY && sx.Dev == sy.Dev
}
