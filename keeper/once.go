package keeper

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"memsync"
	"memsync/gitlog"
)

// Report is what one pass over the disk did.
type Report struct {
	Outcomes []Outcome         `json:"outcomes"`
	Held     []memsync.Held    `json:"held"`
	Waiting  []memsync.Path    `json:"waiting,omitempty"` // deletes that wait for accept-deletes
	Skipped  []memsync.Finding `json:"skipped,omitempty"`
	Paused   string            `json:"paused,omitempty"`
	Detail   string            `json:"detail,omitempty"`
	Again    []memsync.Path    `json:"-"` // unfinished: look again in a while
}

// Decisions are all decisions of the pass.
func (r Report) Decisions() []memsync.Decision {
	var out []memsync.Decision
	for _, o := range r.Outcomes {
		out = append(out, o.Decisions...)
	}
	return out
}

// OnceOptions change what one pass does.
type OnceOptions struct {
	AcceptDeletes bool                           // a person let a mass delete go
	Accept        map[memsync.Path]memsync.Actor // held files that a person accepts

	// Of the watcher: look at these alone, which are quiet, and were away for
	// long enough if they are away. An unfinished file is not waited for, it is
	// reported in Again. Nil looks everywhere and waits.
	Only []memsync.Path
}

// lockPatience is how long a command waits for git's own lock on the index:
// git's commands hold it for milliseconds.
const lockPatience = time.Second

// unlocked is where the repository stands, once no git command is in the middle
// of a write.
func (k *Keeper) unlocked(ctx context.Context) (gitlog.State, error) {
	for since := time.Now(); ; {
		st, err := k.repo.State()
		if err != nil || st.Paused != "locked" || time.Since(since) > lockPatience {
			return st, err
		}
		if err := sleep(ctx, 10*time.Millisecond); err != nil {
			return st, err
		}
	}
}

// Once takes every changed file of the store through the house: one plan, one
// commit for each author.
func (k *Keeper) Once(ctx context.Context, opt OnceOptions) (Report, error) {
	st, err := k.unlocked(ctx)
	if err != nil {
		return Report{}, err
	}
	var r Report
	if st.Paused != "" {
		r.Paused, r.Detail, r.Held = st.Paused, st.Detail, k.heldNow()
		return r, nil
	}
	k.acceptDeletes, k.nameless = opt.AcceptDeletes, nil
	defer func() { k.acceptDeletes = false }()
	where := glance{paths: opt.Only, graced: opt.Only}
	settled, err := k.spool()
	if err != nil {
		return r, err
	}
	defer func() { k.spooled = nil }()

	for _, actor := range k.authors() {
		var last *sight
		out, err := k.step(ctx, func() ([]memsync.Candidate, error) {
			s, err := k.look(ctx, where)
			if errors.Is(err, errElsewhere) {
				where.paths = nil
				s, err = k.look(ctx, where)
			}
			if err != nil {
				return nil, err
			}
			last = s
			k.sight = s
			own := k.of(actor, s, opt)
			if !actor.Person() {
				return own, nil
			}
			others, err := k.others(len(own) > 0)
			return append(others, own...), err
		})
		if err == nil && k.spooled != nil {
			if k.spooled = nil; settled != nil {
				err = settled()
			}
		}
		if err != nil {
			return r, err
		}
		if len(out.Decisions) > 0 || out.Commit != "" || len(out.Findings) > 0 {
			r.Outcomes = append(r.Outcomes, out)
		}
		if r.Skipped, err = k.shownSkips(last.skipped); err != nil {
			return r, err
		}
		r.Again = append(r.Again, last.again...)
		for _, d := range out.Decisions {
			if d.Error != nil && d.Error.Code == memsync.CodeDeletesHeld {
				r.Waiting = append(r.Waiting, d.Path)
			}
		}
	}
	if err := k.forgetSettled(); err != nil {
		return r, err
	}
	r.Held = append(slices.Clip(k.heldNow()), k.nameless...)
	if k.opt.ReadOnly {
		r.Held = wouldHold(r)
	}
	return r, nil
}

// wouldHold are the files that a dry run found to be held: nobody noted them.
func wouldHold(r Report) []memsync.Held {
	held := []memsync.Held{}
	for _, d := range r.Decisions() {
		if d.Op != memsync.OpHold || d.Error == nil || d.Error.Code == memsync.CodeDeletesHeld {
			continue
		}
		held = append(held, memsync.Held{Path: d.Path, Scope: d.Scope, Memory: d.Memory, Hash: d.Base, Why: d.Error.Code, Error: d.Error})
	}
	return held
}

// authors are the actors whose saves this store's scopes hold: people first.
func (k *Keeper) authors() []memsync.Actor {
	set := map[memsync.Actor]bool{}
	for _, s := range k.Store.Scopes {
		set[s.Writers.Actor()] = true
	}
	person := memsync.Actor{Class: memsync.ClassPerson}
	delete(set, person)
	out := []memsync.Actor{person}
	return append(out, slices.SortedFunc(maps.Keys(set), func(a, b memsync.Actor) int {
		switch {
		case a == b:
			return 0
		case a.Class < b.Class, a.Class == b.Class && a.Name < b.Name:
			return -1
		default:
			return 1
		}
	})...)
}

