package format

import (
	"errors"
	"strings"
	"testing"

	"memsync"
	"pgregory.net/rapid"
)

const someID = "01JNB2Q0T7ZC4X9V8M5H3K2RDF"

// Each row is one edit and the whole result: what is not in the difference has
// stayed.
func TestSetChangesOneKey(t *testing.T) {
	text, list := memsync.Text, memsync.List
	for _, c := range []struct {
		name, in, key string
		v             memsync.Value
		out           string
	}{
		{"plain", "name: a\nb: c\n", "name", text("x y"), "name: x y\nb: c\n"},
		{"a comment stays", "type: user # which\n", "type", text("project"), "type: project # which\n"},
		{"double quotes stay", "name: \"a\"\n", "name", text("b"), "name: \"b\"\n"},
		{"single quotes stay", "name: 'a'\n", "name", text("it's"), "name: 'it''s'\n"},
		{"quotes within", "name: a\n", "name", text("\"x\" y"), "name: \"\\\"x\\\" y\"\n"},
		{"a colon is quoted", "name: a\n", "name", text("a: b"), "name: \"a: b\"\n"},
		{"a comment sign is quoted", "name: a\n", "name", text("a #b"), "name: \"a #b\"\n"},
		{"a word that YAML takes for a bool", "name: a\n", "name", text("no"), "name: \"no\"\n"},
		{"a date in a name", "name: a\n", "name", text("2026-01-02"), "name: \"2026-01-02\"\n"},
		{"a date in a date", "valid_until: 2026-01-01\n", "valid_until", text("2027-01-01"), "valid_until: 2027-01-01\n"},
		{"a number stays one", "limit: 2000\n", "limit", text("3000"), "limit: 3000\n"},
		{"a bool key", "name: a\n", "pinned", text("true"), "name: a\npinned: true\n"},
		{"a newline makes no key", "name: a\n", "name", text("a\npinned: true"), "name: \"a\\npinned: true\"\n"},
		{"white space at the ends", "name: a\n", "name", text(" a "), "name: \" a \"\n"},
		{"empty", "name: a\n", "name", text(""), "name: \"\"\n"},
		{"a value where there was none", "name:\nb: c\n", "name", text("x"), "name: x\nb: c\n"},
		{"and with trailing space", "name: \nb: c\n", "name", text("x"), "name: x\nb: c\n"},
		{"and before a comment", "k: # note\nb: c\n", "k", text("x"), "k: x # note\nb: c\n"},
		{"a sentence before a comment", "name: # note\n", "name", text("x"), "name: \"x\" # note\n"},
		{"the same value", "name: 'a'   # c\n", "name", text("a"), "name: 'a'   # c\n"},
		{"a recovered value", "description: Re: x\n", "description", text("soon"), "description: soon\n"},
		{"a block scalar", "a: >-\n  folded\n  text\n\n# c\nb: c\n", "a", text("one"), "a: one\n\n# c\nb: c\n"},
		{"a plain value of two lines", "a: b\n  c\nd: e\n", "a", text("x"), "a: x\nd: e\n"},
		{"nested", "metadata: \n  type: user\n  node_type: memory\n", "metadata.type", text("project"), "metadata: \n  type: project\n  node_type: memory\n"},
		{"new and nested", "metadata:\n    type: user\n\n# c\nb: c\n", "metadata.modified", text("2026-01-02T03:04:05Z"), "metadata:\n    type: user\n    modified: 2026-01-02T03:04:05Z\n\n# c\nb: c\n"},
		{"new with its mapping", "name: a\n", "provenance.updated_at", text("2026-01-02T03:04:05Z"), "name: a\nprovenance:\n  updated_at: 2026-01-02T03:04:05Z\n"},
		{"new below an empty mapping", "metadata: \nb: c\n", "metadata.type", text("user"), "metadata: \n  type: user\nb: c\n"},
		{"new in an empty block", "", "name", text("a"), "name: a\n"},
		{"new at an indentation", "  name: a\n", "b", text("c"), "  name: a\n  b: c\n"},
		{"new after a block scalar", "a: |+\n  x\n\n", "b", text("c"), "a: |+\n  x\n\nb: c\n"},
		{"new after a kept block scalar in a mapping", "m:\n  a: |+\n    x\n\nb: c\n", "m.d", text("e"), "m:\n  a: |+\n    x\n\n  d: e\nb: c\n"},
		{"three levels", "a: b\n", "x.v.z", text("1a"), "a: b\nx:\n  v:\n    z: 1a\n"},
		{"flow mapping", "m: {a: b, c: d}\n", "m.a", text("x, y"), "m: {a: \"x, y\", c: d}\n"},
		{"new in a flow mapping", "m: {a: b}\n", "m.c", text("d"), "m: {a: b, c: d}\n"},
		{"new in an empty flow mapping", "m: {}\n", "m.c", text("d"), "m: {c: d}\n"},
		{"a block that is a flow mapping", "{a: b}\n", "c", text("d"), "{a: b, c: d}\n"},
		{"list to list in brackets", "tags: [x, y,z]\n", "tags", list("x", "q", "z"), "tags: [x, q,z]\n"},
		{"one more in brackets", "tags: [x, y,z] # c\n", "tags", list("x", "y", "z", "a b"), "tags: [x, y,z, a b] # c\n"},
		{"one at the front", "tags: [x,  y]\n", "tags", list("a", "x", "y"), "tags: [a, x,  y]\n"},
		{"one less in brackets", "tags: [x,  y,z]\n", "tags", list("x", "z"), "tags: [x,  z]\n"},
		{"the last less", "tags: [x,  y]\n", "tags", list("x"), "tags: [x]\n"},
		{"into empty brackets", "tags: []\n", "tags", list("a", "b"), "tags: [a, b]\n"},
		{"out of brackets", "tags: [a]\n", "tags", list(), "tags: []\n"},
		{"lines of a list", "tags:\n- a\n- 'b'\nx: y\n", "tags", list("a", "b", "c"), "tags:\n- a\n- 'b'\n- c\nx: y\n"},
		{"indented lines of a list", "tags:\n    - a\n    # c\n    - b\nx: y\n", "tags", list("b"), "tags:\n    # c\n    - b\nx: y\n"},
		{"a value in a list", "tags:\n- a\n- 'b' # c\n", "tags", list("a", "it's"), "tags:\n- a\n- 'it''s' # c\n"},
		{"a list emptied", "tags:\n- a\n- b\nx: y\n", "tags", list(), "tags: []\nx: y\n"},
		{"a list for a word", "tags: a\n", "tags", list("a", "b"), "tags: [a, b]\n"},
		{"a word for a list", "tags:\n- a\nx: y\n", "tags", text("a"), "tags: a\nx: y\n"},
		{"a list where there was nothing", "tags:\nx: y\n", "tags", list("a"), "tags: [a]\nx: y\n"},
		{"new list", "x: y\n", "tags", list("a: b", "no", "c"), "x: y\ntags: [\"a: b\", \"no\", c]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, eol := range []string{"\n", "\r\n"} {
				wrap := func(s string) string {
					return "\ufeff" + strings.ReplaceAll("---\n"+s+"---\n\nBody: text\n---\n", "\n", eol)
				}
				d := mustParse(t, wrap(c.in))
				out, err := d.Set(c.key, c.v)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := string(out.Bytes()), wrap(c.out); got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
				if v, ok := out.Get(c.key); !ok || !equalValue(v, c.v) {
					t.Errorf("reads %+v", v)
				}
			}
		})
	}
}

