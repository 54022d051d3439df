package lint

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"memsync"
)

// Finding is one thing that is wrong, with its place and, where the rule is
// sure of one, its remedy.
//
// Line and Column are 1-based, columns count bytes; a finding about a whole
// file has line 1, and one about something that has no text (a directory, a
// link) line 0. End is where the span ends, exclusive; EndLine 0 is no span.
type Finding struct {
	memsync.Finding
	EndLine, EndColumn int
	// CharColumn and EndCharColumn are Column and EndColumn counted in Unicode
	// code points, for formats that want them so.
	CharColumn, EndCharColumn int
	Fix                       *Fix // nil: a person's to do
	// About is what the finding is about in words that stay when lines move: a
	// key, a link's target, another file. With code and path it names the
	// finding in a baseline.
	About string
}

// Fix is a remedy that changes only these bytes of the finding's file.
type Fix struct {
	Message string // what it does, as an order: "put the value in quotes"
	Edits   []Edit // by Start, not overlapping
}

// Edit replaces the bytes [Start, End) of a file.
type Edit struct {
	Start, End int
	Text       string
}

// Sort orders findings by path, place, code and text, so that a report has the
// same bytes whatever found them first.
func Sort(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(string(a.Path), string(b.Path)), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Code, b.Code), strings.Compare(a.About, b.About), strings.Compare(a.Message, b.Message))
	})
}

// Fingerprints name findings so that the names stay when lines are added above
// them: 32 hexadecimal digits of the SHA-256 of code, path, what it is about,
// and a number where several are alike. One for each, in the order given.
func Fingerprints(findings []Finding) []string {
	seen := make(map[string]int, len(findings))
	out := make([]string, len(findings))
	for i, f := range findings {
		name := f.Code + "\x00" + string(f.Path) + "\x00" + f.About
		n := seen[name]
		seen[name]++
		sum := sha256.Sum256([]byte(name + "\x00" + strconv.Itoa(n)))
		out[i] = hex.EncodeToString(sum[:16])
	}
	return out
}

// rank orders severities, the worst highest.
func rank(s memsync.Severity) int {
	switch s {
	case memsync.Severe:
		return 2
	case memsync.Warning:
		return 1
	}
	return 0
}

// AtLeast reports whether a is as bad as b, or worse.
func AtLeast(a, b memsync.Severity) bool { return rank(a) >= rank(b) }
