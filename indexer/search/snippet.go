package search

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	index "github.com/blevesearch/bleve_index_api"

	"memsync"
)

// widest is how many bytes of a line a snippet shows, before what was cut.
const widest = 200

// longestLine is how many bytes of a line are looked at and shown at once: a file
// may be one line.
const longestLine = 64 << 10

// hit reads what is stored of a candidate and finds the line that says most of
// what was asked for.
func (m *matcher) hit(c candidate, p plan) (Hit, error) {
	s, err := m.stored(c.path)
	if err != nil {
		return Hit{}, err
	}
	h := Hit{Path: memsync.Path(c.path), ID: s.ID, Hash: s.Hash, Score: c.score}
	w := workshops.Get().(*workshop)
	defer workshops.Put(w)
	h.Line, h.Text, h.Marks = bestLine(&s, p, w)
	w.tidy()
	h.Snippet, h.Marks = cut(h.Text, h.Marks)
	return h, nil
}

func (m *matcher) stored(path string) (s stored, err error) {
	d, err := m.r.Document(path)
	if err != nil {
		return s, err
	}
	if d == nil {
		return s, fmt.Errorf("%w: %s is not there", errDamaged, path)
	}
	var raw []byte
	d.VisitFields(func(f index.Field) {
		if f.Name() == fieldDoc {
			raw = f.Value()
		}
	})
	return decodeStored(raw)
}

// bestLine is the line with the most of the query's words, counted on the
// analyzed form. Of lines that say the same the body's first wins, then the
// header's. A query of filters alone shows the description.
func bestLine(s *stored, p plan, w *workshop) (line int, text string, marks []Range) {
	l := newLooker(p, w)
	best := 0.0
	try := func(at int, t string) {
		for rest := t; t != ""; t = rest {
			t, rest = cutOff(t)
			if score, found := l.look(t); score > best {
				best, line, text, marks = score, max(at, 1), t, found
			}
		}
	}
	at := max(s.BodyLine, 1)
	for t := range strings.SplitSeq(s.Body, "\n") {
		if best >= l.most {
			break
		}
		try(at, t)
		at++
	}
	try(s.Lines.Description, s.Description)
	try(s.Lines.Name, s.Name)
	try(s.Lines.Tags, strings.Join(s.Tags, ", "))
	try(s.Lines.Key, s.Key)
	if best > 0 {
		return line, text, marks
	}
	for _, o := range []struct {
		line int
		text string
	}{{s.Lines.Description, s.Description}, {s.Lines.Name, s.Name}} {
		if strings.TrimSpace(o.text) != "" {
			return max(o.line, 1), o.text, nil
		}
	}
	at = max(s.BodyLine, 1)
	for t := range strings.SplitSeq(s.Body, "\n") {
		if strings.TrimSpace(t) != "" {
			return at, strings.ToValidUTF8(t[:min(len(t), longestLine)], ""), nil
		}
		at++
	}
	return max(s.BodyLine, 1), "", nil
}

// cutOff is a line, or what is looked at first of a very long one, and the rest.
func cutOff(line string) (first, rest string) {
	if len(line) <= longestLine {
		return line, ""
	}
	at := longestLine
	for at > longestLine-utf8.UTFMax && !utf8.RuneStart(line[at]) {
		at--
	}
	return line[:at], line[at:]
}

// looker finds the words of a plan in texts.
type looker struct {
	terms map[string]int // to the plan's
	exact map[string]bool
	shop  *workshop
	plan  plan
	most  float64 // what a line with everything scores
	seen  []bool
}

func newLooker(p plan, w *workshop) *looker {
	l := &looker{shop: w, terms: make(map[string]int), exact: make(map[string]bool), plan: p, seen: make([]bool, len(p.terms))}
	for i, w := range p.terms {
		l.most += w.weight
		if w.hasTerm {
			l.terms[w.term] = i
		}
		if w.exact != "" {
			l.exact[w.exact] = true
			l.most += 0.01 * w.weight
		}
	}
	l.most -= 1e-9
	return l
}

// look says how much of the query a line has, and where.
func (l *looker) look(line string) (score float64, marks []Range) {
	clear(l.seen)
	count := func(i int, share float64) {
		if !l.seen[i] {
			l.seen[i] = true
			score += l.plan.terms[i].weight * share
		}
	}
	l.shop.tokens.units(line, func(u *unit) {
		hit := false
		u.stemmed(l.shop.stem, func(term string, start, end int) {
			if i, ok := l.terms[term]; ok {
				count(i, 1)
				hit = true
				marks = append(marks, Range{start, end})
			}
		})
		if u.kind == letter {
			for _, part := range u.parts {
				if l.exact[part.term] {
					score += 0.01 // of two lines with the same words the one that spells them so
				}
			}
		}
		for i, w := range l.plan.terms {
			switch {
			case len(w.chars) > 0:
				if at := run(u, w.chars); at >= 0 {
					count(i, 1)
					marks = append(marks, Range{u.parts[at].start, u.parts[at+len(w.chars)-1].end})
				}
			case w.substr != "" && !hit && u.kind == letter && strings.Contains(u.text(), w.substr):
				count(i, insideShare)
				marks = append(marks, Range{u.start, u.end})
			}
		}
	})
	return score, merge(marks)
}

// run is where the characters stand side by side in a unit, -1 for nowhere.
func run(u *unit, chars []string) int {
	for i := 0; i+len(chars) <= len(u.parts); i++ {
		if slices.EqualFunc(u.parts[i:i+len(chars)], chars, func(p piece, c string) bool { return p.term == c }) {
			return i
		}
	}
	return -1
}

// merge sorts ranges and joins those that touch.
func merge(marks []Range) []Range {
	slices.SortFunc(marks, func(a, b Range) int { return a.Start - b.Start })
	out := marks[:0]
	for _, m := range marks {
		if n := len(out); n > 0 && m.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, m.End)
		} else {
			out = append(out, m)
		}
	}
	return out
}

// cut shows the widest bytes of a line in which most marks begin, and moves the
// marks along. Only whole characters are cut off.
func cut(line string, marks []Range) (string, []Range) {
	if len(line) <= widest {
		return line, marks
	}
	from := 0
	if len(marks) > 0 {
		best := 0
		for i := range marks {
			n := 0
			for n < len(marks)-i && marks[i+n].End <= marks[i].Start+widest-40 {
				n++
			}
			if n > best {
				best, from = n, marks[i].Start
			}
		}
		if best == 0 {
			from = marks[0].Start
		}
		from = max(0, min(from-40, len(line)-widest))
	}
	to := min(len(line), from+widest)
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to++
	}
	head, tail := "", ""
	if from > 0 {
		head = "…"
	}
	if to < len(line) {
		tail = "…"
	}
	var moved []Range
	for _, m := range marks {
		m.Start, m.End = max(m.Start, from), min(m.End, to)
		if m.Start < m.End {
			moved = append(moved, Range{m.Start - from + len(head), m.End - from + len(head)})
		}
	}
	return head + line[from:to] + tail, moved
}
