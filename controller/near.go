package controller

import (
	"fmt"
	"strings"

	"memsync"
	"memsync/internal/text"
)

// The bands of rule 10, in Jaccard similarity of word 3-shingles. A correction
// that changes one weekday scores 0.88, an honest rewording 0.58: similarity
// alone cannot tell them apart, which is why opposition is asked as well.
const (
	likely = 0.7 // and not opposed: the same
	maybe  = 0.4 // below: another memory
)

// resemblance is how a neighbour relates to the candidate.
type resemblance struct {
	memory    *memsync.Memory
	score     float64
	same      bool // supports: nothing tells them apart
	why       string
	rejection *memsync.LedgerEvent
}

// near is rule 10, and 11 for what it cannot settle: a new memory that says
// nearly what another of its scope and type says.
//
// The same: agents and programs corroborate, people are told. Ambiguous: a
// direct write is added as a possible duplicate, for whom nobody waits it goes
// to the inbox. A text that resembles a rejected one is let in and linked to
// the rejection.
func (x *deciding) near() bool {
	if x.old != nil || x.doc == nil || x.mem.Kind == memsync.KindLog || x.sketchOf() == nil {
		return false
	}
	best := x.nearest()
	if best == nil {
		x.pass("near", "")
		return false
	}
	m := best.memory
	x.d.Other = m.ID
	detail := fmt.Sprintf("%s: similarity %.2f", m.Path, best.score)
	if best.why != "" {
		detail += ", " + best.why
	}
	told := x.kind == isSave || x.actor.Person() || x.restoring()
	switch {
	case told:
		code, message := memsync.FindNearDuplicate, "says nearly the same as "+string(m.Path)
		if m.BodyKey == x.mem.BodyKey {
			code, message = memsync.FindSameText, "the same text stands in "+string(m.Path)
		}
		x.find(memsync.Finding{Code: code, Severity: memsync.Info, Message: message, Hint: "keep one of them"})
		x.pass("near", detail)
		return false
	case best.same:
		if x.repeats("near", m, best.score) {
			x.d.Reasons[len(x.d.Reasons)-1].Detail += "; " + detail
			return true
		}
	}
	x.d.Reasons = append(x.d.Reasons, memsync.Reason{Rule: "near", Code: memsync.CodeDuplicateAmbiguous, Detail: detail})
	x.d.Source, x.d.Confidence = memsync.SourceDefault, 0.5
	if x.Candidate.Origin.Autonomous() {
		return x.wait("ambiguous", &memsync.Error{Code: memsync.CodeDuplicateAmbiguous, Message: "it may be the same as another memory",
			Hint: "a person decides: `memsync accept ID` or `memsync deny ID`", Details: map[string]string{"memory_id": string(m.ID), "path": string(m.Path)}})
	}
	x.pass("ambiguous", "possible-duplicate")
	x.warn(memsync.FindNearDuplicate, "possible duplicate of "+string(m.Path), "merge them, or remove one")
	return false
}

// nearest is the neighbour most like the candidate, nil when none is near.
// Rejected ones are told and not compared further.
func (x *deciding) nearest() *resemblance {
	var best *resemblance
	consider := func(r resemblance) {
		m := r.memory
		if m == nil || m.Scope != x.Scope.Name() || m.Type != x.mem.Type || m.Path == x.Path && r.rejection == nil || x.gone(m.Path) {
			return
		}
		if r.score < maybe {
			return
		}
		if r.rejection != nil {
			why := "it resembles what was rejected" + on(*r.rejection)
			if r.rejection.Reason != "" {
				why += ": " + r.rejection.Reason
			}
			x.warn(memsync.FindRejectedValue, why, "the rejection is "+string(r.rejection.ID))
			x.d.Other = m.ID
			return
		}
		if best == nil || r.score > best.score || r.score == best.score && m.Path < best.memory.Path {
			best = &r
		}
	}
	for _, m := range x.twins() {
		consider(resemblance{memory: m, score: 1, same: true, why: "the same text"})
	}
	for i := range x.f.Near {
		n := &x.f.Near[i]
		if n.Memory == nil || n.Memory.ID == x.id && n.Rejection == nil {
			continue
		}
		r := resemblance{memory: n.Memory, rejection: n.Rejection}
		switch {
		case text.Normalize(n.Body) == text.Normalize(x.body):
			r.score, r.same, r.why = 1, true, "the same text"
		default:
			r.score = text.Jaccard(x.shinglesOf(), text.Shingles(n.Body))
			if r.score >= maybe && n.Rejection == nil {
				opposed, why, known := text.Opposed(n.Body, x.body)
				switch {
				case opposed:
					r.why = "opposed"
					if why != "" {
						r.why = strings.TrimSpace("opposed: " + why)
					}
				case !known:
					r.why = "no word list for this language"
				default:
					r.same = r.score >= likely
				}
			}
		}
		consider(r)
	}
	return best
}
