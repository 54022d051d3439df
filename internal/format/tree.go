package format

import (
	"slices"

	"memsync"
)

// Shape is what a node of a Tree is.
type Shape uint8

const (
	ScalarShape  Shape = iota // text; nothing at all where Null
	ListShape                 // Items in order
	MappingShape              // Items in file order, each with its Key
)

// Position is a 1-based line and byte column in a file.
type Position struct{ Line, Column int }

// Tree is frontmatter as its author wrote it, with the place of every key and
// value: for authored files that are read strictly, where a value out of place
// must be pointed at. Scalars are text, whatever YAML would take them for.
type Tree struct {
	Shape Shape
	Key   string   // in a mapping
	KeyAt Position // of Key; of the dash in a block list
	At    Position // of the value
	Text  string
	Null  bool // a scalar that says nothing: absent, ~, null
	Items []Tree
}

// Tree is the frontmatter as a tree with places: a mapping, empty where there is
// none. Nothing in it was guessed: aliases, which stand for something elsewhere,
// and values that Parse recovers as the rest of their line are refused, with
// place and hint.
func (d *Document) Tree() (Tree, error) {
	t := treeReader{lines: []int{0}}
	for i, c := range d.raw {
		if c == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	root := Tree{Shape: MappingShape, KeyAt: t.place(d.fmStart), At: t.place(d.fmStart)}
	var err error
	root.Items, err = t.items(d.keys)
	return root, err
}

// treeReader knows the offsets at which lines begin.
type treeReader struct{ lines []int }

func (t *treeReader) place(off int) Position {
	i, found := slices.BinarySearch(t.lines, off)
	if !found {
		i--
	}
	return Position{Line: i + 1, Column: off - t.lines[i] + 1}
}

func (t *treeReader) items(nodes []node) ([]Tree, error) {
	var out []Tree
	for i := range nodes {
		item, err := t.tree(&nodes[i])
		if err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	return out, nil
}

func (t *treeReader) tree(n *node) (Tree, error) {
	out := Tree{Key: n.key, KeyAt: t.place(n.keyAt), At: t.place(n.at), Text: n.text, Null: n.null()}
	if n.keyAt == 0 { // an item of a flow list has no key and no dash
		out.KeyAt = out.At
	}
	var err error
	switch {
	case n.kind == alias:
		return out, refusal(out.At, "an alias of YAML stands for a value", "write the value out; aliases are not expanded")
	case n.recovered:
		return out, refusal(out.At, "the value can only be guessed at: it is not quoted and holds `: ` or ` #`, or text follows its quotes",
			"put all of it in quotes; a comment gets a line of its own")
	case n.kind == list:
		out.Shape = ListShape
		out.Items, err = t.items(n.sub)
	case n.kind == mapping:
		out.Shape = MappingShape
		out.Items, err = t.items(n.sub)
	}
	return out, err
}

func refusal(at Position, message, hint string) *memsync.Error {
	return &memsync.Error{Code: memsync.CodeFrontmatter, Message: message, Line: at.Line, Column: at.Column, Hint: hint}
}
