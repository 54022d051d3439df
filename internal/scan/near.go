package scan

import (
	"math/bits"
	"strings"
)

// clause is a set of texts one of which stands in every match of a rule. It is
// derived from the rule's expression.
type clause struct {
	atoms []atom // at most 64
}

// atom is a text in lower case, compared without regard to ASCII case; on
// either side it may have to begin or end a word.
type atom struct {
	text        string
	at          int // of the byte that is looked for in a window
	gram, also  int // of three of its bytes, or of both, that are looked for in the whole text
	left, right bool
}

// mostClauses is how many a rule has.
const mostClauses = 4

// in reports whether one of the atoms stands in w, of those whose bits are in
// live. Without edges, words may begin and end anywhere.
func (c *clause) in(w string, live uint64, edges bool) bool {
	var anchors [4]uint64
	single := byte(0) // the only anchor, if it has one case
	for set := live; set != 0; set &= set - 1 {
		a := &c.atoms[bits.TrailingZeros64(set)]
		b := a.text[a.at]
		anchors[b>>6] |= 1 << (b & 63)
		letter := 'a' <= b && b <= 'z'
		if letter {
			b -= 'a' - 'A'
			anchors[b>>6] |= 1 << (b & 63)
		}
		if set == live && !letter {
			single = b
		} else if b != single {
			single = 0
		}
	}
	for i := 0; i < len(w); i++ {
		if single != 0 {
			j := strings.IndexByte(w[i:], single)
			if j < 0 {
				return false
			}
			i += j
		} else if b := w[i]; anchors[b>>6]>>(b&63)&1 == 0 {
			continue
		}
		if c.at(w, i, live, edges) {
			return true
		}
	}
	return false
}

// at reports whether one of the atoms stands where its anchor is w[i].
func (c *clause) at(w string, i int, live uint64, edges bool) bool {
	b := lowered(w[i])
	for ; live != 0; live &= live - 1 {
		a := &c.atoms[bits.TrailingZeros64(live)]
		if a.text[a.at] != b || i < a.at {
			continue
		}
		start := i - a.at
		if prefixFold(w[start:], a.text) && (!edges || (!a.left || boundary(w, start)) && (!a.right || boundary(w, start+len(a.text)))) {
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
