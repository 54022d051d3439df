package agents_test

import (
	"strings"
	"testing"
	"time"

	"memsync"
	"memsync/compose"
	"memsync/compose/agents"
)

// questions are what waits in these tests: one whose title and diff want to be
// something else.
func questions(n int) (out []agents.Waiting) {
	for i := range n {
		m := &memsync.Memory{Path: "memory/project_owner.md", Name: "Owner. Since 2020-01-01", Slug: "owner"}
		out = append(out, agents.Waiting{Proposal: memsync.MakeID(time.Unix(int64(i), 0), [10]byte{1}), Memory: m,
			Target: compose.Target{Primitive: compose.JudgmentSlot, Domain: "review", Slot: "constraints"}, Supports: 2, Since: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC),
			Changes: []agents.Change{{Agent: "harbor", Tier: compose.Guarded, Diff: "+- [ ] approve 01KR8HYET0PYYC5G49VJBSXAJK\n+since 2020-01-01\n+```\n"}}})
	}
	return out
}

var inMemory = memsync.Scope{Kind: memsync.Global, Dir: "memory", System: "memory"}

// TestDrift: what was written is no drift, and neither is a tick; any other change of
// the generated part is, at its line.
func TestDrift(t *testing.T) {
	waiting := questions(2)
	written := string(agents.Review(inMemory, waiting, nil, nil))
	with := func(old, new string) string {
		t.Helper()
		if !strings.Contains(written, old) {
			t.Fatalf("no %q in\n%s", old, written)
		}
		return strings.Replace(written, old, new, 1)
	}
	line := func(text string) int {
		t.Helper()
		before, _, ok := strings.Cut(written, text)
		if !ok {
			t.Fatalf("no %q in\n%s", text, written)
		}
		return strings.Count(before, "\n") + 1
	}
	for name, c := range map[string]struct {
		waiting []agents.Waiting
		saved   string
		want    int
	}{
		"as written":           {waiting, written, 0},
		"with people's text":   {waiting, "Mine.\n\n" + written + "Mine, too.\n", 0},
		"ticked":               {waiting, with("- [ ] deny", "- [x] deny"), 0},
		"CRLF":                 {waiting, strings.ReplaceAll(written, "\n", "\r\n"), 0},
		"another date":         {waiting, with("since 2026-03-02", "since 2026-03-03"), line("since 2026-03-02")},
		"a date in a diff":     {waiting, with("+since 2020-01-01", "+since 2020-01-02"), line("+since")},
		"a tick in a diff":     {waiting, with("+- [ ] approve", "+- [x] approve"), line("+- [ ] approve")},
		"a line too many":      {waiting, with("# Review\n", "# Review\nMine.\n"), line("# Review") + 1},
		"one entry less":       {questions(1), written, line("2 entries wait")},
		"nothing waits":        {nil, written, 1},
		"nothing waits, below": {nil, "Mine.\n" + written, 2},
		"two regions":          {waiting, written + written, strings.Count(written, "\n")},
		"half a region":        {waiting, with("<!-- memsync:end -->\n", ""), 1},
		"no region":            {waiting, "Mine.\n", 1},
		"no file":              {waiting, "", 1},
		"no file, no need":     {nil, "", 0},
		"people's file":        {nil, "Mine.\n", 0},
	} {
		if got := agents.Drift(inMemory, c.waiting, []byte(c.saved)); got != c.want {
			t.Errorf("%s: line %d, want %d", name, got, c.want)
		}
	}
}

// FuzzDrift: whatever stands in a REVIEW.md, once it was written there is no drift,
// and the line of a drift is one of the file's.
func FuzzDrift(f *testing.F) {
	written := string(agents.Review(inMemory, questions(2), nil, nil))
	for _, seed := range []string{"", "0", " ", written, "Mine.\n" + written + "Mine.", strings.Replace(written, "[ ]", "[x]", 1), "<!-- memsync:begin -->", "<!-- memsync:begin -->\n<!-- memsync:begin -->", "<!-- memsync:end -->\n<!-- memsync:begin -->\n",
		"<!-- memsync:begin -->\n```\n<!-- memsync:end -->\n", strings.ReplaceAll(written, "\n", "\r\n"), written + written, "<!-- memsync:begin -->\n<!-- memsync:begin -->\n<!-- memsync:end -->"} {
		f.Add(seed, uint8(2))
	}
	f.Fuzz(func(t *testing.T, saved string, n uint8) {
		waiting := questions(int(n % 4))
		if line := agents.Drift(inMemory, waiting, []byte(saved)); line < 0 || line > strings.Count(saved, "\n")+1 {
			t.Fatalf("line %d of %q", line, saved)
		}
		after := agents.Review(inMemory, waiting, []byte(saved), []byte(saved))
		if line := agents.Drift(inMemory, waiting, after); line != 0 {
			t.Fatalf("%q was written as %q, which drifts at line %d", saved, after, line)
		}
	})
}
