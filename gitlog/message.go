package gitlog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"memsync"
	"memsync/gitlog/journal"
	"memsync/internal/format"
)

// The trailers of a commit of ours. Those that say the same for every decision
// of the commit stand once; the others once a decision, in the order of the
// decisions, with "-" for nothing. No trailer ever holds what a memory says.
const (
	trailerDecision     = "Memory-Decision" // plan id, dot, index
	trailerID           = "Memory-Id"
	trailerOp           = "Memory-Op"
	trailerOrigin       = "Memory-Origin"
	trailerActor        = "Memory-Actor" // class, or class:name
	trailerConversation = "Memory-Conversation"
	trailerAt           = "Memory-At" // RFC 3339, UTC, milliseconds
)

// listed is how many decisions of a batch a message lists by name: more than
// anybody reads, a guess.
const listed = 50

// Message is the commit message of a plan: a subject, for a batch the list of
// its changes, and the trailers. It is made of names and ids alone, each on one
// line whatever a file or an agent is called.
func Message(p *memsync.Plan) string {
	var b strings.Builder
	subject := oneLine(p.Subject, 120)
	if subject == "" {
		subject = Subject(p)
	}
	b.WriteString(subject)
	b.WriteString("\n")
	named := changing(p)
	if len(named) > 1 {
		b.WriteString("\n")
		for i, d := range named {
			if i == listed {
				fmt.Fprintf(&b, "and %d more\n", len(named)-listed)
				break
			}
			fmt.Fprintf(&b, "- %s %s\n", word(string(d.Op), 20, "record"), nameOf(d))
		}
	}
	b.WriteString("\n")
	writeTrailers(&b, p)
	return b.String()
}

// Subject is the first line of a plan's commit: memory(<scope>): <op>
// <type>/<slug>, or what was done to how many.
func Subject(p *memsync.Plan) string {
	named := changing(p)
	if len(named) == 0 {
		return "memory: " + plural(len(p.Files), "file", "files")
	}
	var scopes, ops []string
	for _, d := range named {
		if s := oneLine(d.Scope, 60); s != "" && !slices.Contains(scopes, s) {
			scopes = append(scopes, s)
		}
		if op := word(opOf(d), 20, "record"); !slices.Contains(ops, op) {
			ops = append(ops, op)
		}
	}
	head := "memory"
	switch len(scopes) {
	case 0:
	case 1:
		head += "(" + scopes[0] + ")"
	default:
		head += "(" + plural(len(scopes), "scope", "scopes") + ")"
	}
	if len(named) == 1 {
		return head + ": " + ops[0] + " " + nameOf(named[0])
	}
	if len(ops) == 1 {
		return head + ": " + ops[0] + " " + plural(len(named), "file", "files")
	}
	return head + ": " + plural(len(named), "change", "changes")
}

// opOf is what a decision did: of ledger events alone, which.
func opOf(d *memsync.Decision) string {
	if d.Op == memsync.OpRecord && len(d.Events) > 0 {
		return string(d.Events[0].Op)
	}
	return string(d.Op)
}

func changing(p *memsync.Plan) (out []*memsync.Decision) {
	for i := range p.Decisions {
		if p.Decisions[i].Op.Changes() {
			out = append(out, &p.Decisions[i])
		}
	}
	return out
}

// nameOf is <type>/<slug> for a memory, the path for anything else.
func nameOf(d *memsync.Decision) string {
	base := d.Path.Base()
	if d.Path == "" || opOf(d) == string(memsync.LedgerForget) { // a name may be what is to be forgotten
		if d.Memory != "" {
			return oneLine(string(d.Memory), 40)
		}
		return "ledger"
	}
	if d.Op == memsync.OpAuthored {
		return oneLine(string(d.Path), 100)
	}
	kind, slug := format.SplitName(base)
	if slug == "" {
		return oneLine(string(d.Path), 100)
	}
	if kind == memsync.Untyped {
		kind = "other"
		if d.After != nil && d.After.Type != memsync.Untyped {
			kind = d.After.Type
		}
	}
	return string(kind) + "/" + oneLine(slug, 80)
}

