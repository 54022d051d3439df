package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"memsync"
	"memsync/internal/examples"
	"memsync/lint"
	"memsync/lint/report"
)

// values are what the examples of MS301 hide behind an escape: no report shows
// one.
var values = []string{"R4nd0mZk29QwLmT8", "Q3EGRZ7N5KD2MXWP", "unter22Xq9", "3f9a1c7e5b2d8046af3c9e1b7d5f2048"}

// TestLintFormats runs every example of every page through all formats: the
// exit code is one and the same, standard output is the document and nothing
// else, and no secret stands in it.
func TestLintFormats(t *testing.T) {
	for _, e := range examples.Env() {
		name, value, _ := strings.Cut(e, "=")
		t.Setenv(name, value)
	}
	for _, r := range lint.Rules() {
		page, err := lint.PageOf(r)
		if err != nil {
			t.Fatal(err)
		}
		cases := page.Cases
		if page.Code != memsync.FindSecret { // three a rule show what a format makes of it
			cases = cases[:min(3, len(cases))]
		}
		for _, c := range cases {
			t.Run(r.Code+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				x, err := examples.Of(c)
				if err != nil {
					t.Fatal(err)
				}
				dir := t.TempDir()
				if err := x.Lay(dir); errors.Is(err, examples.ErrNames) {
					return // this file system takes two of the names for one, or has no place for one
				} else if err != nil {
					t.Fatal(err)
				}
				want := -1
				for _, format := range report.Formats {
					var stdout, stderr bytes.Buffer
					code := run(t.Context(), []string{"-C", dir, "lint", "--format", format, "--fail-on", "warning"}, strings.NewReader(""), &stdout, &stderr)
					if want < 0 {
						want = code
					}
					if code != want || code != 0 && code != exitFindings {
						t.Errorf("%s exits %d, %s %d: %s", format, code, report.Formats[0], want, stderr.String())
					}
					if !page.Write && !c.Bad() && code != 0 {
						t.Errorf("a good case exits %d: %s", code, stdout.String())
					}
					if err := document(format, stdout.Bytes()); err != nil {
						t.Error(err)
					}
					for _, v := range values {
						if page.Code == "MS301" && strings.Contains(stdout.String()+stderr.String(), v) {
							t.Errorf("%s shows a secret: %s%s", format, stdout.String(), stderr.String())
						}
					}
				}
			})
		}
	}
}

// document reads a report as its consumer would, and says what is wrong with it.
func document(format string, data []byte) error {
	wrong := func(why error) error { return fmt.Errorf("%s: %w: %q", format, why, data) }
	if !utf8.Valid(data) {
		return wrong(errors.New("not UTF-8"))
	}
	switch format {
	case "json", "sarif", "gitlab":
		if !json.Valid(data) {
			return wrong(errors.New("no JSON"))
		}
	case "jsonl":
		for line := range bytes.Lines(data) {
			if !json.Valid(line) {
				return wrong(errors.New("a line is no JSON"))
			}
		}
	case "junit":
		for d := xml.NewDecoder(bytes.NewReader(data)); ; {
			if _, err := d.Token(); err == io.EOF {
				return nil
			} else if err != nil {
				return wrong(err)
			}
		}
	default: // lines of text: no character that a terminal would obey
		if i := bytes.IndexFunc(data, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || r == 0x202e || r == 0x2028 }); i >= 0 {
			return wrong(errors.New("a terminal would obey it"))
		}
	}
	return nil
}

// TestLintFixDisk: lint --fix of every example leaves files that lint --fix
// leaves alone.
func TestLintFixDisk(t *testing.T) {
	for _, e := range examples.Env() {
		name, value, _ := strings.Cut(e, "=")
		t.Setenv(name, value)
	}
	for _, r := range lint.Rules() {
		if !r.Fixable {
			continue
		}
		page, err := lint.PageOf(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Cases {
			t.Run(r.Code+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				x, err := examples.Of(c)
				if err != nil {
					t.Fatal(err)
				}
				dir := t.TempDir()
				if err := x.Lay(dir); err != nil {
					t.Fatal(err)
				}
				fix := func() string {
					var stdout, stderr bytes.Buffer
					if code := run(t.Context(), []string{"-C", dir, "lint", "--fix"}, strings.NewReader(""), &stdout, &stderr); code != 0 && code != exitFindings {
						t.Fatalf("exit %d: %s", code, stderr.String())
					}
					return stderr.String()
				}
				fix()
				if said := fix(); !strings.Contains(said, "nothing to mend") {
					t.Errorf("the second time %s", said)
				}
			})
		}
	}
}
