package scan

import (
	"math/bits"
	"strings"
)

// met is a keyword met in the text.
type met struct {
	rule       int32
	start, end int32
}

// A keyword is looked up by its first three bytes, of which five bits each
// count: those bits are the same for both cases of a letter. What else shares
// them is told apart by comparing.
const (
	gramBits = 5
	gramMask = 1<<(3*gramBits) - 1
)

// text is what is known of a text that is scanned; most of it is found when it is
// first asked for.
type text struct {
	s     string
	grams [(gramMask + 1) / 64]uint64 // all of the text; its end is followed by zeros
	known bool                        // that is filled in, and
	folds bool                        // ſ or K stands in it, which (?i) counts as s and k
	may   [len(rules)]verdict
	runs  []tokenRun
}

// verdict is whether a rule may match in the text as a whole.
type verdict uint8

const (
	unknown verdict = iota
	mayMatch
	cannot
)

// keywords gives, in no particular order, the keywords of all rules at which
// their rule may match. The time is linear: a place in the text is compared with
// the few keywords that begin alike.
func (t *text) keywords(hits []met) []met {
	s, gram := t.s, 0
	for i := range len(s) {
		gram = (gram<<gramBits | int(s[i])&(1<<gramBits-1)) & gramMask
		if grams[gram>>6]>>(gram&63)&1 != 0 && i >= 2 {
			hits = t.keywordsAt(hits, i-2, gram)
		}
	}
	if len(s) >= 2 { // a keyword of two bytes at the very end
		gram = gram << gramBits & gramMask
		if grams[gram>>6]>>(gram&63)&1 != 0 {
			hits = t.keywordsAt(hits, len(s)-2, gram)
		}
	}
	return hits
}

// keywordsAt is about the keywords that begin at s[at:] and with gram.
func (t *text) keywordsAt(hits []met, at, gram int) []met {
	n := int(gramsBefore[gram>>6]) + bits.OnesCount64(grams[gram>>6]&(1<<(gram&63)-1))
	for _, k := range gramKeywords[gramStart[n]:gramStart[n+1]] {
		word := keywordText[keywordStart[k]:keywordStart[k+1]]
		if !prefixFold(t.s[at:], word) {
			continue
		}
		for _, r := range keywordRules[keywordRule[k]:keywordRule[k+1]] {
			if t.may[r] == unknown {
				t.may[r] = t.judge(&rules[r])
			}
			h := met{int32(r), int32(at), int32(at + len(word))}
			if t.may[r] == mayMatch && rules[r].possible(t.s, h) {
				hits = append(hits, h)
			}
		}
	}
	return hits
}

// short is a text about as long as a window: it is searched once for all windows.
const short = 4 << 10

// judge reports whether the text has what the rule's clauses demand.
func (t *text) judge(r *rule) verdict {
	if len(r.near) == 0 {
		return mayMatch
	}
	if !t.known {
		t.known = true
		gram := 0
		for i := range len(t.s) {
			gram = (gram<<gramBits | int(t.s[i])&(1<<gramBits-1)) & gramMask
			t.grams[gram>>6] |= 1 << (gram & 63)
		}
		gram = gram << gramBits & gramMask
		t.grams[gram>>6] |= 1 << (gram & 63)
		t.folds = foldsToASCII(t.s)
	}
	if t.folds {
		return mayMatch
	}
	for i := range r.near {
		live := t.live(&r.near[i])
		// Where a window ends, a word does; here it may go on.
		if live == 0 || len(t.s) <= short && !r.near[i].in(t.s, live, false) {
			return cannot
		}
	}
	return mayMatch
}

// live are the atoms of a clause that may stand in the text, a bit each.
func (t *text) live(c *clause) (set uint64) {
	for i := range c.atoms {
		a := &c.atoms[i]
		stands := false
		switch len(a.text) {
		case 1:
			c := a.text[0]
			stands = 'a' <= c && c <= 'z' || strings.IndexByte(t.s, c) >= 0
		case 2:
			stands = uint32(t.grams[a.gram>>6]>>(a.gram&32)) != 0
		default:
			stands = t.grams[a.gram>>6]>>(a.gram&63)&(t.grams[a.also>>6]>>(a.also&63))&1 != 0
		}
		if stands {
			set |= 1 << i
		}
	}
	return set
}

// prefixFold reports whether s begins with word, which is in lower case, ASCII
// case aside.
func prefixFold(s, word string) bool {
	if len(s) < len(word) {
		return false
	}
	for i := range len(word) {
		if lowered(s[i]) != word[i] {
			return false
		}
	}
	return true
}

func lowered(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
