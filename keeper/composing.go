package keeper

import (
	"fmt"
	"slices"
	"strings"

	"memsync"
	"memsync/compose/agents"
	"memsync/controller"
	"memsync/internal/ledger"
	"memsync/lint"
)

// Composition follows each plan: what the evidence promotes or ends now, what a
// person must be asked, REVIEW.md, and the regions of files that people load stand
// in the same commit as the change that made them so.

// factComposed is where the journal has what was composed last: the day and the
// agents' files. Others' commits take it away.
const factComposed = "composed"

// composedBy names the day and the agents that composition depends on beside what
// plans change; "" where there are no agents.
func (k *Keeper) composedBy() (string, error) {
	b := &batch{k: k}
	at := b.parts()
	dirs, err := at.names(authorsDir(k.Store))
	if err != nil || len(dirs) == 0 {
		return "", err
	}
	var stamp strings.Builder
	for _, name := range dirs {
		data, _, err := k.onDisk(authorsDir(k.Store).Join(name, authorName))
		if err != nil {
			return "", err
		}
		if data != nil {
			fmt.Fprintf(&stamp, "%s %s\n", name, memsync.HashOf(data))
		}
	}
	if stamp.Len() == 0 {
		return "", nil
	}
	return k.opt.Now().UTC().Format("2006-01-02 ") + string(memsync.HashOf([]byte(stamp.String()))), nil
}

// composeDue reports whether compositions may have changed by nothing that a plan
// did: a new day, an agent's file that is nobody's save here, others' commits.
// Where the person commits, that waits for the next write.
func (k *Keeper) composeDue() (bool, error) {
	if k.opt.ReadOnly || k.Store.CommitMode() != memsync.CommitAuto {
		return false, nil
	}
	return k.composedElse()
}

func (k *Keeper) composedElse() (bool, error) {
	now, err := k.composedBy()
	if err != nil {
		return false, err
	}
	var last string
	if _, err := k.journal.Fact(factComposed, &last); err != nil {
		return false, err
	}
	return now != last, nil
}

// settleComposed remembers what was composed, and tells what became of it.
func (k *Keeper) settleComposed(b *batch) error {
	if !b.composes {
		return nil
	}
	now, err := k.composedBy()
	if err != nil {
		return err
	}
	var value any
	if now != "" {
		value = now
	}
	if err := k.journal.PutFact(factComposed, value); err != nil {
		return err
	}
	var events []memsync.Event
	for _, x := range b.composed {
		e := memsync.Event{At: b.now, Memory: x.Memory.ID, Path: x.Memory.Path, Scope: x.Memory.Scope, Actor: x.Event.Actor}
		switch x.Event.Op {
		case memsync.LedgerPromote:
			e.Op = memsync.EventPromote
		case memsync.LedgerDemote:
			e.Op = memsync.EventDemote
		default:
			e.Op = memsync.EventPropose
		}
		events = append(events, e)
	}
	for _, into := range b.rewritten {
		events = append(events, memsync.Event{Op: memsync.EventOverlay, At: b.now, Path: into.File, Actor: memsync.Actor{Class: memsync.ClassProgram, Name: "memsync"}})
	}
	if len(events) == 0 {
		return nil
	}
	return k.journal.Emit(events...)
}

// composing reports whether the event can change a composition.
func composing(op memsync.LedgerOp) bool {
	switch op {
	case memsync.LedgerCorroborate, memsync.LedgerContradict, memsync.LedgerPropose, memsync.LedgerRequest,
		memsync.LedgerPromote, memsync.LedgerDemote, memsync.LedgerApprove, memsync.LedgerDeny,
		memsync.LedgerInvalidate, memsync.LedgerRestore, memsync.LedgerForget, memsync.LedgerQuarantine, memsync.LedgerAllow:
		return true
	}
	return false
}

// touchesComposition reports whether the plan changes anything that a composition
// is made of.
func (b *batch) touchesComposition() bool {
	for _, d := range b.decisions {
		if !d.Op.Changes() {
			continue
		}
		if slices.ContainsFunc(d.Events, func(e memsync.LedgerEvent) bool { return composing(e.Op) }) {
			return true
		}
		if d.Op == memsync.OpAuthored && b.k.composedFile(d.Path) {
			return true
		}
	}
	for p, m := range b.changes {
		if b.composable(b.before.ByPath(p)) || b.composable(m) {
			return true
		}
	}
	return false
}

// composable reports whether a memory is, or hides, an entry of a composition.
func (b *batch) composable(m *memsync.Memory) bool {
	switch {
	case m == nil:
		return false
	case m.Target != "" || m.Supersedes != "":
		return true
	}
	for _, s := range b.k.Store.Scopes {
		if s.Name() != m.Scope && slices.ContainsFunc(b.view.BySlug(s.Name(), m.Type, m.Slug), func(o *memsync.Memory) bool { return o.Target != "" || b.k.wasPromoted(o) }) {
			return true // it may stand before that one
		}
	}
	return b.k.wasPromoted(m)
}

// wasPromoted reports whether there is a snapshot of a memory.
func (k *Keeper) wasPromoted(m *memsync.Memory) bool {
	return m.ID != "" && slices.ContainsFunc(k.attached(m.ID), func(a controller.Attached) bool { return a.Path.Dir().Base() == "approved" })
}

