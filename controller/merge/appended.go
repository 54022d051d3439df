package merge

import (
	"bytes"
	"cmp"
	"slices"

	"memsync/internal/ledger"
)

// Union joins files that are lists of lines which anybody may add to, such as
// REVIEW.md: what both changed stands there twice, the earlier version's
// first. There is never a conflict.
func Union(base, ours, theirs Version) Result {
	if r, done := oneSided(base, ours, theirs); done {
		return r
	}
	early, late := byHash(ours, theirs)
	if !isText(early.Bytes) || !isText(late.Bytes) || !isText(base.Bytes) {
		return whole(early, late, "")
	}
	g := markdown
	g.union = true
	return byGrammar(g, Body, base, early, late, "")
}

// Ledger joins versions of one ledger file: each event once, in the order of
// their ids; different events under one id all stay, for the fold to judge.
// Lines that do not read come last, as they are. Nothing is ever taken away,
// not even by a side that has no such file.
func Ledger(versions ...[]byte) []byte {
	var lines []ledgerLine
	var only []byte
	several := false
	for _, v := range versions {
		switch {
		case v == nil || only != nil && bytes.Equal(v, only):
			continue
		case only != nil:
			several = true
		default:
			only = v
		}
	}
	if !several {
		return only
	}
	seen := map[string]bool{}
	for _, v := range versions {
		for _, l := range split(v).lines {
			if blank(l) || seen[l] {
				continue
			}
			seen[l] = true
			events, _ := ledger.Parse("", []byte(l))
			line := ledgerLine{text: l}
			if len(events) == 1 {
				line.id = string(events[0].ID)
				line.canonical = string(ledger.Append(nil, events...))
			}
			lines = append(lines, line)
		}
	}
	slices.SortFunc(lines, func(a, b ledgerLine) int {
		if (a.id == "") != (b.id == "") {
			return cmp.Compare(b.id, a.id)
		}
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.canonical, b.canonical), cmp.Compare(a.text, b.text))
	})
	lines = slices.CompactFunc(lines, func(a, b ledgerLine) bool { return a.id != "" && a.canonical == b.canonical })
	out := []byte{} // a file all the same
	for _, l := range lines {
		out = append(append(out, l.text...), '\n')
	}
	return out
}

// ledgerLine is one line; id and canonical are "" for one that does not read.
type ledgerLine struct{ text, id, canonical string }
