package recall_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"memsync"
	"memsync/indexer/recall"
)

// Q62: what a save inside the region means, one row per sentence.
func TestEditsQ62(t *testing.T) {
	ms := func() []*memsync.Memory {
		return []*memsync.Memory{
			mem(1, "user_a.md", "A", "about a"),
			mem(2, "user_b.md", "B", "about b", hook("hook of b")),
			mem(3, "project_c.md", "C", "about c", uninlined),
			mem(4, "project_un.md", "U", "", unreadable, uninlined),
		}
	}
	listed := begin + `
## user

- [A](user_a.md) — about a
- [B](user_b.md) — hook of b

## project

- [C](project_c.md) — about c

## other

- [project_un.md](project_un.md) — unreadable
` + end
	whole := "# Mine\n\n" + listed + "\nbelow\n"
	moved := func(lines string) string { // people's text after the move
		return "# Mine\n\n" + listed + lines + "\nbelow\n"
	}
	without := func(file, line string) string { return strings.Replace(file, line, "", 1) }
	for _, c := range []struct {
		name     string
		old, new string // replaced in whole; or, without old, new is the file
		hooks    []recall.HookEdit
		codes    []string
		want     string // after Digest, with the hooks taken; "" for whole
	}{
		{name: "nothing changed", old: "x", new: "x"},
		{name: "people's text changed", old: "below", new: "below, more", want: strings.Replace(whole, "below", "below, more", 1)},
		{name: "an entry's text is the memory's hook", old: "— about a", new: "— mine now",
			hooks: []recall.HookEdit{{Memory: id(1), Path: "memory/user_a.md", Text: "mine now"}},
			want:  strings.Replace(whole, "— about a", "— mine now", 1)},
		{name: "with another dash", old: "— about a", new: "- mine  now ",
			hooks: []recall.HookEdit{{Memory: id(1), Path: "memory/user_a.md", Text: "mine  now"}},
			want:  strings.Replace(whole, "— about a", "— mine now", 1)},
		{name: "a hook that needs escapes", old: "— about a", new: "— see [x](y.md)",
			hooks: []recall.HookEdit{{Memory: id(1), Path: "memory/user_a.md", Text: "see [x](y.md)"}},
			want:  strings.Replace(whole, "— about a", `— see [x\]\(y.md)`, 1)},
		{name: "back to the description", old: "— hook of b", new: "— about b",
			hooks: []recall.HookEdit{{Memory: id(2), Path: "memory/user_b.md", Text: "about b"}},
			want:  strings.Replace(whole, "— hook of b", "— about b", 1)},
		{name: "text taken away: the hook goes", old: " — hook of b", new: "",
			hooks: []recall.HookEdit{{Memory: id(2), Path: "memory/user_b.md"}},
			want:  strings.Replace(whole, "— hook of b", "— about b", 1)},
		{name: "text taken away where there is no hook", old: " — about a", new: "", codes: []string{"MS405"}},
		{name: "link text is made anew", old: "[A]", new: "[My title]", codes: []string{"MS406"}},
		{name: "link text and text", old: "[A](user_a.md) — about a", new: "[My title](user_a.md) — x", codes: []string{"MS406"},
			hooks: []recall.HookEdit{{Memory: id(1), Path: "memory/user_a.md", Text: "x"}},
			want:  strings.Replace(whole, "— about a", "— x", 1)},
		{name: "without inline frontmatter the line moves", old: "- [C](project_c.md) — about c", new: "- [C](project_c.md) — mine", codes: []string{"MS404"},
			want: without(without(moved("- [C](project_c.md) — mine\n"), "- [C](project_c.md) — about c\n"), "## project\n\n\n")},
		{name: "an unreadable one too", old: "— unreadable", new: "— my note", codes: []string{"MS404"},
			want: without(without(moved("- [project_un.md](project_un.md) — my note\n"), "- [project_un.md](project_un.md) — unreadable\n"), "\n## other\n\n")},
		{name: "another line moves", old: "- [B]", new: "a note\n- [B]", codes: []string{"MS404"}, want: moved("a note\n")},
		{name: "a paragraph keeps its blank lines", old: "- [B]", new: "one  \n\n \n\ttwo\n- [B]", codes: []string{"MS404"}, want: moved("one  \n\n \n\ttwo\n")},
		{name: "two places", old: "- [B](user_b.md) — hook of b", new: "one\n- [B](user_b.md) — hook of b\ntwo", codes: []string{"MS404", "MS404"}, want: moved("one\ntwo\n")},
		{name: "a decorated entry moves, and is listed by hand then", old: "- [A](user_a.md) — about a", new: "- ★ [A](user_a.md) — about a", codes: []string{"MS404"},
			want: without(moved("- ★ [A](user_a.md) — about a\n"), "- [A](user_a.md) — about a\n")},
		{name: "an entry with no such file moves", old: "- [B]", new: "- [X](nowhere.md) — x\n- [B]", codes: []string{"MS404"}, want: moved("- [X](nowhere.md) — x\n")},
		{name: "a fence moves whole", old: "- [B]", new: "```\n## project\n- [A](user_a.md) — in code\n```\n- [B]", codes: []string{"MS404"},
			want: moved("```\n## project\n- [A](user_a.md) — in code\n```\n")},
		{name: "a heading of one's own moves", old: "## project", new: "## My project", codes: []string{"MS404"}, want: moved("## My project\n")},
		{name: "a generated heading comes back", old: "## project\n", new: ""},
		{name: "a blank line too many", old: "## project\n", new: "## project\n\n\n"},
		{name: "a line twice", old: "- [A](user_a.md) — about a\n", new: "- [A](user_a.md) — about a\n- [A](user_a.md) — about a\n"},
		{name: "a second, other line for a listed memory moves", old: "- [A](user_a.md) — about a\n", new: "- [A](user_a.md) — about a\n- [A](user_a.md) — more\n", codes: []string{"MS404"},
			want: without(moved("- [A](user_a.md) — more\n"), "- [A](user_a.md) — about a\n")},
		{name: "a deleted entry comes back", old: "- [A](user_a.md) — about a\n", new: "", codes: []string{"MS405"}},
		{name: "another order", old: "- [A](user_a.md) — about a\n- [B](user_b.md) — hook of b\n", new: "- [B](user_b.md) — hook of b\n- [A](user_a.md) — about a\n"},
		{name: "moved by hand out of the region", new: strings.Replace(strings.Replace(whole, "- [A](user_a.md) — about a\n", "", 1), "below", "- [A](user_a.md) — about a", 1),
			want: strings.Replace(strings.Replace(whole, "- [A](user_a.md) — about a\n", "", 1), "below", "- [A](user_a.md) — about a", 1)},
		{name: "no markers: first contact again", new: "# Mine\n", want: "# Mine\n\n" + listed},
		{name: "broken markers: nothing", new: "# Mine\n" + begin + "typed\n", want: "# Mine\n" + begin + "typed\n"},
		{name: "the file ends after the marker", new: strings.TrimSuffix(strings.Replace("# Mine\n\n"+listed, "- [B]", "note\n- [B]", 1), "\n"), codes: []string{"MS404"},
			want: "# Mine\n\n" + listed + "note\n"},
		{name: "CRLF throughout", new: strings.ReplaceAll(strings.Replace(whole, "- [B]", "note\n- [B]", 1), "\n", "\r\n"), codes: []string{"MS404"},
			want: strings.ReplaceAll(moved("note\n"), "\n", "\r\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(whole, ms()...)
			if out := s.digest(); len(out.Files) > 0 {
				t.Fatalf("the start is no fixed point: %s", out.Files)
			}
			saved := c.new
			if c.old != "" {
				saved = strings.Replace(whole, c.old, c.new, 1)
			}
			if c.want == "" {
				c.want = whole
			}
			e := recall.Edits([]byte(whole), []byte(saved), s.view, s.scope)
			if d := cmp.Diff(c.hooks, e.Hooks); d != "" {
				t.Errorf("hooks %s", d)
			}
			if d := cmp.Diff(c.codes, codes(e.Findings)); d != "" {
				t.Errorf("findings %s", d)
			}
			s.take([]byte(saved), e)
			s.digest()
			same(t, c.want, string(s.file))
			if out := s.digest(); len(out.Files) > 0 {
				t.Errorf("not a fixed point: %s", out.Files)
			}
			if again := recall.Edits(s.file, s.file, s.view, s.scope); len(again.Hooks)+len(again.Findings) > 0 || string(again.Base) != string(s.file) {
				t.Errorf("saved as it is, it says %+v", again)
			}
		})
	}
}

