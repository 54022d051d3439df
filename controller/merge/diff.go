package merge

import (
	"slices"
	"sort"
)

// edit replaces the lines [b0, b1) of the base by the lines [s0, s1) of a
// side. Two edits of one diff have at least one untouched base line between
// them.
type edit struct{ b0, b1, s0, s1 int }

func (e edit) inserts() bool { return e.b0 == e.b1 }
func (e edit) deletes() bool { return e.s0 == e.s1 }

// match is a run of equal lines.
type match struct{ b, s, n int }

// maxSteps bounds the search for an edit script where no unique line helps:
// beyond 1,000 insertions and deletions the stretch counts as replaced. It
// bounds memory to 4 MB and time to milliseconds; the number is a guess.
const maxSteps = 1000

// differ compares line numbers (equal lines have equal numbers).
type differ struct {
	base, side []int32
	matches    []match
	count      []tally // by line number
}

// tally is where a line stands in the stretch under comparison.
type tally struct{ base, side, at int32 }

// diff gives the edits that turn base into side: paragraphs that are unique on
// both sides are aligned first, then lines that are unique (patience diff,
// Bram Cohen), then what is left by the greedy algorithm of Myers (1986).
func diff(base, side []int32, blankID func(int32) bool, numbers int) []edit {
	d := differ{base: base, side: side, count: make([]tally, numbers)}
	b0, s0, b1, s1 := 0, 0, len(base), len(side)
	d.trim(&b0, &b1, &s0, &s1, func() {
		d.paragraphs(b0, b1, s0, s1, blankID)
	})
	return d.edits()
}

// trim takes equal lines off both ends, lets inner see the rest, and records
// the ends in order.
func (d *differ) trim(b0, b1, s0, s1 *int, inner func()) {
	fb, fs := *b0, *s0
	for *b0 < *b1 && *s0 < *s1 && d.base[*b0] == d.side[*s0] {
		*b0++
		*s0++
	}
	if *b0 > fb {
		d.matches = append(d.matches, match{fb, fs, *b0 - fb})
	}
	n := 0
	for *b0 < *b1 && *s0 < *s1 && d.base[*b1-1] == d.side[*s1-1] {
		*b1--
		*s1--
		n++
	}
	eb, es := *b1, *s1
	if *b0 < *b1 && *s0 < *s1 {
		inner()
	}
	if n > 0 {
		d.matches = append(d.matches, match{eb, es, n})
	}
}

// paragraphs aligns runs of non-blank lines that stand exactly once on each
// side.
func (d *differ) paragraphs(b0, b1, s0, s1 int, blankID func(int32) bool) {
	type place struct{ b, s, nb, ns, len int }
	found := map[uint64]place{}
	runs := func(lines []int32, from, to int, see func(h uint64, at, n int)) {
		for i := from; i < to; {
			if blankID(lines[i]) {
				i++
				continue
			}
			h, j := uint64(14695981039346656037), i // FNV-1a over line numbers
			for ; j < to && !blankID(lines[j]); j++ {
				h = (h ^ uint64(lines[j])) * 1099511628211
			}
			see(h, i, j-i)
			i = j
		}
	}
	runs(d.base, b0, b1, func(h uint64, at, n int) {
		p := found[h]
		p.b, p.len, p.nb = at, n, p.nb+1
		found[h] = p
	})
	runs(d.side, s0, s1, func(h uint64, at, n int) {
		p, ok := found[h]
		if ok {
			p.s, p.ns = at, p.ns+1
			found[h] = p
		}
	})
	var pairs []match
	for _, p := range found {
		if p.nb == 1 && p.ns == 1 && slices.Equal(d.base[p.b:p.b+p.len], d.side[p.s:min(p.s+p.len, s1)]) {
			pairs = append(pairs, match{p.b, p.s, p.len})
		}
	}
	slices.SortFunc(pairs, func(p, q match) int { return p.s - q.s })
	d.between(rising(pairs), b0, b1, s0, s1, d.lines)
}

