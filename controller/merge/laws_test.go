package merge

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"memsync/internal/format"
)

// The generators are nasty on purpose: few different lines, so that duplicates
// and moves are everywhere; CRLF, BOM and missing final newlines; frontmatter
// on one side only; keys that change shape; text that does not parse.

var bodyLine = rapid.SampledFrom([]string{
	"alpha", "beta", "gamma.", "- item one", "- item two", "- item three", "  continued", "# Head", "## Head", "", "", "",
	"```", "---", "a: b", "<<<<<<< HEAD", "=======", "| x | y |", "> quote", "1. first", "\ttab", "trailing  ", "é", "---\n",
})

var headEntry = rapid.OneOf(
	rapid.Map(rapid.SampledFrom([]string{idA, idB, "42"}), func(s string) string { return "id: " + s }),
	rapid.Map(rapid.SampledFrom([]string{"A", "'A'", "B", "\"B: c\"", "C d", ""}), func(s string) string { return "name: " + s }),
	rapid.Map(rapid.SampledFrom([]string{"x", "y", ">\n  folded\n  text", "|\n  literal", "with: colon"}), func(s string) string { return "description: " + s }),
	rapid.Map(rapid.SampledFrom([]string{"user", "project", "odd"}), func(s string) string { return "type: " + s }),
	rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 4), func(s []string) string { return "tags: [" + strings.Join(s, ", ") + "]" }),
	rapid.Map(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3, rapid.ID), func(s []string) string { return "links:\n  - " + strings.Join(s, "\n  - ") }),
	rapid.SampledFrom([]string{"aliases: old", "aliases: [" + idA + "]", "pinned: true", "pinned: no", "uses: 3", "uses: 12", "uses: none", "# note one", "# note two",
		"created: 2026-01-02", "created: 2025-01-02 10:00", "modified: 2026-01-02T00:00:00Z", "modified: never",
		"provenance:\n  created_at: 2026-01-01\n  source_sessions: [s1]", "provenance:\n  created_at: 2026-01-02\n  source_sessions: [s2, s1]\n  confidence: low",
		"metadata: {type: user, modified: 2026-01-02}", "metadata: {type: project}", "metadata: flat", "meta:\n  - {a: b}\n  - c", "meta: &x [1]", "other: *x", "empty: {}", "\"quoted key\": v", "a | b: v"}),
)

// draft is a document in a form that can be changed a little.
type draft struct {
	head  []string // entries; nil: no frontmatter
	body  []string
	crlf  bool
	bom   bool
	open  bool
	blank bool // a blank line after the frontmatter
}

func drawDraft(t *rapid.T) draft {
	d := draft{body: rapid.SliceOfN(bodyLine, 0, 12).Draw(t, "body"), blank: rapid.Bool().Draw(t, "blank")}
	if rapid.IntRange(0, 3).Draw(t, "has head") > 0 {
		d.head = rapid.SliceOfN(headEntry, 0, 6).Draw(t, "head")
	}
	d.crlf, d.bom, d.open = rapid.IntRange(0, 4).Draw(t, "crlf") == 0, rapid.IntRange(0, 6).Draw(t, "bom") == 0, rapid.IntRange(0, 4).Draw(t, "open") == 0
	return d
}

