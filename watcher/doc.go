// Package watcher says where to look.
//
// The scan is the truth: it lists the scopes' directories and names what
// differs from what is known. It reads no file and decides nothing; it never
// follows a symbolic link.
package watcher
