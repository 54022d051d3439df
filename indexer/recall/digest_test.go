package recall_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"memsync"
	"memsync/indexer/recall"
	"memsync/internal/format"
)

// One row per sentence of format.md "MEMORY.md".
func TestDigest(t *testing.T) {
	style := mem(1, "user_review-style.md", "Review Style", "Concise findings first.")
	one := begin + "\n## user\n\n- [Review Style](user_review-style.md) — Concise findings first.\n" + end
	for _, c := range []struct {
		name   string
		file   string
		ms     []*memsync.Memory
		scope  func(*memsync.Scope)
		want   string
		absent bool
		codes  []string
	}{
		{name: "one line per memory", ms: []*memsync.Memory{style}, want: one},
		{name: "grammar: pinned first, the types in order, names folded, then id",
			ms: []*memsync.Memory{
				mem(9, "notes.md", "Notes", "n"), mem(2, "reference_r.md", "R", "r"), mem(3, "project_p.md", "P", "p"),
				mem(4, "feedback_f.md", "F", "f"), mem(6, "user_b.md", "beta", "b"), mem(5, "user_a.md", "Alpha", "a"),
				mem(8, "user_z1.md", "Zoé", "2"), mem(7, "user_z2.md", "zoe\u0301", "1"),
				mem(11, "project_pin.md", "A pin", "x", pinned), mem(10, "user_pin.md", "Z pin", "y", pinned),
			},
			want: begin + `- [Z pin](user_pin.md) — y
- [A pin](project_pin.md) — x

## user

- [Alpha](user_a.md) — a
- [beta](user_b.md) — b
- [` + "zoe\u0301" + `](user_z2.md) — 1
- [Zoé](user_z1.md) — 2

## feedback

- [F](feedback_f.md) — f

## project

- [P](project_p.md) — p

## reference

- [R](reference_r.md) — r

## other

- [Notes](notes.md) — n
` + end},
		{name: "hook instead of description", ms: []*memsync.Memory{mem(1, "user_a.md", "A", "long", hook("short"))},
			want: begin + "\n## user\n\n- [A](user_a.md) — short\n" + end},
		{name: "no text", ms: []*memsync.Memory{mem(1, "user_a.md", "A", "")},
			want: begin + "\n## user\n\n- [A](user_a.md)\n" + end},
		{name: "folders", ms: []*memsync.Memory{mem(1, "user/2026-01/user_a b.md", "A", "d")},
			want: begin + "\n## user\n\n- [A](user/2026-01/user_a%20b.md) — d\n" + end},
		{name: "unreadable ones by file name, under other", ms: []*memsync.Memory{mem(1, "user_bro(ken.md", "x", "y", unreadable)},
			want: begin + "\n## other\n\n- [user_bro(ken.md](user_bro%28ken.md) — unreadable\n" + end},
		{name: "logs and reserved files are not in it",
			ms:   []*memsync.Memory{style, mem(2, "2026-01-02.md", "Log", "l", log), mem(3, "_system/archive/user_x.md", "X", "x"), mem(4, "sub/_draft.md", "D", "d"), mem(5, "sub/_dir_/user_ok.md", "Ok", "k")},
			want: begin + "\n## user\n\n- [Ok](sub/_dir_/user_ok.md) — k\n- [Review Style](user_review-style.md) — Concise findings first.\n" + end},
		{name: "nothing to list, no file", ms: nil, absent: true},
		{name: "only logs, no file", ms: []*memsync.Memory{mem(2, "2026-01-02.md", "Log", "l", log)}, absent: true},
		{name: "nothing to list, people's text stays", file: "# Mine\n", ms: nil, want: "# Mine\n"},
		{name: "first contact: below people's text, one blank line", file: "# Mine\n", ms: []*memsync.Memory{style}, want: "# Mine\n\n" + one},
		{name: "first contact: a blank line is there", file: "# Mine\n\n", ms: []*memsync.Memory{style}, want: "# Mine\n\n" + one},
		{name: "first contact: a blank line with blanks is there", file: "# Mine\n \t\n", ms: []*memsync.Memory{style}, want: "# Mine\n \t\n" + one},
		{name: "first contact: no final newline", file: "# Mine", ms: []*memsync.Memory{style}, want: "# Mine\n\n" + one},
		{name: "first contact: CRLF", file: "# Mine\r\n", ms: []*memsync.Memory{style}, want: "# Mine\r\n\r\n" + strings.ReplaceAll(one, "\n", "\r\n")},
		{name: "first contact: CRLF, no final newline", file: "# Mine\r\nx", ms: []*memsync.Memory{style}, want: "# Mine\r\nx\r\n\r\n" + strings.ReplaceAll(one, "\n", "\r\n")},
		{name: "first contact: only a byte order mark", file: "\ufeff", ms: []*memsync.Memory{style}, want: "\ufeff" + one},
		{name: "no marker where there was a region: first contact again", file: "- [Old](gone.md) — x\n", ms: []*memsync.Memory{style}, want: "- [Old](gone.md) — x\n\n" + one},
		{name: "people's text byte for byte", file: "  a\t\n" + begin + "old\n" + end + "\n\n\nb  \nc", ms: []*memsync.Memory{style}, want: "  a\t\n" + one + "\n\n\nb  \nc"},
		{name: "no final newline after the marker", file: "a\n" + begin + strings.TrimSuffix(end, "\n"), ms: []*memsync.Memory{style}, want: "a\n" + strings.TrimSuffix(one, "\n")},
		{name: "CRLF region", file: strings.ReplaceAll("a\n"+begin+end+"b\n", "\n", "\r\n"), ms: []*memsync.Memory{style},
			want: strings.ReplaceAll("a\n"+one+"b\n", "\n", "\r\n")},
		{name: "the last entry goes, the region goes", file: "a\n\n" + one + "b\n", ms: nil, want: "a\n\nb\n"},
		{name: "the last entry goes, the file goes", file: one, ms: nil, absent: true},
		{name: "bare markers that a person put wait", file: "a\n" + begin + end + "b\n", ms: nil, want: "a\n" + begin + end + "b\n"},
		{name: "hand-listed ones are not repeated", file: "- [My words](user_review-style.md) - mine\n", ms: []*memsync.Memory{style}, want: "- [My words](user_review-style.md) - mine\n"},
		{name: "hand-listed in any shape",
			file: "- ★ **[x](user_a.md)** [y](./user_b.md)\n| [z](user_c.md#h) |\n[[Delta]] [[user_e]] [[F f|alias]] [[old/user_g.md]]\n",
			ms: []*memsync.Memory{mem(1, "user_a.md", "A", ""), mem(2, "user_b.md", "B", ""), mem(3, "user_c.md", "C", ""), mem(4, "user_d.md", "Delta", ""),
				mem(5, "user_e.md", "E", ""), mem(6, "user_f-f.md", "Six", ""), mem(7, "user_g.md", "G", "")},
			want: "- ★ **[x](user_a.md)** [y](./user_b.md)\n| [z](user_c.md#h) |\n[[Delta]] [[user_e]] [[F f|alias]] [[old/user_g.md]]\n"},
		{name: "Q61 a link in a code fence lists nothing", file: "```\n[x](user_review-style.md)\n```\n", ms: []*memsync.Memory{style}, want: "```\n[x](user_review-style.md)\n```\n\n" + one},
		{name: "a link inside the region lists nothing", file: begin + "- [x](user_review-style.md) — old\n" + end, ms: []*memsync.Memory{style}, want: one},
		{name: "P06 a name cannot forge a line", ms: []*memsync.Memory{mem(1, "user_a.md", "A\n- [x](evil.md) - forged", "b\n"+end+"## user\n- [y](evil.md)")},
			want: begin + "\n## user\n\n" + `- [A - \[x\]\(evil.md) - forged](user_a.md) — b \<!-- memsync:end --\> ## user - [y\]\(evil.md)` + "\n" + end},
		{name: "P06 Q32 file names", ms: []*memsync.Memory{mem(1, "par)en.md", "P", ""), mem(2, "-rf.md", "R", ""), mem(3, "a\"b $(id) 日本.md", "Q", ""), mem(4, "x:y.md", "C", "")},
			want: begin + "\n## other\n\n- [C](x%3Ay.md)\n- [P](par%29en.md)\n- [Q](a%22b%20$%28id%29%20日本.md)\n- [R](-rf.md)\n" + end},
		{name: "P06 no name at all", ms: []*memsync.Memory{mem(1, "user_a.md", "\u202e\n", "d")}, want: begin + "\n## user\n\n- [user_a.md](user_a.md) — d\n" + end},
		{name: "Q62 one marker", file: "a\n" + begin + "b\n", ms: []*memsync.Memory{style}, want: "a\n" + begin + "b\n", codes: []string{"MS403"}},
		{name: "Q62 nested markers", file: begin + begin + end, ms: []*memsync.Memory{style}, want: begin + begin + end, codes: []string{"MS403"}},
		{name: "git's conflict markers", file: "<<<<<<< HEAD\nx\n=======\n", ms: []*memsync.Memory{style}, want: "<<<<<<< HEAD\nx\n=======\n", codes: []string{"MS403"}},
		{name: "not text", file: "\xff\xfea\x00", ms: []*memsync.Memory{style}, want: "\xff\xfea\x00", codes: []string{"MS403"}},
		{name: "a fence around the region, kept open by a line inside", file: "```\n" + begin + "```\n" + end + "```\n", ms: []*memsync.Memory{style}, want: "```\n" + begin + "```\n" + end + "```\n", codes: []string{"MS403"}},
		{name: "Q61 lint only checks", file: "- [gone](gone.md)\n```\n[x](example.md)\n```\n", ms: []*memsync.Memory{style}, scope: func(s *memsync.Scope) { s.MemoryMD = memsync.LintOnly },
			want: "- [gone](gone.md)\n```\n[x](example.md)\n```\n", codes: []string{"MS401", "MS401"}},
		{name: "Q61 lint, nothing drifted", file: "- [a](user_review-style.md)\n[out](../x.md) [[dangling]]\n", ms: []*memsync.Memory{style}, scope: func(s *memsync.Scope) { s.MemoryMD = memsync.LintOnly },
			want: "- [a](user_review-style.md)\n[out](../x.md) [[dangling]]\n"},
		{name: "lint, no file", ms: []*memsync.Memory{style}, scope: func(s *memsync.Scope) { s.MemoryMD = memsync.LintOnly }, absent: true},
		{name: "nothing is created in a bound directory", ms: []*memsync.Memory{style}, scope: func(s *memsync.Scope) { s.System = ".memsync/bound/m" }, absent: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(c.file, c.ms...)
			if c.scope != nil {
				c.scope(&s.scope)
			}
			out := s.digest()
			if (s.file == nil) != c.absent {
				t.Errorf("file absent: %v", s.file == nil)
			}
			same(t, c.want, string(s.file))
			if d := cmp.Diff(c.codes, codes(out.Findings)); d != "" {
				t.Errorf("findings %s", d)
			}
			for _, f := range out.Findings {
				if f.Path != "memory/MEMORY.md" || f.Message == "" {
					t.Errorf("%+v", f)
				}
			}
			if again := s.digest(); len(again.Files) > 0 {
				t.Errorf("not a fixed point: %q", again.Files)
			}
		})
	}
}

