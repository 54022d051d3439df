package compose

import (
	"memsync"
	"memsync/internal/format"
)

// Snapshot is what is promoted of a memory: its place and the wording that is
// compiled there, and nothing that could change without the prompt changing.
type Snapshot struct {
	Target  Target
	Payload Payload
	Text    string // one line: the body, where the target takes no payload
}

// SnapshotOf is what promoting a memory would promote; body is that of its file.
// A memory without a target has the zero Snapshot.
func SnapshotOf(m *memsync.Memory, body string) (Snapshot, error) {
	t, err := ParseTarget(m.Target)
	if err != nil {
		return Snapshot{}, err
	}
	p, err := ParsePayload(t, m.Payload)
	if err != nil {
		return Snapshot{}, err
	}
	s := Snapshot{Target: t, Payload: p}
	if _, structured := shapeOf(t.Primitive); !structured && t.Primitive != "" {
		s.Text = oneLine(body)
	}
	return s, nil
}

// Lacks says what a snapshot needs before it can be promoted, "" for nothing.
func (s Snapshot) Lacks() string {
	_, structured := shapeOf(s.Target.Primitive)
	switch {
	case s.Target.slot() == "":
		return "a target"
	case !s.Payload.fits(s.Target):
		return "a payload"
	case !structured && oneLine(s.Text) == "":
		return "a text"
	}
	return ""
}

// OneLine reports whether the text stands in the prompt as one line: a target
// without a payload takes the body so.
func (t Target) OneLine() bool {
	_, structured := shapeOf(t.Primitive)
	return !structured && t.slot() != ""
}

// Bytes are the snapshot as the file `_system/approved/<id>-<hash>.md`; the hash
// is that of these bytes, and an event of the promotion carries it. Equal
// snapshots have equal bytes. A text that no memory may hold is refused.
func (s Snapshot) Bytes() ([]byte, error) {
	fields := []memsync.Field{{Key: "target", Value: memsync.Text(s.Target.String())}}
	if p := s.Payload.String(); p != "" {
		fields = append(fields, memsync.Field{Key: "payload", Value: memsync.Text(p)})
	}
	doc, err := format.New(fields, oneLine(s.Text))
	if err != nil {
		return nil, err
	}
	return doc.Bytes(), nil
}

// ParseSnapshot reads the bytes of a snapshot.
func ParseSnapshot(data []byte) (Snapshot, error) {
	doc, err := format.Parse(data, memsync.Limits{})
	if err != nil {
		return Snapshot{}, err
	}
	target, _ := doc.Get("target")
	payload, _ := doc.Get("payload")
	return SnapshotOf(&memsync.Memory{Target: target.Text, Payload: payload.Text}, doc.Body())
}

// Address is what can collide: two snapshots with one address say something
// about the same place, as a JSON array that begins with the primitive. "" for
// one that lacks something.
func (s Snapshot) Address() string {
	if s.Lacks() != "" {
		return ""
	}
	t := s.Target
	address := []string{string(t.Primitive)}
	switch t.Primitive {
	case BackgroundSlot:
		address = append(address, t.Section, normal(t.Key))
	case AwarenessSlot:
		address = append(address, foldName(s.Payload.Name))
	case JudgmentSlot:
		address = append(address, normal(t.Domain), t.Slot, normal(s.Text))
	case ExampleSlot:
		address = append(address, normal(t.Domain), normal(s.Payload.Scenario))
	case RecoverySlot:
		address = append(address, normal(s.Text))
	case ManualSlot:
		address = append(address, normal(t.Capability), normal(s.Payload.Name))
	}
	return compactJSON(address)
}

// lines are the snapshot as it stands in the prompt.
func (s Snapshot) lines() string {
	p := s.Payload
	switch s.Target.Primitive {
	case BackgroundSlot:
		return pair(s.Target.Key, s.Text)
	case AwarenessSlot:
		return Source{p.Name, p.Description, p.AccessMethod}.lines()
	case ExampleSlot:
		return Example{p.Scenario, p.Good, p.Bad, p.Reasoning}.lines()
	case ManualSlot:
		return Workflow{p.Name, p.Description}.lines()
	default:
		return bullet(s.Text)
	}
}
