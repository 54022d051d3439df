package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"memsync"
	"memsync/lint"
)

// writeGitHub is for the log of a GitHub workflow: an annotation for each
// finding, then all of it as text. GitHub shows ten annotations of a kind for a
// step; the text has no such end.
//
// The runner obeys what it finds in the log: `::name …::` at the start of a
// line, blanks before it allowed, and the older `##[name]` anywhere in one. In
// an annotation nothing but our own command stands at the start, and the rest is
// escaped; a line that the newer grammar reads is not read by the older. The
// text stands in a fence, in which the runner obeys one word only.
func writeGitHub(b *bytes.Buffer, run Run) {
	for _, f := range run.Findings {
		annotation(b, run, f)
	}
	run.Verbose = true
	var text bytes.Buffer
	writeText(&text, run)
	fence(b, text.String())
}

func annotation(b *bytes.Buffer, run Run, f lint.Finding) {
	command := "notice"
	switch severity(f) {
	case memsync.Severe:
		command = "error"
	case memsync.Warning:
		command = "warning"
	}
	fmt.Fprintf(b, "::%s file=%s", command, property(run.path(f)))
	// Columns are for a place in one line; the service has none for more.
	if at := chars(f); at.line > 0 {
		fmt.Fprintf(b, ",line=%d", at.line)
		last := at.lastLine()
		if last > 0 {
			fmt.Fprintf(b, ",endLine=%d", last)
		}
		if at.column > 0 && last <= at.line {
			fmt.Fprintf(b, ",col=%d", at.column)
		}
		if at.endColumn > 0 && at.endLine == at.line {
			fmt.Fprintf(b, ",endColumn=%d", at.endColumn)
		}
	}
	message := f.Message
	if f.Hint != "" {
		message += "\n" + f.Hint
	}
	fmt.Fprintf(b, ",title=%s::%s\n", property(f.Code+" "+ruleName(f.Code)), data(message))
}

var (
	dataEscaper     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscaper = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func data(s string) string     { return dataEscaper.Replace(shownLines(valid(s))) }
func property(s string) string { return propertyEscaper.Replace(shownLines(valid(s))) }

// fence puts text where the runner obeys nothing. The word that ends it is drawn
// from the text, so that the same run has the same report, and is not in it, so
// that the text cannot end it.
func fence(b *bytes.Buffer, text string) {
	token := fenceToken(text)
	fmt.Fprintf(b, "::stop-commands::%s\n%s::%s::\n", token, text, token)
}

func fenceToken(text string) string {
	// The runner compares without case.
	folded := strings.ToLower(text)
	for i := 0; ; i++ {
		sum := sha256.Sum256([]byte(strconv.Itoa(i) + "\n" + text))
		token := "memsync-" + hex.EncodeToString(sum[:16])
		if !strings.Contains(folded, token) {
			return token
		}
	}
}
