package config

import (
	"bytes"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"memsync"
)

// Excluded reports whether the scope's ignore patterns take p out.
func Excluded(s memsync.Scope, p memsync.Path) bool {
	rel := string(p.Rel(s.Dir))
	for _, pattern := range s.Ignore {
		if ok, _ := doublestar.Match(pattern, rel); ok {
			return true
		}
		if !strings.Contains(pattern, "/") {
			if ok, _ := doublestar.Match(pattern, p.Base()); ok {
				return true
			}
		}
	}
	return false
}

// PutScope is the file in which the [[scope]] entry of a directory says what s
// says: a value is replaced, a key added, or the whole entry where there was
// none. Comments and every other byte stay; what can't be done so is
// CodeConfig.
func PutScope(data []byte, s memsync.Scope) ([]byte, error) {
	s = withDefaults(s)
	now, n, d, err := entryOf(data, s.Dir)
	if err != nil {
		return nil, err
	}
	if n < 0 {
		return AddScope(data, s)
	}
	put := func(name, value string) error {
		out, err := d.setInEntry(n, name, value)
		if err != nil {
			return err
		}
		data = append(bytes.Clone(data[:d.bom]), out...)
		d, err = scan(data)
		return err
	}
	for _, k := range scopeTable {
		v := k.get(&s)
		if v == k.get(&now) {
			continue
		}
		if v != "" {
			v = literal(v)
		}
		if err := put(k.name, v); err != nil {
			return nil, err
		}
	}
	if !slices.Equal(s.Ignore, now.Ignore) {
		if err := put("ignore", literals(s.Ignore)); err != nil {
			return nil, err
		}
	}
	after, m, _, err := entryOf(data, s.Dir)
	if err == nil && (m != n || slices.ContainsFunc(scopeTable, func(k scopeKey) bool { return k.get(&after) != k.get(&s) }) || !slices.Equal(after.Ignore, s.Ignore)) {
		err = &memsync.Error{Code: memsync.CodeConfig, Message: "the scope " + string(s.Dir) + " can't be edited without rewriting what a person wrote",
			Hint: "edit its [[scope]] entry in memsync.toml"}
	}
	return data, err
}

// DropScope is the file without the [[scope]] entry of a directory. Comments
// below its last key stay.
func DropScope(data []byte, dir memsync.Path) ([]byte, error) {
	_, n, d, err := entryOf(data, dir)
	if err != nil || n < 0 {
		return data, err
	}
	first, last := span{-1, -1}, span{}
	for _, it := range d.items {
		if it.entry != n {
			continue
		}
		if it.inline {
			return nil, d.byHand(key{name: "scope"}, it.key)
		}
		if first.from < 0 {
			first = it.line
		}
		last = it.line
	}
	out := d.splice(span{d.wholeLines(first).from, d.wholeLines(last).to}, "")
	out = append(bytes.Clone(data[:d.bom]), out...)
	if _, err := Parse(out); err != nil {
		return nil, err
	}
	return out, nil
}

// entryOf finds the entry of a directory: what it says and which it is, -1 for
// none.
func entryOf(data []byte, dir memsync.Path) (memsync.Scope, int, *document, error) {
	d, err := scan(data)
	if err != nil {
		return memsync.Scope{}, -1, nil, err
	}
	p, err := Parse(data)
	if err != nil {
		return memsync.Scope{}, -1, d, err
	}
	for i, s := range p.Scopes {
		if s.Dir == dir {
			return s, i, d, nil
		}
	}
	return memsync.Scope{}, -1, d, nil
}

// setInEntry writes one key of an entry; "" takes its line away.
func (d *document) setInEntry(n int, name, value string) ([]byte, error) {
	var last *item
	for i := range d.items {
		it := &d.items[i]
		switch {
		case it.entry != n:
			continue
		case it.inline:
			return nil, d.byHand(key{name: "scope." + name}, it.key)
		case it.name == "scope."+name:
			if value == "" {
				return d.splice(d.wholeLines(it.line), ""), nil
			}
			return d.splice(it.line, name+" = "+value), nil
		}
		last = it
	}
	if value == "" {
		return d.data, nil
	}
	return d.splice(d.after(last.line), d.newline()+name+" = "+value), nil
}

func literals(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = literal(s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}
