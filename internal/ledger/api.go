// Package ledger reads and writes the append-only events of a scope and folds
// them into state. It counts; it does not judge.
package ledger

import (
	"time"

	"memsync"
)

// Located is an event with the scope directory and file it stands in.
type Located struct {
	memsync.LedgerEvent
	Scope memsync.Path // the scope's Dir
}

// Parse reads a ledger file. What cannot be read is skipped and reported.
func Parse(file memsync.Path, data []byte) ([]memsync.LedgerEvent, []memsync.Finding) { panic("stub") }

// Append is the file with events added; an unfinished last line is ended
// first, never altered.
func Append(existing []byte, events ...memsync.LedgerEvent) []byte { panic("stub") }

// FileName is "<yyyy-mm>.<clone>.jsonl", or "<yyyy-mm>.<clone>-<n>.jsonl" for
// n > 0.
func FileName(at time.Time, clone string, n int) string { panic("stub") }

// DerivedID is the id of an event that answers a commit: the commit's time and
// SHA-256 of its parts, the same on every clone.
func DerivedID(at time.Time, parts ...string) memsync.ID { panic("stub") }

// State is what the events of a store add up to. Same events, any order, same
// State.
type State struct{}

// Fold adds up events, in any order, duplicates included.
func Fold(events []Located) *State { panic("stub") }

// Deleted is the delete event in force for a memory: not answered by a restore
// or revive that saw it.
func (s *State) Deleted(id memsync.ID) (memsync.LedgerEvent, bool) { panic("stub") }

// DeletedAt is the delete event in force for the memory that last lived at a
// path (relative to the store).
func (s *State) DeletedAt(p memsync.Path) (memsync.LedgerEvent, bool) { panic("stub") }

// Forgotten is the forget event of a memory.
func (s *State) Forgotten(id memsync.ID) (memsync.LedgerEvent, bool) { panic("stub") }

// ForgottenAt is the forget event that names a path (relative to the store),
// for files without inline identity, unless an accept answered it.
func (s *State) ForgottenAt(p memsync.Path) (memsync.LedgerEvent, bool) { panic("stub") }

// Rejected is the rejection in force of a value in a scope (its Dir); value is
// the SHA-256 of text.ValueKey.
func (s *State) Rejected(scope memsync.Path, value memsync.Hash) (memsync.LedgerEvent, bool) {
	panic("stub")
}

// Allowed reports whether a person released a fingerprint at a path (relative
// to the store).
func (s *State) Allowed(p memsync.Path, fingerprint string) bool { panic("stub") }

// Quarantined is the quarantine in force of a blob at a path.
func (s *State) Quarantined(p memsync.Path, blob string) (memsync.LedgerEvent, bool) { panic("stub") }

// Identity is the id that identify events give a path (relative to the store).
func (s *State) Identity(p memsync.Path) (memsync.ID, bool) { panic("stub") }

// PathsOf are the paths that identify events ever gave an id, newest last.
func (s *State) PathsOf(id memsync.ID) []memsync.Path { panic("stub") }

// Events are a memory's events in time order.
func (s *State) Events(id memsync.ID) []memsync.LedgerEvent { panic("stub") }
