package journal

import (
	"bytes"
	"encoding/json"
	"time"

	bolt "go.etcd.io/bbolt"

	"memsync"
)

// The keys of bucketLast: a letter, a zero, a name.
func lastPath(p memsync.Path) []byte    { return []byte("p\x00" + string(p)) }
func lastMemory(id memsync.ID) []byte   { return []byte("m\x00" + string(id)) }
func lastRequest(request string) []byte { return []byte("r\x00" + request) }
func lastSave(p memsync.Path) []byte    { return []byte("s\x00" + string(p)) }

// Save is what was on disk when a path was last saved and that save accepted.
type Save struct {
	Hash memsync.Hash `json:"hash"`
	Blob string       `json:"blob,omitempty"` // git's name of those bytes, "" when only Content has them, or nobody
	At   time.Time    `json:"at"`
}

// settleDecisions moves the indexes of what was applied last and emits one
// event a decision.
func settleDecisions(tx *bolt.Tx, plan memsync.ID, rec planRecord, files []fileRecord) ([]memsync.Event, error) {
	var events []memsync.Event
	prefix := be64(rec.Seq)
	last := tx.Bucket(bucketLast)
	c := tx.Bucket(bucketDecisions).Cursor()
	for key, v := c.Seek(prefix); bytes.HasPrefix(key, prefix); key, v = c.Next() {
		_, body, err := splitDecision(v)
		if err != nil {
			return nil, err
		}
		dr, err := decodeDecision(body)
		if err != nil {
			return nil, err
		}
		d, at := &dr.Decision, bytes.Clone(key)
		if d.RequestID != "" {
			if err := last.Put(lastRequest(d.RequestID), at); err != nil {
				return nil, err
			}
		}
		if d.Op.Changes() {
			for _, p := range pathsOf(d) {
				if err := last.Put(lastPath(p), at); err != nil {
					return nil, err
				}
			}
			if d.Memory != "" {
				if err := last.Put(lastMemory(d.Memory), at); err != nil {
					return nil, err
				}
			}
		}
		if err := settleSave(tx, d, rec.At); err != nil {
			return nil, err
		}
		if e, ok := eventOf(plan, rec, d); ok {
			events = append(events, e)
		}
	}
	return events, emit(tx, events)
}

// settleSave remembers the bytes of an accepted save: the writer's buffer
// still holds them, whatever the file became.
func settleSave(tx *bolt.Tx, d *memsync.Decision, at time.Time) error {
	if !d.Origin.Save() || d.Op == memsync.OpRecord || d.Path == "" || (!d.Op.Changes() && d.Op != memsync.OpNoop) {
		return nil
	}
	if d.From != "" && d.From != d.Path {
		if err := dropSave(tx, d.From); err != nil {
			return err
		}
	}
	if err := dropSave(tx, d.Path); err != nil || d.Base == "" {
		return err
	}
	key, ok := rawHash(d.Base)
	if !ok {
		return nil
	}
	save := Save{Hash: d.Base, Blob: string(tx.Bucket(bucketBlobs).Get(key)), At: at}
	if save.Blob == "" {
		if _, err := hold(tx, d.Base, needSave, []byte(d.Path)); err != nil {
			return err
		}
	}
	return put(tx, bucketLast, lastSave(d.Path), save)
}

func dropSave(tx *bolt.Tx, p memsync.Path) error {
	save, ok, err := getSave(tx, p)
	if err != nil || !ok {
		return err
	}
	if err := tx.Bucket(bucketLast).Delete(lastSave(p)); err != nil {
		return err
	}
	return release(tx, save.Hash, needSave, []byte(p))
}

func getSave(tx *bolt.Tx, p memsync.Path) (save Save, ok bool, err error) {
	v := tx.Bucket(bucketLast).Get(lastSave(p))
	if v == nil {
		return save, false, nil
	}
	if err := json.Unmarshal(v, &save); err != nil {
		return save, false, damaged(err)
	}
	return save, true, nil
}

// PreviousSave is the last accepted save of a path, by the bytes that were on
// disk: what the writer's buffer holds, and so the base to join its next save
// over. Bytes without a Blob are in Content.
func (j *Journal) PreviousSave(p memsync.Path) (save Save, ok bool, err error) {
	err = j.view(func(tx *bolt.Tx) error {
		save, ok, err = getSave(tx, p)
		return err
	})
	return save, ok, err
}

// Last is the last applied decision that changed anything at that path or of
// that memory; either may be empty. The same-request rule compares its
// RequestHash: the submission was applied already when it is equal and the
// file still is at the decision's Post (a commit of somebody else's is no
// decision and does not show here).
func (j *Journal) Last(p memsync.Path, id memsync.ID) (rec Record, ok bool, err error) {
	err = j.view(func(tx *bolt.Tx) error {
		var key []byte
		last := tx.Bucket(bucketLast)
		if p != "" {
			key = last.Get(lastPath(p))
		}
		if id != "" {
			if k := last.Get(lastMemory(id)); bytes.Compare(k, key) > 0 {
				key = k
			}
		}
		rec, ok, err = newReader(tx).byKey(key)
		return err
	})
	return rec, ok, err
}

// ByRequestID is the last applied decision that answered a request id.
func (j *Journal) ByRequestID(request string) (rec Record, ok bool, err error) {
	if request == "" {
		return Record{}, false, nil
	}
	err = j.view(func(tx *bolt.Tx) error {
		rec, ok, err = newReader(tx).byKey(tx.Bucket(bucketLast).Get(lastRequest(request)))
		return err
	})
	return rec, ok, err
}

// Change says who changed a path last.
type Change struct {
	Origin memsync.Origin
	Actor  memsync.Actor
	At     time.Time
	Post   memsync.Hash // what they left; "" when the file went
}

// LastChange is the last applied decision on a path, as far as the stale-base
// rule asks.
func (j *Journal) LastChange(p memsync.Path) (Change, bool, error) {
	rec, ok, err := j.Last(p, "")
	d := rec.Decision
	return Change{d.Origin, d.Actor, rec.At, d.Post}, ok, err
}
