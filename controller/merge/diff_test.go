package merge

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// words draws short texts of lines from a small alphabet: duplicates, moved
// and blank lines come up all the time.
func words(alphabet ...string) *rapid.Generator[[]string] {
	return rapid.SliceOfN(rapid.SampledFrom(alphabet), 0, 14)
}

func numbers(lines ...[]string) ([][]int32, func(int32) bool, int) {
	ids := map[string]int32{}
	var blanks []bool
	out := make([][]int32, len(lines))
	for i, ls := range lines {
		for _, l := range ls {
			id, ok := ids[l]
			if !ok {
				id = int32(len(ids))
				ids[l] = id
				blanks = append(blanks, blank(l))
			}
			out[i] = append(out[i], id)
		}
	}
	return out, func(id int32) bool { return blanks[id] }, len(ids)
}

func diffLines(base, side []string) []edit {
	ids, blanks, n := numbers(base, side)
	return diff(ids[0], ids[1], blanks, n)
}

func TestDiffApplies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gen := words("a", "b", "c", "d", "", "e", "f")
		base, side := gen.Draw(t, "base"), gen.Draw(t, "side")
		edits := diffLines(base, side)
		var got []string
		at, lastB, lastS := 0, -1, 0
		for _, e := range edits {
			if e.b0 > e.b1 || e.s0 > e.s1 || e.b0 <= lastB {
				t.Fatalf("edits out of order or touching: %v", edits)
			}
			if !slices.Equal(base[at:e.b0], side[lastS:e.s0]) {
				t.Fatalf("%v: what lies before %v differs", edits, e)
			}
			got = append(append(got, base[at:e.b0]...), side[e.s0:e.s1]...)
			at, lastB, lastS = e.b1, e.b1, e.s1
		}
		if got = append(got, base[at:]...); !slices.Equal(got, side) {
			t.Fatalf("applied %v: got %q, want %q", edits, got, side)
		}
	})
}

func TestDiffOfEqualTextsIsEmpty(t *testing.T) {
	for _, s := range []string{"", "a", "a\n\nb\nb"} {
		lines := strings.Split(s, "\n")
		if e := diffLines(lines, lines); len(e) != 0 {
			t.Errorf("%q: %v", s, e)
		}
	}
}

func TestDiffAlignsUniqueParagraphs(t *testing.T) {
	base := strings.Split("x\n\none\ntwo\n\nx\n\nx", "\n")
	side := strings.Split("x\n\nx\n\none\ntwo\n\nx", "\n")
	for _, e := range diffLines(base, side) {
		for i := e.b0; i < e.b1; i++ {
			if base[i] == "one" || base[i] == "two" {
				t.Errorf("the only paragraph of its kind was not aligned: %v", e)
			}
		}
	}
}

// A stretch that no unique line divides is searched up to maxSteps; past it
// the answer is coarse, never wrong.
func TestDiffGivesUpCoarsely(t *testing.T) {
	var base, side []string
	for i := range 3 * maxSteps {
		base = append(base, []string{"a", "b", "b"}[i%3])
		side = append(side, []string{"b", "a", "a", "a"}[i%4])
	}
	edits := diffLines(base, side)
	if len(edits) == 0 {
		t.Fatal("no edits between different texts")
	}
}
