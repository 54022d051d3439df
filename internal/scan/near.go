package scan

import (
	"math/bits"
	"strings"
)

// clause is a set of texts one of which stands in every match of a rule. It is
// derived from the rule's expression.
type clause struct {
	anchors string // the bytes at which its atoms are looked for, each in one case, if they are few and no letters; or ""
	table   [4]uint64
	atoms   []atom
}

// atom is a text in lower case, compared without regard to ASCII case; on
// either side it may have to begin or end a word.
type atom struct {
	text        string
	at          int // of the byte that is looked for in a window
	gram        int // of three of its bytes, or of both, that is looked for in the whole text
	left, right bool
}

// mostClauses is how many a rule has.
const mostClauses = 4

// in reports whether one of the atoms stands in w, of those whose bits are in live.
func (c *clause) in(w string, live uint64) bool {
	if live == 0 {
		return false
	}
	if c.anchors != "" {
		for i := range len(c.anchors) {
			for from := 0; ; from++ {
				j := strings.IndexByte(w[from:], c.anchors[i])
				if j < 0 {
					break
				}
				from += j
				if c.at(w, from, live) {
					return true
				}
			}
		}
		return false
	}
	for i := range len(w) {
		if b := w[i]; c.table[b>>6]>>(b&63)&1 != 0 && c.at(w, i, live) {
			return true
		}
	}
	return false
}

// at reports whether one of the atoms stands where its anchor is w[i].
func (c *clause) at(w string, i int, live uint64) bool {
	b := lowered(w[i])
	for ; live != 0; live &= live - 1 {
		a := &c.atoms[bits.TrailingZeros64(live)]
		if a.text[a.at] != b || i < a.at {
			continue
		}
		start := i - a.at
		if prefixFold(w[start:], a.text) && (!a.left || boundary(w, start)) && (!a.right || boundary(w, start+len(a.text))) {
			return true
		}
	}
	return false
}

// boundary is \b: a word begins or ends before w[i].
func boundary(w string, i int) bool {
	before := i > 0 && wordRune(rune(w[i-1]))
	after := i < len(w) && wordRune(rune(w[i]))
	return before != after
}

// foldsToASCII reports whether w holds ſ or K, which (?i) counts as s and k:
// clauses are derived without them.
func foldsToASCII(w string) bool {
	return strings.Contains(w, "\u017F") || strings.Contains(w, "\u212A")
}
