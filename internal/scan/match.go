package scan

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// met is a keyword met in the text.
type met struct {
	rule       int32
	start, end int32
}

// tokenRun is a stretch of token bytes.
type tokenRun struct {
	start, end int
	digit      bool
}

// shortRun is the least length of a run worth remembering.
const shortRun = 8

// matchRules runs the rules: keywords in one pass, then what each rule's shape
// demands nearby, then its expression around the keyword.
func matchRules(s string) []span {
	set := loaded()
	a := set.keywords
	var hits []met
	state := 0
	for i := range len(s) {
		state = int(a.next[state*a.classes+int(a.class[s[i]])])
		if out := a.out[state]; len(out) > 0 {
			for _, f := range out {
				hits = append(hits, met{f.rule, int32(i + 1 - int(f.length)), int32(i + 1)})
			}
		}
	}
	if len(hits) == 0 {
		return nil
	}
	slices.SortFunc(hits, func(a, b met) int { return cmp.Or(cmp.Compare(a.rule, b.rule), cmp.Compare(a.start, b.start)) })

	var (
		spans []span
		runs  []tokenRun // found when first asked for
	)
	for len(hits) > 0 {
		n := 1
		for n < len(hits) && hits[n].rule == hits[0].rule {
			n++
		}
		spans = set.rules[hits[0].rule].match(spans, s, hits[:n], &runs)
		hits = hits[n:]
	}
	return spans
}

func runsOf(s string) []tokenRun {
	out := make([]tokenRun, 0, 16)
	for i := 0; i < len(s); {
		if !tokenByte[s[i]] {
			i++
			continue
		}
		start, digit := i, false
		for i < len(s) && tokenByte[s[i]] {
			c := s[i]
			digit = digit || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '=' || c == '~' || c == '\\' || c >= utf8.RuneSelf
			i++
		}
		if i-start >= shortRun {
			out = append(out, tokenRun{start, i, digit})
		}
	}
	return out
}

// match applies one rule around its keywords. Windows that touch are one, so
// that the work is linear however many keywords there are.
func (r *rule) match(spans []span, s string, hits []met, runs *[]tokenRun) []span {
	r.prepare()
	reach := r.shape.reach + utf8.UTFMax
	hits = slices.DeleteFunc(hits, func(h met) bool { return !r.possible(s, h) })
	for len(hits) > 0 {
		from, to := int(hits[0].end)-reach, int(hits[0].start)+reach
		n := 1
		for n < len(hits) && int(hits[n].end)-reach <= to {
			to = int(hits[n].start) + reach
			n++
		}
		hits = hits[n:]
		from, to = max(from, 0), min(to, len(s))
		for from > 0 && !utf8.RuneStart(s[from]) {
			from--
		}
		for to < len(s) && (!utf8.RuneStart(s[to]) || tokenByte[s[to]] && to-from < 2*maxReach) {
			to++
		}
		if r.near != "" && !containsFold(s[from:to], r.near) {
			continue
		}
		if r.shape.run >= shortRun {
			if *runs == nil {
				*runs = runsOf(s)
			}
			if !hasRun(*runs, from, to, r.shape) {
				continue
			}
		}
		spans = r.matchWindow(spans, s, from, to)
	}
	return spans
}

// possible looks at the neighbourhood of a keyword for what the rule's
// expression would demand there.
func (r *rule) possible(s string, h met) bool {
	if l := r.shape.literal; l != "" && int(h.end-h.start) <= len(l) && strings.EqualFold(s[h.start:h.end], l[:h.end-h.start]) {
		if h.start > 0 && wordRune(rune(s[h.start-1])) {
			return false // a match begins with the keyword, and this one is inside a word
		}
	}
	switch {
	case r.value:
		return r.assigns(s, int(h.end))
	case r.follow != "":
		return r.follows(s, int(h.end))
	}
	return true
}

