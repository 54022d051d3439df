package gitlog

import (
	"time"

	"memsync"
)

// LogQuery asks for versions.
type LogQuery struct {
	Paths  []memsync.Path // files; empty: all of the store
	From   string         // revision to start at; "" is HEAD
	After  string         // cursor: only what comes below this commit
	Before string         // stop before this commit
	Limit  int            // 0: no limit
}

// Version is one commit as history shows it.
type Version struct {
	Commit   string
	Parents  []string
	Author   Ident
	When     time.Time // committer's time
	At       time.Time // Memory-At, else When
	Subject  string
	Trailers map[string][]string
	Changes  []TreeChange // against the first parent, below the store, of the paths asked for
}

func (n *node) version() Version {
	v := Version{Commit: n.id.hex(), Author: n.author, When: n.committed, At: n.at(),
		Subject: subjectOf(n.message), Trailers: trailersOf(n.message)}
	for _, p := range n.parents {
		v.Parents = append(v.Parents, p.hex())
	}
	return v
}

// trail is what is still looked for at a commit: paths that exist there, and
// paths that do not yet (their last version is a deletion further down).
type trail struct {
	present, absent         bitset // waiting to be looked at
	presentDone, absentDone bitset
	shown                   int // place among the answers, -1 for none
}

// Log lists the commits that changed a file, youngest first by committer time;
// a commit comes before its parents, save where the clocks of two branches
// disagree. A merge is listed when its file is that of no parent. A path is
// followed back through its uninterrupted existence, to the commit that
// brought it; for one that is gone, from its deletion. Renames are two paths:
// who asks knows them by the memory's id.
func (r *Repo) Log(q LogQuery) ([]Version, error) {
	start, err := r.treeOf(q.From)
	_ = start
	if err != nil {
		return nil, err
	}
	from := q.From
	if from == "" {
		from = "HEAD"
	}
	head, err := r.resolve(from)
	if err != nil {
		if _, id, herr := r.head(); herr == nil && id == "" && from == "HEAD" {
			return nil, nil
		}
		return nil, err
	}
	l := &logWalk{walk: r.newWalk(), q: q, paths: map[string]int{}, trails: map[oid]*trail{}, skipping: q.After != ""}
	for i, p := range q.Paths {
		l.paths[string(p)] = i
	}
	if err := l.begin(head); err != nil {
		return nil, err
	}
	for {
		n, ok, err := l.walk.next()
		if err != nil {
			return nil, err
		}
		if !ok || q.Before != "" && n.id.hex() == q.Before {
			return l.out, nil
		}
		n.queued = false
		if err := l.visit(n); err != nil {
			return nil, err
		}
		if q.Limit > 0 && len(l.out) >= q.Limit {
			return l.out[:q.Limit], nil
		}
	}
}

type logWalk struct {
	walk     *walk
	q        LogQuery
	paths    map[string]int
	trails   map[oid]*trail
	skipping bool // the cursor has not been met
	out      []Version
}

func (l *logWalk) trail(id oid) *trail {
	t := l.trails[id]
	if t == nil {
		n := len(l.q.Paths)
		t = &trail{newBitset(n), newBitset(n), newBitset(n), newBitset(n), -1}
		l.trails[id] = t
	}
	return t
}

func (l *logWalk) begin(head oid) error {
	n, err := l.walk.read(head)
	if err != nil {
		return err
	}
	t := l.trail(head)
	if len(l.q.Paths) > 0 {
		store, err := l.walk.storeOf(n)
		if err != nil {
			return err
		}
		for i, p := range l.q.Paths {
			item, err := l.walk.r.lookupIn(store, string(p))
			if err != nil {
				return err
			}
			if len(item.id) > 0 {
				t.present.set(i)
			} else {
				t.absent.set(i)
			}
		}
	}
	l.walk.enqueue(n)
	return nil
}

// lookupIn is lookup in a tree that may be absent.
func (r *Repo) lookupIn(tree oid, name string) (treeItem, error) {
	if tree == "" {
		return treeItem{}, nil
	}
	return r.lookup(tree, name)
}

// visit looks at one commit for the paths that wait there, and hands what is
// left to its parents.
func (l *logWalk) visit(n *node) error {
	edges, err := l.walk.edges(n)
	if err != nil {
		return err
	}
	t := l.trail(n.id)
	if len(l.q.Paths) == 0 {
		if t.shown < 0 {
			l.show(n, t, made(edges))
		}
		for _, e := range edges {
			if e.parent != nil && l.trails[e.parent.id] == nil {
				l.trail(e.parent.id)
				l.walk.enqueue(e.parent)
			}
		}
		return nil
	}
	present, absent := t.present.clone(), t.absent.clone()
	present.minus(t.presentDone)
	absent.minus(t.absentDone)
	t.presentDone.merge(present)
	t.absentDone.merge(absent)
	var own []fileDiff
	for _, c := range made(edges) {
		if i, ok := l.paths[c.name]; ok && (present.has(i) || absent.has(i)) {
			own = append(own, c)
		}
	}
	l.show(n, t, own)
	for _, e := range edges {
		if e.parent == nil {
			continue
		}
		p, a := present.clone(), absent.clone()
		for _, c := range e.changes {
			i, ok := l.paths[c.name]
			switch {
			case !ok:
			case c.from == "":
				p.unset(i) // it began here
			case absent.has(i) && c.to == "":
				a.unset(i) // it ended here
				p.set(i)
			}
		}
		pt := l.trail(e.parent.id)
		grew := pt.present.merge(p)
		grew = pt.absent.merge(a) || grew
		if grew && !e.parent.queued {
			l.walk.enqueue(e.parent)
		}
	}
	return nil
}

// show adds a commit to the answer, or to its line there.
func (l *logWalk) show(n *node, t *trail, own []fileDiff) {
	if len(own) == 0 {
		if n.id.hex() == l.q.After {
			l.skipping = false
		}
		return
	}
	if l.skipping {
		if n.id.hex() == l.q.After {
			l.skipping = false
		}
		return
	}
	if t.shown < 0 {
		t.shown = len(l.out)
		l.out = append(l.out, n.version())
	}
	v := &l.out[t.shown]
	for _, c := range own {
		v.Changes = append(v.Changes, TreeChange{memsync.Path(c.name), c.from.hex(), c.to.hex()})
	}
}
