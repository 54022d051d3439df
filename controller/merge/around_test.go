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

	"memsync"
	"memsync/internal/config"
	"memsync/internal/format"
	"memsync/internal/ledger"
)

// twoWays joins in both directions and insists on one answer.
func twoWays(t testing.TB, how func(b, x, y Version) Result, base, x, y Version) Result {
	t.Helper()
	r, s := how(base, x, y), how(base, y, x)
	if diff := cmp.Diff(r, s); diff != "" {
		t.Fatalf("not symmetric: %s", diff)
	}
	return r
}

const region = format.IndexBegin + "\n"

func indexOf(above, inside, below string) string {
	return above + region + inside + format.IndexEnd + "\n" + below
}

// Q52: MEMORY.md entry by entry.
func TestQ52Index(t *testing.T) {
	e := func(slug, text string) string { return "- [" + slug + "](user_" + slug + ".md) — " + text + "\n" }
	for name, c := range map[string]struct {
		base, early, late, want string
		conflicts               int
	}{
		"both list a memory": {indexOf("", "## user\n\n"+e("a", "A"), ""), indexOf("", "## user\n\n"+e("a", "A")+e("b", "B"), ""),
			indexOf("", "## user\n\n"+e("a", "A")+e("c", "C"), ""), indexOf("", "## user\n\n"+e("a", "A")+e("b", "B")+e("c", "C"), ""), 0},
		"both list the first": {"", indexOf("", "## user\n\n"+e("b", "B"), ""), indexOf("", "## user\n\n"+e("c", "C"), ""),
			indexOf("", "## user\n\n"+e("b", "B")+e("c", "C"), ""), 0},
		"both say something else, in the region": {indexOf("", e("a", "A"), ""), indexOf("", e("a", "early"), ""), indexOf("", e("a", "late"), ""),
			indexOf("", e("a", "late"), ""), 0},
		"both say something else, by hand": {"# Mine\n\n" + e("a", "A"), "# Mine\n\n" + e("a", "early"), "# Mine\n\n" + e("a", "late"), "# Mine\n\n" + e("a", "late"), 1},
		"one moved an entry, the other changed it": {e("a", "A") + e("b", "B") + e("c", "C"), e("b", "B") + e("c", "C") + e("a", "A"), e("a", "A2") + e("b", "B") + e("c", "C"),
			e("b", "B") + e("c", "C") + e("a", "A2"), 0},
		"taken away here, changed there": {e("a", "A") + e("b", "B"), e("b", "B"), e("a", "A2") + e("b", "B"), e("b", "B"), 1},
		"people's text above and below": {indexOf("# T\n\n", e("a", "A"), "\nbelow\n"), indexOf("# T\n\nabove\n\n", e("a", "A"), "\nbelow\n"), indexOf("# T\n\n", e("a", "A"), "\nbelow\n\nmore\n"),
			indexOf("# T\n\nabove\n\n", e("a", "A"), "\nbelow\n\nmore\n"), 0},
		"one put a region in":   {"# T\n", "# T\n\nmine\n", indexOf("# T\n\n", e("a", "A"), ""), "*" + region, 0},
		"one broke the markers": {indexOf("", e("a", "A"), ""), region + e("a", "A"), indexOf("", e("a", "A")+e("b", "B"), ""), "*user_b.md", 1},
	} {
		t.Run(name, func(t *testing.T) {
			base := at(c.base, 0)
			if c.base == "" {
				base = Version{}
			}
			r := twoWays(t, Index, base, at(c.early, 1), at(c.late, 2))
			word, part := strings.CutPrefix(c.want, "*")
			if part && !strings.Contains(string(r.Bytes), word) || !part && string(r.Bytes) != c.want {
				t.Errorf("joined to\n%s\nwant\n%s", r.Bytes, c.want)
			}
			if len(r.Conflicts) != c.conflicts {
				t.Errorf("conflicts %+v", r.Conflicts)
			}
		})
	}
}

