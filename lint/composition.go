package lint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"memsync"
	"memsync/compose"
	"memsync/compose/agents"
)

// Composition are the findings of family 5 about the agents of a store as it
// stands, in order: of one agent where a name is given, else of all. What only the
// files around show (altered snapshots, REVIEW.md, regions in other files) is not
// among them. A finding stands at line 1 of its file, but where AGENT.md does not
// parse. A store whose moment is the zero time has nothing that is too old.
func Composition(s *agents.Store, agent string) []memsync.Finding {
	list := composition(s)
	for _, m := range s.Memories() {
		list = append(list, proposed(m.Memory, m.Wants.Body)...)
	}
	var found []Finding
	for _, n := range list {
		if agent != "" && len(n.agents) > 0 && !slices.Contains(n.agents, agent) {
			continue
		}
		f := Finding{Finding: n.Finding, About: n.about}
		f.Line, f.Column = max(f.Line, 1), max(f.Column, 1)
		found = append(found, f)
	}
	Sort(found)
	out := make([]memsync.Finding, len(found))
	for i, f := range found {
		out[i] = f.Finding
	}
	return out
}

// noted is a finding that has yet to be placed: at a key of its file, or at the
// line of a ledger event.
type noted struct {
	memsync.Finding
	key    string
	event  memsync.ID
	about  string
	agents []string // whose it is; none: everybody's
}

// forAgents stands in a message for the names of its agents.
const forAgents = "\x00"

// composing is one composition at work.
type composing struct {
	*agents.Store
	all  []*ofAgent // by name
	out  []*noted
	same map[string]*noted // by all but the agents
}

// composition are the findings about agents, but for what a memory shows by itself.
func composition(s *agents.Store) []noted {
	c := &composing{Store: s, same: map[string]*noted{}}
	for _, a := range s.Authors() {
		if a.Err != nil {
			c.broken(a)
		}
		if composed, ok := s.Compose(a.Name); ok {
			of := &ofAgent{composing: c, Composition: composed, standing: s.Candidates(a.Name)}
			c.all = append(c.all, of)
			of.budgets()
			of.lines()
			of.candidates()
		}
	}
	c.homeless()
	c.doubted()
	c.waiting()
	out := make([]noted, len(c.out))
	for i, n := range c.out {
		out[i] = *n
		out[i].Message = strings.ReplaceAll(n.Message, forAgents, some(n.agents, 3))
	}
	return out
}

// tell adds a finding about one agent; what several agents have alike is told once.
func (c *composing) tell(agent string, n noted) {
	name := strings.Join([]string{n.Code, string(n.Path), n.about, n.Message}, "\x01")
	if agent == "" {
		c.out = append(c.out, &n)
		return
	}
	if before := c.same[name]; before != nil {
		if !slices.Contains(before.agents, agent) {
			before.agents = append(before.agents, agent)
		}
		return
	}
	n.agents = []string{agent}
	c.same[name] = &n
	c.out = append(c.out, &n)
}

// about is a finding about a memory, at one of its keys.
func about(m *memsync.Memory, key, code string, sev memsync.Severity, message, hint string) noted {
	return noted{Finding: memsync.Finding{Code: code, Severity: sev, Path: m.Path, Message: message, Hint: hint}, key: key, about: key}
}

// broken tells of an AGENT.md that can't be read.
func (c *composing) broken(a agents.Author) {
	c.out = append(c.out, brokenAgent(a))
}

func brokenAgent(a agents.Author) *noted {
	var e *memsync.Error
	if !errors.As(a.Err, &e) {
		e = &memsync.Error{Message: a.Err.Error(), Line: 1, Column: 1}
	}
	return &noted{Finding: memsync.Finding{Code: BadAgent, Severity: bad, Path: a.Path, Line: e.Line, Column: e.Column,
		Message: e.Message + "; until it does parse, the last version that did is composed, and nothing is promoted", Hint: e.Hint}, agents: []string{a.Name}}
}

// ofAgent is what is judged of one agent.
type ofAgent struct {
	*composing
	*agents.Composition
	standing []agents.Standing
}

func (o *ofAgent) name() string { return o.Author.Name }

