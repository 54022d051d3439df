package ledger

import (
	"slices"
	"strings"

	"memsync"
)

// Deleted is the delete event in force for a memory, the newest if there are
// several: not answered by a restore or revive that saw it. A delete that a
// restore did not know of stays in force, whatever the clocks say.
func (s *State) Deleted(id memsync.ID) (memsync.LedgerEvent, bool) {
	return newest(s.about(id), func(e *memsync.LedgerEvent) bool { return e.Op == memsync.LedgerDelete && !s.returned(e) })
}

// AllDeleted are the memories with a delete event in force, by id.
func (s *State) AllDeleted() (out []memsync.ID) {
	seen := map[memsync.ID]bool{}
	for _, e := range s.entries() {
		id := e.event.Memory
		if e.event.Op != memsync.LedgerDelete || id == "" || seen[id] {
			continue
		}
		seen[id] = true
		if _, ok := s.Deleted(id); ok {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// Archived is the archive event in force for a memory: not answered by a
// revive or restore that saw it.
func (s *State) Archived(id memsync.ID) (memsync.LedgerEvent, bool) {
	return newest(s.about(id), func(e *memsync.LedgerEvent) bool { return e.Op == memsync.LedgerArchive && !s.returned(e) })
}

func (s *State) returned(e *memsync.LedgerEvent) bool {
	return s.answered(e.ID, func(a *memsync.LedgerEvent) bool {
		return a.Op == memsync.LedgerRestore || a.Op == memsync.LedgerRevive
	})
}

// DeletedAt is the delete event in force for the memory that last lived at a
// path (relative to the store). It is what a file without an inline id is
// measured by: once another memory was put there, the older one's deletion
// says nothing about it any more.
func (s *State) DeletedAt(p memsync.Path) (memsync.LedgerEvent, bool) {
	here := s.at(p)
	last, ok := newest(here, func(e *memsync.LedgerEvent) bool {
		switch e.Op {
		case memsync.LedgerDelete, memsync.LedgerIdentify, memsync.LedgerRestore, memsync.LedgerRevive, memsync.LedgerAccept:
			return e.Memory != ""
		}
		return false
	})
	if !ok {
		return last, false
	}
	return newest(here, func(e *memsync.LedgerEvent) bool {
		return e.Op == memsync.LedgerDelete && e.Memory == last.Memory && !s.returned(e)
	})
}

// Forgotten is the forget event of a memory, the first if there are several.
// Nothing answers it.
func (s *State) Forgotten(id memsync.ID) (memsync.LedgerEvent, bool) {
	return oldest(s.about(id), func(e *memsync.LedgerEvent) bool { return e.Op == memsync.LedgerForget })
}

// ForgottenAt is the forget event that names a path (relative to the store),
// for files without inline identity, unless a person's accept of that path
// answered it. The file has another id from then on; the old one stays
// forgotten.
func (s *State) ForgottenAt(p memsync.Path) (memsync.LedgerEvent, bool) {
	here := s.at(p)
	return newest(here, func(e *memsync.LedgerEvent) bool {
		return e.Op == memsync.LedgerForget && !accepted(e, here)
	})
}

// accepted reports whether a person's accept among the events of a path
// answers a forget: it saw it, or it names nothing that it saw and is newer.
func accepted(forget *memsync.LedgerEvent, here []*memsync.LedgerEvent) bool {
	return slices.ContainsFunc(here, func(a *memsync.LedgerEvent) bool {
		switch {
		case a.Op != memsync.LedgerAccept || !a.Actor.Person():
			return false
		case len(a.Sees) > 0:
			return slices.Contains(a.Sees, forget.ID)
		default:
			return a.ID > forget.ID
		}
	})
}

// Rejections reports whether there is anything that Rejected could find: most
// stores have nothing, and nobody has to hash their texts.
func (s *State) Rejections() bool {
	return len(s.base.byValue) > 0 || s.over != nil && len(s.over.byValue) > 0
}

// Rejected is the rejection in force of a value in a scope (its Dir), the
// first if there are several; value is the SHA-256 of text.ValueKey. A forget
// rejects what it forgot. A rejection is answered by a person's restore or
// invalidate that saw it, a forget's by the accept that ForgottenAt knows.
func (s *State) Rejected(scope memsync.Path, value memsync.Hash) (memsync.LedgerEvent, bool) {
	if value == "" {
		return memsync.LedgerEvent{}, false
	}
	k := valueKey{scope, value}
	found := s.gather(func(x *index) []*memsync.LedgerEvent { return x.byValue[k] })
	return oldest(found, func(e *memsync.LedgerEvent) bool {
		switch e.Op {
		case memsync.LedgerRejectValue:
			return !s.answered(e.ID, func(a *memsync.LedgerEvent) bool {
				return (a.Op == memsync.LedgerRestore || a.Op == memsync.LedgerInvalidate) && a.Actor.Person()
			})
		case memsync.LedgerForget:
			return e.Path == "" || !accepted(e, s.at(inStore(scope, e.Path)))
		}
		return false
	})
}

// Allowed reports whether a person released a fingerprint at a path (relative
// to the store). Nobody else can: a store must not weaken its own scan.
func (s *State) Allowed(p memsync.Path, fingerprint string) bool {
	return allowed(s.at(p), fingerprint)
}

func allowed(here []*memsync.LedgerEvent, fingerprint string) bool {
	return fingerprint != "" && slices.ContainsFunc(here, func(e *memsync.LedgerEvent) bool {
		return e.Op == memsync.LedgerAllow && e.Actor.Person() && e.Fingerprint == fingerprint
	})
}

// Quarantined is the quarantine in force of a blob at a path (relative to the
// store). Its Fingerprint lists, separated by commas, what the scan saw; it
// ends when a person has allowed each of them at that path. A quarantine that
// lists none ends with the first newer allow there. Other bytes at the path
// have another blob and are not quarantined.
func (s *State) Quarantined(p memsync.Path, blob string) (memsync.LedgerEvent, bool) {
	if blob == "" {
		return memsync.LedgerEvent{}, false
	}
	here := s.at(p)
	return newest(here, func(e *memsync.LedgerEvent) bool {
		return e.Op == memsync.LedgerQuarantine && e.Blob == blob && !released(e, here)
	})
}

func released(q *memsync.LedgerEvent, here []*memsync.LedgerEvent) bool {
	if q.Fingerprint == "" {
		return slices.ContainsFunc(here, func(e *memsync.LedgerEvent) bool {
			return e.Op == memsync.LedgerAllow && e.Actor.Person() && e.ID > q.ID
		})
	}
	for f := range strings.SplitSeq(q.Fingerprint, ",") {
		if !allowed(here, f) {
			return false
		}
	}
	return true
}

// Identity is the id that identify events give a path (relative to the store):
// the newest event wins.
func (s *State) Identity(p memsync.Path) (memsync.ID, bool) {
	e, ok := newest(s.at(p), func(e *memsync.LedgerEvent) bool { return e.Op == memsync.LedgerIdentify && e.Memory != "" })
	return e.Memory, ok
}

// PathsOf are the paths (relative to the store) that identify events ever gave
// an id, newest last.
func (s *State) PathsOf(id memsync.ID) []memsync.Path {
	var paths []memsync.Path
	for _, e := range s.about(id) {
		if e.Op != memsync.LedgerIdentify || e.Path == "" {
			continue
		}
		for _, scope := range s.scopesOf(e.ID) {
			p := inStore(scope, e.Path)
			paths = slices.DeleteFunc(paths, func(old memsync.Path) bool { return old == p })
			paths = append(paths, p)
		}
	}
	return paths
}

// scopesOf are the scopes in whose ledgers an event stands, sorted.
func (s *State) scopesOf(id memsync.ID) []memsync.Path {
	var scopes []memsync.Path
	for _, p := range s.entry(id).places() {
		scopes = append(scopes, p.scope)
	}
	slices.Sort(scopes)
	return slices.Compact(scopes)
}

// Events are a memory's events in id order, which is time order, those with
// ops this program does not know included.
func (s *State) Events(id memsync.ID) []memsync.LedgerEvent {
	about := s.about(id)
	if len(about) == 0 {
		return nil
	}
	out := make([]memsync.LedgerEvent, len(about))
	for i, e := range about {
		out[i] = *e
	}
	return out
}

// Supports are the distinct conversations that corroborated a memory, sorted.
// One in which the memory was shown does not count: an echo is no evidence.
func (s *State) Supports(id memsync.ID) []string {
	var out []string
	for _, e := range s.about(id) {
		if e.Op == memsync.LedgerCorroborate && e.Conversation != "" && (e.Exposed == nil || !*e.Exposed) {
			out = append(out, e.Conversation)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// about gives a memory's events, at those that name a path relative to the
// store; both in id order and without contradictions.
func (s *State) about(id memsync.ID) []*memsync.LedgerEvent {
	if id == "" {
		return nil
	}
	return s.gather(func(x *index) []*memsync.LedgerEvent { return x.byMemory[id] })
}

func (s *State) at(p memsync.Path) []*memsync.LedgerEvent {
	return s.gather(func(x *index) []*memsync.LedgerEvent { return x.byPath[p] })
}

// answered reports whether an event that sees id satisfies by.
func (s *State) answered(id memsync.ID, by func(*memsync.LedgerEvent) bool) bool {
	return slices.ContainsFunc(s.gather(func(x *index) []*memsync.LedgerEvent { return x.answers[id] }), by)
}

// gather joins what the two indexes hold and leaves out what contradicts
// itself. It copies only where it must.
func (s *State) gather(list func(*index) []*memsync.LedgerEvent) []*memsync.LedgerEvent {
	found := list(s.base)
	if s.over != nil {
		for _, e := range list(s.over) {
			found = insert(slices.Clip(found), e)
		}
	}
	if len(s.bad) == 0 || !slices.ContainsFunc(found, s.contradicted) {
		return found
	}
	return slices.DeleteFunc(slices.Clone(found), s.contradicted)
}

func (s *State) contradicted(e *memsync.LedgerEvent) bool {
	_, bad := s.bad[e.ID]
	return bad
}

func newest(list []*memsync.LedgerEvent, match func(*memsync.LedgerEvent) bool) (memsync.LedgerEvent, bool) {
	for _, e := range slices.Backward(list) {
		if match(e) {
			return *e, true
		}
	}
	return memsync.LedgerEvent{}, false
}

func oldest(list []*memsync.LedgerEvent, match func(*memsync.LedgerEvent) bool) (memsync.LedgerEvent, bool) {
	for _, e := range list {
		if match(e) {
			return *e, true
		}
	}
	return memsync.LedgerEvent{}, false
}
