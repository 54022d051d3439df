package watcher

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"memsync"
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
	Changed  []Seen         // memories and logs, by path
	Authored []Seen         // MEMORY.md, REVIEW.md, policy files, Markdown that no scope takes
	Copies   []memsync.Path // conflict copies of file-sync tools, kept out
	Nested   []memsync.Path // MEMORY.md in a folder that is no scope of its own
	Skipped  []Skip
	RootGone []memsync.Path // scope directories that are missing or can't be read: never deletions
	Memories int            // memories and logs on disk

	present map[memsync.Path]bool
	blind   []memsync.Path // directories that could not be listed: nothing below them is missing
}

// Missing are those known paths that the scan should have met and did not.
// What lies below a directory that could not be listed is not missing, it is
// out of sight; a scope directory that is gone is reported by RootGone and its
// files are missing (a mass delete, which waits for a person).
func (b *Batch) Missing(known iter.Seq[memsync.Path]) []memsync.Path {
	var out []memsync.Path
	for p := range known {
		if !b.present[p] && !slices.ContainsFunc(b.blind, func(d memsync.Path) bool { return p.In(d) }) {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

// Excluded reports whether the scope's ignore patterns take p out.
func Excluded(s memsync.Scope, p memsync.Path) bool {
	rel := string(p.Rel(s.Dir))
	for _, pattern := range s.Ignore {
		if ok, _ := doublestar.Match(pattern, rel); ok {
			return true
		}
		if !strings.Contains(pattern, "/") {
			if ok, _ := doublestar.Match(pattern, p.Base()); ok {
				return true
			}
		}
	}
	return false
}

// Scan lists the directories of every scope, and of the whole store where
// outside is true, and compares what it meets with known.
func Scan(root string, scopes []memsync.Scope, outside bool, known func(memsync.Path) (Stat, bool)) (Batch, error) {
	b := Batch{present: map[memsync.Path]bool{}}
	w := &walk{root: root, scopes: scopes, known: known, b: &b}
	starts := make([]memsync.Path, 0, len(scopes)+1)
	for _, s := range scopes {
		st, err := os.Lstat(w.abs(s.Dir))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			b.RootGone = append(b.RootGone, s.Dir)
		case err != nil || !st.IsDir():
			b.RootGone = append(b.RootGone, s.Dir)
			b.blind = append(b.blind, s.Dir)
		}
		if !slices.ContainsFunc(scopes, func(o memsync.Scope) bool { return o.Dir != s.Dir && s.Dir.In(o.Dir) }) {
			starts = append(starts, s.Dir)
		}
	}
	if outside {
		starts = []memsync.Path{""}
	}
	for _, dir := range starts {
		if st, err := os.Lstat(w.abs(dir)); err == nil && st.IsDir() {
			w.dir(dir)
		}
	}
	byPath := func(a, b Seen) int { return strings.Compare(string(a.Path), string(b.Path)) }
	slices.SortFunc(b.Changed, byPath)
	slices.SortFunc(b.Authored, byPath)
	return b, nil
}

type walk struct {
	root   string
	scopes []memsync.Scope
	known  func(memsync.Path) (Stat, bool)
	b      *Batch
}

func (w *walk) abs(p memsync.Path) string {
	return filepath.Join(w.root, filepath.FromSlash(string(p)))
}

func (w *walk) dir(dir memsync.Path) {
	scope, inScope := memsync.ScopeOf(w.scopes, dir.Join("x"))
	entries, err := os.ReadDir(w.abs(dir))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return // gone between two looks
		}
		w.b.blind = append(w.b.blind, dir)
		w.b.Skipped = append(w.b.Skipped, Skip{dir, "the directory can't be listed: " + reason(err)})
		return
	}
	for _, e := range entries {
		p := dir.Join(e.Name())
		switch t := e.Type(); {
		case e.IsDir():
			if e.Name() == ".git" || inScope && hiddenDir(e.Name()) {
				continue
			}
			if !inScope && (strings.HasPrefix(e.Name(), ".") && !w.leadsToScope(p) || dir == "" && e.Name() == "local" || w.isRepo(p)) {
				continue
			}
			w.dir(p)
		case t&fs.ModeSymlink != 0:
			if inScope {
				w.b.Skipped = append(w.b.Skipped, Skip{p, "a symbolic link, not followed"})
			}
		case !t.IsRegular():
			if inScope && strings.HasSuffix(e.Name(), ".md") {
				w.b.Skipped = append(w.b.Skipped, Skip{p, "a special file"})
			}
		default:
			w.file(p, scope, inScope)
		}
	}
}

// hiddenDir reports whether a folder of a scope holds no memories: what is
// derived, what is the ledger's, and what other tools hide.
func hiddenDir(name string) bool {
	return strings.HasPrefix(name, ".") || name == "_system" || name == "_index" || name == "_inbox"
}

func (w *walk) leadsToScope(p memsync.Path) bool {
	return slices.ContainsFunc(w.scopes, func(s memsync.Scope) bool { return s.Dir.In(p) })
}

func (w *walk) isRepo(p memsync.Path) bool {
	_, err := os.Lstat(filepath.Join(w.abs(p), ".git"))
	return err == nil
}

func (w *walk) file(p memsync.Path, scope memsync.Scope, inScope bool) {
	class := format.NotMemory
	if inScope {
		class = format.Classify(p.Rel(scope.Dir))
	}
	excluded := inScope && Excluded(scope, p)
	switch {
	case (class == format.MemoryFile || class == format.LogFile) && !excluded:
		w.b.Memories++
		w.b.present[p] = true
		w.add(&w.b.Changed, p, class)
	case class == format.ConflictCopy:
		w.b.Copies = append(w.b.Copies, p)
	case class == format.SystemFile:
	case class == format.IndexFile && p.Dir() != scope.Dir:
		w.b.Nested = append(w.b.Nested, p)
	case class == format.IndexFile || class == format.ReviewFile || authored(p, inScope):
		w.b.present[p] = true
		w.add(&w.b.Authored, p, class)
	}
}

// authored reports whether people write the file and memsync keeps it as
// saved: policy files, and Markdown that is no memory.
func authored(p memsync.Path, inScope bool) bool {
	base := p.Base()
	switch base {
	case "memsync.toml", "workspace.toml", ".gitattributes", ".gitignore":
		return true
	}
	if strings.HasPrefix(base, ".") || strings.HasSuffix(base, "~") {
		return false
	}
	return strings.EqualFold(filepath.Ext(base), ".md")
}

func (w *walk) add(list *[]Seen, p memsync.Path, class format.Class) {
	info, err := os.Lstat(w.abs(p))
	if err != nil {
		delete(w.b.present, p)
		return
	}
	st := statOf(info)
	if old, ok := w.known(p); ok && old == st {
		return
	}
	*list = append(*list, Seen{p, st, class})
}

func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
