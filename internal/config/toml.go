package config

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"memsync"
)

// A TOML file as a flat list of what it says, each with its place, so that an
// error can point and an edit can splice. go-toml decodes the values and
// refuses what is not TOML; its parser gives the places.

// item is one value, table or table entry.
type item struct {
	name   string // dotted, [[scope]] without number: "scope.path"
	entry  int    // which entry of its list ([[scope]], [[into]]), counted from 0; -1 outside
	value  any    // string, int64, bool, []any, …; nil for a header
	header bool   // a table: [x], [[x]] or { … }
	array  bool   // with header: one of a list of tables
	inline bool   // it stands inside { … } or [ … ]
	key    span   // of its last key
	val    span   // of the value's bytes
	line   span   // of the whole expression, without its newline
}

type span struct{ from, to int }

type document struct {
	data  []byte // without BOM
	bom   int    // bytes of the BOM
	items []item
}

// scan reads a file or says where it is not TOML.
func scan(data []byte) (*document, error) {
	d := &document{data: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))}
	d.bom = len(data) - len(d.data)
	var tree map[string]any
	if err := toml.Unmarshal(d.data, &tree); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, column := at.Position()
			return nil, &memsync.Error{Code: memsync.CodeConfig, Line: line, Column: column,
				Message: strings.TrimPrefix(at.Error(), "toml: ")}
		}
		return nil, &memsync.Error{Code: memsync.CodeConfig, Message: "not a TOML file", Err: err}
	}
	var p unstable.Parser
	p.Reset(d.data)
	table, entries, entry := "", map[string]int{}, -1
	for p.NextExpression() {
		e := p.Expression()
		name, at := keyOf(e)
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = name
			array := e.Kind == unstable.ArrayTable
			switch {
			case array && isList(name):
				entry = entries[name]
				entries[name]++
			case !strings.HasPrefix(name, "scope.") && !strings.HasPrefix(name, intoTable+"."): // [scope.x] belongs to the entry above it
				entry = -1
			}
			d.items = append(d.items, item{name: name, entry: entry, header: true, array: array, key: at, line: d.lineOf(at)})
		case unstable.KeyValue:
			if table != "" {
				name = table + "." + name
			}
			d.value(e.Value(), item{name: name, entry: entry, key: at, line: span{int(e.Raw.Offset), int(e.Raw.Offset + e.Raw.Length)}})
		}
	}
	if err := p.Error(); err != nil {
		return nil, &memsync.Error{Code: memsync.CodeConfig, Message: "not a TOML file", Err: err}
	}
	return d, nil
}

// value notes a value, and what stands in it when it is a table or a list of
// tables: `git = { commit = "auto" }` says the same as [git].
func (d *document) value(n *unstable.Node, it item) {
	switch n.Kind {
	case unstable.InlineTable:
		d.items = append(d.items, item{name: it.name, entry: it.entry, header: true, array: it.array, inline: true, key: it.key, line: it.line})
		for c := n.Children(); c.Next(); {
			kv := c.Node()
			name, at := keyOf(kv)
			d.value(kv.Value(), item{name: it.name + "." + name, entry: it.entry, inline: true, key: at, line: it.line})
		}
	case unstable.Array:
		list, tables := []any{}, 0
		for c := n.Children(); c.Next(); {
			child := c.Node()
			if child.Kind == unstable.InlineTable {
				sub := it
				sub.inline, sub.array = true, true
				if isList(it.name) {
					sub.entry = tables
				}
				tables++
				d.value(child, sub)
				continue
			}
			list = append(list, scalar(child))
		}
		if tables == 0 || len(list) > 0 {
			it.value = list
			d.items = append(d.items, it)
		}
	default:
		it.value = scalar(n)
		it.val = span{int(n.Raw.Offset), int(n.Raw.Offset + n.Raw.Length)}
		d.items = append(d.items, it)
	}
}

// scalar is a value as go-toml reads it. The parser does not decode numbers;
// a decoder over the raw bytes does, and it has already accepted them.
func scalar(n *unstable.Node) any {
	switch n.Kind {
	case unstable.String:
		return string(n.Data)
	case unstable.Bool:
		return len(n.Data) > 0 && n.Data[0] == 't'
	case unstable.Integer, unstable.DateTime, unstable.LocalDate, unstable.LocalDateTime, unstable.LocalTime, unstable.Float:
		var one struct{ V any }
		if err := toml.Unmarshal(append([]byte("V = "), n.Data...), &one); err == nil {
			return one.V
		}
	}
	return nil
}

// keyOf is the dotted name of an expression and the place of its last part. A
// part that holds a dot itself stays quoted, so that it is no key of ours.
func keyOf(n *unstable.Node) (string, span) {
	var parts []string
	var at span
	for k := n.Key(); k.Next(); {
		part := string(k.Node().Data)
		if part == "" || strings.Contains(part, ".") {
			part = strconv.Quote(part)
		}
		parts = append(parts, part)
		r := k.Node().Raw
		at = span{int(r.Offset), int(r.Offset + r.Length)}
	}
	return strings.Join(parts, "."), at
}

// lineOf is the line that holds a place, without its newline.
func (d *document) lineOf(at span) span {
	from := bytes.LastIndexByte(d.data[:at.from], '\n') + 1
	to := len(d.data)
	if i := bytes.IndexByte(d.data[at.to:], '\n'); i >= 0 {
		to = at.to + i
	}
	return span{from, to}
}

// fail is an error at a place; columns count bytes, as an editor without the
// BOM shows them.
func (d *document) fail(at span, message string) *memsync.Error {
	before := d.data[:at.from]
	line := bytes.Count(before, []byte{'\n'}) + 1
	return &memsync.Error{Code: memsync.CodeConfig, Line: line, Column: at.from - bytes.LastIndexByte(before, '\n'), Message: message}
}

// newline is the file's own line end.
func (d *document) newline() string {
	if i := bytes.IndexByte(d.data, '\n'); i > 0 && d.data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
