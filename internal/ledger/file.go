package ledger

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"memsync"
)

// Parse reads a ledger file. A line that cannot be read is skipped and
// reported with its place (MS603), never quoted. An event that stands twice,
// as after a merge by lines, is returned once; two different events under one
// id are both returned, because only Fold sees every file and drops them all.
// An op that this program does not know is an event like any other, which
// Fold keeps and ignores.
func Parse(file memsync.Path, data []byte) ([]memsync.LedgerEvent, []memsync.Finding) {
	events := make([]memsync.LedgerEvent, 0, bytes.Count(data, []byte{'\n'})+1)
	var findings []memsync.Finding
	first := make(map[memsync.ID]int, cap(events)) // index of the first event with an id
	for n := 1; len(data) > 0; n++ {
		var l []byte
		l, data, _ = bytes.Cut(data, []byte{'\n'})
		l = bytes.TrimSuffix(l, []byte{'\r'})
		if len(bytes.TrimSpace(l)) == 0 {
			continue
		}
		e, column, err := parseLine(l)
		if err != nil {
			findings = append(findings, memsync.Finding{
				Code: memsync.FindLedgerLine, Severity: memsync.Warning, Path: file, Line: n, Column: column,
				Message: "a ledger line cannot be read: " + err.Error(),
				Hint:    "the line is skipped and every other line counts; `git log -p -- " + string(file) + "` shows where it came from",
			})
			continue
		}
		if i, seen := first[e.ID]; !seen {
			first[e.ID] = len(events)
		} else if repeats(events[i:], &e) {
			continue
		}
		events = append(events, e)
	}
	return events, findings
}

func repeats(events []memsync.LedgerEvent, e *memsync.LedgerEvent) bool {
	return slices.ContainsFunc(events, func(other memsync.LedgerEvent) bool {
		return other.ID == e.ID && same(&other, e)
	})
}

// same reports whether two events say the same, to the byte.
func same(a, b *memsync.LedgerEvent) bool {
	return bytes.Equal(appendLine(nil, a), appendLine(nil, b))
}

// Append is the file with events added; an unfinished last line is ended
// first, never altered. The result shares no memory with existing.
func Append(existing []byte, events ...memsync.LedgerEvent) []byte {
	out := make([]byte, len(existing), len(existing)+1+320*len(events)) // a line is about 300 bytes
	copy(out, existing)
	if len(events) == 0 {
		return out
	}
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	for i := range events {
		out = appendLine(out, &events[i])
	}
	return out
}

// FileName is "<yyyy-mm>.<clone>.jsonl", or "<yyyy-mm>.<clone>-<n>.jsonl" for
// n > 0. The month is that of at in UTC; clone is letters and digits.
func FileName(at time.Time, clone string, n int) string {
	return fileName(at.UTC().Format("2006-01"), clone, n)
}

func fileName(month, clone string, n int) string {
	if n > 0 {
		return fmt.Sprintf("%s.%s-%d.jsonl", month, clone, n)
	}
	return month + "." + clone + ".jsonl"
}

// ParseFileName takes the name of a ledger file apart; ok is false for any
// other name. n is 0 for the first file of a month.
func ParseFileName(name string) (month, clone string, n int, ok bool) {
	stem, found := strings.CutSuffix(name, ".jsonl")
	if !found {
		return "", "", 0, false
	}
	month, clone, found = strings.Cut(stem, ".")
	if !found {
		return "", "", 0, false
	}
	if _, err := time.Parse("2006-01", month); err != nil {
		return "", "", 0, false
	}
	if left, right, dashed := strings.Cut(clone, "-"); dashed {
		number, err := strconv.Atoi(right)
		if err != nil || number < 1 || strconv.Itoa(number) != right {
			return "", "", 0, false
		}
		clone, n = left, number
	}
	if clone == "" || strings.ContainsFunc(clone, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		return "", "", 0, false
	}
	return month, clone, n, true
}

// NextFile names the file that clone appends to at a time. last* is what this
// clone wrote last, from its local state: name, length and hash of the whole
// file; "" for nothing yet. current reads a file of the ledger directory, ok
// false where there is none.
//
// A file that is not exactly what was written last is never appended to: a
// merge, a checkout or another copy of the clone has touched it, and lines of
// two histories in one place would collide. The next free number is taken.
func NextFile(at time.Time, clone, lastName string, lastLen int64, lastHash memsync.Hash, current func(name string) (data []byte, ok bool)) string {
	month, n := at.UTC().Format("2006-01"), 0
	if lastMonth, lastClone, lastN, ok := ParseFileName(lastName); ok && lastMonth == month && lastClone == clone {
		data, there := current(lastName)
		if there && int64(len(data)) == lastLen && memsync.HashOf(data) == lastHash {
			return lastName
		}
		n = lastN + 1
	}
	for {
		name := fileName(month, clone, n)
		if _, taken := current(name); !taken {
			return name
		}
		n++
	}
}
