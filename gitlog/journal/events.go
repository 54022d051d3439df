package journal

import (
	"encoding/binary"
	"encoding/json"

	bolt "go.etcd.io/bbolt"

	"memsync"
)

// keepEvents is how many events stay; older ones are pruned as new ones come.
// A guess: some months of a busy store, about 30 MB.
const keepEvents = 100_000

// Emit appends events in one transaction and numbers them. Seq of each element
// is set.
func (j *Journal) Emit(events ...memsync.Event) error {
	if len(events) == 0 {
		return nil
	}
	return j.update(func(tx *bolt.Tx) error { return emit(tx, events) })
}

func emit(tx *bolt.Tx, events []memsync.Event) error {
	b := tx.Bucket(bucketEvents)
	for i := range events {
		seq, err := b.NextSequence()
		if err != nil {
			return err
		}
		events[i].Seq = seq
		if err := put(tx, bucketEvents, be64(seq), events[i]); err != nil {
			return err
		}
	}
	return prune(b, len(events))
}

// prune drops what is beyond keepEvents, at most a few more than came in, so
// that no single write pays for many.
func prune(b *bolt.Bucket, came int) error {
	c := b.Cursor()
	for range came + 16 {
		k, _ := c.First()
		if k == nil || number(k)+keepEvents > b.Sequence() {
			return nil
		}
		if err := c.Delete(); err != nil {
			return err
		}
	}
	return nil
}

// Events are those with a number above after, oldest first, at most limit (0:
// all).
func (j *Journal) Events(after uint64, limit int) (out []memsync.Event, err error) {
	err = j.view(func(tx *bolt.Tx) error {
		c := tx.Bucket(bucketEvents).Cursor()
		for k, v := c.Seek(be64(after + 1)); k != nil && (limit <= 0 || len(out) < limit); k, v = c.Next() {
			var e memsync.Event
			if err := json.Unmarshal(v, &e); err != nil {
				return damaged(err)
			}
			out = append(out, e)
		}
		return nil
	})
	return out, err
}

// LastEvent is the number of the newest event, 0 before the first.
func (j *Journal) LastEvent() (seq uint64, err error) {
	err = j.view(func(tx *bolt.Tx) error {
		if k, _ := tx.Bucket(bucketEvents).Cursor().Last(); k != nil {
			seq = binary.BigEndian.Uint64(k)
		}
		return nil
	})
	return seq, err
}

// eventOf is what an applied decision tells; ask tells nothing.
func eventOf(plan memsync.ID, rec planRecord, d *memsync.Decision) (memsync.Event, bool) {
	e := memsync.Event{
		At: rec.At, Plan: plan, Decision: d.Op, Memory: d.Memory, Path: d.Path, Scope: d.Scope,
		Origin: d.Origin, Actor: d.Actor, Commit: rec.Commit, Findings: d.Codes(),
	}
	if d.Error != nil {
		e.Code = d.Error.Code
	}
	switch {
	case d.Op.Changes():
		e.Op = memsync.EventCommitted
	case d.Op == memsync.OpHold:
		e.Op = memsync.EventHeld
	case d.Op == memsync.OpNoop:
		e.Op = memsync.EventNoop
	case d.Op == memsync.OpReject:
		e.Op = memsync.EventRejected
	default:
		return e, false
	}
	return e, true
}
