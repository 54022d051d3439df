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
// What else names the path is an alias: the other id of an identify event, and
// an id in the file that is not the memory's, unless elsewhere says that
// another path has it (a copy answers to its own id only). m is as
// format.Describe made it and not shared yet.
func Identify(m *memsync.Memory, derived memsync.ID, s *ledger.State, elsewhere func(memsync.ID) bool) {
	inFile := m.ID
	if id, ok := s.Identity(m.Path); ok {
		m.ID = id
	} else if m.ID == "" {
		m.ID = derived
	}
	m.Inline = inFile != "" && inFile == m.ID
	alias := func(id memsync.ID) {
		if id != "" && id != m.ID && !slices.Contains(m.Aliases, string(id)) && !elsewhere(id) {
			m.Aliases = append(slices.Clip(m.Aliases), string(id))
		}
	}
	alias(inFile)
	if m.ID == "" {
		return
	}
	for _, e := range s.Events(m.ID) {
		if e.Op == memsync.LedgerIdentify {
			alias(e.Other)
		}
	}
}