func TestQ27OneChangedLine(t *testing.T) {
	in := shapes(t)["comments-and-styles.md"]
	d := mustParse(t, string(in))
	for _, c := range []struct {
		key string
		v   memsync.Value
	}{{"name", memsync.Text("new")}, {"type", memsync.Text("user")}, {"list", memsync.List("x", "y", "q")}, {"_x", memsync.Text("q")}, {"last", memsync.Text("q")}} {
		out, err := d.Set(c.key, c.v)
		if err != nil {
			t.Fatal(err)
		}
		if n := changedLines(string(in), string(out.Bytes())); n != 1 {
			t.Errorf("%s: %d lines changed", c.key, n)
		}
	}
}

func changedLines(a, b string) (n int) {
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	if len(x) != len(y) {
		return -1
	}
	for i := range x {
		if x[i] != y[i] {
			n++
		}
	}
	return n
}

func TestQ25CRLF(t *testing.T) {
	in := shapes(t)["crlf-metadata.md"]
	d := mustParse(t, string(in))
	out, err := d.Set("metadata.type", memsync.Text("project"))
	if err != nil {
		t.Fatal(err)
	}
	if changedLines(string(in), string(out.Bytes())) != 1 {
		t.Errorf("%q", out.Bytes())
	}
	out, err = out.InsertID(someID)
	if err != nil || !strings.HasPrefix(string(out.Bytes()), "---\r\nid: "+someID+"\r\nname: net") {
		t.Errorf("%v: %q", err, out.Bytes())
	}
	out, err = out.WithBody("Wet twine gives.\nDry twine breaks.")
	if err != nil || !strings.HasSuffix(string(out.Bytes()), "---\r\n\r\nWet twine gives.\r\nDry twine breaks.\r\n") {
		t.Errorf("%v: %q", err, out.Bytes())
	}
}

