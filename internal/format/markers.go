package format

import (
	"bytes"
	"strings"

	"memsync"
)

// checkMarkers refuses git's conflict markers: a line that begins with seven
// `<`, `>` or `|` and a space. `=======` alone is a heading underline. Inside
// fenced code a marker is somebody's example, and only noted.
func (d *Document) checkMarkers() error {
	if !hasMarker(d.raw) {
		return nil
	}
	var fences fenceScanner
	for at := 0; at < len(d.raw); {
		next := len(d.raw)
		if nl := bytes.IndexByte(d.raw[at:], '\n'); nl >= 0 {
			next = at + nl + 1
		}
		line := d.raw[at:next]
		if at >= d.after {
			fences.line(string(line))
		}
		if marker(line) {
			if at >= d.after && fences.inside {
				d.fenced = append(d.fenced, at)
			} else {
				l, c := position(d.raw, at)
				return &memsync.Error{Code: memsync.CodeMarkers, Message: "a conflict marker of git's", Line: l, Column: c,
					Hint: "join the two sides by hand and remove the marker lines; to write about markers, put them into a fenced code block"}
			}
		}
		at = next
	}
	return nil
}

// hasMarker is the cheap question that nearly every file answers with no.
func hasMarker(raw []byte) bool {
	return bytes.Contains(raw, []byte("<<<<<<< ")) || bytes.Contains(raw, []byte(">>>>>>> ")) || bytes.Contains(raw, []byte("||||||| "))
}

func marker(line []byte) bool {
	return bytes.HasPrefix(line, []byte("<<<<<<< ")) || bytes.HasPrefix(line, []byte(">>>>>>> ")) || bytes.HasPrefix(line, []byte("||||||| "))
}

// fenceScanner follows fenced code blocks through the lines of a Markdown
// body, by CommonMark 0.31 section 4.5, without the blocks' containers.
type fenceScanner struct {
	inside bool // the current line is code, or a fence that opens or closes it
	char   byte
	length int
	closed bool // the current line closed the block
}

// line takes the next line, with or without its line end.
func (f *fenceScanner) line(s string) {
	if f.closed {
		f.inside, f.closed = false, false
	}
	i := 0
	for i < len(s) && i < 4 && s[i] == ' ' {
		i++
	}
	if i > 3 || i >= len(s) || s[i] != '`' && s[i] != '~' {
		return
	}
	c, n := s[i], 0
	for i < len(s) && s[i] == c {
		i++
		n++
	}
	if n < 3 {
		return
	}
	rest := s[i:]
	if !f.inside {
		if c == '`' && strings.IndexByte(rest, '`') >= 0 {
			return // inline code that happens to begin a line
		}
		f.inside, f.char, f.length = true, c, n
		return
	}
	if c != f.char || n < f.length {
		return
	}
	for j := 0; j < len(rest); j++ {
		if rest[j] != ' ' && rest[j] != '\t' && rest[j] != '\r' && rest[j] != '\n' {
			return
		}
	}
	f.closed = true
}
