package watcher

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"memsync"
	"memsync/internal/format"
)

// maxDepth bounds how deep folders may lie in each other; each level holds a
// directory open. Nobody's notes are so deep; the number is a guess.
const maxDepth = 100

// walk goes through directories in the order of the paths in them, as git sorts a
// tree: so that what is known, sorted as well, is gone through once beside it.
type walk struct {
	scopes []memsync.Scope
	known  *Known
	next   []byte // what should be met next; nil: nothing
	b      *Batch
	free   []*listing
}

// met notes that something is at p, which all that was met before sorts below.
func (w *walk) met(p memsync.Path) {
	for w.next != nil {
		switch {
		case string(w.next) > string(p):
			return
		case string(w.next) < string(p):
			w.b.Missing = append(w.b.Missing, memsync.Path(w.next))
		}
		w.next = w.known.Next()
	}
}

// end is after the last path.
func (w *walk) end() {
	for ; w.next != nil; w.next = w.known.Next() {
		w.b.Missing = append(w.b.Missing, memsync.Path(w.next))
	}
	w.b.Missing = slices.DeleteFunc(w.b.Missing, func(p memsync.Path) bool {
		return slices.ContainsFunc(w.b.blind, func(d memsync.Path) bool { return p.In(d) })
	})
}

// gone notes a scope directory that cannot be entered.
func (w *walk) gone(dir memsync.Path, err error) {
	w.b.RootGone = append(w.b.RootGone, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	w.unseen(dir, err)
}

// unseen notes a directory that is there and cannot be listed: what is in it
// is out of sight, not gone.
func (w *walk) unseen(dir memsync.Path, err error) {
	w.b.blind = append(w.b.blind, dir)
	w.b.Skipped = append(w.b.Skipped, Skip{dir, "the directory can't be listed: " + reason(err)})
}

// top looks at everything in an open directory.
func (w *walk) top(d *folder, dir memsync.Path) {
	l := w.listing()
	l.folder = d
	l.fill(dir, w.known != nil)
	w.dir(l, dir, 0)
}

// dir looks at what a directory holds.
func (w *walk) dir(l *listing, dir memsync.Path, depth int) {
	all := l.entries
	if l.err != nil {
		w.unseen(dir, l.err)
		return
	}
	scope, inScope := memsync.ScopeOf(w.scopes, join(dir, "x"))
	if !inScope && dir != "" && slices.ContainsFunc(all, func(e entry) bool { return e.name == ".git" }) && !w.leadsToScope(dir) {
		return // another repository
	}
	if len(all) == 0 && inScope && scope.Dir == dir {
		w.b.Emptied = append(w.b.Emptied, dir)
	}
	next := w.ahead(l, dir, inScope)
	for _, e := range all {
		if w.passedBy(dir, e.name, inScope) {
			continue
		}
		p := e.path
		class, list := w.judge(p, scope, inScope)
		switch {
		case errors.Is(e.err, fs.ErrNotExist):
			// gone between two looks
		case e.err != nil:
			w.met(p)
			w.b.blind = append(w.b.blind, p) // it may be a directory
			w.b.Skipped = append(w.b.Skipped, Skip{p, "it can't be looked at: " + reason(e.err)})
		case e.kind == fs.ModeDir:
			if depth >= maxDepth {
				w.unseen(p, errDeep)
				continue
			}
			w.below(next(), p, inScope, depth)
		case e.kind == fs.ModeSymlink:
			w.b.blind = append(w.b.blind, p)
			if inScope && !w.leadsToScope(p) { // a scope's own: gone has said so
				w.b.Skipped = append(w.b.Skipped, Skip{p, fmt.Sprintf("a symbolic link to %q, not followed", l.folder.link(e.name))})
			}
		case e.kind != 0:
			if inScope && class != format.NotMemory {
				w.b.Skipped = append(w.b.Skipped, Skip{p, "a special file"})
			}
		default:
			w.file(p, class, list, e.stat)
		}
	}
}

// passedBy reports whether a name is nobody's business: what editors and other
// tools hide. A hidden directory may lead to a scope.
func (w *walk) passedBy(dir memsync.Path, name string, inScope bool) bool {
	switch {
	case name == ".git":
		return true
	case name == ".gitattributes" || name == ".gitignore":
		return false
	case name[0] == '.':
		return !w.leadsToScope(join(dir, name))
	case inScope:
		return derived(name)
	}
	return dir == "" && name == "local"
}

// derived reports whether a folder of a scope holds no memories: what is made
// from them, the ledger's, and what waits.
func derived(name string) bool { return name == "_system" || name == "_index" || name == "_inbox" }

// below goes on in a directory.
func (w *walk) below(l *listing, p memsync.Path, inScope bool, depth int) {
	switch {
	case errors.Is(l.refused, fs.ErrNotExist):
	case l.refused != nil && inScope && !w.leadsToScope(p):
		w.unseen(p, l.refused)
	case l.refused != nil: // not ours, or gone has said so
		w.b.blind = append(w.b.blind, p)
	default:
		w.dir(l, p, depth+1)
		l.folder.close()
	}
	w.free = append(w.free, l)
}

var errDeep = errors.New("it lies too deep")

// join is p.Join for a name that is clean already.
func join(dir memsync.Path, name string) memsync.Path {
	if dir == "" {
		return memsync.Path(name)
	}
	return dir + "/" + memsync.Path(name)
}

func (w *walk) leadsToScope(p memsync.Path) bool {
	return slices.ContainsFunc(w.scopes, func(s memsync.Scope) bool { return s.Dir.In(p) })
}

// The lists that a file may belong to.
const (
	listNone = iota
	listMemory
	listAuthored
	listCopy
	listNested
	listUnnamable
)

// judge says what a file with that path is, and where it is listed.
func (w *walk) judge(p memsync.Path, scope memsync.Scope, inScope bool) (format.Class, int) {
	class := format.NotMemory
	if inScope {
		class = format.Classify(p.Rel(scope.Dir))
	}
	switch {
	case class == format.MemoryFile || class == format.LogFile:
		if !Excluded(scope, p) {
			return class, listMemory
		}
	case class == format.Unnamable:
		return class, listUnnamable
	case class == format.ConflictCopy:
		return class, listCopy
	case class == format.SystemFile:
		return class, listNone
	case class == format.IndexFile && p.Dir() != scope.Dir:
		return class, listNested
	case class == format.IndexFile || class == format.ReviewFile:
		return class, listAuthored
	}
	if authored(p) {
		return class, listAuthored
	}
	return class, listNone
}

func (w *walk) file(p memsync.Path, class format.Class, list int, st Stat) {
	switch list {
	case listCopy:
		w.b.Copies = append(w.b.Copies, p)
	case listNested:
		w.b.Nested = append(w.b.Nested, p)
	case listMemory:
		w.b.Memories++
		w.met(p)
		w.add(&w.b.Changed, p, class, st)
	case listUnnamable: // no memory, but somebody must be told
		w.add(&w.b.Changed, p, class, st)
	case listAuthored:
		w.met(p)
		w.add(&w.b.Authored, p, class, st)
	}
}

// Authored reports whether people write the file at p and memsync keeps it as
// saved: MEMORY.md, REVIEW.md, policy files, Markdown that no scope takes.
func Authored(scopes []memsync.Scope, p memsync.Path) bool {
	w := &walk{scopes: scopes}
	scope, inScope := memsync.ScopeOf(scopes, p)
	_, list := w.judge(p, scope, inScope)
	return list == listAuthored
}

// authored reports whether people write the file and memsync keeps it as
// saved: policy files, and Markdown that is no memory.
func authored(p memsync.Path) bool {
	base := p.Base()
	switch base {
	case "memsync.toml", "workspace.toml", ".gitattributes", ".gitignore":
		return true
	}
	return len(base) > 3 && base[0] != '.' && strings.EqualFold(base[len(base)-3:], ".md")
}

func (w *walk) add(list *[]Seen, p memsync.Path, class format.Class, st Stat) {
	if w.known != nil {
		if old, ok := w.known.Stat(p); ok && old == st {
			return
		}
	}
	if len(*list) == cap(*list) { // append would copy long lists four times as often
		*list = slices.Grow(*list, max(64, len(*list)))
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
