package scan

import (
	"cmp"
	"math"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// known is what is known of the texts that an expression matches, ſ and K left
// out: all of them, or how they begin and end and what stands in them.
type known struct {
	exact      []piece // nil: too many
	begin, end []piece // nil, or with an empty one: anything
	clauses    [][]piece
}

// piece is a text in small ASCII letters, and whether a word begins or ends on
// either side of it.
type piece struct {
	text        string
	left, right bool
}

const (
	mostPieces = 64 // in a set: an atom has one bit of a word
	leastWorth = 6  // of a clause, bits
)

// clausesOf derives what stands in every match and is seldom met. A text that is
// a part of a keyword says nothing new.
func clausesOf(tree *syntax.Regexp, keywords []string) []clause {
	worth := func(set []piece) float64 { return worthOf(set, keywords) }
	k := knownOf(tree, worth)
	sets := k.all()
	slices.SortStableFunc(sets, func(a, b []piece) int { return cmp.Compare(worth(b), worth(a)) })
	var out []clause
	for _, set := range sets {
		if len(out) == mostClauses-1 || worth(set) < leastWorth {
			break
		}
		c := clauseOf(set)
		if !slices.ContainsFunc(out, func(o clause) bool { return sameAtoms(o.atoms, c.atoms) }) {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b clause) int { return cmp.Compare(len(a.atoms), len(b.atoms)) }) // the fast ones first
	return out
}

func sameAtoms(a, b []atom) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x atom) bool { return !slices.Contains(b, x) })
}

// all are the clauses, and the exact texts as one more.
func (k known) all() [][]piece {
	if k.exact == nil || slices.ContainsFunc(k.exact, func(p piece) bool { return p.text == "" }) {
		return k.clauses
	}
	return append(slices.Clip(k.clauses), k.exact)
}

func knownOf(re *syntax.Regexp, worth func([]piece) float64) known {
	nothing := []piece{{}}
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpNoWordBoundary:
		return known{exact: nothing}
	case syntax.OpWordBoundary:
		return known{exact: []piece{{left: true}}}
	case syntax.OpLiteral:
		var parts []known
		for _, r := range re.Rune {
			parts = append(parts, ofRunes(re.Flags, r, r))
		}
		return sequence(parts)
	case syntax.OpCharClass:
		return ofRunes(0, re.Rune...)
	case syntax.OpCapture:
		return knownOf(re.Sub[0], worth)
	case syntax.OpQuest:
		if sub := knownOf(re.Sub[0], worth); sub.exact != nil {
			return known{exact: union(sub.exact, nothing)}
		}
	case syntax.OpPlus, syntax.OpRepeat:
		if re.Op == syntax.OpPlus || re.Min > 0 {
			sub := knownOf(re.Sub[0], worth)
			begin, end := sub.edges()
			return known{begin: begin, end: end, clauses: sub.all()}
		}
	case syntax.OpConcat:
		var parts []known
		for _, sub := range re.Sub {
			parts = append(parts, knownOf(sub, worth))
		}
		return sequence(parts)
	case syntax.OpAlternate:
		return oneOf(re.Sub, worth)
	}
	return known{}
}

// edges are how the texts begin and end.
func (k known) edges() (begin, end []piece) {
	if k.exact != nil {
		return k.exact, k.exact
	}
	begin, end = k.begin, k.end
	if begin == nil {
		begin = []piece{{}}
	}
	if end == nil {
		end = []piece{{}}
	}
	return begin, end
}

// sequence is what is known of texts one after the other.
func sequence(parts []known) known {
	var (
		out  known
		last = []piece{{}} // what ends so, since the last gap
		gaps int
	)
	clause := func(set []piece) {
		if !slices.ContainsFunc(set, func(p piece) bool { return p.text == "" }) {
			out.clauses = append(out.clauses, set)
		}
	}
	for _, k := range parts {
		begin, end := k.edges()
		both := product(last, begin)
		if both != nil && k.exact != nil {
			last = both
			continue
		}
		out.clauses = append(out.clauses, k.clauses...)
		if both == nil {
			both = last
			clause(begin)
		}
		clause(both)
		if gaps == 0 {
			out.begin = both
		}
		gaps++
		last = end
	}
	if gaps == 0 {
		return known{exact: last}
	}
	clause(last)
	out.end = last
	return out
}

