package format

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"memsync"
)

// shapes reads the corpus: hand-made files in every shape seen in the wild,
// with invented content.
func shapes(tb testing.TB) map[string][]byte {
	tb.Helper()
	paths, err := filepath.Glob("testdata/shapes/*.md")
	if err != nil {
		tb.Fatal(err)
	}
	if len(paths) < 40 {
		tb.Fatalf("the corpus has %d files; the laws need at least 40", len(paths))
	}
	out := map[string][]byte{}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			tb.Fatal(err)
		}
		out[filepath.Base(p)] = data
	}
	return out
}

// blocks are frontmatter blocks that the corpus has no file for: the decoder's
// own territory and the edges of the fast path.
var blocks = []string{
	"", "\n", "# only a comment\n", "name: a\n", "name:\n", "name: # note\nb: 1\n", "a: \nb:   \n",
	"  name: indented\n  type: user\n", "a: 'it''s'\n", `a: "x\"y\\z\n"` + "\n", `a: "\u263a\x41\/"` + "\n", "a: \"b\n  c\"\n",
	"a: b\n  c\n\n  d\n", "a: >-\n  folded\n  text\n\nb: |+\n  kept\n\n\nc: 1\n", "a: |\n  x: y: z\n  # not a comment\n# a comment\nb: c\n",
	"tags: [a, b,c]\n", "tags: []\n", "tags: [ ]\n", "tags: [a, ]\n", "tags: [a,\n  b, # c\n  c]\n", "tags: ['a', \"b\", c d]\n", "tags: [#a]\n", "tags: [a#b]\n",
	"tags: [http://x, a?b]\n", "tags: [a: b]\n", "tags:\n- a\n- b\nx: y\n", "tags:\n  - a\n  # c\n  - \"b\"\n\nx: y\n", "tags:\n  -  a  # c\n", "tags:\n  -\n  - b\n",
	"tags:\n- - a\n  - b\n", "l:\n- a: b\n  c: d\n- e: f\n", "m: {a: b, c: {d: e}}\n", "m: {}\n", "m: {a, b: c}\n", "{a: b, c: d}\n", "{}\n", "m: { }\n",
	"metadata: \n  node_type: memory\n  type: feedback\n", "a:\n  b:\n    c:\n      - d\n      - e\n  f: g\nh: i\n", "a:\n    b: 1\n\n    c: 2\n# x\nd: 3\n",
	"a: b # c\n", "a: b#c\n", "name: see #12\n", "name: #12\n", "name: # x\n", "description: a # b: c\n", "description: Re: booking on 24 Oct\n",
	"description: \"X\" means Y\n", "description: 'X' means: Y\n", "name: a:\n", "name: a: b\nm: {c: d}\ntext: |\n  q: r: s\n", "x:\n  y: z: w\n  v: u\n",
	"a: &x b\nc: *x\n", "<<: {a: b}\n", "? a\n: b\n", "a: !!str b\n", "!t a: b\n", "a: ~\nb: null\nc: no\nd: 0777\ne: 1.10\nf: 2026-01-02\n", "a: -1\nb: -x\nc: - x\n",
	"a | b: c\n", "ключ: значение\n", "이름: 값 # 주석\n", "a b: c\n", "\"a b\": c\n", "'a': b\n", "a:b\n", "a:b: c\n", "a : b\n", "a: b: \n", "a:\tb\n", "\ta: b\n", "a: b\t\n",
	"a: [b] c\n", "a: `b`\n", "a: @b\n", "a: %b\n", "%a: b\n", "a: b\n...\nc: d\n", "a: b\na: c\n", "m:\n  a: 1\n  a: 2\n", "a: \u0085b\n", "a: x\u2028y\n", "a: \ufeffb\n", "a: b\rc: d\n",
	"a: =\nb: <\nc: <<\n", "1: 2\n", "true: false\n", "~: x\n", "a: [*x]\n", "a: ?b\n", "a: :b\n", "a: b\n- c\n", "- a\n", "text\n", "a: 'b\n", "a: {b\n", "a: b\n c: d\n", "a:\n b: c\n  d: e\n",
	"a: - b\n", "a: \"b\" # c\n", "a: \"b\"# c\n", "a: [b]# c\n", "a: [b] # c\n", "title: {{title}}\n", "a: .\n", "a: ...\n", "a: --- b\n", "a:  b  c  \n", "a:\n# c\n  b: d\n", "a:\n  # c\nb: d\n",
}

func seeds(f *testing.F) [][]byte {
	var out [][]byte
	for _, data := range shapes(f) {
		out = append(out, data)
	}
	for _, b := range blocks {
		out = append(out, []byte("---\n"+b+"---\n\nbody\n"), []byte("---\r\n"+strings.ReplaceAll(b, "\n", "\r\n")+"---\r\nbody"))
	}
	return out
}

