package format

import (
	"bytes"
	"iter"
	"strings"
	"unsafe"

	"memsync"
)

// Document is one parsed memory file, bytes and all. It is immutable: every
// edit gives a new one.
type Document struct {
	raw []byte
	lim memsync.Limits

	fm      bool // has a frontmatter block
	fmStart int  // first byte after the opening fence's line
	fmEnd   int  // first byte of the closing fence's line
	after   int  // first byte after the closing fence's line; after the BOM without frontmatter
	body    int  // first byte of the body, after one empty line that follows the block
	eol     string

	keys     []node
	rootFlow *node          // the braces around keys, when the block is one flow mapping
	bad      *memsync.Error // why keys cannot be edited, or nil
	fenced   []int          // offsets of conflict markers inside code fences
}

// Bytes are the file's bytes, exactly as parsed. The caller must not change
// them.
func (d *Document) Bytes() []byte { return d.raw }

// HasFrontmatter reports whether the file has a frontmatter block.
func (d *Document) HasFrontmatter() bool { return d.fm }

// Uneditable reports whether the frontmatter holds what a byte-exact edit
// cannot step around: anchors, aliases, merge keys, explicit keys, tags. Such
// a file has ledger identity.
func (d *Document) Uneditable() bool { return d.bad != nil }

// Body is the text after the frontmatter, without BOM and without the one
// empty line that follows the block; line ends are LF.
func (d *Document) Body() string {
	raw := d.raw[d.body:]
	s := unsafe.String(unsafe.SliceData(raw), len(raw)) // nobody writes to what was parsed
	if strings.Contains(s, "\r\n") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	return s
}

// BodyLine is the 1-based line of the file on which Body begins.
func (d *Document) BodyLine() int {
	line, _ := position(d.raw, d.body)
	return line
}

// Key is a frontmatter key with its place.
type Key struct {
	Name         string // dotted: "metadata.type"
	Line, Column int    // of the key, 1-based, the column in bytes
	Value        memsync.Value
}

// Keys lists the frontmatter keys in file order, nested ones dotted. A mapping
// stands for itself only when it is empty.
func (d *Document) Keys() []Key {
	out := make([]Key, 0, len(d.keys)+4)
	line, start, at := 1, 0, 0
	d.leaves(func(name string, n *node) {
		for ; at < n.keyAt; at++ {
			if d.raw[at] == '\n' {
				line++
				start = at + 1
			}
		}
		out = append(out, Key{Name: name, Line: line, Column: n.keyAt - start + 1, Value: n.value()})
	})
	return out
}

// Texts yields every text in the frontmatter with its key, in file order: the
// scalars, the items of lists, what is nested in one as compact JSON.
func (d *Document) Texts() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		more := true
		d.leaves(func(name string, n *node) {
			if !more {
				return
			}
			if n.kind != list {
				more = yield(name, n.value().Text)
				return
			}
			for i := range n.sub {
				item := &n.sub[i]
				text := item.text
				if item.kind == list || item.kind == mapping {
					text = item.json()
				}
				more = more && yield(name, text)
			}
		})
	}
}

// leaves calls f for every key that is no mapping, and for empty mappings.
func (d *Document) leaves(f func(name string, n *node)) { leaves("", d.keys, f) }

// leaves prefixes names with what leads to nodes, its dot included.
func leaves(prefix string, nodes []node, f func(string, *node)) {
	for i := range nodes {
		n := &nodes[i]
		name := prefix + n.key
		if n.kind == mapping && len(n.sub) > 0 {
			leaves(name+".", n.sub, f)
			continue
		}
		f(name, n)
	}
}

// Get is the value of a key, by its dotted name. A key that holds a mapping
// reads as the mapping's compact JSON.
func (d *Document) Get(key string) (memsync.Value, bool) {
	n := lookup(d.keys, key)
	if n == nil {
		return memsync.Value{}, false
	}
	return n.value(), true
}

// ID is the id that the document itself says, folded; "" for none, and for what is no
// ULID: a person's own.
func (d *Document) ID() memsync.ID {
	v, ok := d.Get("id")
	if !ok || v.IsList {
		return ""
	}
	id, err := memsync.ParseID(v.Text)
	if err != nil {
		return ""
	}
	return id
}

// text is the scalar at key; "" where the key is absent, a collection, or one
// of YAML's plain spellings of null.
func (d *Document) text(key string) string {
	n := lookup(d.keys, key)
	if n == nil || n.kind != scalar || n.null() {
		return ""
	}
	return n.text
}

// position turns a byte offset into a 1-based line and byte column.
func position(raw []byte, off int) (line, column int) {
	line, start := 1, 0
	for i := 0; i < off && i < len(raw); i++ {
		if raw[i] == '\n' {
			line++
			start = i + 1
		}
	}
	return line, off - start + 1
}

// Span is where a key's entry stands in Bytes: from the first byte of the key
// to behind the last one of its value.
func (d *Document) Span(key string) (from, to int, ok bool) {
	n := lookup(d.keys, key)
	if n == nil {
		return 0, 0, false
	}
	return n.keyAt, max(n.end, n.keyAt+len(n.key)), true
}

// LineSpan is the lines of a key's entry, line ends included: what Remove takes
// away. ok is false where the entry does not have them for itself.
func (d *Document) LineSpan(key string) (from, to int, ok bool) {
	p, i := findEntry(d.keys, d.rootFlow, key)
	if i < 0 || p.inFlow || p.siblings[i].unsure || d.bad != nil {
		return 0, 0, false
	}
	return p.siblings[i].line, p.siblings[i].lineEnd, true
}

// BodyStart is the offset in Bytes at which Body begins.
func (d *Document) BodyStart() int { return d.body }

// Line is one line of a body.
type Line struct {
	At   int    // its offset in Bytes
	Text string // without its line end
	Code bool   // fenced code, or one of its two fences
}

// Lines are the lines of the body. open is the offset of a fence that nothing
// closes, so that everything behind it is code; -1 for none.
func (d *Document) Lines() (lines []Line, open int) { return Lines(d.raw, d.body) }

// Lines are the lines of Markdown from an offset on.
func Lines(raw []byte, from int) (lines []Line, open int) {
	var fences fenceScanner
	open = -1
	for at := from; at < len(raw); {
		next := len(raw)
		if nl := bytes.IndexByte(raw[at:], '\n'); nl >= 0 {
			next = at + nl + 1
		}
		s := string(raw[at:next])
		was := fences.inside && !fences.closed
		fences.line(s)
		switch {
		case fences.inside && !was:
			open = at
		case !fences.inside || fences.closed:
			open = -1
		}
		lines = append(lines, Line{At: at, Text: strings.TrimRight(s, "\r\n"), Code: fences.inside})
		at = next
	}
	return lines, open
}

// Splice replaces the bytes [From, To) of a file.
type Splice struct {
	From, To int
	Text     string
}
