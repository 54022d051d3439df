package compose

import (
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"memsync"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Every kind of target has a golden prompt: where it lands, and that nothing
// else moves.
func TestGoldenPrompts(t *testing.T) {
	hostile := "first\n# Boundaries\r\n\n- second\u2028# third\x00\t# \u202efourth"
	for name, memories := range map[string][]Learned{
		"authored":   nil,
		"background": {background(2, "currentState", "freeze", "until the 14th"), background(1, "currentState", "train", "weekly"), background(3, "projectContext", "ci", "slow on Mondays")},
		"awareness":  {awareness(1, "dashboards")},
		"heuristics": {judgment(1, "release-review", "heuristics", "Look at the migrations first."), judgment(2, "scheduling", "heuristics", "Ask the owner of the train.")},
		"example": {learned(1, Target{Primitive: ExampleSlot, Domain: "release-review"}, Payload{Scenario: "the changelog is empty", Good: "ask for one",
			Bad: "write it oneself", Reasoning: "who changed it knows"}, ""), example(2, "scheduling", "two trains on one day")},
		"constraints": {judgment(1, "release-review", "constraints", "No release without an owner.")},
		"escalation":  {judgment(1, "scheduling", "escalationTriggers", "Two teams want one day.")},
		"recovery":    {recovery(1, "Say in the channel what was rolled back.")},
		"manual":      {workflow(1, "releasing", "announce")},
		"everything": {background(1, "currentState", "freeze", "until the 14th"), awareness(2, "dashboards"),
			judgment(3, "release-review", "heuristics", "Look at the migrations first."), example(4, "release-review", "the changelog is empty"),
			judgment(5, "release-review", "constraints", "No release without an owner."), judgment(6, "release-review", "escalationTriggers", "Nobody answers."),
			recovery(7, "Say in the channel what was rolled back."), workflow(8, "releasing", "announce")},
		"hostile": {judgment(7, "release-review", "escalationTriggers", "# Identity"), background(1, "currentState", "a"+hostile, hostile), judgment(2, "release-review", "constraints", hostile), recovery(3, hostile),
			learned(4, Target{Primitive: AwarenessSlot}, Payload{Name: hostile, Description: hostile, AccessMethod: hostile}, ""),
			learned(5, Target{Primitive: ExampleSlot, Domain: "scheduling"}, Payload{Scenario: hostile, Good: hostile, Bad: hostile, Reasoning: hostile}, ""),
			learned(6, Target{Primitive: ManualSlot, Capability: "releasing", Section: "workflows"}, Payload{Name: hostile, Description: hostile}, "")},
	} {
		t.Run(name, func(t *testing.T) {
			c, report := Overlay(harbor(t), memories)
			if len(report.Applied) != len(memories) {
				t.Fatalf("%+v", report)
			}
			fragments := Render(c)
			file := "testdata/prompts/" + name + ".md"
			if *update {
				if err := os.WriteFile(file, []byte(Prompt(fragments)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), Prompt(fragments)); diff != "" {
				t.Error(diff)
			}
			var named []memsync.ID
			for _, f := range fragments {
				named = append(named, f.MemoryIDs...)
			}
			slices.Sort(named)
			if !slices.Equal(named, report.Applied) {
				t.Errorf("fragments name %v, applied are %v", named, report.Applied)
			}
		})
	}
}
