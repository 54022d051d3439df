package gitlog

import (
	"os"
	"path/filepath"
	"sync"
)

// A settler makes many small files durable in as few waits as the file system
// allows.
//
// On file systems with one ordered journal (ext4, XFS) the data of every file
// is pushed out first, all at once (sync_file_range), and a single fsync of a
// file that was created last commits the journal with everything that happened
// before: the sizes, the allocations, the renames. It is git's own
// core.fsyncMethod=batch. Elsewhere each file is synced, in parallel, and the
// directories afterwards.
type settler struct {
	kind    diskKind
	files   []*os.File
	renames []rename
	dirs    map[string]bool
}

type rename struct{ from, to string }

// diskKind is how a file system is made to keep things.
type diskKind int

const (
	diskPlain   diskKind = iota // sync every file and directory
	diskOrdered                 // one journal in order: a sync of the last covers the rest
	diskNetwork                 // like plain; and no place for local state
)

// syncers bounds how many files are synced at once; a guess, past it the
// disk's queue is full.
const syncers = 8

func newSettler(kind diskKind) *settler {
	return &settler{kind: kind, dirs: map[string]bool{}}
}

// add takes over an open file that will be renamed to its name.
func (s *settler) add(f *os.File, to string) {
	if s.kind == diskOrdered {
		startWriteback(f)
	}
	s.files = append(s.files, f)
	s.renames = append(s.renames, rename{f.Name(), to})
	s.dir(filepath.Dir(to))
}

// existing is a file that somebody else wrote, perhaps without a sync.
func (s *settler) existing(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	if s.kind == diskOrdered {
		startWriteback(f)
	}
	s.files = append(s.files, f)
	s.dir(filepath.Dir(file))
	return nil
}

func (s *settler) dir(d string) { s.dirs[d] = true }

// flush waits until the bytes of all files are on the disk, and closes them.
func (s *settler) flush() error {
	var first error
	if s.kind == diskOrdered {
		for _, f := range s.files {
			if err := waitWriteback(f); err != nil && first == nil {
				first = err
			}
		}
	} else {
		first = inParallel(len(s.files), func(i int) error { return s.files[i].Sync() })
	}
	for _, f := range s.files {
		if err := f.Close(); err != nil && first == nil {
			first = err
		}
	}
	s.files = nil
	return first
}

func (s *settler) takeRenames() []rename {
	out := s.renames
	s.renames = nil
	return out
}

// finish makes the names durable. On an ordered disk that is left to the sync
// of a file created afterwards.
func (s *settler) finish() error {
	if s.kind == diskOrdered {
		return nil
	}
	dirs := make([]string, 0, len(s.dirs))
	for d := range s.dirs {
		dirs = append(dirs, d)
	}
	return inParallel(len(dirs), func(i int) error { return syncDir(dirs[i]) })
}

// abandon removes what was not renamed.
func (s *settler) abandon() {
	for _, f := range s.files {
		f.Close()
	}
	for _, t := range s.renames {
		os.Remove(t.from)
	}
	s.files, s.renames = nil, nil
}

func inParallel(n int, do func(i int) error) error {
	if n <= 1 {
		if n == 1 {
			return do(0)
		}
		return nil
	}
	next := make(chan int)
	errs := make(chan error, n)
	var wg sync.WaitGroup
	for range min(n, syncers) {
		wg.Go(func() {
			for i := range next {
				errs <- do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
