package controller

import (
	"slices"
	"strings"

	"memsync"
	"memsync/internal/scan"
)

// scan is rule 2, over every field that can reach a prompt or a file name.
//
// A secret is never let in: a write is rejected, a save held, so that it does
// not enter history. Injection-like text, commands that carry data away and
// hidden characters are let in where people write (people write about such
// things) and on a person's accept, with a finding; elsewhere they are held or
// rejected. A fingerprint that a person allowed at this path is no hit.
func (x *deciding) scan() bool {
	if x.kind == isVanished || x.kind == isRemove {
		return false
	}
	hits := x.hits()
	var worst *memsync.Error
	var prints []string
	for _, h := range hits {
		code, finding := verdictOf(h.Kind)
		lenient := code != memsync.CodeSecret && x.trusts()
		sev := memsync.Severe
		if lenient {
			sev = memsync.Warning
		}
		message := what(h.Kind) + " (" + h.Rule + ")"
		if h.Masked != "" {
			message += ": " + h.Masked
		}
		at := h.at
		if at != "" {
			message += ", in " + at
		}
		x.find(memsync.Finding{Code: finding, Severity: sev, Path: x.shownPath(hits), Line: h.Line, Column: h.Column, Message: message})
		if lenient {
			continue
		}
		if h.Fingerprint != "" && !slices.Contains(prints, h.Fingerprint) {
			prints = append(prints, h.Fingerprint)
		}
		if worst == nil || code == memsync.CodeSecret && worst.Code != memsync.CodeSecret {
			worst = &memsync.Error{Code: code, Path: x.shownPath(hits), Line: h.Line, Column: h.Column, Message: message}
		}
	}
	if worst == nil {
		x.pass("scan", "")
		return false
	}
	x.redact(hits)
	if len(prints) > 0 {
		worst.Details = map[string]string{"fingerprints": strings.Join(prints, ",")}
	}
	worst.Hint = "take it out and save again"
	if worst.Code == memsync.CodeSecret {
		worst.Hint += "; if it is none, `memsync allow FINGERPRINT --reason …`"
	} else if x.fromDisk() {
		worst.Hint += "; a person may `memsync accept` it"
	}
	if x.kind == isPeer {
		return x.quarantine(worst)
	}
	x.refuse("scan", worst)
	if x.d.Op == memsync.OpReject && secretIn(hits) {
		// Whoever waits for the answer knows what they sent.
		x.d.Path, x.d.From = x.shownPath(hits), ""
		for _, s := range []*string{&x.d.Conversation, &x.d.RequestID, &x.d.Actor.Name, &x.d.Scope} {
			if quotes(hits, 0, *s) {
				*s = "(masked)"
			}
		}
	}
	return true
}

// Fingerprints are those of a scan's error, for Held and `allow`.
func Fingerprints(e *memsync.Error) []string {
	if e == nil || e.Details["fingerprints"] == "" {
		return nil
	}
	return strings.Split(e.Details["fingerprints"], ",")
}

// trusts reports whether injection-like text is let in with a warning.
func (x *deciding) trusts() bool {
	if x.Candidate.Accept && x.Candidate.Actor.Person() {
		return true
	}
	switch x.kind {
	case isSave, isPeer:
		return x.Scope.Writers == memsync.People || x.Scope.Writers == ""
	case isAuthored:
		return true // an agent's own instructions are instructions
	case isWrite:
		return x.actor.Person() && (x.Candidate.Op == memsync.OpRestore || x.Candidate.Op == memsync.OpRevert)
	}
	return false
}

