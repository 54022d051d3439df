package compose

import (
	"fmt"
	"strconv"

	"memsync"
	"memsync/internal/format"
)

// Reading a tree by a form: each key of a mapping has a reader of its own, and
// the first value out of place ends it, with its line and column.

// key is one key of a mapping: how its value is read.
type key struct {
	name     string
	required bool
	read     func(t *format.Tree, name string) error
}

// readMapping reads the keys of a mapping. name is its dotted place, "" for the
// whole frontmatter. A key with nothing behind it is absent.
func readMapping(t *format.Tree, name string, keys ...key) error {
	if t.Shape != format.MappingShape {
		return wrong(t, name, "a mapping")
	}
	seen := make(map[string]bool, len(t.Items))
	for i := range t.Items {
		item := &t.Items[i]
		k, ok := findKey(keys, item.Key)
		if !ok {
			return unknown(item, name, keys)
		}
		if item.Null {
			continue
		}
		seen[k.name] = true
		if err := k.read(item, dotted(name, k.name)); err != nil {
			return err
		}
	}
	for _, k := range keys {
		if k.required && !seen[k.name] {
			return fault(t.At, dotted(name, k.name)+" is missing", "write `"+k.name+": …`")
		}
	}
	return nil
}

func findKey(keys []key, name string) (key, bool) {
	for _, k := range keys {
		if k.name == name {
			return k, true
		}
	}
	return key{}, false
}

func unknown(t *format.Tree, name string, keys []key) error {
	known := make([]string, len(keys))
	for i, k := range keys {
		known[i] = k.name
	}
	return fault(t.KeyAt, "unknown key "+strconv.Quote(clip(dotted(name, t.Key)))+didYouMean(t.Key, known), "known here: "+join(known))
}

func dotted(name, key string) string {
	if name == "" {
		return key
	}
	return name + "." + key
}

// group is a key that holds a mapping.
func group(name string, keys ...key) key {
	return key{name: name, read: func(t *format.Tree, name string) error { return readMapping(t, name, keys...) }}
}

// required is a key that must be there.
func required(k key) key {
	k.required = true
	return k
}

// words is a key that holds text, not empty.
func words(name string, into *string) key {
	return key{name: name, read: func(t *format.Tree, name string) (err error) {
		*into, err = readText(t, name)
		return err
	}}
}

// short is a key that holds a name.
func short(name string, into *string) key {
	return key{name: name, read: func(t *format.Tree, name string) (err error) {
		*into, err = readName(t, name)
		return err
	}}
}

func readText(t *format.Tree, name string) (string, error) {
	switch {
	case t.Shape != format.ScalarShape:
		return "", wrong(t, name, "text")
	case t.Null || oneLine(t.Text) == "":
		return "", fault(t.At, name+" is empty", "write it out, or leave it away")
	}
	return t.Text, nil
}

func readName(t *format.Tree, name string) (string, error) {
	s, err := readText(t, name)
	if err != nil {
		return "", err
	}
	return s, checkName(t.At, name, s)
}

// checkName holds a name to its limit.
func checkName(at format.Position, name, s string) error {
	if n := len([]rune(s)); n > MaxName {
		return fault(at, fmt.Sprintf("%s has %d characters, the limit is %d", name, n, MaxName), "name it shorter")
	}
	return nil
}

// texts is a key that holds a list of texts.
func texts(name string, into *[]string) key {
	return each(name, func(t *format.Tree, name string) error {
		s, err := readText(t, name)
		*into = append(*into, s)
		return err
	})
}

// each is a key that holds a list; read takes one item.
func each(name string, read func(t *format.Tree, name string) error) key {
	return key{name: name, read: func(t *format.Tree, name string) error {
		if t.Shape != format.ListShape {
			return wrong(t, name, "a list")
		}
		for i := range t.Items {
			if err := read(&t.Items[i], name+"["+strconv.Itoa(i+1)+"]"); err != nil {
				return err
			}
		}
		return nil
	}}
}

// named is a key that holds a mapping whose keys its author chooses; read takes
// the value of one.
func named(name string, read func(t *format.Tree, name string) error) key {
	return key{name: name, read: func(t *format.Tree, name string) error {
		if t.Shape != format.MappingShape {
			return wrong(t, name, "a mapping")
		}
		for i := range t.Items {
			item := &t.Items[i]
			if oneLine(item.Key) == "" {
				return fault(item.KeyAt, name+" has a key without a name", "name it")
			}
			if err := checkName(item.KeyAt, "a key of "+name, item.Key); err != nil {
				return err
			}
			if err := read(item, dotted(name, clip(item.Key))); err != nil {
				return err
			}
		}
		return nil
	}}
}

// number is a key that holds a whole number from least to most.
func number(name string, least, most int, into *int) key {
	return key{name: name, read: func(t *format.Tree, name string) error {
		want := fmt.Sprintf("a whole number from %d to %d", least, most)
		if t.Shape != format.ScalarShape {
			return wrong(t, name, want)
		}
		n, err := strconv.Atoi(t.Text)
		if err != nil || n < least || n > most || strconv.Itoa(n) != t.Text {
			return fault(t.At, name+" is not "+want, "")
		}
		*into = n
		return nil
	}}
}

// truth is a key that holds true or false.
func truth(name string, into *bool) key {
	return key{name: name, read: func(t *format.Tree, name string) error {
		if t.Shape != format.ScalarShape || t.Text != "true" && t.Text != "false" {
			return fault(t.At, name+" is not true or false", "")
		}
		*into = t.Text == "true"
		return nil
	}}
}

func wrong(t *format.Tree, name, want string) error {
	if name == "" {
		name = "the frontmatter"
	}
	is := map[format.Shape]string{format.ScalarShape: "text", format.ListShape: "a list", format.MappingShape: "a mapping"}[t.Shape]
	if t.Null {
		is = "nothing"
	}
	return fault(t.At, name+" is "+is+", not "+want, "")
}

func fault(at format.Position, message, hint string) *memsync.Error {
	return &memsync.Error{Code: memsync.CodeFrontmatter, Message: message, Line: at.Line, Column: at.Column, Hint: hint}
}
