package format

import (
	"strings"

	"memsync"
)

// WithBody replaces the text after the frontmatter, keeping BOM, line ends and
// the empty line after the block. Lines that the old and the new text share at
// the beginning and at the end keep their bytes, so that WithBody(Body()) is
// the same file whatever its line ends are. A final newline is added unless the
// old text had none either.
func (d *Document) WithBody(body string) (*Document, error) {
	if err := checkValue("body", memsync.Text(body)); err != nil {
		return nil, err
	}
	if body == d.Body() {
		return d, nil
	}
	for strings.Contains(body, "\r\n") {
		body = strings.ReplaceAll(body, "\r\n", "\n")
	}
	old := string(d.raw[d.body:])
	if body != "" && !strings.HasSuffix(body, "\n") && (old == "" || strings.HasSuffix(old, "\n")) {
		body += "\n"
	}
	var b strings.Builder
	b.Grow(d.body + len(body) + 8)
	b.Write(d.raw[:d.body])
	if d.fm && body != "" {
		if d.body == d.after && !strings.HasSuffix(string(d.raw[:d.body]), "\n") {
			b.WriteString(d.eol) // the closing fence ended the file
		}
		if d.body == d.after && (old == "" || strings.HasPrefix(body, "\n")) {
			b.WriteString(d.eol)
		}
	}
	b.WriteString(d.respell(old, body))
	raw := b.String()
	out, err := Parse([]byte(raw), memsync.Limits{})
	if err != nil {
		return nil, err
	}
	if out.fm != d.fm || out.Body() != body || !sameTree(d.keys, out.keys, true) {
		return nil, &memsync.Error{Code: memsync.CodeFrontmatter, Message: "the text would be read as frontmatter", Line: out.BodyLine(), Column: 1,
			Hint: "begin it with something else than a `---` line"}
	}
	out.lim = d.lim
	return out, nil
}

// respell writes body with the line ends of old where its lines are the same,
// and with the file's elsewhere.
func (d *Document) respell(old, body string) string {
	if !strings.Contains(old, "\r\n") {
		if d.eol == "\n" {
			return body
		}
		if old != "" && strings.Contains(old, "\n") {
			return body // CRLF in the block only
		}
	}
	was, now := strings.SplitAfter(old, "\n"), strings.SplitAfter(body, "\n")
	same := func(a, b string) bool {
		return a == b || strings.TrimSuffix(a, "\r\n")+"\n" == b && strings.HasSuffix(a, "\r\n")
	}
	p := 0
	for p < len(was) && p < len(now) && same(was[p], now[p]) {
		p++
	}
	s := 0
	for s < len(was)-p && s < len(now)-p && same(was[len(was)-1-s], now[len(now)-1-s]) {
		s++
	}
	var b strings.Builder
	for _, l := range was[:p] {
		b.WriteString(l)
	}
	eol := d.eol
	if strings.Contains(old, "\n") {
		eol = lineEnd([]byte(old), 0)
	}
	for _, l := range now[p : len(now)-s] {
		if eol == "\r\n" && strings.HasSuffix(l, "\n") {
			l = l[:len(l)-1] + eol
		}
		b.WriteString(l)
	}
	for _, l := range was[len(was)-s:] {
		b.WriteString(l)
	}
	return b.String()
}