// FuzzRoundTrip is law 1: Bytes(Parse(x)) == x, or Parse refuses and returns
// no value. WithBody of the same body is the same file.
func FuzzRoundTrip(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := bytes.Clone(data)
		d, err := Parse(data, memsync.DefaultLimits())
		if err != nil {
			var e *memsync.Error
			if d != nil || !asError(err, &e) {
				t.Fatalf("refused with %v and %v", d, err)
			}
			if e.Line < 1 || e.Column < 1 || e.Hint == "" || e.Message == "" {
				t.Fatalf("a refusal without place, message or hint: %+v", e)
			}
			return
		}
		if !bytes.Equal(d.Bytes(), in) {
			t.Fatalf("bytes changed: %q to %q", in, d.Bytes())
		}
		same, err := d.WithBody(d.Body())
		if err != nil || !bytes.Equal(same.Bytes(), in) {
			t.Fatalf("WithBody(Body()) changed %q to %v (%v)", in, same, err)
		}
		fixed := d.FixRecovered()
		if !sameTexts(d, fixed) {
			t.Fatal("FixRecovered changed what is read")
		}
		fixed.leaves(func(name string, n *node) {
			if n.recovered {
				t.Fatalf("FixRecovered left %s as it was: %q", name, in)
			}
		})
		for _, k := range d.Keys() {
			if got, ok := d.Get(k.Name); !ok {
				t.Fatalf("Keys names %q, Get does not know it: %v", k.Name, got)
			}
		}
		for _, x := range d.Findings() {
			if x.Line < 1 || x.Column < 1 {
				t.Fatalf("finding without a place: %+v", x)
			}
		}
		Describe(d, "memory/user_x.md", memsync.Scope{Kind: memsync.Global, Dir: "memory"})
		Links(d)
	})
}

func asError(err error, e **memsync.Error) bool {
	x, ok := err.(*memsync.Error)
	*e = x
	return ok
}

// FuzzFastPath holds the fast path to the YAML decoder: whatever it takes, the
// decoder takes too and gives the same tree with the same places.
func FuzzFastPath(f *testing.F) {
	for _, s := range seeds(f) {
		if d, err := Parse(s, memsync.Limits{}); err == nil && d.fm {
			f.Add(string(s[d.fmStart:d.fmEnd]))
		}
	}
	for _, b := range blocks {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if !wholeBlock(src) {
			return
		}
		fast, ok := readFast(src, 0)
		if !ok {
			return
		}
		res, fault := readSlow([]byte(src), 0, len(src))
		if fault != nil {
			t.Fatalf("the fast path takes %q, the decoder says %s", src, fault.msg)
		}
		if res.bad != nil {
			t.Fatalf("the fast path takes what is uneditable: %q: %v", src, res.bad)
		}
		if !sameTree(fast, res.keys, true) {
			t.Fatalf("%q\nfast %+v\nslow %+v", src, fast, res.keys)
		}
	})
}

// wholeBlock reports whether src could stand between fences.
func wholeBlock(src string) bool {
	if src != "" && !strings.HasSuffix(src, "\n") {
		return false
	}
	if checkEncoding([]byte(src)) != nil {
		return false
	}
	_, _, fenced := closingFence([]byte(src), 0)
	return !fenced
}

// FuzzSet is law 2: Set, Remove and InsertID change the bytes of that key
// only, or refuse and change nothing.
func FuzzSet(f *testing.F) {
	values := []string{"", "plain", "a: b", "x # y", "no", "00123", "\"q\" and 'p'", "line\nname: forged", "- x", "[a]", "日本 →", "#1", "---", "a,b", "\u2028", "2026-01-02", " lead", "trail ", "back\\slash", "\x01", "!t", "&a", "*a", "|", "?", "x:"}
	keys := []string{"description", "name", "metadata.type", "tags", "new", "provenance.updated_at", "a.b.c", "metadata", "id", "x y", "a"}
	n := 0
	for _, s := range seeds(f) {
		f.Add(s, keys[n%len(keys)], values[n%len(values)], uint8(n))
		n++
	}
	f.Fuzz(func(t *testing.T, data []byte, key, value string, mode uint8) {
		d, err := Parse(data, memsync.DefaultLimits())
		if err != nil {
			return
		}
		before := bytes.Clone(d.Bytes())
		defer func() {
			if !bytes.Equal(d.Bytes(), before) {
				t.Fatal("an edit changed the document it began with")
			}
		}()
		v := memsync.Text(value)
		if mode%3 == 1 {
			v = memsync.List(strings.Split(value, ",")...)
		}
		var out *Document
		want := &v
		switch mode % 5 {
		case 3:
			out, err = d.Remove(key)
			want = nil
		case 4:
			key = "id"
			v = memsync.Text("01JNB2Q0T7ZC4X9V8M5H3K2RDF")
			out, err = d.InsertID("01JNB2Q0T7ZC4X9V8M5H3K2RDF")
		default:
			out, err = d.Set(key, v)
		}
		if err != nil {
			if out != nil {
				t.Fatal("refused and returned a value")
			}
			return
		}
		checkEdit(t, d, out, key, want)
	})
}

