package compose

import (
	"cmp"
	"strings"

	"memsync/internal/text"
)

// undeclared is why a memory has no place where its slot is not there.
func undeclared(p Primitive) Reason {
	switch p {
	case BackgroundSlot:
		return UnknownSection
	case AwarenessSlot:
		return NoAwareness
	case JudgmentSlot, ExampleSlot:
		return UnknownDomain
	case RecoverySlot:
		return NoRecovery
	case ManualSlot:
		return UnknownCapability
	}
	return ""
}

// places are the slots that the author declared and the addresses of what the
// author wrote there.
func (a *Agent) places() (slots map[slot]bool, authored map[string]bool) {
	slots, authored = make(map[slot]bool), make(map[string]bool)
	for _, t := range a.declared() {
		slots[Snapshot{Target: t}.place()] = true
	}
	for _, s := range a.wrote() {
		authored[s.Address()] = true
	}
	return slots, authored
}

// declared are the places that memories may fill; a background's has no key.
func (a *Agent) declared() (out []Target) {
	for _, s := range a.Background {
		out = append(out, Target{Primitive: BackgroundSlot, Section: s.Name})
	}
	if a.HasAwareness {
		out = append(out, Target{Primitive: AwarenessSlot})
	}
	for _, j := range a.Judgments {
		for _, name := range judgmentSlots {
			out = append(out, Target{Primitive: JudgmentSlot, Domain: j.Domain, Slot: name})
		}
		out = append(out, Target{Primitive: ExampleSlot, Domain: j.Domain})
	}
	if a.Recovery.Prompt != "" {
		out = append(out, Target{Primitive: RecoverySlot})
	}
	for _, m := range a.Manuals {
		out = append(out, Target{Primitive: ManualSlot, Capability: m.Capability, Section: "workflows"})
	}
	return out
}

// wrote is what the author says in those places, as if it had been learned.
func (a *Agent) wrote() (out []Snapshot) {
	add := func(s Snapshot) {
		if s.Lacks() == "" {
			out = append(out, s)
		}
	}
	for _, s := range a.Background {
		for _, e := range s.Entries {
			add(Snapshot{Target: Target{Primitive: BackgroundSlot, Section: s.Name, Key: e.Key}, Text: e.Value})
		}
	}
	for _, s := range a.Awareness {
		// An authored source may say less than a payload must.
		p := Payload{Name: s.Name, Description: cmp.Or(s.Description, "-"), AccessMethod: cmp.Or(s.AccessMethod, "-")}
		add(Snapshot{Target: Target{Primitive: AwarenessSlot}, Payload: p})
	}
	for _, j := range a.Judgments {
		for _, name := range judgmentSlots {
			for _, line := range j.slot(name) {
				add(Snapshot{Target: Target{Primitive: JudgmentSlot, Domain: j.Domain, Slot: name}, Text: line})
			}
		}
		for _, e := range j.Examples {
			add(Snapshot{Target: Target{Primitive: ExampleSlot, Domain: j.Domain}, Payload: Payload{Scenario: e.Scenario, Good: e.Good, Bad: e.Bad, Reasoning: e.Reasoning}})
		}
	}
	for line := range strings.SplitSeq(a.Recovery.Prompt, "\n") {
		add(Snapshot{Target: Target{Primitive: RecoverySlot}, Text: line})
		if item := strings.TrimLeft(line, "-*+ \t"); item != line { // an entry of a list
			add(Snapshot{Target: Target{Primitive: RecoverySlot}, Text: item})
		}
	}
	for _, m := range a.Manuals {
		for _, w := range m.Workflows {
			add(Snapshot{Target: Target{Primitive: ManualSlot, Capability: m.Capability, Section: "workflows"}, Payload: Payload{Name: w.Name, Description: w.Description}})
		}
	}
	return out
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

// Declares reports whether the author declared the place that a target names.
func (a *Agent) Declares(t Target) bool {
	slots, _ := a.places()
	return slots[Snapshot{Target: t}.place()]
}

// Nearest is the declared name that is nearest to the one that a target names: of a
// section, a domain or a capability. "" where none is near.
func (a *Agent) Nearest(t Target) string {
	name := cmp.Or(t.Section, t.Domain)
	if t.Primitive == ManualSlot {
		name = t.Capability
	}
	var there []string
	for _, d := range a.declared() {
		if d.Primitive != t.Primitive {
			continue
		}
		if d.Primitive == ManualSlot {
			d.Section = ""
		}
		there = append(there, cmp.Or(d.Section, d.Domain, d.Capability))
	}
	return text.Nearest(name, there)
}
