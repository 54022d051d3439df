package watcher

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"memsync"
	"memsync/internal/config"
	"memsync/internal/format"
)

// Stat is what the file system says of a file. Times are nanoseconds since
// 1970. CTime and Inode are 0 where the system has none.
type Stat struct {
	Size         int64
	MTime, CTime int64
	Inode        uint64
	Mode         uint32
}

// Seen is a file that differs from what is known of it, or is not known.
type Seen struct {
	Path  memsync.Path
	Stat  Stat
	Class format.Class
}

// Skip is something that is no regular file, or that could not be looked at.
type Skip struct {
	Path   memsync.Path
	Reason string
}

// Batch is what one scan found.
type Batch struct {
	Changed  []Seen         // memories and logs, and what would be one by another name, by path
	Authored []Seen         // MEMORY.md, REVIEW.md, policy files, Markdown that no scope takes
	Copies   []memsync.Path // conflict copies of file-sync tools, kept out
	Nested   []memsync.Path // MEMORY.md in a folder that is no scope of its own
	Skipped  []Skip
	RootGone []memsync.Path // scope directories that are missing or can't be read: never deletions
	Emptied  []memsync.Path // scope directories that hold nothing at all, as an unmounted disk leaves them
	Memories int            // memories and logs on disk

	// Missing are the expected paths that the scan should have met and did not, by
	// path. What a link has taken the place of, and what lies below a directory that
	// could not be listed, is not missing, it is out of sight; a scope directory that
	// is gone is reported by RootGone and its files are missing (a mass delete, which
	// waits for a person).
	Missing []memsync.Path

	Absent []memsync.Path // of those that Look was asked about: nothing is there

	blind []memsync.Path // links, and directories that could not be listed: nothing there or below is missing
}

// Known is what a store's owner knows of its files, asked for in the order of
// their paths, as one walk through a sorted list answers it.
type Known struct {
	Stat func(p memsync.Path) (Stat, bool) // of p when it was last read
	Next func() (path []byte)              // the next path that should be met, until the next call; nil after the last one
}

// Excluded reports whether the scope's ignore patterns take p out.
func Excluded(s memsync.Scope, p memsync.Path) bool { return config.Excluded(s, p) }

// Scan lists the directories of every scope, and of the whole store where
// outside is true, and compares what it meets with known. It fails only when
// the store itself cannot be opened.
//
// known nil is for who reads everything anyway: what is found comes without its
// stat, and nothing is missing.
//
// Whether two stats that are equal mean equal bytes is for the caller to know:
// a stat taken within a tick of the file's times proves nothing, and must not
// be remembered.
func Scan(root string, scopes []memsync.Scope, outside bool, known *Known) (b Batch, err error) {
	top, err := openRoot(root)
	if err != nil {
		return b, &memsync.Error{Code: memsync.CodeIORead, Message: "the store can't be opened", Err: err}
	}
	defer top.close()
	w := &walk{scopes: scopes, known: known, b: &b}
	if known != nil {
		w.next = known.Next()
	}
	byPath := func(a, b memsync.Scope) int { return strings.Compare(string(a.Dir)+"/", string(b.Dir)+"/") }
	for _, s := range slices.SortedFunc(slices.Values(scopes), byPath) {
		dir, err := openBelow(top, s.Dir)
		if err != nil {
			w.gone(s.Dir, err)
			continue
		}
		inner := slices.ContainsFunc(scopes, func(o memsync.Scope) bool { return o.Dir != s.Dir && s.Dir.In(o.Dir) })
		if !outside && !inner {
			w.top(dir, s.Dir)
		}
		if s.Dir != "" {
			dir.close()
		}
	}
	if outside {
		w.top(top, "")
	}
	w.end()
	b.sort()
	return b, nil
}

func (b *Batch) sort() {
	byPath := func(a, b Seen) int { return strings.Compare(string(a.Path), string(b.Path)) }
	slices.SortFunc(b.Changed, byPath)
	slices.SortFunc(b.Authored, byPath)
	slices.Sort(b.Copies)
	slices.Sort(b.Nested)
	slices.SortFunc(b.Skipped, func(a, b Skip) int { return strings.Compare(string(a.Path), string(b.Path)) })
}

// Look is Scan for a few paths: it looks at these and at nothing else. What it
// says of scope directories and Missing is empty.
func Look(root string, scopes []memsync.Scope, outside bool, paths []memsync.Path) Batch {
	var b Batch
	w := &walk{scopes: scopes, b: &b}
	place := Place{Root: root, Scopes: scopes, Outside: outside}
	for _, p := range paths {
		if !place.counts(p) || place.foreign(p) {
			continue
		}
		scope, inScope := memsync.ScopeOf(scopes, p)
		class, list := w.judge(p, scope, inScope)
		dir, name, err := openParent(root, p)
		if err == nil {
			var st Stat
			var kind fs.FileMode
			st, kind, err = dir.stat(name)
			dir.close()
			switch {
			case err == nil && kind == 0:
				w.file(p, class, list, st)
			case err == nil && kind == fs.ModeDir:
				err = fs.ErrNotExist // a folder took the file's place
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			b.Absent = append(b.Absent, p)
		}
	}
	b.sort()
	return b
}

// openBelow opens a directory below top, step by step; top itself for "".
func openBelow(top *folder, p memsync.Path) (*folder, error) {
	dir := top
	if p == "" {
		return dir, nil
	}
	for name := range strings.SplitSeq(string(p), "/") {
		next, err := dir.folder(name)
		if dir != top {
			dir.close()
		}
		if err != nil {
			return nil, err
		}
		dir = next
	}
	return dir, nil
}
