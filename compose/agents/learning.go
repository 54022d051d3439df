package agents

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"memsync"
	"memsync/compose"
)

// Kind is what became of something learned.
type Kind string

const (
	Learnt  Kind = "learned" // it joined the prompt
	Revised Kind = "revised" // another wording of it did
	Removed Kind = "removed" // it left
	Pending Kind = "pending" // it proposes a place and does not have it
)

// Learning is one thing that an agent learned, or is about to.
type Learning struct {
	Kind          Kind
	Agent         string
	Memory        *memsync.Memory
	Target        compose.Target
	Tier          compose.Tier
	At            time.Time // of the event; of a pending one when the memory was made
	Event         memsync.ID
	Actor         memsync.Actor  // who promoted or ended it
	Bar           compose.Bar    // that a promotion in force passed
	Why           compose.Reason // of a pending one
	Proposal      memsync.ID     // of a pending one that a person decides
	Conversations []string       // that taught it
}

// Learnings are what an agent learned, revised and lost since a time, and what is
// pending, by time.
func (s *Store) Learnings(name string, since time.Time) []Learning {
	author, ok := s.Author(name)
	if !ok || author.Agent == nil {
		return nil
	}
	var out []Learning
	for _, x := range s.Candidates(name) {
		m := s.byID[x.Memory.ID]
		base := Learning{Agent: name, Memory: x.Memory, Target: x.Target, Tier: x.Tier, Conversations: x.State.Supports}
		if !x.InForce || x.Target != (compose.Target{}) && !author.Agent.Declares(x.Target) && x.State.Promotion == nil {
			continue
		}
		earlier := false
		for i := range m.events {
			e := &m.events[i]
			l := base
			l.At, l.Event, l.Actor = e.At, e.ID, e.Actor
			switch e.Op {
			case memsync.LedgerPromote:
				if one, there := m.approved[e.Hash]; there {
					l.Target, l.Tier = one.Snapshot.Target, author.Agent.Tier(one.Snapshot.Target)
				}
				l.Kind = Learnt
				if earlier {
					l.Kind = Revised
				}
				earlier = true
				if p := x.State.Promotion; p != nil && p.Event == e.ID {
					l.Bar = p.Bar
				}
				if slices.ContainsFunc(x.State.Ignored, func(d compose.Disbelief) bool { return d.Event == e.ID }) {
					continue
				}
			case memsync.LedgerDemote, memsync.LedgerInvalidate:
				if slices.Contains(x.State.Requests, e.ID) || slices.ContainsFunc(x.State.Ignored, func(d compose.Disbelief) bool { return d.Event == e.ID }) {
					continue
				}
				l.Kind = Removed
			default:
				continue
			}
			if !l.At.Before(since) {
				out = append(out, l)
			}
		}
		p := x.State.Promotion
		if x.Memory.Target != "" && (p == nil || p.Edited) && !x.State.Ended {
			l := base
			l.Kind, l.At, l.Why = Pending, x.Memory.Created(), x.Verdict.Why
			if len(x.State.Proposals) > 0 {
				l.Proposal = x.State.Proposals[0].ID
			}
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b Learning) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(string(a.Memory.ID), string(b.Memory.ID)), strings.Compare(string(a.Event), string(b.Event)))
	})
	return out
}
