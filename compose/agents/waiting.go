package agents

import (
	"slices"
	"strings"
	"time"

	"memsync"
	"memsync/compose"
)

// Waiting is one question that waits for a person.
type Waiting struct {
	Proposal  memsync.ID
	Also      []memsync.ID // proposals that ask the same on other evidence
	Memory    *memsync.Memory
	Target    compose.Target
	Ends      memsync.ID // the promotion that would end; "" where one would begin
	Snapshot  memsync.Hash
	Edited    bool // another wording of the memory is in the prompt
	Supports  int  // conversations that taught it
	Against   int  // conversations that contradicted it
	Requested int  // ticks and requests that a person has yet to confirm
	Since     time.Time
	Changes   []Change // by agent: what saying yes would do
}

// Change is what a decision would do to one agent's prompt.
type Change struct {
	Agent string
	Tier  compose.Tier
	Diff  string         // of the composed prompt, as lines that begin with " ", "+" or "-"; "" where nothing would change
	Why   compose.Reason // why a yes would not take effect now, "" where it would
}

// Waiting are the questions of a scope ("" for all), by id.
func (s *Store) Waiting(scope string) []Waiting {
	found := map[memsync.ID]*Waiting{}
	for _, author := range s.in.Authors {
		if author.Agent == nil {
			continue
		}
		c := s.current(author)
		var before string
		for _, m := range s.memories {
			st, looked := c.States[m.ID]
			if !looked || len(st.Proposals) == 0 || scope != "" && m.Memory.Scope != scope {
				continue
			}
			if before == "" {
				c.render()
				before = c.Prompt()
			}
			for i := range st.Proposals {
				s.ask(found, c, m, st, &st.Proposals[i], before)
			}
		}
	}
	out := make([]Waiting, 0, len(found))
	for _, w := range found {
		out = append(out, *w)
	}
	slices.SortFunc(out, func(a, b Waiting) int { return strings.Compare(string(a.Proposal), string(b.Proposal)) })
	return out
}

// ask adds what one agent's proposal asks.
func (s *Store) ask(found map[memsync.ID]*Waiting, c *Composition, m *candidate, st compose.State, p *compose.Proposal, before string) {
	target := m.wants.Target
	var after string
	change := Change{Agent: c.Author.Name}
	if p.Ends == "" {
		after = c.with(m, &m.wants)
		if v := compose.Gate(c.Author.Agent, c.promoted, s.approvedWish(m, st, p), 0, s.in.FromModel); v.Do != compose.Promote {
			change.Why = v.Why
		}
		if !c.Author.Agent.Declares(target) {
			return // a place of another agent's
		}
	} else {
		target = m.approved[st.Promotion.Snapshot].Snapshot.Target
		after = c.with(m, nil)
	}
	change.Tier, change.Diff = c.Author.Agent.Tier(target), diff(before, after)
	w := found[p.ID]
	if w == nil {
		w = &Waiting{Proposal: p.ID, Also: p.Also, Memory: m.Memory.Memory, Target: target, Ends: p.Ends, Snapshot: p.Snapshot,
			Edited: st.Promotion != nil && p.Ends == "", Supports: len(st.Supports), Against: len(st.Contradictions),
			Requested: len(p.Requested), Since: s.since(m, p)}
		found[p.ID] = w
	}
	w.Changes = append(w.Changes, change)
}

// approvedWish is a wish as if a person had said yes to it.
func (s *Store) approvedWish(m *candidate, st compose.State, p *compose.Proposal) compose.Wish {
	st.Approved = append(slices.Clone(st.Approved), p.Snapshot)
	return compose.Wish{Learned: m.learned(m.wanted(), &st), Hash: m.hash, State: st, ByModel: m.byModel()}
}

// since is when the evidence was complete on which the question was asked: the
// newest event before it was first there, or the memory's own time.
func (s *Store) since(m *candidate, p *compose.Proposal) time.Time {
	at := m.Created()
	for i := range m.events {
		e := &m.events[i]
		if (e.Op == memsync.LedgerCorroborate && p.Ends == "" || e.Op == memsync.LedgerContradict && p.Ends != "") && e.At.After(at) {
			at = e.At
		}
	}
	return at
}

// diffContext is how many lines stand around a change.
const diffContext = 2

// diff is what differs between two prompts: one stretch, since an entry comes or
// goes at one place; two where a wording moves.
func diff(before, after string) string {
	if before == after {
		return ""
	}
	a, b := lines(before), lines(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out strings.Builder
	write := func(mark string, list []string) {
		for _, l := range list {
			out.WriteString(strings.TrimRight(mark+l, " ") + "\n")
		}
	}
	write(" ", a[max(head-diffContext, 0):head])
	write("-", a[head:len(a)-tail])
	write("+", b[head:len(b)-tail])
	write(" ", a[len(a)-tail:min(len(a)-tail+diffContext, len(a))])
	return out.String()
}

func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// Preview is what promoting a memory as it is now would do to each prompt.
func (s *Store) Preview(id memsync.ID) []Change { return s.preview(id, false) }

// PreviewEnd is what ending its promotions would do.
func (s *Store) PreviewEnd(id memsync.ID) []Change { return s.preview(id, true) }

func (s *Store) preview(id memsync.ID, end bool) (out []Change) {
	m := s.byID[id]
	if m == nil {
		return nil
	}
	for _, author := range s.in.Authors {
		if author.Agent == nil {
			continue
		}
		c := s.current(author)
		if _, looked := c.States[id]; !looked {
			continue
		}
		c.render()
		var snap *compose.Snapshot
		if !end {
			snap = &m.wants
		}
		if d := diff(c.Prompt(), c.with(m, snap)); d != "" {
			out = append(out, Change{Agent: author.Name, Diff: d})
		}
	}
	return out
}
