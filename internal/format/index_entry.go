package format

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IndexEntry is one line of the generated region:
// `- [Label](target) — Text`, without the dash when there is no text.
type IndexEntry struct {
	Label  string
	Target string // relative path, or, read from a file, what MarkdownTarget makes of it
	Text   string
}

// MaxIndexLabel is where a title is cut in MEMORY.md, in code points. No
// source: half a screen line more than any of 774 names in the wild.
const MaxIndexLabel = 120

// AppendIndexEntry writes an entry, without a line end, whatever its strings
// hold: it stays one line, and nothing in it can pass for a marker, a heading
// or a second link. Text longer than max code points is cut before a whole
// character and ends in "…"; 0 means uncut. split is where in dst the target
// begins, for callers that put a prefix before it.
func AppendIndexEntry(dst []byte, e IndexEntry, max int) (out []byte, split int) {
	dst = append(dst, "- ["...)
	dst = appendLine(dst, e.Label, MaxIndexLabel, true)
	dst = append(dst, "]("...)
	split = len(dst)
	dst = AppendTarget(dst, e.Target)
	dst = append(dst, ')')
	mark := len(dst)
	dst = append(dst, entryDash...)
	from := len(dst)
	dst = appendLine(dst, e.Text, max, false)
	if len(dst) == from {
		dst = dst[:mark]
	}
	return dst, split
}

const entryDash = " — "

// ParseIndexEntry reads a line of that shape, escapes undone. It also takes
// what people's editing makes of the dash: "-", "–", "--", ":", none at all.
// ok is false for any other line, such as one that is indented or decorated.
func ParseIndexEntry(line string) (e IndexEntry, ok bool) {
	if !strings.HasPrefix(line, "- [") {
		return e, false
	}
	label, written, next, ok := inlineLink([]byte(line), 2)
	if !ok {
		return e, false
	}
	e.Label = unescape(label)
	if e.Target, ok = MarkdownTarget(written); !ok {
		return e, false
	}
	rest := line[next:]
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' && rest[0] != ':' {
		return e, false
	}
	rest = strings.TrimSpace(rest)
	for _, dash := range [...]string{"—", "–", "--", "-", ":"} {
		if after, found := strings.CutPrefix(rest, dash); found && (after == "" || after[0] == ' ' || after[0] == '\t') {
			rest = strings.TrimSpace(after)
			break
		}
	}
	e.Text = unescape(rest)
	return e, true
}

// OneLine is s as one line of visible text: white space of any kind becomes
// single spaces, control characters and invisible ones that can disguise a
// text go, broken UTF-8 is shown as U+FFFD, and what is longer than max code
// points (0: any) is cut before a whole character and ends in "…".
func OneLine(s string, max int) string {
	if plainLine(s, max) {
		return s
	}
	return string(appendOneLine(nil, s, max))
}

func appendOneLine(dst []byte, s string, max int) []byte {
	if plainLine(s, max) {
		return append(dst, s...)
	}
	start, cut, count := len(dst), len(dst), 0
	space, joined := false, false
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		i += n
		switch {
		case r == ' ' || '\t' <= r && r <= '\r' || r >= 0x80 && unicode.IsSpace(r):
			space = len(dst) > start
			continue
		case r < 0x20 || 0x7f <= r && r < 0xa0 || r >= 0xad && invisible(r):
			continue
		}
		if max > 0 {
			if count < max && (space || r < utf8.RuneSelf || !joined && !extends(r)) {
				cut = len(dst) // a whole character ends here, and there is room for "…"
			}
			joined = r == 0x200d
		}
		if space {
			dst = append(dst, ' ')
			count++
			space = false
		}
		dst = utf8.AppendRune(dst, r)
		if count++; max > 0 && count > max {
			for cut > start && dst[cut-1] == ' ' {
				cut--
			}
			return append(dst[:cut], "…"...)
		}
	}
	return dst
}

// plainLine reports whether OneLine would change nothing; it may say no when
// the answer is yes.
func plainLine(s string, max int) bool {
	if max > 0 && len(s) > max && utf8.RuneCountInString(s) > max {
		return false
	}
	last := byte(' ')
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < ' ' || c >= 0x7f || c == ' ' && last == ' ' {
			return false
		}
		last = c
	}
	return s == "" || last != ' '
}

// invisible are the format characters that hide or reorder text. Joiners stay:
// Persian and emoji need them.
func invisible(r rune) bool {
	switch {
	case r == 0xad, r == 0x61c, r == 0x180e, r == 0x200b, r == 0x200e, r == 0x200f, r == 0xfeff:
		return true
	case 0x202a <= r && r <= 0x202e, 0x2060 <= r && r <= 0x206f, 0xfff9 <= r && r <= 0xfffb, 0xe0000 <= r && r <= 0xe007f:
		return true
	}
	return false
}

// extends reports whether r belongs to the character before it.
func extends(r rune) bool {
	return r >= 0x300 && (r == 0x200d || r == 0x200c || unicode.Is(unicode.M, r) || 0x1f3fb <= r && r <= 0x1f3ff)
}

// appendLine writes s as one line in which Markdown finds no link, no code
// span that could swallow the entry's own link, and no HTML.
func appendLine(dst []byte, s string, max int, label bool) []byte {
	start := len(dst)
	dst = appendOneLine(dst, s, max)
	if !bytes.ContainsAny(dst[start:], "\\[]<>`") {
		return dst
	}
	s = string(dst[start:])
	dst = dst[:start]
	for i := 0; i < len(s); i++ {
		c := s[i]
		var before, after byte
		if i > 0 {
			before = s[i-1]
		}
		if i+1 < len(s) {
			after = s[i+1]
		}
		escape := false
		switch c {
		case '\\':
			escape = i+1 == len(s) || punctuation(after)
		case '[':
			escape = label || after == '[' || before == '[' || before == ']'
		case ']':
			escape = label || after == '(' || after == '['
		case '(':
			escape = before == ']'
		case '<':
			escape = letter(after) || after == '/' || after == '!' || after == '?'
		case '>':
			escape = i >= 2 && s[i-2:i] == "--"
		case '`':
			escape = label
		}
		if escape {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return dst
}

// unescape undoes Markdown's backslashes.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && punctuation(s[i+1]) {
			i++
		}
		out = append(out, s[i])
	}
	return string(out)
}

func punctuation(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// AppendTarget writes a relative path as the target of a link. Letters of any
// script stay readable; what could end the target, start something else or be
// taken for a scheme, and what cannot be seen, is percent-escaped.
func AppendTarget(dst []byte, rel string) []byte {
	const hex = "0123456789ABCDEF"
	for i := 0; i < len(rel); {
		r, n := utf8.DecodeRuneInString(rel[i:])
		if n == 1 && r != utf8.RuneError && targetPlain[rel[i]] || n > 1 && unicode.IsGraphic(r) && !unicode.IsSpace(r) {
			dst = append(dst, rel[i:i+n]...)
		} else {
			for _, c := range []byte(rel[i : i+n]) {
				dst = append(dst, '%', hex[c>>4], hex[c&15])
			}
		}
		i += n
	}
	return dst
}

var targetPlain = func() (plain [256]bool) {
	for c := byte('!'); c < 0x7f; c++ {
		plain[c] = !strings.ContainsRune("\"#%&()*:<>?[\\]^`{|}", rune(c))
	}
	return plain
}()
