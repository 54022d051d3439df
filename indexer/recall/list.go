package recall

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"memsync"
	"memsync/internal/format"
	"memsync/internal/text"
)

// extent is what a text takes of the budget.
type extent struct{ lines, bytes int }

func (a extent) within(b extent) bool { return a.lines <= b.lines && a.bytes <= b.bytes }

// list is the generated list in the making.
type list struct {
	scope  memsync.Scope
	index  *format.Index
	limits memsync.Limits
	before []byte // people's text above the region, with the blank line that sets it apart
	after  []byte
	eol    string
	toPage string // from MEMORY.md's directory to the pages, as it stands in links
	toFile string // and from a page to that directory

	people extent // people's text
	room   extent // what the region may take
	needed extent // what it would take with every entry
	used   extent // what it takes

	sections []*section
	text     []byte // every entry's line, one after the other
	flat     bool   // no headings: the last resort
}

// section is the pinned entries, or a type with its heading.
type section struct {
	name    string
	heading bool
	entries []entry // sorted; those from kept on stand on pages
	kept    int

	tops     []string // the pages that the tail needs
	topBytes int      // what their links take
}

// entry is one memory's line, in list.text.
type entry struct {
	prefix            uint64 // of the sort key, so that most comparisons are one
	memory            *memsync.Memory
	start, split, end int
}

// minRegionLines is what the region gets however long people's text is.
const minRegionLines = 20

// sectionNames are the sections in order; index 0 has no heading.
var sectionNames = [...]string{"pinned", "user", "feedback", "project", "reference", "other"}

func sectionOf(m *memsync.Memory) int {
	if m.Kind == memsync.KindUnreadable {
		return len(sectionNames) - 1
	}
	if m.Pinned {
		return 0
	}
	return 1 + typeRank(m.Type)
}

func typeRank(t memsync.Type) int {
	if i := slices.Index(memsync.Types, t); i >= 0 {
		return i
	}
	return len(memsync.Types)
}

// listable reports whether a memory of the scope belongs into MEMORY.md at
// all: logs, people's prose and reserved files do not.
func listable(m *memsync.Memory, scope memsync.Scope) bool {
	if m.Kind == memsync.KindLog || m.Kind == memsync.KindProse {
		return false
	}
	rel := string(m.Path.Rel(scope.Dir))
	if !strings.Contains(rel, "_") {
		return true
	}
	top, _, _ := strings.Cut(rel, "/")
	switch top {
	case "_index", "_system", "_inbox":
		return false
	}
	return rel[strings.LastIndexByte(rel, '/')+1] != '_'
}

// SameEntry reports whether a list looks the same with a memory before and
// after a change: all that Digest reads of it.
func SameEntry(a, b *memsync.Memory) bool {
	return a.Path == b.Path && a.ID == b.ID && a.Scope == b.Scope && a.Kind == b.Kind && a.Type == b.Type && a.Pinned == b.Pinned &&
		a.Name == b.Name && a.SortKey == b.SortKey && a.Description == b.Description && a.Hook == b.Hook
}

