// Package merge joins two descendants of one document. It is pure and
// symmetric, and no line of either side is lost.
package merge

import (
	"time"

	"memsync"
)

// Version is one version of a document. Nil Bytes: it is not there.
type Version struct {
	Bytes []byte
	Time  time.Time // of the commit or save that wrote it
}

// Result is the joined document and what did not fit into it.
type Result struct {
	Bytes     []byte // nil: gone on both sides
	Conflicts []Conflict
}

// Conflict is a losing text that must be kept: its bytes go to
// _system/conflicts/<id>-<hash>.md.
type Conflict struct {
	Kind  string // scalar, body, delete-edit, unparsed
	Key   string // for scalar
	Bytes []byte // a readable Markdown file
}

// Merge joins ours and theirs over base. Swapping the sides gives the same
// bytes.
func Merge(base, ours, theirs Version, lim memsync.Limits) Result { panic("stub") }
