package controller

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"memsync"
	"memsync/internal/format"
)

// draft makes the document that a write wants, without an id where it is new:
// which id that is comes out of later rules.
func (x *deciding) draft() *memsync.Error {
	if x.Memory == nil {
		return x.draftNew()
	}
	return x.draftUpdate()
}

// header is the order of the keys in a new file; what is not here follows in
// the order given, and provenance closes the header.
var header = []string{"name", "description", "hook", "type", "tags", "aliases", "key", "project"}

// draftNew builds the file of a new memory, or takes whole bytes.
func (x *deciding) draftNew() *memsync.Error {
	c := &x.Candidate
	if x.Path == "" {
		x.Path = x.placeNew(&x.f)
		x.d.Path = x.Path
	} else if n, hit := collides(x.Path, x.f.Names[x.Path.Dir()], x.gone); hit {
		return &memsync.Error{Code: memsync.CodePathInvalid, Message: "a file with that name in another case or Unicode form is there",
			Hint: "choose another name", Details: map[string]string{"name": n}}
	}
	if x.f.Disk != "" && x.f.Current == nil {
		return unseen(x.Path)
	}
	if x.kind == isWrite && x.doc == nil && c.Content == nil && len(c.Fields) == 0 && c.Op != memsync.OpBatch {
		return nil // a revert of an add that is gone: nothing to write
	}
	if x.doc != nil {
		return x.whole()
	}
	var fields []memsync.Field
	given := c.Fields
	add := func(key, value string) {
		if value != "" && !slices.ContainsFunc(given, func(f memsync.Field) bool { return f.Key == key }) {
			given = append(slices.Clip(given), memsync.Field{Key: key, Value: memsync.Text(value)})
		}
	}
	name := heading(x.body)
	if name == "" {
		name = strings.ReplaceAll(x.slug, "-", " ")
	}
	add("name", cut(name, 200))
	if !slices.ContainsFunc(given, func(f memsync.Field) bool { return f.Key == "metadata.type" }) {
		add("type", string(x.typ))
	}
	add("key", SlotKey(c.Entity, c.Attribute))
	for _, key := range header {
		for _, f := range given {
			if f.Key == key && !f.Remove {
				fields = append(fields, f)
			}
		}
	}
	sure := confidence(x.actor, "")
	for _, f := range given {
		switch {
		case f.Remove || slices.Contains(header, f.Key):
		case f.Key == "id":
			x.noted = append(x.noted, "id dropped: set by the write path")
		case f.Key == "provenance.confidence":
			sure = f.Value.Text
		default:
			fields = append(fields, f)
		}
	}
	if x.Scope.Identity != memsync.Ledger {
		// Where other tools' checks refuse unknown keys, identity and
		// provenance stand in the ledger and in git.
		at := stamp(x.f.Now)
		fields = append(fields, memsync.Field{Key: "provenance.source_actor", Value: memsync.Text(string(c.Origin))})
		if c.Conversation != "" {
			fields = append(fields, memsync.Field{Key: "provenance.source_sessions", Value: memsync.List(c.Conversation)})
		}
		fields = append(fields,
			memsync.Field{Key: "provenance.confidence", Value: memsync.Text(sure)},
			memsync.Field{Key: "provenance.created_at", Value: memsync.Text(at)},
			memsync.Field{Key: "provenance.updated_at", Value: memsync.Text(at)})
	}
	d, err := format.New(fields, x.body)
	if err != nil {
		return asError(err, memsync.CodeFrontmatter)
	}
	return x.take(d, true)
}

// draftUpdate changes the accepted bytes: only the keys given, only the body
// when there is one, and updated_at where the file has it.
func (x *deciding) draftUpdate() *memsync.Error {
	c := &x.Candidate
	if x.doc == nil && c.Content == nil && len(c.Fields) == 0 && c.Op != memsync.OpBatch {
		if c.Op == memsync.OpRevert {
			return nil // the file goes: the revert of an add
		}
		return &memsync.Error{Code: memsync.CodeUsage, Message: "nothing is to be changed"}
	}
	if x.dirty() {
		return unseen(x.Path)
	}
	if x.doc != nil {
		return x.whole()
	}
	d, perr := parse(x.f.Current, x.policy.Limits)
	if perr != nil {
		return perr
	}
	for _, f := range c.Fields {
		if f.Key == "id" {
			if f.Value.Text != string(x.Memory.ID) || f.Remove {
				return &memsync.Error{Code: memsync.CodeIdentityMismatch, Message: "the id of a memory never changes",
					Details: map[string]string{"memory_id": string(x.Memory.ID)}}
			}
			continue
		}
		var err *memsync.Error
		if d, err = setKey(d, f); err != nil {
			return err
		}
	}
	body := c.Content
	if c.Op == memsync.OpBatch {
		changed, _, err := ApplyOperations(d.Body(), c.Operations)
		if err != nil {
			return err
		}
		body = &changed
	}
	if body != nil && *body != d.Body() {
		var err error
		if d, err = d.WithBody(*body); err != nil {
			return asError(err, memsync.CodeFrontmatter)
		}
	}
	return x.take(d, body != nil)
}

// setKey sets or removes one key, in the shape the file has: where a dialect
// keeps the type under metadata, it stays there.
func setKey(d *format.Document, f memsync.Field) (*format.Document, *memsync.Error) {
	key := f.Key
	if _, flat := d.Get("type"); key == "type" && !flat {
		if _, nested := d.Get("metadata.type"); nested {
			key = "metadata.type"
		}
	}
	have, there := d.Get(key)
	var next *format.Document
	var err error
	switch {
	case f.Remove && !there, !f.Remove && there && sameValue(have, f.Value):
		return d, nil
	case f.Remove:
		next, err = d.Remove(key)
	default:
		next, err = d.Set(key, f.Value)
	}
	if err != nil {
		return nil, asError(err, memsync.CodeUneditable)
	}
	return next, nil
}

