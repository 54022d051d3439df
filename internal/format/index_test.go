package format_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"memsync"
	"memsync/internal/format"
	"pgregory.net/rapid"
)

const region = format.IndexBegin + "\n## user\n\n- [T](f.md) — d\n" + format.IndexEnd + "\n"

func TestParseIndexRegion(t *testing.T) {
	for _, c := range []struct {
		name, in      string
		region        bool
		before, after string
		eol           string
	}{
		{"nothing", "", false, "", "", "\n"},
		{"people's text only", "# Mine\ntext", false, "# Mine\ntext", "", "\n"},
		{"a region alone", region, true, "", "", "\n"},
		{"text around it", "a\n\n" + region + "\nb", true, "a\n\n", "\nb", "\n"},
		{"no final newline after the marker", strings.TrimSuffix("a\n"+region, "\n"), true, "a\n", "", "\n"},
		{"CRLF", strings.ReplaceAll("a\n"+region+"b\n", "\n", "\r\n"), true, "a\r\n", "b\r\n", "\r\n"},
		{"a byte order mark", "\ufeff" + region, true, "\ufeff", "", "\n"},
		{"indented markers", "a\n  " + format.IndexBegin + " \n\t" + format.IndexEnd + "\nb", true, "a\n", "b", "\n"},
		{"markers in a sentence", "between `" + format.IndexBegin + "` and `" + format.IndexEnd + "`\n", false,
			"between `" + format.IndexBegin + "` and `" + format.IndexEnd + "`\n", "", "\n"},
		{"markers in a closed fence", "```\n" + region + "```\n", false, "```\n" + region + "```\n", "", "\n"},
		{"a fence that is never closed, above", "```\ncode\n" + region + "b\n", true, "```\ncode\n", "b\n", "\n"},
		{"a half-typed fence above, whole ones below", "```\n" + region + "```\nx\n```\n", true, "```\n", "```\nx\n```\n", "\n"},
		{"a fence that is never closed, inside", "a\n" + format.IndexBegin + "\n```\n" + format.IndexEnd + "\nb\n", true, "a\n", "b\n", "\n"},
		{"a line of seven = is a heading", "Title\n=======\n", false, "Title\n=======\n", "", "\n"},
		{"conflict markers in a fence are text", "```\n<<<<<<< HEAD\n```\n", false, "```\n<<<<<<< HEAD\n```\n", "", "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, err := format.ParseIndex([]byte(c.in))
			if err != nil {
				t.Fatal(err)
			}
			if x.HasRegion() != c.region {
				t.Fatalf("HasRegion = %v", x.HasRegion())
			}
			if got := string(x.Before()); got != c.before {
				t.Errorf("before %q, want %q", got, c.before)
			}
			if got := string(x.After()); got != c.after {
				t.Errorf("after %q, want %q", got, c.after)
			}
			if x.EOL != c.eol {
				t.Errorf("line end %q, want %q", x.EOL, c.eol)
			}
		})
	}
}

// Q62: broken markers are refused, with the place.
func TestParseIndexBrokenQ62(t *testing.T) {
	for _, c := range []struct {
		name, in string
		code     memsync.Code
		line     int
	}{
		{"begin alone", "a\n" + format.IndexBegin + "\nb\n", memsync.CodeMarkers, 2},
		{"end alone", "a\n" + format.IndexEnd + "\n", memsync.CodeMarkers, 2},
		{"the wrong way round", format.IndexEnd + "\n" + format.IndexBegin + "\n", memsync.CodeMarkers, 1},
		{"nested", format.IndexBegin + "\n" + region + format.IndexEnd + "\n", memsync.CodeMarkers, 2},
		{"two regions", region + region, memsync.CodeMarkers, 6},
		{"two ends", region + format.IndexEnd + "\n", memsync.CodeMarkers, 6},
		{"git, ours", "a\n<<<<<<< HEAD\n" + region, memsync.CodeMarkers, 2},
		{"git, base", "||||||| 1234\n" + region, memsync.CodeMarkers, 1},
		{"git, theirs, in the region", format.IndexBegin + "\n>>>>>>> x\n" + format.IndexEnd + "\n", memsync.CodeMarkers, 2},
		{"NUL", "a\n\x00", memsync.CodeEncoding, 2},
		{"UTF-16", "\xff\xfea\x00\n\x00", memsync.CodeEncoding, 1},
		{"Latin-1", "ok\ncaf\xe9\n", memsync.CodeEncoding, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, err := format.ParseIndex([]byte(c.in))
			var e *memsync.Error
			if !errors.As(err, &e) || x != nil {
				t.Fatalf("ParseIndex = %v, %v", x, err)
			}
			if e.Code != c.code || e.Line != c.line || e.Column < 1 || e.Hint == "" {
				t.Errorf("%+v, want %s in line %d", e, c.code, c.line)
			}
		})
	}
}

