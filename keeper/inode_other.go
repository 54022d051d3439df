//go:build !unix

package keeper

// inode names a directory for as long as it is not copied; the path has to do
// where the system has no inodes.
func inode(dir string) string { return dir }