func writeTrailers(b *strings.Builder, p *memsync.Plan) {
	columns := []struct {
		key   string
		value func(i int, d *memsync.Decision) string
	}{
		{trailerDecision, func(i int, _ *memsync.Decision) string { return journal.RecordID(p.ID, i) }},
		{trailerID, func(_ int, d *memsync.Decision) string { return word(string(d.Memory), 40, "-") }},
		{trailerOp, func(_ int, d *memsync.Decision) string { return word(string(d.Op), 20, "-") }},
		{trailerOrigin, func(_ int, d *memsync.Decision) string { return word(string(d.Origin), 20, "-") }},
		{trailerActor, func(_ int, d *memsync.Decision) string { return actorText(d.Actor) }},
		{trailerConversation, func(_ int, d *memsync.Decision) string { return word(d.Conversation, 120, "-") }},
	}
	for _, c := range columns {
		values := make([]string, len(p.Decisions))
		for i := range p.Decisions {
			values[i] = c.value(i, &p.Decisions[i])
		}
		if same := slices.Compact(slices.Clone(values)); len(same) == 1 {
			if same[0] == "-" {
				continue
			}
			values = same
		}
		for _, v := range values {
			b.WriteString(c.key + ": " + v + "\n")
		}
	}
	b.WriteString(trailerAt + ": " + p.At.UTC().Format("2006-01-02T15:04:05.000Z07:00") + "\n")
}

func actorText(a memsync.Actor) string {
	class := word(string(a.Class), 20, "-")
	if name := oneLine(a.Name, 80); name != "" {
		return class + ":" + name
	}
	return class
}

// Trailered is a decision as a commit tells of it: what is known of another
// machine's.
type Trailered struct {
	ID           string // see journal.ParseRecordID
	Memory       memsync.ID
	Op           memsync.Op
	Origin       memsync.Origin
	Actor        memsync.Actor
	Conversation string
	At           time.Time
}

// Decisions are those that a commit's trailers name; none for a commit that
// memsync did not make.
func (v Version) Decisions() []Trailered {
	ids := v.Trailers[trailerDecision]
	get := func(key string, i int) string {
		values := v.Trailers[key]
		switch {
		case len(values) == 1:
			i = 0
		case len(values) != len(ids):
			return ""
		}
		if values[i] == "-" {
			return ""
		}
		return values[i]
	}
	var out []Trailered
	for i, id := range ids {
		d := Trailered{
			ID: id, Memory: memsync.ID(get(trailerID, i)), Op: memsync.Op(get(trailerOp, i)),
			Origin: memsync.Origin(get(trailerOrigin, i)), Conversation: get(trailerConversation, i), At: v.At,
		}
		class, name, _ := strings.Cut(get(trailerActor, i), ":")
		d.Actor = memsync.Actor{Class: memsync.ActorClass(class), Name: name}
		out = append(out, d)
	}
	return out
}

// oneLine is a name that came from anywhere, as one line of at most limit
// bytes: what would break or turn the line around is spelled out.
func oneLine(s string, limit int) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		piece := s[i : i+n]
		switch {
		case r == utf8.RuneError && n == 1:
			piece = fmt.Sprintf(`\x%02x`, s[i])
		case r == ' ':
		case !unicode.IsGraphic(r) || unicode.IsSpace(r):
			piece = strings.Trim(strconv.QuoteRuneToASCII(r), "'")
		}
		if b.Len()+len(piece) > limit {
			return strings.TrimSpace(b.String()) + "…"
		}
		b.WriteString(piece)
		i += n
	}
	return strings.TrimSpace(b.String())
}

// word is an id that came from anywhere: letters, digits and a few signs of
// ASCII, at most limit of them; otherwise for nothing.
func word(s string, limit int, otherwise string) string {
	out := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._:/@+-", r):
			return r
		}
		return '-'
	}, s)
	if len(out) > limit {
		out = out[:limit]
	}
	if strings.Trim(out, "-") == "" {
		return otherwise
	}
	return out
}