func TestIndexLinks(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string // label|target, wiki ones in brackets
	}{
		{"- [T](f.md) — d", []string{"T|f.md"}},
		{"- [T](f.md) - d", []string{"T|f.md"}},
		{"- ★ **[T](f.md)** text", []string{"T|f.md"}},
		{"1. [T](f.md)", []string{"T|f.md"}},
		{"| [T](f.md) | [U](g.md) |", []string{"T|f.md", "U|g.md"}},
		{"see [a](a.md), [b](sub/b.md) and [c](c.md)", []string{"a|a.md", "b|sub/b.md", "c|c.md"}},
		{"- [[x]]", []string{"[|x]"}},
		{"- [[note/x.md#part|alias]] and [[y]]", []string{"[alias|note/x.md]", "[|y]"}},
		{"- [[x]](f.md)", []string{"[x]|f.md"}},
		{"- [T](./f.md)", []string{"T|f.md"}},
		{"- [T](f.md#part)", []string{"T|f.md"}},
		{`- [T](f.md "title")`, []string{"T|f.md"}},
		{"- [T](<my note.md>) x", []string{"T|my note.md"}},
		{"- [T](my note.md)", []string{"T|my note.md"}},
		{"- [T](my%20note%28s%29.md)", []string{"T|my note(s).md"}},
		{"- [T](par(en).md)", []string{"T|par(en).md"}},
		{`- [A \] B](f.md)`, []string{"A ] B|f.md"}},
		{"- [T](../up.md)", []string{"T|../up.md"}},
		{"- [`T`](f.md)", []string{"`T`|f.md"}},
		// no links to a memory
		{"- `[T](f.md)`", nil},
		{"- ``[T](f.md) ` `` x", nil},
		{`- \[T](f.md)`, nil},
		{"<!-- [T](f.md) -->", nil},
		{"![T](f.md)", nil},
		{"[T](https://example.com/f.md)", nil},
		{"[T](/abs/f.md)", nil},
		{"[T](f.txt)", nil},
		{"[T](.md)", nil},
		{"[[]] [[|a]]", nil},
		{"[T] (f.md)", nil},
		{"[T](f.md", nil},
		{"plain f.md", nil},
	} {
		x, err := format.ParseIndex([]byte(c.line))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range x.Outside() {
			s := l.Label + "|" + l.Target
			if l.Wiki {
				s = "[" + s + "]"
			}
			got = append(got, s)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s\n%s", c.line, d)
		}
	}
}

// Q61: links in code fences never count, whatever the fence looks like.
func TestIndexFencesQ61(t *testing.T) {
	link := "[x](example.md)\n"
	for _, c := range []struct {
		name, in string
		links    int
	}{
		{"backticks", "```\n" + link + "```\n", 0},
		{"tildes with info", "~~~ md\n" + link + "~~~\n", 0},
		{"longer close", "```\n" + link + "`````\n", 0},
		{"shorter line does not close", "````\n```\n" + link + "````\n", 0},
		{"other character does not close", "```\n~~~\n" + link + "```\n", 0},
		{"in a list", "- a\n    ```\n    " + link + "    ```\n", 0},
		{"right after a bullet", "- ```\n  " + link + "  ```\n", 0},
		{"in a quote", "> ```\n> " + link + "> ```\n", 0},
		{"info with a backtick is no fence", "``` a`b\n" + link + "```\n", 1},
		{"unclosed is no fence", "```\n" + link, 1},
		{"after the fence", "```\n```\n" + link, 1},
		{"CRLF", "```\r\n" + link + "```\r\n", 0},
	} {
		x, err := format.ParseIndex([]byte(c.in))
		if err != nil {
			t.Fatal(err)
		}
		if len(x.Outside()) != c.links {
			t.Errorf("%s: %d links, want %d", c.name, len(x.Outside()), c.links)
		}
	}
}

