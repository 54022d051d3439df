package gitlog

import (
	"container/heap"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// walk visits commits, the youngest committer time first; ties go to the one
// found first. Each commit is read once and given out once.
type walk struct {
	r     *Repo
	cut   map[oid]bool // a shallow clone's boundary: parents are not here
	known map[oid]*node
	queue nodeQueue
	seq   int
}

// node is one commit of a walk.
type node struct {
	commitObject
	id     oid
	seq    int
	queued bool // it is in line, or was

	store   oid // tree of the store's directory, once it was asked for
	storeOK bool
}

func (r *Repo) newWalk() *walk {
	return &walk{r: r, cut: r.shallow(), known: map[oid]*node{}}
}

// shallow lists the commits whose parents a shallow clone does not have.
func (r *Repo) shallow() map[oid]bool {
	data, err := os.ReadFile(filepath.Join(r.common, "shallow"))
	if err != nil {
		return nil
	}
	out := map[oid]bool{}
	for _, line := range strings.Fields(string(data)) {
		if id, ok := r.kind.parseOID(line); ok {
			out[id] = true
		}
	}
	return out
}

// parents of a commit that this clone has.
func (w *walk) parents(n *node) []oid {
	if w.cut[n.id] {
		return nil
	}
	return n.parents
}

// push puts a commit in line, unless it was before.
func (w *walk) push(id oid) error {
	n, err := w.read(id)
	if err != nil || n.queued {
		return err
	}
	w.enqueue(n)
	return nil
}

// read gives the node of a commit without putting it in line.
func (w *walk) read(id oid) (*node, error) {
	if n := w.known[id]; n != nil {
		return n, nil
	}
	c, err := w.r.commitAt(id)
	if err != nil {
		return nil, err
	}
	n := &node{commitObject: c, id: id}
	w.known[id] = n
	return n, nil
}

// storeOf is the tree of the store's directory at a commit.
func (w *walk) storeOf(n *node) (oid, error) {
	if !n.storeOK {
		var err error
		if n.store, err = w.r.storeTree(n.tree); err != nil {
			return "", err
		}
		n.storeOK = true
	}
	return n.store, nil
}

// edge is what a commit changed against one of its parents; against nothing
// when it has none (parent is nil then).
type edge struct {
	parent  *node
	changes []fileDiff
}

type fileDiff struct {
	name     string // relative to the store
	from, to oid    // blobs, "" for absent
	mode     uint32 // of to
}

// edges compares a commit with each of its parents, below the store.
func (w *walk) edges(n *node) ([]edge, error) {
	mine, err := w.storeOf(n)
	if err != nil {
		return nil, err
	}
	var out []edge
	for _, id := range w.parents(n) {
		p, err := w.read(id)
		if err != nil {
			return nil, err
		}
		theirs, err := w.storeOf(p)
		if err != nil {
			return nil, err
		}
		e := edge{parent: p}
		if e.changes, err = w.compare(theirs, mine); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	if len(out) == 0 {
		e := edge{}
		if e.changes, err = w.compare("", mine); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

func (w *walk) compare(a, b oid) (out []fileDiff, err error) {
	err = w.r.diffTrees(a, b, "", func(name string, from, to treeItem) error {
		out = append(out, fileDiff{name, oid(from.id), oid(to.id), to.mode})
		return nil
	})
	return out, err
}

// made are the changes that a commit made itself: those that no parent has.
// They are told against the first parent.
func made(edges []edge) []fileDiff {
	if len(edges) == 1 {
		return edges[0].changes
	}
	count := map[string]int{}
	for _, e := range edges[1:] {
		for _, c := range e.changes {
			count[c.name]++
		}
	}
	var out []fileDiff
	for _, c := range edges[0].changes {
		if count[c.name] == len(edges)-1 {
			out = append(out, c)
		}
	}
	return out
}

func (w *walk) enqueue(n *node) {
	w.seq++
	n.seq, n.queued = w.seq, true
	heap.Push(&w.queue, n)
}

// next takes the youngest commit in line; ok is false when there is none.
func (w *walk) next() (n *node, ok bool, err error) {
	if len(w.queue) == 0 {
		return nil, false, nil
	}
	return heap.Pop(&w.queue).(*node), true, nil
}

type nodeQueue []*node

func (q nodeQueue) Len() int { return len(q) }
func (q nodeQueue) Less(i, j int) bool {
	if !q[i].committed.Equal(q[j].committed) {
		return q[i].committed.After(q[j].committed)
	}
	return q[i].seq < q[j].seq
}
func (q nodeQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *nodeQueue) Push(x any)   { *q = append(*q, x.(*node)) }
func (q *nodeQueue) Pop() any {
	old := *q
	n := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return n
}

// at is when a version was decided: its Memory-At, else its commit's
// time.
func (n *node) at() time.Time {
	for _, v := range trailersOf(n.message)["Memory-At"] {
		if t, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return t.UTC()
		}
	}
	return n.committed
}
