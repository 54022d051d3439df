package compose

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Payload is the structure that a target of some primitives needs beside the
// text, which nobody parses. The zero Payload is none.
type Payload struct {
	Name, Description, AccessMethod string // awareness; a workflow has no AccessMethod
	Scenario, Good, Bad, Reasoning  string // example
}

// payloadKeys are the keys of each primitive's payload, required ones first. A
// primitive that is not here has its text in the body and no payload.
var payloadKeys = map[Primitive]struct {
	keys     []string
	required int
}{
	AwarenessSlot: {[]string{"name", "description", "accessMethod"}, 3},
	ExampleSlot:   {[]string{"scenario", "good", "bad", "reasoning"}, 2},
	ManualSlot:    {[]string{"name", "description"}, 1},
}

// ParsePayload reads a memory's payload, compact JSON as in [memsync.Memory],
// for its target. "" is the zero Payload: such a memory is valid, and
// [Snapshot.Lacks] says whether it can be promoted. What does not fit the target
// is refused as by [ParseTarget].
func ParsePayload(t Target, compact string) (Payload, error) {
	if compact == "" {
		return Payload{}, nil
	}
	f, err := parseFields("payload", compact)
	if err != nil {
		return Payload{}, err
	}
	shape, takes := payloadKeys[t.Primitive]
	switch {
	case t.Primitive == "":
		return Payload{}, f.fail("", "belongs to no target", "write a target, or remove the payload")
	case !takes:
		return Payload{}, f.fail("", "does not go with "+strconv.Quote(string(t.Primitive))+", whose text is the body", "remove the payload")
	}
	if err := f.only(shape.keys, shape.keys[:shape.required]); err != nil {
		return Payload{}, err
	}
	if n := utf8.RuneCountInString(f.values["name"]); n > MaxName {
		return Payload{}, f.fail("name", fmt.Sprintf("has %d characters, the limit is %d", n, MaxName), "name it shorter")
	}
	var p Payload
	for key, at := range p.fields() {
		*at = f.values[key]
	}
	return p, nil
}

func (p *Payload) fields() map[string]*string {
	return map[string]*string{
		"name": &p.Name, "description": &p.Description, "accessMethod": &p.AccessMethod,
		"scenario": &p.Scenario, "good": &p.Good, "bad": &p.Bad, "reasoning": &p.Reasoning,
	}
}

// String is the payload as compact JSON with sorted keys; "" for none.
func (p Payload) String() string {
	if p == (Payload{}) {
		return ""
	}
	m := map[string]string{}
	for key, at := range p.fields() {
		if *at != "" {
			m[key] = *at
		}
	}
	return compactJSON(m)
}

// fits reports whether a payload has what its target needs and nothing else.
func (p Payload) fits(t Target) bool {
	shape, values := payloadKeys[t.Primitive], p.fields()
	for _, key := range shape.keys[:shape.required] {
		if oneLine(*values[key]) == "" {
			return false
		}
	}
	for key, value := range values {
		if *value != "" && !slices.Contains(shape.keys, key) {
			return false
		}
	}
	return true
}
