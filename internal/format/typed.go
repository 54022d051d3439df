package format

import (
	"strings"
	"time"

	"memsync"
)

// readBool reads a bool in any spelling of YAML 1.1 or 1.2, quoted or not. ok
// is false for anything else, which never counts as true.
func readBool(s string) (v, ok bool) {
	switch s {
	case "true", "True", "TRUE", "yes", "Yes", "YES", "y", "Y", "on", "On", "ON":
		return true, true
	case "false", "False", "FALSE", "no", "No", "NO", "n", "N", "off", "Off", "OFF":
		return false, true
	}
	return false, false
}

// timeForms are YAML's timestamp spellings (YAML 1.1, "timestamp" type) with
// their time of day; zoneless ones are UTC.
var timeForms = []string{
	"2006-1-2T15:4:5.999999999Z07:00",
	"2006-1-2T15:4:5.999999999Z07",
	"2006-1-2T15:4:5.999999999",
	"2006-1-2T15:4Z07:00",
	"2006-1-2T15:4",
}

// readTime reads a date or time, quoted or not, in any spelling YAML allows.
// dateOnly says that no time of day was given; the time is then that day's
// first instant, UTC.
func readTime(s string) (t time.Time, dateOnly, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) < 8 || s[0] < '0' || s[0] > '9' {
		return t, false, false
	}
	if t, dateOnly, ok = readPlainTime(s); ok {
		return t, dateOnly, true
	}
	if t, err := time.Parse("2006-1-2", s); err == nil {
		return t, true, true
	}
	// `2001-12-14 21:59:43.10 -5` and its relatives, in the one form Go parses.
	day, clock, found := strings.Cut(s, " ")
	if !found {
		if i := strings.IndexAny(s, "Tt"); i > 0 {
			day, clock = s[:i], s[i+1:]
		}
	}
	clock = strings.ReplaceAll(strings.TrimSpace(clock), " ", "")
	if clock == "" {
		return t, false, false
	}
	if strings.HasSuffix(clock, "z") {
		clock = clock[:len(clock)-1] + "Z"
	}
	if i := strings.LastIndexAny(clock, "+-"); i > 0 && len(clock)-i == 2 { // +2
		clock = clock[:i+1] + "0" + clock[i+1:]
	}
	for _, form := range timeForms {
		if t, err := time.Parse(form, day+"T"+clock); err == nil {
			return t.UTC(), false, true
		}
	}
	return t, false, false
}

// readPlainTime is readTime for the spellings that nearly all files have, and that
// memsync writes: 2006-01-02 and 2006-01-02T15:04:05Z.
func readPlainTime(s string) (t time.Time, dateOnly, ok bool) {
	const form = "2006-01-02T15:04:05Z"
	if dateOnly = len(s) == len("2006-01-02"); !dateOnly && len(s) != len(form) {
		return t, false, false
	}
	var v [6]int // year, month, day, hour, minute, second
	field := 0
	for i := range len(s) {
		switch c := s[i]; {
		case form[i] < '0' || form[i] > '9':
			if c != form[i] {
				return t, false, false
			}
			field++
		case c < '0' || c > '9':
			return t, false, false
		default:
			v[field] = v[field]*10 + int(c-'0')
		}
	}
	t = time.Date(v[0], time.Month(v[1]), v[2], v[3], v[4], v[5], 0, time.UTC)
	year, month, day := t.Date() // of a day that there is not, another one
	return t, dateOnly, year == v[0] && int(month) == v[1] && day == v[2] && v[3] < 24 && v[4] < 60 && v[5] < 60
}

// endOf is the last instant a valid_until holds: a date is meant through its
// end, UTC.
func endOf(t time.Time, dateOnly bool) time.Time {
	if dateOnly {
		return t.AddDate(0, 0, 1).Add(-time.Nanosecond)
	}
	return t
}

// readList reads a list: a YAML list of scalars, or one scalar, in which
// commas separate. ok is false for a mapping and for items that are no text.
func readList(n *node) (items []string, ok bool) {
	switch {
	case n == nil || n.null():
		return nil, true
	case n.kind == scalar:
		for s := range strings.SplitSeq(n.text, ",") {
			if s = strings.TrimSpace(s); s != "" {
				items = append(items, s)
			}
		}
		return items, true
	case n.kind != list:
		return nil, false
	}
	ok = true
	for i := range n.sub {
		switch s := &n.sub[i]; {
		case s.kind != scalar:
			ok = false
		case s.null() || strings.TrimSpace(s.text) == "":
		default:
			items = append(items, oneLine(s.text))
		}
	}
	return items, ok
}

// typedKeys are the keys that are read as a type, and what a person may write.
var typedKeys = []struct{ key, kind, want string }{
	{"pinned", "bool", "true or false"},
	{"valid_from", "time", "a date, as in 2026-01-31"},
	{"valid_until", "time", "a date, as in 2026-01-31"},
	{"provenance.created_at", "time", "a time, as in 2026-01-31T12:00:00Z"},
	{"provenance.updated_at", "time", "a time, as in 2026-01-31T12:00:00Z"},
	{"tags", "list", "a list of words, as in [testing, go]"},
	{"metadata.tags", "list", "a list of words, as in [testing, go]"},
	{"aliases", "list", "a list of ids or names"},
	{"links", "list", "a list of ids"},
	{"provenance.source_sessions", "list", "a list of conversations"},
	{"supersedes", "id", "the id of the memory it replaces"},
	{"name", "text", "text"},
	{"description", "text", "text"},
	{"hook", "text", "text"},
	{"type", "text", "user, feedback, project or reference"},
	{"metadata.type", "text", "user, feedback, project or reference"},
	{"key", "text", "text"},
	{"project", "text", "the slug of a project"},
	{"id", "text", "a ULID"},
}

// typeFaults are the typed keys whose value does not read as their type.
func (d *Document) typeFaults() (out []memsync.Finding) {
	for _, k := range typedKeys {
		n := lookup(d.keys, k.key)
		if n == nil || n.null() {
			continue
		}
		ok := n.kind == scalar
		switch k.kind {
		case "bool":
			if ok {
				_, ok = readBool(n.text)
			}
		case "time":
			if ok {
				_, _, ok = readTime(n.text)
			}
		case "id":
			if ok {
				_, err := memsync.ParseID(n.text)
				ok = err == nil
			}
		case "list":
			_, ok = readList(n)
		}
		if !ok {
			out = append(out, d.finding(memsync.FindValueInvalid, memsync.Warning, n.keyAt,
				k.key+" is not "+k.want+", and is ignored", "write "+k.want))
		}
	}
	return out
}
