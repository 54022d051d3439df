package format

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"memsync"
)

// Findings are what is worth telling about the file by itself, by place. Check
// adds what needs to know where the file is.
func (d *Document) Findings() []memsync.Finding {
	var out []memsync.Finding
	add := func(code string, sev memsync.Severity, at int, msg, hint string) {
		out = append(out, d.finding(code, sev, at, msg, hint))
	}
	top := d.fmStart
	if !d.fm {
		top = 0
	}
	d.leaves(func(name string, n *node) {
		if n.recovered {
			add(memsync.FindFrontmatterRecovered, memsync.Warning, n.at, "YAML would not read the value of "+name+" as it stands; it is taken to be the rest of the line",
				"put it in quotes: "+n.key+": "+requote(n.text))
		}
	})
	if d.title() == "" {
		add(memsync.FindNameMissing, memsync.Info, top, "no name: the first heading or the file name stands for it", "add `name: …`")
	}
	if d.text("description") == "" {
		add(memsync.FindDescriptionMissing, memsync.Info, top, "no description: the first sentence stands for it", "add `description: …`")
	}
	if t, word := d.memoryType(); t == memsync.Untyped {
		msg := "no type"
		if word != "" {
			msg = fmt.Sprintf("%q is none of the four types", clip(word))
		}
		at := top
		for _, k := range []string{"metadata.type", "type"} {
			if n := lookup(d.keys, k); n != nil {
				at = n.keyAt
			}
		}
		add(memsync.FindUntyped, memsync.Info, at, msg+": listed last, under other", "write `type: user`, feedback, project or reference")
	}
	for i := range d.keys {
		if n := &d.keys[i]; !knownKey(n.key) {
			add(memsync.FindUnknownKey, memsync.Info, n.keyAt, fmt.Sprintf("unknown key %q, kept as it is", clip(n.key)), "")
		}
	}
	if lines, size := bytes.Count(d.raw[d.body:], []byte("\n")), len(d.raw)-d.body; d.lim.BodyLines > 0 && lines > d.lim.BodyLines || d.lim.BodyBytes > 0 && size > d.lim.BodyBytes {
		add(memsync.FindSize, memsync.Warning, d.body, fmt.Sprintf("the text has %d lines and %d bytes; the limits for tools are %d and %d", lines, size, d.lim.BodyLines, d.lim.BodyBytes),
			"split it into several memories")
	}
	line, counted := 1, 0
	for _, at := range d.fenced { // there may be one a line: each is counted from the last
		line += bytes.Count(d.raw[counted:at], []byte("\n"))
		counted = at
		out = append(out, memsync.Finding{Code: memsync.FindMarkersFenced, Severity: memsync.Info, Line: line, Column: 1, Message: "a conflict marker of git's inside fenced code, taken for an example"})
	}
	out = append(out, d.typeFaults()...)
	if s := d.text("description"); d.lim.DescriptionChars > 0 && utf8.RuneCountInString(s) > d.lim.DescriptionChars {
		add(memsync.FindDescriptionLong, memsync.Warning, lookup(d.keys, "description").keyAt,
			fmt.Sprintf("the description has %d characters, the limit is %d", utf8.RuneCountInString(s), d.lim.DescriptionChars), "say it in one short line")
	}
	if all, crlf := bytes.Count(d.raw, []byte("\n")), bytes.Count(d.raw, []byte("\r\n")); crlf > 0 && crlf < all {
		add(memsync.FindMixedLineEnds, memsync.Info, 0, fmt.Sprintf("%d of %d lines end in CRLF", crlf, all), "")
	}
	if d.bad != nil {
		out = append(out, memsync.Finding{Code: memsync.FindUneditable, Severity: memsync.Info, Line: d.bad.Line, Column: d.bad.Column,
			Message: d.bad.Message + "; its identity is in the ledger", Hint: d.bad.Hint})
	}
	if raw := d.text("id"); raw != "" {
		if _, err := memsync.ParseID(raw); err != nil {
			add(memsync.FindForeignID, memsync.Info, lookup(d.keys, "id").keyAt, "the id is not a ULID: kept, and searchable as an alias", "")
		}
	}
	slices.SortStableFunc(out, func(a, b memsync.Finding) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Code, b.Code)
	})
	return out
}

// Check is Findings at a place: with the path filled in, less what does not
// hold for logs, and with what the frontmatter and the place disagree about.
func Check(d *Document, path memsync.Path, scope memsync.Scope) []memsync.Finding {
	out := d.Findings()
	if Classify(path.Rel(scope.Dir)) == LogFile {
		out = slices.DeleteFunc(out, func(f memsync.Finding) bool {
			switch f.Code {
			case memsync.FindNameMissing, memsync.FindDescriptionMissing, memsync.FindUntyped, memsync.FindSize:
				return true
			}
			return false
		})
	}
	for _, c := range []struct {
		key  string
		want []string
	}{
		{"scope", []string{string(scope.Kind), scope.Name()}},
		{"agent", []string{scope.Agent}},
		{"agent_tier", []string{string(scope.Tier)}},
	} {
		n := lookup(d.keys, c.key)
		if n == nil || n.null() || slices.Contains(c.want, n.text) {
			continue
		}
		says := fmt.Sprintf("the directory says %q", c.want[0])
		if c.want[0] == "" {
			says = "the directory is no agent's"
		}
		out = append(out, d.finding(memsync.FindScopeMismatch, memsync.Warning, n.keyAt,
			fmt.Sprintf("%s is %q, %s", c.key, clip(n.text), says), "remove the key, or move the file"))
	}
	if d.fm {
		t, _ := d.memoryType()
		prefix, _ := SplitName(path.Base())
		if prefix != memsync.Untyped && t != memsync.Untyped && prefix != t {
			out = append(out, d.finding(memsync.FindNameDrift, memsync.Info, d.fmStart,
				fmt.Sprintf("the file name says %s, the file %s", prefix, t), "`memsync rename` it, or leave it"))
		}
	}
	for i := range out {
		out[i].Path = path
	}
	return out
}

func (d *Document) finding(code string, sev memsync.Severity, at int, msg, hint string) memsync.Finding {
	line, col := position(d.raw, at)
	return memsync.Finding{Code: code, Severity: sev, Line: line, Column: col, Message: msg, Hint: hint}
}

// knownKey lists what format.md names and what the dialects in the wild carry.
func knownKey(key string) bool {
	switch key {
	case "id", "name", "description", "hook", "type", "scope", "agent", "agent_tier", "tags", "aliases", "key", "project",
		"valid_from", "valid_until", "pinned", "links", "supersedes", "target", "payload", "provenance",
		"metadata", "originSessionId", "title", "permalink", "read_only", "limit":
		return true
	}
	return false
}
