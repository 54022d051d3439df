package main

import (
	"bytes"
	"context"
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

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"memsync"
)

func verbTree() *cobra.Command {
	a := &app{ctx: context.Background(), stdin: strings.NewReader(""), stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}, env: noEnv}
	root := a.command()
	a.build(root, []string{"help"})
	return root
}

// eachVerb walks the verbs that do something, by name.
func eachVerb(cmd *cobra.Command, visit func(*cobra.Command)) {
	for _, sub := range cmd.Commands() {
		if sub.Hidden || sub.Name() == "help" {
			continue
		}
		if !sub.HasSubCommands() {
			visit(sub)
			continue
		}
		eachVerb(sub, visit)
	}
}

func flagLines(b *strings.Builder, flags *pflag.FlagSet) {
	var lines []string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, about := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if kind != "" {
			name += " " + kind
		}
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" && f.DefValue != "0" {
			about += " (default " + f.DefValue + ")"
		}
		lines = append(lines, fmt.Sprintf("- `%s`: %s", name, about))
	})
	if len(lines) > 0 {
		b.WriteString("\n" + strings.Join(lines, "\n") + "\n")
	}
}

// renderVerbs is what docs/cli.md says of the verbs, from the tree itself.
func renderVerbs(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("Every verb takes these:\n")
	flagLines(&b, root.PersistentFlags())
	eachVerb(root, func(cmd *cobra.Command) {
		use := strings.TrimSuffix(cmd.UseLine(), " [flags]")
		fmt.Fprintf(&b, "\n### %s\n\n%s.\n\n```\n%s\n```\n", strings.TrimPrefix(cmd.CommandPath(), "memsync "), strings.TrimSuffix(cmd.Short, "."), use)
		if cmd.Long != "" {
			b.WriteString("\n" + cmd.Long + "\n")
		}
		flagLines(&b, cmd.LocalNonPersistentFlags())
		if cmd.Example != "" {
			b.WriteString("\n```\n" + cmd.Example + "\n```\n")
		}
	})
	return b.String()
}

const verbsBegin, verbsEnd = "<!-- verbs:begin -->\n", "<!-- verbs:end -->"

// TestDocsNameEveryVerbAndFlag: the manual's part about the verbs is what the
// program says of itself. UPDATE_DOCS=1 writes it.
func TestDocsNameEveryVerbAndFlag(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "cli.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), verbsBegin)
	have, after, ok2 := strings.Cut(rest, verbsEnd)
	if !ok || !ok2 {
		t.Fatal("docs/cli.md has lost its markers")
	}
	want := "\n" + renderVerbs(verbTree()) + "\n"
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile(file, []byte(before+verbsBegin+want+verbsEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("docs/cli.md is not what the program says; UPDATE_DOCS=1 go test ./cmd/memsync -run DocsName\n%s", diff)
	}
	prose := before + after
	eachVerb(verbTree(), func(cmd *cobra.Command) {
		if !strings.Contains(prose, "`"+strings.TrimPrefix(cmd.CommandPath(), "memsync ")) {
			t.Errorf("docs/cli.md says nothing about the output of %s", cmd.CommandPath())
		}
	})
}

// reading are the verbs that change nothing but what is derived (the search
// index); demo, which only ever makes a store of its own; merge-driver, which
// writes the file that git hands it; and upgrade, which has no newer format to
// write yet.
var reading = []string{"check", "completion", "config get", "config list", "conflicts", "decisions list", "decisions show", "demo", "diff", "doctor",
	"history", "hooks run", "hooks status", "index rebuild", "index verify", "learnings", "list", "log", "merge-driver", "remote list", "review", "rules", "scope", "search", "show",
	"status", "upgrade", "version", "why"}

// TestEveryVerb has a line about itself, says how many arguments it takes, and
// has a dry run when it changes anything (P09).
func TestEveryVerb_P09(t *testing.T) {
	root := verbTree()
	var seen []string
	eachVerb(root, func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), "memsync ")
		seen = append(seen, name)
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: Short is %q", name, cmd.Short)
		}
		if cmd.Args == nil {
			t.Errorf("%s takes any arguments", name)
		}
		dry := cmd.Flags().Lookup("dry-run") != nil
		if changes := !slices.Contains(reading, name); changes != dry {
			t.Errorf("%s: changes something %v, has a dry run %v", name, changes, dry)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if strings.TrimSpace(f.Usage) == "" {
				t.Errorf("%s --%s says nothing", name, f.Name)
			}
		})
	})
	for _, name := range reading {
		if !slices.Contains(seen, name) {
			t.Errorf("there is no verb %s", name)
		}
	}
}