// whole takes bytes as they are given: a restore, a revert, a fix of lint, an
// import. What comes from outside does not bring a person's authority along.
func (x *deciding) whole() *memsync.Error {
	d := x.doc
	trusted := x.Candidate.Op == memsync.OpRestore || x.Candidate.Op == memsync.OpRevert || x.Candidate.Origin == memsync.OriginLint || x.accepting()
	if !trusted {
		var err *memsync.Error
		if v, ok := d.Get("provenance.source_actor"); ok && v.Text != string(x.Candidate.Origin) {
			if d, err = setKey(d, memsync.Field{Key: "provenance.source_actor", Value: memsync.Text(string(x.Candidate.Origin))}); err != nil {
				return err
			}
			x.noted = append(x.noted, "provenance.source_actor set by the write path")
		}
		if v, ok := d.Get("provenance.confidence"); ok && v.Text != confidence(x.actor, v.Text) {
			if d, err = setKey(d, memsync.Field{Key: "provenance.confidence", Value: memsync.Text(confidence(x.actor, v.Text))}); err != nil {
				return err
			}
			x.noted = append(x.noted, "provenance.confidence lowered")
		}
		if _, ok := d.Get("pinned"); ok && !x.actor.Person() && (x.Memory == nil || !x.Memory.Pinned) {
			if d, err = setKey(d, memsync.Field{Key: "pinned", Remove: true}); err != nil {
				return err
			}
			x.noted = append(x.noted, "pinned dropped: only a person pins")
		}
	}
	return x.take(d, false)
}

// take makes d the draft, after checking that what we made can be read again
// and keeps the limits of writes.
func (x *deciding) take(d *format.Document, limited bool) *memsync.Error {
	if limited {
		if err := bodyLimits(d.Body(), x.policy.Limits); err != nil {
			return err
		}
	}
	again, err := parse(d.Bytes(), x.policy.Limits)
	if err != nil {
		return err
	}
	x.setDoc(again)
	if x.mem.Type == memsync.Untyped && x.mem.TypeText != "" && (x.Memory == nil || x.Memory.TypeText != x.mem.TypeText) {
		return &memsync.Error{Code: memsync.CodeTypeInvalid, Message: "not a type of memory: " + shown(x.mem.TypeText),
			Hint: "one of user, feedback, project, reference"}
	}
	if err := x.place(); err != nil {
		return err
	}
	for key, want := range map[string]string{"scope": string(x.Scope.Kind), "agent": x.Scope.Agent, "agent_tier": string(x.Scope.Tier)} {
		if got := fieldText(x.Candidate.Fields, key); got != "" && got != want {
			return &memsync.Error{Code: memsync.CodeScopeInvalid, Message: "`" + key + "` disagrees with scope " + x.Scope.Name()}
		}
	}
	return nil
}

// place judges the place in a composition that a write proposes: one that no agent
// can have is refused, and so is an agent's choice where the policy says that it is
// worth nothing.
func (x *deciding) place() *memsync.Error {
	m, old := x.mem, x.Memory
	if old != nil && m.Target == old.Target && m.Payload == old.Payload {
		return nil
	}
	if m.Target != "" && !x.actor.Person() && x.policy.Targets.FromModel == memsync.ModelDeny && (old == nil || m.Target != old.Target) {
		return &memsync.Error{Code: memsync.CodePersonRequired, Message: "here only a person chooses a place in a composition",
			Hint: "leave `target` out; targets.from_model in memsync.toml says who may"}
	}
	if x.f.CheckTarget == nil {
		return nil
	}
	return asError(x.f.CheckTarget(m.Target, m.Payload), memsync.CodeFrontmatter)
}

// setDoc makes d the document of the decision.
func (x *deciding) setDoc(d *format.Document) {
	x.doc = d
	x.mem = format.Describe(d, x.Path, x.Scope)
	x.setBody(d.Body())
}

// dirty reports that the disk holds something else than the accepted bytes: a
// save that nobody has looked at, or that waits.
func (x *deciding) dirty() bool { return x.f.Disk != x.current }

func bodyLimits(body string, lim memsync.Limits) *memsync.Error {
	if n := len(body); lim.BodyBytes > 0 && n > lim.BodyBytes {
		return tooLarge("bytes", n, lim.BodyBytes)
	}
	if n := strings.Count(strings.TrimRight(body, "\n"), "\n") + 1; lim.BodyLines > 0 && n > lim.BodyLines {
		return tooLarge("lines", n, lim.BodyLines)
	}
	return nil
}

func tooLarge(unit string, n, limit int) *memsync.Error {
	return &memsync.Error{Code: memsync.CodeTooLarge,
		Message: "the body has " + strconv.Itoa(n) + " " + unit + ", the limit of a write is " + strconv.Itoa(limit),
		Hint:    "split it into memories that each say one thing",
		Details: map[string]string{"size": strconv.Itoa(n), "limit": strconv.Itoa(limit), "unit": unit}}
}

func unseen(p memsync.Path) *memsync.Error {
	return &memsync.Error{Code: memsync.CodeVersionConflict, Path: p,
		Message: "the file on disk is not the accepted version: a save waits there, or the file is gone",
		Hint:    "`memsync status` says why; read the memory again"}
}

// stamp is a time as files carry it.
func stamp(t time.Time) string { return t.UTC().Truncate(time.Second).Format(time.RFC3339) }
