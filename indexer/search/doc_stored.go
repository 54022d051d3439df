package search

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	index "github.com/blevesearch/bleve_index_api"

	"memsync"
	"memsync/internal/format"
	"memsync/internal/text"
)

// Doc is one accepted memory as it is put into the index.
type Doc struct {
	Memory   *memsync.Memory
	Scope    memsync.Scope // the scope that Memory.Scope names; without it `agent:` and `workspace:` do not find the memory
	Body     string        // text after the frontmatter, LF line ends
	BodyLine int           // 1-based line of the file on which Body begins
	Lines    Lines
}

// Lines are the 1-based lines of the file on which parts of the header stand,
// 0 for unknown or absent: a hit by such a part points there, or at line 1.
type Lines struct {
	Name        int `json:",omitzero"`
	Description int `json:",omitzero"`
	Tags        int `json:",omitzero"`
	Key         int `json:",omitzero"`
}

// NewDoc takes a Doc from a parsed file.
func NewDoc(m *memsync.Memory, scope memsync.Scope, d *format.Document) Doc {
	doc := Doc{Memory: m, Scope: scope, Body: d.Body(), BodyLine: d.BodyLine()}
	for _, k := range d.Keys() {
		switch k.Name {
		case "name":
			doc.Lines.Name = k.Line
		case "description":
			doc.Lines.Description = k.Line
		case "tags", "metadata.tags":
			doc.Lines.Tags = k.Line
		case "key", "metadata.key":
			doc.Lines.Key = k.Line
		}
	}
	return doc
}

// Indexed reports whether a memory belongs into the index. What does not parse
// (memsync.KindUnreadable) and people's prose in MEMORY.md do not.
func Indexed(m *memsync.Memory) bool {
	return m != nil && (m.Kind == memsync.KindMemory || m.Kind == memsync.KindLog || m.Kind == "")
}

// stored is what the index keeps of a memory to show it. The body follows the
// JSON, after a line end.
type stored struct {
	ID          memsync.ID   `json:",omitempty"`
	Hash        memsync.Hash `json:",omitempty"`
	Name        string       `json:",omitempty"`
	Description string       `json:",omitempty"`
	Tags        []string     `json:",omitempty"`
	Key         string       `json:",omitempty"`
	Also        []string     `json:",omitempty"` // what else it is found by: earlier names, the hook, the project
	BodyLine    int          `json:",omitempty"`
	Lines       Lines        `json:",omitzero"`
	Body        string       `json:"-"`
}

func (s *stored) encode() ([]byte, error) {
	head, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return append(append(head, '\n'), s.Body...), nil
}

func decodeStored(b []byte) (s stored, err error) {
	head, body, ok := bytes.Cut(b, []byte("\n"))
	if !ok {
		return s, fmt.Errorf("%w: a stored memory has no text", errDamaged)
	}
	if err := json.Unmarshal(head, &s); err != nil {
		return s, fmt.Errorf("%w: a stored memory: %w", errDamaged, err)
	}
	s.Body = string(body)
	return s, nil
}

