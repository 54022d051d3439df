package ledger

import (
	"crypto/sha256"
	"time"

	"memsync"
)

// DerivedID is an id that every clone works out alike instead of drawing it:
// the time of what it answers and, for entropy, the first ten bytes of the
// SHA-256 of its parts, each ended by a NUL. No part may hold a NUL; paths,
// ids and ops never do. An event that answers a commit has the parts (commit,
// path, op), the id of a file that HEAD holds without one (path, blob).
func DerivedID(at time.Time, parts ...string) memsync.ID {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return memsync.MakeID(at, [10]byte(h.Sum(nil)[:10]))
}
