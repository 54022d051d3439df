package format

import (
	"strings"

	"memsync"
)

// place is where a key stands: among which siblings, and whether they are a
// flow mapping.
type place struct {
	siblings []node
	inFlow   bool
}

// findEntry finds a key by its dotted name, as lookup does, with its place.
func findEntry(nodes []node, rootFlow *node, key string) (place, int) {
	return findIn(place{nodes, rootFlow != nil}, key)
}

func findIn(p place, key string) (place, int) {
	for i := range p.siblings {
		if p.siblings[i].key == key {
			return p, i
		}
	}
	for i := range p.siblings {
		n := &p.siblings[i]
		if n.kind == mapping && len(key) > len(n.key) && key[len(n.key)] == '.' && strings.HasPrefix(key, n.key) {
			if q, j := findIn(place{n.sub, n.style == flow}, key[len(n.key)+1:]); j >= 0 {
				return q, j
			}
		}
	}
	return place{}, -1
}

// replace writes v over the value of n. ok is false where its bytes cannot be
// told.
func (d *Document) replace(key string, n *node, v memsync.Value) (raw []byte, ok bool) {
	p, _ := findEntry(d.keys, d.rootFlow, key)
	if n.kind == list && v.IsList {
		return d.replaceList(n, v.List)
	}
	text := d.encodeOver(key, n, v, p.inFlow)
	from, to := n.at, n.end
	if n.kind == list && n.style == block || n.at <= n.colon {
		from = n.colon + 1
	}
	if from > to {
		return nil, false
	}
	if from == n.colon+1 {
		text = " " + text
	}
	// A comment, or in flow style the next entry, must not grow into the value.
	if to < len(d.raw) && strings.IndexByte(" \t\r\n,}]", d.raw[to]) < 0 {
		text += " "
	}
	return splice(d.raw, from, to, text), true
}

// encodeOver spells v in the style of the value it replaces.
func (d *Document) encodeOver(key string, n *node, v memsync.Value, inFlow bool) string {
	if v.IsList {
		return flowList(v.List)
	}
	want := plain
	bare := bareKey(key)
	if n.kind == scalar && !n.recovered {
		switch n.style {
		case double, single:
			want = n.style
		case plain:
			bare = bare || !n.null() && resolves(n.text)
			if !inFlow && prose(key) && d.commentAfter(n.end) {
				want = double // or the comment would be read as a part of it
			}
		}
	}
	return encode(v.Text, want, inFlow, bare)
}

// commentAfter reports whether a comment follows on the line at.
func (d *Document) commentAfter(at int) bool {
	for at < len(d.raw) && (d.raw[at] == ' ' || d.raw[at] == '\t') {
		at++
	}
	return at < len(d.raw) && d.raw[at] == '#'
}

func flowList(items []string) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, s := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(encode(s, plain, true, false))
	}
	b.WriteByte(']')
	return b.String()
}

// insert adds a key that is not there, making the mappings on its way.
func (d *Document) insert(key string, v memsync.Value) (*Document, error) {
	if d.rootFlow != nil {
		return d.commit(d.insertFlow(d.rootFlow, d.keys, key, key, v), key, &v)
	}
	parent, rest := deepest(d.keys, key)
	if parent == nil {
		indent := ""
		if len(d.keys) > 0 {
			indent = string(d.raw[d.keys[0].line:d.keys[0].keyAt])
		}
		return d.commit(splice(d.raw, d.fmEnd, d.fmEnd, d.blockEntry(indent, key, key, v)), key, &v)
	}
	switch {
	case parent.unsure || parent.kind == list || parent.kind == alias || parent.kind == scalar && !(parent.null() && parent.at == parent.end):
		return nil, d.uneditable(parent, "the key "+clip(key)+" has no place: what it would stand in is not a mapping", "edit the file by hand")
	case parent.kind == mapping && parent.style == flow:
		return d.commit(d.insertFlow(parent, parent.sub, key, rest, v), key, &v)
	case parent.kind == mapping:
		first := &parent.sub[0]
		indent := string(d.raw[first.line:first.keyAt])
		return d.commit(splice(d.raw, parent.lineEnd, parent.lineEnd, d.blockEntry(indent, key, rest, v)), key, &v)
	}
	if p, _ := findEntry(d.keys, d.rootFlow, strings.TrimSuffix(key, "."+rest)); p.inFlow {
		text := "{" + flowEntry(key, rest, v) + "}"
		if parent.at == parent.colon+1 {
			text = " " + text
		}
		return d.commit(splice(d.raw, parent.at, parent.end, text), key, &v)
	}
	indent := string(d.raw[parent.line:parent.keyAt]) + "  "
	return d.commit(splice(d.raw, parent.lineEnd, parent.lineEnd, d.blockEntry(indent, key, rest, v)), key, &v)
}

// deepest is the innermost key on the way to a dotted key, and what of the
// name is left below it; nil where there is none.
func deepest(nodes []node, key string) (*node, string) {
	for i := range nodes {
		n := &nodes[i]
		if len(key) > len(n.key) && key[len(n.key)] == '.' && strings.HasPrefix(key, n.key) {
			rest := key[len(n.key)+1:]
			if n.kind == mapping {
				if deeper, left := deepest(n.sub, rest); deeper != nil {
					return deeper, left
				}
			}
			return n, rest
		}
	}
	return nil, key
}

// blockEntry spells the lines of a new key at an indentation.
func (d *Document) blockEntry(indent, key, rest string, v memsync.Value) string {
	var b strings.Builder
	for {
		seg, more, nested := strings.Cut(rest, ".")
		b.WriteString(indent)
		b.WriteString(encode(seg, plain, false, false))
		b.WriteByte(':')
		if !nested {
			break
		}
		b.WriteString(d.eol)
		indent += "  "
		rest = more
	}
	b.WriteByte(' ')
	if v.IsList {
		b.WriteString(flowList(v.List))
	} else {
		b.WriteString(encode(v.Text, plain, false, bareKey(key)))
	}
	b.WriteString(d.eol)
	return b.String()
}

// flowEntry spells a new key inside braces.
func flowEntry(key, rest string, v memsync.Value) string {
	seg, more, nested := strings.Cut(rest, ".")
	out := encode(seg, plain, true, false) + ": "
	switch {
	case nested:
		return out + "{" + flowEntry(key, more, v) + "}"
	case v.IsList:
		return out + flowList(v.List)
	}
	return out + encode(v.Text, plain, true, bareKey(key))
}

// insertFlow adds an entry to a flow mapping, with one separator.
func (d *Document) insertFlow(m *node, siblings []node, key, rest string, v memsync.Value) []byte {
	text := flowEntry(key, rest, v)
	if len(siblings) == 0 {
		return splice(d.raw, m.at+1, m.at+1, text)
	}
	at := siblings[len(siblings)-1].end
	return splice(d.raw, at, at, ", "+text)
}
