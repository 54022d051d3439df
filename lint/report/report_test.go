package report

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"memsync"
	"memsync/lint"
)

var update = flag.Bool("update", false, "write the golden files anew")

func finding(code string, severity memsync.Severity, path, message, hint string) lint.Finding {
	return lint.Finding{Finding: memsync.Finding{Code: code, Severity: severity, Path: memsync.Path(path), Message: message, Hint: hint}}
}

// at gives a finding its place: columns in bytes and, behind them, in characters.
func at(f lint.Finding, line, column, endLine, endColumn, charColumn, endCharColumn int) lint.Finding {
	f.Line, f.Column, f.EndLine, f.EndColumn, f.CharColumn, f.EndCharColumn = line, column, endLine, endColumn, charColumn, endCharColumn
	return f
}

func mended(f lint.Finding, message string, edits ...lint.Edit) lint.Finding {
	f.Fix = &lint.Fix{Message: message, Edits: edits}
	return f
}

// ordinary is a run as they are.
func ordinary() Run {
	return Run{
		Version: "v0.1.0", Files: 12, Suppressed: 2, Known: 5,
		Sizes: []lint.Size{{Agent: "harbor", Path: "agents/harbor/AGENT.md", Parts: []lint.Part{{Primitive: "background", Characters: 412, Budget: 2000},
			{Primitive: "judgment", Characters: 90, Budget: 1600}}, Total: 502, Ceiling: 6000}, {Agent: "pilot", Path: "agents/pilot/AGENT.md", Parts: []lint.Part{{Primitive: "background", Budget: 2000}}, Ceiling: 6000}},
		Findings: []lint.Finding{
			finding(lint.NoAttributes, memsync.Warning, "", "the store has no .gitattributes", "memsync doctor --fix"),
			at(finding(memsync.FindSecret, memsync.Severe, "memory/project_api.md", "a secret: an AWS access key id", "take it out, and give it up at its service"),
				9, 12, 9, 32, 12, 32),
			mended(at(finding(memsync.FindFrontmatterRecovered, memsync.Warning, "memory/user_tür.md", "the value of description is no YAML", ""),
				3, 14, 3, 36, 14, 35), "put the value in quotes", lint.Edit{Start: 38, End: 38, Text: `"`}, lint.Edit{Start: 60, End: 60, Text: `"`}),
			at(finding(memsync.FindNameMissing, memsync.Info, "memory/user_tür.md", "there is no name", "add name:"), 1, 0, 0, 0, 0, 0),
			at(finding(lint.SecondBlock, memsync.Severe, "memory/user_tür.md", "a second block of frontmatter", ""), 8, 1, 12, 1, 1, 1),
		},
	}
}

// hostile is a run over names and words that want something of their reader.
func hostile() Run {
	secret := "\n::error::pwned\r::set-output name=x::y\n##[add-mask]a\n\x1b[31m\u202e](https://evil.example) ]]> <b>&amp;</b> 100% \"q\" 'a' \xff\x00, :"
	return Run{
		Version: "v0.1.0", Files: 6, Verbose: true,
		Sizes: []lint.Size{{Agent: secret, Path: "agents/a\n::warning::b/AGENT.md", Parts: []lint.Part{{Primitive: "background"}}}},
		Findings: []lint.Finding{
			at(finding(memsync.FindInjection, memsync.Severe, "::error::pwned.md", secret, "\n::stop-commands::x"), 1, 1, 1, 3, 1, 3),
			at(finding(memsync.FindNotPortable, memsync.Warning, "a b/#1?100%,x:y.md", "a name", ""), 0, 0, 0, 0, 0, 0),
			at(finding(memsync.FindNotPortable, memsync.Warning, "a\n::warning::b\x1b[2J.md", "a name", ""), 2, 9, 1, 1, 0, 0),
			at(finding(memsync.FindNotPortable, memsync.Warning, "bytes\xff\xfe.md", "a name", ""), 1, 0, 0, 0, 0, 0),
			at(finding(memsync.FindNotPortable, memsync.Info, "\"<a href='x'>]]>&.md", "[a link](https://evil.example)", ""), 1, 5, 2, 1, 5, 1),
			at(finding(memsync.FindNotPortable, memsync.Warning, "日本/tag\U000e0041.md", "twice", ""), 4, 1, 0, 0, 1, 0),
			at(finding(memsync.FindNotPortable, memsync.Warning, "日本/tag\U000e0041.md", "twice", ""), 4, 7, 0, 0, 5, 0),
			finding("MS999", "fatal", "new.md", "a code that this program does not know", ""),
		},
	}
}

