package merge

import "slices"

// grammar says where a line begins something of its own, so that two edits
// that touch there do not touch each other's sense.
type grammar struct {
	item func(line string) bool // a line that needs nothing before it
	glue bool                   // keep blocks apart by a blank line

	union bool // no clash: where both sides changed the same lines, both stay
}

// starts reports whether lines[i] begins a block.
func (g grammar) starts(lines []string, i int) bool {
	return i >= len(lines) || i == 0 || blank(lines[i]) || blank(lines[i-1]) || g.item(lines[i])
}

// clash is a place where both sides changed the same lines: the later's stand
// in the result, the earlier's are lost from it.
type clash struct{ base, kept, lost []string }

// joiner joins two sides over a base. The sides are the earlier and the later.
type joiner struct {
	grammar
	base, early, late []string
	based             bool // there is a common ancestor; else base is what both sides have
	out               []string
	clashes           []clash
}

// join3 is diff3 on lines, with three departures from the textbook, each for
// files that people append to: edits that touch are both kept where a block
// begins at the seam; blocks that both sides inserted at one place are both
// kept, the earlier's first; lines that both took away, each from its own end,
// are all gone.
//
// With based false there is no ancestor, and what both sides have in common
// takes its place.
func join3(g grammar, base, early, late []string, based bool) ([]string, []clash) {
	ids := make(map[string]int32, len(base)+8)
	blanks := []bool{}
	number := func(lines []string) []int32 {
		out := make([]int32, len(lines))
		for i, l := range lines {
			id, ok := ids[l]
			if !ok {
				id = int32(len(ids))
				ids[l] = id
				blanks = append(blanks, blank(l))
			}
			out[i] = id
		}
		return out
	}
	isBlank := func(id int32) bool { return blanks[id] }
	ne, nl := number(early), number(late)
	if !based {
		base = common(early, diff(ne, nl, isBlank, len(ids)))
	}
	nb := number(base)
	j := &joiner{grammar: g, base: base, early: early, late: late, based: based}
	j.run(diff(nb, ne, isBlank, len(ids)), diff(nb, nl, isBlank, len(ids)))
	return j.out, j.clashes
}

// common are the lines that no edit touches.
func common(lines []string, edits []edit) []string {
	var out []string
	at := 0
	for _, e := range edits {
		out = append(out, lines[at:e.b0]...)
		at = e.b1
	}
	return append(out, lines[at:]...)
}

// run sweeps over both scripts. Edits that clash, directly or through others,
// form one region; everything else is taken as it is.
func (j *joiner) run(ee, le []edit) {
	at, e, l := 0, 0, 0 // next base line, next edit of each side
	for e < len(ee) || l < len(le) {
		e0, l0 := e, l
		switch {
		case l == len(le) || e < len(ee) && before(ee[e], le[l]):
			e++
		default:
			l++
		}
		for grown := true; grown; {
			grown = false
			if e < len(ee) && l > l0 && j.meet(ee[e], le[l-1]) {
				e, grown = e+1, true
			}
			if l < len(le) && e > e0 && j.meet(ee[e-1], le[l]) {
				l, grown = l+1, true
			}
		}
		b0, b1 := extent(ee[e0:e], le[l0:l])
		j.emit(j.base, at, b0)
		j.region(b0, b1, ee[e0:e], le[l0:l])
		at = b1
	}
	j.emit(j.base, at, len(j.base))
}

func before(x, y edit) bool {
	if x.b0 != y.b0 {
		return x.b0 < y.b0
	}
	return x.b1 < y.b1 // an insertion before what follows it
}

func extent(ee, le []edit) (b0, b1 int) {
	switch {
	case len(ee) == 0:
		return le[0].b0, le[len(le)-1].b1
	case len(le) == 0:
		return ee[0].b0, ee[len(ee)-1].b1
	}
	return min(ee[0].b0, le[0].b0), max(ee[len(ee)-1].b1, le[len(le)-1].b1)
}

// meet reports whether an edit of the earlier side and one of the later can't
// simply stand side by side.
func (j *joiner) meet(e, l edit) bool {
	switch {
	case e.b1 < l.b0 || l.b1 < e.b0:
		return false
	case e.inserts() && l.inserts():
		return true // at one place
	case e.b1 == l.b0:
		return !j.seam(l, j.late)
	case l.b1 == e.b0:
		return !j.seam(e, j.early)
	}
	return true
}

// seam reports whether a block begins where the edit next begins, in the base
// and in what replaces it, so that whatever now comes before it is apart.
func (j *joiner) seam(next edit, side []string) bool {
	if !next.inserts() && !j.starts(j.base, next.b0) {
		return false
	}
	return next.deletes() || j.starts(side, next.s0)
}

