package format

// The fast path reads the frontmatter that nearly every file has: `key: value`
// lines with plain or quoted one-line scalars, one-line lists in brackets,
// block lists of scalars, block mappings in block mappings, comments and blank
// lines. It never judges: whatever it is not certain about goes to the YAML
// decoder, which either reads it or says what is wrong. FuzzFastPath holds both
// to the same tree.

// fastDepth bounds nesting; deeper frontmatter is read by the decoder.
const fastDepth = 8

// fastKey bounds a key. YAML's own limit for a key on one line is 1,024.
const fastKey = 128

type fastReader struct {
	src  string
	base int // offset of src in the file

	start, first, end, next int // the current line: its start, first non-space, end without line break, and the next line
	eof                     bool
}

// readFast parses frontmatter, or reports that it is not for the fast path.
func readFast(src string, base int) ([]node, bool) {
	if !fastBytes(src) {
		return nil, false
	}
	r := &fastReader{src: src, base: base}
	r.load(0)
	r.skip()
	if r.eof {
		return nil, true
	}
	keys, ok := r.mapping(r.first-r.start, 0)
	if !ok || !r.eof {
		return nil, false
	}
	return keys, true
}

// fastBytes reports whether src is free of what YAML treats specially: control
// characters, tabs, lone CR, the Unicode line breaks, BOM and non-characters.
func fastBytes(src string) bool {
	for i := 0; i < len(src); i++ {
		c := src[i]
		switch {
		case c < 0x20:
			if c == '\n' || c == '\r' && i+1 < len(src) && src[i+1] == '\n' {
				continue
			}
			return false
		case c < 0x7f:
		case c == 0x7f:
			return false
		case c == 0xc2:
			if i+1 < len(src) && src[i+1] < 0xa0 {
				return false
			}
		case c == 0xe2:
			if i+2 < len(src) && src[i+1] == 0x80 && (src[i+2] == 0xa8 || src[i+2] == 0xa9) {
				return false
			}
		case c == 0xef:
			if i+2 < len(src) && (src[i+1] == 0xbb && src[i+2] == 0xbf || src[i+1] == 0xbf && src[i+2] >= 0xbe) {
				return false
			}
		}
	}
	return true
}

// load makes the line at i the current one.
func (r *fastReader) load(i int) {
	if i >= len(r.src) {
		r.eof = true
		r.start, r.first, r.end, r.next = i, i, i, i
		return
	}
	r.start = i
	j := i
	for j < len(r.src) && r.src[j] == ' ' {
		j++
	}
	r.first = j
	for j < len(r.src) && r.src[j] != '\n' {
		j++
	}
	r.end, r.next = j, j
	if j < len(r.src) {
		r.next = j + 1
		if j > r.first && r.src[j-1] == '\r' {
			r.end = j - 1
		}
	}
}

// skip moves to the next line that is neither blank nor a comment.
func (r *fastReader) skip() {
	for !r.eof && (r.first >= r.end || r.src[r.first] == '#') {
		r.load(r.next)
	}
}

// dash reports whether the current line is an item of a block list.
func (r *fastReader) dash() bool {
	return r.src[r.first] == '-' && (r.first+1 >= r.end || r.src[r.first+1] == ' ')
}

// mapping reads the entries at one indentation, from the current line on.
func (r *fastReader) mapping(indent, depth int) ([]node, bool) {
	if depth > fastDepth {
		return nil, false
	}
	size := 6
	if depth == 0 {
		size = 8
	}
	out := make([]node, 0, size)
	for {
		r.skip()
		if r.eof || r.first-r.start < indent {
			return out, true
		}
		if r.first-r.start > indent {
			return nil, false // a continuation of the value above, or an error
		}
		n, ok := r.entry(indent, depth)
		if !ok {
			return nil, false
		}
		for i := range out {
			if out[i].key == n.key {
				return nil, false // the slow path says where
			}
		}
		if len(out) >= 64 {
			return nil, false // comparing keys is quadratic here
		}
		out = append(out, n)
	}
}

// entry reads `key: value` on the current line and moves past it.
func (r *fastReader) entry(indent, depth int) (n node, ok bool) {
	src, p := r.src, r.first
	if !keyStart[src[p]] {
		return n, false
	}
	j := p + 1
	for j < r.end && src[j] != ':' && src[j] != '#' {
		j++
	}
	if j >= r.end || src[j] != ':' || j-p > fastKey || src[j-1] == ' ' || j+1 < r.end && src[j+1] != ' ' {
		return n, false
	}
	n.key = src[p:j]
	n.keyAt, n.keyEnd, n.colon = r.base+p, r.base+j, r.base+j
	n.line = r.base + r.start
	v := j + 1
	for v < r.end && src[v] == ' ' {
		v++
	}
	if v >= r.end || src[v] == '#' {
		if v < r.end && depth == 0 && prose(n.key) {
			return n, false
		}
		return r.below(n, indent, depth)
	}
	if src[v] == '[' {
		ok = r.flowList(&n, v)
	} else {
		ok = r.scalar(&n, v, depth == 0 && prose(n.key))
	}
	n.lineEnd = r.base + r.next
	r.load(r.next)
	return n, ok
}

// below reads what stands under a key without a value on its line: a block
// collection, or nothing.
func (r *fastReader) below(n node, indent, depth int) (node, bool) {
	at := n.colon + 1
	if at-r.base < r.end && r.src[at-r.base] == ' ' {
		at++
	}
	n.at, n.end = at, at
	n.lineEnd = r.base + r.next
	r.load(r.next)
	r.skip()
	if r.eof {
		return n, true
	}
	deeper := r.first - r.start
	if deeper < indent || deeper == indent && !r.dash() {
		return n, true
	}
	var ok bool
	n.style = block
	n.at = r.base + r.first
	if r.dash() {
		n.kind = list
		n.sub, ok = r.list(deeper, deeper == indent)
	} else {
		n.kind = mapping
		n.sub, ok = r.mapping(deeper, depth+1)
	}
	if !ok || len(n.sub) == 0 {
		return n, false
	}
	last := &n.sub[len(n.sub)-1]
	n.end, n.lineEnd = last.end, last.lineEnd
	return n, true
}

// list reads the items of a block list of scalars. A list may stand at the
// indentation of its key; then the next key ends it.
func (r *fastReader) list(indent int, atKey bool) ([]node, bool) {
	out := make([]node, 0, 4)
	for {
		r.skip()
		if r.eof || r.first-r.start < indent {
			return out, true
		}
		if r.first-r.start > indent {
			return nil, false
		}
		if !r.dash() {
			return out, atKey
		}
		n := node{keyAt: r.base + r.first, line: r.base + r.start, lineEnd: r.base + r.next}
		v := r.first + 1
		for v < r.end && r.src[v] == ' ' {
			v++
		}
		if v >= r.end || !r.scalar(&n, v, false) {
			return nil, false
		}
		out = append(out, n)
		r.load(r.next)
	}
}