func TestRemove(t *testing.T) {
	for _, c := range []struct{ in, key, out string }{
		{"a: b\nc: d # x\ne: f\n", "c", "a: b\ne: f\n"},
		{"a: b\n# about c\nc: d\n", "c", "a: b\n# about c\n"},
		{"a: b\n", "a", ""},
		{"a: b\n", "x", "a: b\n"},
		{"tags:\n- a\n- b\nc: d\n", "tags", "c: d\n"},
		{"m:\n  a: b\n  c: d\ne: f\n", "m.a", "m:\n  c: d\ne: f\n"},
		{"m:\n  a: b\n  c: d\ne: f\n", "m", "e: f\n"},
		{"m:\n  a: b\ne: f\n", "m.a", "m:\ne: f\n"},
		{"m: {a: b, c: d}\n", "m.a", "m: {c: d}\n"},
		{"m: {a: b, c: d}\n", "m.c", "m: {a: b}\n"},
		{"m: {a: b}\n", "m.a", "m: {}\n"},
		{"t: |\n  a: b\n\n  c\n\nd: e\n", "t", "\nd: e\n"},
	} {
		out, err := mustParse(t, "---\n"+c.in+"---\ntext").Remove(c.key)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		if got := string(out.Bytes()); got != "---\n"+c.out+"---\ntext" {
			t.Errorf("%q without %s is %q", c.in, c.key, got)
		}
	}
}

