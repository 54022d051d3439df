package compose

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Payload is the structure that a target of some Primitives needs beside the
// text, which nobody parses. The zero Payload is none.
type Payload struct {
	Name, Description, AccessMethod string // awareness; a workflow has no AccessMethod
	Scenario, Good, Bad, Reasoning  string // example
}

// payloadShape are the keys of a payload, required ones first.
type payloadShape struct {
	keys     []string
	required int
}

// shapeOf is the shape of a primitive's payload; false for one that has its text
// in the body and no payload.
func shapeOf(p Primitive) (payloadShape, bool) {
	switch p {
	case AwarenessSlot:
		return payloadShape{[]string{"name", "description", "accessMethod"}, 3}, true
	case ExampleSlot:
		return payloadShape{[]string{"scenario", "good", "bad", "reasoning"}, 2}, true
	case ManualSlot:
		return payloadShape{[]string{"name", "description"}, 1}, true
	}
	return payloadShape{}, false
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
	shape, takes := shapeOf(t.Primitive)
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
	for _, x := range p.fields() {
		*x.at = f.values[x.key]
	}
	return p, nil
}

// field is one key of a payload.
type field struct {
	key string
	at  *string
}

func (p *Payload) fields() [7]field {
	return [...]field{{"name", &p.Name}, {"description", &p.Description}, {"accessMethod", &p.AccessMethod},
		{"scenario", &p.Scenario}, {"good", &p.Good}, {"bad", &p.Bad}, {"reasoning", &p.Reasoning}}
}

// String is the payload as compact JSON with sorted keys; "" for none.
func (p Payload) String() string {
	if p == (Payload{}) {
		return ""
	}
	m := map[string]string{}
	for _, x := range p.fields() {
		if *x.at != "" {
			m[x.key] = *x.at
		}
	}
	return compactJSON(m)
}

// fits reports whether a payload has what its target needs and nothing else.
func (p *Payload) fits(t Target) bool {
	shape, _ := shapeOf(t.Primitive)
	for _, x := range p.fields() {
		switch at := slices.Index(shape.keys, x.key); {
		case at < 0 && *x.at != "":
			return false
		case at >= 0 && at < shape.required && oneLine(*x.at) == "":
			return false
		}
	}
	return true
}
