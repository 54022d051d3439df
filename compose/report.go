package compose

import (
	"cmp"
	"slices"
	"strings"

	"memsync"
)

// Reason is why a memory is not in the prompt.
type Reason string

// Ignored: no business of this composition.
const (
	NoID       Reason = "no_id"       // nothing could be traced to it
	OtherAgent Reason = "other_agent" // it lives in another agent's scope
	NoTarget   Reason = "no_target"
	Repeated   Reason = "repeated" // another one with its id counts
)

// Dropped: it proposes a place and does not get it.
const (
	Incomplete        Reason = "incomplete" // its payload or text is missing or does not fit its target
	LockedSlot        Reason = "locked"     // only the author writes there, or workflows are not learned
	Authored          Reason = "authored"   // the author says something there
	UnknownSection    Reason = "unknown_section"
	UnknownDomain     Reason = "unknown_domain"
	UnknownCapability Reason = "unknown_capability"
	NoRecovery        Reason = "no_recovery"
	NoAwareness       Reason = "no_awareness"
	Newer             Reason = "newer" // a newer memory stands at its address
	OverBudget        Reason = "budget"
	OverCeiling       Reason = "ceiling"
)

// Spilled reports whether a memory had a place and no room, so that it returns to
// recall.
func (r Reason) Spilled() bool { return r == OverBudget || r == OverCeiling }

// Report says what became of each memory. It carries ids and counts, never text,
// so that it may be logged, sent and kept. Lists are by id.
type Report struct {
	Applied   []memsync.ID `json:"applied"`
	Dropped   []Outcome    `json:"dropped"`
	Ignored   []Outcome    `json:"ignored"`
	Conflicts []Conflict   `json:"conflicts"`

	Characters map[Primitive]int `json:"characters"` // code points that are learned
	Total      int               `json:"total"`
	Budgets    Budgets           `json:"budgets"`
}

// Outcome is one memory that is not in the prompt.
type Outcome struct {
	ID     memsync.ID `json:"id"`
	Reason Reason     `json:"reason"`
	Newer  memsync.ID `json:"newer,omitempty"` // what stands at its address instead
}

// Conflict is several memories at one address.
type Conflict struct {
	Primitive Primitive    `json:"primitive"`
	Winner    memsync.ID   `json:"winner"`
	Losers    []memsync.ID `json:"losers"`
}

// Over are the Primitives whose budget is breached, which only what a person
// approved can do.
func (r *Report) Over() (out []Primitive) {
	for _, p := range Primitives {
		if r.Characters[p] > r.Budgets.Of(p) {
			out = append(out, p)
		}
	}
	return out
}

// OverCeiling reports whether the ceiling is breached.
func (r *Report) OverCeiling() bool { return r.Total > r.Budgets.Ceiling }

func newReport(a *Agent) Report {
	return Report{Applied: []memsync.ID{}, Dropped: []Outcome{}, Ignored: []Outcome{}, Conflicts: []Conflict{},
		Characters: map[Primitive]int{}, Budgets: a.Learn.Budgets}
}

func (o *overlay) ignore(l *Learned, why Reason) {
	o.report.Ignored = append(o.report.Ignored, Outcome{ID: l.ID, Reason: why})
}

func (o *overlay) drop(e *entry, why Reason) {
	o.report.Dropped = append(o.report.Dropped, Outcome{ID: e.ID, Reason: why})
}

// beaten notes that loser's address is winner's. A winner's losers come one after
// the other.
func (o *overlay) beaten(winner, loser *entry) {
	r := &o.report
	r.Dropped = append(r.Dropped, Outcome{ID: loser.ID, Reason: Newer, Newer: winner.ID})
	if n := len(r.Conflicts); n > 0 && r.Conflicts[n-1].Winner == winner.ID {
		r.Conflicts[n-1].Losers = append(r.Conflicts[n-1].Losers, loser.ID)
		return
	}
	r.Conflicts = append(r.Conflicts, Conflict{Primitive: winner.Target.Primitive, Winner: winner.ID, Losers: []memsync.ID{loser.ID}})
}

func (r *Report) sort() {
	byID := func(a, b Outcome) int {
		return cmp.Or(strings.Compare(string(a.ID), string(b.ID)), strings.Compare(string(a.Reason), string(b.Reason)))
	}
	slices.Sort(r.Applied)
	slices.SortFunc(r.Dropped, byID)
	slices.SortFunc(r.Ignored, byID)
	slices.SortFunc(r.Conflicts, func(a, b Conflict) int { return strings.Compare(string(a.Winner), string(b.Winner)) })
	for _, c := range r.Conflicts {
		slices.Sort(c.Losers)
	}
}
