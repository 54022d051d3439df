package gitlog

import (
	"bytes"
	"fmt"
	"path"
	"sort"
	"strconv"
	"strings"

	"memsync"
)

// modes of tree entries.
const (
	modeTree    = 0o040000
	modeFile    = 0o100644
	modeExec    = 0o100755
	modeSymlink = 0o120000
	modeModule  = 0o160000
)

// treeItem is one entry of a tree; raw is its bytes, of which name and id are
// parts.
type treeItem struct {
	mode uint32
	name []byte
	id   []byte
	raw  []byte
}

func (t treeItem) isTree() bool { return t.mode == modeTree }

// nextItem cuts the first entry off a tree's bytes.
func (h hashKind) nextItem(b []byte) (item treeItem, rest []byte, err error) {
	sp := bytes.IndexByte(b, ' ')
	nul := bytes.IndexByte(b, 0)
	if sp <= 0 || nul < sp+2 || len(b) < nul+1+h.size {
		return item, nil, corrupt("a tree ends in the middle of an entry", nil)
	}
	for _, c := range b[:sp] {
		if c < '0' || c > '7' || item.mode > 0o777777 {
			return item, nil, corrupt("a tree has an entry without a mode", nil)
		}
		item.mode = item.mode<<3 | uint32(c-'0')
	}
	end := nul + 1 + h.size
	item.name, item.id, item.raw = b[sp+1:nul], b[nul+1:end], b[:end]
	return item, b[end:], nil
}

// compareNames is git's order of tree entries: directories sort as if their
// name ended in a slash.
func compareNames(a []byte, aTree bool, b []byte, bTree bool) int {
	n := min(len(a), len(b))
	if c := bytes.Compare(a[:n], b[:n]); c != 0 {
		return c
	}
	at := func(s []byte, tree bool) int {
		switch {
		case len(s) > n:
			return int(s[n])
		case tree:
			return '/'
		}
		return 0
	}
	return at(a, aTree) - at(b, bTree)
}

// fileEdit is one file of a commit in the making.
type fileEdit struct {
	name string // relative to the work tree's top
	blob oid    // "" removes

	// What the parent commit has there, filled in by the tree builder.
	prev     oid
	prevMode uint32
	mode     uint32 // of the new entry, where it was asked for or else as it was; 0 when removed
}

// treeEdit is what happened to one directory, for the index's cache of trees.
type treeEdit struct {
	old, new       oid
	added, removed int  // files below it
	shape          bool // a directory below it came or went
}

// newObject is an object that is not in the repository yet.
type newObject struct {
	id   oid
	typ  string
	data []byte
}

// treeBuilder makes the trees of a new commit: only those on the paths of its
// edits are read and written.
type treeBuilder struct {
	r     *Repo
	out   []newObject
	trees map[string]treeEdit // by directory, "" is the top
}

// build applies edits, sorted by name, to the tree with that id ("" for none)
// of the directory dir, and gives the new tree; "" when nothing is left.
func (b *treeBuilder) build(dir string, id oid, edits []*fileEdit) (oid, treeEdit, error) {
	te := treeEdit{old: id}
	var old []byte
	if id != "" {
		var err error
		if old, err = b.r.object(id, typeTree); err != nil {
			return "", te, err
		}
	}
	// Group the edits by the entry of this directory that they change.
	skip := 0
	if dir != "" {
		skip = len(dir) + 1
	}
	files := map[string]*fileEdit{}
	dirs := map[string][]*fileEdit{}
	for _, e := range edits {
		name, _, below := strings.Cut(e.name[skip:], "/")
		if below {
			dirs[name] = append(dirs[name], e)
			continue
		}
		files[name] = e
	}
	kept := make([]treeItem, 0, len(old)/40+len(edits))
	subtrees := map[string]oid{}
	for rest := old; len(rest) > 0; {
		item, next, err := b.r.kind.nextItem(rest)
		if err != nil {
			return "", te, err
		}
		rest = next
		if f := files[string(item.name)]; f != nil && !item.isTree() {
			f.prev, f.prevMode = oid(item.id), item.mode
			continue
		}
		if ds := dirs[string(item.name)]; ds != nil {
			if item.isTree() {
				subtrees[string(item.name)] = oid(item.id)
				continue
			}
			if item.mode == modeModule {
				return "", te, blocked(ds[0].name, string(item.name)+" is a submodule, a repository of its own")
			}
			return "", te, blocked(ds[0].name, string(item.name)+" is a file")
		}
		if f := files[string(item.name)]; f != nil && f.blob != "" {
			return "", te, blocked(f.name, "it is a directory")
		}
		kept = append(kept, item)
	}
	var fresh []treeItem
	add := func(name string, mode uint32, id oid) {
		raw := strconv.AppendUint(nil, uint64(mode), 8)
		raw = append(raw, ' ')
		raw = append(raw, name...)
		raw = append(raw, 0)
		raw = append(raw, id...)
		fresh = append(fresh, treeItem{mode: mode, name: []byte(name), id: []byte(id), raw: raw})
	}
	for name, f := range files {
		if f.blob == "" {
			if f.prev != "" {
				te.removed++
			}
			continue
		}
		switch {
		case f.mode != 0: // it was asked for
		case f.prevMode == modeExec:
			f.mode = modeExec
		default:
			f.mode = modeFile
		}
		if f.prev == "" {
			te.added++
		}
		add(name, f.mode, f.blob)
	}
	for name, below := range dirs {
		sub := path.Join(dir, name)
		was := subtrees[name]
		is, sube, err := b.build(sub, was, below)
		if err != nil {
			return "", te, err
		}
		te.added += sube.added
		te.removed += sube.removed
		te.shape = te.shape || sube.shape || (was == "") != (is == "")
		if is == "" {
			continue
		}
		if f := files[name]; f != nil && f.blob != "" {
			return "", te, blocked(f.name, "it is a directory")
		}
		add(name, modeTree, is)
	}
	sort.Slice(fresh, func(i, j int) bool {
		return compareNames(fresh[i].name, fresh[i].isTree(), fresh[j].name, fresh[j].isTree()) < 0
	})
	data := make([]byte, 0, len(old)+64*len(fresh))
	for len(kept) > 0 || len(fresh) > 0 {
		if len(fresh) == 0 || len(kept) > 0 && compareNames(kept[0].name, kept[0].isTree(), fresh[0].name, fresh[0].isTree()) < 0 {
			data = append(data, kept[0].raw...)
			kept = kept[1:]
			continue
		}
		data = append(data, fresh[0].raw...)
		fresh = fresh[1:]
	}
	if len(data) > 0 || dir == "" {
		te.new = b.r.kind.id(typeTree, data)
		if te.new != id {
			b.out = append(b.out, newObject{te.new, typeTree, data})
		}
	}
	b.trees[dir] = te
	return te.new, te, nil
}

// blocked is the error for a path that no commit can hold.
func blocked(name, why string) error {
	return &memsync.Error{Code: memsync.CodePathInvalid, Path: memsync.Path(name),
		Message: fmt.Sprintf("cannot be committed: %s", why)}
}
