package recall_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"memsync"
	"memsync/indexer/recall"
	"memsync/internal/format"
	"pgregory.net/rapid"
)

var words = []string{"alpha", "Beta", "Ärger", "日本", "Привет", "[x](y.md)", "`code`", "\n", "<!-- memsync:end -->", "## user", "a\\", "2026", "-", "🎉", "long long long long text"}

func phrase(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 4).Draw(t, label), " ")
}

// drawMemories draws up to n memories with few distinct names.
func drawMemories(t *rapid.T, n int) []*memsync.Memory {
	count := rapid.IntRange(0, n).Draw(t, "memories")
	ms := make([]*memsync.Memory, count)
	for i := range ms {
		kind := rapid.SampledFrom([]string{"user", "project", "reference", "note"}).Draw(t, "type")
		rel := fmt.Sprintf("%s_%d%s.md", kind, i, rapid.SampledFrom([]string{"", " (a)", "`", "é"}).Draw(t, "rel"))
		m := mem(i, rel, phrase(t, "name"), phrase(t, "description"))
		m.Pinned = rapid.IntRange(0, 9).Draw(t, "pinned") == 0
		m.Inline = rapid.IntRange(0, 4).Draw(t, "inline") > 0
		if rapid.IntRange(0, 9).Draw(t, "unreadable") == 0 {
			unreadable(m)
			m.Inline = false
		}
		if rapid.IntRange(0, 3).Draw(t, "hooked") == 0 {
			m.Hook = phrase(t, "hook")
		}
		ms[i] = m
	}
	return ms
}

// drawPeople draws people's own text.
func drawPeople(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
		"# Mine\n", "\n", "text\n", "```\n", "~~~\n", "- [x](user_0.md) — by hand\n", "[[note_1]] and [b](project_2.md)\n",
		"\r\n", "crlf\r\n", "  indented\n", "no end", "\ufeff", "> quote\n", "long " + strings.Repeat("x", 400) + "\n",
	}), 0, 8).Draw(t, label), "")
}

// drawFile draws a MEMORY.md as it may be found.
func drawFile(t *rapid.T) []byte {
	file := drawPeople(t, "above")
	if rapid.Bool().Draw(t, "region") {
		if file != "" && !strings.HasSuffix(file, "\n") {
			file += "\n"
		}
		file += begin + drawPeople(t, "inside")
		if !strings.HasSuffix(file, "\n") {
			file += "\n"
		}
		file += end + drawPeople(t, "below")
	}
	if file == "" && rapid.Bool().Draw(t, "absent") {
		return nil
	}
	return []byte(file)
}

func drawLimits(t *rapid.T) memsync.Limits {
	return memsync.Limits{
		IndexLines: rapid.IntRange(20, 60).Draw(t, "lines"), IndexBytes: rapid.IntRange(1500, 4000).Draw(t, "bytes"),
		DescriptionChars: rapid.IntRange(5, 60).Draw(t, "chars"),
	}
}

// Law 7: Digest(v with Digest(v)) = Digest(v); the order of the View does not
// matter; people's text is kept byte for byte; everything is listed once.
func TestLawFixedPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := drawMemories(t, 60)
		s := newStore("", slices.Clone(ms)...)
		s.file, s.limits = drawFile(t), drawLimits(t)
		before, err := format.ParseIndex(s.file)

		other := *s
		slices.Reverse(ms)
		other.view, other.pages = view(ms...), map[memsync.Path][]byte{}
		out := s.digest()
		other.digest()
		if !bytes.Equal(s.file, other.file) || len(s.pages) != len(other.pages) {
			t.Fatalf("another order gives another file:\n%s\n%s", s.file, other.file)
		}
		for p, body := range s.pages {
			if !bytes.Equal(body, other.pages[p]) {
				t.Fatalf("another order gives another %s", p)
			}
		}
		if again := s.digest(); len(again.Files) > 0 {
			t.Fatalf("not a fixed point: %q\nfirst: %q", again.Files, out.Files)
		}
		if err != nil {
			if len(out.Files) > 0 {
				t.Fatal("wrote into a file that it cannot read")
			}
			return
		}
		after, err := format.ParseIndex(s.file)
		if err != nil {
			t.Fatalf("wrote what it cannot read: %v\n%s", err, s.file)
		}
		if !bytes.HasPrefix(after.Before(), before.Before()) && s.file != nil || !bytes.HasSuffix(s.file, before.After()) {
			t.Fatalf("people's text changed:\n%q\n%q", before.Bytes(), s.file)
		}
		if extra := bytes.TrimPrefix(after.Before(), before.Before()); before.HasRegion() && after.HasRegion() && len(extra) > 0 {
			t.Fatalf("added %q above the region", extra)
		}
		if bytes.Count(s.file, []byte("\n")) > max(s.limits.IndexLines, bytes.Count(before.Before(), []byte("\n"))+bytes.Count(before.After(), []byte("\n"))+23) {
			t.Fatalf("%d lines", bytes.Count(s.file, []byte("\n")))
		}
	})
}

// Every memory is listed exactly once, by hand or by us, and no link leads
// nowhere.
func TestLawComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStore("", drawMemories(t, 120)...)
		s.limits = drawLimits(t)
		s.digest()
		listed := map[memsync.Path]int{}
		read := func(dir memsync.Path, body []byte) {
			x, err := format.ParseIndex(body)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range append(x.Inside(), x.Outside()...) {
				p := dir.Join(l.Target)
				if _, page := s.pages[p]; !page && s.view.ByPath(p) == nil {
					t.Fatalf("%s is not there", p)
				}
				listed[p]++
			}
		}
		read("memory", s.file)
		for p, body := range s.pages {
			read(p.Dir(), body)
			if lines := bytes.Count(body, []byte("\n")); lines > s.limits.IndexLines && !bytes.Contains(body, []byte("](other-")) {
				t.Fatalf("%s has %d lines", p, lines)
			}
		}
		for m := range s.view.All() {
			if listed[m.Path] != 1 {
				t.Fatalf("%s is listed %d times", m.Path, listed[m.Path])
			}
		}
		for p := range s.pages {
			if listed[p] != 1 {
				t.Fatalf("%s is linked %d times", p, listed[p])
			}
		}
	})
}