// many makes n memories of several types, in an order that is not that of the
// list.
func many(n int, description string) []*memsync.Memory {
	r := rand.New(rand.NewPCG(1, 2))
	types := []string{"user", "feedback", "project", "reference", "note"}
	ms := make([]*memsync.Memory, n)
	for i := range ms {
		letter := string(rune('a' + i*7%26))
		name := fmt.Sprintf("%s topic %d", letter, i)
		ms[i] = mem(i, fmt.Sprintf("%s_%s-topic-%d.md", types[i%len(types)], letter, i), name, description)
	}
	r.Shuffle(n, func(i, j int) { ms[i], ms[j] = ms[j], ms[i] })
	return ms
}

// listing follows the file and its pages and says what they list, and checks
// that everything is within the limits.
func (s *store) listing(t testing.TB) map[memsync.Path]int {
	t.Helper()
	lim := s.limits
	if lim.IndexLines == 0 {
		lim = memsync.DefaultLimits()
	}
	listed := map[memsync.Path]int{}
	seen := map[memsync.Path]bool{}
	var walk func(p memsync.Path, body []byte)
	walk = func(p memsync.Path, body []byte) {
		if seen[p] {
			t.Errorf("%s is linked twice", p)
		}
		seen[p] = true
		if lines := bytes.Count(body, []byte("\n")); lines > lim.IndexLines || len(body) > lim.IndexBytes && lines > 3 {
			t.Errorf("%s has %d lines and %d bytes", p, lines, len(body))
		}
		if !utf8.Valid(body) {
			t.Errorf("%s is not UTF-8", p)
		}
		x, err := format.ParseIndex(body)
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		for _, l := range append(x.Inside(), x.Outside()...) {
			q := memsync.Path(path.Join(string(p.Dir()), l.Target))
			if page, ok := s.pages[q]; ok {
				walk(q, page)
			} else if m := s.view.ByPath(q); m != nil {
				listed[q]++
			} else {
				t.Errorf("%s links %s, which is not there", p, q)
			}
		}
	}
	walk(recall.FilePath(s.scope), s.file)
	for p := range s.pages {
		if !seen[p] {
			t.Errorf("%s is not linked", p)
		}
	}
	return listed
}

