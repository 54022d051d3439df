package lint

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"memsync"
	"memsync/controller"
	"memsync/internal/format"
	"memsync/internal/text"
)

// memory judges a memory or a log by itself.
func (c *Checker) memory(r *Report, s *source) {
	trusted := r.scope.Writers == memsync.People || r.scope.Writers == ""
	log := r.Class == format.LogFile
	if bad := controller.CheckName(r.Path, c.state); bad != nil && bad.Code == memsync.CodePathInvalid {
		r.find(memsync.Finding{Code: memsync.FindNotPortable, Severity: memsync.Severe, Message: bad.Message, Hint: "rename the file"}, "")
		r.held = true
	} else if reason, e := unportable(r.Path); e != nil {
		r.find(memsync.Finding{Code: memsync.FindNotPortable, Severity: warn, Message: "this name cannot exist on every system: " + e.Message,
			Hint: "rename the file"}, reason)
	}
	if limit := c.policy.Limits.SaveBytes; limit > 0 && (r.Size > int64(limit) || len(r.Data) > limit) {
		r.held = true
		found := r.find(memsync.Finding{Code: TooLarge, Severity: bad, Line: 1, Column: 1,
			Message: fmt.Sprintf("the file has %d bytes, the limit is %d", max(r.Size, int64(len(r.Data))), limit),
			Hint:    "split it into several memories, or raise limits.save_bytes in memsync.toml"}, "")
		found.EndLine, found.EndColumn = 1, 2 // the same whether its bytes were read or not
		return
	}
	doc, err := format.Parse(r.Data, c.policy.Limits)
	r.hits = controller.FileHits(r.Path, s.text, doc, c.state)
	if errors.Is(err, memsync.CodeEncoding) { // UTF-16 has a NUL in every other byte
		r.hits = slices.DeleteFunc(r.hits, func(h controller.Hit) bool { return h.Kind != "secret" })
	}
	r.scanned(trusted, doc, s)
	if err != nil {
		r.held = true
		r.refused(err)
		return
	}
	r.Memory = format.Header(doc, r.Path, r.scope)
	recovered := doc.RecoveredFixes()
	if doc.FixRecovered() == doc {
		recovered = nil // quoting them would change what is read
	}
	for _, f := range format.Check(doc, r.Path, r.scope) {
		found := r.find(f, aboutOf(doc, f))
		switch f.Code {
		case memsync.FindFrontmatterRecovered:
			if len(recovered) > 0 {
				e := recovered[0]
				recovered = recovered[1:]
				found.EndLine, found.EndColumn = s.place(e.To)
				found.Fix = &Fix{"put the value in quotes", []Edit{{e.From, e.To, e.Text}}}
			}
		case memsync.FindMixedLineEnds:
			if fix := oneLineEnd(r.Data); !log {
				found.Line, found.Column = s.place(fix.Edits[0].Start)
				if !bytes.Contains(r.Data, []byte("\r\r\n")) { // one CR less would still be a CRLF
					found.Fix = fix
				}
			}
		}
	}
	c.keys(r, doc, s)
	c.target(r, doc, s)
	c.prose(r, doc, s)
	if !log {
		c.shape(r, doc, s)
	}
	if f, ok := controller.RejectedIn(r.Memory, doc.Body(), r.scope.Dir, c.state); ok {
		f.Line, f.Column = s.place(doc.BodyStart())
		r.find(f, "")
	}
}

// unportable says why a name can't exist on every system.
func unportable(p memsync.Path) (reason string, e *memsync.Error) {
	if plainName(p) || !errors.As(format.CheckPath(p), &e) || e.Code != memsync.CodePathInvalid {
		return "", nil
	}
	if reason = e.Details["reason"]; reason == "dash" || reason == "hidden" {
		return "", nil
	}
	return reason, e
}

// plainName is the cheap answer for most names: small letters, digits, dashes
// and underscores, in parts that are longer than a device's name of such.
func plainName(p memsync.Path) bool {
	const device = len("lpt1")
	part := 0 // letters since the last slash
	for i := range len(p) {
		switch c := p[i]; {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' && part > 0:
			part++
		case c == '/' && part > device:
			part = 0
		case c == '.' && part > device:
			return p[i:] == ".md" && len(p) < 200
		default:
			return false
		}
	}
	return false
}

// refused tells why a file does not parse.
func (r *Report) refused(err error) {
	var e *memsync.Error
	if !errors.As(err, &e) {
		e = &memsync.Error{Code: memsync.CodeFrontmatter, Message: err.Error(), Line: 1}
	}
	code := BadFrontmatter
	switch {
	case e.Code == memsync.CodeEncoding:
		code = NotText
	case e.Code == memsync.CodeMarkers:
		code = ConflictMarkers
	case e.Code == memsync.CodeTooLarge:
		code = FrontmatterLarge
	case e.Details["unclosed"] != "":
		code = OpenFrontmatter
	case e.Details["second_block"] != "":
		code = SecondBlock
	case e.Details["second_line"] != "":
		code = DuplicateKey
	}
	r.find(memsync.Finding{Code: code, Severity: bad, Line: e.Line, Column: e.Column, Message: e.Message, Hint: e.Hint}, "")
}

