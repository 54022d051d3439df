package format

import "strings"

// replaceList turns one list into another, keeping the bytes of the items that
// stay at both ends, the list's style and its indentation.
func (d *Document) replaceList(n *node, items []string) (raw []byte, ok bool) {
	old := n.sub
	for i := range old {
		if old[i].unsure {
			return nil, false
		}
	}
	have := n.value().List
	p := 0
	for p < len(have) && p < len(items) && have[p] == items[p] {
		p++
	}
	s := 0
	for s < len(have)-p && s < len(items)-p && have[len(have)-1-s] == items[len(items)-1-s] {
		s++
	}
	gone, come := old[p:len(old)-s], items[p:len(items)-s]
	if n.style == flow {
		return d.replaceFlow(n, p, gone, come)
	}
	if len(items) == 0 {
		return splice(d.raw, n.colon+1, n.end, " []"), true
	}
	return d.replaceBlock(n, p, gone, come)
}

// replaceFlow changes items in brackets: values in place first, then entries
// with one separator each.
func (d *Document) replaceFlow(n *node, p int, gone []node, come []string) ([]byte, bool) {
	old := n.sub
	write := make([]string, len(come))
	for i, s := range come {
		want := plain
		if i < len(gone) && (gone[i].style == double || gone[i].style == single) {
			want = gone[i].style
		}
		write[i] = encode(s, want, true, i < len(gone) && gone[i].style == plain && resolves(gone[i].text))
	}
	text := strings.Join(write, ", ")
	switch {
	case len(gone) > 0 && len(come) > 0:
		return splice(d.raw, gone[0].at, gone[len(gone)-1].end, text), true
	case len(come) > 0 && p > 0:
		at := old[p-1].end
		return splice(d.raw, at, at, ", "+text), true
	case len(come) > 0 && len(old) > 0:
		at := old[0].at
		return splice(d.raw, at, at, text+", "), true
	case len(come) > 0:
		return splice(d.raw, n.at+1, n.end-1, text), true
	case p+len(gone) < len(old):
		return splice(d.raw, gone[0].at, old[p+len(gone)].at, ""), true
	case p > 0:
		return splice(d.raw, old[p-1].end, gone[len(gone)-1].end, ""), true
	}
	return splice(d.raw, n.at, n.end, "[]"), true
}

// replaceBlock changes the lines of a block list.
func (d *Document) replaceBlock(n *node, p int, gone []node, come []string) ([]byte, bool) {
	old := n.sub
	lead := string(d.raw[old[0].line:old[0].keyAt]) + "- "
	out := d.raw
	// From the end, so that earlier places stay true: first what is left over
	// or added, then the values that stand in for old ones.
	both := min(len(gone), len(come))
	switch {
	case len(gone) > both:
		out = splice(out, gone[both].line, gone[len(gone)-1].lineEnd, "")
	case len(come) > both:
		var b strings.Builder
		for _, s := range come[both:] {
			b.WriteString(lead + encode(s, plain, false, false) + d.eol)
		}
		at := old[0].line
		if i := p + both; i > 0 {
			at = old[i-1].lineEnd
		}
		out = splice(out, at, at, b.String())
	}
	for i := both - 1; i >= 0; i-- {
		g := &gone[i]
		if g.kind != scalar {
			return nil, false
		}
		want := plain
		if g.style == double || g.style == single {
			want = g.style
		}
		out = splice(out, g.at, g.end, encode(come[i], want, false, g.style == plain && resolves(g.text)))
	}
	return out, true
}
