package format

// scalar reads a one-line scalar at v; nothing but a comment may follow it.
// Prose does not even have comments: what looks like one is the slow path's.
func (r *fastReader) scalar(n *node, v int, prose bool) bool {
	src, c := r.src, r.src[v]
	n.at = r.base + v
	if c == '"' || c == '\'' {
		text, end, ok := quoted(src, v, r.end)
		if !ok {
			return false
		}
		n.text, n.end, n.style = text, r.base+end, double
		if c == '\'' {
			n.style = single
		}
		return r.rest(end)
	}
	if !plainStart[c] && !(c == '-' && v+1 < r.end && src[v+1] != ' ') {
		return false
	}
	end := v
	for i := v; i < r.end; i++ {
		switch src[i] {
		case ' ':
			continue
		case ':':
			if i+1 >= r.end || src[i+1] == ' ' {
				return false
			}
		case '#':
			if src[i-1] == ' ' {
				if prose {
					return false
				}
				n.text, n.end = src[v:end], r.base+end
				return true
			}
		}
		end = i + 1
	}
	n.text, n.end = src[v:end], r.base+end
	return true
}

// rest reports whether nothing but space and a comment stands from i to the
// end of the line.
func (r *fastReader) rest(i int) bool {
	j := i
	for j < r.end && r.src[j] == ' ' {
		j++
	}
	return j >= r.end || r.src[j] == '#' && j > i
}

// flowList reads `[a, "b"]` on one line.
func (r *fastReader) flowList(n *node, v int) bool {
	src := r.src
	n.kind, n.style, n.at = list, flow, r.base+v
	i := v + 1
	for {
		for i < r.end && src[i] == ' ' {
			i++
		}
		if i >= r.end {
			return false
		}
		if src[i] == ']' && len(n.sub) == 0 {
			break
		}
		item := node{at: r.base + i}
		switch c := src[i]; {
		case c == '"' || c == '\'':
			text, end, ok := quoted(src, i, r.end)
			if !ok {
				return false
			}
			item.text, item.end, item.style = text, r.base+end, double
			if c == '\'' {
				item.style = single
			}
			i = end
		case plainStart[c]:
			start, end := i, i
			for i < r.end && src[i] != ',' && src[i] != ']' {
				switch src[i] {
				case '[', '{', '}', ':', '#', '?':
					return false
				case ' ':
				default:
					end = i + 1
				}
				i++
			}
			item.text, item.end = src[start:end], r.base+end
		default:
			return false
		}
		if n.sub == nil {
			n.sub = make([]node, 0, 2)
		}
		n.sub = append(n.sub, item)
		for i < r.end && src[i] == ' ' {
			i++
		}
		if i >= r.end || src[i] != ',' && src[i] != ']' {
			return false
		}
		if src[i] == ']' {
			break
		}
		i++
	}
	n.end = r.base + i + 1
	return r.rest(i + 1)
}

// quoted reads a quoted scalar that begins at v and ends before end. Escapes
// other than the usual ones are left to the decoder.
func quoted(src string, v, end int) (text string, after int, ok bool) {
	q := src[v]
	var buf []byte
	from := v + 1
	for i := v + 1; i < end; i++ {
		c := src[i]
		switch {
		case c == q && q == '\'' && i+1 < end && src[i+1] == '\'':
			buf = append(append(buf, src[from:i]...), '\'')
			i++
			from = i + 1
		case c == q:
			if buf == nil {
				return src[from:i], i + 1, true
			}
			return string(append(buf, src[from:i]...)), i + 1, true
		case c == '\\' && q == '"':
			if i+1 >= end {
				return "", 0, false
			}
			buf = append(buf, src[from:i]...)
			i++
			switch src[i] {
			case '"', '\\':
				buf = append(buf, src[i])
			case 'n':
				buf = append(buf, '\n')
			case 't':
				buf = append(buf, '\t')
			default:
				return "", 0, false
			}
			from = i + 1
		}
	}
	return "", 0, false
}

// keyStart and plainStart are the bytes with which a key, and a plain value,
// may begin on the fast path: those without any meaning in YAML.
var keyStart, plainStart = func() (k, p [256]bool) {
	for c := 0; c < 256; c++ {
		word := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
		k[c] = word
		p[c] = word
	}
	for _, c := range "/.~(<=+$^;\\)" {
		p[c] = true
	}
	return
}()

// prose reports whether a top-level key holds a sentence, in which ` #` is
// text: YAML drops the rest of such a value without a word.
func prose(key string) bool {
	switch key {
	case "name", "title", "description", "hook":
		return true
	}
	return false
}
