package format

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// The decoder says where a value begins and not where it ends; these find the
// end in the source.

// closeFlow finds the bracket that ends a flow collection.
func (b *slowBuilder) closeFlow(n *node, at int, bracket byte) {
	i := at + 1
	if len(n.sub) > 0 {
		i = n.sub[len(n.sub)-1].end - b.base
	}
	for i < len(b.src) {
		switch c := b.src[i]; c {
		case bracket:
			n.end = b.base + i + 1
			return
		case ' ', '\t', '\r', '\n', ',':
			i++
		case '#':
			i = b.lineAfter(i)
		default:
			n.end, n.unsure = n.at, true
			return
		}
	}
	n.end, n.unsure = n.at, true
}

// scalarEnd is where a plain or quoted scalar ends; ok is false where the
// source does not read as the decoder says.
func (b *slowBuilder) scalarEnd(y *yaml.Node, at int) (end int, ok bool) {
	src := b.src
	if at >= len(src) {
		return at, false
	}
	switch {
	case y.Style&yaml.DoubleQuotedStyle != 0:
		if src[at] != '"' {
			return at, false
		}
		for i := at + 1; i < len(src); i++ {
			switch src[i] {
			case '\\':
				i++
			case '"':
				return i + 1, true
			}
		}
		return at, false
	case y.Style&yaml.SingleQuotedStyle != 0:
		if src[at] != '\'' {
			return at, false
		}
		for i := at + 1; i < len(src); i++ {
			if src[i] != '\'' {
				continue
			}
			if i+1 < len(src) && src[i+1] == '\'' {
				i++
				continue
			}
			return i + 1, true
		}
		return at, false
	}
	// Plain: the source is the value, with white space where lines are folded.
	i, v := at, y.Value
	for len(v) > 0 {
		if i >= len(src) {
			return at, false
		}
		if src[i] == v[0] && v[0] != '\n' && (v[0] != ' ' || !breaksHere(src, i)) {
			i, v = i+1, v[1:]
			continue
		}
		if v[0] != ' ' && v[0] != '\n' {
			return at, false
		}
		j := i
		for j < len(src) && strings.IndexByte(" \t\r\n", src[j]) >= 0 {
			j++
		}
		if j == i {
			return at, false
		}
		i = j
		if v[0] == ' ' {
			v = v[1:]
		} else {
			v = strings.TrimLeft(v, "\n")
		}
	}
	return i, true
}

// breaksHere reports whether the white space at i runs into a line break.
func breaksHere(src string, i int) bool {
	for i < len(src) && (src[i] == ' ' || src[i] == '\t') {
		i++
	}
	return i < len(src) && (src[i] == '\n' || src[i] == '\r')
}

// blockScalarEnd is the end of the last line of a `|` or `>` scalar, without
// its line break: blank lines and comments between it and limit do not belong
// to it, unless it keeps them.
func (b *slowBuilder) blockScalarEnd(at, limit int, n *node) int {
	src := b.src
	head := b.lineAfter(at)
	n.keep = strings.Contains(strings.SplitN(src[at:head], "#", 2)[0], "+")
	end := head
	indent := -1
	for i := head; i < limit && i < len(src); {
		next := b.lineAfter(i)
		line := strings.TrimRight(src[i:next], "\r\n")
		text := strings.TrimLeft(line, " ")
		switch {
		case text == "":
			if n.keep {
				end = next
			}
		case indent < 0:
			indent = len(line) - len(text)
			end = next
		case len(line)-len(text) >= indent || text[0] != '#':
			end = next
		}
		i = next
	}
	if n.keep {
		return at + len(strings.TrimSuffix(strings.TrimSuffix(src[at:end], "\n"), "\r"))
	}
	return at + len(strings.TrimRight(src[at:end], "\r\n"))
}