func (d draft) bytes() []byte {
	var b strings.Builder
	if d.bom {
		b.WriteString(bom)
	}
	if d.head != nil {
		b.WriteString("---\n")
		seen := map[string]bool{}
		for _, e := range d.head {
			key, _, _ := strings.Cut(e, ":")
			if !seen[key] {
				b.WriteString(e + "\n")
			}
			seen[key] = true
		}
		b.WriteString("---\n")
		if d.blank {
			b.WriteString("\n")
		}
	}
	b.WriteString(strings.Join(d.body, "\n"))
	s := b.String()
	if !d.open && len(d.body) > 0 {
		s += "\n"
	}
	if d.crlf {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	return []byte(s)
}

// change edits a draft as a person would: a few entries, a few lines.
func (d draft) change(t *rapid.T) draft {
	list := func(in []string, gen *rapid.Generator[string], name string) []string {
		out := slices.Clone(in)
		for range rapid.IntRange(0, 3).Draw(t, name+" edits") {
			i := rapid.IntRange(0, len(out)).Draw(t, "at")
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				out = slices.Insert(out, i, gen.Draw(t, "insert"))
			case 1:
				if i < len(out) {
					out = slices.Delete(out, i, min(len(out), i+rapid.IntRange(1, 3).Draw(t, "n")))
				}
			case 2:
				if i < len(out) {
					out[i] = gen.Draw(t, "replace")
				}
			case 3: // move
				if i < len(out) {
					l := out[i]
					out = slices.Delete(out, i, i+1)
					out = slices.Insert(out, rapid.IntRange(0, len(out)).Draw(t, "to"), l)
				}
			}
		}
		return out
	}
	d.body = list(d.body, bodyLine, "body")
	if d.head != nil || rapid.IntRange(0, 9).Draw(t, "add head") == 0 {
		d.head = list(d.head, headEntry, "head")
	}
	switch rapid.IntRange(0, 12).Draw(t, "manners") {
	case 0:
		d.crlf = !d.crlf
	case 1:
		d.bom = !d.bom
	case 2:
		d.open = !d.open
	case 3:
		d.head = nil
	case 4:
		d.blank = !d.blank
	}
	return d
}

func drawTriple(t *rapid.T) (base, a, b Version) {
	when := rapid.Custom(func(t *rapid.T) time.Time {
		n := rapid.IntRange(0, 4).Draw(t, "hour")
		if n == 0 {
			return time.Time{}
		}
		return monday.Add(time.Duration(n) * time.Hour)
	})
	d := drawDraft(t)
	base = Version{Bytes: d.bytes(), Time: when.Draw(t, "time")}
	a = Version{Bytes: d.change(t).bytes(), Time: when.Draw(t, "time")}
	b = Version{Bytes: d.change(t).bytes(), Time: when.Draw(t, "time")}
	switch rapid.IntRange(0, 14).Draw(t, "absent") {
	case 0:
		base.Bytes = nil
	case 1:
		a.Bytes = nil
	case 2:
		b.Bytes = []byte{}
	case 3:
		base.Bytes = drawDraft(t).bytes()
	}
	return base, a, b
}

func show(base, a, b Version, r Result) string {
	s := fmt.Sprintf("base %q\na    %v %q\nb    %v %q\ngot  %q", base.Bytes, a.Time, a.Bytes, b.Time, b.Bytes, r.Bytes)
	for _, c := range r.Conflicts {
		s += fmt.Sprintf("\n%s %s: %q", c.Kind, c.Key, c.Bytes)
	}
	return s
}

func TestLawSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, a, b := drawTriple(t)
		r, s := Merge(base, a, b, limits), Merge(base, b, a, limits)
		if d := cmp.Diff(r, s); d != "" {
			t.Fatalf("%s\n%s", d, show(base, a, b, r))
		}
		if d := cmp.Diff(Lines(base, a, b), Lines(base, b, a)); d != "" {
			t.Fatalf("by lines: %s\n%s", d, show(base, a, b, r))
		}
	})
}

func TestLawTrivialMerges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, a, b := drawTriple(t)
		r := Merge(base, a, b, limits)
		joined := Version{Bytes: r.Bytes, Time: b.Time}
		for _, x := range []Version{a, b, joined} {
			for name, got := range map[string]Result{
				"Merge(b,x,x)": Merge(base, x, x, limits), "Merge(b,b,x)": Merge(base, base, x, limits), "Merge(b,x,b)": Merge(base, x, base, limits),
				"Lines(b,x,x)": Lines(base, x, x), "Lines(b,b,x)": Lines(base, base, x), "Lines(b,x,b)": Lines(base, x, base),
			} {
				if !same(got.Bytes, x.Bytes) || len(got.Conflicts) > 0 {
					t.Fatalf("%s = %q, want %q, %v", name, got.Bytes, x.Bytes, got.Conflicts)
				}
			}
		}
	})
}