func verdictOf(k scan.Kind) (memsync.Code, string) {
	switch k {
	case scan.Secret:
		return memsync.CodeSecret, memsync.FindSecret
	case scan.Hidden:
		return memsync.CodeHidden, memsync.FindHidden
	default:
		return memsync.CodeInjection, memsync.FindInjection
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

// hit is a match and the field it stands in: "" for the file, whose lines
// count.
type hit struct {
	scan.Hit
	at    string
	value string // what was matched; never shown
}

// shownPath is the path as findings may show it: without the secrets in it.
func (x *deciding) shownPath(hits []hit) memsync.Path {
	if x.kind == isWrite && x.Memory == nil && x.Candidate.Path == "" && secretIn(hits) {
		return "" // made from a name that may be it
	}
	return ShownPath(x.Path, x.f.State)
}

// redact takes what could repeat a secret out of findings that other rules
// left: those of its line, and those that quote its beginning.
func (x *deciding) redact(hits []hit) {
	path := x.shownPath(hits)
	for i := range x.d.Findings {
		f := &x.d.Findings[i]
		f.Path = path
		if f.Code != memsync.FindSecret && quotes(hits, f.Line, f.Message+f.Hint) {
			f.Message, f.Hint = "not shown: a secret stands there", ""
		}
	}
	for i := range x.d.Reasons {
		if r := &x.d.Reasons[i]; quotes(hits, 0, r.Detail) {
			r.Detail = ""
		}
	}
}

func secretIn(hits []hit) bool {
	return slices.ContainsFunc(hits, func(h hit) bool { return h.Kind == scan.Secret })
}

func quotes(hits []hit, line int, text string) bool {
	for _, h := range hits {
		if h.Kind == scan.Secret && (line > 0 && h.Line == line || h.value != "" && strings.Contains(text, h.value[:min(8, len(h.value))])) {
			return true
		}
	}
	return false
}

// hits scans what the candidate brings. Of a write only what was not in the
// accepted version counts: a tool that changes one key does not answer for
// what a person wrote beside it.
func (x *deciding) hits() []hit {
	c := &x.Candidate
	salt := string(x.Path)
	var out []hit
	seen := map[string]bool{}
	add := func(at, s string) {
		if s == "" {
			return
		}
		for _, h := range scan.Text(salt, s) {
			if h.Fingerprint != "" && x.f.State.Allowed(x.Path, h.Fingerprint) {
				continue
			}
			key := string(h.Kind) + "\x00" + h.Rule + "\x00" + h.Masked + "\x00" + h.Fingerprint
			if seen[key] && at != "" {
				continue
			}
			seen[key] = true
			found := hit{h, at, s[h.Start:h.End]}
			if at != "" {
				found.Line, found.Column = 0, 0
			}
			out = append(out, found)
		}
	}
	whole := c.Raw
	if x.kind == isWrite && x.doc != nil {
		whole = x.doc.Bytes()
	}
	add("", string(whole))
	add("the file name", string(x.Path))
	if x.moveTo != "" {
		add("the file name", string(x.moveTo))
	}
	if x.doc != nil {
		// A value that is not in the bytes as it reads (escapes, folded
		// lines) is looked at as it reads.
		raw := string(x.doc.Bytes())
		for _, k := range x.doc.Keys() {
			for _, v := range valueTexts(k.Value) {
				if !strings.Contains(raw, v) {
					add(k.Name, v)
				}
			}
		}
	}
	if !x.fromDisk() {
		for _, f := range c.Fields {
			add("a key", f.Key)
			for _, v := range valueTexts(f.Value) {
				add(f.Key, v)
			}
		}
		if c.Content != nil {
			add("the content", *c.Content)
		}
		for _, op := range c.Operations {
			add("an operation", op.Content) // old_text is in the file already, or the batch is refused
		}
		for _, e := range c.Events {
			add("a reason", e.Reason)
			add("an outcome", e.Outcome)
		}
		add("the entity", c.Entity)
		add("the attribute", c.Attribute)
	}
	add("the conversation", c.Conversation)
	add("the request id", c.RequestID)
	add("the actor", c.Actor.Name)
	add("the reason", c.Override)
	if len(out) > 0 && x.kind == isWrite && x.f.Current != nil {
		known := map[string]bool{}
		for _, h := range scan.Text(salt, string(x.f.Current)) {
			known[string(h.Kind)+"\x00"+h.Rule+"\x00"+h.Masked+"\x00"+h.Fingerprint] = true
		}
		brought := x.brought()
		out = slices.DeleteFunc(out, func(h hit) bool {
			return known[string(h.Kind)+"\x00"+h.Rule+"\x00"+h.Masked+"\x00"+h.Fingerprint] && h.at == "" && !brought
		})
	}
	return out
}

// brought reports whether a write brings a whole new text, so that nothing in
// it is excused by having been there.
func (x *deciding) brought() bool {
	return x.Candidate.Content != nil && x.Candidate.Op == memsync.OpUpsert
}
