package merge

import (
	"fmt"
	"strings"
	"testing"
)

// Documents of about 600 bytes, as the design's figures have them: header and
// body changed on both sides. Goal: 150 µs.
func BenchmarkMerge(b *testing.B) {
	base := q50base + "\n" + strings.Repeat("Another paragraph that nobody touches here.\n\n", 5) + "The end.\n"
	early := strings.NewReplacer("uses: 3", "uses: 4", "2026-04-10T", "2026-04-13T", "[ops, old]", "[ops, ci]", "on Monday", "on Tuesday").Replace(base)
	late := strings.NewReplacer("uses: 3", "uses: 7", "2026-04-10T", "2026-04-12T", "[ops, old]", "[ops, old, release]", "The end", "An end").Replace(base)
	b.SetBytes(int64(len(base)))
	b.ReportAllocs()
	for b.Loop() {
		if r := Merge(at(base, 0), at(early, 1), at(late, 2), limits); len(r.Conflicts) != 0 {
			b.Fatal(r.Conflicts)
		}
	}
}

func BenchmarkMergeBodies(b *testing.B) {
	base := q50base + "\n" + strings.Repeat("Another paragraph that nobody touches here.\n\n", 5) + "The end.\n"
	early, late := strings.Replace(base, "on Monday", "on Tuesday", 1), strings.Replace(base, "The end", "An end", 1)
	b.ReportAllocs()
	for b.Loop() {
		Merge(at(base, 0), at(early, 1), at(late, 2), limits)
	}
}

// A save of the largest size: 1 MiB of lines that repeat, changed all over.
func BenchmarkLinesLarge(b *testing.B) {
	var base, early, late strings.Builder
	for i := range 20000 {
		line := fmt.Sprintf("- line %d of a long list of things to do\n", i%700)
		base.WriteString(line)
		if i%50 != 3 {
			early.WriteString(line)
		}
		late.WriteString(line)
		if i%70 == 30 {
			late.WriteString("- added\n")
		}
	}
	b.SetBytes(int64(base.Len()))
	b.ReportAllocs()
	for b.Loop() {
		Lines(at(base.String(), 0), at(early.String(), 1), at(late.String(), 2))
	}
}
