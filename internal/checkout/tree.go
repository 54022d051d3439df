package checkout

import (
	"memsync"
	"memsync/internal/format"
	"memsync/lint"
)

// Tree is where a store's files are read from.
type Tree interface {
	// List finds the store's files and says what each is.
	List() (Listing, error)
	// Under are the files directly below a directory, by path; none where it
	// is not there.
	Under(dir memsync.Path) []memsync.Path
	// Has reports whether a directory is there, or has anything in it where
	// directories are nothing by themselves.
	Has(dir memsync.Path) bool
	// Reader reads files, for one goroutine.
	Reader() Reader
}

// Reader reads the files of a Tree. A file larger than limit bytes (0: any)
// comes without its bytes, with its size.
type Reader interface {
	Read(p memsync.Path, limit int64) (lint.File, error)
	Close()
}

// Entry is one file that is judged.
type Entry struct {
	Path  memsync.Path
	Class format.Class
}

func (e Entry) memory() bool { return e.Class == format.MemoryFile || e.Class == format.LogFile }

// Listing is what is in a store.
type Listing struct {
	Files    []Entry // by path
	Nested   []memsync.Path
	Skipped  []lint.Skip
	Unmerged []memsync.Path
	Ignored  []memsync.Path
	Repos    []memsync.Path
}