// region settles one stretch [b0, b1) of the base.
func (j *joiner) region(b0, b1 int, ee, le []edit) {
	es, ee1 := side(b0, b1, ee)
	ls, le1 := side(b0, b1, le)
	switch {
	case len(le) == 0:
		j.emit(j.early, es, ee1)
		return
	case len(ee) == 0:
		j.emit(j.late, ls, le1)
		return
	case slices.Equal(j.early[es:ee1], j.late[ls:le1]):
		j.emit(j.late, ls, le1)
		return
	case allDelete(ee) && allDelete(le):
		j.deleted(b0, b1, ee, le)
		return
	}
	if b0 == b1 && j.both(es, ee1, ls, le1) {
		j.union(es, ee1, ls, le1)
		return
	}
	// What both wrote at either end is settled.
	head, tail := 0, 0
	for es+head < ee1 && ls+head < le1 && j.early[es+head] == j.late[ls+head] {
		head++
	}
	for es+head < ee1-tail && ls+head < le1-tail && j.early[ee1-tail-1] == j.late[le1-tail-1] {
		tail++
	}
	j.emit(j.late, ls, ls+head)
	agreed := filled(j.late[ls:ls+head]) + filled(j.late[le1-tail:le1])
	j.settle(b0, b1, es+head, ee1-tail, ls+head, le1-tail, agreed)
	j.emit(j.late, le1-tail, le1)
}

// settle decides about the differing middle of a region, around which both
// sides wrote the same agreed lines.
func (j *joiner) settle(b0, b1, es, ee, ls, le, agreed int) {
	if j.based && (es == ee || ls == le) && agreed >= filled(j.base[b0:b1]) {
		// The same change on both sides, and one of them added more.
		j.emit(j.early, es, ee)
		j.emit(j.late, ls, le)
		return
	}
	j.clash(b0, b1, es, ee, ls, le)
}

func (j *joiner) clash(b0, b1, es, ee, ls, le int) {
	if j.grammar.union {
		j.emit(j.early, es, ee)
		j.emit(j.late, ls, le)
		return
	}
	j.emit(j.late, ls, le)
	j.clashes = append(j.clashes, clash{trimBlank(j.base[b0:b1]), trimBlank(j.late[ls:le]), trimBlank(j.early[es:ee])})
}

func trimBlank(lines []string) []string {
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// both reports whether two insertions at one place may both stay. Without an
// ancestor two texts at one place are more likely two drafts of one thing, so
// only lists are joined then.
func (j *joiner) both(es, ee, ls, le int) bool {
	if !j.based {
		return j.items(j.early[es:ee]) && j.items(j.late[ls:le])
	}
	return j.starts(j.early, es) && j.starts(j.late, ls)
}

func (j *joiner) items(lines []string) bool {
	for _, l := range lines {
		if !blank(l) && !j.item(l) {
			return false
		}
	}
	return true
}

// side maps a stretch of the base to one side, whose edits in it are given.
func side(b0, b1 int, edits []edit) (s0, s1 int) {
	if len(edits) == 0 {
		return 0, 0
	}
	first, last := edits[0], edits[len(edits)-1]
	return first.s0 - (first.b0 - b0), last.s1 + (b1 - last.b1)
}

// filled counts the lines that are not blank.
func filled(lines []string) int {
	n := 0
	for _, l := range lines {
		if !blank(l) {
			n++
		}
	}
	return n
}

func allDelete(edits []edit) bool {
	return !slices.ContainsFunc(edits, func(e edit) bool { return !e.deletes() })
}

// deleted keeps the base lines that neither side took away.
func (j *joiner) deleted(b0, b1 int, ee, le []edit) {
	for i := b0; i < b1; i++ {
		gone := func(e edit) bool { return e.b0 <= i && i < e.b1 }
		if !slices.ContainsFunc(ee, gone) && !slices.ContainsFunc(le, gone) {
			j.emit(j.base, i, i+1)
		}
	}
}

// emit appends lines[from:to]. Where two blocks come together that no version
// has side by side, a blank line keeps them apart.
func (j *joiner) emit(lines []string, from, to int) {
	if from >= to {
		return
	}
	if n := len(j.out); j.glue && n > 0 {
		last, next := j.out[n-1], lines[from]
		native := from > 0 && !blank(lines[from-1])
		if !native && !blank(last) && !blank(next) && !(j.item(last) && j.item(next)) && !j.adjacent(last, next) {
			j.out = append(j.out, "")
		}
	}
	j.out = append(j.out, lines[from:to]...)
}

// adjacent reports whether some version has the two lines in a row.
func (j *joiner) adjacent(last, next string) bool {
	for _, lines := range [][]string{j.base, j.early, j.late} {
		for i := 1; i < len(lines); i++ {
			if lines[i-1] == last && lines[i] == next {
				return true
			}
		}
	}
	return false
}
