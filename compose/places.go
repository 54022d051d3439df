package compose

import "strings"

// undeclared is why a memory has no place where its slot is not there.
var undeclared = map[Primitive]Reason{
	BackgroundSlot: UnknownSection, AwarenessSlot: NoAwareness, JudgmentSlot: UnknownDomain,
	ExampleSlot: UnknownDomain, RecoverySlot: NoRecovery, ManualSlot: UnknownCapability,
}

// places are the slots that the author declared and the addresses of what the
// author wrote there.
func (a *Agent) places() (slots map[slot]bool, authored map[string]bool) {
	slots, authored = make(map[slot]bool), make(map[string]bool)
	declare := func(t Target) { slots[Snapshot{Target: t}.place()] = true }
	wrote := func(s Snapshot) { authored[s.Address()] = true }
	for _, s := range a.Background {
		t := Target{Primitive: BackgroundSlot, Section: s.Name}
		declare(t)
		for _, e := range s.Entries {
			t.Key = e.Key
			wrote(Snapshot{Target: t, Text: e.Value})
		}
	}
	if a.HasAwareness {
		declare(Target{Primitive: AwarenessSlot})
	}
	for _, s := range a.Awareness {
		// An authored source may say less than a payload must.
		wrote(Snapshot{Target: Target{Primitive: AwarenessSlot}, Payload: Payload{Name: s.Name, Description: "-", AccessMethod: "-"}})
	}
	for _, j := range a.Judgments {
		for _, name := range judgmentSlots {
			t := Target{Primitive: JudgmentSlot, Domain: j.Domain, Slot: name}
			declare(t)
			for _, line := range j.slot(name) {
				wrote(Snapshot{Target: t, Text: line})
			}
		}
		t := Target{Primitive: ExampleSlot, Domain: j.Domain}
		declare(t)
		for _, e := range j.Examples {
			wrote(Snapshot{Target: t, Payload: Payload{Scenario: e.Scenario, Good: e.Good}})
		}
	}
	if a.Recovery.Prompt != "" {
		t := Target{Primitive: RecoverySlot}
		declare(t)
		for line := range strings.SplitSeq(a.Recovery.Prompt, "\n") {
			wrote(Snapshot{Target: t, Text: line})
			wrote(Snapshot{Target: t, Text: strings.TrimLeft(line, "-*+ \t")}) // as an entry of a list
		}
	}
	for _, m := range a.Manuals {
		t := Target{Primitive: ManualSlot, Capability: m.Capability, Section: "workflows"}
		declare(t)
		for _, w := range m.Workflows {
			wrote(Snapshot{Target: t, Payload: Payload{Name: w.Name}})
		}
	}
	delete(authored, "") // of an empty line
	return slots, authored
}

// slot are the lines that the author wrote in one of judgmentSlots.
func (j *Judgment) slot(name string) []string {
	switch name {
	case "heuristics":
		return j.Heuristics
	case "constraints":
		return j.Constraints
	default:
		return j.EscalationTriggers
	}
}
