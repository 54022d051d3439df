package journal

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	bolt "go.etcd.io/bbolt"

	"memsync"
)

// State is where a plan stands. Every plan ends in one of the last three.
type State string

const (
	Planned    State = "planned"    // journaled; its files may be anywhere between base and post
	Applied    State = "applied"    // wholly there
	Superseded State = "superseded" // wholly not there: somebody else's bytes won at replay
	Failed     State = "failed"     // wholly not there: undone, and the caller was told why
)

// Record is one decision as the journal remembers it.
type Record struct {
	ID          string           `json:"id"` // the plan's id, a dot, the index
	Plan        memsync.ID       `json:"plan"`
	Index       int              `json:"index"`
	At          time.Time        `json:"at"`
	Decision    memsync.Decision `json:"decision"`
	RequestHash string           `json:"-"`
	Commit      string           `json:"commit,omitempty"`
	State       State            `json:"state"`
	Code        memsync.Code     `json:"code,omitempty"` // why it failed or was superseded
}

// RecordID names the decision at index of a plan.
func RecordID(plan memsync.ID, index int) string { return string(plan) + "." + strconv.Itoa(index) }

// ParseRecordID takes a decision's name apart. A bare plan id means its first
// decision.
func ParseRecordID(s string) (plan memsync.ID, index int, ok bool) {
	head, tail, dotted := strings.Cut(s, ".")
	plan, err := memsync.ParseID(head)
	if err != nil {
		return "", 0, false
	}
	if !dotted {
		return plan, 0, true
	}
	index, err = strconv.Atoi(tail)
	return plan, index, err == nil && index >= 0
}

// planRecord is a plan without what has records of its own.
type planRecord struct {
	Seq       uint64           `json:"seq"`
	State     State            `json:"state"`
	Code      memsync.Code     `json:"code,omitempty"`
	Commit    string           `json:"commit,omitempty"`
	At        time.Time        `json:"at"`
	Base      memsync.Revision `json:"base"`
	Author    memsync.Actor    `json:"author"`
	Subject   string           `json:"subject"`
	Forget    []memsync.ID     `json:"forget,omitempty"`
	Decisions int              `json:"decisions"`

	Target string                  `json:"target,omitempty"`
	Dirty  map[memsync.Path]string `json:"dirty,omitempty"`

	Mode memsync.CommitMode `json:"mode,omitempty"`
}

// fileRecord is a file of a plan. Git names it by Blob once it is committed.
type fileRecord struct {
	memsync.FileChange
	Size int    `json:"size,omitempty"` // of the bytes of Post
	Blob string `json:"blob,omitempty"`
	Raw  []byte `json:"raw,omitempty"` // the path, where JSON would change it (invalid UTF-8)
}

type decisionRecord struct {
	Decision memsync.Decision      `json:"d"`
	Files    []fileRecord          `json:"f,omitempty"`
	Events   []memsync.LedgerEvent `json:"e,omitempty"`
	Request  string                `json:"r,omitempty"`
	Path     []byte                `json:"p,omitempty"` // as fileRecord.Raw
	From     []byte                `json:"o,omitempty"`
}

func newFile(f memsync.FileChange) fileRecord {
	r := fileRecord{FileChange: f, Size: len(f.Content), Raw: rawPath(f.Path)}
	r.Content = nil
	return r
}

func (r fileRecord) change() memsync.FileChange {
	f := r.FileChange
	if r.Raw != nil {
		f.Path = memsync.Path(r.Raw)
	}
	return f
}

func rawPath(p memsync.Path) []byte {
	if utf8.ValidString(string(p)) {
		return nil
	}
	return []byte(p)
}

// header is what queries look at, ahead of the JSON so that counting does not
// have to decode it.
type header struct {
	at                                            int64 // Unix milliseconds
	plan, op, origin, class, name, path, from, id []byte
}

func (h *header) fields() [8]*[]byte {
	return [8]*[]byte{&h.plan, &h.op, &h.origin, &h.class, &h.name, &h.path, &h.from, &h.id}
}

func encodeDecision(plan memsync.ID, at time.Time, d *memsync.Decision, request string) ([]byte, error) {
	h := header{
		at: at.UnixMilli(), plan: []byte(plan), op: []byte(d.Op), origin: []byte(d.Origin),
		class: []byte(d.Actor.Class), name: []byte(d.Actor.Name), path: []byte(d.Path), from: []byte(d.From), id: []byte(d.Memory),
	}
	rec := decisionRecord{Decision: *d, Events: d.Events, Request: request, Path: rawPath(d.Path), From: rawPath(d.From)}
	for _, f := range d.Files {
		rec.Files = append(rec.Files, newFile(f))
	}
	return joinDecision(&h, &rec)
}

