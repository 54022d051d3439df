package format

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
	"memsync"
)

// slowBuilder turns the decoder's nodes into ours. Offsets inside it are
// relative to the block; what it hands out is relative to the file.
type slowBuilder struct {
	src    string
	raw    []byte
	base   int
	starts []int
	fixes  []fix
	used   int
	bad    *memsync.Error
	last   struct{ line, column, at int } // what offset found: the next node of a long line is near it
}

func (b *slowBuilder) root(doc *yaml.Node) (slowResult, *fault) {
	if doc.Kind == 0 || len(doc.Content) == 0 {
		return slowResult{}, nil // nothing, or only comments
	}
	top := doc.Content[0]
	if top.Kind == yaml.ScalarNode && top.Tag == "!!null" && top.Value == "" {
		return slowResult{}, nil
	}
	if top.Kind != yaml.MappingNode {
		return slowResult{}, &fault{at: b.offset(top), msg: "the frontmatter is not a mapping of keys to values",
			hint: "write `key: value` lines between the fences; where the first line is meant as a rule, put an empty line above it"}
	}
	n, f := b.value(top, len(b.src), 0)
	if f != nil {
		return slowResult{}, f
	}
	res := slowResult{keys: n.sub, bad: b.bad}
	if n.style == flow {
		n.sub = nil
		res.rootFlow = &n
	}
	return res, nil
}

// offset is where a node begins.
func (b *slowBuilder) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(b.starts) {
		return len(b.src)
	}
	at, c := b.starts[n.Line-1], 1
	if b.last.line == n.Line && b.last.column <= n.Column {
		at, c = b.last.at, b.last.column
	}
	for ; c < n.Column && at < len(b.src); c++ {
		_, w := utf8.DecodeRuneInString(b.src[at:])
		at += w
	}
	b.last.line, b.last.column, b.last.at = n.Line, c, at
	return at
}

// lineStart is the start of the line that holds at; lineAfter the start of the next.
func (b *slowBuilder) lineStart(at int) int { return strings.LastIndexByte(b.src[:at], '\n') + 1 }

func (b *slowBuilder) lineAfter(at int) int {
	if at > len(b.src) {
		return len(b.src)
	}
	nl := strings.IndexByte(b.src[at:], '\n')
	if nl < 0 {
		return len(b.src)
	}
	return at + nl + 1
}

// refuse remembers the first construct that makes the block uneditable.
func (b *slowBuilder) refuse(at int, what, hint string) {
	if b.bad != nil {
		return
	}
	line, col := position(b.raw, b.base+at)
	b.bad = &memsync.Error{Code: memsync.CodeUneditable, Message: "the frontmatter cannot be edited byte for byte: " + what, Line: line, Column: col, Hint: hint}
}

// value builds a node; limit is where whatever follows it begins, depth 0 the
// top mapping itself.
func (b *slowBuilder) value(y *yaml.Node, limit, depth int) (node, *fault) {
	at := b.offset(y)
	n := node{at: b.base + at}
	if y.Anchor != "" {
		b.refuse(at, "it has an anchor", "write the value out in each place and remove the anchor")
	}
	if y.Style&yaml.TaggedStyle != 0 {
		b.refuse(at, "it has a tag", "remove the tag: every value is text")
	}
	if depth > 100 {
		return n, &fault{at: at, msg: "the frontmatter is nested more than 100 levels deep", hint: "flatten it"}
	}
	var f *fault
	switch y.Kind {
	case yaml.AliasNode:
		b.refuse(at, "it has an alias", "write the value out; aliases are not expanded")
		n.kind, n.text = alias, "*"+y.Value
		n.end = n.at + len(n.text)
		n.unsure = true
	case yaml.MappingNode:
		n.kind = mapping
		f = b.mapping(&n, y, at, limit, depth)
	case yaml.SequenceNode:
		n.kind = list
		f = b.sequence(&n, y, at, limit, depth)
	default:
		b.scalar(&n, y, at, limit)
	}
	return n, f
}

