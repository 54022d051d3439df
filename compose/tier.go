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

// slotTiers are the slots that a memory can fill, in the words of AGENT.md, and
// the tier that each has of itself.
var slotTiers = map[string]Tier{
	"teamContext": Auto, "projectContext": Auto, "conventions": Auto, "currentState": Auto,
	"awareness": Auto, "heuristics": Earned, "examples": Earned,
	"constraints": Guarded, "escalationTriggers": Guarded, "recovery": Guarded, "workflows": Guarded,
}

// Tier is what the agent asks before a memory with that target is promoted: the
// slot's own tier, or the stricter one that learn.sections names. A workflow is
// locked without learn.manuals, and so is what is no valid target.
func (a *Agent) Tier(t Target) Tier {
	slot := t.slot()
	own, known := slotTiers[slot]
	if !known || t.Primitive == ManualSlot && !a.Learn.Manuals {
		return Locked
	}
	if set, ok := a.Learn.Sections[slot]; ok && set.rank() > own.rank() {
		return set
	}
	return own
}
