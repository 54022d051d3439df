package merge

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"memsync"
	"memsync/internal/format"
)

var (
	limits = memsync.DefaultLimits()
	monday = time.Date(2026, 4, 13, 9, 0, 0, 0, time.UTC)
)

const (
	idA = "01JNB2Q0T7ZC4X9V8M5H3K2RDA"
	idB = "01JNB2Q0T7ZC4X9V8M5H3K2RDB"
)

func at(s string, hours int) Version {
	return Version{Bytes: []byte(s), Time: monday.Add(time.Duration(hours) * time.Hour)}
}

func read(t testing.TB, b []byte) *format.Document {
	t.Helper()
	d, err := format.Parse(b, limits)
	if err != nil {
		t.Fatalf("does not parse: %v\n%s", err, b)
	}
	return d
}

// both merges in both directions and insists on one answer.
func both(t testing.TB, base, a, b Version) Result {
	t.Helper()
	r, s := Merge(base, a, b, limits), Merge(base, b, a, limits)
	if d := cmp.Diff(r, s); d != "" {
		t.Fatalf("not symmetric:\n%s", d)
	}
	return r
}

// header makes a memory of frontmatter lines and a fixed body.
func memory(head string) string { return "---\n" + head + "---\n\nBody.\n" }

// One row per sentence about keys. The first side is the earlier one.
func TestKeys(t *testing.T) {
	const none = ""
	for _, c := range []struct {
		name, base, early, late, want string
		lost                          string // key=value of the conflict
	}{
		{"one-sided changes are taken", "a: x\nb: x\n", "a: y\nb: x\n", "a: x\nb: y\n", "a: y\nb: y\n", none},
		{"a one-sided removal is taken", "a: x\nb: x\n", "b: x\n", "a: x\nb: y\n", "b: y\n", none},
		{"a one-sided addition is taken", "a: x\n", "a: x\nc: z\n", "a: y\n", "a: y\nc: z\n", none},
		{"additions of both", "a: x\n", "a: x\nc: early\n", "a: x\nd: late\n", "a: x\nc: early\nd: late\n", none},
		{"id: the smaller, the other an alias", "a: x\n", "id: " + idB + "\na: x\n", "id: " + idA + "\na: x\n",
			"id: " + idA + "\na: x\naliases: [" + idB + "]\n", none},
		{"id: the smaller, whoever wrote it", "a: x\n", "id: " + idA + "\na: x\n", "id: " + idB + "\na: x\n",
			"id: " + idA + "\na: x\naliases: [" + idB + "]\n", none},
		{"id: aliases are there already", "aliases: [q]\n", "id: " + idA + "\naliases: [q, r]\n", "id: " + idB + "\naliases: [q]\n",
			"id: " + idA + "\naliases: [q, r, " + idB + "]\n", none},
		{"scalar: the later version's", "name: x\n", "name: early\n", "name: late\n", "name: late\n", "name=early"},
		{"scalar: later removed it", "name: x\na: b\n", "name: early\na: b\n", "a: b\n", "a: b\n", "name=early"},
		{"scalar: later changed it", "name: x\na: b\n", "a: b\n", "name: late\na: b\n", "name: late\na: b\n", "name="},
		{"created_at: the earlier", "created_at: 2026-01-05\n", "created_at: 2026-01-02\n", "created_at: 2026-01-03T00:00:00Z\n", "created_at: 2026-01-02\n", none},
		{"updated_at: the later, as written", "updated_at: 2026-01-01\n", "updated_at: 2026-01-03T01:00:00+02:00\n", "updated_at: 2026-01-02\n", "updated_at: 2026-01-03T01:00:00+02:00\n", none},
		{"nested dates", "provenance:\n  created_at: 2026-01-05\n  updated_at: 2026-01-05\n", "provenance:\n  created_at: 2026-01-02\n  updated_at: 2026-01-08\n",
			"provenance:\n  created_at: 2026-01-01\n  updated_at: 2026-01-07\n", "provenance:\n  created_at: 2026-01-01\n  updated_at: 2026-01-08\n", none},
		{"modified in the metadata dialect", "metadata:\n  type: user\n  modified: 2026-01-05T00:00:00.000Z\n", "metadata:\n  type: user\n  modified: 2026-01-06T00:00:00.000Z\n",
			"metadata:\n  type: user\n  modified: 2026-01-05T12:00:00.000Z\n", "metadata:\n  type: user\n  modified: 2026-01-06T00:00:00.000Z\n", none},
		{"a date a day ahead of its commit counts as the commit's", "updated_at: 2026-01-01\n", "updated_at: 2099-01-01\n", "updated_at: 2026-04-13T11:00:00Z\n", "updated_at: 2026-04-13T11:00:00Z\n", none},
		{"what is no date is a scalar", "updated_at: 2026-01-01\n", "updated_at: 2026-01-02\n", "updated_at: yesterday\n", "updated_at: yesterday\n", "updated_at=2026-01-02"},
		{"valid_until says something and is a scalar", "valid_until: 2026-01-01\n", "valid_until: 2026-03-01\n", "valid_until: 2026-02-01\n", "valid_until: 2026-02-01\n", "valid_until=2026-03-01"},
		{"integers under unknown keys: the larger", "uses: 3\n", "uses: 10\n", "uses: 4\n", "uses: 10\n", none},
		{"negative ones too", "uses: 3\n", "uses: -10\n", "uses: -4\n", "uses: -4\n", none},
		{"integers under known keys are scalars", "name: 3\n", "name: 10\n", "name: 4\n", "name: 4\n", "name=10"},
		{"00123 is a text", "code: 1\n", "code: 00123\n", "code: 2\n", "code: 2\n", "code=00123"},
		{"pinned is a scalar", "pinned: no\n", "pinned: true\n", "pinned: false\n", "pinned: false\n", "pinned=true"},
		{"tags: additions of both", "tags: [a]\n", "tags: [a, b]\n", "tags: [c, a]\n", "tags: [c, a, b]\n", none},
		{"tags: removals of either", "tags: [a, b, c]\n", "tags: [b, c, d]\n", "tags: [a, c, e]\n", "tags: [c, e, d]\n", none},
		{"tags: a removed key is an empty set", "name: n\ntags: [a, b]\n", "name: n\n", "name: n\ntags: [a, b, c]\n", "name: n\ntags: [c]\n", none},
		{"tags: all gone", "name: n\ntags: [a, b]\n", "name: n\ntags: [a]\n", "name: n\ntags: [b]\n", "name: n\ntags: []\n", none},
		{"tags as a block stay a block", "tags:\n  - a\n", "tags:\n  - a\n  - b\n", "tags:\n  - a\n  - c\n", "tags:\n  - a\n  - c\n  - b\n", none},
		{"sessions are a set", "provenance:\n  source_sessions: [a]\n", "provenance:\n  source_sessions: [a, b]\n", "provenance:\n  source_sessions: [a, c]\n", "provenance:\n  source_sessions: [a, c, b]\n", none},
		{"other unknown keys are scalars, in their place", "x: 1\nstatus: a\ny: 1\n", "x: 1\nstatus: early\ny: 1\n", "x: 1\nstatus: late\ny: 1\n", "x: 1\nstatus: late\ny: 1\n", "status=early"},
		{"comments of both stay", "a: x\nb: x\n", "# early\na: x\nb: x\n", "a: x\nb: y\n# late\n", "# early\na: x\nb: y\n# late\n", none},
		{"quoting stays", "a: 'x'\nb: \"x\"\n", "a: 'y: z'\nb: \"x\"\n", "a: 'x'\nb: \"\\u0041\"\n", "a: 'y: z'\nb: \"\\u0041\"\n", none},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := both(t, at(memory(c.base), 0), at(memory(c.early), 1), at(memory(c.late), 2))
			if d := cmp.Diff(memory(c.want), string(r.Bytes)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
			var lost []string
			for _, cf := range r.Conflicts {
				rec, err := ParseRecord(cf.Bytes)
				if err != nil {
					t.Fatal(err)
				}
				if cf.Kind != Scalar || rec.Key != cf.Key || len(rec.Places) != 1 {
					t.Fatalf("unexpected conflict %s\n%s", cf.Kind, cf.Bytes)
				}
				v := ""
				if rec.Places[0].Lost != nil {
					v = rec.Places[0].Lost.Text
				}
				lost = append(lost, rec.Key+"="+v)
			}
			var want []string
			if c.lost != none {
				want = []string{c.lost}
			}
			if !slices.Equal(lost, want) {
				t.Errorf("lost %q, want %q", lost, want)
			}
		})
	}
}

