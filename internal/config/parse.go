package config

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"memsync"
)

// Parse reads memsync.toml. A nil or empty file is every default. Errors are
// *memsync.Error with CodeConfig (CodeStoreFormat for a format this program
// does not know) and, unless the file is no TOML at all in a way that has no
// place, line and column; for an unknown key with the nearest name. Path is
// left to the caller.
//
// Of a [[scope]] the entry is filled in as far as the file alone says it:
// Kind stays "" where the place decides, and Scopes does the rest.
func Parse(data []byte) (memsync.Policy, error) {
	p := memsync.DefaultPolicy()
	d, err := scan(data)
	if err != nil {
		return memsync.Policy{}, err
	}
	// A newer format may have keys and values that nobody here can judge.
	for _, it := range d.items {
		if n, ok := it.value.(int64); ok && it.name == "format" && n > memsync.FormatNumber {
			e := d.fail(it.key, fmt.Sprintf("this store has format %d, this program knows format %d", n, memsync.FormatNumber))
			e.Code, e.Hint = memsync.CodeStoreFormat, "install a newer memsync; until then the store is only read"
			return memsync.Policy{}, e
		}
	}
	r := reader{document: d}
	for _, it := range d.items {
		if err := r.item(&p, it); err != nil {
			return memsync.Policy{}, err
		}
	}
	if p.Scopes, err = r.finish(); err != nil {
		return memsync.Policy{}, err
	}
	if p.Into, err = r.finishInto(); err != nil {
		return memsync.Policy{}, err
	}
	return p, nil
}

type reader struct {
	*document
	entries []*entry // of [[scope]]
	into    []*intoEntry
}

func (r *reader) item(p *memsync.Policy, it item) error {
	if it.name == "scope" || strings.HasPrefix(it.name, "scope.") {
		return r.scopeItem(it)
	}
	if it.name == intoTable || strings.HasPrefix(it.name, intoTable+".") {
		return r.intoItem(it)
	}
	if isTable(it.name) {
		if it.header && !it.array {
			return nil
		}
		return r.fail(it.key, it.name+" is one table: write ["+it.name+"]")
	}
	k, ok := findKey(it.name)
	if !ok {
		return r.unknown(it)
	}
	v, err := k.fromTOML(it.value)
	if err != nil {
		return r.fail(cmp.Or(it.val, it.key), err.Error())
	}
	k.set(p, v)
	return nil
}

// fromTOML is a decoded value as the policy holds it.
func (k key) fromTOML(v any) (any, error) {
	switch n := v.(type) {
	case int64:
		if k.kind == anInt && n == int64(int32(n)) { // no limit of a text file needs more
			return int(n), k.valid(int(n))
		}
		if k.kind == anInt {
			return nil, fmt.Errorf("%s is far too large", k.name)
		}
	case string:
		if k.kind == aString {
			return n, k.valid(n)
		}
	case bool:
		if k.kind == aBool {
			return n, nil
		}
	}
	return nil, fmt.Errorf("%s must be %s", k.name, k.kind)
}

// isTable reports whether name is a table of memsync.toml.
func isTable(name string) bool {
	if name == lintTable {
		return true
	}
	for _, k := range keys {
		if k.table() == name {
			return true
		}
	}
	return false
}

func (r *reader) unknown(it item) error {
	known := Keys()
	switch {
	case strings.HasPrefix(it.name, "scope."):
		known = scopeKeys()
	case strings.HasPrefix(it.name, intoTable+"."):
		known = intoKeys
	case it.header:
		known = []string{"git", "scope", "normalize", "limits", "deletes", "targets", lintTable, intoTable}
	}
	e, u := r.fail(it.key, ""), unknownKey(it.name, known)
	e.Message, e.Hint = u.Message, u.Hint
	return e
}

// unknownKey names the nearest key: of the same table first, where the last
// part alone is compared, then of all.
func unknownKey(name string, known []string) *memsync.Error {
	table, short := "", name
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		table, short = name[:i+1], name[i+1:]
	}
	var near []string
	for _, k := range known {
		if rest, ok := strings.CutPrefix(k, table); ok && !strings.Contains(rest, ".") {
			near = append(near, rest)
		}
	}
	guess := didYouMean(short, near)
	if guess == "" {
		guess = didYouMean(name, known)
	}
	if guess == "" { // right name, wrong table
		for _, k := range known {
			if strings.HasSuffix(k, "."+short) {
				guess = fmt.Sprintf(" (did you mean %s?)", strconv.Quote(k))
			}
		}
	}
	return &memsync.Error{Code: memsync.CodeConfig, Message: "unknown key " + strconv.Quote(name) + guess,
		Hint: "`memsync config list` shows every key with its value"}
}
