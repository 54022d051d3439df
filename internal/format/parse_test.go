package format

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"memsync"
)

func mustParse(t *testing.T, s string) *Document {
	t.Helper()
	d, err := Parse([]byte(s), memsync.DefaultLimits())
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return d
}

func get(t *testing.T, d *Document, key string) string {
	t.Helper()
	v, ok := d.Get(key)
	if !ok {
		t.Fatalf("no key %q", key)
	}
	if v.IsList {
		return strings.Join(v.List, "|")
	}
	return v.Text
}

func TestCorpusParses(t *testing.T) {
	for name, data := range shapes(t) {
		d, err := Parse(data, memsync.DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Equal(d.Bytes(), data) {
			t.Errorf("%s: the bytes changed", name)
		}
		if strings.HasPrefix(name, "none-") == d.HasFrontmatter() {
			t.Errorf("%s: frontmatter %v", name, d.HasFrontmatter())
		}
		if strings.Contains(d.Body(), "\r\n") || strings.HasPrefix(d.Body(), "\ufeff") {
			t.Errorf("%s: the body has CRLF or a BOM", name)
		}
	}
}

// One row per sentence of format.md, "Strictness".
func TestRefusals(t *testing.T) {
	lim := memsync.DefaultLimits()
	for _, c := range []struct {
		name, in   string
		code       memsync.Code
		line, col  int
		msg, hint  string // parts
		detail, is string
	}{
		{"bad YAML", "---\nname: a\nb: [c\n---\n", memsync.CodeFrontmatter, 3, 4, "not valid YAML", "quotes", "", ""},
		{"a list that is not closed", "---\nname: a\ntags: [a, b\n---\n", memsync.CodeFrontmatter, 3, 7, "not valid YAML", "close the list with `]`", "", ""},
		{"braces that are not closed", "---\nname: a\nmetadata: {type: user\n---\n", memsync.CodeFrontmatter, 3, 11, "not valid YAML", "close the braces with `}`", "", ""},
		{"Q20 a backtick", "---\nname: a\npath: `C:\\agent\\x`\n---\n", memsync.CodeFrontmatter, 3, 7, "not valid YAML", "put the value in quotes: path: '…'", "", ""},
		{"no space after the colon", "---\nname:a\n---\n", memsync.CodeFrontmatter, 2, 1, "not a mapping", "key: value", "", ""},
		{"no space after a later colon", "---\nname: a\nb:c\n---\n", memsync.CodeFrontmatter, 3, 2, "not valid YAML", "space after the colon", "", ""},
		{"a tab", "---\nm:\n\ta: b\n---\n", memsync.CodeFrontmatter, 3, 1, "not valid YAML", "spaces", "", ""},
		{"a line without a key", "---\nname: a\nand on\n---\n", memsync.CodeFrontmatter, 3, 1, "not valid YAML", "key: value", "", ""},
		{"an open quote", "---\nname: \"a\nb: c\n---\n", memsync.CodeFrontmatter, 2, 7, "not valid YAML", "close the quote", "", ""},
		{"a word that begins with an apostrophe", "---\nname: a\ndescription: 's ochtends open\n---\n", memsync.CodeFrontmatter, 3, 14, "not valid YAML", "whole value in quotes", "", ""},
		{"a list", "---\n- a\n---\n", memsync.CodeFrontmatter, 2, 1, "not a mapping", "key: value", "", ""},
		{"a template", "---\nname: {{title}}\n---\n", memsync.CodeFrontmatter, 2, 8, "not text", "quotes", "", ""},
		{"Q23 a key twice", "---\ntags: [a]\nname: x\ntags: [b]\n---\n", memsync.CodeFrontmatter, 4, 1, `"tags" is there twice, on lines 2 and 4`, "keep one", "first_line", "2"},
		{"Q23 two ids after a union merge", "---\nid: 01JNB2Q0T7ZC4X9V8M5H3K2RDF\nid: 01JNB2Q0T7ZC4X9V8M5H3K2RDG\n---\n", memsync.CodeFrontmatter, 3, 1, "lines 2 and 3", "keep one", "second_line", "3"},
		{"Q23 a nested key twice", "---\nmetadata:\n  type: user\n  type: project\n---\n", memsync.CodeFrontmatter, 4, 3, "lines 3 and 4", "keep one", "", ""},
		{"Q23 twice in flow style", "---\nm: {a: 1, a: 2}\n---\n", memsync.CodeFrontmatter, 2, 11, "lines 2 and 2", "keep one", "", ""},
		{"unclosed", "---\nname: a\n\ntext\n", memsync.CodeFrontmatter, 1, 1, "not closed", "---", "unclosed", "true"},
		{"unclosed with BOM", "\ufeff---\nname: a\n", memsync.CodeFrontmatter, 1, 4, "not closed", "---", "unclosed", "true"},
		{"two blocks", "---\nname: a\n---\n---\nname: b\n---\n", memsync.CodeFrontmatter, 4, 1, "second frontmatter block", "keep one", "", ""},
		{"two blocks, the second recovered", "---\nname: a\n---\n---\nname: b: c\n---\n", memsync.CodeFrontmatter, 4, 1, "second frontmatter block", "keep one", "", ""},
		{"a document marker", "---\nname: a\n...\nb: c\n---\n", memsync.CodeFrontmatter, 3, 1, "document marker", "remove", "", ""},
		{"Q26 invalid UTF-8", "---\nname: a\n---\n\nab\xffc\n", memsync.CodeEncoding, 5, 3, "not UTF-8", "UTF-8", "offset", "19"},
		{"Q26 NUL", "body \x00\n", memsync.CodeEncoding, 1, 6, "NUL", "remove", "offset", "5"},
		{"Q26 UTF-16 LE", "\xff\xfea\x00\n\x00", memsync.CodeEncoding, 1, 1, "UTF-16", "iconv", "offset", "0"},
		{"Q26 UTF-16 BE", "\xfe\xff\x00a\x00\n", memsync.CodeEncoding, 1, 1, "UTF-16", "iconv", "offset", "0"},
		{"Q26 UTF-16 without BOM", "a\x00b\x00\n\x00", memsync.CodeEncoding, 1, 2, "UTF-16", "iconv", "offset", "1"},
		{"a marker in the body", "text\n<<<<<<< HEAD\nours\n=======\n", memsync.CodeMarkers, 2, 1, "conflict marker", "fenced", "", ""},
		{"a closing marker", "text\n>>>>>>> branch\n", memsync.CodeMarkers, 2, 1, "conflict marker", "fenced", "", ""},
		{"a base marker", "text\n||||||| abc\n", memsync.CodeMarkers, 2, 1, "conflict marker", "fenced", "", ""},
		{"a marker in the frontmatter", "---\n<<<<<<< HEAD\nname: a\n=======\nname: b\n>>>>>>> x\n---\n", memsync.CodeMarkers, 2, 1, "conflict marker", "fenced", "", ""},
		{"a marker after a closed fence", "```\ncode\n```\n<<<<<<< HEAD\n", memsync.CodeMarkers, 4, 1, "conflict marker", "fenced", "", ""},
		{"a marker with CRLF", "text\r\n<<<<<<< HEAD\r\n", memsync.CodeMarkers, 2, 1, "conflict marker", "fenced", "", ""},
		{"Q29 a file over the limit", strings.Repeat("x", lim.SaveBytes+1), memsync.CodeTooLarge, 1, 1, "the file has", "split", "limit", strconv.Itoa(lim.SaveBytes)},
		{"Q29 200 KB of frontmatter", "---\n" + strings.Repeat("k: v\n", 40000) + "---\n", memsync.CodeTooLarge, 3278, 5, "the frontmatter has", "split", "limit", "16384"},
		{"a control character", "---\nname: a\x01b\n---\n", memsync.CodeFrontmatter, 2, 8, "not valid YAML", "control character", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Parse([]byte(c.in), lim)
			if d != nil || err == nil {
				t.Fatalf("parsed: %+v", d.Keys())
			}
			e := err.(*memsync.Error)
			if e.Code != c.code || e.Line != c.line || e.Column != c.col {
				t.Errorf("%s at %d:%d, want %s at %d:%d (%s)", e.Code, e.Line, e.Column, c.code, c.line, c.col, e.Message)
			}
			if !strings.Contains(e.Message, c.msg) || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("message %q, hint %q", e.Message, e.Hint)
			}
			if c.detail != "" && e.Details[c.detail] != c.is {
				t.Errorf("details %v", e.Details)
			}
		})
	}
}