func TestScalarTieGoesToTheLargerBytes(t *testing.T) {
	base := Version{Bytes: []byte(memory("name: m\nz: a\n"))}
	small, large := Version{Bytes: []byte(memory("name: a\nz: b\n"))}, Version{Bytes: []byte(memory("name: z\nz: a\n"))}
	r := both(t, base, small, large)
	if v, _ := read(t, r.Bytes).Get("name"); v.Text != "z" {
		t.Errorf("name %q", v.Text)
	}
	if len(r.Conflicts) != 1 || r.Conflicts[0].Key != "name" {
		t.Errorf("conflicts %v", r.Conflicts)
	}
}

const q50base = `---
id: 01JNB2Q0T7ZC4X9V8M5H3K2RDF
name: Deploy
description: How we deploy
type: project
tags: [ops, old]
uses: 3
provenance:
  created_at: 2026-04-01T00:00:00Z
  updated_at: 2026-04-10T00:00:00Z
---

# Deploy

We deploy on Monday.

Ask the lead first.
`

// Two machines change a date, a counter, tags and different paragraphs: git
// conflicts in the frontmatter, this does not.
func TestQ50FrontmatterOnlyConflict(t *testing.T) {
	a := strings.NewReplacer("uses: 3", "uses: 4", "2026-04-10T", "2026-04-13T", "[ops, old]", "[ops, ci]", "on Monday", "on Tuesday").Replace(q50base)
	b := strings.NewReplacer("uses: 3", "uses: 7", "2026-04-10T", "2026-04-12T", "[ops, old]", "[ops, old, release]", "the lead", "two leads").Replace(q50base)
	want := strings.NewReplacer("uses: 3", "uses: 7", "2026-04-10T", "2026-04-13T", "[ops, old]", "[ops, release, ci]",
		"on Monday", "on Tuesday", "the lead", "two leads").Replace(q50base)
	r := both(t, at(q50base, 0), at(a, 1), at(b, 2))
	if d := cmp.Diff(want, string(r.Bytes)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if len(r.Conflicts) != 0 {
		t.Errorf("conflicts: %s", r.Conflicts[0].Bytes)
	}
}

func TestQ51SameSentence(t *testing.T) {
	a, b := strings.Replace(q50base, "on Monday", "on Tuesday", 1), strings.Replace(q50base, "on Monday", "on Friday", 1)
	r := both(t, at(q50base, 0), at(a, 1), at(b, 2))
	if string(r.Bytes) != b {
		t.Errorf("the later version is not in place:\n%s", r.Bytes)
	}
	if len(r.Conflicts) != 1 || r.Conflicts[0].Kind != Body {
		t.Fatalf("conflicts: %v", r.Conflicts)
	}
	rec, err := ParseRecord(r.Conflicts[0].Bytes)
	if err != nil {
		t.Fatal(err)
	}
	want := Record{Kind: Body, Memory: "01JNB2Q0T7ZC4X9V8M5H3K2RDF", Kept: monday.Add(2 * time.Hour), Lost: monday.Add(time.Hour),
		Places: []Place{{Base: lineValue([]string{"We deploy on Monday."}), Kept: lineValue([]string{"We deploy on Friday."}), Lost: lineValue([]string{"We deploy on Tuesday."})}}}
	if d := cmp.Diff(want, rec); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// What is left of Q52 here: an index merges by lines without loss; its exact
// bytes are generated from the merged tree.
func TestQ52IndexByLines(t *testing.T) {
	base := "# Mine\n\n<!-- memsync:begin -->\n## user\n\n- [A](user_a.md) — a\n<!-- memsync:end -->\n"
	a := strings.Replace(base, "— a\n", "— a\n- [M1](user_m1.md) — one\n", 1)
	b := strings.Replace(base, "— a\n", "— a\n- [M2](user_m2.md) — two\n", 1)
	r, s := Lines(at(base, 0), at(a, 1), at(b, 2)), Lines(at(base, 0), at(b, 2), at(a, 1))
	if d := cmp.Diff(r, s); d != "" {
		t.Errorf("not symmetric\n%s", d)
	}
	want := strings.Replace(base, "— a\n", "— a\n- [M1](user_m1.md) — one\n- [M2](user_m2.md) — two\n", 1)
	if d := cmp.Diff(want, string(r.Bytes)); d != "" || len(r.Conflicts) > 0 {
		t.Errorf("conflicts %v, -want +got\n%s", r.Conflicts, d)
	}
}

func TestDeleteAgainstEdit(t *testing.T) {
	base, gone := at(q50base, 0), Version{Time: monday.Add(3 * time.Hour)}
	edited := at(strings.Replace(q50base, "Monday", "Friday", 1), 1)
	for _, c := range []struct {
		name       string
		base, a, b Version
		want       []byte
		kinds      []string
	}{
		{"delete against edit: the edit stays", base, gone, edited, edited.Bytes, []string{DeleteEdit}},
		{"delete against no change", base, gone, base, nil, nil},
		{"deleted on both sides", base, gone, gone, nil, nil},
		{"added on one side", Version{}, Version{}, edited, edited.Bytes, nil},
		{"an empty file is a file", base, gone, Version{Bytes: []byte{}}, []byte{}, []string{DeleteEdit}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := both(t, c.base, c.a, c.b)
			if !same(r.Bytes, c.want) {
				t.Errorf("got %q, want %q", r.Bytes, c.want)
			}
			var kinds []string
			for _, cf := range r.Conflicts {
				kinds = append(kinds, cf.Kind)
				rec, err := ParseRecord(cf.Bytes)
				if err != nil || rec.Memory != "01JNB2Q0T7ZC4X9V8M5H3K2RDF" || !rec.Lost.Equal(gone.Time) {
					t.Errorf("record %+v, %v", rec, err)
				}
			}
			if !slices.Equal(kinds, c.kinds) {
				t.Errorf("conflicts %q, want %q", kinds, c.kinds)
			}
		})
	}
}

func TestBothAddedTheSameFile(t *testing.T) {
	a := "---\nid: " + idB + "\nname: N\ntags: [x]\n---\n\nShared.\n\nFrom a.\n"
	b := "---\nid: " + idA + "\nname: N\ntype: user\ntags: [y]\n---\n\nShared.\n\nFrom b.\n"
	r := both(t, Version{}, at(a, 1), at(b, 2))
	want := "---\nid: " + idA + "\nname: N\ntype: user\ntags: [y, x]\naliases: [" + idB + "]\n---\n\nShared.\n\nFrom b.\n"
	if d := cmp.Diff(want, string(r.Bytes)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if len(r.Conflicts) != 1 || r.Conflicts[0].Kind != Body || !bytes.Contains(r.Conflicts[0].Bytes, []byte("From a.")) {
		t.Errorf("conflicts %v", r.Conflicts)
	}
}

func TestLineEndsAndBOM(t *testing.T) {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	a, b := strings.Replace(q50base, "Monday", "Friday", 1), strings.Replace(q50base, "the lead", "two leads", 1)
	want := strings.Replace(b, "Monday", "Friday", 1)
	for _, c := range []struct{ name, base, early, late, want string }{
		{"CRLF that both have stays", crlf(q50base), crlf(a), crlf(b), crlf(want)},
		{"BOM that both have stays", bom + q50base, bom + a, bom + b, bom + want},
		{"a side that changed to CRLF did so for both", q50base, crlf(a), b, crlf(want)},
		{"a side that took the BOM away did so for both", bom + q50base, a, bom + b, want},
		{"the missing final newline stays missing", strings.TrimSuffix(q50base, "\n"), strings.TrimSuffix(a, "\n"), strings.TrimSuffix(b, "\n"), strings.TrimSuffix(want, "\n")},
		{"a final newline that one side added is there", strings.TrimSuffix(q50base, "\n"), a, strings.TrimSuffix(b, "\n"), want},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := both(t, at(c.base, 0), at(c.early, 1), at(c.late, 2))
			if d := cmp.Diff(c.want, string(r.Bytes)); d != "" || len(r.Conflicts) > 0 {
				t.Errorf("conflicts %v, -want +got\n%s", r.Conflicts, d)
			}
		})
	}
	t.Run("without a base the later's", func(t *testing.T) {
		r := both(t, Version{}, at(crlf(a), 1), at(b, 2))
		if bytes.Contains(r.Bytes, []byte("\r")) {
			t.Errorf("%q", r.Bytes)
		}
	})
}

