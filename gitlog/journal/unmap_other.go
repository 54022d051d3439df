//go:build !linux

package journal

import bolt "go.etcd.io/bbolt"

// unmap: elsewhere the system takes such pages back when it needs them.
func unmap(*bolt.DB, *bolt.Tx) {}
