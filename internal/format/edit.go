package format

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"memsync"
)

// New makes a document: frontmatter in the order given (none when empty), a
// blank line, the body with a final newline.
func New(fields []memsync.Field, body string) (*Document, error) {
	body = strings.ReplaceAll(body, "\r\n", "\n")
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	set := 0
	for _, f := range fields {
		if !f.Remove {
			set++
		}
	}
	if set == 0 {
		d, err := Parse([]byte(body), memsync.Limits{})
		if err == nil && d.fm {
			err = &memsync.Error{Code: memsync.CodeFrontmatter, Message: "the text begins with a frontmatter block of its own", Line: 1, Column: 1,
				Hint: "pass its keys as fields and the rest as the text"}
		}
		if err != nil {
			return nil, err
		}
		return d, nil
	}
	raw := "---\n---\n"
	if body != "" {
		raw += "\n" + body
	}
	d, err := Parse([]byte(raw), memsync.Limits{})
	for _, f := range fields {
		if err != nil {
			return nil, err
		}
		if !f.Remove {
			d, err = d.Set(f.Key, f.Value)
		}
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Set changes the bytes of one key only, or refuses (CodeUneditable) and
// changes nothing. A key that is not there is added as the last of its block;
// mappings on the way to a dotted key are made. Setting what is there already
// gives d itself.
func (d *Document) Set(key string, v memsync.Value) (*Document, error) {
	if err := d.editable(); err != nil {
		return nil, err
	}
	if err := checkValue(key, v); err != nil {
		return nil, err
	}
	n := lookup(d.keys, key)
	if n == nil {
		return d.insert(key, v)
	}
	if n.kind != mapping && equalValue(n.value(), v) {
		return d, nil
	}
	if n.kind == mapping && len(n.sub) > 0 || n.unsure {
		return nil, d.uneditable(n, "the value of "+key+" is not one that a single value can replace", "name the key inside it, as in "+key+".type, or edit the file by hand")
	}
	raw, ok := d.replace(key, n, v)
	if !ok {
		return nil, d.uneditable(n, "the value of "+key+" cannot be told from what is around it", "edit the file by hand")
	}
	return d.commit(raw, key, &v)
}

// Remove takes a key and its bytes away; where it is not there, it gives d
// itself.
func (d *Document) Remove(key string) (*Document, error) {
	if err := d.editable(); err != nil {
		return nil, err
	}
	parent, i := findEntry(d.keys, d.rootFlow, key)
	if i < 0 {
		return d, nil
	}
	siblings, inFlow := parent.siblings, parent.inFlow
	n := &siblings[i]
	if n.unsure {
		return nil, d.uneditable(n, "where "+key+" ends cannot be told", "edit the file by hand")
	}
	from, to := n.line, n.lineEnd
	if inFlow {
		switch {
		case i+1 < len(siblings):
			from, to = n.keyAt, siblings[i+1].keyAt
		case i > 0:
			from, to = siblings[i-1].end, n.end
		default:
			from, to = n.keyAt, n.end
		}
	}
	return d.commit(splice(d.raw, from, to, ""), key, nil)
}

// InsertID puts `id: <ULID>` directly after the opening fence, with the file's
// line end. A file that has an id, or no frontmatter, is refused.
func (d *Document) InsertID(id memsync.ID) (*Document, error) {
	if err := d.editable(); err != nil {
		return nil, err
	}
	if _, err := memsync.ParseID(string(id)); err != nil {
		return nil, err
	}
	if n := lookup(d.keys, "id"); n != nil {
		return nil, d.uneditable(n, "the file has an id already", "keep it; an id never changes")
	}
	v := memsync.Text(string(id))
	if d.rootFlow != nil {
		text := "id: " + string(id)
		if len(d.keys) > 0 {
			text += ", "
		}
		at := d.rootFlow.at + 1
		return d.commit(splice(d.raw, at, at, text), "id", &v)
	}
	indent := ""
	if len(d.keys) > 0 {
		indent = string(d.raw[d.keys[0].line:d.keys[0].keyAt])
	}
	return d.commit(splice(d.raw, d.fmStart, d.fmStart, indent+"id: "+string(id)+d.eol), "id", &v)
}

// editable refuses every edit of a file without frontmatter or with constructs
// that a byte-exact edit cannot step around.
func (d *Document) editable() error {
	if !d.fm {
		return &memsync.Error{Code: memsync.CodeUneditable, Message: "the file has no frontmatter, and none is pushed into it", Line: 1, Column: 1,
			Hint: "add a block of two `---` lines at the top of the file yourself, or leave it as it is: its identity is in the ledger"}
	}
	if d.bad != nil {
		e := *d.bad
		return &e
	}
	return nil
}

func (d *Document) uneditable(n *node, what, hint string) error {
	e := &memsync.Error{Code: memsync.CodeUneditable, Message: what, Hint: hint}
	e.Line, e.Column = position(d.raw, n.keyAt)
	return e
}

// checkValue refuses text that no file may hold.
func checkValue(key string, v memsync.Value) error {
	for _, s := range append([]string{key, v.Text}, v.List...) {
		if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
			return &memsync.Error{Code: memsync.CodeEncoding, Message: fmt.Sprintf("the value of %q is not UTF-8 text, or holds a NUL", clip(strings.ToValidUTF8(key, "�"))),
				Hint: "pass text"}
		}
	}
	for seg := range strings.SplitSeq(key, ".") {
		if seg == "" {
			return &memsync.Error{Code: memsync.CodeUsage, Message: fmt.Sprintf("%q is no name of a key", clip(key)), Hint: "name it as in `description` or `metadata.type`"}
		}
	}
	return nil
}

// commit parses the edited bytes and hands them out only if nothing but the
// one key reads differently.
func (d *Document) commit(raw []byte, key string, want *memsync.Value) (*Document, error) {
	// The limits are for files that come in; who writes is told at the door.
	out, err := Parse(raw, memsync.Limits{})
	if err == nil && d.onlyChanged(out, key, want) {
		out.lim = d.lim
		return out, nil
	}
	e := &memsync.Error{Code: memsync.CodeUneditable, Message: "changing " + clip(key) + " would change how another part of the frontmatter is read",
		Hint: "edit the file by hand", Line: 1, Column: 1, Err: err}
	if n := lookup(d.keys, key); n != nil {
		e.Line, e.Column = position(d.raw, n.keyAt)
	}
	return nil, e
}

// onlyChanged reports whether out is d with key set to want (nil: gone).
func (d *Document) onlyChanged(out *Document, key string, want *memsync.Value) bool {
	n := lookup(out.keys, key)
	switch {
	case want == nil:
		if n != nil {
			return false
		}
	case n == nil || n.kind == mapping || !equalValue(n.value(), *want):
		return false
	}
	if !out.fm || string(out.raw[out.after:]) != string(d.raw[d.after:]) || out.bad != nil {
		return false
	}
	type leaf struct{ name, value string }
	others := func(d *Document) (list []leaf) {
		d.leaves(func(name string, n *node) {
			if name == key || strings.HasPrefix(name, key+".") {
				return
			}
			if strings.HasPrefix(key, name+".") && (n.null() || n.kind == mapping) {
				return // a mapping on the way that has, or had, nothing in it
			}
			list = append(list, leaf{name, n.json()})
		})
		return list
	}
	before, after := others(d), others(out)
	if len(before) != len(after) {
		return false
	}
	for i := range before {
		if before[i] != after[i] {
			return false
		}
	}
	return true
}

func equalValue(a, b memsync.Value) bool {
	if a.IsList != b.IsList {
		return false
	}
	if !a.IsList {
		return a.Text == b.Text
	}
	if len(a.List) != len(b.List) {
		return false
	}
	for i := range a.List {
		if a.List[i] != b.List[i] {
			return false
		}
	}
	return true
}

func splice(raw []byte, from, to int, text string) []byte {
	out := make([]byte, 0, len(raw)-(to-from)+len(text))
	out = append(out, raw[:from]...)
	out = append(out, text...)
	return append(out, raw[to:]...)
}
