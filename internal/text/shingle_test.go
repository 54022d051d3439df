package text

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestShingles(t *testing.T) {
	same := func(a, b string) {
		t.Helper()
		if !slices.Equal(Shingles(a), Shingles(b)) {
			t.Errorf("%q and %q differ", a, b)
		}
	}
	count := func(s string, n int) {
		t.Helper()
		if got := len(Shingles(s)); got != n {
			t.Errorf("%q has %d shingles, want %d", s, got, n)
		}
	}
	same("The quick, brown fox.", "the QUICK brown\n\nfox")
	same("Straße am Rhein entlang", "STRASSE am rhein entlang")
	same("don't do it", "don’t do it")
	same("Cafe\u0301 am Ring", "Café am Ring")
	count("", 0)
	count(" \n\t\u200B", 0)
	count("one", 1)
	count("one two", 1)
	count("one two three", 1)
	count("one two three four", 2)
	count("a a a a a a", 1)
	count("!!!", 1)
	count("🚀🚀🎉🎉", 2)
	count("雾凇词库部署", 4)           // character 3-grams
	count("雾凇 词库，部署", 4)         // punctuation and spaces don't count
	count("使用 BBDown 下载视频", 5)   // a Latin word among characters is one place
	count("서울에서 부산까지 기차로 간다", 2) // Hangul has words
	count("กินข้าว", 3)          // Thai: marks stay with their letter
	if slices.Equal(Shingles("one two"), Shingles("one three")) || slices.Equal(Shingles("one"), Shingles("one one")) {
		t.Error("short texts are confused")
	}
}

