package format

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// eachProse calls f with the lines of a Markdown body that are outside fenced
// code, without their line ends, until f returns false.
func eachProse(body string, f func(line string) bool) {
	var fences fenceScanner
	for line := range strings.Lines(body) {
		fences.line(line)
		if fences.inside {
			continue
		}
		if !f(strings.TrimRight(line, "\r\n")) {
			return
		}
	}
}

// firstHeading is the text of the first `#` heading outside code, "" for none.
func firstHeading(body string) (out string) {
	eachProse(body, func(line string) bool {
		out = heading(line)
		return out == ""
	})
	return out
}

// heading is the text of an ATX heading, "" for any other line.
func heading(line string) string {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 {
		return ""
	}
	rest := strings.TrimLeft(s, "#")
	n := len(s) - len(rest)
	if n == 0 || n > 6 || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
		return ""
	}
	rest = strings.TrimSpace(rest)
	if t := strings.TrimRight(rest, "#"); t == "" || strings.HasSuffix(t, " ") {
		rest = strings.TrimSpace(t)
	}
	return oneLine(strings.ReplaceAll(rest, "**", ""))
}

// firstSentence is the first sentence of the first paragraph of a body, on one
// line, at most limit characters.
func firstSentence(body string, limit int) string {
	var b strings.Builder
	comment := false
	eachProse(body, func(line string) bool {
		s := strings.TrimSpace(line)
		if comment {
			comment = !strings.Contains(s, "-->")
			return true
		}
		item := strings.HasPrefix(s, "- ") || strings.HasPrefix(s, "* ") || strings.HasPrefix(s, "+ ")
		if s == "" || heading(line) != "" || strings.HasPrefix(s, "|") || strings.HasPrefix(s, "<") || rule(s) {
			comment = strings.HasPrefix(s, "<!--") && !strings.Contains(s, "-->")
			return b.Len() == 0
		}
		if item && b.Len() > 0 {
			return false
		}
		if item {
			s = strings.TrimSpace(s[2:])
			for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
				s = strings.TrimPrefix(s, box)
			}
		}
		s = strings.TrimSpace(strings.TrimLeft(s, ">"))
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s)
		return b.Len() < 8*limit
	})
	s := oneLine(strings.NewReplacer("**", "", "[[", "", "]]", "").Replace(b.String()))
	if end := sentenceEnd(s); end > 0 {
		s = s[:end]
	}
	return capped(s, limit)
}

// rule reports whether a line is a thematic break or a heading's underline.
func rule(s string) bool {
	return len(s) >= 3 && (strings.Trim(s, "- ") == "" || strings.Trim(s, "* ") == "" || strings.Trim(s, "_ ") == "" || strings.Trim(s, "=") == "")
}

// sentenceEnd is the offset after the first full stop, question or exclamation
// mark that ends a sentence; 0 where there is none. A stop after a single letter
// or before a small one ends an abbreviation, not a sentence.
func sentenceEnd(s string) int {
	for i, r := range s {
		switch r {
		case '。', '！', '？', '।', '۔', '؟':
			return i + utf8.RuneLen(r)
		case '.', '!', '?':
			rest := s[i+1:]
			after := strings.TrimLeft(rest, `"'”’)»`)
			if after == "" {
				return 0
			}
			if after[0] != ' ' {
				continue
			}
			next, _ := utf8.DecodeRuneInString(after[1:])
			if r == '.' && (unicode.IsLower(next) || unicode.IsDigit(next) || initial(s[:i])) {
				continue
			}
			return i + 1 + len(rest) - len(after)
		}
	}
	return 0
}

// initial reports whether s ends in a word of one letter.
func initial(s string) bool {
	r, w := utf8.DecodeLastRuneInString(s)
	if !unicode.IsLetter(r) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:len(s)-w])
	return len(s) == w || before == ' ' || before == '('
}

// capped cuts s to limit characters, the last of them an ellipsis; never
// inside a character or in front of a combining mark.
func capped(s string, limit int) string {
	if limit <= 0 || utf8.RuneCountInString(s) <= limit {
		return s
	}
	n := 0
	for i, r := range s {
		if n >= limit-1 && !unicode.Is(unicode.M, r) {
			return strings.TrimRight(s[:i], " ") + "…"
		}
		n++
	}
	return s
}
