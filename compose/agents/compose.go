package agents

import (
	"memsync"
	"memsync/compose"
	"memsync/indexer/recall"
)

// Composition is what one agent is told, and from what.
type Composition struct {
	Author    Author
	Fragments []compose.Fragment // their texts one after the other are the prompt
	Report    compose.Report
	States    map[memsync.ID]compose.State // of every memory that was looked at
	promoted  []compose.Learned
	rendered  bool
}

// Prompt is the composed text.
func (c *Composition) Prompt() string { return compose.Prompt(c.Fragments) }

// Compose composes an agent of that name. ok is false where there is none, or
// where no version of its file could be read.
func (s *Store) Compose(name string) (*Composition, bool) {
	author, ok := s.Author(name)
	if !ok || author.Agent == nil {
		return nil, false
	}
	c := s.current(author)
	c.render()
	return c, true
}

// current is what is promoted for an agent now, which is found once. Who changes a
// Composition makes its own with compose.
func (s *Store) current(author Author) *Composition {
	c := s.composed[author.Name]
	if c == nil {
		c = s.compose(author, nil)
		s.composed[author.Name] = c
	}
	return c
}

// compose finds what is promoted for an agent, with events that are about to be
// recorded. Fragments and Report are there once it is rendered.
func (s *Store) compose(author Author, more map[memsync.ID][]memsync.LedgerEvent) *Composition {
	c := &Composition{Author: author, States: make(map[memsync.ID]compose.State, len(s.memories))}
	reads := s.reads(author.Name)
	for _, m := range s.memories {
		if !inForce(reads, m) {
			continue
		}
		st := m.judge(author.Agent, more[m.ID]...)
		c.States[m.ID] = st
		if st.Promotion == nil {
			continue
		}
		c.promoted = append(c.promoted, m.learned(m.approved[st.Promotion.Snapshot], &st))
	}
	return c
}

// render overlays and renders what is promoted.
func (c *Composition) render() {
	if c.rendered {
		return
	}
	c.rendered = true
	composed, report := compose.Overlay(c.Author.Agent, c.promoted)
	c.Fragments, c.Report = compose.Render(composed), report
}

// with is the prompt as it would be with one more entry, or with another wording
// of one, and without it where snap is nil.
func (c *Composition) with(m *candidate, snap *compose.Snapshot) string {
	var promoted []compose.Learned
	for _, l := range c.promoted {
		if l.ID != m.ID {
			promoted = append(promoted, l)
		}
	}
	if snap != nil {
		st := c.States[m.ID]
		promoted = append(promoted, m.learned(Approved{Snapshot: *snap}, &st))
	}
	composed, _ := compose.Overlay(c.Author.Agent, promoted)
	return compose.Prompt(compose.Render(composed))
}

// Standing is what a memory that proposes a place is to one agent.
type Standing struct {
	Memory   *memsync.Memory
	Target   compose.Target
	Tier     compose.Tier
	State    compose.State
	Snapshot memsync.Hash    // of what promoting it now would promote
	Err      error           // why target or payload cannot be read
	Verdict  compose.Verdict // what becomes of it now
	InForce  bool            // the agent's reader finds it
}

// Candidates are the memories that propose a place to an agent, by id, promoted or
// not. It is nil for an agent that there is not.
func (s *Store) Candidates(name string) []Standing {
	author, ok := s.Author(name)
	if !ok || author.Agent == nil {
		return nil
	}
	c := s.current(author)
	reads, today := s.reads(name), s.today(author.Agent, nil)
	var out []Standing
	for _, m := range s.memories {
		if !reads.Readable(0, m.Memory.Scope) || m.Target == "" && c.States[m.ID].Promotion == nil {
			continue
		}
		out = append(out, s.standing(c, m, reads, today))
	}
	return out
}

func (s *Store) standing(c *Composition, m *candidate, reads *recall.ReadSet, today int) Standing {
	st, looked := c.States[m.ID]
	if !looked {
		st = m.judge(c.Author.Agent)
	}
	out := Standing{Memory: m.Memory.Memory, Target: m.wants.Target, Tier: c.Author.Agent.Tier(m.wants.Target), State: st,
		Snapshot: m.hash, Err: m.Wants.Err, InForce: looked}
	out.Verdict = s.gate(c, m, st, today)
	return out
}

// gate asks what becomes of a memory now.
func (s *Store) gate(c *Composition, m *candidate, st compose.State, today int) compose.Verdict {
	w := compose.Wish{Learned: m.learned(m.wanted(), &st), Hash: m.hash, State: st, ByModel: m.byModel()}
	return compose.Gate(c.Author.Agent, c.promoted, w, today, s.in.FromModel)
}

// byModel reports whether an agent chose the target. Where a person was asked about
// it, it stays theirs to say until they said yes to something there: another wording
// is no way around the question.
func (m *candidate) byModel() bool {
	if m.ByModel || !m.scope.Writers.Actor().Person() {
		return true
	}
	target := m.wants.Target.String()
	denied := map[memsync.ID]bool{}
	asked := map[memsync.ID]bool{}
	for i := range m.events {
		switch e := &m.events[i]; {
		case e.Op == memsync.LedgerPropose && e.Target == target && len(e.Sees) == 0:
			asked[e.ID] = true
		case e.Op == memsync.LedgerDeny && e.Actor.Person():
			denied[e.Proposal] = true
		}
	}
	for i := range m.events {
		e := &m.events[i]
		if e.Actor.Person() && (e.Op == memsync.LedgerApprove && asked[e.Proposal] && !denied[e.Proposal] || e.Op == memsync.LedgerPromote && e.Target == target) {
			return false
		}
	}
	return len(asked) > 0
}

// today counts the promotions that an agent had this day without a person, UTC.
func (s *Store) today(a *compose.Agent, more map[memsync.ID][]memsync.LedgerEvent) (n int) {
	day := s.in.Now.UTC().Format("2006-01-02")
	for _, m := range s.memories {
		count := func(events []memsync.LedgerEvent) {
			for i := range events {
				e := &events[i]
				if e.Op != memsync.LedgerPromote || e.Actor.Person() || e.At.UTC().Format("2006-01-02") != day {
					continue
				}
				if one, ok := m.approved[e.Hash]; ok && a.Tier(one.Snapshot.Target) != compose.Locked && a.Declares(one.Snapshot.Target) {
					n++
				}
			}
		}
		count(m.events)
		count(more[m.ID])
	}
	return n
}

// Memory is a memory that was looked at, with what the ledger says of it.
func (s *Store) Memory(id memsync.ID) (*memsync.Memory, []memsync.LedgerEvent, bool) {
	m := s.byID[id]
	if m == nil {
		return nil, nil, false
	}
	return m.Memory.Memory, m.events, true
}
