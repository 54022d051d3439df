//go:build !linux

package indexer

// bootID names this boot of the machine. Nothing here tells it without cgo or
// a process, so a catalog whose process died is made anew.
func bootID() string { return "" }