// onePage stands for the pages of all rules, so that goldens don't hold texts
// that are somebody else's.
func onePage(r lint.Rule) (lint.Page, error) {
	if r.Code == lint.SecondBlock {
		return lint.Page{}, errors.New("no page")
	}
	return lint.Page{Rule: r, Summary: "What " + r.Code + " finds.", Text: "Why it\nmatters.\n\nWhat to `do`."}, nil
}

func told(t testing.TB, format string, run Run) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, run); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return b.Bytes()
}

func TestGoldens(t *testing.T) {
	for name, run := range map[string]Run{"ordinary": ordinary(), "hostile": hostile(), "nothing": {Version: "v0.1.0", Files: 1}} {
		for _, format := range Formats {
			t.Run(name+"/"+format, func(t *testing.T) {
				got := told(t, format, run)
				if format == "sarif" {
					var b bytes.Buffer
					if err := writeSARIF(&b, run, onePage); err != nil {
						t.Fatal(err)
					}
					got = b.Bytes()
				}
				judge(t, format, run, got)
				file := filepath.Join("testdata", name+"."+format+".golden")
				if *update {
					if err := os.WriteFile(file, got, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), string(got)); diff != "" {
					t.Errorf("not as in %s (-want +got):\n%s", file, diff)
				}
			})
		}
	}
}

