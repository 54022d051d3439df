package gitlog

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
