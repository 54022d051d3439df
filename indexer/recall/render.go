package recall

import (
	"slices"
	"strconv"

	"memsync/internal/format"
)

// render is the whole file. Without an entry there is no region: people's text
// alone, or, where a person put the markers, those.
func (l *list) render() []byte {
	if !l.written() {
		if !l.index.HasRegion() {
			return l.index.Before()
		}
		return slices.Concat(l.before, l.after)
	}
	out := make([]byte, 0, l.people.bytes+l.used.bytes)
	out = append(out, l.before...)
	out = l.appendLine(out, format.IndexBegin)
	for _, s := range l.sections {
		out = l.appendSection(out, s)
	}
	out = append(out, format.IndexEnd...)
	out = append(out, l.index.EndEOL()...)
	return append(out, l.after...)
}

func (l *list) appendSection(out []byte, s *section) []byte {
	if len(s.entries) == 0 {
		return out
	}
	if s.heading && !l.flat {
		out = append(out, l.eol...)
		out = l.appendLine(out, "## "+s.name)
		out = append(out, l.eol...)
	}
	for _, e := range s.entries[:s.kept] {
		out = append(out, l.text[e.start:e.end]...)
		out = append(out, l.eol...)
	}
	n := len(s.entries) - s.kept
	if n == 0 {
		return out
	}
	out = append(out, "- "...)
	out = strconv.AppendInt(out, int64(n), 10)
	out = append(out, " more: "...)
	if l.manyPages(s) {
		out = l.appendPageLink(out, s.name)
	} else {
		for i, top := range slices.Sorted(slices.Values(s.tops)) {
			if i > 0 {
				out = append(out, ", "...)
			}
			out = l.appendPageLink(out, s.name+"-"+top)
		}
	}
	return append(out, l.eol...)
}

func (l *list) appendLine(out []byte, line string) []byte {
	out = append(out, line...)
	return append(out, l.eol...)
}

// appendPageLink writes [name](_index/name.md).
func (l *list) appendPageLink(out []byte, name string) []byte {
	out = append(out, '[')
	out = append(out, name...)
	out = append(out, "]("...)
	out = append(out, l.toPage...)
	out = append(out, name...)
	return append(out, ".md)"...)
}
