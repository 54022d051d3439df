package join

import (
	"slices"
	"strings"

	"memsync"
	"memsync/controller/merge"
	"memsync/internal/ledger"
)

// isLedger reports whether a path is a ledger file of a scope.
func isLedger(scopes []memsync.Scope, p memsync.Path) bool {
	if !strings.HasSuffix(string(p), ".jsonl") {
		return false
	}
	if _, _, _, ok := ledger.ParseFileName(p.Base()); !ok {
		return false
	}
	return slices.ContainsFunc(scopes, func(s memsync.Scope) bool { return p.Dir() == system(s, "ledger") })
}

// joinLedgers unites the ledgers and folds what each version says. A side that
// lacks a line never takes it away from the other.
func (j *joiner) joinLedgers() error {
	var of [3][]ledger.Located
	for i, s := range j.side {
		for p, e := range s.tree {
			if !isLedger(j.scopes, p) || !e.regular() || i != base && j.side[base].tree[p] == e {
				continue
			}
			data, err := j.bytes(e)
			if err != nil {
				return err
			}
			of[i] = append(of[i], j.locate(p, data)...)
		}
	}
	j.side[base].state = ledger.Fold(of[base])
	for i, s := range j.side[one:] {
		s.state = j.side[base].state
		if events := of[one+i]; len(events) > 0 {
			s.state = s.state.With(events...)
		}
	}
	j.state = j.side[one].state
	if len(of[two]) > 0 {
		j.state = j.state.With(of[two]...)
	}
	for _, p := range j.touched {
		if !isLedger(j.scopes, p) {
			continue
		}
		var versions [][]byte
		for _, e := range j.entries(p) {
			if !e.regular() {
				continue
			}
			data, err := j.bytes(e)
			if err != nil {
				return err
			}
			versions = append(versions, data)
		}
		if len(versions) > 0 {
			j.put(p, Entry{Blob: j.keep(merge.Ledger(versions...)), Mode: ModeFile})
		}
	}
	return nil
}

func (j *joiner) locate(p memsync.Path, data []byte) []ledger.Located {
	lines, _ := ledger.Parse(p, data)
	dir := p.Dir()
	i := slices.IndexFunc(j.scopes, func(s memsync.Scope) bool { return dir == system(s, "ledger") })
	return ledger.Locate(j.scopes[i].Dir, p, lines)
}

// joined is the clone that events of a join are written for: no clone has that
// name, and every machine writes the same lines.
const joined = "join"

// identify gives a memory without an inline id its id at a new path. The event
// answers the join, so every machine derives the same one.
func (j *joiner) identify(s memsync.Scope, id memsync.ID, p memsync.Path, data []byte) error {
	e := memsync.LedgerEvent{Op: memsync.LedgerIdentify, Memory: id, At: j.time.UTC(), Actor: memsync.Actor{Class: memsync.ClassProgram, Name: "memsync"},
		Path: p.Rel(s.Dir), Hash: memsync.HashOf(data),
		ID: ledger.DerivedID(j.time, j.side[one].name(), j.side[two].name(), string(p), string(memsync.LedgerIdentify))}
	file := system(s, "ledger").Join(ledger.FileName(j.time, joined, 0))
	before, err := j.bytes(j.out[file])
	if err != nil {
		return err
	}
	content := ledger.Append(nil, e)
	j.state = j.state.With(j.locate(file, content)...)
	j.put(file, Entry{Blob: j.keep(merge.Ledger(before, content)), Mode: ModeFile})
	return nil
}
