package format

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"memsync"
)

// IndexName is the file that an agent loads first.
const IndexName = "MEMORY.md"

// The two lines between which MEMORY.md is generated. Each stands alone on its
// line; in a sentence, or in a code fence, they are text about markers.
const (
	IndexBegin = "<!-- memsync:begin -->"
	IndexEnd   = "<!-- memsync:end -->"
)

// Index is a MEMORY.md taken apart: at most one generated region, and people's
// text around it. Its parts are views of the bytes it was parsed from, so that
// Before, the marker lines, Inner and After put together are those bytes.
type Index struct {
	data  []byte
	begin int // line index of the markers; -1 without a region
	end   int

	Lines []IndexLine
	EOL   string // of the region's first line, else of the file's first; "\n" when there is none
}

// IndexLine is one line: its text is data[Start:End], the next line starts at
// Next. A last line without a line end has Next == End.
type IndexLine struct {
	Start, End, Next int
	Fenced           bool // in a code fence, or one of its two delimiters
}

// ParseIndex reads a MEMORY.md. It refuses, with a *memsync.Error that carries
// the place, what nobody may write into: a marker without its partner, nested
// or repeated markers, git's conflict markers (CodeMarkers), and bytes that are
// not UTF-8 text (CodeEncoding). No data is an Index without a region.
//
// A code fence that is never closed hides nothing: a person who is in the
// middle of typing one must not get a second region.
func ParseIndex(data []byte) (*Index, error) {
	if err := checkIndexText(data); err != nil {
		return nil, err
	}
	x := &Index{data: data, begin: -1, end: -1, Lines: splitIndex(data), EOL: "\n"}
	balanced := markFences(data, x.Lines)
	for i, l := range x.Lines {
		if l.Fenced && balanced {
			continue
		}
		line := data[l.Start:l.End]
		if c := conflictMarker(line); c != "" {
			return nil, indexError(i, "git's conflict marker "+c+" is in the file",
				"resolve the conflict by hand and save, or run `memsync resolve`")
		}
		switch string(bytes.Trim(line, " \t")) {
		case IndexBegin:
			if x.begin >= 0 {
				return nil, indexError(i, "a second begin marker", hintMarkers)
			}
			x.begin = i
		case IndexEnd:
			switch {
			case x.begin < 0:
				return nil, indexError(i, "an end marker without a begin marker above it", hintMarkers)
			case x.end >= 0:
				return nil, indexError(i, "a second end marker", hintMarkers)
			}
			x.end = i
		}
	}
	if x.begin >= 0 && x.end < 0 {
		return nil, indexError(x.begin, "a begin marker without an end marker below it", hintMarkers)
	}
	if !balanced && x.begin >= 0 {
		for i := range x.Lines {
			x.Lines[i].Fenced = false
		}
		markFences(data, x.Lines[:x.begin])
		markFences(data, x.Lines[x.begin+1:x.end])
		markFences(data, x.Lines[x.end+1:])
	}
	x.EOL = x.lineEnd()
	return x, nil
}

const hintMarkers = "put both markers back, each alone on its line, or delete both: then the list is written anew at the end"

func indexError(line int, message, hint string) *memsync.Error {
	return &memsync.Error{Code: memsync.CodeMarkers, Message: message, Line: line + 1, Column: 1, Hint: hint}
}

// Bytes are the bytes it was parsed from.
func (x *Index) Bytes() []byte { return x.data }

// HasRegion reports whether there is a generated region.
func (x *Index) HasRegion() bool { return x.begin >= 0 }

// Before is people's text above the region; all of it without one.
func (x *Index) Before() []byte {
	if x.begin < 0 {
		return x.data
	}
	return x.data[:x.Lines[x.begin].Start]
}

// After is people's text below the region.
func (x *Index) After() []byte {
	if x.begin < 0 {
		return nil
	}
	return x.data[x.Lines[x.end].Next:]
}

// InnerLines are the indexes in Lines of what stands between the markers.
func (x *Index) InnerLines() (from, to int) {
	if x.begin < 0 {
		return 0, 0
	}
	return x.begin + 1, x.end
}

// Text is line i without its line end.
func (x *Index) Text(i int) string {
	l := x.Lines[i]
	return string(x.data[l.Start:l.End])
}

// Raw is line i with its line end.
func (x *Index) Raw(i int) []byte {
	l := x.Lines[i]
	return x.data[l.Start:l.Next]
}

// EndEOL is the line end of the end marker's line: empty when the file ends
// right after the marker.
func (x *Index) EndEOL() string {
	if x.begin < 0 {
		return x.EOL
	}
	l := x.Lines[x.end]
	return string(x.data[l.End:l.Next])
}

func (x *Index) lineEnd() string {
	at := max(x.begin, 0)
	if at < len(x.Lines) {
		if l := x.Lines[at]; l.Next > l.End {
			return string(x.data[l.End:l.Next])
		}
	}
	return "\n"
}

// Inside are the links in the region, Outside those in people's text: what
// they list by hand. Both in the order of the file; links in code fences are
// none.
func (x *Index) Inside() []IndexLink {
	from, to := x.InnerLines()
	return x.links(nil, from, to)
}

func (x *Index) Outside() []IndexLink {
	if x.begin < 0 {
		return x.links(nil, 0, len(x.Lines))
	}
	return x.links(x.links(nil, 0, x.begin), x.end+1, len(x.Lines))
}

func (x *Index) links(out []IndexLink, from, to int) []IndexLink {
	for i := from; i < to; i++ {
		if l := x.Lines[i]; !l.Fenced {
			out = appendLinks(out, x.data[l.Start:l.End], i+1)
		}
	}
	return out
}

// splitIndex cuts at LF; a CR before it belongs to the line end. A byte order
// mark belongs to no line.
func splitIndex(data []byte) []IndexLine {
	lines := make([]IndexLine, 0, bytes.Count(data, []byte{'\n'})+1)
	at := len(data) - len(bytes.TrimPrefix(data, []byte("\ufeff")))
	for at < len(data) {
		l := IndexLine{Start: at, End: len(data), Next: len(data)}
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			l.End, l.Next = at+i, at+i+1
			if i > 0 && data[l.End-1] == '\r' {
				l.End--
			}
		}
		lines = append(lines, l)
		at = l.Next
	}
	return lines
}

// checkIndexText refuses UTF-16, NUL and broken UTF-8: a generated list in the
// midst of it would make a file that no program reads.
func checkIndexText(data []byte) error {
	at := bytes.IndexByte(data, 0)
	if at < 0 {
		if utf8.Valid(data) {
			return nil
		}
		for at = 0; at < len(data); {
			r, n := utf8.DecodeRune(data[at:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			at += n
		}
	}
	line := bytes.Count(data[:at], []byte{'\n'})
	return &memsync.Error{
		Code: memsync.CodeEncoding, Message: "the file is not UTF-8 text",
		Line: line + 1, Column: at - (bytes.LastIndexByte(data[:at], '\n') + 1) + 1,
		Hint: "save it as UTF-8",
	}
}

// conflictMarker is the marker that git leaves at the start of a line: seven
// of <, > or | and a space. Seven = alone are a heading's underline.
func conflictMarker(line []byte) string {
	for _, m := range [...]string{"<<<<<<< ", ">>>>>>> ", "||||||| "} {
		if bytes.HasPrefix(line, []byte(m)) {
			return strings.TrimSpace(m)
		}
	}
	return ""
}
