package gitlog

import (
	"bytes"
	"strings"

	"memsync"
)

// TreeEntry is one file of a commit.
type TreeEntry struct {
	Path memsync.Path // relative to the store
	Blob string
	Mode uint32 // git's: 0100644, 0100755, 0120000, 0160000
}

// TreeChange is one file that differs between two commits.
type TreeChange struct {
	Path     memsync.Path // relative to the store
	From, To string       // blob ids, "" for absent
}

// Snapshot is what one revision has, for who asks for more than one place in it:
// the revision is looked up once. The HEAD of an unborn branch has nothing.
type Snapshot struct {
	r    *Repo
	tree oid // "" for the empty one
}

// Snapshot finds a revision; "" is the empty tree.
func (r *Repo) Snapshot(rev string) (Snapshot, error) {
	tree, err := r.treeOf(rev)
	return Snapshot{r, tree}, err
}

// Tree is Snapshot.Tree of a revision.
func (r *Repo) Tree(rev string, under memsync.Path) ([]TreeEntry, error) {
	s, err := r.Snapshot(rev)
	if err != nil {
		return nil, err
	}
	return s.Tree(under)
}

// Tree lists the files below a directory of the store, in git's order; a file alone
// where under is one. A directory that is not there has no files.
func (s Snapshot) Tree(under memsync.Path) ([]TreeEntry, error) {
	if s.tree == "" {
		return nil, nil
	}
	r := s.r
	dir := r.full(under)
	item, err := r.lookup(s.tree, dir)
	if err != nil || len(item.id) == 0 {
		return nil, err
	}
	if !item.isTree() {
		return []TreeEntry{{under, oid(item.id).hex(), item.mode}}, nil
	}
	var out []TreeEntry
	err = r.listTree(oid(item.id), dir, func(name string, item treeItem) {
		out = append(out, TreeEntry{r.rel(name), oid(item.id).hex(), item.mode})
	})
	return out, err
}

// rel is a path of the work tree relative to the store.
func (r *Repo) rel(name string) memsync.Path { return memsync.Path(name).Rel(r.prefix) }

func (r *Repo) listTree(tree oid, dir string, yield func(name string, item treeItem)) error {
	data, err := r.object(tree, typeTree)
	if err != nil {
		return err
	}
	if dir != "" {
		dir += "/"
	}
	for len(data) > 0 {
		item, rest, err := r.kind.nextItem(data)
		if err != nil {
			return err
		}
		data = rest
		name := dir + string(item.name)
		if item.isTree() {
			if err := r.listTree(oid(item.id), name, yield); err != nil {
				return err
			}
			continue
		}
		yield(name, item)
	}
	return nil
}

// lookup finds what a tree has at a path; the tree itself for "". An item
// without an id is absent.
func (r *Repo) lookup(tree oid, name string) (treeItem, error) {
	item := treeItem{mode: modeTree, id: []byte(tree)}
	for name != "" {
		if !item.isTree() {
			return treeItem{}, nil
		}
		var part string
		part, name, _ = strings.Cut(name, "/")
		data, err := r.object(oid(item.id), typeTree)
		if err != nil {
			return treeItem{}, err
		}
		found := false
		for len(data) > 0 && !found {
			if item, data, err = r.kind.nextItem(data); err != nil {
				return treeItem{}, err
			}
			found = string(item.name) == part
		}
		if !found {
			return treeItem{}, nil
		}
	}
	return item, nil
}

// Diff lists the files of the store that differ between two revisions, in
// git's order. Revision "" is the empty tree. A file whose mode alone changed
// is listed with two equal ids.
func (r *Repo) Diff(from, to string) ([]TreeChange, error) {
	a, err := r.treeOf(from)
	if err != nil {
		return nil, err
	}
	b, err := r.treeOf(to)
	if err != nil {
		return nil, err
	}
	if a, err = r.storeTree(a); err != nil {
		return nil, err
	}
	if b, err = r.storeTree(b); err != nil {
		return nil, err
	}
	return r.changes(a, b)
}

// changes lists what differs between two trees of the store.
func (r *Repo) changes(a, b oid) ([]TreeChange, error) {
	var out []TreeChange
	err := r.diffTrees(a, b, "", func(name string, from, to treeItem) error {
		out = append(out, TreeChange{memsync.Path(name), oid(from.id).hex(), oid(to.id).hex()})
		return nil
	})
	return out, err
}

// storeTree is the tree of the store's directory within a commit's tree; ""
// when the commit does not have it.
func (r *Repo) storeTree(tree oid) (oid, error) {
	if tree == "" || r.prefix == "" {
		return tree, nil
	}
	item, err := r.lookup(tree, string(r.prefix))
	if err != nil || !item.isTree() {
		return "", err
	}
	return oid(item.id), nil
}

// diffTrees walks two trees at once and yields every file that differs; equal
// subtrees are not read. Names begin with dir. An item without an id is absent.
func (r *Repo) diffTrees(a, b oid, dir string, yield func(name string, from, to treeItem) error) error {
	if a == b {
		return nil
	}
	var da, db []byte
	var err error
	if a != "" {
		if da, err = r.object(a, typeTree); err != nil {
			return err
		}
	}
	if b != "" {
		if db, err = r.object(b, typeTree); err != nil {
			return err
		}
	}
	if dir != "" && !strings.HasSuffix(dir, "/") {
		dir += "/"
	}
	one := func(from, to treeItem) error {
		item := from
		if len(item.id) == 0 {
			item = to
		}
		name := dir + string(item.name)
		if !item.isTree() {
			return yield(name, from, to)
		}
		return r.diffTrees(oid(from.id), oid(to.id), name, yield)
	}
	var ia, ib treeItem
	haveA, haveB := false, false
	for {
		if !haveA && len(da) > 0 {
			if ia, da, err = r.kind.nextItem(da); err != nil {
				return err
			}
			haveA = true
		}
		if !haveB && len(db) > 0 {
			if ib, db, err = r.kind.nextItem(db); err != nil {
				return err
			}
			haveB = true
		}
		if !haveA && !haveB {
			return nil
		}
		c := 0
		switch {
		case !haveB:
			c = -1
		case !haveA:
			c = 1
		default:
			c = compareNames(ia.name, ia.isTree(), ib.name, ib.isTree())
		}
		switch {
		case c < 0:
			err, haveA = one(ia, treeItem{}), false
		case c > 0:
			err, haveB = one(treeItem{}, ib), false
		default:
			if ia.mode != ib.mode || !bytes.Equal(ia.id, ib.id) {
				err = one(ia, ib)
			}
			haveA, haveB = false, false
		}
		if err != nil {
			return err
		}
	}
}
