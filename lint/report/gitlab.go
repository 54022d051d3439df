package report

import (
	"bytes"

	"memsync"
	"memsync/lint"
)

// codeQuality is an entry of GitLab's code quality report: the part of Code
// Climate's format that GitLab reads.
type codeQuality struct {
	Description string          `json:"description"`
	CheckName   string          `json:"check_name"`
	Fingerprint string          `json:"fingerprint"`
	Severity    string          `json:"severity"`
	Location    qualityLocation `json:"location"`
}

type qualityLocation struct {
	Path  string       `json:"path"`
	Lines qualityLines `json:"lines"`
}

type qualityLines struct {
	Begin int `json:"begin"`
	End   int `json:"end,omitempty"`
}

func writeGitLab(b *bytes.Buffer, run Run) error {
	out := make([]codeQuality, len(run.Findings))
	for i, print := range lint.Fingerprints(run.Findings) {
		f := run.Findings[i]
		at := chars(f)
		out[i] = codeQuality{
			Description: shown(f.Message), CheckName: f.Code, Fingerprint: print, Severity: qualitySeverity(f),
			Location: qualityLocation{valid(run.path(f)), qualityLines{max(at.line, 1), at.lastLine()}},
		}
	}
	return encode(b, "  ", out)
}

func qualitySeverity(f lint.Finding) string {
	switch {
	case f.Code == memsync.FindSecret:
		return "blocker"
	case severity(f) == memsync.Severe:
		return "major"
	case severity(f) == memsync.Warning:
		return "minor"
	}
	return "info"
}