// composedFile reports whether a file that people write is part of a composition.
func (k *Keeper) composedFile(p memsync.Path) bool {
	if k.isAuthor(p) || p == k.Store.PolicyPath() {
		return true
	}
	if scope, ok := memsync.ScopeOf(k.Store.Scopes, p); ok && p == agents.ReviewPath(scope) {
		return true
	}
	return slices.ContainsFunc(k.Store.Policy.Into, func(i memsync.Into) bool { return i.File == p })
}

// compose adds to the plan what follows from it for the agents of the store.
func (b *batch) compose() error {
	k := b.k
	due, err := k.composedElse()
	if err != nil {
		return err
	}
	writing := slices.ContainsFunc(b.decisions, func(d memsync.Decision) bool { return d.Op.Changes() })
	if k.Store.CommitMode() != memsync.CommitAuto && !writing {
		return nil // nothing is written in answer to a pull
	}
	if !due && !(writing && (k.HasAgents() && b.touchesComposition() || b.savesReview())) {
		return nil
	}
	b.composes = true
	store, err := b.agents()
	if err != nil {
		return err
	}
	if store != nil {
		if err := b.snapshots(store); err != nil {
			return err
		}
		if store, err = b.agents(); err != nil {
			return err
		}
		for _, x := range store.Effects(func() memsync.ID { return k.ids.draw(b.now) }) {
			if err := b.effect(x); err != nil {
				return err
			}
		}
		if len(b.composed) > 0 {
			if store, err = b.agents(); err != nil {
				return err
			}
		}
	}
	if store != nil && len(store.Memories()) <= judgeAtMost {
		b.judgeComposition(store)
	}
	for _, s := range k.Store.Scopes {
		if err := b.review(store, s); err != nil {
			return err
		}
	}
	for _, into := range k.Store.Policy.Into {
		if err := b.into(store, into); err != nil {
			return err
		}
	}
	return nil
}

// judgeAtMost is up to how many memories that propose a place a save is told what
// lint finds in the compositions: some 3 ms. It compares each with each; with more
// of them `memsync lint` tells.
const judgeAtMost = 50

// judgeComposition tells what lint finds in the compositions about the files of this
// batch, and has not told in their decisions.
func (b *batch) judgeComposition(store *agents.Store) {
	told := map[memsync.Path][]string{}
	for _, d := range b.decisions {
		if d.Op.Changes() {
			told[d.Path] = append(told[d.Path], d.Codes()...)
		}
	}
	checker := b.checker()
	for _, f := range lint.Composition(store, "") {
		codes, ours := told[f.Path]
		if f.Severity = checker.Level(f); ours && f.Severity != memsync.Off && !slices.Contains(codes, f.Code) {
			b.findings = append(b.findings, f)
		}
	}
}

// snapshots plans the files that a person's promotions rest on.
func (b *batch) snapshots(store *agents.Store) error {
	for _, d := range b.decisions {
		if !d.Op.Changes() {
			continue
		}
		for _, e := range d.Events {
			if e.Op != memsync.LedgerPromote {
				continue
			}
			promoted, p, content, ok := store.Promotion(e.Memory)
			if !ok || promoted.Hash != e.Hash {
				continue
			}
			if err := b.snapshot(p, content); err != nil {
				return err
			}
		}
	}
	return nil
}

// savesReview reports whether a REVIEW.md is among what is saved.
func (b *batch) savesReview() bool {
	return slices.ContainsFunc(b.decisions, func(d memsync.Decision) bool {
		scope, ok := memsync.ScopeOf(b.k.Store.Scopes, d.Path)
		return ok && d.Op == memsync.OpAuthored && d.Path == agents.ReviewPath(scope)
	})
}

// effect takes one event, and the snapshot that it rests on, into the plan.
func (b *batch) effect(x agents.Effect) error {
	scope, ok := memsync.FindScope(b.k.Store.Scopes, x.Memory.Scope)
	if !ok {
		return nil
	}
	b.composed = append(b.composed, x)
	b.events[x.Memory.Scope] = append(b.events[x.Memory.Scope], x.Event)
	b.state = b.state.With(ledger.Located{LedgerEvent: x.Event, Scope: scope.Dir})
	if x.Path == "" {
		return nil
	}
	return b.snapshot(x.Path, x.Bytes)
}

// snapshot plans the file that a promotion rests on.
func (b *batch) snapshot(p memsync.Path, content []byte) error {
	_, disk, err := b.k.onDisk(p)
	if err != nil {
		return err
	}
	b.derived(p, disk, content)
	return nil
}

// derived plans a file that follows from the rest. disk is the hash of the bytes
// that it was made of, so that a save since then is not written over.
func (b *batch) derived(p memsync.Path, disk memsync.Hash, content []byte) {
	f := memsync.FileChange{Path: p, Base: disk, Content: content}
	if content != nil {
		f.Post = memsync.HashOf(content)
	}
	if _, blob, ok := b.k.catalog.Accepted(p); ok {
		f.Prior = blob
	}
	b.addFile(f)
}

// composedSubject is the subject of a plan that has nothing but what follows from
// the evidence.
func (b *batch) composedSubject() string {
	if len(b.composed) == 0 {
		return ""
	}
	m := b.composed[0].Memory
	subject := "memory(" + m.Scope + "): " + string(b.composed[0].Event.Op) + " " + string(m.Type) + "/" + m.Slug
	if n := len(b.composed) - 1; n > 0 {
		subject += fmt.Sprintf(" and %d more", n)
	}
	return subject
}
