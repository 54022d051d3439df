package keeper

import (
	"crypto/rand"
	"time"

	"github.com/oklog/ulid/v2"

	"memsync"
)

// ids draws ULIDs: monotonic within one keeper, 80 random bits against all
// others.
type ids struct{ entropy *ulid.MonotonicEntropy }

func newIDs() *ids { return &ids{ulid.Monotonic(rand.Reader, 0)} }

// draw gives a new id. It falls back to fresh entropy in the one case where
// the monotonic counter of a millisecond overflows.
func (g *ids) draw(at time.Time) memsync.ID {
	id, err := ulid.New(ulid.Timestamp(at), g.entropy)
	if err != nil {
		id = ulid.MustNew(ulid.Timestamp(at), rand.Reader)
	}
	return memsync.ID(id.String())
}