func TestBudgetQ60(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		text  string
		hand  string
		codes []string
	}{
		{"all fit", 100, "d", "", nil},
		{"80 percent", 145, "d", "", []string{"MS402"}},
		{"90 percent", 170, "d", "", []string{"MS402"}},
		{"250 memories", 250, "short", "", []string{"MS402"}},
		{"150 with 300 characters", 150, strings.Repeat("long ", 60), "", []string{"MS402"}},
		{"multibyte", 150, strings.Repeat("日本語", 100), "", []string{"MS402"}},
		{"10,000", 10_000, "a description of usual length, which says what it is about", "", []string{"MS402"}},
		{"people's text takes most lines", 250, "d", strings.Repeat("mine\n", 170), []string{"MS402"}},
		{"people's text takes most bytes", 250, "d", strings.Repeat("mine ", 4000) + "\n", []string{"MS402"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(c.hand, many(c.n, c.text)...)
			out := s.digest()
			listed := s.listing(t)
			if len(listed) != c.n {
				t.Errorf("%d of %d are listed", len(listed), c.n)
			}
			for p, n := range listed {
				if n != 1 {
					t.Errorf("%s is listed %d times", p, n)
				}
			}
			if d := cmp.Diff(c.codes, codes(out.Findings)); d != "" {
				t.Errorf("findings %s", d)
			}
			x, err := format.ParseIndex(s.file)
			if err != nil {
				t.Fatal(err)
			}
			inFile := 0
			outside := map[memsync.ID]bool{}
			for _, id := range out.Outside {
				outside[id] = true
			}
			for _, l := range x.Inside() {
				if m := s.view.ByPath(memsync.Path("memory").Join(l.Target)); m != nil {
					inFile++
					if outside[m.ID] {
						t.Errorf("%s is in the file and outside", m.Path)
					}
				}
			}
			if inFile+len(out.Outside) != c.n {
				t.Errorf("%d in the file, %d outside, of %d", inFile, len(out.Outside), c.n)
			}
			if len(out.Outside) > 0 && inFile+40 < 200 && len(s.file) < 24_000 && c.hand == "" {
				t.Errorf("only %d entries and %d bytes in the file", inFile, len(s.file))
			}
		})
	}
}

