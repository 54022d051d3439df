package main

import (
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"memsync/lint/report"
)

// scriptFormats runs lint in every format: each ends with the same code, and
// standard output is the document alone, or nothing where there was no run.
func scriptFormats(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) > 0 && !neg, "formats CODE [ARG...]")
	code, err := strconv.Atoi(args[0])
	ts.Check(err)
	for _, format := range report.Formats {
		if err := ts.Exec("exits", append([]string{args[0], "memsync", "lint", "--format", format}, args[1:]...)...); err != nil {
			ts.Fatalf("%s: %v", format, err)
		}
		out := ts.ReadFile("stdout")
		if code > 1 {
			if out != "" {
				ts.Fatalf("%s: a run that failed printed %q", format, out)
			}
			continue
		}
		ts.Check(document(format, []byte(out)))
	}
}
