package lint_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"memsync/lint"
)

var update = flag.Bool("update", false, "write docs/rules.md anew from the pages")

// pages are the pages of all rules, by code.
func pages(t testing.TB) []lint.Page {
	t.Helper()
	var out []lint.Page
	for _, r := range lint.Rules() {
		p, err := lint.PageOf(r)
		if err != nil {
			t.Fatalf("%s has no page: %v", r.Code, err)
		}
		out = append(out, p)
	}
	return out
}

// TestPages: every rule has a page that says what it means in a sentence and
// shows it wrong and right, and every page has a rule.
func TestPages(t *testing.T) {
	cases, told := 0, 0
	named := map[string]bool{}
	for _, p := range pages(t) {
		named[p.Code+".txtar"] = true
		if n := len(p.Summary); n == 0 || n > 110 || !strings.HasSuffix(p.Summary, ".") || strings.Contains(p.Summary, ". ") {
			t.Errorf("%s: the summary is to be one sentence of at most 110 characters: %q", p.Code, p.Summary)
		}
		if lines := strings.Count(p.Text, "\n") + 1; p.Text == "" || lines > 10 {
			t.Errorf("%s: the text has %d lines", p.Code, lines)
		}
		if p.Fixable != strings.Contains(p.Text, "`--fix`") {
			t.Errorf("%s: fixable is %v, and the text says otherwise", p.Code, p.Fixable)
		}
		var bad, good int
		seen := map[string]bool{}
		for _, c := range p.Cases {
			if c.Bad() {
				bad++
			} else {
				good++
			}
			if !c.Bad() && !strings.HasPrefix(c.Name, "good") || seen[c.Name] {
				t.Errorf("%s: a case is called %q", p.Code, c.Name)
			}
			seen[c.Name] = true
		}
		cases += bad + good
		if !p.Write {
			told++
		}
		if bad == 0 || good == 0 {
			t.Errorf("%s shows %d wrong and %d right", p.Code, bad, good)
		}
	}
	if cases < 200 || told < 45 {
		t.Errorf("%d cases, %d rules that lint tells", cases, told)
	}
	files, err := filepath.Glob("rules/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !named[filepath.Base(f)] {
			t.Errorf("%s is the page of no rule", f)
		}
	}
}

// TestRules: the table is by code, codes and names are each one rule's, and
// every code of a finding that the program can make is in it.
func TestRules(t *testing.T) {
	form := regexp.MustCompile(`^MS[1-7]\d\d$`)
	names := map[string]bool{}
	for i, r := range lint.Rules() {
		if !form.MatchString(r.Code) || i > 0 && lint.Rules()[i-1].Code >= r.Code {
			t.Errorf("%s stands in the wrong place", r.Code)
		}
		if names[r.Name] || r.Name != strings.ToLower(r.Name) || strings.Contains(r.Name, " ") {
			t.Errorf("%s: the name %q", r.Code, r.Name)
		}
		names[r.Name] = true
		for _, word := range []string{r.Code, strings.ToLower(r.Code), r.Name} {
			if got, ok := lint.RuleOf(word); !ok || got != r {
				t.Errorf("%s is not found as %q", r.Code, word)
			}
		}
	}
	for _, file := range []string{"../decision.go", "rules.go"} {
		for code := range codes(t, file) {
			if _, ok := lint.RuleOf(code); !ok {
				t.Errorf("%s: %s is no rule", file, code)
			}
		}
	}
	if _, ok := lint.RuleOf("MS999"); ok {
		t.Error("MS999 is a rule")
	}
}

// codes are the constants of a file that name a finding.
func codes(t *testing.T, file string) map[string]bool {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for _, v := range spec.Values {
			if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, _ := strconv.Unquote(lit.Value); strings.HasPrefix(s, "MS") {
					out[s] = true
				}
			}
		}
		return true
	})
	if len(out) == 0 {
		t.Fatalf("%s names no code", file)
	}
	return out
}

const rulesHead = `# Rules

What ` + "`memsync lint`" + ` and writes find, by code. A finding stops nothing by itself. It has a stable code, a place and, where there is one, a
remedy; the code is never renamed and never reused. ` + "`memsync rules CODE`" + ` shows a page of this file. Findings of a write stand under its decision
in the output of every verb (with ` + "`--json`" + ` as ` + "`findings`" + `), those of severity ` + "`info`" + ` only with ` + "`--verbose`" + `.

The first digit is the family: 1 the file, 2 identity, 3 content, 4 MEMORY.md, 5 composition, 6 ledger and git, 7 the store.

A store says in memsync.toml how bad a finding of a rule is, or turns the rule off:

` + "```toml" + `
[lint]
MS305 = "error"        # or warning, info, off
MS105 = "off"
` + "```" + `

A comment takes the findings of a rule out of one file. It stands on a line of its own, and the reason is required:

` + "```markdown" + `
<!-- memsync-ignore MS305 quoted from the ticket -->
` + "```" + `

Rules that are locked can be neither turned off nor silenced: what they find is never right.

This file is made from lint/rules/ by ` + "`go test ./lint -run TestDocs -update`" + `.

`

// TestDocs: docs/rules.md is what the pages make it.
func TestDocs(t *testing.T) {
	var b strings.Builder
	b.WriteString(rulesHead)
	b.WriteString("| code | name | severity | | what it finds |\n|---|---|---|---|---|\n")
	all := pages(t)
	for _, p := range all {
		var notes []string
		if p.Fixable {
			notes = append(notes, "fix")
		}
		if p.Locked {
			notes = append(notes, "locked")
		}
		if p.Write {
			notes = append(notes, "write")
		}
		fmt.Fprintf(&b, "| [%s](#%s-%s) | %s | %s | %s | %s |\n", p.Code, strings.ToLower(p.Code), p.Name, p.Name, p.Severity, strings.Join(notes, ", "),
			strings.ReplaceAll(p.Summary, "|", `\|`))
	}
	for _, p := range all {
		b.WriteString("\n" + p.Markdown())
	}
	const file = "../docs/rules.md"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != b.String() {
		at := slices.IndexFunc(strings.Split(b.String(), "\n"), func(line string) bool { return !strings.Contains(string(have), line+"\n") })
		t.Errorf("docs/rules.md is not what the pages make it, first at line %d: run go test ./lint -run TestDocs -update", at+1)
	}
	if strings.ContainsAny(b.String(), "\x00\r") {
		t.Error("a page shows what no terminal should get")
	}
}
