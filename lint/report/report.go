package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"memsync"
	"memsync/lint"
)

// Run is one run of lint, ready to be told.
type Run struct {
	Version  string         // of the program
	Files    int            // judged
	Findings []lint.Finding // sorted
	Sizes    []lint.Size    // text and JSON: how much of each agent's prompt is learned
	// Show gives a finding's path as the reader wants it: relative to the working
	// directory, or to the repository for services that know files by that;
	// slash-separated. nil shows paths as they are.
	Show              func(memsync.Path) string
	Suppressed, Known int  // findings that a comment, or a baseline, kept out
	Verbose           bool // text only: also the info findings; without it they are only counted
}

// Formats are the words that Write knows.
var Formats = []string{"text", "json", "jsonl", "github", "sarif", "gitlab", "junit"}

// Write tells a run in a format, with one call of w's Write.
func Write(w io.Writer, format string, run Run) error {
	var b bytes.Buffer
	var err error
	switch format {
	case "text":
		writeText(&b, run)
	case "json":
		err = writeJSON(&b, run)
	case "jsonl":
		err = writeJSONLines(&b, run)
	case "github":
		writeGitHub(&b, run)
	case "sarif":
		err = writeSARIF(&b, run, lint.PageOf)
	case "gitlab":
		err = writeGitLab(&b, run)
	case "junit":
		writeJUnit(&b, run)
	default:
		hint := "one of " + strings.Join(Formats, ", ")
		return &memsync.Error{Code: memsync.CodeUsage, Message: fmt.Sprintf("there is no format %q", format), Hint: hint}
	}
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// path is where a finding is, for the reader. The store itself is ".".
func (run Run) path(f lint.Finding) string {
	p := string(f.Path)
	if run.Show != nil {
		p = run.Show(f.Path)
	}
	if p == "" {
		return "."
	}
	return p
}

// counts are a run's findings by severity.
type counts struct{ errors, warnings, infos, fixable int }

func (run Run) count() (n counts) {
	for _, f := range run.Findings {
		switch severity(f) {
		case memsync.Severe:
			n.errors++
		case memsync.Warning:
			n.warnings++
		default:
			n.infos++
		}
		if f.Fix != nil {
			n.fixable++
		}
	}
	return n
}

// severity is one of the three words, whatever a finding holds.
func severity(f lint.Finding) memsync.Severity {
	if slices.Contains([]memsync.Severity{memsync.Severe, memsync.Warning}, f.Severity) {
		return f.Severity
	}
	return memsync.Info
}

// ruleName is the rule's name in words with dashes; of a code that this program
// does not know, the code.
func ruleName(code string) string {
	if r, ok := lint.RuleOf(code); ok {
		return r.Name
	}
	return code
}

// span is a finding's place in the reader's numbers, all 1-based; 0 is "not
// said". The end is exclusive and never before the start.
type span struct{ line, column, endLine, endColumn int }

// chars is the span of a finding with columns in code points, which is what
// services count. A finding without them has none: bytes would point elsewhere.
func chars(f lint.Finding) span {
	return span{f.Line, f.CharColumn, f.EndLine, f.EndCharColumn}.sound()
}

// sound drops what is no place.
func (s span) sound() span {
	if s.line < 1 {
		return span{}
	}
	s.column = max(s.column, 0)
	switch {
	case s.endLine < s.line:
		s.endLine, s.endColumn = 0, 0
	case s.column == 0, s.endColumn < 1, s.endLine == s.line && s.endColumn < s.column:
		s.endColumn = 0
	}
	return s
}

// lastLine is the last line that has a part in s: one before the end's, where
// the end is a line's start. 0 is "not said".
func (s span) lastLine() int {
	if s.endLine > s.line && s.endColumn == 1 {
		return s.endLine - 1
	}
	return s.endLine
}
