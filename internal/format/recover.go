package format

import (
	"sort"
	"strings"

	"memsync"
)

// fix is a one-line value that YAML refuses as it stands and that can be read
// in one way only: as the rest of its line. All broken files in the wild are
// of this kind.
type fix struct {
	at, end int // the value in the block
	text    string
}

// findFixes lists the values of src that hold `: `, or go on after a closing
// quote.
func findFixes(src string) []fix {
	var out []fix
	scalarIndent := -1 // inside a block scalar: its key's indentation
	for at := 0; at < len(src); {
		next := len(src)
		if nl := strings.IndexByte(src[at:], '\n'); nl >= 0 {
			next = at + nl + 1
		}
		line := strings.TrimRight(src[at:next], " \t\r\n")
		text := strings.TrimLeft(line, " ")
		indent := len(line) - len(text)
		start := at
		at = next
		if text == "" {
			continue
		}
		if scalarIndent >= 0 && indent > scalarIndent {
			continue
		}
		scalarIndent = -1
		if !keyStart[text[0]] {
			continue
		}
		colon := strings.Index(text, ": ")
		if colon < 0 || strings.ContainsAny(text[:colon], "#\"'") {
			continue
		}
		value := strings.TrimLeft(text[colon+1:], " ")
		if value == "" {
			continue
		}
		f := fix{end: start + len(line), text: value}
		f.at = f.end - len(value)
		switch c := value[0]; {
		case c == '|' || c == '>':
			scalarIndent = indent
		case c == '"' || c == '\'':
			if goesOn(value) {
				out = append(out, f)
			}
		case plainStart[c] || c == '-' && len(value) > 1 && value[1] != ' ':
			if colonInside(value) {
				out = append(out, f)
			}
		}
	}
	return out
}

// colonInside reports whether a plain value holds what YAML takes for another
// key. One behind a comment sign is no excuse: the decoder sees the comment
// first, and there is nothing to mend.
func colonInside(value string) bool {
	i := strings.Index(value, ": ")
	if i < 0 {
		if !strings.HasSuffix(value, ":") {
			return false
		}
		i = len(value) - 1
	}
	c := strings.Index(value, " #")
	return c < 0 || i < c
}

// goesOn reports whether text follows the closing quote of value.
func goesOn(value string) bool {
	q := value[0]
	for i := 1; i < len(value); i++ {
		switch {
		case value[i] == '\\' && q == '"':
			i++
		case value[i] == q && q == '\'' && i+1 < len(value) && value[i+1] == q:
			i++
		case value[i] == q:
			rest := value[i+1:]
			trimmed := strings.TrimLeft(rest, " \t")
			return trimmed != "" && (trimmed[0] != '#' || len(trimmed) == len(rest))
		}
	}
	return false
}

// applyFixes quotes the values, which changes no line and no place before one.
func applyFixes(src string, fixes []fix) string {
	var b strings.Builder
	last := 0
	for _, f := range fixes {
		b.WriteString(src[last:f.at])
		b.WriteString(doubleQuoted(f.text))
		last = f.end
	}
	b.WriteString(src[last:])
	return b.String()
}

// FixRecovered quotes exactly the values that were recovered (finding MS101),
// so that every YAML reader agrees with what is read here. It returns d itself
// when there are none.
func (d *Document) FixRecovered() *Document {
	var out []byte
	last := 0
	for _, s := range d.RecoveredFixes() {
		out = append(out, d.raw[last:s.From]...)
		out = append(out, s.Text...)
		last = s.To
	}
	if last == 0 {
		return d
	}
	out = append(out, d.raw[last:]...)
	fixed, err := Parse(out, memsync.Limits{})
	if err != nil || !sameTexts(d, fixed) {
		return d // never a fix that changes what is read
	}
	fixed.lim = d.lim
	return fixed
}

// RecoveredFixes are the edits of FixRecovered, by place. The finding of each
// stands at its From.
func (d *Document) RecoveredFixes() []Splice {
	var out []Splice
	d.leaves(func(_ string, n *node) {
		if n.recovered {
			out = append(out, Splice{n.at, n.end, requote(n.text)})
		}
	})
	sort.Slice(out, func(i, j int) bool { return out[i].From < out[j].From })
	return out
}

// requote quotes a recovered value in the way that escapes least.
func requote(text string) string {
	if strings.ContainsAny(text, "\"\\") && !strings.ContainsAny(text, "'") && printable(text) {
		return "'" + text + "'"
	}
	return doubleQuoted(text)
}

func sameTexts(a, b *Document) bool {
	var left, right []string
	a.leaves(func(name string, n *node) { left = append(left, name, n.json()) })
	b.leaves(func(name string, n *node) { right = append(right, name, n.json()) })
	if len(left) != len(right) {
		return false
	}
	for i := range left {
		if left[i] != right[i] {
			return false
		}
	}
	return string(a.raw[a.after:]) == string(b.raw[b.after:])
}