// of is one author's share of what a look found, in the order in which the
// rules want it: saves, then vanished files, then authored ones.
func (k *Keeper) of(actor memsync.Actor, s *sight, opt OnceOptions) []memsync.Candidate {
	var out []memsync.Candidate
	for _, list := range [][]memsync.Candidate{s.saves, s.gone, s.authored, s.ticks} {
		for _, c := range list {
			if c.Actor != actor {
				continue
			}
			if a, ok := opt.Accept[c.Path]; ok {
				c.Actor, c.Accept = a, true
			}
			out = append(out, c)
		}
	}
	return out
}

// Submit takes one write through the same door. Saves that wait on the disk
// are their own commits and go first.
func (k *Keeper) Submit(ctx context.Context, cs ...memsync.Candidate) (Outcome, error) {
	st, err := k.unlocked(ctx)
	if err != nil {
		return Outcome{}, err
	}
	if st.Paused != "" {
		return Outcome{}, &memsync.Error{Code: memsync.CodeStorePaused, Message: "the store is paused: " + st.Paused,
			Hint: st.Detail, Details: map[string]string{"paused": st.Paused}}
	}
	if k.opt.ReadOnly {
		return k.rehearse(ctx, cs)
	}
	for try := 1; ; try++ {
		if _, err := k.Once(ctx, OnceOptions{}); err != nil {
			return Outcome{}, err
		}
		v, err := k.View()
		if err != nil {
			return Outcome{}, err
		}
		follow(v, cs)
		k.sight = nil
		out, err := k.step(ctx, func() ([]memsync.Candidate, error) {
			if k.Store.CommitMode() == memsync.CommitAuto {
				return cs, nil
			}
			others, err := k.others(true)
			return append(others, cs...), err
		})
		if err != nil || try == races || !overtaken(out, cs) {
			return out, err
		}
	}
}

// rehearse decides about writes as Submit would, and writes nothing: the saves
// that would go first are decided in the same batch.
func (k *Keeper) rehearse(ctx context.Context, cs []memsync.Candidate) (Outcome, error) {
	k.sight = nil
	s, err := k.look(ctx, glance{})
	if err != nil {
		return Outcome{}, err
	}
	first := slices.Concat(s.saves, s.gone, s.authored, s.ticks)
	if k.Store.CommitMode() != memsync.CommitAuto {
		others, err := k.others(true)
		if err != nil {
			return Outcome{}, err
		}
		first = append(others, first...)
	}
	b, err := k.begin()
	if err == nil {
		err = b.decideAll(ctx, first)
		k.near = nil // the tables followed a plan that is not carried out
	}
	if err != nil {
		return Outcome{}, err
	}
	follow(b.view, cs)
	out, err := k.step(ctx, func() ([]memsync.Candidate, error) { return append(first, cs...), nil })
	if n := len(out.Decisions) - len(cs); n > 0 && !out.AlreadyApplied {
		out.Decisions = out.Decisions[n:]
	}
	return out, err
}

// follow has writes go where their memories went: a file that was moved on disk
// is noticed by the look that goes first.
func follow(v *memsync.View, cs []memsync.Candidate) {
	for i := range cs {
		c := &cs[i]
		if c.ID == "" || c.Path == "" || c.Op == memsync.OpRestore || c.Op == memsync.OpRevert || c.Op == memsync.OpRename || v.ByPath(c.Path) != nil {
			continue
		}
		if now := v.ByID(c.ID); len(now) == 1 {
			c.Path = now[0].Path
		}
	}
}

// overtaken reports whether a save came in between: a write that was derived
// from nothing in particular is decided again after it.
func overtaken(out Outcome, cs []memsync.Candidate) bool {
	for _, d := range out.Decisions {
		if d.Op == memsync.OpReject && d.Error != nil && d.Error.Code == memsync.CodeVersionConflict {
			return !slices.ContainsFunc(cs, func(c memsync.Candidate) bool { return c.Base != "" })
		}
	}
	return false
}

// others are the candidates that answer what others' commits did.
func (k *Keeper) others(writing bool) ([]memsync.Candidate, error) {
	brought, err := k.peerCandidates(writing)
	if err != nil {
		return nil, err
	}
	dropped, err := k.dropEvents(writing)
	if err != nil {
		return nil, err
	}
	ticked, err := k.tickRequests(writing)
	return slices.Concat(brought, dropped, ticked), err
}

// sightIndex are the saved MEMORY.md files of the look that a batch decides
// about.
func (k *Keeper) sightIndex() map[string]*indexEdit {
	if k.sight == nil {
		return map[string]*indexEdit{}
	}
	return k.sight.index
}
