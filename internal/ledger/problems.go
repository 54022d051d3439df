package ledger

import (
	"cmp"
	"slices"

	"memsync"
)

// Problems are the findings that only a look at all events can make: ids under
// which different events stand, and events that claim what only a person can
// give. Neither counts anywhere. By path, then message; each names the id, so
// that a search in the file finds the line.
func (s *State) Problems() []memsync.Finding {
	var out []memsync.Finding
	for _, e := range s.entries() {
		others, bad := s.bad[e.event.ID]
		if bad {
			for _, p := range compactPlaces(append(e.places(), others...)) {
				out = append(out, problem(p, "different events stand under the id "+string(e.event.ID),
					"none of them counts; keep one of the lines and delete the others"))
			}
			continue
		}
		if !e.event.Actor.Person() && personOnly(e.event.Op) {
			for _, p := range compactPlaces(e.places()) {
				out = append(out, problem(p, "the event "+string(e.event.ID)+" says "+string(e.event.Op)+", which only a person can",
					"it is ignored; if a person meant it, `memsync "+string(e.event.Op)+"` on a terminal says so"))
			}
		}
	}
	slices.SortStableFunc(out, func(a, b memsync.Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	return out
}

// personOnly are the ops that loosen a protection and are believed of a person
// alone.
func personOnly(op memsync.LedgerOp) bool {
	return op == memsync.LedgerAllow || op == memsync.LedgerAccept
}

func problem(p place, message, hint string) memsync.Finding {
	at := p.file
	if at == "" {
		at = p.scope
	}
	return memsync.Finding{Code: memsync.FindLedgerLine, Severity: memsync.Warning, Path: at, Message: message, Hint: hint}
}

// compactPlaces is one place per file, sorted.
func compactPlaces(places []place) []place {
	places = slices.Clone(places)
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.scope, b.scope)) })
	return slices.Compact(places)
}