func TestAccepted(t *testing.T) {
	for _, c := range []struct{ name, in, body string }{
		{"a setext underline", "Title\n=======\n\ntext\n", "Title\n=======\n\ntext\n"},
		{"a marker in a fence", "```\n<<<<<<< HEAD\n```\n", "```\n<<<<<<< HEAD\n```\n"},
		{"a marker in a tilde fence", "~~~~ text\n~~~\n<<<<<<< HEAD\n~~~~\n", "~~~~ text\n~~~\n<<<<<<< HEAD\n~~~~\n"},
		{"eight signs", "<<<<<<<< HEAD\n", "<<<<<<<< HEAD\n"},
		{"seven signs and no space", "<<<<<<<\n", "<<<<<<<\n"},
		{"a marker that is not at the start", "see <<<<<<< HEAD\n", "see <<<<<<< HEAD\n"},
		{"a second block after an empty line", "---\na: b\n---\n\n---\nc: d\n---\n", "---\nc: d\n---\n"},
		{"a second block that is no mapping", "---\na: b\n---\n---\nprose\n---\n", "---\nprose\n---\n"},
		{"a rule that opens no block", "---\na: b\n---\n---\n", "---\n"},
		{"an empty block", "---\n---\ntext\n", "text\n"},
		{"blanks after the fences", "--- \na: b\n---\t\ntext\n", "text\n"},
		{"no final newline after the fence", "---\na: b\n---", ""},
		{"a rule below the top", "\n---\na: b\n---\n", "\n---\na: b\n---\n"},
		{"four dashes", "----\na: b\n---\n", "----\na: b\n---\n"},
		{"an empty file", "", ""},
		{"a BOM alone", "\ufeff", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := mustParse(t, c.in); d.Body() != c.body {
				t.Errorf("body %q, want %q", d.Body(), c.body)
			}
		})
	}
}

