package format

import (
	"encoding/json"
	"sort"
	"strings"

	"memsync"
)

type kind uint8

const (
	scalar kind = iota
	list
	mapping
	alias // `*name`; never followed
)

type style uint8

const (
	plain style = iota
	single
	double
	literal // | and >
	flow
	block
)

// node is a value in the frontmatter and, inside a mapping, its key. Offsets
// are into the file. The zero node is an empty plain scalar.
type node struct {
	kind      kind
	style     style
	recovered bool // read as the rest of its line, which YAML would not do
	unsure    bool // where it ends could not be told: it is never edited
	keep      bool // a block scalar that keeps its trailing line ends

	key           string
	keyAt, keyEnd int // the key as written, quotes included; in a block list keyAt is the dash
	colon         int
	at, end       int // the value as written; equal where there is none
	line, lineEnd int // the whole lines of an entry in a block collection

	text string
	sub  []node
}

// null reports whether a plain scalar is one of YAML's spellings of nothing.
func (n *node) null() bool {
	if n.kind != scalar || n.style != plain {
		return false
	}
	switch n.text {
	case "", "~", "null", "Null", "NULL":
		return !n.recovered
	}
	return false
}

// value is the node in the words of the root package. Items of a list that
// are no scalars, and mappings, read as compact JSON.
func (n *node) value() memsync.Value {
	switch n.kind {
	case list:
		items := make([]string, len(n.sub))
		for i := range n.sub {
			if s := &n.sub[i]; s.kind == list || s.kind == mapping {
				items[i] = s.json()
			} else {
				items[i] = s.text
			}
		}
		return memsync.Value{List: items, IsList: true}
	case mapping:
		return memsync.Text(n.json())
	default:
		return memsync.Text(n.text)
	}
}

// json is the node as compact JSON: keys sorted, scalars as strings, so that
// equal values give equal bytes whatever their order and spelling.
func (n *node) json() string {
	var b strings.Builder
	n.writeJSON(&b)
	return b.String()
}

func (n *node) writeJSON(b *strings.Builder) {
	switch n.kind {
	case list:
		b.WriteByte('[')
		for i := range n.sub {
			if i > 0 {
				b.WriteByte(',')
			}
			n.sub[i].writeJSON(b)
		}
		b.WriteByte(']')
	case mapping:
		order := make([]int, len(n.sub))
		for i := range order {
			order[i] = i
		}
		sort.Slice(order, func(i, j int) bool { return n.sub[order[i]].key < n.sub[order[j]].key })
		b.WriteByte('{')
		for i, k := range order {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSONString(b, n.sub[k].key)
			b.WriteByte(':')
			n.sub[k].writeJSON(b)
		}
		b.WriteByte('}')
	default:
		if n.null() {
			b.WriteString("null")
			return
		}
		writeJSONString(b, n.text)
	}
}

func writeJSONString(b *strings.Builder, s string) {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	b.WriteString(strings.TrimSuffix(out.String(), "\n"))
}

// lookup finds a key by its dotted name. A key that has a dot of its own wins
// over a nested one.
func lookup(nodes []node, key string) *node {
	for i := range nodes {
		if nodes[i].key == key {
			return &nodes[i]
		}
	}
	if !strings.Contains(key, ".") {
		return nil
	}
	for i := range nodes {
		n := &nodes[i]
		if n.kind == mapping && len(key) > len(n.key) && key[len(n.key)] == '.' && strings.HasPrefix(key, n.key) {
			if hit := lookup(n.sub, key[len(n.key)+1:]); hit != nil {
				return hit
			}
		}
	}
	return nil
}

// sameTree reports whether two trees are equal in every field but, when
// places is false, the offsets.
func sameTree(a, b []node, places bool) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := &a[i], &b[i]
		if x.kind != y.kind || x.key != y.key || x.text != y.text || x.null() != y.null() || !sameTree(x.sub, y.sub, places) {
			return false
		}
		if places && (x.style != y.style || x.recovered != y.recovered || x.unsure != y.unsure ||
			x.keyAt != y.keyAt || x.keyEnd != y.keyEnd || x.colon != y.colon ||
			x.at != y.at || x.end != y.end || x.line != y.line || x.lineEnd != y.lineEnd) {
			return false
		}
	}
	return true
}
