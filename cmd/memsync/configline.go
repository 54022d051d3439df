package main

import (
	"github.com/pelletier/go-toml/v2/unstable"
)

// placesOf says on which lines of a memsync.toml that decodes its keys stand,
// and its [[scope]] entries in their order.
func placesOf(data []byte) (keys map[string]int, scopes []int) {
	keys = map[string]int{}
	var p unstable.Parser
	p.Reset(data)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		parts, at := keyParts(e)
		line := lineAt(data, at)
		switch e.Kind {
		case unstable.Table:
			table = dotted("", parts)
		case unstable.ArrayTable:
			table = dotted("", parts)
			if table == "scope" {
				scopes = append(scopes, line)
			}
		case unstable.KeyValue:
			name := dotted(table, parts)
			keys[name] = line
			if v := e.Value(); v.Kind == unstable.InlineTable {
				for c := v.Children(); c.Next(); {
					below, at := keyParts(c.Node())
					keys[dotted(name, below)] = lineAt(data, at)
				}
			} else if v.Kind == unstable.Array && name == "scope" {
				for c := v.Children(); c.Next(); {
					scopes = append(scopes, line)
				}
			}
		}
	}
	return keys, scopes
}

// keyParts are the parts of an expression's key and the offset of the last.
func keyParts(e *unstable.Node) (parts []string, at int) {
	for it := e.Key(); it.Next(); {
		n := it.Node()
		parts = append(parts, string(n.Data))
		at = int(n.Raw.Offset)
	}
	return parts, at
}