// lines aligns lines that stand exactly once on each side of a stretch, and
// recurses between them; where there is none it searches.
func (d *differ) lines(b0, b1, s0, s1 int) {
	for i := b0; i < b1; i++ {
		d.count[d.base[i]] = tally{}
	}
	for i := s0; i < s1; i++ {
		d.count[d.side[i]] = tally{}
	}
	for i := b0; i < b1; i++ {
		c := &d.count[d.base[i]]
		c.base, c.at = c.base+1, int32(i)
	}
	for i := s0; i < s1; i++ {
		d.count[d.side[i]].side++
	}
	var pairs []match
	for i := s0; i < s1; i++ {
		if c := d.count[d.side[i]]; c.base == 1 && c.side == 1 {
			pairs = append(pairs, match{int(c.at), i, 1})
		}
	}
	if len(pairs) == 0 {
		d.search(b0, b1, s0, s1)
		return
	}
	d.between(rising(pairs), b0, b1, s0, s1, d.lines)
}

// between records the anchors and hands the stretches between them to inner.
func (d *differ) between(anchors []match, b0, b1, s0, s1 int, inner func(b0, b1, s0, s1 int)) {
	b, s := b0, s0
	step := func(eb, es int) {
		lb, ls, hb, hs := b, s, eb, es
		d.trim(&lb, &hb, &ls, &hs, func() { inner(lb, hb, ls, hs) })
	}
	for _, a := range anchors {
		step(a.b, a.s)
		d.matches = append(d.matches, a)
		b, s = a.b+a.n, a.s+a.n
	}
	step(b1, s1)
}

// rising is a longest subsequence of pairs, sorted by s, that rises in b too.
func rising(pairs []match) []match {
	if len(pairs) < 2 {
		return pairs
	}
	ends := make([]int, 0, len(pairs)) // ends[k]: index of the best end of a run of k+1
	prev := make([]int, len(pairs))
	for i, p := range pairs {
		k := sort.Search(len(ends), func(k int) bool { return pairs[ends[k]].b >= p.b })
		prev[i] = -1
		if k > 0 {
			prev[i] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, i)
		} else {
			ends[k] = i
		}
	}
	out := make([]match, len(ends))
	for i, k := ends[len(ends)-1], len(ends)-1; i >= 0; i, k = prev[i], k-1 {
		out[k] = pairs[i]
	}
	return out
}

// search finds a shortest edit script of a stretch, or gives up after maxSteps
// and leaves it replaced.
func (d *differ) search(b0, b1, s0, s1 int) {
	n, m := b1-b0, s1-s0
	limit := min(n+m, maxSteps)
	trace := make([][]int32, 0, 8)
	v := make([]int32, 2*limit+3)
	mid := limit + 1
	for steps := 0; steps <= limit; steps++ {
		for k := -steps; k <= steps; k += 2 {
			var x int
			if k == -steps || k != steps && v[mid+k-1] < v[mid+k+1] {
				x = int(v[mid+k+1])
			} else {
				x = int(v[mid+k-1]) + 1
			}
			y := x - k
			for x < n && y < m && d.base[b0+x] == d.side[s0+y] {
				x++
				y++
			}
			v[mid+k] = int32(x)
			if x >= n && y >= m {
				d.backtrack(trace, b0, s0, n, m, steps)
				return
			}
		}
		trace = append(trace, slices.Clone(v[mid-steps:mid+steps+1]))
	}
}

// backtrack walks a finished search home and records its diagonals.
func (d *differ) backtrack(trace [][]int32, b0, s0, x, y, steps int) {
	var found []match
	for ; steps > 0; steps-- {
		v, mid := trace[steps-1], steps-1
		at := func(k int) int {
			if k < -mid || k > mid {
				return -1
			}
			return int(v[mid+k])
		}
		k := x - y
		pk := k - 1
		if k == -steps || k != steps && at(k-1) < at(k+1) {
			pk = k + 1
		}
		px := at(pk)
		py := px - pk
		sx := px // where the diagonal starts: after the one step
		if pk == k-1 {
			sx++
		}
		if n := x - sx; n > 0 {
			found = append(found, match{b0 + sx, s0 + sx - k, n})
		}
		x, y = px, py
	}
	if x > 0 {
		found = append(found, match{b0, s0, x})
	}
	for _, m := range slices.Backward(found) {
		d.matches = append(d.matches, m)
	}
}

// edits are the gaps between the matches.
func (d *differ) edits() []edit {
	var out []edit
	b, s := 0, 0
	gap := func(eb, es int) {
		if b < eb || s < es {
			out = append(out, edit{b, eb, s, es})
		}
	}
	for _, m := range d.matches {
		gap(m.b, m.s)
		b, s = m.b+m.n, m.s+m.n
	}
	gap(len(d.base), len(d.side))
	return out
}
