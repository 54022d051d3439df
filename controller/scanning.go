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
		code, lenient := verdictOf(h.Kind), h.Kind != scan.Secret && x.trusts()
		f := h.Finding(lenient)
		f.Path = x.shownPath(hits)
		x.find(f)
		if lenient {
			continue
		}
		if h.Fingerprint != "" && !slices.Contains(prints, h.Fingerprint) {
			prints = append(prints, h.Fingerprint)
		}
		if worst == nil || code == memsync.CodeSecret && worst.Code != memsync.CodeSecret {
			worst = &memsync.Error{Code: code, Path: f.Path, Line: h.Line, Column: h.Column, Message: f.Message}
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

// shownPath is the path as findings may show it: without the secrets in it.
func (x *deciding) shownPath(hits []Hit) memsync.Path {
	if x.kind == isWrite && x.Memory == nil && x.Candidate.Path == "" && secretIn(hits) {
		return "" // made from a name that may be it
	}
	return ShownPath(x.Path, x.f.State)
}

// redact takes what could repeat a secret out of what other rules left.
func (x *deciding) redact(hits []Hit) {
	path := x.shownPath(hits)
	for i := range x.d.Findings {
		x.d.Findings[i].Path = path
		Redact(&x.d.Findings[i], hits)
	}
	for i := range x.d.Reasons {
		if r := &x.d.Reasons[i]; quotes(hits, 0, r.Detail) {
			r.Detail = ""
		}
	}
}

// hits scans what the candidate brings. Of a write only what was not in the
// accepted version counts: a tool that changes one key does not answer for
// what a person wrote beside it.
func (x *deciding) hits() []Hit {
	c := &x.Candidate
	g := newGathering(x.Path, x.f.State)
	whole := c.Raw
	if x.kind == isWrite && x.doc != nil {
		whole = x.doc.Bytes()
	}
	g.add("", string(whole))
	g.add("the file name", string(x.Path))
	if x.moveTo != "" {
		g.add("the file name", string(x.moveTo))
	}
	if x.doc != nil {
		g.values(x.doc, string(x.doc.Bytes()))
	}
	if !x.fromDisk() {
		for _, f := range c.Fields {
			g.add("a key", f.Key)
			for _, v := range valueTexts(f.Value) {
				g.add(f.Key, v)
			}
		}
		if c.Content != nil {
			g.add("the content", *c.Content)
		}
		for _, op := range c.Operations {
			g.add("an operation", op.Content) // old_text is in the file already, or the batch is refused
		}
		for _, e := range c.Events {
			g.add("a reason", e.Reason)
			g.add("an outcome", e.Outcome)
		}
		g.add("the entity", c.Entity)
		g.add("the attribute", c.Attribute)
	}
	g.add("the conversation", c.Conversation)
	g.add("the request id", c.RequestID)
	g.add("the actor", c.Actor.Name)
	g.add("the reason", c.Override)
	if len(g.hits) > 0 && x.kind == isWrite && x.f.Current != nil && !x.brought() {
		known := map[string]bool{}
		for _, h := range scan.Text(string(x.Path), string(x.f.Current)) {
			known[sameHit(h)] = true
		}
		g.hits = slices.DeleteFunc(g.hits, func(h Hit) bool { return known[sameHit(h.Hit)] && h.At == "" })
	}
	return g.hits
}

// brought reports whether a write brings a whole new text, so that nothing in
// it is excused by having been there.
func (x *deciding) brought() bool {
	return x.Candidate.Content != nil && x.Candidate.Op == memsync.OpUpsert
}