// A rule directly below the block, then more text than frontmatter may have.
func TestQ29LongTextBetweenRules(t *testing.T) {
	mustParse(t, "---\na: b\n---\n---\n"+strings.Repeat("note: text\n", 20000)+"---\n")
	mustParse(t, "---\na: b\n---\n\n"+strings.Repeat("x", 900<<10)+"\n")
}

func TestQ29AliasBombIsNotExpanded(t *testing.T) {
	var b strings.Builder
	b.WriteString("---\na0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
	}
	b.WriteString("---\n\ntext\n")
	d := mustParse(t, b.String())
	if !d.Uneditable() || len(d.Keys()) != 9 {
		t.Fatalf("uneditable %v, %d keys", d.Uneditable(), len(d.Keys()))
	}
	if v, _ := d.Get("a8"); len(v.List) != 9 || v.List[0] != "*a7" {
		t.Fatalf("a8 = %v", v)
	}
}

// Q18 and its relatives: recovered, not held.
func TestQ18Recovered(t *testing.T) {
	for _, c := range []struct{ line, key, want, fixed string }{
		{"description: Re: booking on 24 Oct", "description", "Re: booking on 24 Oct", `description: "Re: booking on 24 Oct"`},
		{"title: Lesson 5: Splices  ", "title", "Lesson 5: Splices", `title: "Lesson 5: Splices"  `},
		{`description: "Soon" means: now`, "description", `"Soon" means: now`, `description: '"Soon" means: now'`},
		{`name: 'X' it's`, "name", `'X' it's`, `name: "'X' it's"`},
		{"description: berth #12 is free", "description", "berth #12 is free", `description: "berth #12 is free"`},
		{"description: #12 is free", "description", "#12 is free", `description: "#12 is free"`},
		{"any: what: when", "any", "what: when", `any: "what: when"`},
		{"any: ends with:", "any", "ends with:", `any: "ends with:"`},
		{"any: a: b # c", "any", "a: b # c", `any: "a: b # c"`},
		{"name: C:\\x: \"y\"", "name", "C:\\x: \"y\"", `name: 'C:\x: "y"'`},
	} {
		for _, around := range []string{"---\nk: v\n%s\nz: w\n---\n\nbody\n", "---\nfold: >-\n  a: b: c\n%s\nm: {x: y}\n---\n"} {
			in := fmt.Sprintf(around, c.line)
			d := mustParse(t, in)
			if got := get(t, d, c.key); got != c.want {
				t.Errorf("%s reads %q", c.line, got)
			}
			found := false
			for _, f := range d.Findings() {
				if f.Code == memsync.FindFrontmatterRecovered {
					found = true
					if !strings.Contains(strings.TrimSpace(c.fixed), strings.TrimPrefix(f.Hint, "put it in quotes: ")) || f.Line != strings.Count(in[:strings.Index(in, c.line)], "\n")+1 || f.Column != len(c.key)+3 {
						t.Errorf("%s: finding %+v", c.line, f)
					}
				}
			}
			if !found {
				t.Errorf("%s: no finding", c.line)
			}
			fixed := d.FixRecovered()
			if got, want := string(fixed.Bytes()), fmt.Sprintf(around, c.fixed); got != want {
				t.Errorf("fixed to %q, want %q", got, want)
			}
			if again := fixed.FixRecovered(); again != fixed {
				t.Error("fixing twice changes something")
			}
		}
	}
}

