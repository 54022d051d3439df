package config

import (
	"bytes"
	"fmt"
	"strings"

	"memsync"
)

// Default is the text that init writes: every key with its value and what it
// means, and the rules of lint that the policy names. Parse(Default(p)) is p for every policy that Parse can give.
func Default(p memsync.Policy) []byte {
	var b strings.Builder
	table := ""
	for _, k := range keys {
		if t := k.table(); t != table {
			if table = t; t == "normalize" {
				writeScopes(&b, p.Scopes)
			}
			b.WriteString("\n[" + t + "]\n")
		}
		if example, open := leftOpen[k.name]; open && k.get(&p) == "" {
			writeLine(&b, "# "+k.short()+" = "+example, k.comment)
			continue
		}
		writeLine(&b, k.short()+" = "+literal(k.get(&p)), k.comment)
	}
	for i, l := range p.Lint {
		if i == 0 {
			b.WriteString("\n[" + lintTable + "]\n")
		}
		b.WriteString(l.Code + " = " + literal(string(l.Level)) + "\n")
	}
	for _, into := range p.Into {
		writeInto(&b, into)
	}
	return []byte(b.String())
}

// leftOpen are the keys that the kind of store decides when nobody else does,
// with the example that stands in a comment then.
var leftOpen = map[string]string{"git.commit": `"auto"`, "git.branch": `"main"`}

func writeScopes(b *strings.Builder, scopes []memsync.Scope) {
	const why = "the standard places need no entry; bound directories and departures do"
	if len(scopes) == 0 {
		b.WriteString("\n")
		writeLine(b, "# [[scope]]", why)
		for _, k := range scopeTable {
			writeLine(b, "# "+k.name+" = "+literal(k.initial), k.comment)
		}
		writeLine(b, "# ignore = []", ignoreComment)
		return
	}
	for i, s := range scopes {
		b.WriteString("\n")
		if i == 0 {
			writeLine(b, "[[scope]]", why)
		} else {
			b.WriteString("[[scope]]\n")
		}
		writeScope(b, s)
	}
}

// AddScopes is a file with entries for scopes at its end; everything else in it
// stays as it is. It fails where data does not parse, or names such a directory
// already.
func AddScopes(data []byte, scopes []memsync.Scope) ([]byte, error) {
	return add(data, func(b *strings.Builder) {
		for _, s := range scopes {
			b.WriteString("\n[[scope]]\n")
			writeScope(b, s)
		}
	})
}

// add is a file with what write says at its end, in the file's line ends. It fails
// where data does not parse, or what comes out does not.
func add(data []byte, write func(*strings.Builder)) ([]byte, error) {
	if _, err := Parse(data); err != nil {
		return nil, err
	}
	var b strings.Builder
	b.Write(data)
	if len(data) > 0 && data[len(data)-1] != '\n' {
		b.WriteString("\n")
	}
	write(&b)
	out := []byte(b.String())
	if bytes.Contains(data, []byte("\r\n")) {
		out = append(bytes.Clone(data), bytes.ReplaceAll(out[len(data):], []byte("\n"), []byte("\r\n"))...)
	}
	_, err := Parse(out)
	return out, err
}

// writeScope writes the keys of an entry; those without a value stay away.
func writeScope(b *strings.Builder, s memsync.Scope) {
	s = withDefaults(s)
	for _, k := range scopeTable {
		if v := k.get(&s); v != "" {
			writeLine(b, k.name+" = "+literal(v), k.comment)
		}
	}
	if len(s.Ignore) > 0 {
		items := make([]string, len(s.Ignore))
		for i, g := range s.Ignore {
			items[i] = literal(g)
		}
		writeLine(b, "ignore = ["+strings.Join(items, ", ")+"]", ignoreComment)
	}
}

func writeLine(b *strings.Builder, text, comment string) {
	if comment == "" {
		b.WriteString(text + "\n")
		return
	}
	fmt.Fprintf(b, "%-26s # %s\n", text, comment)
}

// literal is a value in TOML. Strings are basic strings in which everything
// that needs an escape has one.
func literal(v any) string {
	s, ok := v.(string)
	if !ok {
		return fmt.Sprint(v)
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// AddScope is the file with one [[scope]] entry appended, other bytes as they
// were. A directory that has an entry already is CodeConfig, and so is a file
// in which an entry can't be appended.
func AddScope(data []byte, s memsync.Scope) ([]byte, error) {
	d, err := scan(data)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if len(d.data) > 0 && d.data[len(d.data)-1] != '\n' {
		b.WriteString("\n")
	}
	if len(d.data) > 0 {
		b.WriteString("\n")
	}
	b.WriteString("[[scope]]\n")
	writeScope(&b, s)
	out := append(bytes.Clone(data), strings.ReplaceAll(b.String(), "\n", d.newline())...)
	if _, err := Parse(out); err != nil {
		return nil, err
	}
	return out, nil
}
