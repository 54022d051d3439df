package ledger

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"memsync"
)

func TestFileName(t *testing.T) {
	when := at("2026-04-01T00:30:00+02:00") // March in UTC
	for n, want := range map[int]string{0: "2026-03.C1.jsonl", 1: "2026-03.C1-1.jsonl", 12: "2026-03.C1-12.jsonl"} {
		got := FileName(when, "C1", n)
		if got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
		month, clone, back, ok := ParseFileName(got)
		if !ok || month != "2026-03" || clone != "C1" || back != n {
			t.Errorf("%s reads as %s %s %d %v", got, month, clone, back, ok)
		}
	}
	for _, name := range []string{
		"", "2026-03.jsonl", "2026-13.C1.jsonl", "2026-3.C1.jsonl", "2026-03.C1-0.jsonl", "2026-03.C1-01.jsonl", "2026-03.C1-x.jsonl",
		"2026-03.C1-1-2.jsonl", "2026-03.C1.json", "2026-03..jsonl", "2026-03.a b.jsonl", "2026-03.C1.jsonl~", "2026-03.C1.x.jsonl",
		"2026-03.C1.sync-conflict-20260102.jsonl", "2026-03.C1-99999999999999999999.jsonl",
	} {
		if _, _, _, ok := ParseFileName(name); ok {
			t.Errorf("%q is taken for a ledger file", name)
		}
	}
}

func TestNextFile(t *testing.T) {
	march, april := at("2026-03-31T10:00:00Z"), at("2026-04-01T10:00:00Z")
	own := "own lines\n"
	for name, tc := range map[string]struct {
		at    time.Time
		last  string
		wrote string
		tree  map[string]string
		want  string
	}{
		"the first line ever":                   {march, "", "", nil, "2026-03.C1.jsonl"},
		"exactly what was written last":         {march, "2026-03.C1.jsonl", own, map[string]string{"2026-03.C1.jsonl": own}, "2026-03.C1.jsonl"},
		"somebody appended":                     {march, "2026-03.C1.jsonl", own, map[string]string{"2026-03.C1.jsonl": own + "x\n"}, "2026-03.C1-1.jsonl"},
		"same length, other bytes":              {march, "2026-03.C1.jsonl", own, map[string]string{"2026-03.C1.jsonl": "OWN lines\n"}, "2026-03.C1-1.jsonl"},
		"a checkout took it away":               {march, "2026-03.C1.jsonl", own, nil, "2026-03.C1-1.jsonl"},
		"the next number is taken":              {march, "2026-03.C1.jsonl", own, map[string]string{"2026-03.C1-1.jsonl": "y\n"}, "2026-03.C1-2.jsonl"},
		"a later number, changed":               {march, "2026-03.C1-4.jsonl", own, map[string]string{"2026-03.C1.jsonl": own}, "2026-03.C1-5.jsonl"},
		"a later number, as written":            {march, "2026-03.C1-4.jsonl", own, map[string]string{"2026-03.C1-4.jsonl": own}, "2026-03.C1-4.jsonl"},
		"local state was lost":                  {march, "", "", map[string]string{"2026-03.C1.jsonl": own}, "2026-03.C1-1.jsonl"},
		"a new month":                           {april, "2026-03.C1.jsonl", own, map[string]string{"2026-03.C1.jsonl": own}, "2026-04.C1.jsonl"},
		"a new month after a numbered file":     {april, "2026-03.C1-4.jsonl", own, nil, "2026-04.C1.jsonl"},
		"another clone's state, copied":         {march, "2026-03.C2.jsonl", own, map[string]string{"2026-03.C2.jsonl": own}, "2026-03.C1.jsonl"},
		"a name nobody could have written last": {march, "nonsense", own, map[string]string{"nonsense": own}, "2026-03.C1.jsonl"},
	} {
		got := NextFile(tc.at, "C1", tc.last, int64(len(tc.wrote)), memsync.HashOf([]byte(tc.wrote)), func(name string) ([]byte, bool) {
			data, ok := tc.tree[name]
			return []byte(data), ok
		})
		if got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

func TestDerivedID(t *testing.T) {
	when := at("2026-03-07T11:20:09.001Z")
	got := DerivedID(when, "c0ffee", "a.md", "delete")
	// On the disk of every store: must never change.
	if want := memsync.ID("01KK40DDH9ZARVZVWR2Q58X3HC"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := memsync.ParseID(string(got)); err != nil {
		t.Error(err)
	}
	if !got.Time().Equal(when) {
		t.Errorf("it carries %s", got.Time())
	}
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SliceOf(rapid.StringMatching(`[a-c/]{0,3}`))
		a, b := part.Draw(t, "a"), part.Draw(t, "b")
		equal := len(a) == len(b)
		for i := range a {
			equal = equal && a[i] == b[i]
		}
		if (DerivedID(when, a...) == DerivedID(when, b...)) != equal {
			t.Fatalf("%q and %q", a, b)
		}
	})
}
