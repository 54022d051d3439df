package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memsync"
)

// key is one key of memsync.toml outside [[scope]]. One table drives reading,
// writing, listing and setting, so that they cannot part.
type key struct {
	name    string // dotted: "limits.body_lines"
	comment string // what init writes behind it
	kind    kind
	get     func(*memsync.Policy) any // string, int or bool
	set     func(*memsync.Policy, any)
	check   func(any) error // nil: any value of the kind will do
}

type kind string

const (
	aString kind = "a string"
	anInt   kind = "a whole number"
	aBool   kind = "true or false"
)

// keys are all of them, in the order in which a file has them.
var keys = []key{
	intKey("format", "", func(p *memsync.Policy) *int { return &p.Format }, atLeast(1)),
	stringKey("git.commit", "dedicated: auto; embedded: off", func(p *memsync.Policy) *string { return (*string)(&p.Git.Commit) },
		oneOf(string(memsync.CommitAuto), string(memsync.CommitOff))),
	stringKey("git.branch", "dedicated only", func(p *memsync.Policy) *string { return &p.Git.Branch }, branchName),
	boolKey("normalize.stamp", "keep provenance.updated_at current on saves", func(p *memsync.Policy) *bool { return &p.Stamp }),
	intKey("limits.body_lines", "", func(p *memsync.Policy) *int { return &p.Limits.BodyLines }, atLeast(1)),
	intKey("limits.body_bytes", "", func(p *memsync.Policy) *int { return &p.Limits.BodyBytes }, atLeast(1)),
	intKey("limits.save_bytes", "", func(p *memsync.Policy) *int { return &p.Limits.SaveBytes }, atLeast(1)),
	intKey("limits.frontmatter_bytes", "", func(p *memsync.Policy) *int { return &p.Limits.FrontmatterBytes }, atLeast(1)),
	intKey("limits.description_chars", "", func(p *memsync.Policy) *int { return &p.Limits.DescriptionChars }, atLeast(1)),
	intKey("limits.index_lines", "", func(p *memsync.Policy) *int { return &p.Limits.IndexLines }, atLeast(1)),
	intKey("limits.index_bytes", "", func(p *memsync.Policy) *int { return &p.Limits.IndexBytes }, atLeast(1)),
	intKey("deletes.hold_files", "and hold_percent: both exceeded in one batch (one scan is one batch) waits",
		func(p *memsync.Policy) *int { return &p.Deletes.HoldFiles }, atLeast(0)),
	intKey("deletes.hold_percent", "", func(p *memsync.Policy) *int { return &p.Deletes.HoldPercent }, percent),
	stringKey("targets.from_model", "allow | propose | deny: what an agent's choice of a place in a prompt is worth",
		func(p *memsync.Policy) *string { return (*string)(&p.Targets.FromModel) },
		oneOf(string(memsync.ModelAllow), string(memsync.ModelPropose), string(memsync.ModelDeny))),
	boolKey("sync.auto", "dedicated only: memsync up exchanges commits by itself", func(p *memsync.Policy) *bool { return &p.Sync.Auto }),
	stringKey("sync.interval", "how often, at the latest", func(p *memsync.Policy) *string { return &p.Sync.Interval }, duration),
	boolKey("sync.push", "false: commits are taken over and never sent", func(p *memsync.Policy) *bool { return &p.Sync.Push }),
}

func intKey(name, comment string, at func(*memsync.Policy) *int, check func(any) error) key {
	return key{name, comment, anInt, func(p *memsync.Policy) any { return *at(p) }, func(p *memsync.Policy, v any) { *at(p) = v.(int) }, check}
}

func stringKey(name, comment string, at func(*memsync.Policy) *string, check func(any) error) key {
	return key{name, comment, aString, func(p *memsync.Policy) any { return *at(p) }, func(p *memsync.Policy, v any) { *at(p) = v.(string) }, check}
}

func boolKey(name, comment string, at func(*memsync.Policy) *bool) key {
	return key{name, comment, aBool, func(p *memsync.Policy) any { return *at(p) }, func(p *memsync.Policy, v any) { *at(p) = v.(bool) }, nil}
}

// table and short take the name apart: "limits" and "body_lines"; "" and
// "format".
func (k key) table() string { return k.name[:max(strings.IndexByte(k.name, '.'), 0)] }
func (k key) short() string { return k.name[strings.IndexByte(k.name, '.')+1:] }

func findKey(name string) (key, bool) {
	if code, ok := strings.CutPrefix(name, lintTable+"."); ok && lintCode(code) {
		return lintKey(code), true
	}
	i := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
	if i < 0 {
		return key{}, false
	}
	return keys[i], true
}

// Keys are the names of all keys outside [[scope]], in file order.
func Keys() []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	return names
}

// Get is the value of a key as text; "" for a string that is not set, where
// the kind of store decides. An unknown key is CodeConfig with the nearest name.
func Get(p memsync.Policy, name string) (string, error) {
	k, ok := findKey(name)
	if !ok {
		return "", unknownKey(name, Keys())
	}
	return fmt.Sprint(k.get(&p)), nil
}

// Assign gives a key of a policy the value that Get reads; one that it can't
// have, and an unknown key, change nothing.
func Assign(p *memsync.Policy, name, value string) {
	k, ok := findKey(name)
	if !ok || value == "" && k.kind == aString && strings.HasPrefix(name, lintTable+".") {
		return
	}
	if value == "" && k.kind == aString {
		k.set(p, value)
		return
	}
	if v, err := k.parseText(value); err == nil {
		k.set(p, v)
	}
}

// parseText reads a value that a person typed.
func (k key) parseText(s string) (any, error) {
	var v any = s
	var err error
	switch k.kind {
	case anInt:
		v, err = strconv.Atoi(s)
	case aBool:
		switch s {
		case "true", "false":
			v = s == "true"
		default:
			err = strconv.ErrSyntax
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s must be %s, not %s", k.name, k.kind, strconv.Quote(s))
	}
	return v, k.valid(v)
}

func (k key) valid(v any) error {
	if k.check == nil {
		return nil
	}
	if err := k.check(v); err != nil {
		return fmt.Errorf("%s %w", k.name, err)
	}
	return nil
}
