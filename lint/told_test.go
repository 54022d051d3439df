package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"memsync"
	"memsync/compose"
)

// TestReasonsAreTold: whatever compose says of a memory or of an event has a rule
// that tells it, or is one of those of which there is nothing to tell.
func TestReasonsAreTold(t *testing.T) {
	silent := []compose.Reason{compose.NoID, compose.OtherAgent, compose.NoTarget, compose.Repeated, compose.WhyEnded, compose.WhyPromoted, compose.WhyToday,
		compose.WhyWithdrawn, compose.WhyDenied}
	words := constants(t, "../compose")
	if len(words["Reason"]) < 25 || len(words["Doubt"]) < 8 {
		t.Fatalf("only these were read: %v", words)
	}
	for _, w := range words["Reason"] {
		told, known := reasons()[compose.Reason(w)]
		_, rule := RuleOf(told.code)
		if !known || rule == slices.Contains(silent, compose.Reason(w)) {
			t.Errorf("reason %q: known %v, told by %q", w, known, told.code)
		}
		if rule && told.message == "" && !slices.Contains([]string{UnknownPlace, Unpromotable, Waits}, told.code) {
			t.Errorf("reason %q has no message", w)
		}
	}
	for _, w := range words["Doubt"] {
		if d := doubts()[compose.Doubt(w)]; d.message == "" || d.hint == "" {
			t.Errorf("doubt %q is told by nothing", w)
		}
	}
}

// constants are the values of a package's typed text constants, by type.
func constants(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			kind, typed := spec.Type.(*ast.Ident)
			lit, text := spec.Values[0].(*ast.BasicLit)
			if typed && text && lit.Kind == token.STRING {
				word, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				out[kind.Name] = append(out[kind.Name], word)
			}
			return true
		})
	}
	return out
}

// TestBlocks: what stands in the prompt as one line is one paragraph, whatever its
// line ends.
func TestBlocks(t *testing.T) {
	for body, want := range map[string]int{
		"": 0, "\n\n": 0, "one": 1, "one\nand the same": 1, "one\n\ntwo": 2, "- one": 1, "- one\n- two": 2, "* one\n  goes on": 1, "# Title\n\none": 2, "# Title\none": 2,
		"one\r\nsame\r\n\r\ntwo": 2, "one\n- entry": 2, "```\n- a\n- b\n```": 1, "\none\n": 1, "| a | b |\n|---|---|": 2,
	} {
		if got := blocks(body); got != want {
			t.Errorf("%q has %d, want %d", body, got, want)
		}
	}
}

// TestAuthorOf: an agent's file is at its place and nowhere else.
func TestAuthorOf(t *testing.T) {
	for p, want := range map[string]string{
		"agents/harbor/AGENT.md": "harbor", ".memsync/agents/harbor/AGENT.md": "harbor",
		"AGENT.md": "", "agents/AGENT.md": "", "agents/harbor/notes/AGENT.md": "", "docs/agents/harbor/AGENT.md": "", "agents/harbor/agent.md": "", "agents/harbor/AGENT.MD": "",
		"memory/agents/harbor/AGENT.md": "",
	} {
		if got := AuthorOf(memsync.Path(p)); got != want {
			t.Errorf("%s is of %q, want %q", p, got, want)
		}
	}
}