// checkEdit judges an edit by the bytes and by an independent reading.
func checkEdit(t *testing.T, d, out *Document, key string, want *memsync.Value) {
	t.Helper()
	again, err := Parse(out.Bytes(), memsync.Limits{})
	if err != nil {
		t.Fatalf("the result does not parse: %v\n%s", err, out.Bytes())
	}
	got, ok := again.Get(key)
	if want == nil && ok || want != nil && (!ok || !equalValue(got, *want)) {
		t.Fatalf("%q reads %+v (%v), want %+v\n%s", key, got, ok, want, out.Bytes())
	}
	// What is before and after the key's own bytes stands as it was.
	a, b := d.Bytes(), out.Bytes()
	from, to := len(a), 0
	n := lookup(d.keys, key)
	switch {
	case n == nil:
		for from > 0 && (len(b) < from || !bytes.Equal(a[:from], b[:from])) {
			from--
		}
		to = from // nothing that was there goes
	case n.lineEnd > 0:
		from, to = n.line, n.lineEnd
	default:
		from, to = n.keyAt, max(n.end, n.keyEnd)
		if want == nil { // and one separator
			p, i := findEntry(d.keys, d.rootFlow, key)
			if i+1 < len(p.siblings) {
				to = p.siblings[i+1].keyAt
			} else if i > 0 {
				from = p.siblings[i-1].end
			}
		}
	}
	if len(b) < from+len(a)-to || !bytes.HasPrefix(b, a[:from]) || !bytes.HasSuffix(b, a[to:]) {
		t.Fatalf("the edit of %q at %d..%d touched more\n%q\n%q", key, from, to, a, b)
	}
	// Everything else reads the same.
	if !d.onlyChanged(again, key, want) {
		t.Fatalf("another key reads differently\n%s\n%s", a, b)
	}
}

// TestOneKeyOneLine is law 2 over the whole corpus: every key of every file,
// and some that are not there, set to every kind of value, and removed.
func TestOneKeyOneLine(t *testing.T) {
	values := []memsync.Value{memsync.Text(""), memsync.Text("plain"), memsync.Text("a: b # c"), memsync.Text("no"), memsync.Text("x\nname: forged"), memsync.Text("- [a, {b"),
		memsync.List(), memsync.List("a"), memsync.List("x", "b, c", "no: d")}
	inputs := shapes(t)
	corpus := shapes(t)
	for i, b := range blocks {
		inputs["block "+strconv.Itoa(i)] = []byte("---\n" + b + "---\n\nbody\n")
		inputs["block crlf "+strconv.Itoa(i)] = []byte("\ufeff---\r\n" + strings.ReplaceAll(b, "\n", "\r\n") + "---\r\nbody")
	}
	edits, refused := 0, 0
	for name, data := range inputs {
		d, err := Parse(data, memsync.DefaultLimits())
		if err != nil || d.Uneditable() || !d.HasFrontmatter() {
			continue
		}
		keys := []string{"new", "metadata.new", "provenance.updated_at", "p.q.r"}
		for _, k := range d.Keys() {
			keys = append(keys, k.Name)
		}
		for _, key := range keys {
			for i := 0; i <= len(values); i++ {
				var out *Document
				var want *memsync.Value
				if i < len(values) {
					want = &values[i]
					out, err = d.Set(key, *want)
				} else {
					out, err = d.Remove(key)
				}
				edits++
				if err != nil {
					refused++
					if _, shape := corpus[name]; shape {
						t.Errorf("%s: %s = %v: %v", name, key, want, err)
					}
					continue
				}
				checkEdit(t, d, out, key, want)
				if t.Failed() {
					t.Fatalf("in %s, key %q", name, key)
				}
			}
		}
		if string(d.Bytes()) != string(data) {
			t.Fatalf("%s was changed by an edit", name)
		}
	}
	t.Logf("%d edits over %d files and %d blocks, %d refused", edits, len(corpus), 2*len(blocks), refused)
	if edits < 5000 || refused*20 > edits {
		t.Errorf("%d edits, %d refused: nearly everything plain should be editable", edits, refused)
	}
}