// Overflow takes tails, from `other` upwards, and pinned entries last.
func TestOverflowOrder(t *testing.T) {
	var ms []*memsync.Memory
	for i := range 30 {
		ms = append(ms, mem(i, fmt.Sprintf("user_%02d.md", i), fmt.Sprintf("u%02d", i), ""))
		ms = append(ms, mem(100+i, fmt.Sprintf("project_%02d.md", i), fmt.Sprintf("%c%02d", 'x'+i%2, i), ""))
		ms = append(ms, mem(200+i, fmt.Sprintf("n%02d.md", i), fmt.Sprintf("n%02d", i), ""))
	}
	ms = append(ms, mem(300, "user_pin.md", "pin", "", pinned))
	s := newStore("", ms...)
	s.limits = memsync.Limits{IndexLines: 60, IndexBytes: 25000}
	s.digest()
	want := begin + "- [pin](user_pin.md)\n\n## user\n\n"
	for i := range 30 {
		want += fmt.Sprintf("- [u%02d](user_%02d.md)\n", i, i)
	}
	want += "\n## project\n\n"
	for i := 0; i < 30; i += 2 {
		want += fmt.Sprintf("- [x%02d](project_%02d.md)\n", i, i)
	}
	want += "- [y01](project_01.md)\n"
	want += "- 14 more: [project-y](_index/project-y.md)\n\n## other\n\n- 30 more: [other-n](_index/other-n.md)\n" + end
	same(t, want, string(s.file))
	page := string(s.pages["memory/_index/project-y.md"])
	if !strings.HasPrefix(page, "# project-y\n\n- [y03](../project_03.md)\n- [y05]") {
		t.Errorf("page:\n%s", page)
	}
	s.listing(t)
}

