package compose

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"memsync"
)

// Learned is one promoted memory that is valid now, as Overlay needs it.
type Learned struct {
	ID       memsync.ID
	Agent    string // whose scope it lives in; "" for a scope of all the user's agents
	Snapshot        // what was promoted, not what the file says now
	Supports int    // distinct conversations that taught it
	Created  time.Time
	Gist     *Gist // of Snapshot, where the caller keeps it; nil: worked out when it is compared
}

// Composed is an agent with what it learned, each entry in its slot. It is
// immutable; [Render] writes it.
type Composed struct {
	agent   *Agent
	learned map[slot][]line // in the order in which they stand
}

// line is an entry as it stands in the prompt.
type line struct {
	id   memsync.ID
	text string
}

// slot is one list of the prompt that memories can add to.
type slot struct {
	primitive Primitive
	group     string // section, domain or capability, in normal form
	name      string // of a judgment
}

// place is the slot where a snapshot belongs.
func (s Snapshot) place() slot {
	t := s.Target
	switch t.Primitive {
	case BackgroundSlot:
		return slot{t.Primitive, t.Section, ""}
	case JudgmentSlot:
		return slot{t.Primitive, normal(t.Domain), t.Slot}
	case ExampleSlot:
		return slot{t.Primitive, normal(t.Domain), ""}
	case ManualSlot:
		return slot{t.Primitive, normal(t.Capability), ""}
	}
	return slot{primitive: t.Primitive}
}

// entry is a memory on its way into the prompt.
type entry struct {
	*Learned
	tier    Tier
	address string
	text    string // as it stands in the prompt
	size    int    // of text, in code points
}

// Overlay puts what an agent's user's memories teach into the agent's own parts.
// It is total: whatever memories say, each is applied, dropped with a reason or
// ignored with a reason. The rules, in order: whose memory it is; the author
// always wins; memory fills slots and declares none; the newest at one address;
// budgets; order.
func Overlay(agent *Agent, memories []Learned) (Composed, Report) {
	if agent == nil {
		agent = &Agent{}
	}
	o := overlay{agent: agent, report: newReport(agent)}
	entries := o.mine(memories)
	entries = o.placeable(entries)
	entries = o.newest(entries)
	entries = o.admitted(entries)
	c := Composed{agent: agent, learned: make(map[slot][]line)}
	slices.SortFunc(entries, older)
	for _, e := range entries {
		at := e.place()
		c.learned[at] = append(c.learned[at], line{e.ID, e.text})
		o.report.Applied = append(o.report.Applied, e.ID)
	}
	o.report.sort()
	return c, o.report
}

type overlay struct {
	agent  *Agent
	report Report
}

// mine is rule 1: a memory belongs to all the user's agents unless it lives in
// another agent's scope. What cannot be traced, proposes no place or is given
// twice is ignored as well; of several under one id the newest counts.
func (o *overlay) mine(memories []Learned) []*entry {
	entries := make([]*entry, 0, len(memories))
	for i := range memories {
		l := &memories[i]
		switch {
		case l.ID == "":
			o.ignore(l, NoID)
		case l.Agent != "" && l.Agent != o.agent.Name:
			o.ignore(l, OtherAgent)
		case l.Target == Target{}:
			o.ignore(l, NoTarget)
		default:
			entries = append(entries, &entry{Learned: l})
		}
	}
	slices.SortFunc(entries, func(a, b *entry) int {
		if c := cmp.Or(strings.Compare(string(a.ID), string(b.ID)), -a.Created.Compare(b.Created)); c != 0 {
			return c
		}
		return total(a.Learned, b.Learned)
	})
	kept := entries[:0]
	for _, e := range entries {
		if len(kept) > 0 && kept[len(kept)-1].ID == e.ID {
			o.ignore(e.Learned, Repeated)
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

// total orders what one id was given with, so that the order of the input does
// not matter even where it contradicts itself.
func total(a, b *Learned) int {
	return cmp.Or(strings.Compare(a.Target.String(), b.Target.String()), strings.Compare(a.Payload.String(), b.Payload.String()),
		strings.Compare(a.Text, b.Text), cmp.Compare(a.Supports, b.Supports), strings.Compare(a.Agent, b.Agent))
}

// placeable is rules 2 and 3: what has no place is dropped, and what the author
// already says.
func (o *overlay) placeable(entries []*entry) []*entry {
	slots, authored := o.agent.places()
	kept := entries[:0]
	for _, e := range entries {
		e.tier = o.agent.Tier(e.Target)
		e.address = e.Address()
		switch {
		case e.address == "":
			o.drop(e, Incomplete)
		case e.tier == Locked:
			o.drop(e, LockedSlot)
		case authored[e.address]:
			o.drop(e, Authored)
		case !slots[e.place()]:
			o.drop(e, undeclared(e.Target.Primitive))
		default:
			e.text = e.lines()
			e.size = utf8.RuneCountInString(e.text)
			kept = append(kept, e)
		}
	}
	return kept
}

// newest is rule 4: of several memories at one address the newest counts, the
// larger id of two equally new ones. All stay valid.
func (o *overlay) newest(entries []*entry) []*entry {
	slices.SortFunc(entries, func(a, b *entry) int { return cmp.Or(strings.Compare(a.address, b.address), -older(a, b)) })
	kept := entries[:0]
	for _, e := range entries {
		if n := len(kept); n > 0 && kept[n-1].address == e.address {
			o.beaten(kept[n-1], e)
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

// older orders by creation time, then id.
func older(a, b *entry) int {
	return cmp.Or(a.Created.Compare(b.Created), strings.Compare(string(a.ID), string(b.ID)))
}

// admitted is rule 5: guarded entries first, then earned, then auto; of each those
// with more distinct supports, the newer, the larger id. A primitive ends at the
// first entry that does not fit its budget, all of them at the first that does
// not fit the ceiling: skipping ahead would make entries vanish when a budget
// grows. What a person approved is never spilled; it may breach a budget that was
// lowered since, and the report says so.
func (o *overlay) admitted(entries []*entry) []*entry {
	slices.SortFunc(entries, func(a, b *entry) int {
		return cmp.Or(-cmp.Compare(a.tier.rank(), b.tier.rank()), -cmp.Compare(a.Supports, b.Supports), -older(a, b))
	})
	r := &o.report
	full, over := make(map[Primitive]bool), false
	kept := entries[:0]
	for _, e := range entries {
		p := e.Target.Primitive
		budget := r.Budgets.Of(p)
		switch {
		case e.tier == Guarded:
		case full[p] || r.Characters[p]+e.size > budget:
			full[p] = true
			o.drop(e, OverBudget)
			continue
		case over || r.Total+e.size > r.Budgets.Ceiling:
			over = true
			o.drop(e, OverCeiling)
			continue
		}
		r.Characters[p] += e.size
		r.Total += e.size
		kept = append(kept, e)
	}
	return kept
}
