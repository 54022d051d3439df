package gitlog

import (
	"slices"

	"memsync"
)

// MergeBase is the youngest commit that two revisions have in common, the one
// that a branch left the other at; "" where they have none here, as in a
// shallow clone that ends above it. Of several best ones it is any, always the
// same.
func (r *Repo) MergeBase(a, b string) (string, error) {
	const ofA, ofB = 1, 2
	from, err := r.resolve(a)
	if err != nil {
		return "", err
	}
	to, err := r.resolve(b)
	if err != nil {
		return "", err
	}
	w := r.newWalk()
	side, inLine := map[oid]int{}, map[oid]bool{}
	mark := func(id oid, s int) error {
		if side[id]&s == s {
			return nil
		}
		side[id] |= s
		if inLine[id] {
			return nil
		}
		n, err := w.read(id)
		if err != nil {
			return err
		}
		inLine[id] = true
		w.enqueue(n) // again, where it was given out for the other side alone
		return nil
	}
	if err := mark(from, ofA); err != nil {
		return "", err
	}
	if err := mark(to, ofB); err != nil {
		return "", err
	}
	for {
		n, ok, err := w.next()
		if err != nil || !ok {
			return "", err
		}
		inLine[n.id] = false
		s := side[n.id]
		if s == ofA|ofB {
			return n.id.hex(), nil
		}
		for _, p := range w.parents(n) {
			if err := mark(p, s); err != nil {
				return "", err
			}
		}
	}
}

// bases are the best common ancestors of what two sets of commits reach: those
// that no other common ancestor reaches, by hash. A shallow clone that may lack
// some of them is CodeShallow.
func (r *Repo) bases(a, b []oid) ([]oid, error) {
	const ofA, ofB, stale = 1, 2, 4
	w := r.newWalk()
	marks, waiting := map[oid]int{}, 0
	inLine := map[oid]bool{}
	mark := func(id oid, m int) error {
		if marks[id]&m == m {
			return nil
		}
		fresh := marks[id]&stale == 0
		marks[id] |= m
		if inLine[id] {
			if fresh && marks[id]&stale != 0 {
				waiting--
			}
			return nil
		}
		n, err := w.read(id)
		if err != nil {
			return err
		}
		inLine[id] = true
		if marks[id]&stale == 0 {
			waiting++
		}
		w.enqueue(n)
		return nil
	}
	for _, id := range a {
		if err := mark(id, ofA); err != nil {
			return nil, err
		}
	}
	for _, id := range b {
		if err := mark(id, ofB); err != nil {
			return nil, err
		}
	}
	found := map[oid]bool{}
	cut := false // the clone ends where there may be more
	for waiting > 0 {
		n, ok, err := w.next()
		if err != nil || !ok {
			return nil, err
		}
		delete(inLine, n.id)
		m := marks[n.id]
		if m&stale == 0 {
			waiting--
		}
		if m == ofA|ofB {
			found[n.id] = true
			m |= stale
		}
		cut = cut || w.cut[n.id] && m&stale == 0
		for _, p := range w.parents(n) {
			if err := mark(p, m); err != nil {
				return nil, err
			}
		}
	}
	var out []oid
	for id := range found {
		if marks[id]&stale == 0 {
			out = append(out, id)
		}
	}
	if len(out) > 1 { // clocks that disagree may have let a reachable one through
		var best []oid
		for _, id := range out {
			reached := false
			for _, other := range out {
				if id == other {
					continue
				}
				under, err := r.IsAncestor(id.hex(), other.hex())
				if err != nil {
					return nil, err
				}
				reached = reached || under
			}
			if !reached {
				best = append(best, id)
			}
		}
		out = best
	}
	if cut || len(out) > 1 && len(w.cut) > 0 {
		return nil, shallowError()
	}
	slices.Sort(out)
	return out, nil
}

func shallowError() error {
	return &memsync.Error{Code: memsync.CodeSyncShallow, Message: "this clone is shallow and lacks the history that joining needs",
		Hint: "nothing was changed; `git fetch --unshallow` brings it"}
}
