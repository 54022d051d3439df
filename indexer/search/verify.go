package search

import (
	"iter"
	"slices"
	"strings"

	"memsync"
)

// Difference is a memory of which the index and what it should hold disagree.
type Difference struct {
	Path memsync.Path
	Want memsync.Hash // "": the index should not have it
	Have memsync.Hash // "": the index does not have it
}

// compare names every difference, by path. It uses up have.
func compare(have map[memsync.Path]memsync.Hash, want iter.Seq2[memsync.Path, memsync.Hash]) (diffs []Difference) {
	for p, h := range want {
		if got := have[p]; got != h {
			diffs = append(diffs, Difference{Path: p, Want: h, Have: got})
		}
		delete(have, p)
	}
	for p, h := range have {
		diffs = append(diffs, Difference{Path: p, Have: h})
	}
	slices.SortFunc(diffs, func(a, b Difference) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return diffs
}

// What says it in words.
func (d Difference) What() string {
	switch {
	case d.Want == "":
		return "it is in the search index and should not be"
	case d.Have == "":
		return "it is missing from the search index"
	}
	return "the search index has another version of it"
}
