package agents

import (
	"cmp"
	"slices"
	"strings"

	"memsync"
	"memsync/compose"
)

// Effect is one event that is to be recorded now, with the snapshot that it rests
// on.
type Effect struct {
	Memory *memsync.Memory
	Event  memsync.LedgerEvent
	Agent  string // for whom it was decided; others may compile it too
	Why    compose.Reason
	Path   memsync.Path // where the snapshot goes; "" with none
	Bytes  []byte
}

// machine is who promotes what needs nobody.
var machine = memsync.Actor{Class: memsync.ClassProgram, Name: "memsync"}

// Effects are what the evidence demands now, in the order in which it takes
// effect: each is decided with those before it in force. A promotion or demotion
// gets its id from fresh and the moment of the store; a proposal has the id that
// every machine gives it.
func (s *Store) Effects(fresh func() memsync.ID) []Effect {
	e := effects{Store: s, fresh: fresh, more: map[memsync.ID][]memsync.LedgerEvent{}, asked: map[memsync.ID]bool{}}
	// One that moves leaves its place to another, and what one agent learns another
	// may compile, so it ends when a round brings nothing; each round lets at least one
	// memory in or out.
	for before, round := -1, 0; before < len(e.out) && round <= 2*len(s.memories); round++ {
		before = len(e.out)
		for _, author := range s.in.Authors {
			if author.Agent != nil && author.Err == nil { // an agent whose file is broken learns nothing meanwhile
				e.of(author)
			}
		}
	}
	return e.out
}

type effects struct {
	*Store
	fresh func() memsync.ID
	more  map[memsync.ID][]memsync.LedgerEvent
	asked map[memsync.ID]bool // proposals that are recorded
	out   []Effect
}

func (e *effects) of(author Author) {
	c := e.compose(author, e.more)
	for _, m := range e.memories {
		if st, looked := c.States[m.ID]; looked && st.Promotion != nil {
			e.remove(c, m, st)
		}
	}
	today := e.today(author.Agent, e.more)
	for _, m := range e.inLine(c) {
		st := c.States[m.ID]
		switch v := e.gate(c, m, st, today); v.Do {
		case compose.Promote:
			e.promote(c, m)
			if !slices.Contains(st.Approved, m.hash) {
				today++
			}
		case compose.Ask:
			e.ask(c, m, compose.Propose(m.ID, m.hash, m.wants.Target, st.Supports), v.Why)
		}
	}
}

// inLine are the candidates in the order in which they are let in: those that a
// person looked at first, then as Overlay would admit them.
func (e *effects) inLine(c *Composition) []*candidate {
	var line []*candidate
	for _, m := range e.memories {
		if st, looked := c.States[m.ID]; looked && m.hash != "" && (st.Promotion == nil || st.Promotion.Snapshot != m.hash) {
			line = append(line, m)
		}
	}
	rank := func(m *candidate) (n int) {
		if slices.Contains(c.States[m.ID].Approved, m.hash) {
			n = -1
		}
		return n
	}
	slices.SortStableFunc(line, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), a.Created().Compare(b.Created()), strings.Compare(string(a.ID), string(b.ID)))
	})
	return line
}

// promote records a promotion and lets what follows see it.
func (e *effects) promote(c *Composition, m *candidate) {
	event := memsync.LedgerEvent{ID: e.fresh(), Op: memsync.LedgerPromote, Memory: m.ID, At: e.in.Now, Actor: machine,
		Hash: m.hash, Target: m.wants.Target.String()}
	m.approve()
	e.record(c, m, event, "")
}

// approve lets the store believe the snapshot that is about to be written.
func (m *candidate) approve() {
	approved := map[memsync.Hash]Approved{m.hash: m.wanted()}
	for h, s := range m.approved {
		approved[h] = s
	}
	m.approved = approved
}

// ask records a proposal, once.
func (e *effects) ask(c *Composition, m *candidate, proposal memsync.LedgerEvent, why compose.Reason) {
	known := func(x memsync.LedgerEvent) bool { return x.ID == proposal.ID }
	if e.asked[proposal.ID] || slices.ContainsFunc(m.events, known) {
		return
	}
	e.asked[proposal.ID] = true
	e.record(c, m, proposal, why)
}

// remove ends a promotion where the evidence demands it: an auto entry that
// proposes no place any more, an earned one that enough conversations contradict.
// A guarded one is put before a person.
func (e *effects) remove(c *Composition, m *candidate, st compose.State) {
	p := st.Promotion
	switch {
	case p.Tier == compose.Auto && m.hash == "" && m.Wants.Err == nil:
	case p.Tier == compose.Earned && contradicted(c.Author.Agent, st):
	case p.Tier == compose.Guarded && contradicted(c.Author.Agent, st):
		e.ask(c, m, compose.ProposeEnd(m.ID, p, st.Contradictions), compose.WhyContradicts)
		return
	default:
		return
	}
	event := memsync.LedgerEvent{ID: e.fresh(), Op: memsync.LedgerDemote, Memory: m.ID, At: e.in.Now, Actor: machine, Sees: m.Sees(e.more[m.ID]...)}
	if after := m.judge(c.Author.Agent, append(slices.Clone(e.more[m.ID]), event)...); after.Promotion == nil {
		e.record(c, m, event, "")
	}
}

func contradicted(a *compose.Agent, st compose.State) bool {
	return len(st.Contradictions) >= max(a.Learn.N, 1)
}

// Sees are the promotions and approvals of a memory that a removal answers: all
// that are known, so that none comes back when the newest ends.
func (m *candidate) Sees(more ...memsync.LedgerEvent) (ids []memsync.ID) {
	for _, x := range slices.Concat(m.events, more) {
		if x.Op == memsync.LedgerPromote || x.Op == memsync.LedgerApprove {
			ids = append(ids, x.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// record adds an effect and brings the composition up to it.
func (e *effects) record(c *Composition, m *candidate, event memsync.LedgerEvent, why compose.Reason) {
	x := Effect{Memory: m.Memory.Memory, Event: event, Agent: c.Author.Name, Why: why}
	if event.Op == memsync.LedgerPromote {
		x.Path, x.Bytes = ApprovedPath(m.scope, m.ID, m.hash), m.Wants.Bytes
	}
	e.out = append(e.out, x)
	e.more[m.ID] = append(e.more[m.ID], event)
	st := m.judge(c.Author.Agent, e.more[m.ID]...)
	c.States[m.ID] = st
	c.promoted = slices.DeleteFunc(c.promoted, func(l compose.Learned) bool { return l.ID == m.ID })
	if st.Promotion != nil {
		c.promoted = append(c.promoted, m.learned(m.approved[st.Promotion.Snapshot], &st))
	}
}
