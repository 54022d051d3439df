package format

import (
	"bytes"
	"path"
	"strings"
)

// IndexLink is a link to a Markdown file in a MEMORY.md.
type IndexLink struct {
	Line   int    // 1-based
	Label  string // link text, escapes undone; the alias of a [[target|alias]]
	Target string // escapes undone, without title and #fragment, cleaned: "sub/a b.md"; of a [[target]] as written
	Wiki   bool   // [[target]]: a name or a file stem, to be resolved by whoever knows the memories
}

// Longer labels and targets are not looked at, so that a line of a million
// brackets costs no more than its length.
const (
	maxLinkLabel  = 2000
	maxLinkTarget = 4096
)

// appendLinks adds the links of one line: `[text](file.md)` in any place of
// it, and `[[name]]`. What stands in code spans, comments on the line and
// images is no link, nor is an address with a scheme or an absolute path.
func appendLinks(links []IndexLink, line []byte, number int) []IndexLink {
	if bytes.IndexByte(line, '[') < 0 {
		return links
	}
	noWiki, noComment := false, false // nothing closes them further on
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == '\\':
			i += 2
			continue
		case c == '`':
			i = skipCode(line, i)
			continue
		case c == '<' && !noComment && bytes.HasPrefix(line[i:], []byte("<!--")):
			if n := bytes.Index(line[i:], []byte("-->")); n >= 0 {
				i += n + 3
				continue
			}
			noComment = true
		case c == '[' && !noWiki && i+1 < len(line) && line[i+1] == '[':
			n := bytes.Index(line[i:], []byte("]]"))
			if n < 0 {
				noWiki = true
				break
			}
			if i+n+2 < len(line) && line[i+n+2] == '(' {
				break // [[text]](target): a link whose text has brackets
			}
			if l, ok := wikiLink(string(line[i+2 : i+n])); ok {
				l.Line = number
				links = append(links, l)
			}
			i += n + 2
			continue
		}
		if line[i] == '[' {
			if label, written, next, ok := inlineLink(line, i); ok {
				image := i > 0 && line[i-1] == '!'
				if target, md := MarkdownTarget(written); md && !image {
					links = append(links, IndexLink{Line: number, Label: unescape(label), Target: target})
				}
				i = next
				continue
			}
		}
		i++
	}
	return links
}

// skipCode is the place after the code span that starts at i, or after its
// backticks when nothing closes it on this line.
func skipCode(line []byte, i int) int {
	n := 0
	for i+n < len(line) && line[i+n] == '`' {
		n++
	}
	for j := i + n; j < len(line); {
		if line[j] != '`' {
			j++
			continue
		}
		m := 0
		for j+m < len(line) && line[j+m] == '`' {
			m++
		}
		if m == n {
			return j + m
		}
		j += m
	}
	return i + n
}

func wikiLink(inner string) (IndexLink, bool) {
	target, alias, _ := strings.Cut(inner, "|")
	target, _, _ = strings.Cut(target, "#")
	target = strings.TrimSpace(target)
	return IndexLink{Label: strings.TrimSpace(alias), Target: target, Wiki: true}, target != ""
}

// inlineLink reads [label](target) at i. The target may hold spaces: people
// write it so, though Markdown wants it otherwise.
func inlineLink(line []byte, i int) (label, target string, next int, ok bool) {
	depth, j := 0, i
	limit := min(len(line), i+maxLinkLabel)
label:
	for ; j < limit; j++ {
		switch line[j] {
		case '\\':
			j++
		case '`':
			j = skipCode(line, j) - 1
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				break label
			}
		}
	}
	if j+1 >= limit || line[j+1] != '(' {
		return "", "", 0, false
	}
	label = string(line[i+1 : j])
	start := j + 2
	line = line[:min(len(line), start+maxLinkTarget)]
	if start < len(line) && line[start] == '<' {
		n := bytes.IndexByte(line[start:], '>')
		if n < 0 {
			return "", "", 0, false
		}
		end := bytes.IndexByte(line[start+n:], ')')
		if end < 0 {
			return "", "", 0, false
		}
		return label, string(line[start+1 : start+n]), start + n + end + 1, true
	}
	depth = 1
	for j = start; j < len(line); j++ {
		switch line[j] {
		case '\\':
			j++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return label, withoutTitle(string(line[start:j])), j + 1, true
			}
		}
	}
	return "", "", 0, false
}

// withoutTitle drops the title of `file.md "title"`.
func withoutTitle(s string) string {
	s = strings.TrimSpace(s)
	for _, q := range [...]string{`"`, "'"} {
		if len(s) > 2 && strings.HasSuffix(s, q) {
			if i := strings.Index(s, " "+q); i > 0 && i+2 < len(s) {
				return strings.TrimSpace(s[:i])
			}
		}
	}
	return s
}

// MarkdownTarget turns the target of a link, as written, into the relative
// path that it means; ok is false for anything but a relative path to a .md
// file.
func MarkdownTarget(written string) (target string, ok bool) {
	s, _, _ := strings.Cut(written, "#")
	if strings.HasPrefix(s, "/") || strings.Contains(s, "://") {
		return "", false
	}
	s = percentDecode(unescape(s))
	if len(s) < 4 || !strings.EqualFold(s[len(s)-3:], ".md") || strings.HasPrefix(s, "/") {
		return "", false
	}
	return path.Clean(s), true
}

func percentDecode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, lo := unhex(s[i+1]), unhex(s[i+2])
			if hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