// A page over the budget is split by the letters that tell names apart.
func TestPagesSplit(t *testing.T) {
	var ms []*memsync.Memory
	for i := range 400 {
		ms = append(ms, mem(i, fmt.Sprintf("project_%03d.md", i), fmt.Sprintf("Agent run %03d", i), ""))
	}
	for i := range 300 { // one name for all: only the id tells them apart
		ms = append(ms, mem(1000+i, fmt.Sprintf("reference_%03d.md", i), "Same", ""))
	}
	for i := range 600 {
		ms = append(ms, mem(2000+i, fmt.Sprintf("han_%03d.md", i), string(rune(0x4e00+i*7)), ""))
	}
	for i := range 300 {
		ms = append(ms, mem(3000+i, fmt.Sprintf("cyr_%03d.md", i), "ж"+string(rune('а'+i%30))+fmt.Sprint(i), ""))
	}
	ms = append(ms, mem(4000, "e1.md", "🎉", ""), mem(4001, "e2.md", "Élan", ""), mem(4002, "e3.md", "2026", ""), mem(4003, "e4.md", "ᚠᛇᚻ", ""))
	s := newStore("", ms...)
	s.digest()
	if got := s.listing(t); len(got) != len(ms) {
		t.Errorf("%d of %d listed", len(got), len(ms))
	}
	var names []string
	for p := range s.pages {
		names = append(names, strings.TrimSuffix(p.Base(), ".md"))
	}
	slices.Sort(names)
	has := func(want ...string) {
		for _, w := range want {
			if !slices.Contains(names, w) {
				t.Errorf("no page %s in %v", w, names)
			}
		}
	}
	has("project-a", "project-a.agent-run-1", "project-a.agent-run-3", "reference-s", "other-han", "other-cyrillic", "other-cyrillic.жа", "other-symbols", "other-e", "other-0-9", "other-letters")
	if len(names) > 80 {
		t.Errorf("%d pages", len(names))
	}
}

// With more pages than one line can name, the line names the page of pages.
func TestManyPages(t *testing.T) {
	var ms []*memsync.Memory
	for i := range 26 * 20 {
		ms = append(ms, mem(i, fmt.Sprintf("project_%03d.md", i), fmt.Sprintf("%c%d", 'a'+i%26, i), ""))
	}
	s := newStore(strings.Repeat("x\n", 150), ms...)
	s.digest()
	if !strings.Contains(string(s.file), " more: [project](_index/project.md)\n") {
		t.Errorf("%s", s.file[300:])
	}
	s.listing(t)
}

// The region has at least 20 lines however long people's text is, and keeps to
// them when every type overflows.
func TestRegionMinimumQ60(t *testing.T) {
	for _, lines := range []int{178, 190, 1000} {
		s := newStore(strings.Repeat("x\n", lines), many(2000, "d")...)
		out := s.digest()
		x, _ := format.ParseIndex(s.file)
		from, to := x.InnerLines()
		if n := to - from + 2; n > 20 || n < 7 {
			t.Errorf("%d lines of people's text: a region of %d", lines, n)
		}
		if lines > 200 && codes(out.Findings)[0] != "MS402" {
			t.Errorf("%v", out.Findings)
		}
		if again := s.digest(); len(again.Files) > 0 {
			t.Error("not a fixed point")
		}
	}
	s := newStore(strings.Repeat("x\n", 1000), mem(1, "user_a.md", "A", "d"), mem(2, "user_b.md", "B", "d"))
	s.digest()
	if !strings.Contains(string(s.file), "- [B](user_b.md) — d\n"+end) {
		t.Error("a short list is not written")
	}
}

// In a scope that is bound, pages live with the system files.
func TestBoundScope(t *testing.T) {
	s := newStore("# Mine\n", many(400, "d")...)
	s.scope.System = ".memsync/bound/my notes"
	s.view = memsync.NewView(memsync.Revision{}, []memsync.Scope{s.scope}, slices.Collect(s.view.All()))
	out := s.digest()
	s.listing(t)
	if !strings.Contains(string(s.file), "](../.memsync/bound/my%20notes/_index/") {
		t.Errorf("%s", s.file)
	}
	for p, body := range out.Files {
		if p != "memory/MEMORY.md" && !p.In(".memsync/bound/my notes/_index") {
			t.Errorf("writes %s", p)
		}
		if strings.Contains(p.Base(), "-") && !strings.Contains(string(body), "](../../../../memory/") {
			t.Errorf("%s: %s", p, body)
		}
	}
}