// budgets tells what is breached, and what nearly is.
func (o *ofAgent) budgets() {
	r := &o.Report
	tell := func(code string, sev memsync.Severity, what, message, hint string) {
		o.tell(o.name(), noted{Finding: memsync.Finding{Code: code, Severity: sev, Path: o.Author.Path, Message: message, Hint: hint}, key: "learn", about: what})
	}
	if r.OverCeiling() {
		tell(OverCeiling, bad, "ceiling", fmt.Sprintf("%d characters are learned, the ceiling is %d: what persons approved is never left out", r.Total, r.Budgets.Ceiling),
			"raise learn.budgets.ceiling, or demote some")
	}
	over := r.Over()
	for _, p := range compose.Primitives {
		used, budget := r.Characters[p], r.Budgets.Of(p)
		switch {
		case slices.Contains(over, p):
			tell(OverBudget, bad, string(p), fmt.Sprintf("%s has %d characters that persons approved, its budget is %d", p, used, budget),
				fmt.Sprintf("raise learn.budgets.%s, or demote some", p))
		case used > 0 && used*nearOf >= budget*near:
			tell(NearBudget, warn, string(p), fmt.Sprintf("%s has %d of %d characters: what does not fit is left out", p, used, budget),
				fmt.Sprintf("raise learn.budgets.%s, or demote what is of no use any more", p))
		}
	}
}

// A budget is near its end from near/nearOf on.
const near, nearOf = 4, 5

// lines tells of what is promoted and how it stands in the prompt.
func (o *ofAgent) lines() {
	promoted := o.Promoted()
	var applied []compose.Learned
	for _, l := range promoted {
		if slices.Contains(o.Report.Applied, l.ID) {
			applied = append(applied, l)
		}
	}
	slices.SortFunc(applied, func(a, b compose.Learned) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(string(a.ID), string(b.ID)))
	})
	for _, d := range o.Report.Dropped {
		m, _, _ := o.Memory(d.ID)
		i := slices.IndexFunc(promoted, func(l compose.Learned) bool { return l.ID == d.ID })
		if i >= 0 && o.Author.Agent.Declares(promoted[i].Target) {
			o.reason(m, d.Reason, against(d.Newer), false)
		}
	}
	for i, l := range applied {
		m, _, _ := o.Memory(l.ID)
		// Of two that are alike the later one is told.
		if ids := compose.Repeats(o.Author.Agent, applied[:i], l); len(ids) > 0 {
			o.reason(m, compose.WhyDuplicate, ids, false)
		}
		if l.Target.Section == currentState && o.old(m, staleState) {
			o.tell(o.name(), about(m, "target", StaleState, warn, fmt.Sprintf("says what holds now in the prompt of %s, and is the same for %d days or more", forAgents, days(staleState)),
				"say it anew, set valid_until, or demote it"))
		}
	}
}

func against(id memsync.ID) []memsync.ID {
	if id == "" {
		return nil
	}
	return []memsync.ID{id}
}

// homeless tells of memories whose place no agent that reads them has.
func (c *composing) homeless() {
	type seen struct {
		target  compose.Target
		nearest string
		agents  []string
		housed  bool
	}
	by := map[memsync.ID]*seen{}
	for _, o := range c.all {
		for _, st := range o.standing {
			if st.Err != nil || st.Target == (compose.Target{}) || !st.InForce {
				continue
			}
			x := by[st.Memory.ID]
			if x == nil {
				x = &seen{target: st.Target}
				by[st.Memory.ID] = x
			}
			x.housed = x.housed || o.Author.Agent.Declares(st.Target)
			x.nearest = cmp.Or(x.nearest, o.Author.Agent.Nearest(st.Target))
			x.agents = append(x.agents, o.name())
		}
	}
	for _, m := range c.Memories() {
		x := by[m.ID]
		if x == nil || x.housed {
			continue
		}
		what, hint := missingPlace(x.target), "memories fill places and declare none: correct the target, or write the place into AGENT.md"
		if x.nearest != "" {
			what += fmt.Sprintf(" (did you mean %q?)", x.nearest)
		}
		n := about(m.Memory, "target", UnknownPlace, warn, "no agent has "+what, hint)
		n.agents = x.agents
		c.out = append(c.out, &n)
	}
}

// missingPlace names what a target points at.
func missingPlace(t compose.Target) string {
	switch t.Primitive {
	case compose.BackgroundSlot:
		return fmt.Sprintf("a section %q in its background", t.Section)
	case compose.JudgmentSlot, compose.ExampleSlot:
		return fmt.Sprintf("a domain %q", shownName(t.Domain))
	case compose.ManualSlot:
		return fmt.Sprintf("a manual for a capability %q", shownName(t.Capability))
	case compose.RecoverySlot:
		return "a recovery.prompt"
	}
	return "an awareness"
}

// doubted tells of events that count for nobody.
func (c *composing) doubted() {
	for _, d := range c.Disbelief() {
		what := doubts()[d.Why]
		n := about(d.Memory, "id", Unproven, bad, fmt.Sprintf("the event %s (%s) does not count: %s", d.Event.ID, d.Event.Op, what.message), what.hint)
		n.event, n.about, n.agents = d.Event.ID, string(d.Memory.Path), d.Agents
		c.out = append(c.out, &n)
	}
}
