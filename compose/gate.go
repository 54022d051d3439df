package compose

import (
	"slices"
	"strings"
	"unicode/utf8"

	"memsync"
	"memsync/internal/text"
)

// Step is what is to be done with a candidate now.
type Step string

const (
	Wait    Step = "wait"    // nothing: Why says for what
	Promote Step = "promote" // its bar is met
	Ask     Step = "ask"     // open the proposal, a person decides
	Park    Step = "park"    // it conflicts with lines that are there, which Against and Authored tell
)

// Why a candidate is not promoted at once. Reasons of Overlay are among them:
// what could not be placed is not promoted.
const (
	WhyEnded       Reason = "ended"          // invalidated or forgotten
	WhyPromoted    Reason = "promoted"       // it is in force, in these words
	WhyTooLong     Reason = "too_long"       // longer than a quarter of its budget
	WhyNoRoom      Reason = "no_room"        // what persons approved fills budget or ceiling
	WhyModel       Reason = "from_model"     // an agent chose the place, and may not
	WhyWithdrawn   Reason = "withdrawn"      // it was ended, and nothing was learned since
	WhyDenied      Reason = "denied"         // a person said no to just this
	WhyBelowBar    Reason = "below_bar"      // too few conversations yet
	WhyToday       Reason = "per_day"        // enough for today
	WhyPerson      Reason = "person"         // the tier asks for a person
	WhyEdited      Reason = "edited"         // another wording is in force that took a bar to get there
	WhyCollision   Reason = "collision"      // another memory stands at its address
	WhyDuplicate   Reason = "near_duplicate" // a line there says nearly the same
	WhyContradicts Reason = "contradicts"    // a line of the domain says nearly the same and the opposite
)

// Wish is a memory that has a target, as the gate needs it.
type Wish struct {
	Learned              // what promoting it would promote
	Hash    memsync.Hash // of that snapshot's bytes
	State   State        // judged with Hash as Facts.Current
	ByModel bool         // an agent chose the target
}

// Verdict is what becomes of a Wish now. It names ids, never text.
type Verdict struct {
	Do       Step
	Why      Reason       // "" with Promote
	Against  []memsync.ID // memories whose lines it conflicts with, sorted
	Authored bool         // a line of the author's is among them
}

// The bands of likeness, in Jaccard similarity of word 3-shingles: those that the
// controller has for memories.
const (
	alike   = 0.7 // and not opposed: the same
	similar = 0.4 // and opposed: a contradiction
)

// Gate says whether a memory is promoted now, waits, or is put before a person.
// promoted is what is in force for the agent, today how many promotions it had
// this day. A contradiction is looked for before any promotion into a judgment
// slot; a person's approval passes one with what was learned, nothing passes one
// with what was authored. The limit per day is for what no person looked at.
func Gate(agent *Agent, promoted []Learned, w Wish, today int, model memsync.FromModel) Verdict {
	if v, over := barred(agent, w, model); over {
		return v
	}
	tier := agent.Tier(w.Target)
	approved := slices.Contains(w.State.Approved, w.Hash)
	if v, final := clash(agent, promoted, w); v.Do == Park && (final || !approved) {
		return v
	}
	before := w.State.Promotion
	switch {
	case approved:
		if tier == Guarded && !room(agent, promoted, w) {
			return Verdict{Do: Wait, Why: WhyNoRoom}
		}
		return Verdict{Do: Promote}
	case slices.Contains(w.State.Denied, Propose(w.ID, w.Hash, w.Target, w.State.Supports).ID):
		return Verdict{Do: Wait, Why: WhyDenied}
	case slices.Contains(w.State.Withdrawn, w.Hash):
		return Verdict{Do: Wait, Why: WhyWithdrawn}
	case before != nil && before.Tier != Auto:
		return Verdict{Do: Ask, Why: WhyEdited}
	case tier == Guarded && !room(agent, promoted, w):
		return Verdict{Do: Wait, Why: WhyNoRoom}
	case tier == Guarded:
		return Verdict{Do: Ask, Why: WhyPerson}
	case w.ByModel && model == memsync.ModelPropose:
		return Verdict{Do: Ask, Why: WhyModel}
	case tier == Earned && len(w.State.Supports) < need(agent.Learn.N):
		return Verdict{Do: Wait, Why: WhyBelowBar}
	case today >= agent.Learn.PerDay:
		return Verdict{Do: Wait, Why: WhyToday}
	}
	return Verdict{Do: Promote}
}