// take accepts what a save asks for.
func (s *store) take(saved []byte, e recall.Edited) {
	changes := map[memsync.Path]*memsync.Memory{}
	for _, h := range e.Hooks {
		m := *s.view.ByPath(h.Path)
		m.Hook = h.Text
		changes[h.Path] = &m
	}
	s.view = s.view.With(memsync.Revision{}, changes)
	s.file, s.base = saved, e.Base
}

// A new line that links an existing memory which nothing lists is its hook.
func TestEditsNewLine(t *testing.T) {
	a, b, c := mem(1, "user_a.md", "A", "about a"), mem(2, "user_b.md", "B", "about b"), mem(3, "user_c.md", "C", "c", uninlined)
	s := newStore("", a)
	s.digest()
	previous := s.file
	s.view = view(a, b, c)
	typed := strings.Replace(string(previous), end, "- [B](user_b.md) — my words\n- [C](user_c.md) — other words\n- [D](user_d.md)\n"+end, 1)
	e := recall.Edits(previous, []byte(typed), s.view, s.scope)
	if d := cmp.Diff([]recall.HookEdit{{Memory: id(2), Path: "memory/user_b.md", Text: "my words"}}, e.Hooks); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"MS404"}, codes(e.Findings)); d != "" {
		t.Error(d)
	}
	s.take([]byte(typed), e)
	s.digest()
	same(t, begin+"\n## user\n\n- [A](user_a.md) — about a\n- [B](user_b.md) — my words\n"+end+"- [C](user_c.md) — other words\n- [D](user_d.md)\n", string(s.file))

	// One that people list by hand already is not unlisted.
	s = newStore("- [B](user_b.md)\n", a, b)
	s.digest()
	previous = s.file
	typed = strings.Replace(string(previous), end, "- [B](user_b.md) — more\n"+end, 1)
	e = recall.Edits(previous, []byte(typed), s.view, s.scope)
	if len(e.Hooks) != 0 || !strings.HasSuffix(string(e.Base), end+"- [B](user_b.md) — more\n") {
		t.Errorf("%+v %s", e.Hooks, e.Base)
	}
}

