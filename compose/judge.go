package compose

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"memsync"
)

// Judge folds the events of one memory, as [ledger.State.Events] has them, into
// what counts for one agent. Every bar is worked out anew from the evidence:
//
//   - Supports are distinct conversations. One in which the memory was shown counts
//     only where it also taught it unshown: an echo is no evidence. They never
//     decrease.
//   - A promotion counts when its snapshot is there unaltered and its bar is met: of
//     an auto slot at once; of an earned one with enough supports; of any slot that
//     is not locked by a person's approval of that snapshot, or a person's own promote.
//   - A demotion or invalidation ends the promotions that it saw and no other, so that
//     a concurrent promotion stays in force. It needs the bar that the promotion had:
//     anybody for auto; a person, or contradictions of enough distinct conversations
//     newer than the promotion, for earned; for guarded a person, or a person's
//     approval of a proposal to end it. Below the bar it is a request.
//   - Only persons approve and deny. A denial beats every approval of the same
//     proposal, and keeps its snapshot from being promoted by anything but another
//     proposal until there is new evidence or a person's restore saw the denial.
//   - The approval that a promotion rested on ends with it.
//   - A memory that was forgotten is over, and so is one that was invalidated: by a
//     person, or by anybody where no promotion is left standing.
//
// It is a function of the set of events: any order and any repetition give the
// same State. Two different events under one id contradict each other and neither
// counts.
func Judge(f Facts, events []memsync.LedgerEvent) State {
	j := judging{Facts: f}
	j.events = j.settle(events)
	j.count()
	j.decisions()
	j.removals()
	j.promotions()
	j.granted()
	j.ends()
	j.waiting()
	s := &j.State
	slices.SortFunc(s.Ignored, func(a, b Disbelief) int { return strings.Compare(string(a.Event), string(b.Event)) })
	if s.Ended {
		s.Promotion, s.Proposals, s.Requests = nil, nil, nil
	}
	return j.State
}

type judging struct {
	Facts
	State
	events    []*memsync.LedgerEvent // by id, one each
	proposals map[memsync.ID]*memsync.LedgerEvent
	approvals map[memsync.ID][]memsync.ID // by proposal, of persons
	denials   map[memsync.ID]bool         // proposals with a denial in force
	ended     map[memsync.ID]bool         // promotions and approvals that a removal ended
}

func (j *judging) doubt(e *memsync.LedgerEvent, why Doubt) {
	j.Ignored = append(j.Ignored, Disbelief{e.ID, why})
}

// settle puts events in id order, each once.
func (j *judging) settle(events []memsync.LedgerEvent) []*memsync.LedgerEvent {
	byID := func(a, b *memsync.LedgerEvent) int { return strings.Compare(string(a.ID), string(b.ID)) }
	list := make([]*memsync.LedgerEvent, len(events))
	for i := range events {
		list[i] = &events[i]
	}
	if !slices.IsSortedFunc(list, byID) {
		slices.SortFunc(list, byID)
	}
	kept := list[:0]
	for i := 0; i < len(list); {
		e, next, same := list[i], i+1, true
		for ; next < len(list) && list[next].ID == e.ID; next++ {
			same = same && reflect.DeepEqual(e, list[next])
		}
		if same {
			kept = append(kept, e)
		} else {
			j.doubt(e, Contradictory)
		}
		i = next
	}
	return kept
}

// count gathers the evidence.
func (j *judging) count() {
	if j.Origin != "" {
		j.Supports = append(j.Supports, j.Origin)
	}
	for _, e := range j.events {
		switch {
		case teaches(e):
			j.Supports = append(j.Supports, e.Conversation)
		case e.Op == memsync.LedgerContradict && e.Conversation != "":
			j.Contradictions = append(j.Contradictions, e.Conversation)
		}
	}
	j.Supports, j.Contradictions = distinct(j.Supports), distinct(j.Contradictions)
}

// teaches reports whether an event supports the memory: not where the memory was
// shown.
func teaches(e *memsync.LedgerEvent) bool {
	return e.Op == memsync.LedgerCorroborate && e.Conversation != "" && (e.Exposed == nil || !*e.Exposed)
}

func distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// decisions are what persons approved and denied.
func (j *judging) decisions() {
	var restored []memsync.ID // denials that a person took back
	for _, e := range j.events {
		switch {
		case e.Op == memsync.LedgerPropose:
			set(&j.proposals, e.ID, e)
		case e.Op == memsync.LedgerRestore && e.Actor.Person():
			restored = append(restored, e.Sees...)
		}
	}
	for _, e := range j.events {
		if e.Op != memsync.LedgerApprove && e.Op != memsync.LedgerDeny {
			continue
		}
		switch {
		case !e.Actor.Person():
			j.doubt(e, NotAPerson)
		case j.proposals[e.Proposal] == nil:
			j.doubt(e, NoProposal)
		case e.Op == memsync.LedgerApprove:
			set(&j.approvals, e.Proposal, append(j.approvals[e.Proposal], e.ID))
		case !slices.Contains(restored, e.ID):
			for _, p := range append([]memsync.ID{e.Proposal}, e.Sees...) { // all that asked the same
				if j.proposals[p] != nil {
					set(&j.denials, p, true)
				}
			}
		}
	}
	for p := range j.denials {
		j.Denied = append(j.Denied, p)
	}
	slices.Sort(j.Denied)
}

// set makes the map with its first entry: most memories have no such events.
func set[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = make(map[K]V)
	}
	(*m)[k] = v
}

// approved is the first approval in force of a proposal, "" for none.
func (j *judging) approved(proposal memsync.ID) memsync.ID {
	if j.denials[proposal] {
		return ""
	}
	for _, a := range j.approvals[proposal] {
		if !j.ended[a] {
			return a
		}
	}
	return ""
}

// approvedSnapshot is the first approval in force of promoting a snapshot.
func (j *judging) approvedSnapshot(h memsync.Hash) (first memsync.ID) {
	for id, p := range j.proposals {
		if p.Hash != h || len(p.Sees) > 0 {
			continue
		}
		if a := j.approved(id); a != "" && (first == "" || a < first) {
			first = a
		}
	}
	return first
}

// closed reports whether a person denied promoting a snapshot on just the evidence
// that there is.
func (j *judging) closed(h memsync.Hash) bool {
	return len(j.denials) > 0 && j.denials[proposalID(j.Memory, "promote", string(h), j.Supports)]
}

// kept reports whether a person denied ending a promotion on just the evidence that
// there is.
func (j *judging) kept(p *Promotion) bool {
	return len(j.denials) > 0 && j.denials[proposalID(j.Memory, "demote", string(p.Event), j.Contradictions)]
}

// removals end what they saw, each at the bar of what it ends.
func (j *judging) removals() {
	var promotes map[memsync.ID]*memsync.LedgerEvent
	for _, e := range j.events {
		if e.Op == memsync.LedgerPromote {
			set(&promotes, e.ID, e)
		}
	}
	var removed map[memsync.Hash]memsync.ID // by what, the newest
	for _, e := range j.events {
		if e.Op != memsync.LedgerDemote && e.Op != memsync.LedgerInvalidate {
			continue
		}
		saw := false
		for _, id := range e.Sees {
			p := promotes[id]
			if p == nil {
				continue
			}
			saw = true
			if !j.mayEnd(e, p) {
				continue
			}
			set(&j.ended, p.ID, true)
			set(&removed, p.Hash, e.ID)
			j.endApprovals(e, p)
		}
		if !saw && e.Op == memsync.LedgerDemote {
			j.doubt(e, SawNothing)
		}
	}
	for h, by := range removed {
		if !j.taughtSince(by) {
			j.Withdrawn = append(j.Withdrawn, h)
		}
	}
	slices.Sort(j.Withdrawn)
}

// endApprovals ends the approvals of promoting what a removal took out: those that
// the promotion could rest on, and those that the removal saw.
func (j *judging) endApprovals(removal, p *memsync.LedgerEvent) {
	for id, proposal := range j.proposals {
		if proposal.Hash != p.Hash || len(proposal.Sees) > 0 {
			continue
		}
		for _, a := range j.approvals[id] {
			if a < p.ID || slices.Contains(removal.Sees, a) {
				set(&j.ended, a, true)
			}
		}
	}
}

// mayEnd reports whether a removal meets the bar of a promotion that it saw.
func (j *judging) mayEnd(e, p *memsync.LedgerEvent) bool {
	if e.Actor.Person() {
		return true
	}
	switch j.Snapshots[p.Hash] {
	case Auto:
		return true
	case Earned:
		var against []string
		for _, c := range j.events {
			if c.Op == memsync.LedgerContradict && c.Conversation != "" && c.ID > p.ID {
				against = append(against, c.Conversation)
			}
		}
		return len(distinct(against)) >= need(j.N)
	case Guarded:
		for id, proposal := range j.proposals {
			if slices.Contains(proposal.Sees, p.ID) && j.approved(id) != "" {
				return true
			}
		}
	}
	return false
}

// taughtSince reports whether a conversation supports the memory that did not
// before an event.
func (j *judging) taughtSince(id memsync.ID) bool {
	before := []string{j.Origin}
	for _, e := range j.events {
		switch {
		case !teaches(e):
		case e.ID < id:
			before = append(before, e.Conversation)
		case !slices.Contains(before, e.Conversation):
			return true
		}
	}
	return false
}

