package compose

import (
	"errors"
	"strings"
	"testing"

	"memsync"
)

func TestParseTarget(t *testing.T) {
	for compact, want := range map[string]Target{
		"": {},
		`{"key":"freeze","primitive":"background","section":"currentState"}`: {Primitive: BackgroundSlot, Section: "currentState", Key: "freeze"},
		`{"primitive":"awareness"}`: {Primitive: AwarenessSlot},
		`{"domain":"release-review","primitive":"judgment","slot":"heuristics"}`: {Primitive: JudgmentSlot, Domain: "release-review", Slot: "heuristics"},
		`{"judgmentDomain":"release-review","primitive":"example"}`:              {Primitive: ExampleSlot, Domain: "release-review"},
		`{"primitive":"recovery"}`: {Primitive: RecoverySlot},
		`{"capability":"releasing","primitive":"manual","section":"workflows"}`:  {Primitive: ManualSlot, Capability: "releasing", Section: "workflows"},
		`{"domain":"a<b>&c","primitive":"judgment","slot":"escalationTriggers"}`: {Primitive: JudgmentSlot, Domain: "a<b>&c", Slot: "escalationTriggers"},
	} {
		got, err := ParseTarget(compact)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", compact, got, err)
		}
		if got.String() != compact {
			t.Errorf("%s is written %s", compact, got)
		}
	}
}

func TestParseTargetRefuses(t *testing.T) {
	for compact, want := range map[string]string{
		`"background"`:                "target is not a mapping",
		`null`:                        "target is not a mapping",
		`{`:                           "target is not a mapping",
		`{}`:                          "target.primitive says no primitive",
		`{"primitive":"judgement"}`:   `target.primitive "judgement" is no primitive (did you mean "judgment"?)`,
		`{"primitive":["judgment"]}`:  "target.primitive is not text",
		`{"primitive":"persona"}`:     `target.primitive "persona" is never learned`,
		`{"primitive":"tone"}`:        `target.primitive "tone" is never learned`,
		`{"primitive":"methodology"}`: `target.primitive "methodology" is never learned`,
		`{"primitive":"mission"}`:     `target.primitive "mission" is never learned`,
		`{"primitive":"background","section":"currentState"}`:                                            "target.key is missing",
		`{"key":"a","primitive":"background"}`:                                                           "target.section is missing",
		`{"key":"a","primitive":"background","section":null}`:                                            "target.section is missing",
		`{"key":"a","primitive":"background","section":"curentState"}`:                                   `target.section "curentState" is none of teamContext, projectContext, conventions, currentState (did you mean "currentState"?)`,
		`{"key":" ","primitive":"background","section":"currentState"}`:                                  "target.key is empty",
		`{"domain":"a","primitive":"judgment","slot":"examples"}`:                                        `target.slot "examples" is none of`,
		`{"domain":"a","primitive":"example"}`:                                                           `target.domain is an unknown key`,
		`{"domain":"a","primitive":"judgment","slots":"heuristics"}`:                                     `target.slots is an unknown key (did you mean "slot"?)`,
		`{"name":"a","primitive":"awareness"}`:                                                           "target.name is an unknown key",
		`{"capability":"a","primitive":"manual","section":"prompt"}`:                                     `target.section "prompt" is none of workflows`,
		`{"domain":"` + strings.Repeat("é", MaxName+1) + `","primitive":"judgment","slot":"heuristics"}`: "target.domain has 121 characters, the limit is 120",
	} {
		got, err := ParseTarget(compact)
		var e *memsync.Error
		if !errors.As(err, &e) || e.Code != memsync.CodeFrontmatter || e.Details["key"] == "" {
			t.Errorf("%s: %+v, %v", compact, got, err)
			continue
		}
		if !strings.HasPrefix(e.Message, want) {
			t.Errorf("%s:\n got %s\nwant %s", compact, e.Message, want)
		}
	}
}

func TestTierOfATarget(t *testing.T) {
	heuristics := Target{Primitive: JudgmentSlot, Domain: "a", Slot: "heuristics"}
	constraints := Target{Primitive: JudgmentSlot, Domain: "a", Slot: "constraints"}
	state := Target{Primitive: BackgroundSlot, Section: "currentState", Key: "k"}
	workflow := Target{Primitive: ManualSlot, Capability: "a", Section: "workflows"}
	for name, tc := range map[string]struct {
		learn  string
		target Target
		want   Tier
	}{
		"background is auto":                  {"", state, Auto},
		"awareness is auto":                   {"", Target{Primitive: AwarenessSlot}, Auto},
		"heuristics are earned":               {"", heuristics, Earned},
		"examples are earned":                 {"", Target{Primitive: ExampleSlot, Domain: "a"}, Earned},
		"constraints are guarded":             {"", constraints, Guarded},
		"triggers are guarded":                {"", Target{Primitive: JudgmentSlot, Domain: "a", Slot: "escalationTriggers"}, Guarded},
		"recovery is guarded":                 {"", Target{Primitive: RecoverySlot}, Guarded},
		"workflows are locked":                {"", workflow, Locked},
		"workflows are guarded where learned": {"manuals: true", workflow, Guarded},
		"nothing is locked":                   {"", Target{}, Locked},
		"what is no place is locked":          {"", Target{Primitive: BackgroundSlot, Section: "persona", Key: "k"}, Locked},
		"a section made stricter":             {"sections: {currentState: guarded}", state, Guarded},
		"a section closed":                    {"sections: {currentState: locked}", state, Locked},
		"another section keeps its own":       {"sections: {conventions: guarded}", state, Auto},
		"a slot made stricter":                {"sections: {heuristics: guarded}", heuristics, Guarded},
		"of one slot, not of its primitive":   {"sections: {heuristics: locked}", constraints, Guarded},
	} {
		if got := parse(t, "name: x\nlearn: {"+tc.learn+"}").Tier(tc.target); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
	loose := &Agent{Learn: Learn{Sections: map[string]Tier{"constraints": Auto}}}
	if got := loose.Tier(constraints); got != Guarded {
		t.Errorf("a looser tier set by hand counts: %s", got)
	}
}
