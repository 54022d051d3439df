// Package indexer keeps a disposable answer to what is in the store.
package indexer