func TestInsertIDInEveryDialect(t *testing.T) {
	for name, data := range shapes(t) {
		d := mustParse(t, string(data))
		_, has := d.Get("id")
		out, err := d.InsertID(someID)
		if !d.HasFrontmatter() || d.Uneditable() || has {
			if !errors.Is(err, memsync.CodeUneditable) || out != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		i := strings.Index(string(data), "\n") + 1
		want := string(data[:i]) + "id: " + someID + string(data[i-1-strings.Count(string(data[:i]), "\r"):i]) + string(data[i:])
		if string(out.Bytes()) != want {
			t.Errorf("%s:\n%q\nwant\n%q", name, out.Bytes(), want)
		}
	}
}

func TestUneditable(t *testing.T) {
	for _, c := range []struct {
		in        string
		line, col int
		what      string
	}{
		{"a: b\nc: &x d\n", 3, 4, "anchor"},
		{"a: &x b\nc: *x\n", 2, 4, "anchor"},
		{"c: *x\n", 2, 4, "alias"},
		{"<<: {a: b}\nc: d\n", 2, 1, "merge key"},
		{"? a\n: b\n", 2, 3, "explicit key"},
		{"a: !!str b\n", 2, 4, "tag"},
		{"l:\n  - !x b\n", 3, 5, "tag"},
	} {
		d, err := Parse([]byte("---\n"+c.in+"---\n"), memsync.Limits{})
		if c.what == "alias" && err != nil {
			continue // an alias of nothing is no YAML at all
		}
		if err != nil || !d.Uneditable() {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		for _, edit := range []func() (*Document, error){
			func() (*Document, error) { return d.Set("z", memsync.Text("x")) },
			func() (*Document, error) { return d.Remove("c") },
			func() (*Document, error) { return d.InsertID(someID) },
		} {
			out, err := edit()
			var e *memsync.Error
			if out != nil || !errors.As(err, &e) || e.Code != memsync.CodeUneditable {
				t.Fatalf("%q: edited, or refused with %v", c.in, err)
			}
			if e.Line != c.line || e.Column != c.col || !strings.Contains(e.Message, c.what) || e.Hint == "" {
				t.Errorf("%q: %d:%d %s (%s)", c.in, e.Line, e.Column, e.Message, e.Hint)
			}
		}
		found := false
		for _, f := range d.Findings() {
			found = found || f.Code == memsync.FindUneditable && f.Line == c.line
		}
		if !found {
			t.Errorf("%q: no finding", c.in)
		}
	}
	for _, c := range []struct {
		in, key string
		v       memsync.Value
		code    memsync.Code
	}{
		{"---\nm:\n  a: b\n---\n", "m", memsync.Text("x"), memsync.CodeUneditable},
		{"---\nm: text\n---\n", "m.a", memsync.Text("x"), memsync.CodeUneditable},
		{"---\nm: [a]\n---\n", "m.a", memsync.Text("x"), memsync.CodeUneditable},
		{"text\n", "name", memsync.Text("x"), memsync.CodeUneditable},
		{"---\na: b\n---\n", "name", memsync.Text("x\x00"), memsync.CodeEncoding},
		{"---\na: b\n---\n", "name", memsync.Text("x\xff"), memsync.CodeEncoding},
		{"---\na: b\n---\n", "a..b", memsync.Text("x"), memsync.CodeUsage},
	} {
		if out, err := mustParse(t, c.in).Set(c.key, c.v); out != nil || memsync.CodeOf(err) != c.code {
			t.Errorf("%q set %s: %v", c.in, c.key, err)
		}
	}
}

func TestNew(t *testing.T) {
	d, err := New([]memsync.Field{
		{Key: "id", Value: memsync.Text(someID)},
		{Key: "name", Value: memsync.Text("Test Integrity")},
		{Key: "description", Value: memsync.Text("Fix: never weaken # tests")},
		{Key: "gone", Remove: true},
		{Key: "tags", Value: memsync.List("testing", "a,b")},
		{Key: "provenance.source_actor", Value: memsync.Text("cli")},
		{Key: "provenance.source_sessions", Value: memsync.List("01J7VR2Q8MZ4FXWZ8WB7M2A4S0")},
		{Key: "provenance.created_at", Value: memsync.Text("2026-04-12T14:32:11Z")},
	}, "Fix the production code.")
	if err != nil {
		t.Fatal(err)
	}
	want := `---
id: ` + someID + `
name: Test Integrity
description: "Fix: never weaken # tests"
tags: [testing, "a,b"]
provenance:
  source_actor: cli
  source_sessions: [01J7VR2Q8MZ4FXWZ8WB7M2A4S0]
  created_at: 2026-04-12T14:32:11Z
---

Fix the production code.
`
	if got := string(d.Bytes()); got != want {
		t.Errorf("got\n%s", got)
	}
	if d, err := New(nil, "only text"); err != nil || string(d.Bytes()) != "only text\n" || d.HasFrontmatter() {
		t.Errorf("%v %v", d, err)
	}
	if _, err := New(nil, "---\na: b\n---\n"); err == nil {
		t.Error("a text that is a block was taken")
	}
	if _, err := New([]memsync.Field{{Key: "a", Value: memsync.Text("1")}, {Key: "a", Value: memsync.Text("2")}}, ""); err != nil {
		t.Error(err) // the second sets the first anew
	}
}

func TestWithBody(t *testing.T) {
	for _, c := range []struct{ name, in, body, out string }{
		{"the empty line stays", "---\na: b\n---\n\nold\n", "new", "---\na: b\n---\n\nnew\n"},
		{"none stays none", "---\na: b\n---\nold\n", "new\n", "---\na: b\n---\nnew\n"},
		{"no final newline stays", "---\na: b\n---\nold", "new", "---\na: b\n---\nnew"},
		{"a first body", "---\na: b\n---", "new", "---\na: b\n---\n\nnew\n"},
		{"a first body after CRLF", "---\r\na: b\r\n---\r\n", "x\ny", "---\r\na: b\r\n---\r\n\r\nx\r\ny\r\n"},
		{"no body", "---\na: b\n---\n\nold\n", "", "---\na: b\n---\n\n"},
		{"no frontmatter", "old\n", "new", "new\n"},
		{"a BOM", "\ufeffold\r\n", "new\nx", "\ufeffnew\r\nx\r\n"},
		{"a body that begins with an empty line", "---\na: b\n---\nold\n", "\nnew\n", "---\na: b\n---\n\n\nnew\n"},
		{"mixed ends stay where the lines do", "a\r\nb\nc\r\nd\n", "a\nb\nX\nd\n", "a\r\nb\nX\r\nd\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := mustParse(t, c.in).WithBody(c.body)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(out.Bytes()); got != c.out {
				t.Errorf("%q, want %q", got, c.out)
			}
		})
	}
	for _, body := range []string{"---\nc: d\n---\n", "<<<<<<< HEAD\n", "\x00"} {
		if out, err := mustParse(t, "---\na: b\n---\ntext\n").WithBody(body); err == nil || out != nil {
			t.Errorf("%q was taken", body)
		}
	}
	if _, err := mustParse(t, "text\n").WithBody("---\nc: d\n---\n"); err == nil {
		t.Error("a body became frontmatter")
	}
}

