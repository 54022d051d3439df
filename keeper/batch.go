package keeper

import (
	"context"
	"io/fs"
	"slices"
	"time"

	"memsync"
	"memsync/compose"
	"memsync/compose/agents"
	"memsync/controller"
	"memsync/internal/ledger"
	"memsync/internal/text"
)

// batch is one plan in the making: the candidates decided so far and the view
// and ledger state that they lead to.
type batch struct {
	k      *Keeper
	now    time.Time
	base   memsync.Revision
	before *memsync.View
	view   *memsync.View
	state  *ledger.State

	decisions  []memsync.Decision
	requests   []string
	candidates []memsync.Candidate
	events     map[string][]memsync.LedgerEvent // by scope
	files      map[memsync.Path]*memsync.FileChange
	order      []memsync.Path
	changes    map[memsync.Path]*memsync.Memory
	index      map[string]*indexEdit // by scope: a saved MEMORY.md
	vanished   []controller.Vanished
	names      map[memsync.Path][]string
	findings   []memsync.Finding
	already    bool
	retouched  map[string]bool     // scopes where a quarantine came or went
	byModel    map[memsync.ID]bool // memories whose target somebody chose who is no person
	seen       seenAgents
	listed     map[memsync.Path][]fs.DirEntry // directories of compositions, as they are on disk
	composes   bool                           // compositions were looked at
	composed   []agents.Effect                // what composition adds to the ledger
	rewritten  []memsync.Into                 // files whose region changes
}

// begin starts a batch at the current revision.
func (k *Keeper) begin() (*batch, error) {
	view, err := k.View()
	if err != nil {
		return nil, err
	}
	state, err := k.State()
	if err != nil {
		return nil, err
	}
	return &batch{
		k: k, now: k.opt.Now().UTC().Truncate(time.Millisecond), base: view.Revision,
		before: view, view: view, state: state,
		events: map[string][]memsync.LedgerEvent{}, files: map[memsync.Path]*memsync.FileChange{},
		changes: map[memsync.Path]*memsync.Memory{}, index: k.sightIndex(), names: map[memsync.Path][]string{}, retouched: map[string]bool{},
	}, nil
}

