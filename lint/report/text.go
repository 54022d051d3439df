package report

import (
	"bytes"
	"fmt"
	"strings"

	"memsync"
	"memsync/lint"
)

// writeText is what people read, and the problem matcher
// (problem-matcher.json): a line for each agent, one for each finding and one for
// its hint, and a last one that counts.
func writeText(b *bytes.Buffer, run Run) {
	for _, s := range run.Sizes {
		b.WriteString(textSize(s) + "\n")
	}
	for _, f := range run.Findings {
		if severity(f) == memsync.Info && !run.Verbose {
			continue
		}
		b.WriteString(textLine(run, f) + "\n")
		if f.Hint != "" {
			b.WriteString("  " + shown(f.Hint) + "\n")
		}
	}
	b.WriteString(textSummary(run) + "\n")
}

// textSize is an agent: primitive used/budget, …; total/ceiling.
func textSize(s lint.Size) string {
	var parts []string
	for _, p := range s.Parts {
		parts = append(parts, fmt.Sprintf("%s %d/%d", p.Primitive, p.Characters, p.Budget))
	}
	return fmt.Sprintf("%s: %s; %d/%d characters learned", shown(s.Agent), strings.Join(parts, ", "), s.Total, s.Ceiling)
}

// textLine is file:line:col: severity: [CODE] message.
func textLine(run Run, f lint.Finding) string {
	at := shown(run.path(f))
	if f.Line > 0 {
		at += fmt.Sprintf(":%d", f.Line)
		if f.Column > 0 {
			at += fmt.Sprintf(":%d", f.Column)
		}
	}
	return fmt.Sprintf("%s: %s: [%s] %s", at, severity(f), shown(f.Code), shown(f.Message))
}

func textSummary(run Run) string {
	n := run.count()
	parts := []string{count(run.Files, "file")}
	for _, c := range []struct {
		n    int
		word string
	}{{n.errors, "error"}, {n.warnings, "warning"}, {n.infos, "note"}} {
		if c.n > 0 {
			parts = append(parts, count(c.n, c.word))
		}
	}
	if len(run.Findings) == 0 {
		parts = append(parts, "nothing found")
	}
	var asides []string
	if n.fixable > 0 {
		asides = append(asides, fmt.Sprintf("%d fixable with --fix", n.fixable))
	}
	if n.infos > 0 && !run.Verbose {
		asides = append(asides, "--verbose shows the notes")
	}
	if run.Suppressed > 0 {
		asides = append(asides, fmt.Sprintf("%d suppressed", run.Suppressed))
	}
	if run.Known > 0 {
		asides = append(asides, fmt.Sprintf("%d in the baseline", run.Known))
	}
	line := strings.Join(parts, ", ")
	if len(asides) > 0 {
		line += " (" + strings.Join(asides, "; ") + ")"
	}
	return line
}

func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