// Only lines that differ from the last accepted file count: what commits
// brought is made anew without a word.
func TestEditsOnlyWhatDiffers(t *testing.T) {
	s := newStore("", mem(1, "user_a.md", "A", "new description"))
	previous := begin + "\n## user\n\n- [Old title](user_a.md) — old description\nstray\n" + end
	e := recall.Edits([]byte(previous), []byte("typed\n"+previous), s.view, s.scope)
	if len(e.Hooks)+len(e.Findings) > 0 {
		t.Errorf("%+v", e)
	}
	s.take([]byte("typed\n"+previous), e)
	s.digest()
	same(t, "typed\n"+begin+"\n## user\n\n- [A](user_a.md) — new description\n"+end, string(s.file))

	// The title edited on a line whose text is out of date: the text is nobody's wish.
	e = recall.Edits([]byte(previous), []byte(strings.Replace(previous, "Old title", "My title", 1)), s.view, s.scope)
	if len(e.Hooks) > 0 || codes(e.Findings)[0] != "MS406" {
		t.Errorf("%+v", e)
	}
}

// A file without a previous one: everything in its region was typed.
func TestEditsFirstSave(t *testing.T) {
	s := newStore("", mem(1, "user_a.md", "A", "d"))
	e := recall.Edits(nil, []byte(begin+"- [A](user_a.md) — d\nnote\n"+end), s.view, s.scope)
	if len(e.Hooks) > 0 || string(e.Base) != begin+"- [A](user_a.md) — d\n"+end+"note\n" {
		t.Errorf("%+v %s", e, e.Base)
	}
}

// With memory_md = lint the file is the person's.
func TestEditsLint(t *testing.T) {
	s := newStore("", mem(1, "user_a.md", "A", "d"))
	s.scope.MemoryMD = memsync.LintOnly
	typed := begin + "note\n" + end
	if e := recall.Edits(nil, []byte(typed), s.view, s.scope); string(e.Base) != typed || len(e.Findings) > 0 {
		t.Errorf("%+v", e)
	}
}
