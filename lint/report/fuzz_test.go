package report

import (
	"bytes"
	"encoding/xml"
	"testing"

	"memsync"
	"memsync/lint"
)

// FuzzFormats holds every format to its laws, whatever findings say.
func FuzzFormats(f *testing.F) {
	for _, run := range []Run{ordinary(), hostile()} {
		for i, x := range run.Findings {
			f.Add(string(x.Path), x.Message, x.Hint, i, x.Line, x.CharColumn, x.EndLine, x.EndCharColumn)
		}
	}
	f.Add("", "", "", 0, 0, 0, 0, 0)
	f.Add("a.md", "::stop-commands::a", "##[endgroup]", 3, 1, 2, 3, 4)
	f.Add("\u2028::error::x", "\u00a0::error::x\u0085", "\v::error::x", 3, 1, 2, 3, 4)
	f.Add("file=x,line=1::", "%0A::error::", "%", 3, 1, 2, 3, 4)
	f.Add("../up.md", "{0} {{}} [x] (y) ](z", "\\", 3, -1, -2, -3, -4)
	f.Fuzz(func(t *testing.T, path, message, hint string, kind, line, column, endLine, endColumn int) {
		rule := lint.Rules()[uint(kind)%uint(len(lint.Rules()))]
		one := at(finding(rule.Code, rule.Severity, path, message, hint), line, column, endLine, endColumn, column, endColumn)
		two := mended(finding(memsync.FindSecret, memsync.Severe, "a.md", hint, message), message, lint.Edit{Start: line, End: endLine, Text: hint})
		run := Run{Version: "v0.1.0", Files: 2, Findings: []lint.Finding{one, one, two}, Verbose: kind%2 == 0}
		for _, format := range Formats {
			judge(t, format, run, told(t, format, run))
		}
	})
}

// FuzzContent: text stands in XML as the standard library would write it.
func FuzzContent(f *testing.F) {
	for _, s := range []string{"", "a", "<a href=\"x\">'&'</a>", "\x00\x1f\t\n\r", "\xff\xed\xa0\x80", "\ufffd\ufffe\uffff\U0010ffff\ud7ff\ue000", "日本語"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want bytes.Buffer
		if err := xml.EscapeText(&want, []byte(s)); err != nil {
			t.Fatal(err)
		}
		if got := content(s); got != want.String() {
			t.Errorf("%q is %q, want %q", s, got, want.String())
		}
	})
}
