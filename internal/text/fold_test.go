package text

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// Q67: folding.
func TestQ67Fold(t *testing.T) {
	for _, tt := range []struct{ a, b string }{
		{"straße", "STRASSE"}, {"straße", "strasse"}, {"CAFÉ", "cafe\u0301"}, {"Ångström", "a\u030Angstro\u0308m"}, {"ΣΊΣΥΦΟΣ", "σίσυφος"},
		{"Привет", "ПРИВЕТ"}, {"雾凇", "雾凇"}, {"plain", "PLAIN"}, {"", ""},
	} {
		if Fold(tt.a) != Fold(tt.b) {
			t.Errorf("%q and %q fold to %q and %q", tt.a, tt.b, Fold(tt.a), Fold(tt.b))
		}
	}
	for _, tt := range []struct{ a, b string }{{"café", "cafe"}, {"雾", "霧"}, {"ё", "е"}} {
		if Fold(tt.a) == Fold(tt.b) {
			t.Errorf("%q and %q fold to the same", tt.a, tt.b)
		}
	}
}

func TestFoldIsIdempotentAndNormal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		f := Fold(s)
		if Fold(f) != f {
			t.Fatalf("%+q folds to %+q, then %+q", s, f, Fold(f))
		}
		if !norm.NFC.IsNormalString(f) {
			t.Fatalf("%+q folds to %+q, not NFC", s, f)
		}
		if Fold(norm.NFD.String(s)) != f {
			t.Fatalf("%+q folds otherwise when decomposed", s)
		}
	})
}

func TestFoldDoesNotAllocateForLowerASCII(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { Fold("project-payments release notes 12") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestNormalize(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""}, {"\n\n", ""}, {" \t\r\n", ""}, {"a", "a"}, {"a\n", "a"}, {"a\r\nb\r\n", "a\nb"}, {"a\rb", "a\nb"},
		{"a  \nb\t\n", "a\nb"}, {"\n  \n  a\n", "  a"}, {"a\n\n\nb", "a\n\n\nb"}, {"e\u0301", "é"}, {"a\u00A0\nb", "a\nb"}, {"  a", "  a"},
		{"a\xff \nb", "a\xff\nb"},
	} {
		if got := Normalize(tt.in); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestNormalizeKeepsItsPromise(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "é", "e\u0301", " ", "\t", "\n", "\r\n", "\r", "\u00A0", "\u3000", "雾", "\xff"})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOf(piece).Draw(t, "s"), "")
		n := Normalize(s)
		if Normalize(n) != n {
			t.Fatalf("%q gives %q, then %q", s, n, Normalize(n))
		}
		if strings.Contains(n, "\r") || strings.HasPrefix(n, "\n") || strings.HasSuffix(n, "\n") {
			t.Fatalf("%q gives %q", s, n)
		}
		for line := range strings.SplitSeq(n, "\n") {
			if strings.TrimRightFunc(line, unicode.IsSpace) != line {
				t.Fatalf("%q gives %q", s, n)
			}
		}
		// Nothing but white space and form goes.
		if strip(norm.NFC.String(s)) != strip(n) {
			t.Fatalf("%q gives %q", s, n)
		}
	})
}

func strip(s string) string { return strings.Join(strings.Fields(s), "") }

func BenchmarkFold(b *testing.B) {
	for _, s := range []string{"project-payments release", "Project Payments Release", "Straße nach München"} {
		b.Run(s, func(b *testing.B) {
			for b.Loop() {
				Fold(s)
			}
		})
	}
}

func BenchmarkNormalize(b *testing.B) {
	s := strings.Repeat(weekdayBefore+"\n\n", 3)
	for b.Loop() {
		Normalize(s)
	}
}