// constants are the string constants of a type (by prefix of their name) in a
// file of the root package.
func constants(t *testing.T, file, prefix string) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", file), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, name := range spec.Names {
			if !strings.HasPrefix(name.Name, prefix) || i >= len(spec.Values) {
				continue
			}
			if lit, ok := spec.Values[i].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				value, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				out[value] = name.Name
			}
		}
		return true
	})
	if len(out) == 0 {
		t.Fatalf("no constants %s… in %s", prefix, file)
	}
	return out
}

// tableRows are the rows of a page's tables whose first cell matches.
func tableRows(t *testing.T, page string, first *regexp.Regexp) map[string][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		key := strings.Trim(strings.TrimSpace(cells[0]), "`")
		if !first.MatchString(key) || len(cells) < 2 {
			continue
		}
		if _, twice := out[key]; twice {
			t.Errorf("docs/%s has %s twice", page, key)
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		out[key] = cells
	}
	return out
}

// TestDocsNameEveryError: each code of errors.go has its exit code, a meaning
// and what to do in docs/errors.md and a hint in the program.
func TestDocsNameEveryError(t *testing.T) {
	codes := constants(t, "errors.go", "Code")
	rows := tableRows(t, "errors.md", regexp.MustCompile(`^memory\.[a-z_.]+$`))
	for code, name := range codes {
		cells := rows[code]
		if len(cells) != 4 || cells[2] == "" || cells[3] == "" {
			t.Errorf("docs/errors.md: %s (%s) has no meaning and remedy: %q", code, name, cells)
			continue
		}
		if want := strconv.Itoa(exitOf(&memsync.Error{Code: memsync.Code(code)})); cells[1] != want {
			t.Errorf("docs/errors.md: %s exits %s, the program %s", code, cells[1], want)
		}
		if hintOf(memsync.Code(code)) == "" {
			t.Errorf("%s has no hint", code)
		}
	}
	for code := range rows {
		if codes[code] == "" {
			t.Errorf("docs/errors.md: there is no %s", code)
		}
	}
}

// TestDocsNameEveryEvent: names of events are stable, so a page has them all.
func TestDocsNameEveryEvent(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	for op := range constants(t, "plan.go", "Event") {
		if !strings.Contains(string(data), "`"+op+"`") {
			t.Errorf("docs/cli.md does not name the event %s", op)
		}
	}
}

// TestHintsNameNoVerbThatIsNotThere: the next command to type must exist.
func TestHintsNameNoVerbThatIsNotThere(t *testing.T) {
	root := verbTree()
	named := regexp.MustCompile("`memsync ([a-z][a-z-]*)")
	check := func(where, text string) {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if cmd, _, err := root.Find([]string{m[1]}); err != nil || cmd == root {
				t.Errorf("%s names `memsync %s`, which is not there", where, m[1])
			}
		}
	}
	for code, hint := range hints() {
		check(string(code), hint)
	}
	for _, page := range []string{"cli.md", "errors.md", "hooks.md", "lint.md", "merge-driver.md", "rules.md"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		check("docs/"+page, string(data))
	}
	eachVerb(root, func(cmd *cobra.Command) { check(cmd.CommandPath(), cmd.Long+cmd.Short) })
}