// Policy: key by key; the format by the larger; comments survive.
func TestPolicy(t *testing.T) {
	base := "format = 1 # theirs\n\n[limits]\n# why so many\nbody_lines = 200\nindex_lines = 200\n\n[[scope]]\npath = \"docs\"\nwriters = \"people\"\n"
	edit := func(pairs ...string) Version { return at(strings.NewReplacer(pairs...).Replace(base), 1) }
	for name, c := range map[string]struct {
		early, late Version
		want        []string
		not         []string
		conflicts   int
	}{
		"two keys side by side": {edit("body_lines = 200", "body_lines = 300"), edit("index_lines = 200", "index_lines = 150"),
			[]string{"body_lines = 300", "index_lines = 150", "# why so many", "# theirs"}, nil, 0},
		"one key on both sides": {edit("body_lines = 200", "body_lines = 300"), edit("body_lines = 200", "body_lines = 400"), []string{"body_lines = 400"}, []string{"300"}, 1},
		"a comment each": {edit("body_lines = 200", "body_lines = 300 # early"), edit("# why so many", "# why so many\n# and more"),
			[]string{"body_lines = 300 # early", "# and more"}, nil, 0},
		"a comment beside a value on each side": {edit("body_lines = 200", "body_lines = 300 # early"), edit("body_lines = 200", "body_lines = 200 # late"),
			[]string{"body_lines = 300", "# late"}, nil, 1},
		"a scope each": {edit("path = \"docs\"\n", "path = \"docs\"\nidentity = \"ledger\"\n"), edit("writers = \"people\"", "writers = \"mixed\""),
			[]string{"identity = \"ledger\"", "writers = \"mixed\""}, nil, 0},
		"two new scopes": {edit("[[scope]]", "[[scope]]\npath = \"a\"\nkind = \"global\"\n\n[[scope]]"), edit("[[scope]]", "[[scope]]\npath = \"b\"\nkind = \"global\"\nignore = [\"x\"]\n\n[[scope]]"),
			[]string{"path = \"a\"", "path = \"b\"", "ignore = [\"x\"]", "path = \"docs\""}, nil, 0},
		"a scope dropped": {edit("\n[[scope]]\npath = \"docs\"\nwriters = \"people\"\n", ""), edit("body_lines = 200", "body_lines = 300"), []string{"300"}, []string{"docs"}, 0},
		"a table that both add": {edit("[limits]", "[deletes]\nhold_files = 3\n\n[limits]"), edit("[limits]", "[deletes]\nhold_percent = 50\n\n[limits]"),
			[]string{"hold_files = 3", "hold_percent = 50"}, nil, 0},
		"lint levels": {edit("[[scope]]", "[lint]\nMS103 = \"off\"\n\n[[scope]]"), edit("[[scope]]", "[lint]\nMS104 = \"error\"\n\n[[scope]]"),
			[]string{"MS103 = \"off\"", "MS104 = \"error\""}, nil, 0},
		"one does not read": {edit("[limits]", "[limits"), edit("body_lines = 200", "body_lines = 300"), []string{"300"}, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c.late.Time = c.late.Time.Add(time.Hour)
			r := twoWays(t, Policy, at(base, 0), c.early, c.late)
			for _, w := range c.want {
				if !strings.Contains(string(r.Bytes), w) {
					t.Errorf("%q is not in\n%s", w, r.Bytes)
				}
			}
			for _, w := range c.not {
				if strings.Contains(string(r.Bytes), w) {
					t.Errorf("%q is in\n%s", w, r.Bytes)
				}
			}
			if len(r.Conflicts) != c.conflicts {
				t.Errorf("conflicts %v", r.Conflicts)
			}
			if _, err := config.Parse(r.Bytes); err != nil && name != "one does not read" {
				t.Errorf("%v\n%s", err, r.Bytes)
			}
		})
	}
}

