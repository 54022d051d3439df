package compose

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"memsync"
)

func agentFile(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/AGENT.md")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// parse is an agent from frontmatter without its fences.
func parse(t testing.TB, frontmatter string) *Agent {
	t.Helper()
	a, err := ParseAgent("AGENT.md", []byte("---\n"+frontmatter+"\n---\n"))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestParseAgentReadsEveryField(t *testing.T) {
	got, err := ParseAgent("agents/harbor/AGENT.md", agentFile(t))
	if err != nil {
		t.Fatal(err)
	}
	want := &Agent{
		Name: "harbor",
		Persona: Persona{Identity: "a release coordinator for the Harbor service", Tone: "brief and factual",
			Priorities: []string{"safety before speed"}, Principles: []string{"say what is not known"}},
		Judgments: []Judgment{{Domain: "release-review", Heuristics: []string{"Read the changelog before the diff."},
			Constraints: []string{"Never approve a release without a rollback note."}, EscalationTriggers: []string{"A migration cannot be undone."},
			Examples: []Example{{"the tests are red", "say which and wait", "approve with a remark", "a red test is a fact"}}},
			{Domain: "scheduling"}},
		Background: []Section{{Name: "teamContext"}, {"projectContext", []Entry{{"repo", "git.example/harbor"}}},
			{"conventions", []Entry{{"branches", "release/x.y"}}}, {Name: "currentState"}},
		HasAwareness: true, Awareness: []Source{{"runbooks", "operational runbooks", "search in docs/"}},
		Recovery:         Recovery{"When a deploy fails:\n\n1. stop the train\n2. call the owner\n", 3},
		Manuals:          []Manual{{"releasing", []Workflow{{"cut a branch", "from main, on Tuesdays"}}}},
		Responsibilities: []string{"the release calendar"},
		Methodology:      Methodology{"Work in small steps.\n", []string{"The changelog names every change."}},
		Mission: Mission{Objective: "Keep Harbor releases boring.", Rationale: "People trust what does not surprise them.",
			SuccessCriteria: []string{"No rollback in a month."}, Constraints: []string{"No release on Fridays."}},
		Capabilities: []string{"memory"},
		Learn:        Learn{N: 2, PerDay: 10, Manuals: true, Sections: map[string]Tier{"currentState": Auto, "conventions": Guarded}, Budgets: DefaultBudgets()},
		Notes:        "Notes for people.\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseAgentDefaults(t *testing.T) {
	a, err := ParseAgent("agents/harbor/AGENT.md", []byte("---\n---\n"))
	if err != nil || a.Name != "harbor" || a.Learn.N != 2 || a.Learn.PerDay != 10 || a.Learn.Budgets != DefaultBudgets() || a.HasAwareness {
		t.Errorf("%+v, %v", a, err)
	}
	// Lowered budgets take the ceiling with them; it stays strictly below their sum.
	a = parse(t, "name: x\nlearn: {budgets: {background: 100, awareness: 100, judgment: 100, example: 100, recovery: 100, manual: 100}}")
	if a.Learn.Budgets.Ceiling != 599 {
		t.Errorf("ceiling %d", a.Learn.Budgets.Ceiling)
	}
	if b := DefaultBudgets(); b.Ceiling >= b.sum() {
		t.Errorf("the ceiling is %d, the sum %d", b.Ceiling, b.sum())
	}
	a = parse(t, "name: x\njudgments:\npersona: ~\n")
	if a.Judgments != nil {
		t.Error("a key with nothing behind it is absent")
	}
}

func TestParseAgentRefuses(t *testing.T) {
	for frontmatter, want := range map[string]string{
		"name: x\njudgements: []":                                                         `3:1: unknown key "judgements" (did you mean "judgments"?)`,
		"name: x\npersona: {tonne: brief}":                                                `3:11: unknown key "persona.tonne" (did you mean "tone"?)`,
		"name: x\njudgments:\n  - domain: a\n    heuristic: [b]":                          `5:5: unknown key "judgments[1].heuristic" (did you mean "heuristics"?)`,
		"name: x\nlearn: {evals: true}":                                                   `3:9: unknown key "learn.evals"`,
		"name: x\nlearn: {sections: {curentState: auto}}":                                 `3:20: unknown key "learn.sections.curentState" (did you mean "currentState"?)`,
		"name: x\nbackground: {team: {}}":                                                 `3:14: unknown key "background.team"`,
		"name: \"x\\ny\"":                                                                 "2:7: name is not one plain line",
		"name: [x]":                                                                       "2:7: name is a list, not text",
		"name: x\njudgments: {}":                                                          "3:12: judgments is a mapping, not a list",
		"name: x\njudgments: [a]":                                                         "3:13: judgments[1] is text, not a mapping",
		"name: x\njudgments: [{heuristics: [a]}]":                                         "3:13: judgments[1].domain is missing",
		"name: x\njudgments: [{domain: a, heuristics: a}]":                                "3:37: judgments[1].heuristics is text, not a list",
		"name: x\njudgments: [{domain: a, heuristics: [b, '']}]":                          "3:41: judgments[1].heuristics[2] is empty",
		"name: x\njudgments: [{domain: a}, {domain: a}]":                                  `3:35: judgments[2].domain is "a", which is there already`,
		"name: x\njudgments: [{domain: a, examples: [{scenario: b}]}]":                    "3:36: judgments[1].examples[1].good is missing",
		"name: x\nbackground: {projectContext: [a]}":                                      "3:30: background.projectContext is a list, not a mapping",
		"name: x\nbackground: {projectContext: {repo: {a: b}}}":                           "3:37: background.projectContext.repo is a mapping, not text",
		"name: x\nbackground: {projectContext: {repo: }}":                                 "3:37: background.projectContext.repo is empty",
		"name: x\nbackground: {projectContext: {'': a}}":                                  "3:31: background.projectContext has a key without a name",
		"name: x\nawareness: [a]":                                                         "3:12: awareness is a list, not a mapping",
		"name: x\nawareness: {domains: [{name: A}, {name: a}]}":                           `3:41: awareness.domains[2].name is "a", which is there already`,
		"name: x\nrecovery: {maxAttempts: 3}":                                             "3:11: recovery.prompt is missing",
		"name: x\nrecovery: {prompt: a, maxAttempts: many}":                               "3:36: recovery.maxAttempts is not a whole number from 1 to 1000",
		"name: x\nrecovery: {prompt: a, maxAttempts: [3]}":                                "3:36: recovery.maxAttempts is a list, not a whole number",
		"name: x\nmanuals: {a: {workflows: [{name: b}, {name: b}]}}":                      `3:45: manuals.a.workflows[2].name is "b", which is there already`,
		"name: x\nlearn: {n: 0}":                                                          "3:12: learn.n is not a whole number from 1 to 100",
		"name: x\nlearn: {n: 02}":                                                         "3:12: learn.n is not a whole number",
		"name: x\nlearn: {per_day: 1.5}":                                                  "3:18: learn.per_day is not a whole number",
		"name: x\nlearn: {manuals: maybe}":                                                "3:18: learn.manuals is not true or false",
		"name: x\nlearn: {sections: {recovery: auto}}":                                    "3:30: learn.sections.recovery is auto, which is looser than its own tier, guarded",
		"name: x\nlearn: {sections: {conventions: gated}}":                                `3:33: "gated" is no tier`,
		"name: x\nlearn: {budgets: {judgement: 1}}":                                       `3:19: unknown key "learn.budgets.judgement" (did you mean "judgment"?)`,
		"name: x\nlearn: {budgets: {ceiling: 8800}}":                                      "3:28: learn.budgets.ceiling is 8800, and must be below the sum of the budgets, 8800",
		"name: x\nlearn: {budgets: {manual: 100001}}":                                     "3:27: learn.budgets.manual is not a whole number from 0 to 100000",
		"name: x\na: &a b\ntone: *a":                                                      "4:7: an alias",
		"name: x\nmission: {objective: a: b}":                                             "",
		"name: x # the service":                                                           "2:7: the value can only be guessed at",
		"name: " + strings.Repeat("n", MaxName+1):                                         "2:7: name has 121 characters, the limit is 120",
		"name: x\nbackground: {conventions: {" + strings.Repeat("k", MaxName+1) + ": a}}": "3:28: a key of background.conventions has 121 characters",
		"persona: {identity: a}":                                                          "2:1: name is missing",
		"name: x\nname: y":                                                                `3:1: the key "name" is there twice`,
	} {
		file := "---\n" + frontmatter + "\n---\n"
		a, err := ParseAgent("AGENT.md", []byte(file))
		var e *memsync.Error
		if a != nil || !errors.As(err, &e) || e.Code != memsync.CodeFrontmatter || e.Path != "AGENT.md" {
			t.Errorf("%s: %v", frontmatter, err)
			continue
		}
		if got := fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message); want != "" && !strings.HasPrefix(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", frontmatter, got, want)
		}
	}
	for file, code := range map[string]memsync.Code{
		"":             memsync.CodeFrontmatter,
		"notes only\n": memsync.CodeFrontmatter,
		"---\nname: x": memsync.CodeFrontmatter,
		"\x00":         memsync.CodeEncoding,
		"---\nname: x\n---\n" + strings.Repeat("x", MaxAgentBytes): memsync.CodeTooLarge,
	} {
		if _, err := ParseAgent("AGENT.md", []byte(file)); memsync.CodeOf(err) != code {
			t.Errorf("%.20q: %v", file, err)
		}
	}
	_, err := ParseAgent("agents/harbour/AGENT.md", []byte("---\nname: harbor\n---\n"))
	if err == nil || !strings.Contains(err.Error(), `agents/harbour/AGENT.md:2:7: name is "harbor", the directory says "harbour"`) {
		t.Errorf("another directory: %v", err)
	}
}

// A file of the largest size is read in a moment, whatever it lists and however
// long its lines are.
func TestParseAgentLargest(t *testing.T) {
	for name, shape := range map[string]struct{ begin, item, end string }{
		"block": {"awareness:\n  domains:\n", "    - {name: n%d}\n", ""},
		"flow":  {"awareness: {domains: [", "{name: n%d}, ", "]}\n"},
	} {
		var b strings.Builder
		b.WriteString("---\n" + shape.begin)
		for i := 0; b.Len() < MaxAgentBytes-100; i++ {
			fmt.Fprintf(&b, shape.item, i)
		}
		b.WriteString(shape.end + "---\n")
		a, err := ParseAgent("agents/x/AGENT.md", []byte(b.String()))
		if err != nil || len(a.Awareness) < 10000 {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

// FuzzParseAgent: any bytes give an Agent or a placed refusal, and what parses
// renders.
func FuzzParseAgent(f *testing.F) {
	f.Add(agentFile(f))
	for _, s := range []string{"", "---\n---\n", "---\nname: x\njudgments: [{domain: a, examples: [{scenario: b, good: c}]}]\n---\n",
		"---\nname: x\nbackground: {conventions: {a: b}}\nlearn: {budgets: {ceiling: 0}}\n---\n", "---\nname: &a x\npersona: *a\n---\n",
		"---\nname: \"x\\ny\"\nmission: {objective: \"# a\\n# b\"}\n---\n", "---\n{name: x, manuals: {a: {}}}\n---\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := ParseAgent("agents/x/AGENT.md", data)
		if err != nil {
			var e *memsync.Error
			if a != nil || !errors.As(err, &e) || e.Line < 1 && e.Code != memsync.CodeTooLarge || e.Column < 1 {
				t.Fatalf("%#v", err)
			}
			return
		}
		if a.Name != "x" {
			t.Fatalf("name %q", a.Name)
		}
		for _, f := range Render(Composed{agent: a}) {
			if f.Source != ByAuthor {
				t.Fatalf("%+v", f)
			}
		}
	})
}
