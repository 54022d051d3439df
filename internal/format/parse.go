package format

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"

	"memsync"
)

var utf8BOM = []byte("\xef\xbb\xbf")

// Parse reads a memory file, or refuses it with a *memsync.Error that carries
// line, column and hint, and returns no value. The document keeps data; the
// caller must not change it afterwards. A limit of 0 is none.
//
// Refused is what could only be guessed at: bytes that are not UTF-8 text
// (CodeEncoding, the offset in Details), git's conflict markers outside fenced
// code (CodeMarkers), frontmatter that is not closed (Details "unclosed"), not
// YAML, not a mapping, has a key twice or is followed by a second block
// (CodeFrontmatter), and what is over the limits (CodeTooLarge).
func Parse(data []byte, lim memsync.Limits) (*Document, error) {
	if lim.SaveBytes > 0 && len(data) > lim.SaveBytes {
		return nil, tooLarge("the file", len(data), lim.SaveBytes, 1, 1)
	}
	if err := checkEncoding(data); err != nil {
		return nil, err
	}
	d := &Document{raw: data, lim: lim}
	if err := d.split(); err != nil {
		return nil, err
	}
	if err := d.checkMarkers(); err != nil {
		return nil, err
	}
	if !d.fm {
		return d, nil
	}
	if n := d.fmEnd - d.fmStart; lim.FrontmatterBytes > 0 && n > lim.FrontmatterBytes {
		line, col := position(data, d.fmStart+lim.FrontmatterBytes)
		return nil, tooLarge("the frontmatter", n, lim.FrontmatterBytes, line, col)
	}
	if err := d.readKeys(); err != nil {
		return nil, err
	}
	if err := d.checkSecondBlock(); err != nil {
		return nil, err
	}
	return d, nil
}

func tooLarge(what string, size, limit, line, col int) *memsync.Error {
	return &memsync.Error{
		Code:    memsync.CodeTooLarge,
		Message: fmt.Sprintf("%s has %d bytes, the limit is %d", what, size, limit),
		Line:    line, Column: col,
		Hint:    "split it into several memories, or raise the limit in memsync.toml under [limits]",
		Details: map[string]string{"size": strconv.Itoa(size), "limit": strconv.Itoa(limit)},
	}
}

// checkEncoding refuses what is not UTF-8 text.
func checkEncoding(data []byte) error {
	refuse := func(off int, what, hint string) error {
		line, col := position(data, off)
		return &memsync.Error{Code: memsync.CodeEncoding, Message: fmt.Sprintf("%s at byte %d", what, off), Line: line, Column: col,
			Hint: hint, Details: map[string]string{"offset": strconv.Itoa(off)}}
	}
	const convert = "save the file as UTF-8, e.g. `iconv -f UTF-16 -t UTF-8`"
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return refuse(0, "the file is UTF-16, its byte order mark", convert)
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		if i <= 1 && len(data)%2 == 0 && bytes.Count(data, []byte{0})*4 >= len(data) {
			return refuse(i, "the file looks like UTF-16 without a byte order mark, a NUL byte", convert)
		}
		return refuse(i, "a NUL byte", "remove it; a memory is text")
	}
	if utf8.Valid(data) {
		return nil
	}
	off := 0
	for off < len(data) {
		r, w := utf8.DecodeRune(data[off:])
		if r == utf8.RuneError && w == 1 {
			break
		}
		off += w
	}
	return refuse(off, "the file is not UTF-8, an invalid byte", "save the file as UTF-8, e.g. `iconv -f WINDOWS-1252 -t UTF-8`")
}

// split finds the frontmatter block and the body.
func (d *Document) split() error {
	raw := d.raw
	start := 0
	if bytes.HasPrefix(raw, utf8BOM) {
		start = len(utf8BOM)
	}
	d.after, d.body = start, start
	open, ok := fence(raw, start)
	d.eol = lineEnd(raw, start)
	if !ok {
		return nil
	}
	end, after, ok := closingFence(raw, open)
	if !ok {
		line, col := position(raw, start)
		return &memsync.Error{Code: memsync.CodeFrontmatter, Message: "the frontmatter is not closed", Line: line, Column: col,
			Hint:    "add a line `---` after the last key; where the first line is meant as a rule, put an empty line above it",
			Details: map[string]string{"unclosed": "true"}}
	}
	d.fm, d.fmStart, d.fmEnd, d.after, d.body = true, open, end, after, after
	switch {
	case bytes.HasPrefix(raw[after:], []byte("\n")):
		d.body = after + 1
	case bytes.HasPrefix(raw[after:], []byte("\r\n")):
		d.body = after + 2
	}
	return nil
}

// fence reports whether the line at i is `---` with nothing but blanks behind
// it, and where the next line begins.
func fence(raw []byte, i int) (next int, ok bool) {
	if i+3 > len(raw) || raw[i] != '-' || raw[i+1] != '-' || raw[i+2] != '-' {
		return 0, false
	}
	for j := i + 3; j < len(raw); j++ {
		switch raw[j] {
		case ' ', '\t':
		case '\n':
			return j + 1, true
		case '\r':
			if j+1 < len(raw) && raw[j+1] == '\n' {
				return j + 2, true
			}
			return 0, false
		default:
			return 0, false
		}
	}
	return len(raw), true
}

// closingFence finds the first fence line from i on.
func closingFence(raw []byte, i int) (at, after int, ok bool) {
	for i < len(raw) {
		if next, ok := fence(raw, i); ok {
			return i, next, true
		}
		nl := bytes.Index(raw[i:], []byte("\n---"))
		if nl < 0 {
			break
		}
		i += nl + 1
	}
	return 0, 0, false
}

// lineEnd is the line end of the line at i; LF where the file has none.
func lineEnd(raw []byte, i int) string {
	if nl := bytes.IndexByte(raw[i:], '\n'); nl > 0 && raw[i+nl-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// readKeys parses the block, by the fast path where it will have it.
func (d *Document) readKeys() error {
	if keys, ok := readFast(string(d.raw[d.fmStart:d.fmEnd]), d.fmStart); ok {
		d.keys = keys
		return nil
	}
	res, f := readSlow(d.raw, d.fmStart, d.fmEnd)
	if f != nil {
		line, col := position(d.raw, d.fmStart+f.at)
		return &memsync.Error{Code: memsync.CodeFrontmatter, Message: f.msg, Line: line, Column: col, Hint: f.hint, Details: f.details}
	}
	d.keys, d.rootFlow, d.bad = res.keys, res.rootFlow, res.bad
	return nil
}

// checkSecondBlock refuses a block that follows the first at once and is a
// mapping too: nobody can tell which one is meant. Any other `---` in a body is
// a rule, and so is one before more text than frontmatter may have.
func (d *Document) checkSecondBlock() error {
	open, ok := fence(d.raw, d.after)
	if !ok {
		return nil
	}
	end, _, ok := closingFence(d.raw, open)
	if !ok {
		return nil
	}
	if most := max(d.lim.FrontmatterBytes, memsync.DefaultLimits().FrontmatterBytes); end-open > most || !isMapping(string(d.raw[open:end])) {
		return nil
	}
	line, col := position(d.raw, d.after)
	return &memsync.Error{Code: memsync.CodeFrontmatter, Message: "a second frontmatter block follows the first", Line: line, Column: col,
		Hint:    "keep one of the two blocks; where the second is text, put an empty line above its first `---`",
		Details: map[string]string{"second_block": "true"}}
}