func TestFrontmatterOnOneSide(t *testing.T) {
	base, added, edited := "One.\n\nTwo.\n", "---\nname: N\n---\n\nOne.\n\nTwo.\n", "One.\n\nTwo!\n"
	r := both(t, at(base, 0), at(added, 1), at(edited, 2))
	if want := "---\nname: N\n---\n\nOne.\n\nTwo!\n"; string(r.Bytes) != want || len(r.Conflicts) > 0 {
		t.Errorf("got %q, %v", r.Bytes, r.Conflicts)
	}
	r = both(t, at(base, 0), at(added, 1), at("---\ntags: [t]\n---\n\nOne.\n\nTwo!\n", 2))
	d := read(t, r.Bytes)
	name, _ := d.Get("name")
	tags, _ := d.Get("tags")
	if name.Text != "N" || !slices.Equal(tags.List, []string{"t"}) || d.Body() != "One.\n\nTwo!\n" || len(r.Conflicts) > 0 {
		t.Errorf("got %q, %v", r.Bytes, r.Conflicts)
	}
}

// A side that takes the whole frontmatter away does not take what the other
// one added to it.
func TestFrontmatterRemovedAgainstKeyAdded(t *testing.T) {
	base, added, removed := "---\nname: N\n---\n\nOne.\n", "---\nname: N\nhook: H\n---\n\nOne.\n", "One.\n"
	for _, hour := range []int{1, 3} {
		r := both(t, at(base, 0), at(added, hour), at(removed, 2))
		if want := "---\nhook: H\n---\n\nOne.\n"; string(r.Bytes) != want || len(r.Conflicts) > 0 {
			t.Errorf("got %q %v", r.Bytes, r.Conflicts)
		}
	}
}

