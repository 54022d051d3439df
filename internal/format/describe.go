package format

import (
	"slices"
	"strings"

	"memsync"
	"memsync/internal/text"
)

// Describe turns a document into the Memory at path, filling what the file
// does not say: slug and kind from the path, name from the first heading,
// description from the first sentence. A file that names no type is untyped,
// whatever its name begins with. The id is the file's ULID or ""; Sketch and
// Blob are left to others.
func Describe(d *Document, path memsync.Path, scope memsync.Scope) *memsync.Memory {
	m := Header(d, path, scope)
	m.Hash, m.MetaKey = memsync.HashOf(d.raw), d.metaKey()
	return m
}

// Header is Describe without the hashes of file and frontmatter, for who
// compares with no other version.
func Header(d *Document, path memsync.Path, scope memsync.Scope) *memsync.Memory {
	m := &memsync.Memory{
		Path: path, Scope: scope.Name(), Kind: memsync.KindMemory,
		Size: int64(len(d.raw)),
		Hook: oneLine(d.text("hook")), Key: d.text("key"), Project: d.text("project"),
		Tags: d.list("tags"), Aliases: d.list("aliases"), Links: d.list("links"),
	}
	if Classify(path.Rel(scope.Dir)) == LogFile {
		m.Kind = memsync.KindLog
	}
	_, m.Slug = SplitName(path.Base())
	m.Type, m.TypeText = d.memoryType()

	body := d.Body()
	m.Name = oneLine(d.title())
	if m.Name == "" {
		m.Name = firstHeading(body)
	}
	if m.Name == "" {
		m.Name = stem(path.Base())
	}
	m.Description = oneLine(d.text("description"))
	if m.Description == "" {
		limit := d.lim.DescriptionChars
		if limit <= 0 {
			limit = memsync.DefaultLimits().DescriptionChars
		}
		m.Description = firstSentence(body, limit)
	}

	m.Tags = distinct(m.Tags, d.list("metadata.tags")...)
	if raw := d.text("id"); raw != "" {
		if id, err := memsync.ParseID(raw); err == nil {
			m.ID, m.Inline = id, true
		} else {
			m.Aliases = distinct(m.Aliases, oneLine(raw))
		}
	}
	if p := d.text("permalink"); p != "" {
		m.Aliases = distinct(m.Aliases, oneLine(p))
	}
	m.Pinned, _ = readBool(d.text("pinned"))
	m.ValidFrom, _, _ = readTime(d.text("valid_from"))
	if t, dateOnly, ok := readTime(d.text("valid_until")); ok {
		m.ValidUntil = endOf(t, dateOnly)
	}
	m.CreatedAt, _, _ = readTime(d.text("provenance.created_at"))
	if id, err := memsync.ParseID(d.text("supersedes")); err == nil {
		m.Supersedes = id
	}
	m.Target, m.Payload = d.compact("target"), d.compact("payload")
	m.Conversations = distinct(d.list("provenance.source_sessions"), nonEmpty(d.text("originSessionId"), d.text("metadata.originSessionId"))...)

	m.SortKey = text.Fold(m.Name)
	if norm := text.Normalize(body); norm != "" {
		m.BodyKey = memsync.HashOf([]byte(norm))
	}
	return m
}

// Unreadable is the Memory of bytes at HEAD that do not parse: it has no header
// and is listed by its file name, the same on every clone.
func Unreadable(data []byte, path memsync.Path, scope memsync.Scope) *memsync.Memory {
	return &memsync.Memory{Path: path, Scope: scope.Name(), Kind: memsync.KindUnreadable, Hash: memsync.HashOf(data), Size: int64(len(data)),
		Name: path.Base(), SortKey: text.Fold(path.Base())}
}

// memoryType is the type the file names: `type`, or `metadata.type` where that
// is the one that names one of the four.
func (d *Document) memoryType() (memsync.Type, string) {
	flat, nested := d.text("type"), d.text("metadata.type")
	for _, s := range []string{flat, nested} {
		if t, ok := memsync.ParseType(s); ok {
			return t, ""
		}
	}
	if flat == "" {
		flat = nested
	}
	return memsync.Untyped, oneLine(flat)
}

// title is the name the frontmatter gives.
func (d *Document) title() string {
	if s := d.text("name"); s != "" {
		return s
	}
	return d.text("title")
}

func (d *Document) list(key string) []string {
	items, _ := readList(lookup(d.keys, key))
	return items
}

// compact is the mapping at key as compact JSON, "" for none.
func (d *Document) compact(key string) string {
	n := lookup(d.keys, key)
	if n == nil || n.null() {
		return ""
	}
	return n.json()
}

// metaKey hashes the frontmatter that means something: every key but id,
// provenance, times of editing and the conversation it came from.
func (d *Document) metaKey() memsync.Hash {
	type leaf struct{ name, value string }
	list := make([]leaf, 0, 16)
	size := 0
	d.leaves(func(name string, n *node) {
		if n.null() || incidental(name) {
			return
		}
		l := leaf{name, n.text}
		if n.kind != scalar {
			l.value = n.json()
		}
		size += len(l.name) + len(l.value) + 2
		list = append(list, l)
	})
	slices.SortFunc(list, func(a, b leaf) int { return strings.Compare(a.name, b.name) })
	buf := make([]byte, 0, size)
	for _, l := range list {
		buf = append(append(buf, l.name...), 0)
		buf = append(append(buf, l.value...), 0)
	}
	return memsync.HashOf(buf)
}

// incidental reports whether a key says nothing about the memory's meaning.
func incidental(key string) bool {
	if strings.HasPrefix(key, "provenance.") {
		return true
	}
	switch strings.TrimPrefix(key, "metadata.") {
	case "id", "provenance", "modified", "originSessionId", "created", "updated", "created_at", "updated_at":
		return true
	}
	return false
}

// distinct appends what is not there yet.
func distinct(list []string, more ...string) []string {
next:
	for _, s := range more {
		for _, have := range list {
			if have == s {
				continue next
			}
		}
		list = append(list, s)
	}
	return list
}

func nonEmpty(list ...string) []string {
	out := list[:0]
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// oneLine joins what white space separates with single spaces; control
// characters count as white space, so that no value can begin a line of its
// own anywhere.
func oneLine(s string) string {
	clean := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == ' ' && (i == 0 || i == len(s)-1 || s[i-1] == ' ') {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, blank), " ")
}

func blank(r rune) bool {
	return r <= 0x20 || r >= 0x7f && r <= 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff
}