// P06: no name, description or path can forge a line, a link, a heading or a
// marker.
func TestIndexEntryAttacksP06(t *testing.T) {
	for _, c := range []struct {
		label, target, text string
		want                string
	}{
		{"Review Style", "user_review-style.md", "Concise findings first.", "- [Review Style](user_review-style.md) — Concise findings first."},
		{"No text", "f.md", "", "- [No text](f.md)"},
		{"A\n- [x](evil.md) - forged", "f.md", "d", `- [A - \[x\]\(evil.md) - forged](f.md) — d`},
		{"A](evil.md) [B", "f.md", "", `- [A\]\(evil.md) \[B](f.md)`},
		{"A `", "f.md", "`](evil.md)", "- [A \\`](f.md) — `\\]\\(evil.md)"},
		{`A\`, "f.md", `b\`, `- [A\\](f.md) — b\\`},
		{"N", "f.md", "a\r\n\r\n## user\u2028- x\u0085y\x0bz", "- [N](f.md) — a ## user - x y z"},
		{"N", "f.md", "<!-- memsync:end -->", `- [N](f.md) — \<!-- memsync:end --\>`},
		{"N", "f.md", "see [[other]] and [a](b.md) and [c][d]", `- [N](f.md) — see \[\[other]] and [a\]\(b.md) and [c\]\[d]`},
		{"N", "f.md", "<b>x</b> <https://e.example> a < b -> c", `- [N](f.md) — \<b>x\</b> \<https://e.example> a < b -> c`},
		{"N", "f.md", "a[0] is [x] done, C:\\dir, `code`", "- [N](f.md) — a[0] is [x] done, C:\\dir, `code`"},
		{"N", "f.md", "ab\u202e\u200bc\u00add\x1b[31m\x7f\ufeff", "- [N](f.md) — abcd[31m"},
		{"N", "par)en (x).md", "", "- [N](par%29en%20%28x%29.md)"},
		{"N", "-rf.md", "", "- [N](-rf.md)"},
		{"N", "a\nb`c[d]<e>\\f\"g#h?i%j:k|l.md", "", "- [N](a%0Ab%60c%5Bd%5D%3Ce%3E%5Cf%22g%23h%3Fi%25j%3Ak%7Cl.md)"},
		{"日本", "日本/メモ é.md", "説明", "- [日本](日本/メモ%20é.md) — 説明"},
		{"N", "bad\xff\u202e.md", "bad\xff", "- [N](bad%FF%E2%80%AE.md) — bad\ufffd"},
		{strings.Repeat("x", 300), "f.md", "", "- [" + strings.Repeat("x", 119) + "…](f.md)"},
	} {
		line, _ := format.AppendIndexEntry(nil, format.IndexEntry{Label: c.label, Target: c.target, Text: c.text}, 300)
		if string(line) != c.want {
			t.Errorf("got  %s\nwant %s", line, c.want)
		}
		x, err := format.ParseIndex(line)
		if err != nil {
			t.Fatal(err)
		}
		if len(x.Outside()) != 1 || x.Outside()[0].Target != c.target {
			t.Errorf("%s: links %+v", line, x.Outside())
		}
	}
}

// Q60: never cut inside a character.
func TestOneLineCutsQ60(t *testing.T) {
	for _, c := range []struct {
		in   string
		max  int
		want string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"ab cd", 4, "ab…"},
		{"ab   cd", 5, "ab cd"},
		{"日本語です", 3, "日本…"},
		{"e\u0301e\u0301e\u0301", 6, "e\u0301e\u0301e\u0301"},
		{"e\u0301e\u0301e\u0301", 5, "e\u0301e\u0301…"},
		{"e\u0301e\u0301e\u0301", 4, "e\u0301…"},
		{"a👩\u200d💻bc", 5, "a👩\u200d💻…"},
		{"a👩\u200d💻bc", 4, "a…"},
		{"a👍\U0001F3FDb", 3, "a…"},
		{"  a  ", 0, "a"},
		{"\n\t", 5, ""},
	} {
		if got := format.OneLine(c.in, c.max); got != c.want {
			t.Errorf("OneLine(%q, %d) = %q, want %q", c.in, c.max, got, c.want)
		}
	}
}

