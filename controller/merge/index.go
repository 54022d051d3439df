package merge

import (
	"slices"
	"strings"

	"memsync/internal/format"
)

// Index joins two versions of MEMORY.md: the generated region, people's text
// above it and people's text below it each by itself. A line that lists a
// memory is known by what it links, so two that say different things of one
// memory are one entry, and entries that both sides added are all kept; every
// other line is joined as text.
//
// An entry of people's that both sides changed is the later one's, the other is
// a conflict; so is an entry that one side changed and the other took away.
// What the region says is made anew from the memories afterwards, so nothing
// in it is ever a conflict but lines that no program writes.
//
// A version whose markers do not pair is joined by lines.
func Index(base, ours, theirs Version) Result {
	if r, done := oneSided(base, ours, theirs); done {
		return r
	}
	early, late := byHash(ours, theirs)
	j := indexJoin{early: early, late: late, based: base.Bytes != nil}
	for i, v := range [3]Version{base, early, late} {
		x, err := format.ParseIndex(v.Bytes)
		if err != nil {
			return Lines(base, ours, theirs)
		}
		j.side[i] = takeIndex(x)
	}
	out := j.join()
	if x, err := format.ParseIndex(out.Bytes); err == nil && x.HasRegion() == j.region {
		return out
	}
	if out = Lines(base, ours, theirs); out.Bytes != nil {
		if _, err := format.ParseIndex(out.Bytes); err == nil {
			return out
		}
	}
	return whole(early, late, "") // a marker that stood in a code fence, which the other side took away
}

// oneSided is simple for files of which no deletion is a wish to be kept.
func oneSided(base, ours, theirs Version) (Result, bool) {
	switch {
	case same(ours.Bytes, theirs.Bytes), same(base.Bytes, theirs.Bytes):
		return Result{Bytes: ours.Bytes}, true
	case same(base.Bytes, ours.Bytes), ours.Bytes == nil:
		return Result{Bytes: theirs.Bytes}, true
	case theirs.Bytes == nil:
		return Result{Bytes: ours.Bytes}, true
	}
	return Result{}, false
}

const (
	base3 = iota
	early3
	late3
)

// The parts of a MEMORY.md, in the order of the file.
const (
	above = iota
	inside
	below
)

// indexSide is one version taken apart.
type indexSide struct {
	text
	region bool
	part   [3][]string          // lines; those that list a memory as tokens
	entry  [3]map[string]string // by token, the line as it stands there
}

// token stands for an entry. No line of a text file holds a NUL.
const token = "- \x00"

func takeIndex(x *format.Index) indexSide {
	s := indexSide{text: split(x.Bytes()), region: x.HasRegion()}
	from, to := x.InnerLines()
	for p := range s.entry {
		s.entry[p] = map[string]string{}
	}
	for i, l := range s.lines {
		p := above
		switch {
		case !s.region || i < from-1:
		case i == from-1 || i == to:
			continue // a marker
		case i < to:
			p = inside
		default:
			p = below
		}
		if e, ok := format.ParseIndexEntry(l); ok && !x.Lines[i].Fenced {
			t := token + e.Target
			if _, twice := s.entry[p][t]; !twice {
				s.entry[p][t] = l
				l = t
			}
		}
		s.part[p] = append(s.part[p], l)
	}
	return s
}

// indexJoin joins three versions; the second of side is the earlier.
type indexJoin struct {
	early, late Version
	based       bool
	side        [3]indexSide
	region      bool
	clashes     []clash
}

func (j *indexJoin) join() Result {
	j.region = j.side[late3].region
	if j.based && j.side[base3].region == j.region {
		j.region = j.side[early3].region
	} else if !j.based {
		j.region = j.region || j.side[early3].region
	}
	t := text{lines: j.part(above)}
	if j.region {
		t.lines = append(t.lines, format.IndexBegin)
		t.lines = append(t.lines, j.part(inside)...)
		t.lines = append(t.lines, format.IndexEnd)
	}
	t.lines = append(t.lines, j.part(below)...)
	if j.based {
		t.manners(&j.side[base3].text, j.side[early3].text, j.side[late3].text)
	} else {
		t.manners(nil, j.side[early3].text, j.side[late3].text)
	}
	r := Result{Bytes: t.bytes()}
	if len(j.clashes) > 0 {
		rec := Record{Kind: Body, Kept: j.late.Time, Lost: j.early.Time, Places: places(j.clashes)}
		r.Conflicts = append(r.Conflicts, rec.Conflict())
	}
	return r
}

// part joins one part and puts the entries in for their tokens.
func (j *indexJoin) part(p int) []string {
	lines, clashes := join3(markdown, j.side[base3].part[p], j.side[early3].part[p], j.side[late3].part[p], j.based)
	for _, c := range clashes {
		c = clash{base: j.written(c.base, p, base3), kept: j.written(c.kept, p, late3), lost: j.written(c.lost, p, early3)}
		if p != inside || slices.ContainsFunc(c.lost, people) {
			j.clashes = append(j.clashes, c)
		}
	}
	seen := map[string]bool{}
	out := lines[:0:0]
	for _, l := range lines {
		if strings.HasPrefix(l, token) {
			if seen[l] {
				continue
			}
			seen[l] = true
			l = j.entry(p, l)
		}
		out = append(out, l)
	}
	if p != inside {
		j.droppedEntries(p, seen)
	}
	return out
}

// entry is what the line of an entry says.
func (j *indexJoin) entry(p int, t string) string {
	b, e, l := j.side[base3].entry[p][t], j.side[early3].entry[p][t], j.side[late3].entry[p][t]
	switch {
	case l == "" && e == "":
		return b
	case l == "" || e != "" && l == b:
		return e
	case e == "" || e == b || e == l:
		return l
	}
	if p != inside {
		j.clashes = append(j.clashes, clash{base: filledLine(b), kept: []string{l}, lost: []string{e}})
	}
	return l
}

// droppedEntries keeps what one side wrote into an entry that the other one
// took away.
func (j *indexJoin) droppedEntries(p int, kept map[string]bool) {
	for _, s := range [2]int{early3, late3} {
		for _, t := range j.side[s].part[p] {
			b, was := j.side[base3].entry[p][t]
			if l := j.side[s].entry[p][t]; was && l != "" && l != b && !kept[t] {
				j.clashes = append(j.clashes, clash{base: []string{b}, lost: []string{l}})
			}
		}
	}
}

// written are lines with the entries of one version in place of tokens.
func (j *indexJoin) written(lines []string, p, side int) []string {
	out := slices.Clone(lines)
	for i, t := range out {
		if strings.HasPrefix(t, token) {
			for _, s := range [3]int{side, late3, early3} {
				if l := j.side[s].entry[p][t]; l != "" {
					out[i] = l
					break
				}
			}
		}
	}
	return out
}

// people reports whether a line of the region is none that a program writes.
func people(line string) bool {
	_, entry := format.ParseIndexEntry(line)
	return !entry && !blank(line) && !strings.HasPrefix(line, "## ") && !strings.HasPrefix(line, "- ")
}

func filledLine(l string) []string {
	if l == "" {
		return nil
	}
	return []string{l}
}
