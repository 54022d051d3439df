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

type walk struct {
	scopes []memsync.Scope
	known  func(memsync.Path) (Stat, bool)
	b      *Batch
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

// dir looks at everything in an open directory.
func (w *walk) dir(d *folder, dir memsync.Path, depth int) {
	names, kinds, err := w.names(d)
	if err != nil {
		w.unseen(dir, err)
		return
	}
	scope, inScope := memsync.ScopeOf(w.scopes, join(dir, "x"))
	if !inScope && dir != "" && slices.Contains(names, ".git") && !w.leadsToScope(dir) {
		return // another repository
	}
	if len(names) == 0 && inScope && scope.Dir == dir {
		w.b.Emptied = append(w.b.Emptied, dir)
	}
	for i, name := range names {
		if w.passedBy(dir, name, inScope) {
			continue
		}
		p := join(dir, name)
		class, list := w.judge(p, scope, inScope)
		st, kind, err := Stat{}, fs.FileMode(0), error(nil)
		if kinds == nil || kinds[i] == fs.ModeIrregular {
			st, kind, err = d.stat(name)
		} else {
			kind = kinds[i]
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			// gone between two looks
		case err != nil:
			w.b.present[p] = true
			w.b.Skipped = append(w.b.Skipped, Skip{p, "it can't be looked at: " + reason(err)})
		case kind == fs.ModeDir:
			w.below(d, name, p, inScope, depth)
		case kind == fs.ModeSymlink:
			w.b.blind = append(w.b.blind, p)
			if inScope && !w.leadsToScope(p) { // a scope's own: gone has said so
				w.b.Skipped = append(w.b.Skipped, Skip{p, fmt.Sprintf("a symbolic link to %q, not followed", d.link(name))})
			}
		case kind != 0:
			if inScope && class != format.NotMemory {
				w.b.Skipped = append(w.b.Skipped, Skip{p, "a special file"})
			}
		default:
			w.file(p, class, list, st)
		}
	}
}

// names are the names in a directory. Where nothing is known to compare with,
// the directory's own word for what each is will do; a file system that has none
// says irregular.
func (w *walk) names(d *folder) (names []string, kinds []fs.FileMode, err error) {
	if w.known != nil {
		names, err = d.names()
		return names, nil, err
	}
	return d.kinds()
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

// below enters a directory.
func (w *walk) below(d *folder, name string, p memsync.Path, inScope bool, depth int) {
	if depth >= maxDepth {
		w.unseen(p, errDeep)
		return
	}
	next, err := d.folder(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil && inScope && !w.leadsToScope(p):
		w.unseen(p, err)
	case err != nil: // not ours, or gone has said so
		w.b.blind = append(w.b.blind, p)
	default:
		w.dir(next, p, depth+1)
		next.close()
	}
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
		w.b.present[p] = true
		w.add(&w.b.Changed, p, class, st)
	case listUnnamable: // no memory, but somebody must be told
		w.add(&w.b.Changed, p, class, st)
	case listAuthored:
		w.b.present[p] = true
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
		if old, ok := w.known(p); ok && old == st {
			return
		}
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