// Text that two deletions leave at the top must not become a frontmatter.
func TestBodyStaysBody(t *testing.T) {
	base := "P.\n\nQ.\n\n---\nk: v\n---\n"
	r := both(t, at(base, 0), at("Q.\n\n---\nk: v\n---\n", 1), at("P.\n\n---\nk: v\n---\n", 2))
	if d := read(t, r.Bytes); d.HasFrontmatter() || len(r.Conflicts) != 1 || r.Conflicts[0].Kind != Unparsed {
		t.Errorf("got %q %v", r.Bytes, r.Conflicts)
	}
}

func TestTextRoundTrip(t *testing.T) {
	for _, s := range []string{"", "a", "a\n", "a\n\n", "\n", bom + "a\r\n\r\n", bom, "a\rb\n"} {
		if got := string(split([]byte(s)).bytes()); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	if got := string(text{lines: []string{"a", ""}, open: true}.bytes()); got != "a\n\n" {
		t.Errorf("a last blank line vanished: %q", got)
	}
}

// Sides that do not parse are joined by lines.
func TestUnparsed(t *testing.T) {
	broken := "---\nname: [N\n---\n\nOne.\n\nTwo.\n"
	fixed := "---\nname: N\n---\n\nOne.\n\nTwo.\n"
	r := both(t, at(broken, 0), at(fixed, 1), at(strings.Replace(broken, "Two", "2", 1), 2))
	if want := strings.Replace(fixed, "Two", "2", 1); string(r.Bytes) != want || len(r.Conflicts) > 0 {
		t.Errorf("got %q %v", r.Bytes, r.Conflicts)
	}
	r = both(t, at(broken, 0), at("---\nname: [A\n---\n\nOne.\n\nTwo.\n", 1), at("---\nname: [B\n---\n\nOne.\n\nTwo.\n", 2))
	if !bytes.Contains(r.Bytes, []byte("[B")) || len(r.Conflicts) != 1 || !bytes.Contains(r.Conflicts[0].Bytes, []byte("[A")) || r.Conflicts[0].Kind != Unparsed {
		t.Errorf("got %q %v", r.Bytes, r.Conflicts)
	}
}

// A frontmatter that no key can be set in: the later stays whole.
func TestUneditable(t *testing.T) {
	base := "---\nname: &n N\ntitle: *n\ntags: [a]\n---\n\nBody.\n"
	early := strings.Replace(base, "[a]", "[a, b]", 1)
	late := strings.Replace(base, "[a]", "[a, c]", 1)
	r := both(t, at(base, 0), at(early, 1), at(late, 2))
	if string(r.Bytes) != late || len(r.Conflicts) != 1 || r.Conflicts[0].Kind != Unparsed || !bytes.Contains(r.Conflicts[0].Bytes, []byte(early)) {
		t.Errorf("got %q %v", r.Bytes, r.Conflicts)
	}
}

// The only thing that can put a marker outside its fence is losing the fence.
func TestMarkersNeverLeaveTheirFence(t *testing.T) {
	base := "Intro.\n\n```text\n<<<<<<< HEAD\n```\n\nEnd.\n"
	early := "Intro.\n\nEnd.\n"
	late := "Intro.\n\n```text\n<<<<<<< HEAD\nmore\n```\n\nEnd.\n"
	r := both(t, at(base, 0), at(early, 1), at(late, 2))
	read(t, r.Bytes)
}

var marker = regexp.MustCompile(`(?m)^(<<<<<<<|>>>>>>>|\|\|\|\|\|\|\|)( |$)`)

func TestAddedLines(t *testing.T) {
	for _, c := range []struct {
		base, now string
		want      []string
	}{
		{"a\nb\n", "a\nb\n", nil},
		{"a\nb\n", "b\r\na\r\n", nil},
		{"a\nb\n", "a\nx\n\n\nb\ny", []string{"x", "y"}},
		{"a\n", "a\na\n", []string{"a"}},
		{"a\n", "", nil},
		{"", "a\n", []string{"a"}},
	} {
		if got := AddedLines([]byte(c.base), []byte(c.now)); !slices.Equal(got, c.want) {
			t.Errorf("AddedLines(%q, %q) = %q, want %q", c.base, c.now, got, c.want)
		}
	}
}

func TestLinesOfAuthoredFiles(t *testing.T) {
	base, a, b := "one\n\ntwo\n", "ONE\n\ntwo\n", "eins\n\nTWO\n"
	t.Run("the later wins an overlap", func(t *testing.T) {
		r := Lines(at(base, 0), at(a, 2), at(b, 1))
		if string(r.Bytes) != "ONE\n\nTWO\n" || len(r.Conflicts) != 1 || !bytes.Contains(r.Conflicts[0].Bytes, []byte("eins")) {
			t.Errorf("%q %v", r.Bytes, r.Conflicts)
		}
	})
	t.Run("tie: the larger hash", func(t *testing.T) {
		for _, b := range []string{"P\n", "Q\n", "R\n", "S\n", "T\n"} { // smaller than a; their hashes fall on both sides
			a := "U\n"
			r := Lines(Version{Bytes: []byte("o\n")}, Version{Bytes: []byte(a)}, Version{Bytes: []byte(b)})
			want := a
			if memsync.HashOf([]byte(b)) > memsync.HashOf([]byte(a)) {
				want = b
			}
			if string(r.Bytes) != want {
				t.Errorf("%q", r.Bytes)
			}
		}
	})
	t.Run("what is no text is not joined", func(t *testing.T) {
		r := Lines(at("\x00a\nb", 0), at("\x00b\nb", 1), at("\x00a\nc", 2))
		if string(r.Bytes) != "\x00a\nc" || len(r.Conflicts) != 1 || r.Conflicts[0].Kind != Unparsed || !bytes.Contains(r.Conflicts[0].Bytes, []byte("\x00b\nb")) {
			t.Errorf("%q %v", r.Bytes, r.Conflicts)
		}
	})
}
