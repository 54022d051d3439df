package agents

import (
	"slices"
	"strings"
	"time"

	"memsync"
	"memsync/compose"
)

// Now is the moment at which the store is looked at.
func (s *Store) Now() time.Time { return s.in.Now }

// Memories are those that propose a place or were promoted once, by id.
func (s *Store) Memories() []Memory {
	out := make([]Memory, len(s.memories))
	for i, m := range s.memories {
		out[i] = m.Memory
	}
	return out
}

// Scope is the scope that a memory lives in.
func (s *Store) Scope(m *memsync.Memory) memsync.Scope {
	scope, _ := s.in.View.Scope(m.Scope)
	return scope
}

// Promoted are the memories whose promotion is in force for the agent, whether they
// have room in the prompt or not.
func (c *Composition) Promoted() []compose.Learned { return slices.Clone(c.promoted) }

// Disbelief is an event that counts for none of the agents that it concerns.
type Disbelief struct {
	Memory *memsync.Memory
	Event  memsync.LedgerEvent
	Why    compose.Doubt // of the first agent by name
	Agents []string
}

// Disbelief are the events that claim what the ledger does not bear out, by id. A
// promotion concerns the agents that have its place; where none has it, and for any
// other event, all who read the memory.
func (s *Store) Disbelief() (out []Disbelief) {
	for _, m := range s.memories {
		if len(m.events) > 0 {
			out = append(out, s.doubted(m)...)
		}
	}
	slices.SortFunc(out, func(a, b Disbelief) int { return strings.Compare(string(a.Event.ID), string(b.Event.ID)) })
	return out
}

func (s *Store) doubted(m *candidate) (out []Disbelief) {
	type reader struct {
		author Author
		doubts []compose.Disbelief
	}
	var readers []reader
	for _, a := range s.in.Authors {
		if a.Agent != nil && s.reads(a.Name).Readable(0, m.Memory.Scope) {
			readers = append(readers, reader{a, m.judge(a.Agent).Ignored})
		}
	}
	for i := range m.events {
		e := &m.events[i]
		concerned := readers
		if target, err := compose.ParseTarget(e.Target); e.Op == memsync.LedgerPromote && err == nil {
			have := slices.DeleteFunc(slices.Clone(readers), func(r reader) bool { return !r.author.Agent.Declares(target) })
			if len(have) > 0 {
				concerned = have
			}
		}
		d := Disbelief{Memory: m.Memory.Memory, Event: *e}
		for _, r := range concerned {
			at := slices.IndexFunc(r.doubts, func(x compose.Disbelief) bool { return x.Event == e.ID })
			if at < 0 {
				break
			}
			if d.Why == "" {
				d.Why = r.doubts[at].Reason
			}
			d.Agents = append(d.Agents, r.author.Name)
		}
		if len(d.Agents) > 0 && len(d.Agents) == len(concerned) {
			out = append(out, d)
		}
	}
	return out
}
