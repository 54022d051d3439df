package lint

import (
	"errors"
	"strings"

	"memsync"
	"memsync/compose"
	"memsync/internal/format"
)

// proposed judges by itself what a memory says about its place in a composition:
// whether target and payload can be read, and whether they say all that a promotion
// needs.
func proposed(m *memsync.Memory, body string) (out []noted) {
	tell := func(key, code, message, hint string) {
		out = append(out, noted{Finding: memsync.Finding{Code: code, Severity: warn, Path: m.Path, Message: message, Hint: hint}, key: key, about: key})
	}
	s, err := compose.SnapshotOf(m, body)
	if err != nil {
		var e *memsync.Error
		if !errors.As(err, &e) {
			e = &memsync.Error{Message: err.Error()}
		}
		tell(e.Details["key"], BadTarget, e.Message, e.Hint)
		return out
	}
	switch s.Lacks() {
	case "":
	case "a text":
		tell("target", Unpromotable, "the memory has no text to stand in the prompt", "write it, or take the target out")
	default:
		tell("target", Unpromotable, "the target needs a payload: the memory is valid, and is never promoted without", "write a payload, see `memsync rules "+Unpromotable+"`")
	}
	if s.Target.OneLine() && blocks(body) > 1 {
		tell("target", Collapsed, "the text has several paragraphs or entries, and stands in the prompt as one line", "say one thing, or split the memory")
	}
	return out
}

// blocks counts the paragraphs, entries of lists and headings of a text.
func blocks(body string) (n int) {
	lines, _ := format.Lines([]byte(body), 0)
	inside := false
	for _, l := range lines {
		t := strings.TrimSpace(l.Text)
		begins := strings.HasPrefix(t, "- ") || strings.HasPrefix(t, "* ") || strings.HasPrefix(t, "#") || strings.HasPrefix(t, "|")
		switch {
		case t == "":
			inside = false
		case !inside || begins && !l.Code:
			n++
			inside = l.Code || !strings.HasPrefix(t, "#") // a heading is one by itself
		}
	}
	return n
}

// target notes what a memory proposes, and where the file says it.
func (c *Checker) target(r *Report, doc *format.Document, s *source) {
	m := r.Memory
	if m.Target == "" && m.Payload == "" {
		return
	}
	r.body = doc.Body()
	place := func(key string) (spot, bool) {
		from, to, ok := doc.Span(key)
		if !ok {
			return spot{}, false
		}
		if to > from && s.text[to-1] == '\n' {
			to--
		}
		return s.span(from, to), true
	}
	for _, key := range []string{"target", "payload"} {
		if at, ok := place(key); ok {
			r.at = append(r.at, keySpot{key, at})
		}
	}
	for _, n := range proposed(m, r.body) {
		at, ok := place(n.key)
		if !ok {
			key, _, _ := strings.Cut(n.key, ".")
			at, ok = place(key)
		}
		if !ok {
			at, _ = place("target")
		}
		r.find(n.Finding, n.about).put(at)
	}
}
