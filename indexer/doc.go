// Package indexer keeps a disposable answer to "what is in the store".
//
// The catalog says of every file what is on disk (size, times, hash) and what
// was last accepted (header, hash, git object). It is a projection: whatever
// is wrong with it, it is made anew from HEAD and disk, and nothing is lost.
// It is two files, catalog.db and catalog.db.state; one without the other is
// not trusted, so whoever copies a catalog copies both.
package indexer
