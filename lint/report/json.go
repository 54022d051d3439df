package report

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"memsync"
	"memsync/lint"
)

// formatVersion is the JSON report's. A change that makes a reader of the last
// one wrong makes it a new one. The program's version is not in the report: a
// baseline is one, committed, and should change with its findings only.
const formatVersion = 1

type jsonReport struct {
	Version  int           `json:"version"`
	Files    int           `json:"files"`
	Summary  jsonSummary   `json:"summary"`
	Agents   []jsonAgent   `json:"agents,omitempty"` // none: the key is not there
	Findings []jsonFinding `json:"findings"`
}

// jsonAgent is how much of an agent's prompt is learned, in Unicode code points.
type jsonAgent struct {
	Name       string          `json:"name"`
	Path       string          `json:"path"`
	Characters int             `json:"characters"`
	Ceiling    int             `json:"ceiling"`
	Primitives []jsonPrimitive `json:"primitives"`
}

type jsonPrimitive struct {
	Name       string `json:"name"`
	Characters int    `json:"characters"`
	Budget     int    `json:"budget"`
}

func jsonAgents(run Run) (out []jsonAgent) {
	for _, s := range run.Sizes {
		a := jsonAgent{Name: s.Agent, Path: run.path(lint.Finding{Finding: memsync.Finding{Path: s.Path}}), Characters: s.Total, Ceiling: s.Ceiling, Primitives: []jsonPrimitive{}}
		for _, p := range s.Parts {
			a.Primitives = append(a.Primitives, jsonPrimitive{p.Primitive, p.Characters, p.Budget})
		}
		out = append(out, a)
	}
	return out
}

type jsonLast struct {
	Version int         `json:"version"`
	Files   int         `json:"files"`
	Summary jsonSummary `json:"summary"`
}

type jsonSummary struct {
	Errors     int `json:"errors"`
	Warnings   int `json:"warnings"`
	Infos      int `json:"infos"`
	Suppressed int `json:"suppressed"`
	Known      int `json:"known"`
}

// jsonFinding has each key always; 0 and "" say "none".
type jsonFinding struct {
	Code      string `json:"code"`
	Rule      string `json:"rule"`
	Severity  string `json:"severity"`
	Path      string `json:"path"`
	PathBytes string `json:"path_base64,omitempty"` // only of a path that is not UTF-8
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
	Message   string `json:"message"`
	Hint      string `json:"hint"`
	Fixable   bool   `json:"fixable"`
	Fix       string `json:"fix"`
	// Fingerprint is what a baseline knows the finding by.
	Fingerprint string `json:"fingerprint"`
}

func jsonFindings(run Run) []jsonFinding {
	out := make([]jsonFinding, len(run.Findings))
	for i, print := range lint.Fingerprints(run.Findings) {
		f := run.Findings[i]
		at := span{f.Line, f.Column, f.EndLine, f.EndColumn}.sound()
		path := run.path(f)
		out[i] = jsonFinding{
			Code: f.Code, Rule: ruleName(f.Code), Severity: string(severity(f)), Path: path,
			Line: at.line, Column: at.column, EndLine: at.endLine, EndColumn: at.endColumn,
			Message: f.Message, Hint: f.Hint, Fingerprint: print,
		}
		if !utf8.ValidString(path) {
			out[i].PathBytes = base64.StdEncoding.EncodeToString([]byte(path))
		}
		if f.Fix != nil {
			out[i].Fixable, out[i].Fix = true, f.Fix.Message
		}
	}
	return out
}

func (run Run) jsonSummary() jsonSummary {
	n := run.count()
	return jsonSummary{n.errors, n.warnings, n.infos, run.Suppressed, run.Known}
}

func writeJSON(b *bytes.Buffer, run Run) error {
	return encode(b, "  ", jsonReport{formatVersion, run.Files, run.jsonSummary(), jsonAgents(run), jsonFindings(run)})
}

// writeJSONLines is a finding a line and, last, the summary: the only line that
// has a "summary", so that a report that was cut off shows.
func writeJSONLines(b *bytes.Buffer, run Run) error {
	for _, f := range jsonFindings(run) {
		if err := encode(b, "", f); err != nil {
			return err
		}
	}
	return encode(b, "", jsonLast{formatVersion, run.Files, run.jsonSummary()})
}

// encode writes a value and a line end. Bytes that are not UTF-8 become U+FFFD.
// What a terminal would obey or hide is escaped; json escapes the half of it.
func encode(b *bytes.Buffer, indent string, v any) error {
	var plain bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	for _, r := range plain.String() {
		switch {
		case r < 0x7f || !obeyed(r): // below, json left nothing but its own line ends
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(b, `\u%04x`, r)
		}
	}
	return nil
}
