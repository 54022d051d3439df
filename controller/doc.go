// Package controller decides what becomes of a candidate.
//
// There is one door for everybody: a person's save, an agent's tool call, a
// peer's commit. [Decide] answers each with a Decision and its reasons. It is
// total (every candidate gets an answer, whatever it holds), deterministic
// (same candidate, facts and policy: same decision, byte for byte) and pure:
// it sees no disk, no clock, no network, draws no id and stamps no time.
//
//	f := controller.Facts{Now: now, FreshID: id, View: planned, State: state}
//	s := controller.Prepare(candidate, f, policy)
//	// fill f with what s.Needs names
//	d := s.Decide(f)
//
// The rules stand in one table (rules.go) and look in that order; every rule
// that looked leaves a reason. Three promises hold for every input:
//
//   - A save is accepted, a no-op or held. It is never rejected, and a held
//     save has no file change: its bytes stay on disk as they are.
//   - Nothing in a payload raises who acts, sets an id or claims a person's
//     authority.
//   - No secret appears in a reason, a finding or an error.
//
// What it never does: order candidates, remember earlier ones, or look at
// anything that is not in Facts. Those are the keeper's.
package controller
