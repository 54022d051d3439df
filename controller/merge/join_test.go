package merge

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func lines(s string) []string { return split([]byte(s)).lines }

// One row per sentence about bodies. The later side is the second.
func TestJoinLines(t *testing.T) {
	for _, c := range []struct {
		name, base, early, late string
		want                    string
		lost                    string // of the first clash; "-" for none
	}{
		{"edits of different paragraphs are both kept",
			"one\n\ntwo\n\nthree\n", "ONE\n\ntwo\n\nthree\n", "one\n\ntwo\n\nTHREE\n", "ONE\n\ntwo\n\nTHREE\n", "-"},
		{"edits of neighbouring paragraphs are both kept",
			"one\n\ntwo\n", "ONE\n\ntwo\n", "one\n\nTWO\n", "ONE\n\nTWO\n", "-"},
		{"edits of different lines of one paragraph are both kept",
			"one\ntwo\nthree\n", "ONE\ntwo\nthree\n", "one\ntwo\nTHREE\n", "ONE\ntwo\nTHREE\n", "-"},
		{"neighbouring lines of a sentence are an overlap",
			"the quick\nbrown fox\n", "the slow\nbrown fox\n", "the quick\nred fox\n", "the quick\nred fox\n", "the slow\nbrown fox"},
		{"neighbouring list items are not",
			"- one\n- two\n", "- ONE\n- two\n", "- one\n- TWO\n", "- ONE\n- TWO\n", "-"},
		{"the later text stands in an overlap",
			"one\n", "early\n", "late\n", "late\n", "early"},
		{"the same change on both sides is one",
			"one\n\ntwo\n", "ONE\n\ntwo\n", "ONE\n\ntwo\n", "ONE\n\ntwo\n", "-"},
		{"the same change, and more on one side",
			"one\n", "ONE\n\nextra\n", "ONE\n", "ONE\n\nextra\n", "-"},
		{"paragraphs that both appended are both kept, the earlier first",
			"one\n", "one\n\nearly\n", "one\n\nlate\n", "one\n\nearly\n\nlate\n", "-"},
		{"items that both appended are both kept",
			"- one\n", "- one\n- early\n", "- one\n- late\n", "- one\n- early\n- late\n", "-"},
		{"sentences that both appended to one paragraph are an overlap",
			"one\n", "one\nearly\n", "one\nlate\n", "one\nlate\n", "early"},
		{"an appended paragraph beside an edit of the last one",
			"one\n", "ONE\n", "one\n\nlate\n", "ONE\n\nlate\n", "-"},
		{"a section that both added stands once",
			"one\n", "one\n\n## More\n- early\n", "one\n\n## More\n- late\n", "one\n\n## More\n- early\n- late\n", "-"},
		{"code fences that both added are not torn",
			"one\n", "one\n\n```go\na\n```\n", "one\n\n```go\nb\n```\n", "one\n\n```go\na\n```\n\n```go\nb\n```\n", "-"},
		{"nor where they share a line inside",
			"one\n", "one\n\n```go\na\nshared\n```\n", "one\n\n```go\nb\nshared\n```\n", "one\n\n```go\na\nshared\n```\n\n```go\nb\nshared\n```\n", "-"},
		{"one item that both added, continued differently",
			"- one\n", "- one\n- new\n  early\n", "- one\n- new\n  late\n", "- one\n- new\n  late\n", "  early"},
		{"both write into an empty body",
			"", "early\n", "late\n", "early\n\nlate\n", "-"},
		{"lines that both took away are gone",
			"a\n\nb\n\nc\n\nd\n", "a\n\nd\n", "a\n\nb\n\nd\n", "a\n\nd\n", "-"},
		{"overlapping deletions are one deletion",
			"a\nb\nc\nd\n", "c\nd\n", "a\nd\n", "d\n", "-"},
		{"a deletion against an edit of the same lines: the later stands",
			"a\n\nb\n", "a\n", "a\n\nB\n", "a\n\nB\n", ""},
		{"an edit against a later deletion is in the conflict",
			"a\n\nb\n\nc\n", "a\n\nB\n\nc\n", "a\n\nc\n", "a\n\nc\n", "B"},
		{"joining two paragraphs is respected",
			"a\n\nb\n\nc\n", "a\nb\n\nc\n", "a\n\nb\n\nC\n", "a\nb\n\nC\n", "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, clashes := join3(markdown, lines(c.base), lines(c.early), lines(c.late), true)
			if want := lines(c.want); !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
			switch {
			case c.lost == "-" && len(clashes) > 0:
				t.Errorf("clashes: %q", clashes)
			case c.lost != "-" && len(clashes) != 1:
				t.Errorf("clashes: %q, want one", clashes)
			case c.lost != "-" && strings.Join(clashes[0].lost, "\n") != c.lost:
				t.Errorf("lost %q, want %q", clashes[0].lost, c.lost)
			}
		})
	}
}