func TestNotRecovered(t *testing.T) {
	for _, in := range []string{
		"a: b # c: d",            // a comment, not a value
		"name: \"b\" # c",        // a comment behind a quoted value
		"description: # to do",   // a comment in place of a value
		"a: \"x: y\"",            // quoted already
		"a: http://x.example/#y", // no space anywhere
	} {
		d := mustParse(t, "---\n"+in+"\n---\n")
		for _, f := range d.Findings() {
			if f.Code == memsync.FindFrontmatterRecovered {
				t.Errorf("%s: %+v", in, f)
			}
		}
	}
	// A value that goes on in the next line is not one line.
	if _, err := Parse([]byte("---\na: b: c\n  d\n---\n"), memsync.Limits{}); err == nil {
		t.Error("a broken value of two lines was recovered")
	}
}

func TestQ21ScalarsAreText(t *testing.T) {
	in := "---\nname: 2026-01-02\ntags: [00123, 0777, 3.10, 1_000, no, on, yes, 1.10, ~]\nversion: 1.10\noff: off\nx: 0x1F\n---\n"
	d := mustParse(t, in)
	for key, want := range map[string]string{"name": "2026-01-02", "tags": "00123|0777|3.10|1_000|no|on|yes|1.10|~", "version": "1.10", "off": "off", "x": "0x1F"} {
		if got := get(t, d, key); got != want {
			t.Errorf("%s = %q, want %q", key, got, want)
		}
	}
	m := Describe(d, "memory/x.md", memsync.Scope{Kind: memsync.Global, Dir: "memory"})
	if m.Name != "2026-01-02" {
		t.Errorf("name %q", m.Name)
	}
}

func TestKeyPlaces(t *testing.T) {
	d := mustParse(t, "\ufeff---\nname: 灯\nmetadata:\n  type: user\n  \"q k\": 1\nl: {a: b, 灯: d}\n---\n")
	var got []string
	for _, k := range d.Keys() {
		got = append(got, fmt.Sprintf("%s@%d:%d", k.Name, k.Line, k.Column))
	}
	if want := "name@2:1 metadata.type@4:3 metadata.q k@5:3 l.a@6:5 l.灯@6:11"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}
