package gitlog

import (
	"context"
	"slices"
	"strings"

	"memsync"
	"memsync/controller/join"
)

// joinMessage is the message of every join: whoever joins makes the same commit.
const joinMessage = "memory: join two tips\n"

// joinCommit makes the commit of a join and leaves it on the disk, where nothing
// refers to it yet. Everybody who joins the same tips makes the same one:
// parents by hash, the time of the later one, no signature, nobody's name.
func (r *Repo) joinCommit(ctx context.Context, res *join.Result) (oid, error) {
	r.commits.Lock()
	defer r.commits.Unlock()
	w := r.way()
	w.commit, w.sign = false, false
	if w.usesGit() && r.binary == "" {
		return "", missing("this repository is written through the git binary (" + strings.Join(w.reasons, "; ") + ") and there is none")
	}
	job := &commitJob{r: r, way: w, ctx: ctx}
	parents, err := history{r}.oids(res.Parents)
	if err != nil {
		return "", err
	}
	first, err := r.commitAt(parents[0])
	if err != nil {
		return "", err
	}
	before, err := history{r}.Tree(res.Parents[0])
	if err != nil {
		return "", err
	}
	edits, objs, err := r.editsTo(before, res)
	if err != nil {
		return "", err
	}
	b := &treeBuilder{r: r, trees: map[string]treeEdit{}}
	tree, _, err := b.build("", first.tree, edits)
	if err != nil {
		return "", err
	}
	objs = append(objs, b.out...)
	data := encodeCommit(tree, committer, res.Time.UTC(), joinMessage, parents...)
	id := r.kind.id(typeCommit, data)
	objs = append(objs, newObject{id, typeCommit, data})
	if w.objects {
		return id, job.objectsByGit(objs)
	}
	settle := newSettler(r.disk)
	defer settle.abandon()
	if err := r.writeObjects(objs, settle); err != nil {
		return "", err
	}
	return id, settle.finish()
}

// editsTo are the edits that turn a tree into a joined one, and the blobs that
// nobody has yet.
func (r *Repo) editsTo(before join.Tree, res *join.Result) (edits []*fileEdit, objs []newObject, err error) {
	for p := range before {
		if _, stays := res.Tree[p]; !stays {
			edits = append(edits, &fileEdit{name: string(p)})
		}
	}
	for p, e := range res.Tree {
		if before[p] == e {
			continue
		}
		if err := checkName(p); err != nil {
			return nil, nil, err
		}
		id, ok := r.kind.parseOID(e.Blob)
		if !ok {
			return nil, nil, corrupt("a join has a file without a name", nil)
		}
		edits = append(edits, &fileEdit{name: string(p), blob: id, mode: e.Mode})
	}
	for name, data := range res.Fresh {
		id, ok := r.kind.parseOID(name)
		if !ok {
			return nil, nil, corrupt("a join has a blob without a name", nil)
		}
		objs = append(objs, newObject{id, typeBlob, data})
	}
	slices.SortFunc(edits, func(a, b *fileEdit) int { return strings.Compare(a.name, b.name) })
	slices.SortFunc(objs, func(a, b newObject) int { return strings.Compare(string(a.id), string(b.id)) })
	return edits, objs, nil
}

// treeDiff are the files that differ between two commits, "" for none.
func (r *Repo) treeDiff(from, to oid) ([]*fileEdit, error) {
	var a, b oid
	for _, c := range []struct {
		id   oid
		tree *oid
	}{{from, &a}, {to, &b}} {
		if c.id == "" {
			continue
		}
		got, err := r.commitAt(c.id)
		if err != nil {
			return nil, err
		}
		*c.tree = got.tree
	}
	var out []*fileEdit
	err := r.diffTrees(a, b, "", func(name string, from, to treeItem) error {
		e := &fileEdit{name: name, prev: oid(from.id), prevMode: from.mode, blob: oid(to.id), mode: to.mode}
		out = append(out, e)
		if e.blob == "" {
			return nil
		}
		return checkName(memsync.Path(name))
	})
	slices.SortFunc(out, func(a, b *fileEdit) int { return strings.Compare(a.name, b.name) })
	return out, err
}

// advance moves the branch from parent to a commit that is there already, under
// the same locks and in the same order as a commit of ours is published: the
// index first, then the branch. Entries that a person staged stay staged.
// onDisk are the bytes that the work tree has of the commit's files; of the
// others git looks for itself.
func (r *Repo) advance(ctx context.Context, plan memsync.ID, branch string, parent, target oid, said string, onDisk map[string][]byte) error {
	r.commits.Lock()
	defer r.commits.Unlock()
	r.mendIndex()
	w := r.way()
	w.commit, w.sign, w.objects = false, false, false
	job := &commitJob{r: r, way: w, ctx: ctx, c: Commit{Plan: plan, Branch: branch}, parent: parent, id: target, over: said, bytes: onDisk}
	if w.usesGit() && r.binary == "" {
		return missing("this repository is written through the git binary (" + strings.Join(w.reasons, "; ") + ") and there is none")
	}
	if err := job.ready(); err != nil {
		return err
	}
	edits, err := r.treeDiff(parent, target)
	if err != nil {
		return err
	}
	job.edits = edits
	if parent != "" {
		if err := job.cachedTrees(target); err != nil {
			return err
		}
	}
	settle := newSettler(r.disk)
	defer settle.abandon()
	return job.publish(settle, func() error { return nil })
}

// cachedTrees tells the index's cache of trees what became of them. Where the
// commit's trees are not as they are written here the cache is dropped.
func (j *commitJob) cachedTrees(target oid) error {
	pc, err := j.r.commitAt(j.parent)
	if err != nil {
		return err
	}
	tc, err := j.r.commitAt(target)
	if err != nil {
		return err
	}
	copies := make([]*fileEdit, len(j.edits))
	for i, e := range j.edits {
		copies[i] = &fileEdit{name: e.name, blob: e.blob, mode: e.mode}
	}
	b := &treeBuilder{r: j.r, trees: map[string]treeEdit{}}
	if tree, _, err := b.build("", pc.tree, copies); err == nil && tree == tc.tree {
		j.trees = b.trees
	}
	return nil
}
