package agents

import (
	"slices"

	"memsync"
	"memsync/compose"
)

// Answer are the events of a person's decision about what waits: of a yes to an end
// the demotion too; what begins is promoted by Effects once it is approved.
func (s *Store) Answer(w Waiting, deny bool) []memsync.LedgerEvent {
	if deny {
		return []memsync.LedgerEvent{{Op: memsync.LedgerDeny, Memory: w.Memory.ID, Proposal: w.Proposal, Hash: w.Snapshot, Sees: w.Also}}
	}
	events := []memsync.LedgerEvent{{Op: memsync.LedgerApprove, Memory: w.Memory.ID, Proposal: w.Proposal, Hash: w.Snapshot}}
	if w.Ends != "" {
		events = append(events, s.Demotion(w.Memory.ID))
	}
	return events
}

// Request is the event that asks a person to confirm a decision that somebody else
// made.
func Request(w Waiting, deny bool) memsync.LedgerEvent {
	e := memsync.LedgerEvent{Op: memsync.LedgerRequest, Memory: w.Memory.ID, Proposal: w.Proposal, Reason: "approve"}
	if deny {
		e.Reason = "deny"
	}
	return e
}

// Requested reports whether a person was already asked to confirm that decision.
func (s *Store) Requested(w Waiting, deny bool) bool {
	asked := Request(w, deny)
	m := s.byID[w.Memory.ID]
	return m != nil && slices.ContainsFunc(m.events, func(e memsync.LedgerEvent) bool {
		return e.Op == asked.Op && e.Reason == asked.Reason && (e.Proposal == w.Proposal || slices.Contains(w.Also, e.Proposal))
	})
}

// Demotion is the event that takes a memory out of every prompt: it sees all
// promotions and approvals that are known.
func (s *Store) Demotion(id memsync.ID) memsync.LedgerEvent {
	e := memsync.LedgerEvent{Op: memsync.LedgerDemote, Memory: id}
	if m := s.byID[id]; m != nil {
		e.Sees = m.Sees()
	}
	return e
}

// Promotion is the event by which a person promotes what a memory says now, with the
// snapshot's file. ok is false for one that lacks something.
func (s *Store) Promotion(id memsync.ID) (e memsync.LedgerEvent, path memsync.Path, bytes []byte, ok bool) {
	m := s.byID[id]
	if m == nil || m.hash == "" {
		return e, "", nil, false
	}
	return memsync.LedgerEvent{Op: memsync.LedgerPromote, Memory: id, Hash: m.hash, Target: m.wants.Target.String()},
		ApprovedPath(m.scope, id, m.hash), m.Wants.Bytes, true
}

// TakeBack is the event by which a person takes back that they denied promoting
// what a memory says now. ok is false where nobody did.
func (s *Store) TakeBack(id memsync.ID) (memsync.LedgerEvent, bool) {
	m := s.byID[id]
	if m == nil || m.hash == "" {
		return memsync.LedgerEvent{}, false
	}
	e := memsync.LedgerEvent{Op: memsync.LedgerRestore, Memory: id}
	var asked, answered []memsync.ID // proposals of it, denials that were taken back
	for i := range m.events {
		switch x := &m.events[i]; {
		case x.Op == memsync.LedgerPropose && x.Hash == m.hash && len(x.Sees) == 0:
			asked = append(asked, x.ID)
		case x.Op == memsync.LedgerRestore && x.Actor.Person():
			answered = append(answered, x.Sees...)
		}
	}
	about := func(p memsync.ID) bool { return slices.Contains(asked, p) }
	for i := range m.events {
		x := &m.events[i]
		if x.Op == memsync.LedgerDeny && x.Actor.Person() && !slices.Contains(answered, x.ID) && (about(x.Proposal) || slices.ContainsFunc(x.Sees, about)) {
			e.Sees = append(e.Sees, x.ID)
		}
	}
	return e, len(e.Sees) > 0
}

// Claims reports whether the ledger has a promotion of a memory that nobody ended and
// that does not count.
func (s *Store) Claims(id memsync.ID) bool {
	m := s.byID[id]
	return m != nil && slices.ContainsFunc(s.doubted(m), func(d Disbelief) bool { return d.Event.Op == memsync.LedgerPromote })
}

// EndProposal is the event by which whoever may not demote asks a person to. ok is
// false where nothing is promoted.
func (s *Store) EndProposal(id memsync.ID) (memsync.LedgerEvent, bool) {
	for _, st := range s.states(id) {
		if st.Promotion != nil {
			return compose.ProposeEnd(id, st.Promotion, st.Contradictions), true
		}
	}
	return memsync.LedgerEvent{}, false
}

// PromotedTiers are the tiers of the promotions of a memory that are in force, one
// for each agent that has it.
func (s *Store) PromotedTiers(id memsync.ID) (tiers []compose.Tier) {
	for _, st := range s.states(id) {
		if st.Promotion != nil {
			tiers = append(tiers, st.Promotion.Tier)
		}
	}
	return tiers
}

// states is what a memory is to each agent that can be composed, by agent.
func (s *Store) states(id memsync.ID) (out []compose.State) {
	m := s.byID[id]
	if m == nil {
		return nil
	}
	for _, a := range s.in.Authors {
		if a.Agent == nil || !s.reads(a.Name).Readable(0, m.Memory.Scope) {
			continue
		}
		out = append(out, m.judge(a.Agent))
	}
	return out
}

// Keeps is a promotion that took evidence or a person, in the prompt of one agent.
type Keeps struct {
	Agent  string
	Memory memsync.ID
}

// Kept are the promotions in force that only evidence or a person ends.
func (s *Store) Kept() (out []Keeps) {
	for _, a := range s.in.Authors {
		if a.Agent == nil {
			continue
		}
		c := s.compose(a, nil)
		for _, l := range c.promoted {
			if c.States[l.ID].Promotion.Tier != compose.Auto {
				out = append(out, Keeps{a.Name, l.ID})
			}
		}
	}
	return out
}