// Without an ancestor, what both have is kept, what one has is kept, and what
// stands against each other is an overlap.
func TestJoinLinesWithoutBase(t *testing.T) {
	for _, c := range []struct {
		name, early, late, want string
		clashes                 int
	}{
		{"one has more", "a\n\nb\n", "a\n", "a\n\nb\n", 0},
		{"different texts", "a\n\nb\n\nc\n", "a\n\nB\n\nc\n", "a\n\nB\n\nc\n", 1},
		{"lists are joined", "# d\n\n- a\n- b\n", "# d\n\n- c\n", "# d\n\n- a\n- b\n- c\n", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, clashes := join3(markdown, nil, lines(c.early), lines(c.late), false)
			if !slices.Equal(got, lines(c.want)) || len(clashes) != c.clashes {
				t.Errorf("got %q, clashes %q", got, clashes)
			}
		})
	}
}

func tally3(lines ...[]string) map[string][]int {
	out := map[string][]int{}
	for i, ls := range lines {
		for _, l := range ls {
			if blank(l) {
				continue
			}
			if out[l] == nil {
				out[l] = make([]int, len(lines))
			}
			out[l][i]++
		}
	}
	return out
}

// checkKept is the law "no line is lost", exactly: of a line that base and the
// sides have b, x and y times, a side that removes one and adds one has as many
// as before, and what both add at one place stands once. So each copy may be
// missing for a reason, but where x + y > b (as for every line that the base
// lacks) somebody added or nobody removed the last one, and the line must be in
// the result or in a conflict.
func checkKept(t interface{ Fatalf(string, ...any) }, base, early, late, out []string, clashes []clash) {
	all := slices.Clone(out)
	for _, c := range clashes {
		all = append(all, c.lost...)
	}
	for l, n := range tally3(base, early, late, all) {
		if b, x, y, r := n[0], n[1], n[2], n[3]; x+y > b && r == 0 {
			t.Fatalf("line %q is lost: %d in base, %d and %d in the sides\nresult %q\nclashes %q", l, b, x, y, out, clashes)
		}
	}
}

func TestJoinKeepsEveryLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gen := words("a", "b", "- c", "- d", "", "", "e", "# f", "```", "  g")
		base, early, late := gen.Draw(t, "base"), gen.Draw(t, "early"), gen.Draw(t, "late")
		based := rapid.Bool().Draw(t, "based")
		if !based {
			base = nil
		}
		out, clashes := join3(markdown, base, early, late, based)
		checkKept(t, base, early, late, out, clashes)
	})
}

func TestJoinOfOneSidedChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gen := words("a", "b", "- c", "", "", "e", "# f", "```", "  g")
		base, side := gen.Draw(t, "base"), gen.Draw(t, "side")
		for _, c := range [][2][]string{{base, side}, {side, base}, {side, side}} {
			out, clashes := join3(markdown, base, c[0], c[1], true)
			if !slices.Equal(out, side) || len(clashes) > 0 {
				t.Fatalf("got %q, clashes %q, want %q", out, clashes, side)
			}
		}
	})
}
