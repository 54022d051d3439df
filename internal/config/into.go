package config

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"memsync"
)

// intoTable is [[into]]: files with a region that holds an agent's composed prompt.
const intoTable = "into"

var intoKeys = []string{"into.file", "into.agent"}

// isList reports whether a table is written as a list of entries.
func isList(name string) bool { return name == "scope" || name == intoTable }

// intoEntry is one [[into]] while it is read.
type intoEntry struct {
	memsync.Into
	at item // its header
}

func (r *reader) intoItem(it item) error {
	list, isValues := it.value.([]any)
	switch {
	case it.name == intoTable && it.entry >= 0 && it.header && it.array:
		r.into = append(r.into, &intoEntry{at: it})
		return nil
	case it.name == intoTable && isValues && len(list) == 0 && !it.inline:
		return nil // into = []
	case it.name == intoTable || it.entry < 0:
		return r.fail(it.key, "into is a list of tables: write [[into]] above each")
	}
	e := r.into[it.entry]
	v, isText := it.value.(string)
	if !slices.Contains(intoKeys, it.name) {
		return r.unknown(it)
	}
	if !isText {
		return r.fail(cmp.Or(it.val, it.key), strings.TrimPrefix(it.name, intoTable+".")+" must be a string")
	}
	var err error
	if it.name == "into.file" {
		e.File, err = intoFile(v)
	} else {
		e.Agent, err = v, agentName(v)
	}
	if err != nil {
		return r.fail(it.val, strings.TrimPrefix(it.name, intoTable+".")+" "+err.Error())
	}
	return nil
}

// finishInto checks what only whole entries show.
func (r *reader) finishInto() (out []memsync.Into, err error) {
	for _, e := range r.into {
		switch {
		case e.File == "":
			return nil, r.fail(e.at.key, "file is missing: say which file, relative to the store")
		case e.Agent == "":
			return nil, r.fail(e.at.key, "agent is missing: say whose prompt the file holds")
		case slices.Contains(out, e.Into):
			return nil, r.fail(e.at.key, "this file has an entry for "+e.Agent+" already")
		}
		out = append(out, e.Into)
	}
	return out, nil
}

// intoFile is a file of the store that may hold a region: none that memsync reads
// or writes for itself.
func intoFile(s string) (memsync.Path, error) {
	p, err := scopeDir(s)
	if err != nil {
		return "", err
	}
	switch strings.ToLower(p.Base()) {
	case "", ".", "memory.md", "review.md", "agent.md", "memsync.toml", "workspace.toml", ".gitattributes", ".gitignore":
		return "", errors.New("must be a file that people load, such as AGENTS.md")
	}
	return p, nil
}

func writeInto(b *strings.Builder, into memsync.Into) {
	b.WriteString("\n[[into]]\n")
	writeLine(b, "file = "+literal(string(into.File)), "its region holds the prompt of the agent")
	writeLine(b, "agent = "+literal(into.Agent), "")
}

// AddInto is a file with an [[into]] entry at its end; everything else in it stays
// as it is. An entry that is there already changes nothing.
func AddInto(data []byte, into memsync.Into) ([]byte, error) {
	if p, err := Parse(data); err == nil && slices.Contains(p.Into, into) {
		return data, nil
	}
	return add(data, func(b *strings.Builder) { writeInto(b, into) })
}