func TestJaccardAndShinglesProperties(t *testing.T) {
	set := rapid.Custom(func(t *rapid.T) []uint64 {
		s := rapid.SliceOf(rapid.Uint64Range(0, 30)).Draw(t, "set")
		slices.Sort(s)
		return slices.Compact(s)
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := set.Draw(t, "a"), set.Draw(t, "b")
		j := Jaccard(a, b)
		if j < 0 || j > 1 || j != Jaccard(b, a) {
			t.Fatalf("%v %v: %v, %v", a, b, j, Jaccard(b, a))
		}
		if len(a) > 0 && Jaccard(a, a) != 1 {
			t.Fatalf("%v is not like itself", a)
		}
		if (j == 1) != (len(a) > 0 && slices.Equal(a, b)) {
			t.Fatalf("%v %v: %v", a, b, j)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		x := Shingles(s)
		if !slices.IsSorted(x) || len(slices.Compact(slices.Clone(x))) != len(x) {
			t.Fatalf("%q: not sorted and distinct", s)
		}
		if !slices.Equal(x, Shingles(Fold(s))) {
			t.Fatalf("%q: folding matters", s)
		}
	})
}

// Sketches are stored and compared between machines and versions.
func TestSketchIsStable(t *testing.T) {
	s := Sketch(Shingles("one two three four"))
	if got := fmt.Sprint(s[:4]); got != "[2111563273 1430756139 1098563949 2960546909]" {
		t.Errorf("the sketch changed: %s; stored sketches no longer compare", got)
	}
	if Sketch(nil) != nil || len(s) != SketchSize {
		t.Error("wrong size")
	}
}

// pair draws two texts with a similarity near want.
func pair(r *rand.Rand, words int, want float64) (a, b []string) {
	a = make([]string, words)
	for i := range a {
		a[i] = fmt.Sprintf("w%d", r.IntN(5000))
	}
	b = slices.Clone(a)
	shared := 2 * want / (1 + want) // of n shingles
	for range int(float64(words) * (1 - shared) / 3) {
		b[r.IntN(words)] = fmt.Sprintf("x%d", r.IntN(5000))
	}
	return a, b
}

func TestSketchEstimatesJaccard(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	worst, sum, n := 0.0, 0.0, 0
	for _, want := range []float64{0.2, 0.4, 0.6, 0.8, 0.95} {
		for range 200 {
			a, b := pair(r, 40+r.IntN(300), want)
			x, y := Shingles(strings.Join(a, " ")), Shingles(strings.Join(b, " "))
			d := Similarity(Sketch(x), Sketch(y)) - Jaccard(x, y)
			worst = max(worst, d, -d)
			sum += d
			n++
		}
	}
	t.Logf("worst error %.3f, mean %.4f", worst, sum/float64(n))
	if worst > 0.30 || sum/float64(n) > 0.01 || sum/float64(n) < -0.01 { // 0.30 is 4.8 standard errors
		t.Errorf("worst error %.3f, mean %.4f", worst, sum/float64(n))
	}
}

func TestTableRecall(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	table := NewTable()
	type probe struct {
		key    string
		sketch []uint32
	}
	var probes []probe
	for i := range 4000 {
		a, b := pair(r, 30+r.IntN(200), 0.38+0.3*r.Float64())
		x, y := Shingles(strings.Join(a, " ")), Shingles(strings.Join(b, " "))
		key := fmt.Sprint(i)
		table.Add(key, Sketch(x))
		if Jaccard(x, y) >= 0.4 {
			probes = append(probes, probe{key, Sketch(y)})
		}
	}
	found, proposed := 0, 0
	for _, p := range probes {
		keys := table.Query(p.sketch)
		proposed += len(keys)
		if slices.Contains(keys, p.key) {
			found++
		}
	}
	recall := float64(found) / float64(len(probes))
	t.Logf("recall %.4f over %d pairs at 0.4 or more, %.2f proposals each", recall, len(probes), float64(proposed)/float64(len(probes)))
	if recall <= 0.99 || len(probes) < 1000 {
		t.Errorf("recall %.4f over %d pairs", recall, len(probes))
	}
	if proposed > 2*len(probes) {
		t.Errorf("%d proposals for %d queries", proposed, len(probes))
	}
}

// A table is a map from keys to sketches, whatever the order of work.
func TestTableAgainstAMap(t *testing.T) {
	pool := make([][]uint32, 12)
	for i := range pool {
		pool[i] = Sketch(Shingles(fmt.Sprintf("text %d of a few words that share their end with all", i/3) + strings.Repeat(" more", i%3)))
	}
	pool = append(pool, nil)
	rapid.Check(t, func(t *rapid.T) {
		table, model := NewTable(), map[string][]uint32{}
		for range rapid.IntRange(0, 400).Draw(t, "steps") {
			key := fmt.Sprint(rapid.IntRange(0, 90).Draw(t, "key"))
			if rapid.Bool().Draw(t, "remove") {
				table.Remove(key)
				delete(model, key)
				continue
			}
			s := rapid.SampledFrom(pool).Draw(t, "sketch")
			table.Add(key, s)
			if s == nil {
				delete(model, key)
			} else {
				model[key] = s
			}
		}
		if table.Len() != len(model) {
			t.Fatalf("%d entries, want %d", table.Len(), len(model))
		}
		for _, q := range pool {
			got := table.Query(q)
			for _, k := range got {
				if model[k] == nil {
					t.Fatalf("%s is not there", k)
				}
			}
			for k, s := range model {
				if slices.Equal(s, q) && !slices.Contains(got, k) {
					t.Fatalf("%s is not found", k)
				}
			}
			if !slices.IsSortedFunc(got, func(a, b string) int {
				if d := agreement(model[b], q) - agreement(model[a], q); d != 0 {
					return d
				}
				return strings.Compare(a, b)
			}) {
				t.Fatalf("%v: not the likeliest first", got)
			}
		}
	})
}

func FuzzTexts(f *testing.F) {
	for _, s := range []string{weekdayBefore, reworded, "雾凇词库部署时实测", "`a", "don't 1. x\n2. y", "\xff\xfe", "İıſK", "-1 <= `x` ✅", "п'ятницю", "กินข้าว", ""} {
		f.Add(s, weekdayBefore)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		Fold(a)
		if n := Normalize(a); Normalize(n) != n {
			t.Fatalf("Normalize(%+q) is not final", a)
		}
		if k := ValueKey(a); ValueKey(k) != k {
			t.Fatalf("ValueKey(%+q) is %+q, then %+q", a, k, ValueKey(k))
		}
		x, y := Shingles(a), Shingles(b)
		if j := Jaccard(x, y); j < 0 || j > 1 {
			t.Fatalf("similarity %v", j)
		}
		Similarity(Sketch(x), Sketch(y))
		if opposed, why, _ := Opposed(a, b); opposed != (why != "") {
			t.Fatalf("%v without a reason: %q", opposed, why)
		}
		if opposed, why, _ := Opposed(a, a); opposed {
			t.Fatalf("opposed to itself: %s", why)
		}
	})
}

func BenchmarkShingles(b *testing.B) {
	s := strings.Repeat(weekdayBefore+"\n\n", 3)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Shingles(s)
	}
}

func BenchmarkSketch(b *testing.B) {
	x := Shingles(strings.Repeat("a b c d e f g h ", 3) + weekdayBefore + reworded)
	for b.Loop() {
		Sketch(x)
	}
}

func tenThousand() ([]string, [][]uint32) {
	r := rand.New(rand.NewPCG(5, 6))
	keys, sketches := make([]string, 10000), make([][]uint32, 10000)
	for i := range keys {
		a, _ := pair(r, 120, 0.5)
		keys[i], sketches[i] = fmt.Sprintf("global/project_%d.md", i), Sketch(Shingles(strings.Join(a, " ")))
	}
	return keys, sketches
}

func BenchmarkTableAdd10000(b *testing.B) {
	keys, sketches := tenThousand()
	b.ReportAllocs()
	for b.Loop() {
		t := NewTable()
		for i, k := range keys {
			t.Add(k, sketches[i])
		}
	}
}

func BenchmarkTableQuery(b *testing.B) {
	keys, sketches := tenThousand()
	t := NewTable()
	for i, k := range keys {
		t.Add(k, sketches[i])
	}
	i := 0
	for b.Loop() {
		t.Query(sketches[i%len(sketches)])
		i++
	}
}
