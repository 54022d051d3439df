package scan

import (
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Every rule compiles, has a known kind and keywords, and an id of its own.
func TestRulesAreSound(t *testing.T) {
	texts, _ := readRules(t)
	if len(texts) < 240 || len(texts) != len(rules) {
		t.Errorf("%d rules in the files, %d in the tables", len(texts), len(rules))
	}
	seen := make(map[string]bool)
	for i := range rules {
		r := &rules[i]
		r.re.compiled()
		if r.core.source != "" {
			r.core.compiled()
		}
		for _, lists := range [][]allowlist{r.lists, r.globalLists()} {
			for _, l := range lists {
				for i := range l.regexes {
					l.regexes[i].compiled()
				}
			}
		}
		switch r.kind {
		case Secret, Injection, Exfiltration:
		default:
			t.Errorf("%s: kind %q", r.id, r.kind)
		}
		if seen[r.id] {
			t.Errorf("%s stands twice", r.id)
		}
		seen[r.id] = true
		for _, k := range texts[i].Keywords {
			if k != strings.ToLower(k) || k == "" {
				t.Errorf("%s: keyword %q", r.id, k)
			}
		}
	}
}

// What saves work loses nothing: around texts drawn from each rule's own
// expression, keywords, shapes and windows give what the expression gives over
// the whole text.
func TestWindowsLoseNothing(t *testing.T) {
	texts, _ := readRules(t)
	compared := 0
	for n := range texts {
		r := &rules[n]
		tree, err := syntax.Parse(strings.ReplaceAll(texts[n].Regex, tokenEnd, `(?:[\x60'"\s;])`), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			d := drawer{state: uint64(n*1000 + i + 1)}
			drawn := d.text(tree)
			s := honestBody[:200] + " " + drawn + " " + honestBody[200:]
			lower := strings.ToLower(s)
			if !slices.ContainsFunc(texts[n].Keywords, func(k string) bool { return strings.Contains(lower, k) }) {
				continue // gitleaks wouldn't look either
			}
			want := r.matchWindow(nil, s, 0, len(s))
			want = slices.DeleteFunc(want, func(h span) bool { return h.start > 201+len(drawn) }) // far from any keyword
			var got []span
			for _, h := range matchRules(s) {
				if h.rule == r.id {
					got = append(got, h)
				}
			}
			if len(want) > 0 {
				compared++
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q\n got %v\nwant %v", r.id, s[200:len(s)-len(honestBody)+200], got, want)
				break
			}
		}
	}
	if compared < 1200 {
		t.Errorf("only %d texts had a match to compare", compared)
	}
	t.Logf("%d texts compared", compared)
}

// drawer draws texts that an expression matches, as far as anchors allow.
type drawer struct{ state uint64 }

func (d *drawer) n(n int) int {
	d.state ^= d.state << 13
	d.state ^= d.state >> 7
	d.state ^= d.state << 17
	return int(d.state >> 11 % uint64(1<<40) % uint64(n))
}

func (d *drawer) text(re *syntax.Regexp) string {
	var b strings.Builder
	d.write(&b, re)
	return b.String()
}

func (d *drawer) write(b *strings.Builder, re *syntax.Regexp) {
	many := func(least, most int) {
		if most < 0 || most > least+6 {
			most = least + 6
		}
		for range least + d.n(most-least+1) {
			d.write(b, re.Sub[0])
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			b.WriteRune(r)
		}
	case syntax.OpCharClass:
		size := 0
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i] < utf8.RuneSelf {
				size += int(min(re.Rune[i+1], utf8.RuneSelf-1)-re.Rune[i]) + 1
			}
		}
		if size == 0 {
			b.WriteRune(re.Rune[0])
			return
		}
		k := d.n(size)
		for i := 0; i < len(re.Rune); i += 2 {
			w := int(min(re.Rune[i+1], utf8.RuneSelf-1)-re.Rune[i]) + 1
			if w > 0 && k < w {
				b.WriteRune(re.Rune[i] + rune(k))
				return
			}
			k -= max(w, 0)
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte(alnum[d.n(len(alnum))])
	case syntax.OpCapture:
		d.write(b, re.Sub[0])
	case syntax.OpStar:
		many(0, -1)
	case syntax.OpPlus:
		many(1, -1)
	case syntax.OpQuest:
		many(0, 1)
	case syntax.OpRepeat:
		many(re.Min, re.Max)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			d.write(b, sub)
		}
	case syntax.OpAlternate:
		d.write(b, re.Sub[d.n(len(re.Sub))])
	}
}