// promotions finds the one in force.
func (j *judging) promotions() {
	for _, e := range j.events {
		if e.Op != memsync.LedgerPromote || j.ended[e.ID] {
			continue
		}
		p, why := j.believe(e)
		if why != "" {
			j.doubt(e, why)
			continue
		}
		p.Edited = p.Snapshot != j.Current
		j.Promotion = p
	}
}

// believe works out the bar that a promotion passed, or why it does not count.
func (j *judging) believe(e *memsync.LedgerEvent) (*Promotion, Doubt) {
	tier, there := j.Snapshots[e.Hash]
	approval := j.approvedSnapshot(e.Hash)
	denied := approval == "" && j.closed(e.Hash)
	if approval == "" && e.Actor.Person() {
		approval = e.ID
	}
	p := &Promotion{Event: e.ID, Snapshot: e.Hash, Tier: tier, Bar: BarPerson, Approval: approval}
	switch {
	case !there:
		return nil, NoSnapshot
	case tier.rank() == Locked.rank():
		return nil, NotPromotable
	case denied:
		return nil, WasDenied
	case tier == Auto:
		p.Bar, p.Approval = BarAuto, ""
	case tier == Earned && len(j.Supports) >= need(j.N):
		p.Bar, p.Approval = BarRecurrence, ""
	case approval == "":
		return nil, BelowBar
	}
	return p, ""
}

// ends says whether the memory is over. Where a promotion stands that an
// invalidation did not or could not end, only a person's invalidation counts.
func (j *judging) ends() {
	for _, e := range j.events {
		switch {
		case e.Op == memsync.LedgerForget:
			j.Ended = true
		case e.Op == memsync.LedgerInvalidate && (e.Actor.Person() || j.Promotion == nil) && !j.restored(e):
			j.Ended = true
		}
	}
}

// restored reports whether an invalidation was taken back, a person's by a person.
func (j *judging) restored(invalidation *memsync.LedgerEvent) bool {
	return slices.ContainsFunc(j.events, func(e *memsync.LedgerEvent) bool {
		return e.Op == memsync.LedgerRestore && slices.Contains(e.Sees, invalidation.ID) &&
			(e.Actor.Person() || !invalidation.Actor.Person())
	})
}

// granted are the snapshots that a person lets promote.
func (j *judging) granted() {
	for id, p := range j.proposals {
		if len(p.Sees) == 0 && j.approved(id) != "" && !slices.Contains(j.Approved, p.Hash) {
			j.Approved = append(j.Approved, p.Hash)
		}
	}
	slices.Sort(j.Approved)
}

// waiting are the questions that only a person answers: removals below the bar of
// the promotion in force, unless a person kept it on just the evidence that there
// is, and proposals that nobody decided about what the memory says now and nobody
// took out.
func (j *judging) waiting() {
	p := j.Promotion
	if p != nil && !j.kept(p) {
		for _, e := range j.events {
			if e.Op == memsync.LedgerDemote && slices.Contains(e.Sees, p.Event) || e.Op == memsync.LedgerInvalidate && !j.restored(e) {
				j.Requests = append(j.Requests, e.ID)
			}
		}
	}
	byID := func(a, b *memsync.LedgerEvent) int { return strings.Compare(string(a.ID), string(b.ID)) }
	for _, e := range slices.SortedFunc(maps.Values(j.proposals), byID) {
		q := Proposal{ID: e.ID, Snapshot: e.Hash, Target: e.Target}
		if len(e.Sees) > 0 {
			q.Ends = e.Sees[0]
		}
		switch {
		case j.denials[e.ID] || len(j.approvals[e.ID]) > 0:
		case q.Ends != "" && (p == nil || p.Event != q.Ends):
		case q.Ends == "" && slices.Contains(j.Withdrawn, e.Hash):
		case q.Ends == "" && (e.Hash == "" || e.Hash != j.Current || p != nil && p.Snapshot == e.Hash || j.approvedSnapshot(e.Hash) != "" || j.closed(e.Hash)):
		default:
			j.ask(q)
		}
	}
}

// ask adds a question, or joins it to the one that asks the same.
func (j *judging) ask(q Proposal) {
	for _, e := range j.events {
		if e.Op == memsync.LedgerRequest && e.Proposal == q.ID {
			q.Requested = append(q.Requested, e.ID)
		}
	}
	for i := range j.Proposals {
		if same := &j.Proposals[i]; same.Snapshot == q.Snapshot && same.Ends == q.Ends {
			same.Also = append(same.Also, q.ID)
			same.Requested = append(same.Requested, q.Requested...)
			return
		}
	}
	j.Proposals = append(j.Proposals, q)
}