func parses(v []byte) bool {
	_, err := format.Parse(v, limits)
	return v != nil && err == nil
}

func TestLawParses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, a, b := drawTriple(t)
		r := Merge(base, a, b, limits)
		if parses(a.Bytes) && parses(b.Bytes) && !parses(r.Bytes) {
			t.Fatal(show(base, a, b, r))
		}
		had := slices.Concat(lines(string(a.Bytes)), lines(string(b.Bytes)), lines(string(base.Bytes)))
		for _, l := range lines(string(r.Bytes)) {
			if marker.MatchString(l) && !slices.Contains(had, l) {
				t.Fatalf("marker %q\n%s", l, show(base, a, b, r))
			}
		}
		for _, c := range r.Conflicts {
			if _, err := ParseRecord(c.Bytes); err != nil {
				t.Fatalf("%v\n%s", err, show(base, a, b, r))
			}
		}
	})
}

// conflictLines are the lines of everything that conflicts keep.
func conflictLines(t *rapid.T, r Result) (out []string) {
	for _, c := range r.Conflicts {
		rec, err := ParseRecord(c.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range rec.Places {
			if p.Lost != nil {
				out = append(out, lines(p.Lost.Text)...)
				out = append(out, p.Lost.List...)
			}
		}
	}
	return out
}

// Every line that a side wrote in the body, and every comment in the header,
// is in the result or in a conflict; so is every header value, but for dates
// and counters, where the rule says that one of them is the answer, and for
// what a three-way set decides.
func TestLawNoLineLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, a, b := drawTriple(t)
		if a.Bytes == nil || b.Bytes == nil || base.Bytes == nil || bytes.Equal(a.Bytes, base.Bytes) || bytes.Equal(b.Bytes, base.Bytes) {
			return // nothing to join
		}
		r := Merge(base, a, b, limits)
		kept := append(lines(string(r.Bytes)), conflictLines(t, r)...)
		text := strings.Join(kept, "\n")

		da, aok := parse(a, limits)
		db, bok := parse(b, limits)
		dbase, baseok := parse(base, limits)
		if !aok || !bok {
			checkKept(t, lines(string(base.Bytes)), lines(string(a.Bytes)), lines(string(b.Bytes)), kept, nil)
			return
		}
		if !baseok {
			dbase = document{body: lines(string(base.Bytes))}
		}
		checkKept(t, dbase.body, da.body, db.body, kept, nil)
		result, err := format.Parse(r.Bytes, limits)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []document{da, db} {
			if slices.ContainsFunc(r.Conflicts, func(c Conflict) bool { return bytes.Contains(c.Bytes, d.Bytes) }) {
				continue // wholly kept
			}
			for _, l := range d.head {
				if c := strings.TrimSpace(l); strings.HasPrefix(c, "#") && !strings.Contains(text, c) && !slices.Contains(dbase.head, l) {
					t.Fatalf("comment %q\n%s", c, show(base, a, b, r))
				}
			}
			for _, k := range d.doc.Keys() {
				was, had := dbase.get(k.Name)
				if had && equalValue(was, k.Value) {
					continue
				}
				now, ok := result.Get(k.Name)
				switch kindOf(k.Name) {
				case set:
					for _, x := range elements(k.Value, true) {
						if !slices.Contains(elements(was, had), x) && !slices.Contains(elements(now, ok), x) && !strings.Contains(text, x) {
							t.Fatalf("%s lacks %q\n%s", k.Name, x, show(base, a, b, r))
						}
					}
				case identity:
					if !strings.Contains(text, strings.TrimSpace(k.Value.Text)) {
						t.Fatalf("id %q\n%s", k.Value.Text, show(base, a, b, r))
					}
				case created, touched, unknown:
				default:
					if !(ok && equalValue(now, k.Value)) && !strings.Contains(text, strings.TrimSpace(k.Value.Text)) {
						t.Fatalf("%s: %q\n%s", k.Name, k.Value.Text, show(base, a, b, r))
					}
				}
			}
		}
	})
}