// decideAll decides one candidate after the other, each on the view that the
// earlier ones made. Then it holds what deletes too much at once.
func (b *batch) decideAll(ctx context.Context, cs []memsync.Candidate) error {
	for _, c := range cs {
		if v := b.k.vanishedAt(c); v != nil {
			b.vanished = append(b.vanished, *v)
		}
	}
	for i, c := range cs {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.k.opt.Progress(i, len(cs))
		if err := b.decide(c); err != nil {
			return err
		}
	}
	if !b.k.acceptDeletes && b.k.Store.CommitMode() == memsync.CommitAuto {
		waiting, err := b.k.waitingPaths()
		if err != nil {
			return err
		}
		if held := controller.HoldDeletes(b.decisions, b.before, b.k.scopesGone(), waiting, b.k.Store.Policy); len(held) > 0 {
			if err := b.replan(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *batch) decide(c memsync.Candidate) error {
	f := controller.Facts{Now: b.now, FreshID: b.k.ids.draw(b.now), View: b.view, State: b.state, AllGlobal: b.k.allGlobal(), CheckTarget: compose.CheckTarget}
	err := b.copyByCommit(&f, c)
	if err != nil {
		return err
	}
	policy := b.k.Store.Policy
	policy.Git.Commit = b.k.Store.CommitMode()
	s := controller.Prepare(c, f, policy)
	request := controller.RequestHash(c)
	if !c.Origin.Save() && !b.k.opt.ReadOnly {
		if d, ok, err := b.k.sameRequest(c, s.Needs.Read, request); err != nil {
			return err
		} else if ok {
			b.already = true
			b.decisions = append(b.decisions, WithoutDelivery(d))
			return nil
		}
	}
	if err := b.fill(&f, c, s.Needs); err != nil {
		return err
	}
	d := s.Decide(f)
	if f.TakesOut, err = b.takesOut(&d); err != nil {
		return err
	} else if f.TakesOut != "" {
		d = controller.Prepare(c, f, policy).Decide(f)
	}
	b.judge(&d, c)
	if c.OnDisk != "" && d.Op.Changes() {
		// The bytes that were decided about are not on disk yet: an entry was
		// edited in MEMORY.md.
		for i := range d.Files {
			if d.Files[i].Path == c.Path {
				d.Files[i].Base, d.Base = c.OnDisk, c.OnDisk
			}
		}
	}
	if edit := b.index[d.Scope]; edit != nil && d.Op == memsync.OpHold && (c.OnDisk != "" || c.Path == indexPath(s.Scope)) {
		edit.held = true // what was typed is only in MEMORY.md: it stays as it is
	}
	b.noteChoice(&d)
	b.decisions = append(b.decisions, d)
	b.requests = append(b.requests, request)
	b.candidates = append(b.candidates, c)
	return b.take(&b.decisions[len(b.decisions)-1])
}

// take folds a decision into the planned view.
func (b *batch) take(d *memsync.Decision) error {
	if !d.Op.Changes() {
		return nil
	}
	changes := b.changesOf(d)
	for _, f := range d.Files {
		b.addFile(f)
	}
	for p, m := range changes {
		b.k.reindexNear(b.view.ByPath(p), m)
		b.changes[p] = m
	}
	b.view = b.view.With(b.base, changes)
	return b.stamp(d)
}

// changesOf is what a decision does to the view.
func (b *batch) changesOf(d *memsync.Decision) map[memsync.Path]*memsync.Memory {
	changes := map[memsync.Path]*memsync.Memory{}
	if d.From != "" && d.From != d.Path {
		changes[d.From] = nil
	}
	switch {
	case d.After != nil:
		changes[d.After.Path] = d.After
	case d.Op == memsync.OpDelete:
		changes[d.Path] = nil
	}
	for _, f := range d.Files {
		if f.Post == "" && b.view.ByPath(f.Path) != nil {
			if _, kept := changes[f.Path]; !kept {
				changes[f.Path] = nil
			}
		}
	}
	return changes
}

// stamp gives a decision's ledger events their ids and time and folds them.
func (b *batch) stamp(d *memsync.Decision) error {
	if len(d.Events) == 0 {
		return nil
	}
	scope, ok := memsync.FindScope(b.k.Store.Scopes, d.Scope)
	if !ok {
		return nil
	}
	var located []ledger.Located
	for i := range d.Events {
		e := &d.Events[i]
		if e.ID == "" && d.Origin == memsync.OriginPeer {
			b.k.deriveID(e, d.Path)
		}
		if e.ID == "" {
			e.ID = b.k.ids.draw(b.now)
		}
		if e.At.IsZero() {
			e.At = b.now
		}
		located = append(located, ledger.Located{LedgerEvent: *e, Scope: scope.Dir})
		b.events[d.Scope] = append(b.events[d.Scope], *e)
	}
	b.state = b.state.With(located...)
	for _, e := range d.Events {
		if err := b.showOrHide(e, scope); err != nil {
			return err
		}
	}
	return nil
}

// replan starts the planned view over after some decisions became holds.
func (b *batch) replan() error {
	b.k.near = nil
	b.view, b.changes = b.before, map[memsync.Path]*memsync.Memory{}
	b.files, b.order = map[memsync.Path]*memsync.FileChange{}, nil
	b.events = map[string][]memsync.LedgerEvent{}
	for i := range b.decisions {
		if err := b.take(&b.decisions[i]); err != nil {
			return err
		}
	}
	return nil
}

// addFile puts a file change into the plan. A file that the plan writes twice
// keeps the first base and the last content.
func (b *batch) addFile(f memsync.FileChange) {
	if have, ok := b.files[f.Path]; ok {
		have.Post, have.Content = f.Post, f.Content
		have.Secret = have.Secret || f.Secret
		return
	}
	b.files[f.Path] = &f
	b.order = append(b.order, f.Path)
}

// outcome tells what became of the batch.
func (b *batch) outcome(p *memsync.Plan, commit string) Outcome {
	o := Outcome{Decisions: b.shown(), Commit: commit, AlreadyApplied: b.already, Findings: b.findings}
	for _, x := range b.composed {
		o.Composed = append(o.Composed, Composed{x.Event.Op, x.Agent, x.Memory.ID, x.Memory.Path, x.Event.ID})
	}
	if p != nil {
		o.Plan = p.ID
		for _, f := range p.Files {
			o.Files = append(o.Files, f.Path)
		}
		slices.Sort(o.Files)
	}
	return o
}

// reindexNear keeps the near-duplicate tables of this keeper at the planned
// view.
func (k *Keeper) reindexNear(old, now *memsync.Memory) {
	if k.near == nil {
		return
	}
	if old != nil && old.Sketch != nil {
		if t := k.near[nearKey{old.Scope, string(old.Type)}]; t != nil {
			t.Remove(string(old.Path))
		}
	}
	if now != nil && now.Sketch != nil {
		if t := k.near[nearKey{now.Scope, string(now.Type)}]; t != nil {
			t.Add(string(now.Path), now.Sketch)
		}
	}
}

// nearTable is the MinHash table over the memories of one scope and type.
func (k *Keeper) nearTable(v *memsync.View, scope string, t memsync.Type) *text.Table {
	key := nearKey{scope, string(t)}
	if k.near == nil {
		k.near = map[nearKey]*text.Table{}
	}
	if have := k.near[key]; have != nil {
		return have
	}
	table := text.NewTable()
	for m := range v.InScope(scope) {
		if m.Type == t && m.Sketch != nil {
			table.Add(string(m.Path), m.Sketch)
		}
	}
	k.near[key] = table
	return table
}
