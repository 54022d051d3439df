// Package unmap gives back memory that a database's mapped file takes: pages
// that were looked at count as the process's own until somebody needs them.
package unmap