// oneOf is what is known of a text that one of several expressions matches.
func oneOf(subs []*syntax.Regexp, worth func([]piece) float64) known {
	exact, begin, end, set := []piece{}, []piece{}, []piece{}, []piece{}
	for _, sub := range subs {
		k := knownOf(sub, worth)
		exact = allOf(exact, k.exact)
		b, e := k.edges()
		begin, end = allOf(begin, b), allOf(end, e)
		best := math.Inf(-1)
		var chosen []piece
		for _, c := range k.all() {
			if w := worth(c); w > best {
				best, chosen = w, c
			}
		}
		set = allOf(set, chosen)
	}
	if exact != nil {
		return known{exact: exact}
	}
	out := known{begin: begin, end: end}
	if set != nil {
		out.clauses = [][]piece{set}
	}
	return out
}

// allOf is the union of what two sets hold; nil, which is anything, if one is
// anything or they are too many.
func allOf(a, b []piece) []piece {
	if a == nil || b == nil {
		return nil
	}
	if out := union(a, b); len(out) <= mostPieces {
		return out
	}
	return nil
}

// product is each of a before each of b, nil if they are too many.
func product(a, b []piece) []piece {
	if len(a)*len(b) > mostPieces {
		return nil
	}
	var out []piece
	for _, x := range a {
		for _, y := range b {
			out = union(out, []piece{joined(x, y)})
		}
	}
	return out
}

func joined(a, b piece) piece {
	switch {
	case a.text == "" && b.text == "":
		return piece{left: a.left || b.left}
	case a.text == "":
		return piece{b.text, a.left || b.left, b.right}
	case b.text == "":
		return piece{a.text, a.left, a.right || b.left}
	}
	return piece{a.text + b.text, a.left, b.right}
}

func union(a, b []piece) []piece {
	out := slices.Clip(a)
	for _, p := range b {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// ofRunes is about one character out of ranges.
func ofRunes(flags syntax.Flags, ranges ...rune) known {
	var out []piece
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i+1]-ranges[i] > 64 {
			return known{}
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			switch {
			case r == '\u017F' || r == '\u212A':
				continue
			case r == utf8.RuneError: // what isn't UTF-8 is one too
				return known{}
			case r >= utf8.RuneSelf && flags&syntax.FoldCase != 0 && unicode.SimpleFold(r) != r:
				return known{}
			}
			out = union(out, []piece{{text: strings.Map(lowerASCII, string(r))}})
			if len(out) > 16 {
				return known{}
			}
		}
	}
	if out == nil {
		return known{}
	}
	return known{exact: out}
}

func lowerASCII(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		r += 'a' - 'A'
	}
	return r
}

// worthOf estimates how seldom prose has one of the texts, in bits.
func worthOf(set []piece, keywords []string) float64 {
	least := math.Inf(1)
	for _, p := range set {
		bits := 0.0
		for i := range len(p.text) {
			bits += rarity(p.text[i])
		}
		for _, edge := range []bool{p.left, p.right} {
			if edge {
				bits += 2
			}
		}
		least = min(least, bits)
	}
	vain := 0
	for _, k := range keywords {
		if slices.ContainsFunc(set, func(p piece) bool { return !p.left && !p.right && strings.Contains(k, p.text) }) {
			vain++
		}
	}
	if vain > len(keywords)/2 {
		return math.Inf(-1)
	}
	if fast(set) {
		least += 4
	}
	return least - math.Log2(float64(len(set)))/2
}

// rarity is about what a byte tells in a text of prose, in bits.
func rarity(c byte) float64 {
	switch {
	case c == ' ' || strings.IndexByte("etaoinsrhl", c) >= 0:
		return 3
	case strings.IndexByte("jqxz", c) >= 0:
		return 8
	case 'a' <= c && c <= 'z':
		return 5
	case strings.IndexByte("-.,:\n0123456789", c) >= 0:
		return 6
	}
	return 8
}

// anchorOf chooses the byte of a text that the search looks for.
func anchorOf(text string) int {
	at := 0
	for i := range len(text) {
		if rarity(text[i]) > rarity(text[at]) {
			at = i
		}
	}
	return at
}

// gramsOf chooses the grams of a text that the search looks for, the best first.
func gramsOf(text string) (gram, also int) {
	best, next := -1.0, -1.0
	for i := range max(len(text)-2, 1) {
		worth, g := 0.0, 0
		for k := i; k < i+3; k++ {
			g <<= gramBits
			if k < len(text) {
				worth += rarity(alike(text[k]))
				g |= int(text[k]) & (1<<gramBits - 1)
			}
		}
		switch {
		case worth > best:
			best, next, gram, also = worth, best, g, gram
		case worth > next:
			next, also = worth, g
		}
	}
	if next < 0 {
		also = gram
	}
	return gram, also
}