// Whatever text a value has, it is read back, and never becomes a key.
func TestPropertyAnyTextIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[-a: #"'\[\]{},&*!|>%@?\\\n\r\t0-9.~]{0,12}`)).Draw(t, "text")
		text = strings.ReplaceAll(text, "\x00", "")
		items := rapid.SliceOfN(rapid.StringMatching(`[-a: #"'\[\]{},&*!|>%@?\\\n0-9.~é日]{0,6}`), 0, 4).Draw(t, "items")
		key := rapid.SampledFrom([]string{"name", "new", "metadata.type", "metadata.x", "flow.a", "flow.z", "list", "block", "tags", "pinned"}).Draw(t, "key")
		d, err := Parse([]byte("---\nname: a\nmetadata: \n  type: user\nflow: {a: b, c: 'd'}\nlist: [a, \"b\"]\nblock:\n  - a\n  - 'b'\ntags:\n- x\nend: e\n---\n\nbody\n"), memsync.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []memsync.Value{memsync.Text(text), memsync.List(items...)} {
			out, err := d.Set(key, v)
			if err != nil {
				t.Fatalf("%q = %+v: %v", key, v, err)
			}
			again, err := Parse(out.Bytes(), memsync.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := again.Get(key); !ok || !equalValue(got, v) {
				t.Fatalf("%q = %+v, read back as %+v", key, v, got)
			}
		}
	})
}
