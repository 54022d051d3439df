//go:build !linux

package pages

import bolt "go.etcd.io/bbolt"

// Return: elsewhere the system takes such pages back when it needs them.
func Return(*bolt.DB) error { return nil }

// Heap changes nothing here.
func Heap(int) {}

// Bytes are n bytes.
func Bytes(n int) []byte { return make([]byte, n) }
