package config

import (
	"bytes"
	"fmt"
	"strings"

	"memsync"
)

// Set is the file with one key changed: the bytes of its value, or one line
// more where it did not stand there; comments and every other byte stay. The
// value is text as a person types it: 200, true, auto. A value the key does
// not take is CodeConfig, and the file is not touched.
func Set(data []byte, name, value string) ([]byte, error) {
	k, ok := findKey(name)
	switch {
	case name == "format":
		return nil, &memsync.Error{Code: memsync.CodeConfig, Message: "format is the version of the store's files and can't be set"}
	case strings.HasPrefix(name, "scope"):
		return nil, &memsync.Error{Code: memsync.CodeConfig, Message: "a scope can't be set by a key",
			Hint: "edit its [[scope]] entry in memsync.toml"}
	case !ok:
		return nil, unknownKey(name, Keys())
	}
	v, err := k.parseText(value)
	if err != nil {
		return nil, &memsync.Error{Code: memsync.CodeConfig, Message: err.Error()}
	}
	before, err := Parse(data)
	if err != nil {
		return nil, err
	}
	d, err := scan(data)
	if err != nil {
		return nil, err
	}
	out, err := d.set(k, literal(v))
	if err != nil {
		return nil, err
	}
	out = append(bytes.Clone(data[:d.bom]), out...)
	// The edit is believed only when reading it back says so.
	k.set(&before, v)
	after, err := Parse(out)
	if err != nil || !bytes.Equal(Default(before), Default(after)) {
		return nil, d.byHand(k, span{})
	}
	return out, nil
}

func (d *document) set(k key, value string) ([]byte, error) {
	var table, sibling *item // [table], and the last key that stands in the table however it is written
	for i := range d.items {
		it := &d.items[i]
		switch {
		case it.name == k.name:
			return d.splice(it.val, value), nil
		case it.name == k.table() && it.header:
			table = it
		case strings.HasPrefix(it.name, k.table()+"."):
			sibling = it
		}
	}
	line := k.short() + " = " + value
	switch {
	case table != nil && table.inline:
		return nil, d.byHand(k, table.key)
	case table == nil && sibling != nil: // git.commit = … without [git]
		return d.splice(d.after(sibling.line), d.newline()+k.table()+"."+line), nil
	case sibling != nil:
		return d.splice(d.after(sibling.line), d.newline()+line), nil
	case table != nil:
		return d.splice(d.after(table.line), d.newline()+line), nil
	}
	end := ""
	if n := len(d.data); n > 0 {
		end = d.newline()
		if d.data[n-1] != '\n' {
			end += d.newline()
		}
	}
	nl := d.newline()
	return d.splice(span{len(d.data), len(d.data)}, end+"["+k.table()+"]"+nl+line+nl), nil
}

// after is the empty place at the end of the line on which an expression ends,
// behind its comment.
func (d *document) after(line span) span {
	to := d.lineOf(span{line.to, line.to}).to
	if to > 0 && d.data[to-1] == '\r' {
		to--
	}
	return span{to, to}
}

func (d *document) splice(at span, text string) []byte {
	out := make([]byte, 0, len(d.data)+len(text))
	out = append(out, d.data[:at.from]...)
	out = append(out, text...)
	return append(out, d.data[at.to:]...)
}

func (d *document) byHand(k key, at span) error {
	e := d.fail(at, fmt.Sprintf("%s can't be added here without rewriting what a person wrote", k.name))
	e.Hint = "add it to memsync.toml in an editor"
	return e
}
