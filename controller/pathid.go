package controller

import (
	"slices"

	"memsync"
	"memsync/internal/ledger"
)

// Identify gives the memory of a file its id as tree and ledger say it, so
// that a view that is built anew equals the one that decisions made:
//
//	the newest identify event of the path, whatever stands in the file;
//	else the id in the file;
//	else derived, the id that follows from the path's oldest commit.
//
// The other ids that identify events give it are aliases. An id in the file
// that is not the memory's is none by itself: a copy carries its original's.
// m is as format.Describe made it and not shared yet.
func Identify(m *memsync.Memory, derived memsync.ID, s *ledger.State) {
	inFile := m.ID
	if id, ok := s.Identity(m.Path); ok {
		m.ID = id
	} else if m.ID == "" {
		m.ID = derived
	}
	m.Inline = inFile != "" && inFile == m.ID
	if m.ID == "" {
		return
	}
	for _, e := range s.Events(m.ID) {
		if e.Op == memsync.LedgerIdentify && e.Other != "" && !slices.Contains(m.Aliases, string(e.Other)) {
			m.Aliases = append(slices.Clip(m.Aliases), string(e.Other))
		}
	}
}
