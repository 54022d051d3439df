package scan

import (
	"math"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

func tokenRune(r rune) bool {
	return r < utf8.RuneSelf && tokenByte[r] || r == '\u017F' || r == '\u212A'
}

// shapeOf derives from a rule's expression what every match must have.
func shapeOf(re *syntax.Regexp) shape {
	return shape{reach: min(longest(re), maxReach), run: runOf(re).best}
}

// leadingLiteral finds the text with which every match begins, after a word
// boundary; "" when there is none.
func leadingLiteral(re *syntax.Regexp) string {
	if re.Op != syntax.OpConcat || len(re.Sub) < 2 || re.Sub[0].Op != syntax.OpWordBoundary {
		return ""
	}
	for re = re.Sub[1]; re.Op == syntax.OpCapture || re.Op == syntax.OpConcat; re = re.Sub[0] {
	}
	if re.Op != syntax.OpLiteral || !wordRune(re.Rune[0]) {
		return ""
	}
	return strings.ToLower(string(re.Rune))
}

// longest is the length in bytes of the longest match, as far as it is bounded.
func longest(re *syntax.Regexp) int {
	const none = math.MaxInt32
	add := func(a, b int) int { return min(a+b, none) }
	switch re.Op {
	case syntax.OpLiteral:
		n := 0
		for _, r := range re.Rune {
			n += max(utf8.RuneLen(r), 1)
		}
		return n
	case syntax.OpCharClass:
		for i := 1; i < len(re.Rune); i += 2 {
			if r := re.Rune[i]; r >= utf8.RuneSelf && r != '\u017F' && r != '\u212A' {
				return utf8.UTFMax
			}
		}
		return 1 // a token spelled with ſ or K may be cut short
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return utf8.UTFMax
	case syntax.OpCapture, syntax.OpQuest:
		return longest(re.Sub[0])
	case syntax.OpStar, syntax.OpPlus:
		return unbounded(re.Sub[0])
	case syntax.OpRepeat:
		if re.Max < 0 {
			return min(add(unbounded(re.Sub[0]), re.Min*utf8.UTFMax), none)
		}
		n := longest(re.Sub[0])
		if n == none {
			return none
		}
		return min(n*re.Max, none)
	case syntax.OpConcat:
		n := 0
		for _, sub := range re.Sub {
			n = add(n, longest(sub))
		}
		return n
	case syntax.OpAlternate:
		n := 0
		for _, sub := range re.Sub {
			n = max(n, longest(sub))
		}
		return n
	}
	return 0 // empty, anchors
}

// unbounded is the reach given to a repetition without an end: none to token
// bytes, because a window is stretched to the end of the token it would cut; a
// little to white space and other classes; all there is to "any character".
func unbounded(re *syntax.Regexp) int {
	switch {
	case runOf(re).pure:
		return 0
	case re.Op == syntax.OpCharClass && len(re.Rune) <= 64:
		return 128
	}
	return maxReach
}

// run is what is known of token bytes in the matches of an expression: how many
// any match begins and ends with, and how many stand in a row somewhere. pure:
// there is nothing else in it, and best is the least length.
type run struct {
	head, tail, best int
	pure             bool
}

func runOf(re *syntax.Regexp) run {
	switch re.Op {
	case syntax.OpLiteral:
		out := run{pure: true}
		for _, r := range re.Rune {
			out = join(out, runeRun(tokenRune(r)))
		}
		return out
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i+1]-re.Rune[i] > 256 {
				return run{}
			}
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if !tokenRune(r) {
					return run{}
				}
			}
		}
		return runeRun(true)
	case syntax.OpCapture:
		return runOf(re.Sub[0])
	case syntax.OpRepeat:
		return repeat(runOf(re.Sub[0]), re.Min)
	case syntax.OpPlus:
		return repeat(runOf(re.Sub[0]), 1)
	case syntax.OpStar, syntax.OpQuest:
		return repeat(runOf(re.Sub[0]), 0)
	case syntax.OpConcat:
		out := run{pure: true}
		for _, sub := range re.Sub {
			out = join(out, runOf(sub))
		}
		return out
	case syntax.OpAlternate:
		out := runOf(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			r := runOf(sub)
			out = run{min(out.head, r.head), min(out.tail, r.tail), min(out.best, r.best), out.pure && r.pure}
		}
		return out
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return run{pure: true}
	}
	return run{}
}

func runeRun(token bool) run {
	if token {
		return run{1, 1, 1, true}
	}
	return run{}
}

// repeat is at least n times r, and maybe more.
func repeat(r run, n int) run {
	switch {
	case r.pure:
		return run{r.best * n, r.best * n, r.best * n, true}
	case n == 0:
		return run{}
	}
	return r
}

func join(a, b run) run {
	switch {
	case a.pure && b.pure:
		n := a.best + b.best
		return run{n, n, n, true}
	case a.pure:
		return run{head: a.best + b.head, tail: b.tail, best: max(a.best+b.head, b.best)}
	case b.pure:
		return run{head: a.head, tail: a.tail + b.best, best: max(a.best, a.tail+b.best)}
	}
	return run{head: a.head, tail: b.tail, best: max(a.best, b.best, a.tail+b.head)}
}