func newList(in Input, index *format.Index, lim memsync.Limits) *list {
	l := &list{
		scope: in.Scope, index: index, limits: lim,
		before: index.Before(), after: index.After(), eol: index.EOL,
		toPage: target(Relative(in.Scope.Dir, PagesDir(in.Scope))),
		toFile: target(Relative(PagesDir(in.Scope), in.Scope.Dir)),
	}
	if !index.HasRegion() {
		l.before = setApart(l.before, l.eol)
	}
	l.people = extent{countLines(l.before) + countLines(l.after), len(l.before) + len(l.after)}
	l.room = extent{
		max(lim.IndexLines-l.people.lines, minRegionLines),
		max(lim.IndexBytes-l.people.bytes, lim.IndexBytes*minRegionLines/lim.IndexLines),
	}
	for i, name := range sectionNames {
		l.sections = append(l.sections, &section{name: name, heading: i > 0})
	}
	size := 0
	byHand := handListed(in.View, in.Scope, index.Outside())
	for m := range in.View.InScope(in.Scope.Name()) {
		if _, there := byHand[m.Path]; there || !listable(m, in.Scope) {
			continue
		}
		s := l.sections[sectionOf(m)]
		s.entries = append(s.entries, entry{memory: m, prefix: prefix(sortKey(m))})
		size += len(m.Name) + len(m.Path) + len(m.Description) + len(m.Hook) + len("- []() — ")
	}
	l.text = make([]byte, 0, size)
	for i, s := range l.sections {
		slices.SortFunc(s.entries, func(a, b entry) int {
			if i == 0 { // pinned ones of all types: by type first
				if c := cmp.Compare(typeRank(a.memory.Type), typeRank(b.memory.Type)); c != 0 {
					return c
				}
			}
			if c := cmp.Compare(a.prefix, b.prefix); c != 0 {
				return c
			}
			return cmp.Or(
				strings.Compare(sortKey(a.memory), sortKey(b.memory)),
				strings.Compare(string(a.memory.ID), string(b.memory.ID)),
				strings.Compare(string(a.memory.Path), string(b.memory.Path)),
			)
		})
		s.kept = len(s.entries)
		l.write(s)
	}
	l.needed = l.extent()
	return l
}

// sortKey is the memory's place in its type; a file without a header has its
// file name.
func sortKey(m *memsync.Memory) string {
	if m.SortKey == "" {
		return text.Fold(m.Path.Base())
	}
	return m.SortKey
}

// prefix are the first eight bytes of s, in an order that is that of strings.
func prefix(s string) (p uint64) {
	for i := range 8 {
		p <<= 8
		if i < len(s) {
			p |= uint64(s[i])
		}
	}
	return p
}

// write makes the lines of a section's entries.
func (l *list) write(s *section) {
	for i := range s.entries {
		e := &s.entries[i]
		e.start = len(l.text)
		l.text, e.split = format.AppendIndexEntry(l.text, entryOf(e.memory, l.scope), l.limits.DescriptionChars)
		e.end = len(l.text)
	}
}

// entryOf is what a memory's line says.
func entryOf(m *memsync.Memory, scope memsync.Scope) format.IndexEntry {
	e := format.IndexEntry{Label: m.Name, Target: string(m.Path.Rel(scope.Dir)), Text: m.Hook}
	if e.Text == "" {
		e.Text = m.Description
	}
	if m.Kind == memsync.KindUnreadable {
		e.Text = "unreadable"
		e.Label = ""
	}
	if format.OneLine(e.Label, 0) == "" {
		e.Label = m.Path.Base()
	}
	return e
}

// setApart is people's text with what must stand between it and a new region:
// a line end where it has none, one blank line.
func setApart(people []byte, eol string) []byte {
	body := bytes.TrimPrefix(people, []byte("\ufeff"))
	if len(body) == 0 {
		return people
	}
	out := slices.Clone(people)
	if body[len(body)-1] != '\n' {
		out = append(out, eol...)
	}
	last := bytes.TrimSuffix(bytes.TrimSuffix(out, []byte("\n")), []byte("\r"))
	if at := bytes.LastIndexByte(last, '\n'); len(bytes.TrimSpace(last[at+1:])) > 0 {
		out = append(out, eol...)
	}
	return out
}

// countLines counts lines; one without a line end is one too.
func countLines(b []byte) int {
	n := bytes.Count(b, []byte{'\n'})
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}

func target(rel string) string { return string(format.AppendTarget(nil, rel)) }

// Relative is the path from one directory of the store to another, ending in a
// slash, or empty for the same.
func Relative(from, to memsync.Path) string {
	split := func(p memsync.Path) []string {
		if p == "" {
			return nil
		}
		return strings.Split(string(p), "/")
	}
	a, b := split(from), split(to)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	var out strings.Builder
	for range a {
		out.WriteString("../")
	}
	for _, elem := range b {
		out.WriteString(elem)
		out.WriteByte('/')
	}
	return out.String()
}
