package ledger

import (
	"bytes"
	"time"
	"unicode/utf8"

	"memsync"
)

// parseCanonical reads a line exactly as appendLine writes it: our keys, in
// our order, no white space, no escapes. That is nearly every line of a
// ledger, and five times faster than decoding any JSON. ok is false for
// everything else, which parseAny then judges; where ok is true both give the
// same event (FuzzParse holds them together).
func parseCanonical(data []byte) (e memsync.LedgerEvent, ok bool) {
	c := cursor{rest: data, ok: true}
	c.literal(`{"id":`)
	e.ID = memsync.ID(c.text())
	c.literal(`,"op":`)
	e.Op = memsync.LedgerOp(c.text())
	if c.skip(`,"memory":`) {
		e.Memory = memsync.ID(c.text())
	}
	c.literal(`,"at":`)
	stamp := c.text()
	c.literal(`,"actor":{"class":`)
	e.Actor.Class = memsync.ActorClass(c.text())
	if c.skip(`,"name":`) {
		e.Actor.Name = c.text()
	}
	c.literal(`}`)
	if c.skip(`,"conversation":`) {
		e.Conversation = c.text()
	}
	if c.skip(`,"exposed":`) {
		shown := c.skip(`true`)
		if !shown {
			c.literal(`false`)
		}
		e.Exposed = &shown
	}
	if c.skip(`,"sees":[`) {
		e.Sees = append(e.Sees, memsync.ID(c.text()))
		for c.skip(`,`) {
			e.Sees = append(e.Sees, memsync.ID(c.text()))
		}
		c.literal(`]`)
	}
	if c.skip(`,"path":`) {
		e.Path = memsync.Path(c.text())
	}
	if c.skip(`,"hash":`) {
		e.Hash = memsync.Hash(c.text())
	}
	if c.skip(`,"blob":`) {
		e.Blob = c.text()
	}
	if c.skip(`,"value":`) {
		e.Value = memsync.Hash(c.text())
	}
	if c.skip(`,"fingerprint":`) {
		e.Fingerprint = c.text()
	}
	if c.skip(`,"other":`) {
		e.Other = memsync.ID(c.text())
	}
	if c.skip(`,"target":`) {
		e.Target = c.text()
	}
	if c.skip(`,"proposal":`) {
		e.Proposal = memsync.ID(c.text())
	}
	if c.skip(`,"outcome":`) {
		e.Outcome = c.text()
	}
	if c.skip(`,"conflict":`) {
		e.Conflict = c.text()
	}
	if c.skip(`,"reason":`) {
		e.Reason = c.text()
	}
	c.literal(`}`)
	if !c.ok || len(c.rest) > 0 || len(stamp) != len(stampLayout) {
		return e, false
	}
	at, err := time.Parse(stampLayout, stamp)
	if err != nil {
		return e, false
	}
	e.At = at
	return e, check(&e) == nil
}

// cursor eats a canonical line; after the first surprise ok is false and
// nothing it returns means anything.
type cursor struct {
	rest []byte
	ok   bool
}

func (c *cursor) skip(s string) bool {
	if !c.ok || len(c.rest) < len(s) || string(c.rest[:len(s)]) != s {
		return false
	}
	c.rest = c.rest[len(s):]
	return true
}

func (c *cursor) literal(s string) {
	if !c.skip(s) {
		c.ok = false
	}
}

// text is a JSON string without escapes.
func (c *cursor) text() string {
	if !c.skip(`"`) {
		c.ok = false
		return ""
	}
	end := bytes.IndexByte(c.rest, '"')
	if end < 0 {
		c.ok = false
		return ""
	}
	s := c.rest[:end]
	for _, b := range s {
		if b == '\\' || b < 0x20 {
			c.ok = false
			return ""
		}
	}
	if !utf8.Valid(s) {
		c.ok = false
		return ""
	}
	c.rest = c.rest[end+1:]
	return string(s)
}