var policyValue = rapid.Custom(func(t *rapid.T) string {
	var b strings.Builder
	for _, key := range []string{"limits.body_lines", "deletes.hold_files", "normalize.stamp", "git.branch"} {
		table, short, _ := strings.Cut(key, ".")
		v := rapid.SampledFrom([]string{"", "1", "2", "3"}).Draw(t, key)
		switch {
		case v == "":
			continue
		case key == "git.branch":
			v = `"b` + v + `"`
		case key == "normalize.stamp":
			v = fmt.Sprint(v == "1")
		}
		if rapid.IntRange(0, 3).Draw(t, "note") == 0 {
			fmt.Fprintf(&b, "# note %d\n", rapid.IntRange(0, 5).Draw(t, "which"))
		}
		fmt.Fprintf(&b, "[%s]\n%s = %s\n", table, short, v)
	}
	for _, dir := range []string{"a", "b"} {
		if rapid.Bool().Draw(t, dir) {
			fmt.Fprintf(&b, "\n[[scope]]\npath = %q\nwriters = %q\n", dir, rapid.SampledFrom([]string{"people", "mixed", "agent:x"}).Draw(t, "writers"))
			if k := rapid.SampledFrom([]string{"", "global", "agent"}).Draw(t, "kind"); k != "" {
				fmt.Fprintf(&b, "kind = %q\n", k)
				if k == "agent" {
					b.WriteString("agent = \"r\"\n")
				}
			}
		}
	}
	return b.String()
})

// What reads on all sides reads when joined; a value that one side alone
// changed is taken; no comment is lost.
func TestPolicyLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, x, y := policyValue.Draw(t, "base"), policyValue.Draw(t, "early"), policyValue.Draw(t, "late")
		base, early, late := at(b, 0), at(x, 1), at(y, rapid.IntRange(1, 2).Draw(t, "hours"))
		r := Policy(base, early, late)
		if s := Policy(base, late, early); !bytes.Equal(r.Bytes, s.Bytes) || cmp.Diff(r.Conflicts, s.Conflicts) != "" {
			t.Fatalf("not symmetric:\n%s\n%s", r.Bytes, s.Bytes)
		}
		if got := Policy(base, base, early); string(got.Bytes) != x {
			t.Fatalf("an unchanged side: %q", got.Bytes)
		}
		p, err := config.Parse(r.Bytes)
		if err != nil {
			t.Fatalf("%v\n%s", err, r.Bytes)
		}
		pb, _ := config.Parse(base.Bytes)
		pe, _ := config.Parse(early.Bytes)
		pl, _ := config.Parse(late.Bytes)
		for _, key := range config.Keys() {
			vb, _ := config.Get(pb, key)
			ve, _ := config.Get(pe, key)
			vl, _ := config.Get(pl, key)
			got, _ := config.Get(p, key)
			if want, ok := map[bool]string{true: ve, false: vl}[vl == vb], ve == vb || vl == vb || ve == vl; ok && got != want {
				t.Fatalf("%s is %s, want %s", key, got, want)
			}
		}
		all := string(r.Bytes)
		for _, c := range r.Conflicts {
			all += string(c.Bytes)
		}
		for _, l := range strings.Split(x+y, "\n") {
			if strings.HasPrefix(l, "#") && !strings.Contains(b, l) && !strings.Contains(all, l) {
				t.Fatalf("the comment %q is lost", l)
			}
		}
	})
}

var indexLine = rapid.SampledFrom([]string{"# T", "", "", "text one", "text two", "- [A](user_a.md) — one", "- [A](user_a.md) — two", "- [B](user_b.md)", "- [C](sub/c.md) — x",
	"## user", "## project", "- 3 more: [p](_index/p.md)", format.IndexBegin, format.IndexEnd, "```", "* [B](user_b.md) by hand"})

// MEMORY.md: symmetric; an unchanged side is taken; where both sides read, the
// result does; a line of people's is in the result or in a conflict.
func TestIndexLaws(t *testing.T) {
	draw := rapid.Map(rapid.SliceOfN(indexLine, 0, 10), func(l []string) string { return strings.Join(append(l, ""), "\n") })
	rapid.Check(t, func(t *rapid.T) {
		base, x, y := at(draw.Draw(t, "base"), 0), at(draw.Draw(t, "early"), 1), at(draw.Draw(t, "late"), 2)
		r, s := Index(base, x, y), Index(base, y, x)
		if diff := cmp.Diff(r, s); diff != "" {
			t.Fatal(diff)
		}
		if got := Index(base, x, base); !bytes.Equal(got.Bytes, x.Bytes) {
			t.Fatalf("an unchanged side: %q", got.Bytes)
		}
		_, ex := format.ParseIndex(x.Bytes)
		_, ey := format.ParseIndex(y.Bytes)
		_, eb := format.ParseIndex(base.Bytes)
		if _, err := format.ParseIndex(r.Bytes); ex == nil && ey == nil && eb == nil && err != nil {
			t.Fatalf("%v:\n%s", err, r.Bytes)
		}
		all := string(r.Bytes)
		for _, c := range r.Conflicts {
			all += string(c.Bytes)
		}
		for _, v := range []Version{x, y} {
			for _, l := range AddedLines(base.Bytes, v.Bytes) {
				if strings.HasPrefix(l, "text") && !strings.Contains(all, l) {
					t.Fatalf("%q is lost:\n%s", l, all)
				}
			}
		}
	})
}