// alike is the byte that prose has most of those with the same bits in a gram.
func alike(c byte) byte {
	switch c &= 1<<gramBits - 1; {
	case c == 0:
		return ' '
	case 1 <= c && c <= 26:
		return c | 0x60
	}
	return '_'
}

// fast reports whether the anchors are few and have one case.
func fast(set []piece) bool {
	anchors := make(map[byte]bool)
	for _, p := range set {
		c := p.text[anchorOf(p.text)]
		if 'a' <= c && c <= 'z' {
			return false
		}
		anchors[c] = true
	}
	return len(anchors) <= 4
}

func clauseOf(set []piece) clause {
	out := clause{}
	for _, p := range set {
		if !slices.ContainsFunc(set, func(q piece) bool { return q.text != p.text && !q.left && !q.right && strings.Contains(p.text, q.text) }) { // the shorter is enough
			gram, also := gramsOf(p.text)
			out.atoms = append(out.atoms, atom{text: p.text, at: anchorOf(p.text), gram: gram, also: also, left: p.left, right: p.right})
		}
	}
	return out
}

// startOf is a beginning of the expression, with as few repetitions as it
// allows, if each match in a text of ASCII begins with a keyword: it is run at
// the keyword only. "" when there is none.
func startOf(tree *syntax.Regexp, keywords []string) (source string, reach int) {
	const backtracked = 500 // instructions: the regexp package is fast with fewer
	if tree.Op != syntax.OpConcat {
		return "", 0
	}
	begin, _ := knownOf(withoutOthers(tree), func(set []piece) float64 { return worthOf(set, keywords) }).edges()
	if slices.ContainsFunc(begin, func(p piece) bool {
		return !slices.ContainsFunc(keywords, func(k string) bool { return strings.HasPrefix(p.text, k) })
	}) {
		return "", 0
	}
	for n := len(tree.Sub) - 1; n > 1; n-- {
		subs := slices.Clone(tree.Sub[:n])
		next := tree.Sub[n]
		if next.Op == syntax.OpCapture {
			next = next.Sub[0]
		}
		if next.Op == syntax.OpRepeat && next.Min > 0 {
			subs = append(subs, &syntax.Regexp{Op: syntax.OpRepeat, Sub: next.Sub, Min: next.Min, Max: next.Min})
		}
		start := &syntax.Regexp{Op: syntax.OpConcat, Sub: subs}
		if sizeOf(start) <= backtracked && bounded(start) && longest(start) <= 1024 {
			return `\A(?:` + start.String() + `)`, longest(start) + utf8.UTFMax
		}
	}
	return "", 0
}

// bounded reports whether every repetition has an end.
func bounded(re *syntax.Regexp) bool {
	return re.Op != syntax.OpStar && re.Op != syntax.OpPlus && (re.Op != syntax.OpRepeat || re.Max >= 0) &&
		!slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !bounded(sub) })
}

// withoutOthers is the expression without the choices that need a character
// that isn't ASCII.
func withoutOthers(re *syntax.Regexp) *syntax.Regexp {
	out := *re
	out.Sub = nil
	for _, sub := range re.Sub {
		sub = withoutOthers(sub)
		if sub.Op == syntax.OpNoMatch {
			switch re.Op {
			case syntax.OpAlternate:
				continue
			case syntax.OpQuest, syntax.OpStar:
				return &syntax.Regexp{Op: syntax.OpEmptyMatch}
			case syntax.OpRepeat:
				if re.Min == 0 {
					return &syntax.Regexp{Op: syntax.OpEmptyMatch}
				}
			}
			return sub
		}
		out.Sub = append(out.Sub, sub)
	}
	switch re.Op {
	case syntax.OpAlternate:
		if len(out.Sub) == 0 {
			return &syntax.Regexp{Op: syntax.OpNoMatch}
		}
	case syntax.OpLiteral:
		if slices.ContainsFunc(re.Rune, func(r rune) bool { return r >= utf8.RuneSelf }) {
			return &syntax.Regexp{Op: syntax.OpNoMatch}
		}
	case syntax.OpCharClass:
		out.Rune = nil
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i] < utf8.RuneSelf {
				out.Rune = append(out.Rune, re.Rune[i], min(re.Rune[i+1], utf8.RuneSelf-1))
			}
		}
		if len(out.Rune) == 0 {
			return &syntax.Regexp{Op: syntax.OpNoMatch}
		}
	}
	return &out
}

// sizeOf is how many instructions an expression is.
func sizeOf(re *syntax.Regexp) int {
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		panic("bug: " + err.Error())
	}
	return len(prog.Inst)
}
