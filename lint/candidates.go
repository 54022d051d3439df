package lint

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"memsync"
	"memsync/compose"
	"memsync/compose/agents"
	"memsync/internal/format"
)

// How long something may stand before it is told, as the design has it.
const (
	staleState     = 30 * 24 * time.Hour // currentState
	staleCandidate = 60 * 24 * time.Hour
	pendingLong    = 30 * 24 * time.Hour
)

func days(d time.Duration) int { return int(d / (24 * time.Hour)) }

// currentState is the section of what holds for a while.
const currentState = "currentState"

// telling is how a reason is told. In message, forAgents stands for the agents and
// %s for what is against it; a reason without a code is told of nowhere.
type telling struct {
	code          string
	severity      memsync.Severity
	message, hint string
}

var (
	homelessTold = telling{code: UnknownPlace, severity: warn} // see homeless
	spilledTold  = telling{Spilled, warn, "is not in the prompt of " + forAgents + ": %s", "raise the budget, or demote what is of no use any more; recall still finds it"}
	collided     = telling{Collision, warn, "says something about the same place of " + forAgents + " as %s", "join the two, or let one supersede the other"}
)

// reasons are all reasons of a composition for not having a memory.
var reasons = sync.OnceValue(func() map[compose.Reason]telling {
	return map[compose.Reason]telling{
		compose.NoID: {}, compose.OtherAgent: {}, compose.NoTarget: {}, compose.Repeated: {}, // no business of the agent's
		compose.WhyEnded: {}, compose.WhyPromoted: {}, compose.WhyToday: {}, // nothing to do
		compose.WhyWithdrawn: {}, compose.WhyDenied: {}, // a person knows

		compose.Incomplete:        {code: Unpromotable, severity: warn}, // see proposed
		compose.UnknownSection:    homelessTold,
		compose.UnknownDomain:     homelessTold,
		compose.UnknownCapability: homelessTold,
		compose.NoRecovery:        homelessTold,
		compose.NoAwareness:       homelessTold,
		compose.WhyPerson:         {code: Waits, severity: info}, // see waiting
		compose.WhyBelowBar: {StaleCandidate, info, "has waited " + fmt.Sprint(days(staleCandidate)) + " days for a conversation that teaches it again, before it joins the prompt of " + forAgents,
			"take the target out, or `memsync promote` it"},
		compose.LockedSlot: {NotLearned, warn, "is never learned by " + forAgents + ": only the author of AGENT.md writes there",
			"workflows are learned where learn.manuals is true, and no slot that learn.sections locks"},
		compose.WhyModel: {NotLearned, warn, "is never learned by " + forAgents + ": an agent chose the place, and targets.from_model is deny",
			"a person may `memsync promote` it"},
		compose.Authored: {AuthoredCollision, warn, "AGENT.md of " + forAgents + " has that place already: what the author wrote stands",
			"take it out of AGENT.md, or the target out of the memory"},
		compose.WhyEdited: {Edited, info, "was edited since: the prompt of " + forAgents + " still says what was promoted",
			"`memsync review` shows both"},
		compose.Newer: {Collision, warn, "is not in the prompt of " + forAgents + ": %s stands at the same place, and the newest counts",
			"join the two, or let one supersede the other"},
		compose.WhyCollision: collided,
		compose.WhyDuplicate: {LearnedTwice, info, "says nearly what the prompt of " + forAgents + " says already: %s", "join the two, or let one supersede the other"},
		compose.WhyContradicts: {Contradiction, warn, "contradicts the prompt of " + forAgents + " and is not promoted: %s",
			"let one supersede the other; against AGENT.md only its author decides"},
		compose.WhyTooLong: {LongEntry, warn, "is longer than a quarter of its budget, and is never promoted for " + forAgents,
			"say it in fewer words, or split it"},
		compose.OverBudget:  spilledTold,
		compose.OverCeiling: spilledTold,
		compose.WhyNoRoom:   spilledTold,
	}
})

// noRoom says what a spilled memory has no room in.
func noRoom(why compose.Reason) string {
	switch why {
	case compose.OverBudget:
		return "the budget of its kind is full"
	case compose.OverCeiling:
		return "the ceiling of all that is learned is reached"
	case compose.WhyNoRoom:
		return "what persons approved fills budget or ceiling, and an approval would not take effect"
	}
	return ""
}

// reason tells why a memory is not in an agent's prompt.
func (o *ofAgent) reason(m *memsync.Memory, why compose.Reason, against []memsync.ID, authored bool) {
	t := reasons()[why]
	if t.code == "" || t.message == "" {
		return
	}
	n := about(m, "target", t.code, t.severity, t.message, t.hint)
	var others []string
	if authored {
		others = append(others, "AGENT.md")
	}
	for _, id := range against {
		if other, _, ok := o.Memory(id); ok {
			others = append(others, nameOf(other.Path))
			n.about = string(other.Path)
		}
	}
	if strings.Contains(t.message, "%s") {
		what := noRoom(why)
		if what == "" {
			what = some(others, 3)
		}
		n.Message = fmt.Sprintf(t.message, what)
	}
	o.tell(o.name(), n)
}