// Ledgers: every line once, whatever the order of the sides.
func TestLedgerLaws(t *testing.T) {
	line := rapid.Custom(func(t *rapid.T) string {
		n := rapid.IntRange(0, 6).Draw(t, "event")
		if n == 6 {
			return rapid.SampledFrom([]string{"{broken", "", "  "}).Draw(t, "broken") + "\n"
		}
		e := memsync.LedgerEvent{ID: memsync.MakeID(monday, [10]byte{byte(n)}), Op: memsync.LedgerLink, At: monday, Actor: memsync.Actor{Class: memsync.ClassPerson},
			Reason: rapid.SampledFrom([]string{"", "other"}).Draw(t, "reason")}
		return string(ledger.Append(nil, e))
	})
	draw := rapid.Map(rapid.SliceOfN(line, 0, 6), func(l []string) []byte { return []byte(strings.Join(l, "")) })
	rapid.Check(t, func(t *rapid.T) {
		b, x, y := draw.Draw(t, "b"), draw.Draw(t, "x"), draw.Draw(t, "y")
		got := Ledger(b, x, y)
		if again := Ledger(y, b, x); !bytes.Equal(got, again) {
			t.Fatalf("the order matters:\n%s\n%s", got, again)
		}
		if again := Ledger(got, x); !bytes.Equal(got, again) {
			t.Fatalf("once more:\n%s\n%s", got, again)
		}
		lines := strings.SplitAfter(string(got), "\n")
		for _, v := range [][]byte{b, x, y} {
			for _, l := range strings.SplitAfter(string(v), "\n") {
				if strings.TrimSpace(l) != "" && !slices.Contains(lines, l) {
					t.Fatalf("%q is lost:\n%s", l, got)
				}
			}
		}
	})
}

func TestUnion(t *testing.T) {
	r := twoWays(t, Union, at("# R\n\n- [ ] a\n", 0), at("# R\n\n- [x] a\n", 1), at("# R\n\n- [ ] a, and why\n- [ ] b\n", 2))
	if string(r.Bytes) != "# R\n\n- [x] a\n- [ ] a, and why\n- [ ] b\n" || len(r.Conflicts) > 0 {
		t.Errorf("%s %v", r.Bytes, r.Conflicts)
	}
}

// FuzzAround: no bytes make any of these stop, lose symmetry or what one side
// alone has.
func FuzzAround(f *testing.F) {
	f.Add([]byte("format = 1\n"), []byte("[limits]\nbody_lines = 3\n"), []byte("[[scope]]\npath = \"x\"\n"))
	f.Add([]byte(indexOf("# T\n", "- [A](a.md) — x\n", "")), []byte(indexOf("", "", "y\n")), []byte("# T\n"))
	f.Add(ledger.Append(nil, memsync.LedgerEvent{ID: memsync.MakeID(monday, [10]byte{}), Op: memsync.LedgerLink, At: monday}), []byte("{}\n"), []byte(""))
	f.Fuzz(func(t *testing.T, b, x, y []byte) {
		if b == nil || x == nil || y == nil || len(b)+len(x)+len(y) > 1<<14 {
			return
		}
		for _, how := range []func(b, x, y Version) Result{Policy, Index, Union} {
			vb, vx, vy := Version{Bytes: b}, Version{Bytes: x, Time: monday}, Version{Bytes: y, Time: monday}
			twoWays(t, how, vb, vx, vy)
			if r := how(vb, vb, vx); !bytes.Equal(r.Bytes, x) {
				t.Fatalf("an unchanged side: %q", r.Bytes)
			}
		}
		if u, v := Ledger(b, x, y), Ledger(y, x, b); !bytes.Equal(u, v) {
			t.Fatalf("%q\n%q", u, v)
		}
	})
}
