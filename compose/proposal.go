package compose

import (
	"slices"

	"memsync"
	"memsync/internal/ledger"
)

// A proposal is an event that every machine writes alike: its id and all it says
// follow from the memory, the snapshot and the evidence. So two machines never
// ask twice, and what a person denied stays closed until there is new evidence,
// which makes another proposal. Its time is the memory's, since only that is
// surely the same everywhere.

// proposer is who asks.
var proposer = memsync.Actor{Class: memsync.ClassProgram, Name: "memsync"}

// Propose is the event that asks a person to promote a snapshot, on the evidence
// of the conversations that support it.
func Propose(memory memsync.ID, snapshot memsync.Hash, target Target, supports []string) memsync.LedgerEvent {
	return memsync.LedgerEvent{
		ID: proposalID(memory, "promote", string(snapshot), supports), Op: memsync.LedgerPropose, Memory: memory,
		At: memory.Time(), Actor: proposer, Hash: snapshot, Target: target.String(),
	}
}

// ProposeEnd is the event that asks a person to end a promotion, on the evidence
// of the conversations that contradict it.
func ProposeEnd(memory memsync.ID, p *Promotion, contradictions []string) memsync.LedgerEvent {
	return memsync.LedgerEvent{
		ID: proposalID(memory, "demote", string(p.Event), contradictions), Op: memsync.LedgerPropose, Memory: memory,
		At: memory.Time(), Actor: proposer, Hash: p.Snapshot, Sees: []memsync.ID{p.Event},
	}
}

// proposalID hashes the evidence by itself: a conversation may be named anything.
func proposalID(memory memsync.ID, what, subject string, evidence []string) memsync.ID {
	evidence = slices.Clone(evidence)
	slices.Sort(evidence)
	return ledger.DerivedID(memory.Time(), string(memory), "propose", what, subject,
		string(memsync.HashOf([]byte(compactJSON(slices.Compact(evidence))))))
}