// follows reports whether one of the rule's follow bytes comes after a keyword
// that ends at i, with words between at most.
func (r *rule) follows(s string, i int) bool {
	const most = 96
	for end := min(len(s), i+most); i < end; i++ {
		c := s[i]
		if strings.IndexByte(r.follow, c) >= 0 {
			return true
		}
		if !(c >= utf8.RuneSelf || wordRune(rune(c)) || strings.IndexByte(".- \t\n\r'\"*`", c) >= 0) {
			return false
		}
	}
	return false
}

// assigns reports whether a keyword that ends at i can be the name in one of
// gitleaks' assignments: the rest of the name and twenty more characters, white
// space or quotes, an operator, quotes, and a token that is long enough.
func (r *rule) assigns(s string, i int) bool {
	const most = 20 + 28 // the longest rest of a name has 28
	end := min(len(s), i+most)
	for i < end && (wordRune(rune(s[i])) || s[i] == ' ' || s[i] == '.' || s[i] == '-' || s[i] == '\t' || s[i] == 0xC5 || s[i] == 0xBF) {
		i++
	}
	for end = min(len(s), i+3); i < end && strings.IndexByte("'\" \t\n\r\f", s[i]) >= 0; i++ {
	}
	if i == len(s) || strings.IndexByte(r.follow, s[i]) < 0 {
		return false
	}
	for end = min(len(s), i+12); i < end && strings.IndexByte("=>:|?,`'\" \t\n\r\f", s[i]) >= 0; i++ {
	}
	start, digit := i, !r.shape.digit
	for i < len(s) && tokenByte[s[i]] && !(digit && i-start >= r.shape.token) {
		c := s[i]
		digit = digit || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '=' || c == '~'
		i++
	}
	const skipped = 8 // signs of equality that belong to the token
	return digit && i-start >= r.shape.token-skipped
}

// containsFold is strings.Contains without regard to ASCII case; sub is in lower
// case.
func containsFold(s, sub string) bool {
	for i := 0; i+len(sub) <= len(s); i++ {
		k := 0
		for k < len(sub) {
			c := s[i+k]
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			if c != sub[k] {
				break
			}
			k++
		}
		if k == len(sub) {
			return true
		}
	}
	return false
}

// hasRun reports whether a run that satisfies the shape reaches into the window.
func hasRun(runs []tokenRun, from, to int, want shape) bool {
	i, _ := slices.BinarySearchFunc(runs, from, func(x tokenRun, at int) int { return cmp.Compare(x.end, at) })
	for ; i < len(runs) && runs[i].start < to; i++ {
		if runs[i].end-runs[i].start >= want.run && (runs[i].digit || !want.digit) {
			return true
		}
	}
	return false
}

func (r *rule) matchWindow(spans []span, s string, from, to int) []span {
	if r.core != nil && !r.core().MatchString(s[from:to]) {
		return spans
	}
	for _, m := range r.re().FindAllStringSubmatchIndex(s[from:to], -1) {
		start, end := from+m[0], from+m[1]
		for start < end && s[start] == '\n' {
			start++
		}
		for end > start && s[end-1] == '\n' {
			end--
		}
		vs, ve := start, end
		switch {
		case r.group > 0 && 2*r.group+1 < len(m) && m[2*r.group] >= 0:
			vs, ve = from+m[2*r.group], from+m[2*r.group+1]
		case r.group == 0:
			for g := 2; g+1 < len(m); g += 2 {
				if m[g] >= 0 && m[g+1] > m[g] {
					vs, ve = from+m[g], from+m[g+1]
					break
				}
			}
		}
		if vs == ve {
			continue
		}
		value := s[vs:ve]
		if r.entropy > 0 && entropy(value) <= r.entropy {
			continue
		}
		if r.allowed(value, s[start:end], func() string { return lineOf(s, start, end) }) {
			continue
		}
		spans = append(spans, span{r.kind, r.id, r.rank, vs, ve})
	}
	return spans
}

// lineOf is the line, or lines, on which s[start:end] stands.
func lineOf(s string, start, end int) string {
	from := strings.LastIndexByte(s[:start], '\n') + 1
	if j := strings.IndexByte(s[end:], '\n'); j >= 0 {
		return s[from : end+j]
	}
	return s[from:]
}
