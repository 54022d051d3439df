package format

import "bytes"

// fenceLine is a line that can open or close a code fence.
type fenceLine struct {
	line        int
	char        byte
	length      int
	opens, ends bool
}

// markFences sets Fenced on the lines of every fence that is closed, and
// reports whether all are. A fence that nothing closes is not one. Linear in
// the size of the text, whatever stands in it.
func markFences(data []byte, lines []IndexLine) (balanced bool) {
	var found []fenceLine
	for i, l := range lines {
		if f, ok := fenceAt(data[l.Start:l.End]); ok {
			f.line = i
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		return true
	}
	// longest[i] is the longest closing delimiter of each kind from i on.
	longest := make([][2]int, len(found)+1)
	for i := len(found) - 1; i >= 0; i-- {
		longest[i] = longest[i+1]
		if f := found[i]; f.ends {
			longest[i][f.kind()] = max(longest[i][f.kind()], f.length)
		}
	}
	balanced = true
	for i := 0; i < len(found); i++ {
		f := found[i]
		if !f.opens {
			continue
		}
		if longest[i+1][f.kind()] < f.length {
			balanced = false
			continue
		}
		j := i + 1
		for !(found[j].ends && found[j].char == f.char && found[j].length >= f.length) {
			j++
		}
		for l := f.line; l <= found[j].line; l++ {
			lines[l].Fenced = true
		}
		i = j
	}
	return balanced
}

func (f fenceLine) kind() int {
	if f.char == '~' {
		return 1
	}
	return 0
}

// fenceAt reads a fence delimiter: three or more of ` or ~, at any indent and
// in block quotes, because people put fences in lists; an opening one also
// right after a list marker.
func fenceAt(line []byte) (fenceLine, bool) {
	if bytes.IndexByte(line, '`') < 0 && bytes.IndexByte(line, '~') < 0 {
		return fenceLine{}, false
	}
	rest := bytes.TrimLeft(line, " \t>")
	marked := bytes.TrimLeft(listMarker(rest), " \t")
	inList := len(marked) < len(rest)
	rest = marked
	if len(rest) < 3 || (rest[0] != '`' && rest[0] != '~') {
		return fenceLine{}, false
	}
	f := fenceLine{char: rest[0]}
	for f.length < len(rest) && rest[f.length] == f.char {
		f.length++
	}
	if f.length < 3 {
		return fenceLine{}, false
	}
	info := bytes.TrimSpace(rest[f.length:])
	f.opens = f.char == '~' || bytes.IndexByte(info, '`') < 0
	f.ends = len(info) == 0 && !inList
	return f, f.opens || f.ends
}

// listMarker takes one list marker off the front of a line: a bullet or a
// number, and a space.
func listMarker(line []byte) []byte {
	n := 0
	if len(line) > 0 && (line[0] == '-' || line[0] == '*' || line[0] == '+') {
		n = 1
	} else {
		for n < len(line) && n < 9 && '0' <= line[n] && line[n] <= '9' {
			n++
		}
		if n == 0 || n >= len(line) || (line[n] != '.' && line[n] != ')') {
			return line
		}
		n++
	}
	if n < len(line) && (line[n] == ' ' || line[n] == '\t') {
		return line[n:]
	}
	return line
}