// make analyzes a memory.
func (d *Doc) make(w *workshop) (*document, lengths, error) {
	m := d.Memory
	b := newBuilder(w, len(d.Body)+len(m.Name)+len(m.Description))
	for i, name := range append([]string{m.Name}, m.Aliases...) {
		if _, err := memsync.ParseID(name); i > 0 && err == nil {
			continue // an earlier id
		}
		b.add(fieldName, name)
	}
	also := append(slices.Clone(m.Aliases), m.Project)
	b.add(fieldDescription, m.Description)
	if m.Hook != "" && m.Hook != m.Description {
		b.add(fieldDescription, m.Hook)
		also = append(also, m.Hook)
	}
	for _, tag := range m.Tags {
		b.add(fieldLabels, tag)
	}
	b.add(fieldLabels, m.Key)
	b.add(fieldLabels, m.Project)
	b.add(fieldBody, d.Body)
	for h := range headings(d.Body) {
		b.also(fieldHeadings, h)
	}
	b.path(string(m.Path))
	l := b.lengths()

	out := &document{id: string(m.Path), size: 512 + 2*len(d.Body)}
	for _, f := range append(b.ranked[:], b.exact, b.ident, d.filters()) {
		if len(f.freqs) > 0 {
			out.fields = append(out.fields, f)
		}
	}
	length := newField(fieldLength, index.IndexField|index.DocValues|index.SkipFreqNorm, 1)
	length.flag(l.encode(m.Hash))
	s := stored{ID: m.ID, Hash: m.Hash, Name: m.Name, Description: m.Description, Tags: m.Tags, Key: m.Key, Also: also, BodyLine: d.BodyLine, Lines: d.Lines, Body: d.Body}
	raw, err := s.encode()
	if err != nil {
		return nil, l, err
	}
	doc := &field{name: fieldDoc, value: raw, options: index.StoreField}
	out.fields = append(out.fields, length, doc)
	return out, l, nil
}

// filters are the terms that filters ask for.
func (d *Doc) filters() *field {
	m := d.Memory
	f := newField(fieldIs, index.IndexField|index.SkipFreqNorm, 12)
	is := func(key, value string) {
		if value != "" {
			f.flag(filterTerm(key, value))
		}
	}
	is("type", cmp.Or(string(m.Type), untyped))
	is("scope", m.Scope)
	is("scope", string(d.Scope.Kind))
	is("agent", d.Scope.Agent)
	is("workspace", string(d.Scope.Workspace))
	is("project", m.Project)
	is("key", m.Key)
	for _, tag := range m.Tags {
		is("tag", tag)
	}
	f.flag(everyone)
	if t := m.Created().UTC(); !t.IsZero() {
		f.flag(t.Format("year:2006"))
		f.flag(t.Format("month:2006-01"))
		f.flag(t.Format("day:2006-01-02"))
	}
	return f
}

// everyone is a filter term that all documents have.
const everyone = "all"

// filterTerm folds a value, so that `tag:CI` finds ci. Terms are cut: nobody
// types more.
func filterTerm(key, value string) string {
	term := key + ":" + text.Fold(strings.TrimSpace(value))
	return term[:min(len(term), 512)]
}

// encode is the length field's only term.
func (l lengths) encode(hash memsync.Hash) string {
	b := []byte(hash)
	for _, n := range l {
		b = append(b, ' ')
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return string(b)
}

func decodeLengths(b []byte) (hash memsync.Hash, l lengths, err error) {
	f := strings.Split(string(b), " ")
	if len(f) != len(l)+1 {
		return "", l, fmt.Errorf("%w: the lengths of a memory", errDamaged)
	}
	for i := range l {
		if l[i], err = strconv.Atoi(f[i+1]); err != nil {
			return "", l, fmt.Errorf("%w: the lengths of a memory: %w", errDamaged, err)
		}
	}
	return memsync.Hash(f[0]), l, nil
}

// headings yields the Markdown headings of a body (`#` to `######`), outside
// code fences.
func headings(body string) func(func(string) bool) {
	return func(yield func(string) bool) {
		fence := ""
		for line := range strings.Lines(body) {
			t := strings.TrimSpace(line)
			switch {
			case fence != "":
				if strings.HasPrefix(t, fence) {
					fence = ""
				}
			case strings.HasPrefix(t, "```"), strings.HasPrefix(t, "~~~"):
				fence = t[:3]
			case strings.HasPrefix(line, "#"):
				h := strings.TrimLeft(line, "#")
				if n := len(line) - len(h); n <= 6 && (strings.HasPrefix(h, " ") || strings.HasPrefix(h, "\t")) && !yield(strings.TrimSpace(h)) {
					return
				}
			}
		}
	}
}