func joinDecision(h *header, rec *decisionRecord) ([]byte, error) {
	body, err := json.Marshal(rec)
	if err != nil {
		return nil, fmt.Errorf("encode a decision: %w", err)
	}
	out := make([]byte, 0, 128+len(body))
	out = binary.AppendVarint(out, h.at)
	for _, f := range h.fields() {
		out = binary.AppendUvarint(out, uint64(len(*f)))
		out = append(out, *f...)
	}
	return append(out, body...), nil
}

// splitDecision reads the header; the fields alias v, which bbolt owns.
func splitDecision(v []byte) (h header, body []byte, err error) {
	at, n := binary.Varint(v)
	if n <= 0 {
		return h, nil, damaged(fmt.Errorf("a decision's record is too short"))
	}
	h.at, v = at, v[n:]
	for _, f := range h.fields() {
		size, n := binary.Uvarint(v)
		if n <= 0 || size > uint64(len(v)-n) {
			return h, nil, damaged(fmt.Errorf("a decision's record is too short"))
		}
		*f, v = v[n:n+int(size)], v[n+int(size):]
	}
	return h, v, nil
}

func decodeDecision(body []byte) (decisionRecord, error) {
	var rec decisionRecord
	if err := json.Unmarshal(body, &rec); err != nil {
		return rec, damaged(err)
	}
	d := &rec.Decision
	if rec.Path != nil {
		d.Path = memsync.Path(rec.Path)
	}
	if rec.From != nil {
		d.From = memsync.Path(rec.From)
	}
	for _, f := range rec.Files {
		d.Files = append(d.Files, f.change())
	}
	d.Events = rec.Events
	return rec, nil
}

// reader decodes records and remembers the plans it met: the decisions of one
// plan stand side by side.
type reader struct {
	tx    *bolt.Tx
	plans map[memsync.ID]planRecord
}

func newReader(tx *bolt.Tx) *reader { return &reader{tx, map[memsync.ID]planRecord{}} }

func (r *reader) record(key, value []byte) (Record, error) {
	h, body, err := splitDecision(value)
	if err != nil {
		return Record{}, err
	}
	rec, err := decodeDecision(body)
	if err != nil {
		return Record{}, err
	}
	id := memsync.ID(h.plan)
	plan, ok := r.plans[id]
	if !ok {
		if plan, err = getPlan(r.tx, id); err != nil {
			return Record{}, err
		}
		r.plans[id] = plan
	}
	index := int(binary.BigEndian.Uint32(key[8:]))
	return Record{
		ID: RecordID(id, index), Plan: id, Index: index, At: plan.At, Decision: rec.Decision, RequestHash: rec.Request,
		Commit: plan.Commit, State: plan.State, Code: plan.Code,
	}, nil
}

// byKey is the record at a decision's key; false when there is none.
func (r *reader) byKey(key []byte) (Record, bool, error) {
	if len(key) != 12 {
		return Record{}, false, nil
	}
	v := r.tx.Bucket(bucketDecisions).Get(key)
	if v == nil {
		return Record{}, false, nil
	}
	rec, err := r.record(key, v)
	return rec, err == nil, err
}

func getPlan(tx *bolt.Tx, id memsync.ID) (planRecord, error) {
	var rec planRecord
	v := tx.Bucket(bucketPlans).Get([]byte(id))
	if v == nil {
		return rec, &memsync.Error{Code: memsync.CodeNotFound, Message: "no plan " + string(id)}
	}
	if err := json.Unmarshal(v, &rec); err != nil {
		return rec, damaged(err)
	}
	return rec, nil
}

func getFiles(tx *bolt.Tx, id memsync.ID) ([]fileRecord, error) {
	var files []fileRecord
	if err := json.Unmarshal(tx.Bucket(bucketFiles).Get([]byte(id)), &files); err != nil {
		return nil, damaged(err)
	}
	for i := range files {
		files[i].FileChange = files[i].change()
	}
	return files, nil
}

func put(tx *bolt.Tx, bucket, key []byte, value any) error {
	v, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode %s: %w", bucket, err)
	}
	return tx.Bucket(bucket).Put(key, v)
}

func decisionKey(seq uint64, index int) []byte {
	return binary.BigEndian.AppendUint32(be64(seq), uint32(index))
}
