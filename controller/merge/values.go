package merge

import (
	"strings"
	"time"

	"memsync"
)

// rule names what joins a key that both sides changed.
type rule int

const (
	unknown  rule = iota // not ours: integers by size, dates by time, the rest as scalars
	scalar               // the later version's
	identity             // the smaller
	set                  // three-way
	created              // the earlier
	touched              // the later
)

// kindOf finds the rule by the last part of the key: dialects nest the same
// keys differently. valid_from and valid_until are what a memory says, not
// when it was written, so they are scalars and never settled in silence.
func kindOf(key string) rule {
	last := key[strings.LastIndexByte(key, '.')+1:]
	switch last {
	case "tags", "links", "source_sessions", "aliases":
		return set
	case "created_at", "created":
		return created
	case "updated_at", "updated", "modified", "modified_at", "last_modified", "last_reviewed":
		return touched
	}
	switch key {
	case "id":
		return identity
	case "name", "title", "description", "hook", "type", "scope", "agent", "agent_tier", "key", "project",
		"valid_from", "valid_until", "pinned", "supersedes", "target", "payload", "node_type", "originSessionId", "permalink",
		"metadata.type", "metadata.node_type", "metadata.originSessionId":
		return scalar
	}
	if strings.HasPrefix(key, "provenance.") || strings.HasPrefix(key, "target.") || strings.HasPrefix(key, "payload.") {
		return scalar
	}
	return unknown
}

// layouts in which people and tools write moments.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"}

func moment(v memsync.Value) (time.Time, bool) {
	if v.IsList || len(v.Text) < len("2006-01-02") || v.Text[0] < '0' || v.Text[0] > '9' {
		return time.Time{}, false
	}
	for _, l := range layouts {
		if t, err := time.Parse(l, v.Text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// believable caps a written time that is more than a day ahead of the version
// that carries it: a wrong clock counts as the commit's time.
func believable(t time.Time, v Version) time.Time {
	if !v.Time.IsZero() && t.After(v.Time.Add(24*time.Hour)) {
		return v.Time
	}
	return t
}

// date picks the earlier (created) or the later moment, as it is written; ok
// is false where either is missing or no date.
func (j *documents) date(r rule, e, l want) (want, bool) {
	if !e.ok || !l.ok {
		return want{}, false
	}
	te, eok := moment(e.value)
	tl, lok := moment(l.value)
	if !eok || !lok {
		return want{}, false
	}
	te, tl = believable(te, j.early.Version), believable(tl, j.late.Version)
	switch {
	case te.Equal(tl):
		if compare(e, l) > 0 {
			return e, true
		}
		return l, true
	case te.Before(tl) == (r == created):
		return e, true
	}
	return l, true
}

// larger picks the larger of two integers.
func larger(e, l want) (want, bool) {
	if !e.ok || !l.ok || !integer(e.value) || !integer(l.value) {
		return want{}, false
	}
	if lessInt(l.value.Text, e.value.Text) {
		return e, true
	}
	return l, true
}

// integer reports whether v is written as one: 007 and 1e3 are texts.
func integer(v memsync.Value) bool {
	s := strings.TrimPrefix(v.Text, "-")
	if v.IsList || s == "" || len(s) > 1 && s[0] == '0' || v.Text == "-0" {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// lessInt compares integers of any length.
func lessInt(a, b string) bool {
	na, nb := a[0] == '-', b[0] == '-'
	if na != nb {
		return na
	}
	if na {
		a, b = b[1:], a[1:]
	}
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}
