package gitlog

import (
	"crypto/sha256"
	"time"

	"memsync"
)

// DerivedIDs gives the ids of files that carry none, so that two machines
// agree without asking each other: the time is the author time, the entropy
// the SHA-256 of path, NUL and blob id, both of the oldest commit in which the
// path exists without interruption up to HEAD. Oldest means among the commits
// that brought the path (no parent has it): smallest author time, then
// smallest commit id; a commit further up never counts, whatever its clock
// says, so that new commits don't change an id.
//
// Paths that HEAD does not hold are in neither answer. shallow lists paths
// whose beginning may lie behind a shallow clone's boundary: they have no id
// here. All paths share one walk.
func (r *Repo) DerivedIDs(paths []memsync.Path) (ids map[memsync.Path]memsync.ID, shallow []memsync.Path, err error) {
	_, head, err := r.head()
	if err != nil || head == "" {
		return map[memsync.Path]memsync.ID{}, nil, err
	}
	return r.derivedIDs([]oid{head}, paths)
}

// derivedIDs is DerivedIDs as a commit with these parents, each of which may
// have a path, would say it.
func (r *Repo) derivedIDs(heads []oid, paths []memsync.Path) (ids map[memsync.Path]memsync.ID, shallow []memsync.Path, err error) {
	ids = map[memsync.Path]memsync.ID{}
	if len(paths) == 0 {
		return ids, nil, nil
	}
	w := r.newWalk()
	d := &derivation{walk: w, index: make(map[string]int, len(paths)), births: make([]birth, len(paths)),
		live: map[oid]bitset{}, done: map[oid]bitset{}, cut: newBitset(len(paths))}
	for i, p := range paths {
		d.index[string(p)] = i
	}
	for _, head := range heads {
		start, err := w.read(head)
		if err != nil {
			return nil, nil, err
		}
		first := newBitset(len(paths))
		store, err := w.storeOf(start)
		if err != nil {
			return nil, nil, err
		}
		if store != "" {
			err = r.listTree(store, "", func(name string, item treeItem) {
				if i, ok := d.index[name]; ok {
					first.set(i)
				}
			})
			if err != nil {
				return nil, nil, err
			}
		}
		if d.live[head] == nil {
			d.live[head] = first
			w.enqueue(start)
		}
	}
	for {
		n, ok, err := w.next()
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			break
		}
		n.queued = false
		if err := d.visit(n); err != nil {
			return nil, nil, err
		}
	}
	for i, p := range paths {
		switch {
		case d.index[string(p)] != i:
			// named twice
		case d.cut.has(i):
			shallow = append(shallow, p)
		case d.births[i].commit != "":
			ids[p] = d.births[i].id(p)
		}
	}
	return ids, shallow, nil
}

// birth is where a path began.
type birth struct {
	commit oid
	at     time.Time
	blob   oid
}

func (b birth) id(p memsync.Path) memsync.ID {
	sum := sha256.Sum256([]byte(string(p) + "\x00" + b.blob.hex()))
	at := b.at
	if at.Before(time.Unix(0, 0)) {
		at = time.Unix(0, 0) // a ULID has no time before that
	}
	return memsync.MakeID(at, [10]byte(sum[:10]))
}

// derivation is one walk. live says, per commit, which paths exist there in an
// unbroken line up to HEAD.
type derivation struct {
	walk   *walk
	index  map[string]int
	births []birth
	live   map[oid]bitset
	done   map[oid]bitset
	cut    bitset
}

func (d *derivation) visit(n *node) error {
	now := d.live[n.id].clone()
	done := d.done[n.id]
	if done == nil {
		done = newBitset(len(d.births))
		d.done[n.id] = done
	}
	now.minus(done)
	if now.empty() {
		return nil
	}
	done.merge(now)
	if d.walk.cut[n.id] {
		d.cut.merge(now)
		return nil
	}
	edges, err := d.walk.edges(n)
	if err != nil {
		return err
	}
	born := now.clone()
	blobs := map[int]oid{}
	for _, e := range edges {
		if e.parent == nil {
			for _, c := range e.changes {
				if i, ok := d.index[c.name]; ok {
					blobs[i] = c.to
				}
			}
			continue
		}
		has := now.clone() // what this parent has, too
		for _, c := range e.changes {
			if i, ok := d.index[c.name]; ok && c.from == "" && now.has(i) {
				has.unset(i)
				blobs[i] = c.to
			}
		}
		born.minus(has)
		if has.empty() {
			continue
		}
		live := d.live[e.parent.id]
		if live == nil {
			live = newBitset(len(d.births))
			d.live[e.parent.id] = live
		}
		if live.merge(has) && !e.parent.queued {
			d.walk.enqueue(e.parent)
		}
	}
	born.each(func(i int) {
		b := &d.births[i]
		if b.commit == "" || n.authored.Before(b.at) || n.authored.Equal(b.at) && n.id < b.commit {
			*b = birth{n.id, n.authored, blobs[i]}
		}
	})
	return nil
}