func (b *slowBuilder) mapping(n *node, y *yaml.Node, at, limit, depth int) *fault {
	n.style = block
	braces := false
	if y.Style&yaml.FlowStyle != 0 {
		n.style = flow
		braces = at < len(b.src) && b.src[at] == '{'
	}
	n.sub = make([]node, 0, len(y.Content)/2)
	seen := make(map[string]int, len(y.Content)/2)
	for i := 0; i+1 < len(y.Content); i += 2 {
		k, v := y.Content[i], y.Content[i+1]
		keyAt := b.offset(k)
		if k.Kind != yaml.ScalarNode {
			return &fault{at: keyAt, msg: "a key of the frontmatter is not text", hint: "put the value in quotes if it was meant as text, as in \"{{title}}\""}
		}
		if first, twice := seen[k.Value]; twice {
			l1, _ := position(b.raw, b.base+first)
			l2, _ := position(b.raw, b.base+keyAt)
			return &fault{at: keyAt, msg: fmt.Sprintf("the key %q is there twice, on lines %d and %d", clip(k.Value), l1, l2),
				hint:    "keep one of the two lines",
				details: map[string]string{"first_line": fmt.Sprint(l1), "second_line": fmt.Sprint(l2)}}
		}
		seen[k.Value] = keyAt
		next := limit
		if n.style == block && i+2 < len(y.Content) {
			next = b.lineStart(b.offset(y.Content[i+2]))
		}
		sub, f := b.entry(k, v, keyAt, next, depth, n.style)
		if f != nil {
			return f
		}
		n.sub = append(n.sub, sub)
	}
	switch {
	case n.style == block && len(n.sub) > 0:
		n.end = n.sub[len(n.sub)-1].end
	case braces:
		b.closeFlow(n, at, '}')
	case len(n.sub) > 0: // a single pair in a flow list
		n.end = n.sub[len(n.sub)-1].end
	default:
		n.end, n.unsure = n.at, true
	}
	return nil
}

// entry builds one key and its value.
func (b *slowBuilder) entry(k, v *yaml.Node, keyAt, limit, depth int, in style) (node, *fault) {
	src := b.src
	keyEnd, known := b.scalarEnd(k, keyAt)
	colon := keyEnd
	for colon < len(src) && (src[colon] == ' ' || src[colon] == '\t') {
		colon++
	}
	hasColon := known && colon < len(src) && src[colon] == ':'
	if !hasColon {
		colon = keyEnd
	}
	if k.Anchor != "" {
		b.refuse(keyAt, "it has an anchor", "write the value out in each place and remove the anchor")
	}
	if k.Style&yaml.TaggedStyle != 0 {
		b.refuse(keyAt, "it has a tag", "remove the tag: every value is text")
	}
	if k.Tag == "!!merge" {
		b.refuse(keyAt, "it has a merge key", "write the merged keys out")
	}
	if q := strings.TrimRight(src[:min(keyAt, len(src))], " \t\r\n"); strings.HasSuffix(q, "?") && strings.TrimLeft(q[b.lineStart(len(q)):len(q)-1], " \t-{,") == "" || !hasColon {
		b.refuse(keyAt, "it has an explicit key, or a key without a colon", "write it as `key: value`")
	}

	var n node
	fixed := (*fix)(nil)
	for i := range b.fixes {
		if s := b.fixes[i].at; s > colon && s < b.lineAfter(keyAt) && s > keyAt {
			fixed = &b.fixes[i]
		}
	}
	switch {
	case fixed != nil && v.Kind == yaml.ScalarNode && v.Value == fixed.text && b.offset(v) == fixed.at:
		b.used++
		n = node{at: b.base + fixed.at, end: b.base + fixed.end, text: fixed.text, recovered: true}
	case v.Kind == yaml.ScalarNode && v.Tag == "!!null" && v.Value == "" && v.Style == 0 && v.Anchor == "":
		n.at = b.base + colon
		if hasColon {
			n.at++
			if colon+1 < len(src) && src[colon+1] == ' ' {
				n.at++
			}
		}
		n.end = n.at
	default:
		var f *fault
		if n, f = b.value(v, limit, depth+1); f != nil {
			return n, f
		}
	}
	n.key = k.Value
	n.keyAt, n.keyEnd, n.colon = b.base+keyAt, b.base+keyEnd, b.base+colon
	if in == block && depth == 0 && prose(n.key) {
		b.restOfLine(&n)
	}
	if in == block {
		n.line = b.base + b.lineStart(keyAt)
		n.lineEnd = b.base + b.lineAfter(max(n.end, n.colon)-b.base)
		if n.style == block && len(n.sub) > 0 {
			n.lineEnd = n.sub[len(n.sub)-1].lineEnd
		}
		if n.lineEnd > b.base+limit {
			n.unsure = true
		}
	}
	return n, nil
}

