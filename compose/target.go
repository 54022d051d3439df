package compose

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"memsync"
	"memsync/internal/format"
	"memsync/internal/text"
)

// Primitive is a kind of place in a composition that a memory can fill.
type Primitive string

const (
	BackgroundSlot Primitive = "background"
	AwarenessSlot  Primitive = "awareness"
	JudgmentSlot   Primitive = "judgment"
	ExampleSlot    Primitive = "example"
	RecoverySlot   Primitive = "recovery"
	ManualSlot     Primitive = "manual"
)

// Primitives are all of them, in the order of the design's table.
var Primitives = []Primitive{BackgroundSlot, AwarenessSlot, JudgmentSlot, ExampleSlot, RecoverySlot, ManualSlot}

// authoredOnly are parts of a composition that no target can name.
var authoredOnly = []string{"persona", "tone", "methodology", "mission", "responsibilities", "capabilities", "learn"}

// Target is the place that a memory proposes for itself. The zero Target is
// none.
type Target struct {
	Primitive  Primitive
	Section    string // background; a manual's is always "workflows"
	Key        string // background
	Domain     string // judgment; example, as judgmentDomain
	Slot       string // judgment
	Capability string // manual
}

// targetKeys are the keys that a target of a primitive has, all required.
func targetKeys(p Primitive) []string {
	switch p {
	case BackgroundSlot:
		return []string{"section", "key"}
	case JudgmentSlot:
		return []string{"domain", "slot"}
	case ExampleSlot:
		return []string{"judgmentDomain"}
	case ManualSlot:
		return []string{"capability", "section"}
	}
	return nil // awareness, recovery
}

// MaxName is how many code points a name may have: a key, a domain, a
// capability, a source, a workflow.
const MaxName = 120

// ParseTarget reads a memory's target, compact JSON as in [memsync.Memory]; ""
// is the zero Target. Errors are *memsync.Error with CodeFrontmatter and, in
// Details "key", the dotted frontmatter key that is wrong.
func ParseTarget(compact string) (Target, error) {
	if compact == "" {
		return Target{}, nil
	}
	f, err := parseFields("target", compact)
	if err != nil {
		return Target{}, err
	}
	word, ok := f.values["primitive"]
	if !ok {
		return Target{}, f.fail("primitive", "says no primitive", "one of "+join(Primitives))
	}
	p := Primitive(word)
	if slices.Contains(authoredOnly, word) {
		return Target{}, f.fail("primitive", strconv.Quote(word)+" is never learned", "only the author of AGENT.md writes it")
	}
	if !slices.Contains(Primitives, p) {
		return Target{}, f.fail("primitive", strconv.Quote(clip(word))+" is no primitive"+didYouMean(word, Primitives), "one of "+join(Primitives))
	}
	t := Target{Primitive: p}
	required := targetKeys(p)
	if err := f.only(append([]string{"primitive"}, required...), required); err != nil {
		return Target{}, err
	}
	t.Section, t.Key, t.Slot, t.Capability = f.values["section"], f.values["key"], f.values["slot"], f.values["capability"]
	t.Domain = f.values["domain"] + f.values["judgmentDomain"]
	return t, t.check(f)
}

// CheckTarget says what is wrong with a memory's target and payload, compact JSON
// both. A payload without a target, and a target whose payload is still missing,
// are fine: such a memory is not promoted.
func CheckTarget(target, payload string) error {
	if target == "" {
		return nil
	}
	t, err := ParseTarget(target)
	if err == nil {
		_, err = ParsePayload(t, payload)
	}
	return err
}

// check refuses places that no agent can have.
func (t Target) check(f *fields) error {
	choice := func(key, word string, known []string) error {
		if slices.Contains(known, word) {
			return nil
		}
		return f.fail(key, strconv.Quote(clip(word))+" is none of "+join(known)+didYouMean(word, known), "")
	}
	switch t.Primitive {
	case BackgroundSlot:
		if err := choice("section", t.Section, sectionNames); err != nil {
			return err
		}
	case JudgmentSlot:
		if err := choice("slot", t.Slot, judgmentSlots); err != nil {
			return err
		}
	case ManualSlot:
		if err := choice("section", t.Section, []string{"workflows"}); err != nil {
			return err
		}
	}
	for _, key := range []string{"key", "domain", "judgmentDomain", "capability"} {
		if n := utf8.RuneCountInString(f.values[key]); n > MaxName {
			return f.fail(key, fmt.Sprintf("has %d characters, the limit is %d", n, MaxName), "name it shorter")
		}
	}
	return nil
}