func TestParseIndexEntry(t *testing.T) {
	for _, c := range []struct {
		line, label, target, text string
		ok                        bool
	}{
		{"- [T](f.md) — d", "T", "f.md", "d", true},
		{"- [T](f.md) - d", "T", "f.md", "d", true},
		{"- [T](f.md) – d", "T", "f.md", "d", true},
		{"- [T](f.md) -- d", "T", "f.md", "d", true},
		{"- [T](f.md): d", "T", "f.md", "d", true},
		{"- [T](f.md) d", "T", "f.md", "d", true},
		{"- [T](f.md)", "T", "f.md", "", true},
		{"- [T](f.md) — ", "T", "f.md", "", true},
		{"- [T](f.md) — — d", "T", "f.md", "— d", true},
		{"- [T](f.md) -5 °C", "T", "f.md", "-5 °C", true},
		{"* [T](f.md) — d", "", "", "", false},
		{" - [T](f.md) — d", "", "", "", false},
		{"- ★ [T](f.md) — d", "", "", "", false},
		{"- **[T](f.md)** — d", "", "", "", false},
		{"- [T](f.md)x", "", "", "", false},
		{"- [T](f.txt) — d", "", "", "", false},
		{"- 3 more: [user-a](_index/user-a.md)", "", "", "", false},
	} {
		e, ok := format.ParseIndexEntry(c.line)
		if ok != c.ok || ok && (e != format.IndexEntry{Label: c.label, Target: c.target, Text: c.text}) {
			t.Errorf("%s: %+v, %v", c.line, e, ok)
		}
	}
}

// hostile draws strings rich in what Markdown takes for something.
func hostile() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom([]string{"[", "]", "(", ")", "](", "`", "\\", "<", ">", "<!--", "-->", "- ", "# ", "\n", "\r", " ", "—", "x.md", "a", "é", "語", "!", "\u202e", "\x00", "&lt;"}),
		rapid.String()), 0, 12), func(s []string) string { return strings.Join(s, "") })
}

// Whatever an entry's strings hold, its line is one line with one link, and
// reads back as what it said.
func TestIndexEntryRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := format.IndexEntry{
			Label:  "x" + hostile().Draw(t, "label"),
			Target: strings.Trim(strings.NewReplacer("/", "", "\x00", "", "..", "").Replace(hostile().Draw(t, "target")), ".") + "n.md",
			Text:   hostile().Draw(t, "text"),
		}
		max := rapid.IntRange(0, 40).Draw(t, "max")
		line, split := format.AppendIndexEntry(nil, e, max)
		if bytes.ContainsAny(line, "\n\r\x00") || !utf8.Valid(line) {
			t.Fatalf("%q is not one line of text", line)
		}
		if !bytes.HasPrefix(line[split-2:], []byte("](")) {
			t.Fatalf("split %d of %q", split, line)
		}
		x, err := format.ParseIndex(line)
		if err != nil || x.HasRegion() || len(x.Outside()) != 1 || x.Outside()[0].Target != e.Target {
			t.Fatalf("%q: %v %+v", line, err, x.Outside())
		}
		got, ok := format.ParseIndexEntry(string(line))
		want := format.IndexEntry{Label: format.OneLine(e.Label, format.MaxIndexLabel), Target: e.Target, Text: format.OneLine(e.Text, max)}
		if !ok || got != want {
			t.Fatalf("%q reads as %+v, %v, want %+v", line, got, ok, want)
		}
	})
}

func FuzzParseIndex(f *testing.F) {
	for _, s := range []string{
		region, "a\n\n" + region + "b", "```\n" + region + "```\n", "```\n" + region, "\ufeff" + region,
		"- [[a]] [b](c.md \"t\") [d](<e f.md>)\n", "> ~~~\n<<<<<<< x\n", strings.Repeat("[", 50) + strings.Repeat("<!--", 5),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := format.ParseIndex(data)
		if err != nil {
			if x != nil {
				t.Fatal("a value beside an error")
			}
			return
		}
		from, to := x.InnerLines()
		parts := [][]byte{x.Before()}
		if x.HasRegion() {
			for i := from - 1; i <= to; i++ {
				parts = append(parts, x.Raw(i))
			}
		}
		if got := bytes.Join(append(parts, x.After()), nil); !bytes.Equal(got, data) {
			t.Fatalf("%q came apart as %q", data, got)
		}
	})
}

func BenchmarkParseIndexBrackets(b *testing.B) {
	data := []byte(strings.Repeat("[ [[ <!-- ` ", 1<<16))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := format.ParseIndex(data); err != nil {
			b.Fatal(err)
		}
	}
}
