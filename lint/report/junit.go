package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"memsync"
	"memsync/lint"
)

// writeJUnit is the XML that build servers read as tests: a case that failed for
// each error and warning; what is only worth knowing stands in system-out, for
// no build is broken by it. A run without a failure is one case that passed,
// since servers take a report without cases for a run that did not happen.
func writeJUnit(b *bytes.Buffer, run Run) {
	n := run.count()
	failures := n.errors + n.warnings
	tests := fmt.Sprintf(`tests="%d" failures="%d" errors="0"`, max(failures, 1), failures)
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	fmt.Fprintf(b, "<testsuites name=\"memsync lint\" %s>\n", tests)
	fmt.Fprintf(b, "  <testsuite name=\"memsync lint\" %s skipped=\"0\">\n", tests)
	if failures == 0 {
		b.WriteString("    <testcase classname=\"memsync\" name=\"lint\"></testcase>\n")
	}
	names := make(map[[2]string]int)
	var notes bytes.Buffer
	for _, f := range run.Findings {
		if severity(f) == memsync.Info {
			notes.WriteString(textLine(run, f) + "\n")
			continue
		}
		junitCase(b, run, f, names)
	}
	if notes.Len() > 0 {
		fmt.Fprintf(b, "    <system-out>%s</system-out>\n", content(notes.String()))
	}
	b.WriteString("  </testsuite>\n</testsuites>\n")
}

// junitCase writes one case. names counts those that are alike, for servers take
// two cases of one name for one.
func junitCase(b *bytes.Buffer, run Run, f lint.Finding, names map[[2]string]int) {
	path := run.path(f)
	name := f.Code + " " + ruleName(f.Code)
	if f.Line > 0 {
		name += fmt.Sprintf(" line %d", f.Line)
	}
	key := [2]string{path, name}
	names[key]++
	if n := names[key]; n > 1 {
		name += fmt.Sprintf(" (%d)", n)
	}
	text := textLine(run, f)
	if f.Hint != "" {
		text += "\n" + shown(f.Hint)
	}
	fmt.Fprintf(b, "    <testcase classname=\"%s\" name=\"%s\" file=\"%s\">\n", content(path), content(name), content(path))
	fmt.Fprintf(b, "      <failure message=\"%s\" type=\"%s\">%s</failure>\n", content(shown(f.Message)), severity(f), content(text))
	b.WriteString("    </testcase>\n")
}

// content is text as XML holds it, between tags and in quotes alike: what
// xml.EscapeText makes of it. (encoding/xml brings tables of HTML's names, which
// every start of the program would fill.)
func content(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch r {
		case '"':
			b.WriteString("&#34;")
		case '\'':
			b.WriteString("&#39;")
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '\t':
			b.WriteString("&#x9;")
		case '\n':
			b.WriteString("&#xA;")
		case '\r':
			b.WriteString("&#xD;")
		default:
			if !inXML(r) {
				r = utf8.RuneError
			}
			b.WriteRune(r) // and for each byte that is not UTF-8
		}
	}
	return b.String()
}

// inXML reports whether XML 1.0 has a way to write the character; what it hasn't
// becomes U+FFFD.
func inXML(r rune) bool {
	return 0x20 <= r && r <= 0xD7FF || 0xE000 <= r && r <= 0xFFFD || 0x10000 <= r && r <= utf8.MaxRune
}
