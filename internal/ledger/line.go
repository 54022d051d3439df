package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"memsync"
)

// stampLayout is RFC 3339 in UTC with exactly three decimals. A fixed width
// keeps lines of one event equal on every machine.
const stampLayout = "2006-01-02T15:04:05.000Z"

// line is a LedgerEvent as it stands in a file: the same keys in the same
// order, the time as text. A test holds the two together.
type line struct {
	ID           memsync.ID       `json:"id"`
	Op           memsync.LedgerOp `json:"op"`
	Memory       memsync.ID       `json:"memory,omitempty"`
	At           string           `json:"at"`
	Actor        memsync.Actor    `json:"actor"`
	Conversation string           `json:"conversation,omitempty"`
	Exposed      *bool            `json:"exposed,omitempty"`
	Sees         []memsync.ID     `json:"sees,omitempty"`

	Path        memsync.Path `json:"path,omitempty"`
	Hash        memsync.Hash `json:"hash,omitempty"`
	Blob        string       `json:"blob,omitempty"`
	Value       memsync.Hash `json:"value,omitempty"`
	Fingerprint string       `json:"fingerprint,omitempty"`
	Other       memsync.ID   `json:"other,omitempty"`
	Target      string       `json:"target,omitempty"`
	Proposal    memsync.ID   `json:"proposal,omitempty"`
	Outcome     string       `json:"outcome,omitempty"`
	Conflict    string       `json:"conflict,omitempty"`
	Reason      string       `json:"reason,omitempty"`
}

// appendLine writes one event and its newline. The same event always gives the
// same bytes; times are cut to milliseconds, in UTC.
func appendLine(dst []byte, e *memsync.LedgerEvent) []byte {
	l := line{
		ID: e.ID, Op: e.Op, Memory: e.Memory, At: e.At.UTC().Format(stampLayout), Actor: e.Actor,
		Conversation: e.Conversation, Exposed: e.Exposed, Sees: e.Sees,
		Path: e.Path, Hash: e.Hash, Blob: e.Blob, Value: e.Value, Fingerprint: e.Fingerprint,
		Other: e.Other, Target: e.Target, Proposal: e.Proposal, Outcome: e.Outcome,
		Conflict: e.Conflict, Reason: e.Reason,
	}
	buf := bytes.NewBuffer(dst)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(&l); err != nil { // strings, bools and lists of strings always encode
		panic("bug: a ledger event does not encode: " + err.Error())
	}
	return buf.Bytes()
}

// parseLine reads one line without its newline. column is where in the line
// the trouble is, 0 when that is unknown.
func parseLine(data []byte) (e memsync.LedgerEvent, column int, err error) {
	if e, ok := parseCanonical(data); ok {
		return e, 0, nil
	}
	return parseAny(data)
}

// parseAny reads any JSON object that holds an event: keys in any order, white
// space, escapes, unknown keys.
func parseAny(data []byte) (e memsync.LedgerEvent, column int, err error) {
	var l line
	if err := json.Unmarshal(data, &l); err != nil {
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax):
			return e, int(syntax.Offset), errors.New("it is not JSON")
		case errors.As(err, &kind):
			return e, int(kind.Offset), fmt.Errorf("the value of %q has the wrong type", kind.Field)
		default:
			return e, 0, errors.New("it is not an event")
		}
	}
	at, err := time.Parse(time.RFC3339Nano, l.At)
	if err != nil {
		return e, 0, errors.New(`"at" is not an RFC 3339 time`)
	}
	e = memsync.LedgerEvent{
		ID: l.ID, Op: l.Op, Memory: l.Memory, At: at.UTC().Truncate(time.Millisecond), Actor: l.Actor,
		Conversation: l.Conversation, Exposed: l.Exposed, Sees: l.Sees,
		Path: l.Path, Hash: l.Hash, Blob: l.Blob, Value: l.Value, Fingerprint: l.Fingerprint,
		Other: l.Other, Target: l.Target, Proposal: l.Proposal, Outcome: l.Outcome,
		Conflict: l.Conflict, Reason: l.Reason,
	}
	if len(e.Sees) == 0 {
		e.Sees = nil
	}
	if err := check(&e); err != nil {
		return memsync.LedgerEvent{}, 0, err
	}
	return e, 0, nil
}

// check refuses what no event can say, and folds ids to their canonical form.
func check(e *memsync.LedgerEvent) error {
	if e.Op == "" {
		return errors.New(`it has no "op"`)
	}
	if y := e.At.Year(); y < 0 || y > 9999 {
		return errors.New(`"at" is no year that RFC 3339 can write`)
	}
	id, err := memsync.ParseID(string(e.ID))
	if err != nil {
		return errors.New(`its "id" is not a ULID`)
	}
	e.ID = id
	for _, f := range []struct {
		key string
		id  *memsync.ID
	}{{"memory", &e.Memory}, {"other", &e.Other}, {"proposal", &e.Proposal}} {
		if *f.id == "" {
			continue
		}
		if *f.id, err = memsync.ParseID(string(*f.id)); err != nil {
			return fmt.Errorf("its %q is not a ULID", f.key)
		}
	}
	for i, seen := range e.Sees {
		if e.Sees[i], err = memsync.ParseID(string(seen)); err != nil {
			return errors.New(`its "sees" holds something that is not a ULID`)
		}
	}
	if !inside(e.Path) {
		return errors.New(`its "path" leads out of the scope`)
	}
	return nil
}

// inside reports whether a path stays in its scope; the empty path does. An
// event must not reach into another scope's memories by a path with dots.
func inside(p memsync.Path) bool {
	s := string(p)
	return s == "" || path.Clean(s) == s && s != "." && s != ".." && s[0] != '/' && !strings.HasPrefix(s, "../")
}
