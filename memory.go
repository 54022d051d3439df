package memsync

import "time"

// Type says what a memory is about. The set is closed for every write; a save
// that names none, or another word, is [Untyped].
type Type string

const (
	User      Type = "user"
	Feedback  Type = "feedback"
	Project   Type = "project"
	Reference Type = "reference"
	Untyped   Type = "" // indexed, listed after the four under "other"
)

// Types are the four, in the order in which MEMORY.md lists them.
var Types = []Type{User, Feedback, Project, Reference}

// ParseType reads one of the four types; ok is false for any other word.
func ParseType(s string) (t Type, ok bool) {
	for _, t := range Types {
		if string(t) == s {
			return t, true
		}
	}
	return Untyped, false
}

// Kind tells curated memories from append-only logs and from what does not
// parse at HEAD.
type Kind string

const (
	KindMemory     Kind = "memory"
	KindLog        Kind = "log"        // searchable, never in MEMORY.md, never normalized
	KindUnreadable Kind = "unreadable" // bytes at HEAD that do not parse: listed by file name, not indexed
	KindProse      Kind = "prose"      // people's text in MEMORY.md outside the region
)

// Memory is one accepted memory: where it is, who it is, and what its header
// says. It is immutable once it is in a View; share the pointer freely. The
// body is not here (a View of 100,000 memories must stay small); BodyKey
// stands for it.
type Memory struct {
	ID    ID
	Path  Path
	Scope string // the Name of its Scope
	Kind  Kind

	Type          Type
	TypeText      string // the word in the file, when Type is Untyped and there was one
	Slug          string
	Name          string
	Description   string
	Hook          string // what MEMORY.md says instead of Description
	Tags          []string
	Aliases       []string // earlier ids or names
	Key           string
	Project       string
	ValidFrom     time.Time // zero: open
	ValidUntil    time.Time // the last instant, inclusive; zero: open
	Pinned        bool
	Links         []string // ids
	Supersedes    ID
	Target        string   // the target mapping as compact JSON; "" for none
	Payload       string   // as compact JSON
	Conversations []string // provenance.source_sessions
	CreatedAt     time.Time

	Inline bool   // the id stands in the file
	Hash   Hash   // of the accepted bytes
	Blob   string // git's object id of the accepted bytes, "" before it is known
	Size   int64

	SortKey string   // case-folded NFC name: MEMORY.md's order within a type
	BodyKey Hash     // of the normalized body
	MetaKey Hash     // of the meaningful frontmatter: everything but id, times, provenance
	Sketch  []uint32 // MinHash of the body's shingles; nil for an empty body
}

// Field is one frontmatter key that a write sets, in the order given. Key may
// be dotted ("metadata.type").
type Field struct {
	Key    string
	Value  Value
	Remove bool // take the key away; Value is ignored
}

// Value is the value of one key: text, or a list of texts. Scalars are text:
// what they mean is the reader's.
type Value struct {
	Text   string
	List   []string
	IsList bool
}

// Text is a scalar Value.
func Text(s string) Value { return Value{Text: s} }

// List is a list Value.
func List(s ...string) Value { return Value{List: s, IsList: true} }

// Created is when a memory was written down: what its file says, else the moment
// that its id carries, which is when it was first accepted. Zero for neither.
func (m *Memory) Created() time.Time {
	if !m.CreatedAt.IsZero() {
		return m.CreatedAt
	}
	return m.ID.Time()
}
