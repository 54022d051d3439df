package keeper

import (
	"context"
	"slices"

	"memsync"
	"memsync/internal/checkout"
	"memsync/internal/format"
	"memsync/lint"
)

// judge adds to a decision about a file what lint finds in the bytes that it
// leaves, or that wait: what a save, a status and an event tell is what
// `memsync lint` would. A rule that the policy turns off is silent here, too.
func (b *batch) judge(d *memsync.Decision, c memsync.Candidate) {
	var data []byte
	switch {
	case d.Op == memsync.OpHold && c.Origin.Save():
		data = c.Raw
	case d.Op.Changes() && d.After != nil:
		for _, f := range d.Files {
			if f.Path == d.Path {
				data = f.Content
			}
		}
	}
	scope, ok := memsync.ScopeOf(b.k.Store.Scopes, d.Path)
	if data == nil || !ok {
		return
	}
	checker := b.checker()
	found := checker.Save(lint.File{Path: d.Path, Class: format.Classify(d.Path.Rel(scope.Dir)), Data: data, Size: int64(len(data))})
	known := map[string]bool{}
	for _, f := range d.Findings {
		known[f.Code] = true
	}
	d.Findings = slices.Clip(d.Findings)
	if d.Op == memsync.OpHold {
		d.Error = withRule(d.Error, found)
	}
	for _, f := range found {
		same := func(have memsync.Finding) bool {
			return have.Code == memsync.FindHeld && have.Line == f.Line && have.Message == f.Message
		}
		if !known[f.Code] && !slices.ContainsFunc(d.Findings, same) { // the error names the rule
			d.Findings = append(d.Findings, f)
		}
	}
	d.Findings = slices.DeleteFunc(d.Findings, func(f memsync.Finding) bool { return checker.Level(f) == memsync.Off })
	for i := range d.Findings {
		d.Findings[i].Severity = checker.Level(d.Findings[i])
	}
}

// withRule names the rule of lint that explains why something waits.
func withRule(e *memsync.Error, findings []memsync.Finding) *memsync.Error {
	i := slices.IndexFunc(findings, func(f memsync.Finding) bool { return f.Severity == memsync.Severe })
	if e == nil || i < 0 {
		return e
	}
	out := *e
	out.Details = map[string]string{"rule": findings[i].Code}
	for k, v := range e.Details {
		out.Details[k] = v
	}
	return &out
}

// checker is lint for the planned state of the ledger. A policy that lint would
// refuse (a rule there is none of) turns nothing off.
func (b *batch) checker() *lint.Checker {
	checker, err := lint.New(b.k.Store.Scopes, b.k.Store.Policy, b.state)
	if err != nil {
		policy := b.k.Store.Policy
		policy.Lint = nil
		checker, _ = lint.New(b.k.Store.Scopes, policy, b.state)
	}
	return checker
}

// lintAtMost is up to how many memories Status has lint look at all of them: a
// third of a second on the machine where the goals were set, for which saves
// would wait. A guess at what nobody minds.
const lintAtMost = 10_000

// FindingCount is how many findings `memsync lint` has for a store.
type FindingCount struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
}

// countFindings runs lint over the disk. nil where the store is too large to do
// so on the way.
func (k *Keeper) countFindings(ctx context.Context, memories int) (*FindingCount, error) {
	if memories > lintAtMost || k.Store.PolicyErr != nil {
		return nil, nil
	}
	judged, err := checkout.Judge(ctx, k.Store, checkout.Options{})
	if err != nil {
		if memsync.CodeOf(err) == memsync.CodeConfig {
			return nil, nil // a rule that there is not: lint says which
		}
		return nil, err
	}
	defer judged.Close()
	n := &FindingCount{}
	for _, f := range judged.Findings {
		switch f.Severity {
		case memsync.Severe:
			n.Errors++
		case memsync.Warning:
			n.Warnings++
		default:
			n.Infos++
		}
	}
	return n, nil
}
