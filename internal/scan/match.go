package scan

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

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
	t := text{s: s}
	var few [32]met
	hits := t.keywords(few[:0])
	if len(hits) == 0 {
		return nil
	}
	slices.SortFunc(hits, func(a, b met) int {
		return cmp.Or(cmp.Compare(a.rule, b.rule), cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})

	var spans []span
	for len(hits) > 0 {
		n := 1
		for n < len(hits) && hits[n].rule == hits[0].rule {
			n++
		}
		spans = rules[hits[0].rule].match(spans, &t, hits[:n])
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
func (r *rule) match(spans []span, t *text, hits []met) []span {
	s := t.s
	var live [mostClauses]uint64
	for i := range r.near {
		live[i] = t.live(&r.near[i])
	}
	for len(hits) > 0 {
		from, to, n := r.window(s, hits)
		here := hits[:n]
		hits = hits[n:]
		if len(r.near) > 0 && !r.nearIn(s[from:to], &live) {
			continue
		}
		if r.shape.run >= shortRun {
			if t.runs == nil {
				t.runs = runsOf(s)
			}
			if !hasRun(t.runs, from, to, r.shape) {
				continue
			}
		}
		if r.start.source != "" && !r.starts(s[:to], from, here) {
			continue
		}
		spans = r.matchWindow(spans, s, from, to)
	}
	return spans
}

// window is what is looked at around the first n keywords of hits.
func (r *rule) window(s string, hits []met) (from, to, n int) {
	reach := r.shape.reach + utf8.UTFMax
	from, to = int(hits[0].end)-reach, int(hits[0].start)+reach
	n = 1
	for n < len(hits) && int(hits[n].end)-reach <= to {
		to = int(hits[n].start) + reach
		n++
	}
	from, to = max(from, 0), min(to, len(s))
	for from > 0 && !utf8.RuneStart(s[from]) {
		from--
	}
	for to < len(s) && (!utf8.RuneStart(s[to]) || tokenByte[s[to]] && to-from < 2*maxReach) {
		to++
	}
	return from, to, n
}

// nearIn reports whether w has what the rule's clauses demand.
func (r *rule) nearIn(w string, live *[mostClauses]uint64) bool {
	for i := range r.near {
		if live[i] == 0 || !r.near[i].in(w, live[i], true) {
			return foldsToASCII(w)
		}
	}
	return true
}

// starts reports whether a match in s[from:] can begin at one of the keywords.
func (r *rule) starts(s string, from int, hits []met) bool {
	for i := from; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return true // it may be spelled as no keyword is
		}
	}
	for _, h := range hits {
		if r.start.compiled().MatchString(s[h.start:min(len(s), int(h.start)+r.shape.start)]) {
			return true
		}
	}
	return false
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
	if r.core.source != "" && !r.core.compiled().MatchString(s[from:to]) {
		return spans
	}
	for _, m := range r.re.compiled().FindAllStringSubmatchIndex(s[from:to], -1) {
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