// restOfLine takes what looks like a comment after a sentence for a part of
// it. A comment in place of the whole value needs to look like one, `# `.
func (b *slowBuilder) restOfLine(n *node) {
	if n.kind != scalar || n.style != plain || n.recovered || n.unsure {
		return
	}
	at := n.end - b.base
	line := b.lineAfter(at)
	if b.lineStart(at) != b.lineStart(n.keyAt-b.base) {
		return
	}
	rest := strings.TrimRight(b.src[at:line], " \t\r\n")
	cut := strings.TrimLeft(rest, " \t")
	if !strings.HasPrefix(cut, "#") {
		return
	}
	if n.at == n.end { // nothing before it
		if len(cut) == 1 || cut[1] == ' ' || cut[1] == '\t' || len(rest) == len(cut) && b.src[at-1] != ' ' {
			return
		}
		n.at += len(rest) - len(cut)
	}
	n.end = b.base + at + len(rest)
	n.text = b.src[n.at-b.base : n.end-b.base]
	n.recovered = true
}

func (b *slowBuilder) sequence(n *node, y *yaml.Node, at, limit, depth int) *fault {
	n.style = block
	if y.Style&yaml.FlowStyle != 0 {
		n.style = flow
	}
	n.sub = make([]node, 0, len(y.Content))
	for i, v := range y.Content {
		next := limit
		if n.style == block && i+1 < len(y.Content) {
			next = b.lineStart(b.offset(y.Content[i+1]))
		}
		item, f := b.value(v, next, depth+1)
		if f != nil {
			return f
		}
		if n.style == block {
			start := item.at - b.base
			dash := strings.LastIndexByte(b.src[:min(start, len(b.src))], '-')
			item.keyAt = b.base + max(dash, 0)
			item.line = b.base + b.lineStart(max(dash, 0))
			item.lineEnd = b.base + b.lineAfter(item.end-b.base)
			if dash < 0 || item.kind != scalar || item.style == literal || v.Value == "" && v.Style == 0 ||
				strings.TrimSpace(b.src[b.lineStart(dash):dash]) != "" || strings.TrimSpace(b.src[dash+1:start]) != "" {
				item.unsure = true
			}
		}
		n.sub = append(n.sub, item)
	}
	if n.style == flow {
		b.closeFlow(n, at, ']')
		return nil
	}
	if len(n.sub) > 0 {
		n.at = n.sub[0].keyAt
		n.end = n.sub[len(n.sub)-1].end
	}
	return nil
}

func (b *slowBuilder) scalar(n *node, y *yaml.Node, at, limit int) {
	n.text = y.Value
	switch {
	case y.Style&yaml.DoubleQuotedStyle != 0:
		n.style = double
	case y.Style&yaml.SingleQuotedStyle != 0:
		n.style = single
	case y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		n.style = literal
		n.end = b.base + b.blockScalarEnd(at, limit, n)
		return
	}
	end, ok := b.scalarEnd(y, at)
	n.end, n.unsure = b.base+end, !ok
}
