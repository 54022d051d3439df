package merge

import (
	"bytes"
	"strings"
)

const bom = "\xef\xbb\xbf"

// text is a file taken apart into lines and the three properties that lines do
// not show. Joining it again gives the same bytes, unless line ends were mixed.
type text struct {
	lines []string // without line ends
	bom   bool
	crlf  bool // most lines end in CRLF
	open  bool // the last line has no line end
}

func split(data []byte) text {
	var t text
	s := string(data)
	s, t.bom = strings.CutPrefix(s, bom)
	if s == "" {
		return t
	}
	t.open = s[len(s)-1] != '\n'
	n, crlf := strings.Count(s, "\n"), strings.Count(s, "\r\n")
	t.crlf = crlf*2 > n
	t.lines = make([]string, 0, n+1)
	for s != "" {
		line, rest, ended := strings.Cut(s, "\n")
		if ended {
			line = strings.TrimSuffix(line, "\r")
		}
		t.lines = append(t.lines, line)
		s = rest
	}
	return t
}

func (t text) bytes() []byte {
	end := "\n"
	if t.crlf {
		end = "\r\n"
	}
	size := len(bom)
	for _, l := range t.lines {
		size += len(l) + len(end)
	}
	out := make([]byte, 0, size)
	if t.bom {
		out = append(out, bom...)
	}
	for i, l := range t.lines {
		out = append(out, l...)
		if i < len(t.lines)-1 || !t.open || l == "" {
			out = append(out, end...)
		}
	}
	return out
}

// manners gives the joined text its BOM, line ends and final line end: what
// both sides have, else what one of them changed, else (no base) the later's.
func (t *text) manners(base *text, earlier, later text) {
	pick := func(b *bool, x, y bool) bool {
		if x == y || b == nil || *b != y {
			return y
		}
		return x
	}
	var bb, bc, bo *bool
	if base != nil {
		bb, bo = &base.bom, &base.open
		if len(base.lines) > 0 {
			bc = &base.crlf
		}
	}
	t.bom = pick(bb, earlier.bom, later.bom)
	t.crlf = pick(bc, earlier.crlf, later.crlf)
	t.open = pick(bo, earlier.open, later.open)
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

// AddedLines are the lines that now has more often than base, in order; blank
// ones do not count, line ends do not matter, a moved line is not an added
// one. Controller rule 4 asks with it whether a save has seen what others
// wrote.
func AddedLines(base, now []byte) []string {
	if bytes.Equal(base, now) {
		return nil
	}
	had := map[string]int{}
	for _, l := range split(base).lines {
		had[l]++
	}
	var added []string
	for _, l := range split(now).lines {
		if blank(l) {
			continue
		}
		if had[l] > 0 {
			had[l]--
			continue
		}
		added = append(added, l)
	}
	return added
}