func TestText(t *testing.T) {
	note := at(finding(memsync.FindUntyped, memsync.Info, "a.md", "no type", "say one"), 1, 0, 0, 0, 0, 0)
	bad := at(finding(memsync.FindSecret, memsync.Severe, "a.md", "a secret", ""), 3, 4, 0, 0, 4, 0)
	for name, tc := range map[string]struct {
		run  Run
		want string
	}{
		"nothing":        {Run{Files: 1}, "1 file, nothing found\n"},
		"all kept out":   {Run{Files: 2, Known: 3, Suppressed: 1}, "2 files, nothing found (1 suppressed; 3 in the baseline)\n"},
		"notes, counted": {Run{Files: 2, Findings: []lint.Finding{note}}, "2 files, 1 note (--verbose shows the notes)\n"},
		"notes, shown":   {Run{Files: 2, Findings: []lint.Finding{note}, Verbose: true}, "a.md:1: info: [MS104] no type\n  say one\n2 files, 1 note\n"},
		"a path as the reader wants it": {Run{Files: 1, Findings: []lint.Finding{bad}, Show: func(p memsync.Path) string { return "../" + string(p) }},
			"../a.md:3:4: error: [MS301] a secret\n1 file, 1 error\n"},
		"the store itself": {Run{Findings: []lint.Finding{finding(lint.NoAttributes, memsync.Warning, "", "none", "")}}, ".: warning: [MS701] none\n0 files, 1 warning\n"},
	} {
		if diff := cmp.Diff(tc.want, string(told(t, "text", tc.run))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestShown(t *testing.T) {
	for in, want := range map[string]string{
		"plain, Grüße, 日本 👩‍💻":                     "plain, Grüße, 日本 👩‍💻",
		"a\nb\rc\td":                               `a\nb\rc\td`,
		"\x00\x1b[2J\x7f\u0085":                    `\u0000\u001b[2J\u007f\u0085`,
		"\u202e\u2066\u200b\ufeff\u2028\U000e0041": `\u202e\u2066\u200b\ufeff\u2028\U000e0041`,
		"\xff\xc3": `\xff\xc3`,
		"\ufffd":   "\ufffd",
	} {
		if got := shown(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for name, tc := range map[string]struct {
		in, want span
		last     int
	}{
		"a word":                       {span{3, 5, 3, 9}, span{3, 5, 3, 9}, 3},
		"nothing wide":                 {span{3, 5, 3, 5}, span{3, 5, 3, 5}, 3},
		"whole lines":                  {span{3, 1, 5, 1}, span{3, 1, 5, 1}, 4},
		"into a line":                  {span{3, 1, 5, 2}, span{3, 1, 5, 2}, 5},
		"no text at all":               {span{0, 5, 3, 9}, span{}, 0},
		"a line":                       {span{3, 0, 0, 0}, span{3, 0, 0, 0}, 0},
		"backwards":                    {span{3, 5, 2, 9}, span{3, 5, 0, 0}, 0},
		"backwards in a line":          {span{3, 5, 3, 4}, span{3, 5, 3, 0}, 3},
		"an end without a start":       {span{3, 0, 3, 4}, span{3, 0, 3, 0}, 3},
		"a negative column is no more": {span{3, -1, 3, 4}, span{3, 0, 3, 0}, 3},
	} {
		if got := tc.in.sound(); got != tc.want || got.lastLine() != tc.last {
			t.Errorf("%s: %v to line %d, want %v to %d", name, got, got.lastLine(), tc.want, tc.last)
		}
	}
}

func TestFenceTokenIsNotInTheText(t *testing.T) {
	text := "x"
	first := fenceToken(text)
	if again := fenceToken(text); again != first {
		t.Errorf("the same text has two: %s, %s", first, again)
	}
	if strings.Contains(text, first) || fenceToken("y") == first {
		t.Errorf("it is not drawn from the text: %s", first)
	}
}

type countingWriter struct{ calls int }

func (w *countingWriter) Write(b []byte) (int, error) { w.calls++; return len(b), nil }

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWrite(t *testing.T) {
	for _, format := range Formats {
		var w countingWriter
		if err := Write(&w, format, ordinary()); err != nil || w.calls != 1 {
			t.Errorf("%s: %d writes, %v", format, w.calls, err)
		}
		if err := Write(brokenWriter{}, format, ordinary()); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s: a writer's error is lost: %v", format, err)
		}
		if !bytes.Equal(told(t, format, hostile()), told(t, format, hostile())) {
			t.Errorf("%s: the same run gives other bytes", format)
		}
	}
	var w countingWriter
	err := Write(&w, "yaml", ordinary())
	if !errors.Is(err, memsync.CodeUsage) || w.calls != 0 {
		t.Errorf("no such format: %v, %d writes", err, w.calls)
	}
}

// TestSARIFRules looks at what the goldens don't hold: a real page.
func TestSARIFRules(t *testing.T) {
	rule := newSarifRule(memsync.FindFrontmatterRecovered, lint.PageOf)
	if rule.Name != "RecoveredValue" || rule.ShortDescription.Text == "recovered value" || !strings.Contains(rule.Help.Markdown, rule.ShortDescription.Text) {
		t.Errorf("the page is not told: %+v", rule)
	}
	for _, r := range lint.Rules() {
		for _, text := range []string{newSarifRule(r.Code, lint.PageOf).ShortDescription.Text, newSarifRule(r.Code, lint.PageOf).FullDescription.Text} {
			if n := len([]rune(text)); n == 0 || n > 1024 {
				t.Errorf("%s: a description has %d characters; code scanning takes 1 to 1024", r.Code, n)
			}
		}
	}
}

// TestDocs: docs/ci.md names each format, and its JSON is what the schema says.
func TestDocs(t *testing.T) {
	docs, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range Formats {
		if !regexp.MustCompile("(?m)^\\| [^|]*`" + format + "`").Match(docs) {
			t.Errorf("docs/ci.md has no %s", format)
		}
	}
	_, rest, _ := strings.Cut(string(docs), "```json\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("docs/ci.md has no JSON")
	}
	validate(t, "json", []byte(example))
}