// candidates tells what becomes of each memory that proposes a place.
func (o *ofAgent) candidates() {
	for _, st := range o.standing {
		m, v := st.Memory, st.Verdict
		if !st.InForce || st.State.Ended {
			continue
		}
		if p := st.State.Promotion; p != nil && p.Edited && v.Do != compose.Promote {
			o.reason(m, compose.WhyEdited, nil, false)
		}
		if len(st.State.Requests) > 0 {
			n := about(m, "target", Waits, info, "was asked to leave the prompt of "+forAgents+", and stays until a person decides", "`memsync demote` it, or leave it")
			n.about = "leave"
			o.tell(o.name(), n)
		}
		if st.Err != nil || !o.Author.Agent.Declares(st.Target) || closed(&st) {
			continue
		}
		switch {
		case v.Do == compose.Ask && v.Why != compose.WhyEdited && !asked(&st):
			o.tell(o.name(), o.waits(m, false))
		case v.Do == compose.Ask || v.Why == compose.WhyBelowBar && !o.old(m, staleCandidate):
		default:
			o.reason(m, v.Why, v.Against, v.Authored)
		}
	}
}

// closed reports whether a person said no to just this, or ended it.
func closed(st *agents.Standing) bool {
	if st.State.Promotion != nil {
		return false
	}
	return slices.Contains(st.State.Withdrawn, st.Snapshot) ||
		len(st.State.Denied) > 0 && slices.Contains(st.State.Denied, compose.Propose(st.Memory.ID, st.Snapshot, st.Target, st.State.Supports).ID)
}

// asked reports whether the ledger asks a person already: waiting tells of it.
func asked(st *agents.Standing) bool {
	return slices.ContainsFunc(st.State.Proposals, func(p compose.Proposal) bool { return p.Ends == "" })
}

// waits is a finding about a memory that a person has to decide about.
func (c *composing) waits(m *memsync.Memory, leave bool) noted {
	verb := "joins"
	if leave {
		verb = "leaves"
	}
	if w := c.Scope(m).Writers; !w.Actor().Person() {
		return about(m, "target", NobodyApproves, warn, "waits for a person before it "+verb+" the prompt of "+forAgents+", and in this scope no person writes: a tick in REVIEW.md decides nothing",
			"a person's `memsync approve` at a terminal does")
	}
	return about(m, "target", Waits, info, "waits for a person before it "+verb+" the prompt of "+forAgents, "tick a box in REVIEW.md, or `memsync review`")
}

// waiting tells of the questions that the ledger asks.
func (c *composing) waiting() {
	for _, w := range c.Waiting("") {
		edited := w.Edited // told as that
		for _, change := range w.Changes {
			if !edited {
				c.tell(change.Agent, c.waits(w.Memory, w.Ends != ""))
			}
			if now := c.Now(); !now.IsZero() && now.Sub(w.Since) >= pendingLong {
				n := about(w.Memory, "target", Pending, warn, "has waited for a person since "+w.Since.UTC().Format(time.DateOnly)+" ("+forAgents+")",
					"`memsync approve "+string(w.Proposal)+"`, or `memsync deny "+string(w.Proposal)+"`")
				n.about = string(w.Proposal)
				c.tell(change.Agent, n)
			}
		}
	}
}

// old reports whether nobody has touched a memory for so long: for a candidate
// nothing taught it again, for what is promoted no version of it was.
func (c *composing) old(m *memsync.Memory, limit time.Duration) bool {
	counts := memsync.LedgerCorroborate
	if limit == staleState {
		counts = memsync.LedgerPromote
	}
	newest := m.Created()
	_, events, _ := c.Memory(m.ID)
	for _, e := range events {
		if e.Op == counts && e.At.After(newest) {
			newest = e.At
		}
	}
	return !c.Now().IsZero() && !newest.IsZero() && c.Now().Sub(newest) >= limit
}

type doubt struct{ message, hint string }

// doubts say why an event does not count, and what to do.
var doubts = sync.OnceValue(func() map[compose.Doubt]doubt {
	return map[compose.Doubt]doubt{
		compose.BelowBar:      {"neither a person nor enough conversations stand behind it", "`memsync demote` the memory, or approve it"},
		compose.NotAPerson:    {"only a person approves or denies", "decide it: `memsync review`"},
		compose.NoSnapshot:    {"what it promoted is not in _system/approved/, or was altered", "bring the file back from git's history, or `memsync demote` the memory"},
		compose.NotPromotable: {"only the author of AGENT.md writes in that place", "`memsync demote` the memory"},
		compose.WasDenied:     {"a person said no to just this, and nothing was learned since", "`memsync demote` the memory, or `memsync promote` it"},
		compose.NoProposal:    {"it answers a proposal that is not there", "bring back the lines that the ledger had"},
		compose.SawNothing:    {"it ends what it saw, and saw no promotion", "`memsync demote` the memory again"},
		compose.Contradictory: {"different events stand under its id", "keep the one that is right"},
	}
})

// shownName is a name that a file chose, as a message may repeat it.
func shownName(s string) string { return format.OneLine(s, 60) }
