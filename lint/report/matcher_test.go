package report

import (
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"testing"

	"memsync"
)

// TestProblemMatcher reads the text report with the file that GitHub's runner
// and editors read it with.
func TestProblemMatcher(t *testing.T) {
	file, err := os.ReadFile("problem-matcher.json")
	if err != nil {
		t.Fatal(err)
	}
	type pattern struct {
		Regexp                                      string
		File, Line, Column, Severity, Code, Message int
	}
	var matchers struct {
		ProblemMatcher []struct {
			Owner, Severity string
			Pattern         []pattern
		}
	}
	if err := json.Unmarshal(file, &matchers); err != nil {
		t.Fatal(err)
	}
	for _, run := range []Run{ordinary(), hostile()} {
		run.Verbose = true
		hits := 0
		for _, line := range lines(told(t, "text", run)) {
			for _, m := range matchers.ProblemMatcher {
				p := m.Pattern[0]
				found := regexp.MustCompile(p.Regexp).FindStringSubmatch(line)
				if found == nil {
					continue
				}
				f := run.Findings[hits]
				hits++
				severity := map[memsync.Severity]string{memsync.Severe: "error", memsync.Warning: "warning"}[severity(f)]
				if severity == "" && m.Severity != "notice" || severity != "" && found[p.Severity] != severity {
					t.Errorf("%s: severity by %+v", line, m)
				}
				if found[p.File] != shown(run.path(f)) || found[p.Code] != f.Code || found[p.Message] != shown(f.Message) {
					t.Errorf("%s: read as %q", line, found)
				}
				if f.Line > 0 && found[p.Line] != strconv.Itoa(f.Line) || f.Line == 0 && found[p.Line] != "" {
					t.Errorf("%s: line %q", line, found[p.Line])
				}
				if f.Column > 0 && f.Line > 0 && found[p.Column] != strconv.Itoa(f.Column) {
					t.Errorf("%s: column %q", line, found[p.Column])
				}
			}
		}
		if hits != len(run.Findings) {
			t.Errorf("%d of %d lines are read", hits, len(run.Findings))
		}
	}
}
