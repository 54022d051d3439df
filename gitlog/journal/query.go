package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"

	bolt "go.etcd.io/bbolt"

	"memsync"
)

// Query chooses decisions. Empty fields choose everything.
type Query struct {
	Path   memsync.Path // where it is or was
	Memory memsync.ID
	Op     memsync.Op
	Origin memsync.Origin
	Class  memsync.ActorClass
	Name   string    // of the actor
	Since  time.Time // inclusive
	Until  time.Time // inclusive

	Limit  int    // of a page; 0 means 50
	Cursor string `json:"-"` // what the page before gave; only for the same query
}

const pageSize = 50

// Decisions is one page of decisions, newest first, the cursor of the next
// page ("" after the last) and how many there are in all. What is decided
// while somebody pages does not move the pages: the first page fixes what is
// counted.
func (j *Journal) Decisions(q Query) (page []Record, next string, total int, err error) {
	from, top, err := q.parse()
	if err != nil {
		return nil, "", 0, err
	}
	limit := q.Limit
	if limit <= 0 {
		limit = pageSize
	}
	err = j.view(func(tx *bolt.Tx) error {
		r := newReader(tx)
		var last []byte
		for key, value := range q.newestFirst(tx, top) {
			if top == nil {
				top = bytes.Clone(key)
			}
			if value == nil {
				value = tx.Bucket(bucketDecisions).Get(key)
			}
			if ok, err := q.match(value); err != nil {
				return err
			} else if !ok {
				continue
			}
			total++
			if from != nil && bytes.Compare(key, from) >= 0 {
				continue
			}
			if len(page) == limit {
				if next == "" {
					next = q.cursor(last, top)
				}
				if q.all() && from == nil {
					// Nothing is filtered and this is the first page: the
					// count is known.
					total = int(number(tx.Bucket(bucketMeta).Get(keyDecisions)))
					return nil
				}
				continue
			}
			rec, err := r.record(key, value)
			if err != nil {
				return err
			}
			last = bytes.Clone(key)
			page = append(page, rec)
		}
		return nil
	})
	return page, next, total, err
}

// Decision is one decision by its name (see RecordID).
func (j *Journal) Decision(id string) (rec Record, err error) {
	plan, index, ok := ParseRecordID(id)
	if !ok {
		return rec, &memsync.Error{Code: memsync.CodeNotFound, Message: "no decision " + clip(id),
			Hint: "`memsync decisions list` shows their ids"}
	}
	err = j.view(func(tx *bolt.Tx) error {
		p, err := getPlan(tx, plan)
		found := false
		if err == nil {
			rec, found, err = newReader(tx).byKey(decisionKey(p.Seq, index))
		}
		if err == nil && !found || memsync.CodeOf(err) == memsync.CodeNotFound {
			return &memsync.Error{Code: memsync.CodeNotFound, Message: "no decision " + clip(id),
				Hint: "`memsync decisions list` shows their ids"}
		}
		return err
	})
	return rec, err
}

func clip(s string) string {
	if len(s) > 60 {
		s = s[:60] + "…"
	}
	return `"` + s + `"`
}

// newestFirst yields the keys of decisions that the narrowest index proposes,
// from top (nil: the newest) down. Values come where they are at hand.
func (q *Query) newestFirst(tx *bolt.Tx, top []byte) func(yield func(key, value []byte) bool) {
	bucket, name := bucketDecisions, ""
	switch {
	case q.Memory != "":
		bucket, name = bucketByMemory, string(q.Memory)
	case q.Path != "":
		bucket, name = bucketByPath, string(q.Path)
	}
	var prefix []byte
	if bucket := string(bucket); bucket != string(bucketDecisions) {
		prefix = append([]byte(name), 0)
	}
	end := top // inclusive
	if end == nil {
		end = bytes.Repeat([]byte{0xff}, 12)
	}
	return func(yield func(key, value []byte) bool) {
		c := tx.Bucket(bucket).Cursor()
		seek := append(bytes.Clone(prefix), end...)
		k, v := c.Seek(seek)
		if k == nil {
			k, v = c.Last()
		} else if !bytes.Equal(k, seek) {
			k, v = c.Prev()
		}
		for ; k != nil && bytes.HasPrefix(k, prefix); k, v = c.Prev() {
			key := k[len(prefix):]
			if len(key) != 12 {
				continue // a longer path that begins alike
			}
			if prefix != nil {
				v = nil
			}
			if !yield(key, v) {
				return
			}
		}
	}
}

func (q *Query) match(value []byte) (bool, error) {
	if q.all() {
		return true, nil
	}
	h, _, err := splitDecision(value)
	if err != nil {
		return false, err
	}
	is := func(want string, have []byte) bool { return want == "" || want == string(have) }
	if !is(string(q.Memory), h.id) || !is(string(q.Op), h.op) || !is(string(q.Origin), h.origin) ||
		!is(string(q.Class), h.class) || !is(q.Name, h.name) {
		return false, nil
	}
	if q.Path != "" && string(q.Path) != string(h.path) && string(q.Path) != string(h.from) {
		return false, nil
	}
	if !q.Since.IsZero() && h.at < q.Since.UnixMilli() || !q.Until.IsZero() && h.at > q.Until.UnixMilli() {
		return false, nil
	}
	return true, nil
}

// all reports whether the query chooses everything.
func (q *Query) all() bool {
	return q.Path == "" && q.Memory == "" && q.Op == "" && q.Origin == "" && q.Class == "" && q.Name == "" &&
		q.Since.IsZero() && q.Until.IsZero()
}

// digest names the query in its cursors: 4 bytes against mixing them up.
func (q *Query) digest() []byte {
	same := *q
	same.Limit = 0
	b, _ := json.Marshal(same)
	sum := sha256.Sum256(b)
	return sum[:4]
}

// cursor is opaque: digest, last key shown, newest key counted.
func (q *Query) cursor(last, top []byte) string {
	return base64.RawURLEncoding.EncodeToString(append(append(q.digest(), last...), top...))
}

func (q *Query) parse() (from, top []byte, err error) {
	if q.Cursor == "" {
		return nil, nil, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(q.Cursor)
	if err != nil || len(b) != 28 || !bytes.Equal(b[:4], q.digest()) {
		return nil, nil, &memsync.Error{Code: memsync.CodeUsage, Message: "this cursor belongs to another query",
			Hint: "give the same filters as for the page before, or start without a cursor"}
	}
	return b[4:16], b[16:], nil
}
