package controller

import (
	"slices"
	"strings"

	"memsync"
	"memsync/internal/format"
	"memsync/internal/ledger"
	"memsync/internal/scan"
)

// Hit is what the scan found, and the field it stands in: "" for the file's
// own bytes, whose lines count.
type Hit struct {
	scan.Hit
	At    string
	value string // what was matched; never shown
}

// FileHits scans a file as it is on disk: its bytes, its name, and what its
// frontmatter says otherwise than it is spelled. doc is nil where the bytes
// don't parse. A fingerprint that a person allowed at this path is no hit.
func FileHits(p memsync.Path, raw string, doc *format.Document, state *ledger.State) []Hit {
	g := newGathering(p, state)
	g.add("", raw)
	g.add("the file name", string(p))
	if doc != nil {
		g.values(doc, raw)
	}
	return g.hits
}

// Finding tells of a hit. Where text is trusted, what is no secret is a
// warning.
func (h Hit) Finding(trusted bool) memsync.Finding {
	f := memsync.Finding{Severity: memsync.Severe, Line: h.Line, Column: h.Column, Message: what(h.Kind) + " (" + h.Rule + ")"}
	switch h.Kind {
	case scan.Secret:
		f.Code = memsync.FindSecret
	case scan.Hidden:
		f.Code = memsync.FindHidden
	default:
		f.Code = memsync.FindInjection
	}
	if trusted && h.Kind != scan.Secret {
		f.Severity = memsync.Warning
	}
	if h.Masked != "" {
		f.Message += ": " + h.Masked
	}
	if h.At != "" {
		f.Message += ", in " + h.At
	}
	return f
}

// Redact takes what could repeat a secret out of another rule's finding about
// the same file: one of its line, one that quotes its beginning.
func Redact(f *memsync.Finding, hits []Hit) {
	if f.Code != memsync.FindSecret && quotes(hits, f.Line, f.Message+f.Hint) {
		f.Message, f.Hint = "not shown: a secret stands there", ""
	}
}

func verdictOf(k scan.Kind) memsync.Code {
	switch k {
	case scan.Secret:
		return memsync.CodeSecret
	case scan.Hidden:
		return memsync.CodeHidden
	default:
		return memsync.CodeInjection
	}
}

func what(k scan.Kind) string {
	switch k {
	case scan.Secret:
		return "a secret"
	case scan.Hidden:
		return "a hidden character"
	case scan.Exfiltration:
		return "a command that carries data away"
	default:
		return "text that instructs the reader"
	}
}

func secretIn(hits []Hit) bool {
	return slices.ContainsFunc(hits, func(h Hit) bool { return h.Kind == scan.Secret })
}

func quotes(hits []Hit, line int, text string) bool {
	for _, h := range hits {
		if h.Kind == scan.Secret && (line > 0 && h.Line == line || h.value != "" && strings.Contains(text, h.value[:min(8, len(h.value))])) {
			return true
		}
	}
	return false
}

// gathering is a scan of several fields of one file.
type gathering struct {
	path  memsync.Path
	state *ledger.State
	seen  map[string]bool
	hits  []Hit
}

func newGathering(p memsync.Path, state *ledger.State) *gathering {
	return &gathering{path: p, state: state}
}

// add scans one field. What was found before is not told again for another
// field than the file.
func (g *gathering) add(at, s string) {
	if s == "" {
		return
	}
	for _, h := range scan.Text(string(g.path), s) {
		if h.Fingerprint != "" && g.state.Allowed(g.path, h.Fingerprint) {
			continue
		}
		if g.seen == nil {
			g.seen = map[string]bool{}
		}
		key := sameHit(h)
		if g.seen[key] && at != "" {
			continue
		}
		g.seen[key] = true
		found := Hit{h, at, s[h.Start:h.End]}
		if at != "" {
			found.Line, found.Column = 0, 0
		}
		g.hits = append(g.hits, found)
	}
}

// values scans the values of a file's frontmatter that are not in its bytes as
// they read: escapes, folded lines.
func (g *gathering) values(doc *format.Document, raw string) {
	for name, v := range doc.Texts() {
		if !strings.Contains(raw, v) {
			g.add(name, v)
		}
	}
}

// sameHit is equal for hits of one rule on one value.
func sameHit(h scan.Hit) string {
	return string(h.Kind) + "\x00" + h.Rule + "\x00" + h.Masked + "\x00" + h.Fingerprint
}
