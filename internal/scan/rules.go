package scan

import (
	"regexp"
	"sync"
)

//go:generate go test . -run ^TestTables$ -update

// rule is one rule as tables.go has it: all that can be known of it before a
// text is, so that a process that scans one text reads no rule file, parses no
// expression, and compiles the few that it runs.
type rule struct {
	kind    Kind
	id      string
	rank    int     // the smaller names the hit
	entropy float64 // a value must be above it; 0: any
	group   int     // of the value; 0: the first that matched, or all
	follow  string  // after a keyword and words, points, quotes, hyphens one of these bytes comes; "": anything
	value   bool    // a token follows the follow byte at once
	global  bool    // gitleaks' own allowlist holds too
	shape   shape
	near    []clause // of each, something stands in every match

	re    pattern
	core  pattern // re without the words before the name: cheaper, matches where re does; or none
	start pattern // in a text of ASCII each match begins with a keyword, and so; or none
	lists []allowlist
}

// shape is what every match of a rule has, cheaper to look for than the match.
type shape struct {
	reach int  // longest match, bytes, at most maxReach
	run   int  // it holds that many token bytes in a row
	digit bool // one of them is no letter, point, hyphen or underscore

	token   int    // an assignment: the token begins with that many token bytes
	literal string // it begins with this, in lower case, at the start of a word; "": unknown
	start   int    // longest match of the rule's start
}

// maxReach bounds how far from its keyword a match is looked for: the longest
// PEM blocks in use fit.
const maxReach = 16 << 10

// pattern is an expression that is compiled when it is first run.
type pattern struct {
	source string
	once   sync.Once
	re     *regexp.Regexp
}

func (p *pattern) compiled() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.source) })
	return p.re
}
