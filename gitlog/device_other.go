//go:build !unix

package gitlog

// sameDevice reports whether two directories lie on one file system, where the
// system says so.
func sameDevice(a, b string) bool { return false }
