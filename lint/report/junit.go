package report

import (
	"bytes"
	"encoding/xml"
	"fmt"

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
	b.WriteString(xml.Header)
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

// content is text as XML holds it, between tags and in quotes alike. What XML
// 1.0 has no way to write becomes U+FFFD.
func content(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a Buffer refuses nothing
	return b.String()
}
