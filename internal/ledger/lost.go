package ledger

import (
	"bytes"

	"memsync"
)

// LostLine is a line that a ledger file had and that no ledger has any more.
type LostLine struct {
	Path   memsync.Path `json:"path"`
	Commit string       `json:"commit,omitempty"` // that took it out; "" where HEAD has it and the working tree has not
	Event  memsync.ID   `json:"event"`
	Line   []byte       `json:"-"` // without its end
}

// Lost are the lines of an earlier version of a file whose events are not known.
// It notes them as known, so that each is lost once.
func Lost(file memsync.Path, before []byte, commit string, known map[memsync.ID]bool) (lost []LostLine) {
	for line := range bytes.Lines(before) {
		events, _ := Parse(file, line)
		for _, e := range events {
			if !known[e.ID] {
				known[e.ID] = true
				lost = append(lost, LostLine{file, commit, e.ID, bytes.TrimRight(line, "\r\n")})
			}
		}
	}
	return lost
}