// slot is where a target points, in the words of AGENT.md; "" for none, and for a
// target that names a place no agent can have.
func (t Target) slot() string {
	switch {
	case t.Primitive == BackgroundSlot && slices.Contains(sectionNames, t.Section) && oneLine(t.Key) != "":
		return t.Section
	case t.Primitive == ManualSlot && t.Section == "workflows" && oneLine(t.Capability) != "":
		return t.Section
	case t.Primitive == JudgmentSlot && slices.Contains(judgmentSlots, t.Slot) && oneLine(t.Domain) != "":
		return t.Slot
	case t.Primitive == ExampleSlot && oneLine(t.Domain) != "":
		return "examples"
	case t.Primitive == AwarenessSlot, t.Primitive == RecoverySlot:
		return string(t.Primitive)
	}
	return ""
}

// judgmentSlots are the slots of a domain that a line of text can fill.
var judgmentSlots = []string{"heuristics", "constraints", "escalationTriggers"}

// String is the target as compact JSON with sorted keys, as in a memory and in
// an event; "" for the zero Target.
func (t Target) String() string {
	if t == (Target{}) {
		return ""
	}
	m := map[string]string{"primitive": string(t.Primitive)}
	domain := "domain"
	if t.Primitive == ExampleSlot {
		domain = "judgmentDomain"
	}
	for key, value := range map[string]string{"section": t.Section, "key": t.Key, domain: t.Domain, "slot": t.Slot, "capability": t.Capability} {
		if value != "" {
			m[key] = value
		}
	}
	return compactJSON(m)
}

// fields are the texts of a flat mapping that stands at one frontmatter key.
type fields struct {
	at     string // target, payload
	values map[string]string
}

// parseFields reads compact JSON of texts. Absent and null are the same.
func parseFields(at, compact string) (*fields, error) {
	f := &fields{at: at, values: map[string]string{}}
	var raw map[string]any
	if err := json.Unmarshal([]byte(compact), &raw); err != nil || raw == nil {
		return nil, f.fail("", "is not a mapping of keys to texts", "write `"+at+": {…}`")
	}
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		switch v := raw[key].(type) {
		case nil:
		case string:
			if oneLine(v) == "" {
				return nil, f.fail(key, "is empty", "write it out, or leave the key away")
			}
			f.values[key] = v
		default:
			return nil, f.fail(key, "is not text", "put it in quotes")
		}
	}
	return f, nil
}

// only refuses keys that are not known, naming the nearest, and required ones
// that are absent.
func (f *fields) only(known, required []string) error {
	for _, key := range slices.Sorted(maps.Keys(f.values)) {
		if !slices.Contains(known, key) {
			return f.fail(key, "is an unknown key"+didYouMean(key, known), "known here: "+join(known))
		}
	}
	for _, key := range required {
		if f.values[key] == "" {
			return f.fail(key, "is missing", "")
		}
	}
	return nil
}

func (f *fields) fail(key, message, hint string) *memsync.Error {
	name := f.at
	if key != "" {
		name += "." + clip(key)
	}
	return &memsync.Error{Code: memsync.CodeFrontmatter, Message: name + " " + message, Hint: hint, Details: map[string]string{"key": name}}
}

// oneLine is a value as it stands on its line.
func oneLine(s string) string { return format.OneLine(s, 0) }

// normal is the form in which two lines count as the same: one line, NFC.
func normal(s string) string { return text.Normalize(oneLine(s)) }

// clip shortens what a message repeats.
func clip(s string) string { return format.OneLine(s, 60) }

func join[S ~string](words []S) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return strings.Join(out, ", ")
}

// didYouMean is the nearest word in brackets, "" when none is near.
func didYouMean[S ~string](s string, words []S) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	if best := text.Nearest(s, list); best != "" {
		return " (did you mean " + strconv.Quote(best) + "?)"
	}
	return ""
}

// compactJSON is JSON on one line, with < > & as they are.
func compactJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil { // texts and lists of texts always encode
		panic("bug: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}
