package compose

import "slices"

// Tier says what a slot asks before a memory may fill it.
type Tier string

const (
	Auto    Tier = "auto"    // nothing
	Earned  Tier = "earned"  // several conversations that taught the same
	Guarded Tier = "guarded" // a person
	Locked  Tier = "locked"  // only the author of AGENT.md writes there
)

// tiers are in order: each asks more than the one before.
var tiers = []Tier{Auto, Earned, Guarded, Locked}

// rank is a tier's place in the order; a word that is none is locked.
func (t Tier) rank() int {
	if i := slices.Index(tiers, t); i >= 0 {
		return i
	}
	return len(tiers) - 1
}

// slotTier is the tier that a slot has of itself, in the words of AGENT.md; false
// for what is no slot that a memory can fill.
func slotTier(slot string) (t Tier, ok bool) {
	switch slot {
	case "teamContext", "projectContext", "conventions", "currentState", "awareness":
		return Auto, true
	case "heuristics", "examples":
		return Earned, true
	case "constraints", "escalationTriggers", "recovery", "workflows":
		return Guarded, true
	}
	return "", false
}

// Tier is what the agent asks before a memory with that target is promoted: the
// slot's own tier, or the stricter one that learn.sections names. A workflow is
// locked without learn.manuals, and so is what is no valid target.
func (a *Agent) Tier(t Target) Tier {
	slot := t.slot()
	own, known := slotTier(slot)
	if !known || t.Primitive == ManualSlot && !a.Learn.Manuals {
		return Locked
	}
	if set, ok := a.Learn.Sections[slot]; ok && set.rank() > own.rank() {
		return set
	}
	return own
}
