package compose

import (
	"slices"
	"strings"
	"testing"
	"time"

	"memsync"
)

// One row per sentence of the design's rules; told says what became of each
// memory.
func TestOverlayRules(t *testing.T) {
	inScope := func(l Learned, agent string) Learned { l.Agent = agent; return l }
	supported := func(l Learned, n int) Learned { l.Supports = n; return l }
	at := func(l Learned, when time.Time) Learned { l.Created = when; return l }
	long := func(n int) string { return strings.Repeat("é", n-len("- \n")) } // an entry of n characters
	for name, tc := range map[string]struct {
		agent    string // frontmatter; "" for the agent of testdata
		memories []Learned
		want     string
	}{
		"1: a memory belongs to all agents":                 {"", []Learned{background(1, "currentState", "a", "b")}, "1+"},
		"1: or to the one whose scope it lives in":          {"", []Learned{inScope(background(1, "currentState", "a", "b"), "harbor")}, "1+"},
		"1: another agent's is not read":                    {"", []Learned{inScope(background(1, "currentState", "a", "b"), "quay")}, "1?other_agent"},
		"1: nor does it win an address":                     {"", []Learned{background(1, "currentState", "a", "b"), inScope(background(2, "currentState", "a", "c"), "quay")}, "1+ 2?other_agent"},
		"one without a target is not asked":                 {"", []Learned{learned(1, Target{}, Payload{}, "b")}, "1?no_target"},
		"one without an id cannot be traced":                {"", []Learned{{Snapshot: Snapshot{Target: Target{Primitive: RecoverySlot}, Text: "b"}}}, "0?no_id"},
		"one id counts once":                                {"", []Learned{background(1, "currentState", "a", "b"), background(1, "currentState", "a", "b")}, "1+ 1?repeated"},
		"2: an authored key wins":                           {"", []Learned{background(1, "projectContext", "repo", "elsewhere")}, "1-authored"},
		"2: in its own section only":                        {"", []Learned{background(1, "currentState", "repo", "elsewhere")}, "1+"},
		"2: an authored name wins, whatever its case":       {"", []Learned{awareness(1, "RunBooks")}, "1-authored"},
		"2: an equal line":                                  {"", []Learned{judgment(1, "release-review", "heuristics", "Read the\n changelog before  the diff.")}, "1-authored"},
		"2: an equal line in another slot is another":       {"", []Learned{judgment(1, "release-review", "constraints", "Read the changelog before the diff.")}, "1+"},
		"2: an authored example":                            {"", []Learned{example(1, "release-review", "the tests are red")}, "1-authored"},
		"2: a line of the authored recovery":                {"", []Learned{recovery(1, "When a deploy fails:")}, "1-authored"},
		"2: an authored workflow":                           {"", []Learned{workflow(1, "releasing", "cut a branch")}, "1-authored"},
		"3: an unknown domain":                              {"", []Learned{judgment(1, "release", "heuristics", "a"), example(2, "release", "b")}, "1-unknown_domain 2-unknown_domain"},
		"3: an unknown section":                             {"name: x\nbackground: {conventions: {}}", []Learned{background(1, "currentState", "a", "b"), background(2, "conventions", "a", "b")}, "2+ 1-unknown_section"},
		"3: an unknown capability":                          {"", []Learned{workflow(1, "memory", "a")}, "1-unknown_capability"},
		"3: missing recovery":                               {"name: x", []Learned{recovery(1, "a")}, "1-no_recovery"},
		"3: awareness that the author did not open":         {"name: x", []Learned{awareness(1, "a")}, "1-no_awareness"},
		"3: and one opened with no source":                  {"name: x\nawareness: {}", []Learned{awareness(1, "a")}, "1+"},
		"a workflow where none are learned":                 {"name: x\nmanuals: {a: {}}", []Learned{workflow(1, "a", "b")}, "1-locked"},
		"a slot that is locked":                             {"name: x\nbackground: {conventions: {}}\nlearn: {sections: {conventions: locked}}", []Learned{background(1, "conventions", "a", "b")}, "1-locked"},
		"a missing payload":                                 {"", []Learned{learned(1, Target{Primitive: AwarenessSlot}, Payload{}, "text")}, "1-incomplete"},
		"a payload that does not fit":                       {"", []Learned{learned(1, Target{Primitive: RecoverySlot}, Payload{Name: "a"}, "text")}, "1-incomplete"},
		"no text":                                           {"", []Learned{recovery(1, " \n\u200b")}, "1-incomplete"},
		"4: the newest at one address":                      {"", []Learned{background(1, "currentState", "a", "old"), background(2, "currentState", "a", "new")}, "2+ 1-newer"},
		"4: by creation time, not by id":                    {"", []Learned{at(background(1, "currentState", "a", "new"), day(9)), background(2, "currentState", "a", "old")}, "1+ 2-newer"},
		"4: a tie goes to the larger id":                    {"", []Learned{at(background(1, "currentState", "a", "b"), day(9)), at(background(2, "currentState", "a", "c"), day(9))}, "2+ 1-newer"},
		"4: equal lines of one slot are one":                {"", []Learned{judgment(1, "scheduling", "heuristics", "a b"), judgment(2, "scheduling", "heuristics", "a\nb")}, "2+ 1-newer"},
		"5: the first that does not fit ends its primitive": {"name: x\nbackground: {conventions: {}}\nlearn: {budgets: {background: 40}}", []Learned{background(3, "conventions", "a", "b"), background(2, "conventions", "c", strings.Repeat("x", 40)), background(1, "conventions", "d", "e")}, "3+ 1-budget 2-budget"},
		"5: exactly full fits":                              {"name: x\njudgments: [{domain: d}]\nlearn: {budgets: {judgment: 40}}", []Learned{judgment(2, "d", "heuristics", long(20)), judgment(1, "d", "heuristics", "e"+long(19))}, "1+ 2+"},
		"5: code points, not bytes":                         {"name: x\njudgments: [{domain: d}]\nlearn: {budgets: {judgment: 40}}", []Learned{judgment(2, "d", "heuristics", long(40))}, "2+"},
		"5: one more is too much":                           {"name: x\njudgments: [{domain: d}]\nlearn: {budgets: {judgment: 40}}", []Learned{judgment(2, "d", "heuristics", long(41))}, "2-budget"},
		"5: Primitives end on their own":                    {"name: x\nbackground: {conventions: {}}\nawareness: {}\nlearn: {budgets: {background: 0}}", []Learned{background(1, "conventions", "a", "b"), awareness(2, "c")}, "2+ 1-budget"},
		"5: the ceiling ends all of them":                   {"name: x\nbackground: {conventions: {}}\njudgments: [{domain: d}]\nlearn: {budgets: {ceiling: 10}}", []Learned{judgment(1, "d", "heuristics", "abcde"), background(2, "conventions", "a", "b"), background(3, "conventions", "c", "")}, "1+ 2-ceiling 3-incomplete"},
		"5: what would fit behind it, too":                  {"name: x\nbackground: {conventions: {}}\nlearn: {budgets: {ceiling: 30}}", []Learned{background(3, "conventions", "a", "b"), background(2, "conventions", "c", strings.Repeat("x", 20)), background(1, "conventions", "d", "e")}, "3+ 1-ceiling 2-ceiling"},
		"2: an entry of a list in it":                       {"name: x\nrecovery:\n  prompt: |\n    Then\n    - stop the train", []Learned{recovery(1, "stop the train"), recovery(2, "Then stop")}, "2+ 1-authored"},
		"5: earned before auto":                             {"name: x\nbackground: {conventions: {}}\njudgments: [{domain: d}]\nlearn: {budgets: {ceiling: 20}}", []Learned{judgment(1, "d", "heuristics", "abcdefg"), background(2, "conventions", "a", "bcdefgh")}, "1+ 2-ceiling"},
		"5: more distinct supports first":                   {"name: x\njudgments: [{domain: d}]\nlearn: {budgets: {judgment: 10}}", []Learned{supported(judgment(1, "d", "heuristics", "abcde"), 3), supported(judgment(2, "d", "heuristics", "fghij"), 2)}, "1+ 2-budget"},
		"5: then the newer":                                 {"name: x\njudgments: [{domain: d}]\nlearn: {budgets: {judgment: 10}}", []Learned{at(judgment(1, "d", "heuristics", "abcde"), day(9)), judgment(2, "d", "heuristics", "fghij")}, "1+ 2-budget"},
		"5: then the larger id":                             {"name: x\njudgments: [{domain: d}]\nlearn: {budgets: {judgment: 10}}", []Learned{at(judgment(1, "d", "heuristics", "abcde"), day(9)), at(judgment(2, "d", "heuristics", "fghij"), day(9))}, "2+ 1-budget"},
		"5: guarded ones are never spilled":                 {"name: x\njudgments: [{domain: d}]\nlearn: {budgets: {judgment: 10}}", []Learned{judgment(1, "d", "constraints", "abcdefghij"), judgment(2, "d", "heuristics", "f")}, "1+ 2-budget"},
		"rules hold in order: the loser of 2 wins nothing":  {"", []Learned{background(1, "projectContext", "repo", "a"), background(2, "projectContext", "repo", "b")}, "1-authored 2-authored"},
	} {
		a := harbor(t)
		if tc.agent != "" {
			a = parse(t, tc.agent)
		}
		_, report := Overlay(a, tc.memories)
		if got := told(report); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}

// Rule 6: learned entries stand behind the authored ones of their slot, by
// creation time, then id.
func TestOverlayOrder(t *testing.T) {
	a := parse(t, "name: x\njudgments: [{domain: d, heuristics: [authored]}]")
	late, tie := judgment(1, "d", "heuristics", "third"), judgment(2, "d", "heuristics", "second")
	late.Created, tie.Created = day(9), day(3)
	got := prompt(a, late, judgment(3, "d", "heuristics", "first, with a larger id"), tie)
	want := "# Methodology\n\n## d\n\n### Heuristics\n\n- authored\n- second\n- first, with a larger id\n- third\n"
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestReportCountsAndNames(t *testing.T) {
	a := parse(t, "name: x\nbackground: {conventions: {}}\njudgments: [{domain: d}]\nlearn: {budgets: {judgment: 10, background: 20}}")
	_, r := Overlay(a, []Learned{judgment(1, "d", "constraints", "abcdefghij"), background(2, "conventions", "k", "v"),
		background(3, "conventions", "k", "w"), background(4, "conventions", "k", "é")})
	if r.Characters[JudgmentSlot] != 13 || r.Characters[BackgroundSlot] != len("- **k**: v\n") || r.Total != 24 {
		t.Errorf("characters %v, %d", r.Characters, r.Total)
	}
	if !slices.Equal(r.Over(), []Primitive{JudgmentSlot}) || r.OverCeiling() {
		t.Errorf("over %v", r.Over())
	}
	if len(r.Conflicts) != 1 || r.Conflicts[0].Winner != id(4) || !slices.Equal(r.Conflicts[0].Losers, []memsync.ID{id(2), id(3)}) {
		t.Errorf("conflicts %+v", r.Conflicts)
	}
	if r.Dropped[0].Newer != id(4) || !OverBudget.Spilled() || Newer.Spilled() {
		t.Errorf("dropped %+v", r.Dropped)
	}
}

func TestWhy(t *testing.T) {
	c, _ := Overlay(harbor(t), []Learned{example(1, "scheduling", "two trains"), background(2, "currentState", "freeze", "yes")})
	fragments := Render(c)
	lines := strings.Split(strings.TrimSuffix(Prompt(fragments), "\n"), "\n")
	for n, text := range lines {
		found := Why(fragments, n+1)
		if len(found) != 1 || !strings.Contains("\n"+found[0].Text, "\n"+text+"\n") {
			t.Fatalf("line %d %q: %+v", n+1, text, found)
		}
		var want []memsync.ID
		switch {
		case strings.Contains(text, "two trains") || text == "  - **good**: wait":
			want = []memsync.ID{id(1)}
		case strings.Contains(text, "freeze"):
			want = []memsync.ID{id(2)}
		}
		if !slices.Equal(found[0].MemoryIDs, want) {
			t.Errorf("line %d %q is of %v, want %v", n+1, text, found[0].MemoryIDs, want)
		}
	}
	for _, n := range []int{-1, 0, len(lines) + 1} {
		if found := Why(fragments, n); len(found) > 0 {
			t.Errorf("line %d: %+v", n, found)
		}
	}
	if Why(nil, 1) != nil || Render(Composed{}) != nil {
		t.Error("nothing has lines")
	}
}

func TestAddress(t *testing.T) {
	for want, l := range map[string]Learned{
		`["background","currentState","a \"b\""]`: background(1, "currentState", " a\n\"b\" ", "text"),
		`["awareness","strasse"]`:                 awareness(1, " Straße"),
		`["judgment","d","heuristics","A <b>"]`:   judgment(1, "d", "heuristics", "A  <b>\n"),
		`["example","d","é"]`:                     example(1, "d", "e\u0301"),
		`["recovery","Say it."]`:                  recovery(1, "Say it."),
		`["manual","c","w"]`:                      workflow(1, "c", "w"),
		"":                                        recovery(1, ""),
	} {
		if got := l.Address(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
