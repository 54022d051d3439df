package config

import (
	"bytes"
	"fmt"
	"slices"
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
	return put(data, k, v)
}

// SetFormat is the file with another format number, as an upgrade or a join
// leaves it.
func SetFormat(data []byte, n int) ([]byte, error) {
	k, _ := findKey("format")
	return put(data, k, n)
}

func put(data []byte, k key, v any) ([]byte, error) {
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

// Unset is the file without a key, which then has its default; the line goes
// with its comment. A file that does not have the key stays as it is.
func Unset(data []byte, name string) ([]byte, error) {
	d, err := scan(data)
	if err != nil {
		return nil, err
	}
	for _, it := range d.items {
		if it.name != name || it.header {
			continue
		}
		if it.inline {
			return nil, d.byHand(key{name: name}, it.key)
		}
		out := append(bytes.Clone(data[:d.bom]), d.splice(d.wholeLines(it.line), "")...)
		if _, err := Parse(out); err != nil {
			return nil, err
		}
		return out, nil
	}
	return data, nil
}

// wholeLines are the lines that an expression stands on, with their newline.
func (d *document) wholeLines(at span) span {
	w := span{d.lineOf(span{at.from, at.from}).from, d.lineOf(span{at.to, at.to}).to}
	if w.to < len(d.data) {
		w.to++
	}
	return w
}

func (d *document) set(k key, value string) ([]byte, error) {
	if k.table() == "" && !slices.ContainsFunc(d.items, func(it item) bool { return it.name == k.name }) {
		return d.splice(span{0, 0}, k.name+" = "+value+d.newline()), nil // above every table
	}
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