// aboutOf is what a finding of the format is about.
func aboutOf(doc *format.Document, f memsync.Finding) string {
	for _, k := range doc.Keys() {
		if k.Line == f.Line {
			return k.Name
		}
	}
	return ""
}

// lineEnd is the line end that most lines have; LF where neither has more.
func lineEnd(data []byte) string {
	if bytes.Count(data, []byte("\r\n"))*2 > bytes.Count(data, []byte("\n")) {
		return "\r\n"
	}
	return "\n"
}

// oneLineEnd gives every line the line end that most of them have; LF where
// neither has more.
func oneLineEnd(data []byte) *Fix {
	toCRLF := lineEnd(data) == "\r\n"
	fix := &Fix{Message: "end every line in LF"}
	if toCRLF {
		fix.Message = "end every line in CRLF"
	}
	for i, b := range data {
		if b != '\n' {
			continue
		}
		switch has := i > 0 && data[i-1] == '\r'; {
		case has && !toCRLF:
			fix.Edits = append(fix.Edits, Edit{i - 1, i, ""})
		case !has && toCRLF:
			fix.Edits = append(fix.Edits, Edit{i, i, "\r"})
		}
	}
	return fix
}

// keys notes the places of those keys that the whole may find fault with, and
// judges what two of them say together.
func (c *Checker) keys(r *Report, doc *format.Document, s *source) {
	m := r.Memory
	note := func(key string) {
		from, to, ok := doc.Span(key)
		if !ok {
			return
		}
		r.at = append(r.at, keySpot{key, s.span(from, to)})
	}
	if m.ID != "" {
		if from, to, ok := doc.LineSpan("id"); ok {
			r.id = Edit{from, to, ""}
		}
		note("id")
	}
	if m.Key != "" {
		note("key")
	}
	if m.Supersedes != "" {
		note("supersedes")
	}
	if len(m.Aliases) > 0 {
		note("aliases")
	}
	if len(m.Links) > 0 {
		note("links")
		at, _ := r.place("links")
		for _, id := range m.Links {
			r.links = append(r.links, link{id, at})
		}
	}
	if !m.ValidFrom.IsZero() && !m.ValidUntil.IsZero() && m.ValidUntil.Before(m.ValidFrom) {
		note("valid_until")
		at, _ := r.place("valid_until")
		r.find(memsync.Finding{Code: ValidRange, Severity: warn, Message: "valid_until is before valid_from: it is never in force", Hint: "correct one of the two dates"},
			"valid_until").put(at)
	}
	for _, key := range []string{"name", "title", "description", "hook"} {
		v, ok := doc.Get(key)
		if !ok || v.IsList {
			continue
		}
		if what := hostile(v.Text); what != "" {
			from, to, _ := doc.Span(key)
			r.find(memsync.Finding{Code: HostileEntry, Severity: warn, Message: key + " " + what + "; MEMORY.md shows it as plain text on one line",
				Hint: "write one plain line"}, key).put(s.span(from, to))
		}
	}
	if v, ok := doc.Get("description"); ok && v.Text != "" && (text.Fold(v.Text) == m.SortKey || format.Slug(v.Text) == m.Slug) {
		from, to, _ := doc.Span("description")
		r.find(memsync.Finding{Code: EmptyDescription, Severity: info, Message: "the description says the name again, and nothing about the content",
			Hint: "say in one line what a reader learns"}, "description").put(s.span(from, to))
	}
}

// hostile says how a one-line value looks like MEMORY.md's own syntax.
func hostile(value string) string {
	switch {
	case strings.Contains(value, "<!-- memsync:"):
		return "holds a marker of the generated list"
	case !strings.ContainsAny(strings.TrimSpace(value), "\n\r\u2028\u2029\u0085\v\f"):
		return ""
	}
	for _, line := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("\n\r\u2028\u2029\u0085\v\f", r) })[1:] {
		t := strings.TrimSpace(line)
		if strings.HasPrefix(t, "- ") || strings.HasPrefix(t, "* ") || strings.HasPrefix(t, "#") || strings.HasPrefix(t, "[") || strings.HasPrefix(t, "<!--") {
			return "has a second line that looks like an entry or a heading"
		}
	}
	return ""
}

// shape judges what a log is free of: how the file ends, and that it says
// something.
func (c *Checker) shape(r *Report, doc *format.Document, s *source) {
	data := r.Data
	if n := len(data); n > 0 && data[n-1] != '\n' {
		at := s.span(n, n)
		r.find(memsync.Finding{Code: NoFinalNewline, Severity: info, Message: "the last line has no line end", Hint: "end the file with a line end"}, "").put(at)
		if data[n-1] != '\r' { // an LF would make a CRLF of it, and another line of the last one
			r.Findings[len(r.Findings)-1].Fix = &Fix{"end the last line", []Edit{{n, n, lineEnd(data)}}}
		}
	}
	if strings.TrimSpace(s.text[doc.BodyStart():]) == "" {
		line, _ := s.place(min(doc.BodyStart(), max(len(data)-1, 0)))
		r.find(memsync.Finding{Code: Empty, Severity: warn, Line: line, Column: 1, Message: "there is no text: the memory says nothing", Hint: "write it, or remove the file"}, "")
	}
}