// barred is what no evidence and no person changes as things are.
func barred(agent *Agent, w Wish, model memsync.FromModel) (Verdict, bool) {
	wait := func(why Reason) (Verdict, bool) { return Verdict{Do: Wait, Why: why}, true }
	_, report := Overlay(agent, []Learned{w.Learned})
	for _, o := range slices.Concat(report.Ignored, report.Dropped) {
		if !o.Reason.Spilled() {
			return wait(o.Reason)
		}
	}
	switch p := w.State.Promotion; {
	case w.State.Ended:
		return wait(WhyEnded)
	case p != nil && p.Snapshot == w.Hash:
		return wait(WhyPromoted)
	case w.ByModel && model == memsync.ModelDeny:
		return wait(WhyModel)
	case utf8.RuneCountInString(w.lines())*LongestShare > agent.Learn.Budgets.Of(w.Target.Primitive):
		return wait(WhyTooLong)
	}
	return Verdict{}, false
}

// room reports whether an entry that is never spilled fits beside the others of
// its kind.
func room(agent *Agent, promoted []Learned, w Wish) bool {
	beside := []Learned{w.Learned}
	for _, l := range promoted {
		if l.ID != w.ID && agent.Tier(l.Target) == Guarded {
			beside = append(beside, l)
		}
	}
	_, report := Overlay(agent, beside)
	return len(report.Over()) == 0 && !report.OverCeiling()
}

// clash holds a wish against the lines that are there: at its address, in its
// slot, and for a judgment in its whole domain. final says that it contradicts the
// author.
func clash(agent *Agent, promoted []Learned, w Wish) (v Verdict, final bool) {
	v.Do = Park
	mine := w.gist()
	hit := func(why Reason, id memsync.ID) {
		// The gravest is told: what contradicts, before what repeats.
		if v.Why == "" || why == WhyContradicts {
			v.Why = why
		}
		if id == "" {
			v.Authored, final = true, final || why == WhyContradicts
		} else {
			v.Against = append(v.Against, id)
		}
	}
	compare := func(g *Gist, id memsync.ID) {
		same := g.place == mine.place
		domain := mine.judges && g.judges && g.domain == mine.domain
		if !same && !domain {
			return
		}
		if id != "" && g.address == mine.address {
			hit(WhyCollision, id)
			return
		}
		like := text.Jaccard(mine.shingles, g.shingles)
		if like < similar {
			return
		}
		opposed, _, known := text.Opposed(g.said, mine.said)
		switch {
		case domain && (opposed || !known):
			hit(WhyContradicts, id)
		case same && !opposed && like >= alike:
			hit(WhyDuplicate, id)
		}
	}
	for _, s := range agent.wrote() {
		compare(GistOf(s), "")
	}
	for i := range promoted {
		if l := &promoted[i]; l.ID != w.ID && (l.Agent == "" || l.Agent == agent.Name) && l.Lacks() == "" {
			compare(l.gist(), l.ID)
		}
	}
	if v.Why == "" {
		return Verdict{}, false
	}
	slices.Sort(v.Against)
	v.Against = slices.Compact(v.Against)
	return v, final
}

// Repeats are those of the promoted memories, sorted, whose line in the slot of l
// says nearly the same as l's.
func Repeats(agent *Agent, promoted []Learned, l Learned) []memsync.ID {
	if v, _ := clash(agent, promoted, Wish{Learned: l}); v.Why == WhyDuplicate {
		return v.Against
	}
	return nil
}

// Gist is what of a snapshot is compared with others. It never changes; share it.
type Gist struct {
	said            string
	shingles        []uint64
	place           slot
	address, domain string
	judges          bool // it tells the agent how to decide
}

// GistOf works out the gist of a snapshot, which takes longer than to compare two.
func GistOf(s Snapshot) *Gist {
	p := s.Payload
	said := strings.TrimSpace(strings.Join([]string{s.Text, p.Scenario, p.Good, p.Bad, p.Reasoning, p.Description}, " "))
	return &Gist{said: said, shingles: text.Shingles(said), place: s.place(), address: s.Address(), domain: normal(s.Target.Domain),
		judges: s.Target.Primitive == JudgmentSlot || s.Target.Primitive == ExampleSlot}
}

func (l *Learned) gist() *Gist {
	if l.Gist != nil {
		return l.Gist
	}
	return GistOf(l.Snapshot)
}