// Somebody's own file in _index/ stays; a page that nothing needs goes.
func TestStrayPages(t *testing.T) {
	s := newStore("", mem(1, "user_a.md", "A", ""))
	s.pages["memory/_index/notes.md"] = []byte("# notes\n\nmine\n")
	s.pages["memory/_index/user-plans.md"] = []byte("my plans\n")
	s.pages["memory/_index/user-b.md"] = []byte("# user-b\n\n- [x](../x.md)\n")
	s.digest()
	if len(s.pages) != 2 || s.pages["memory/_index/user-b.md"] != nil {
		t.Errorf("%v", s.pages)
	}
}

// An edit of one memory changes MEMORY.md or one page, not more.
func TestOneEditOnePage(t *testing.T) {
	ms := many(3000, "description")
	s := newStore("", ms...)
	s.digest()
	for i := 0; i < len(ms); i += 97 {
		old := ms[i]
		changed := *old
		changed.Description = "Description" // as long as before
		s.view = s.view.With(memsync.Revision{}, map[memsync.Path]*memsync.Memory{old.Path: &changed})
		if out := s.digest(); len(out.Files) != 1 {
			t.Errorf("%s: %d files", old.Path, len(out.Files))
		}
	}
	added := mem(9000, "project_new.md", "m new", "description")
	s.view = s.view.With(memsync.Revision{}, map[memsync.Path]*memsync.Memory{added.Path: added})
	if out := s.digest(); len(out.Files) > 2 {
		t.Errorf("an added memory changes %d files", len(out.Files))
	}
	s.listing(t)
}

func BenchmarkDigest10000(b *testing.B) {
	s := newStore("# Mine\n", many(10_000, "A description of usual length — it says what the memory is about, in one line")...)
	s.digest()
	for b.Loop() {
		if out := recall.Digest(s.input()); len(out.Files) > 0 {
			b.Fatal("changed")
		}
	}
}

func BenchmarkDigest150(b *testing.B) {
	s := newStore("# Mine\n", many(150, "A description of usual length")...)
	s.digest()
	for b.Loop() {
		recall.Digest(s.input())
	}
}

// Pinned entries overflow last, and their pages are their own.
func TestPinnedOverflow(t *testing.T) {
	var ms []*memsync.Memory
	for i := range 50 {
		ms = append(ms, mem(i, fmt.Sprintf("user_%02d.md", i), fmt.Sprintf("p%02d", i), "", pinned))
	}
	ms = append(ms, mem(100, "user_a.md", "A", ""))
	s := newStore("", ms...)
	s.limits = memsync.Limits{IndexLines: 30, IndexBytes: 25000}
	out := s.digest()
	want := begin
	for i := range 23 {
		want += fmt.Sprintf("- [p%02d](user_%02d.md)\n", i, i)
	}
	want += "- 27 more: [pinned-p](_index/pinned-p.md)\n\n## user\n\n- 1 more: [user-a](_index/user-a.md)\n" + end
	same(t, want, string(s.file))
	if len(out.Outside) != 28 || out.Outside[27] != id(100) {
		t.Errorf("%d outside", len(out.Outside))
	}
}

// While a copy waits to be told apart, two memories have one id and one name:
// their paths decide.
func TestSameNameSameID(t *testing.T) {
	var ms []*memsync.Memory
	want := begin + "\n## user\n\n"
	for i := range 40 {
		ms = append(ms, mem(1, fmt.Sprintf("user_%02d.md", i), "Same", ""))
		want += fmt.Sprintf("- [Same](user_%02d.md)\n", i)
	}
	s := newStore("", ms...)
	s.digest()
	same(t, want+end, string(s.file))

	for i := range 400 { // and no page can be split any further
		ms = append(ms, mem(1, fmt.Sprintf("project_%03d.md", i), "Same", ""))
	}
	s = newStore("", ms...)
	s.digest()
	if again := s.digest(); len(again.Files) > 0 {
		t.Error("not a fixed point")
	}
	if page := s.pages["memory/_index/project-s.md"]; !bytes.Contains(page, []byte("](project-s.same_")) {
		t.Errorf("%s", page)
	}
}