// typedLines are what a person may put into the region.
var typedLines = []string{
	"a note", "  indented  ", "- ★ [A](user_0.md) — decorated", "- [A](user_0.md) — mine", "- [A](user_0.md)", "- [My title](project_1.md) — and text",
	"- [B](note_2.md): said", "- [N](nowhere.md) — x", "## My heading", "## user", "", "", "```", "~~~", "- 3 more: things", "* star", "1. one",
	"- [A](user_0.md) — one [b](project_1.md)", "[[note_2]]", "- 4 more: [x](_index/x.md), mine",
}

// Law 5: no byte that a person typed into the region is lost: it stands in the
// file, in a hook, or in the finding that says what became of it.
func TestLawNothingTypedIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStore("", drawMemories(t, 12)...)
		s.limits = memsync.Limits{IndexLines: rapid.SampledFrom([]int{25, 200}).Draw(t, "lines")}
		s.file = []byte(rapid.SampledFrom([]string{"", "# Mine\n", "- [A](user_0.md)\n", "# Mine\r\n"}).Draw(t, "people"))
		s.digest()
		previous := s.file

		lines := strings.SplitAfter(string(previous), "\n")
		x, err := format.ParseIndex(previous)
		if err != nil {
			t.Fatal(err)
		}
		from, to := x.InnerLines()
		if !x.HasRegion() {
			return
		}
		inner := slices.Clone(lines[from:to])
		typed := rapid.SliceOfN(rapid.SampledFrom(typedLines), 0, 6).Draw(t, "typed")
		for _, line := range typed {
			at := rapid.IntRange(0, len(inner)).Draw(t, "at")
			inner = slices.Insert(inner, at, line+x.EOL)
		}
		for range rapid.IntRange(0, 2).Draw(t, "deleted") {
			if len(inner) > 0 {
				at := rapid.IntRange(0, len(inner)-1).Draw(t, "which")
				inner = slices.Delete(inner, at, at+1)
			}
		}
		saved := strings.Join(slices.Concat(lines[:from], inner, lines[to:]), "")

		e := recall.Edits(previous, []byte(saved), s.view, s.scope)
		s.take([]byte(saved), e)
		s.digest()
		s.digest()
		now, err := format.ParseIndex(s.file)
		if err != nil {
			if !bytes.Equal(s.file, []byte(saved)) {
				t.Fatalf("broken by us: %v\n%s", err, s.file)
			}
			return
		}
		kept := string(now.Before()) + string(now.After())
		was := map[string]bool{}
		for _, l := range lines {
			was[strings.TrimRight(l, "\r\n")] = true
		}
		for _, raw := range inner {
			line := strings.TrimRight(raw, "\r\n")
			if strings.TrimSpace(line) == "" || was[line] || line == "## user" || strings.Contains(kept, raw) {
				continue
			}
			entry, ok := format.ParseIndexEntry(line)
			if !ok {
				t.Fatalf("%q is lost; saved\n%s\nnow\n%s", line, saved, s.file)
			}
			m := s.view.ByPath(memsync.Path("memory").Join(entry.Target))
			if m == nil {
				t.Fatalf("%q is lost", line)
			}
			if text := format.OneLine(entry.Text, 0); text != "" && text != format.OneLine(m.Hook, 0) && text != format.OneLine(m.Description, 0) {
				t.Fatalf("the text of %q is lost: hook %q", line, m.Hook)
			}
			title := false
			for _, f := range e.Findings {
				title = title || strings.Contains(f.Message, fmt.Sprintf("%q", entry.Label))
			}
			name := format.OneLine(m.Name, format.MaxIndexLabel)
			if entry.Label != name && name != "" && !title {
				t.Fatalf("the title of %q is lost: %+v", line, e.Findings)
			}
		}
		// Where a memory was listed it still is.
		for p := range s.view.All() {
			base := string(format.AppendTarget(nil, p.Path.Base()))
			found := strings.Contains(string(s.file), base) || strings.Contains(string(s.file), "[[note_2]]")
			for _, page := range s.pages {
				found = found || strings.Contains(string(page), base)
			}
			if !found {
				t.Fatalf("%s is listed nowhere\n%s", p.Path, s.file)
			}
		}
		if out := recall.Digest(s.input()); len(out.Files) > 0 {
			t.Fatal("not a fixed point")
		}
	})
}

func FuzzEdits(f *testing.F) {
	for _, l := range typedLines {
		f.Add([]byte(begin+"- [A](user_a.md) — d\n"+end), []byte("x\n"+begin+l+"\n"+end+"y"))
	}
	f.Fuzz(func(t *testing.T, previous, saved []byte) {
		s := newStore("", mem(1, "user_a.md", "A", "d"), mem(2, "user_b.md", "B", "e", uninlined), mem(3, "c.md", "C", "", pinned))
		e := recall.Edits(previous, saved, s.view, s.scope)
		if len(e.Base) < len(saved) {
			t.Fatalf("%d bytes became %d", len(saved), len(e.Base))
		}
		s.take(saved, e)
		s.digest()
		if again := s.digest(); len(again.Files) > 0 {
			t.Fatalf("not a fixed point:\n%s\n%s", s.file, again.Files)
		}
	})
}
