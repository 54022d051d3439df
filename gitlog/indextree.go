package gitlog

import (
	"bytes"
	"slices"
	"strconv"
)

// The TREE extension remembers, for each directory, the tree object that its
// entries would make; git status and git commit skip directories by it. A node
// that named the tree of the old commit names that of the new one, as long as
// all our edits went into the index and no directory came or went. Any other
// node on the path of an edit is marked invalid, as git does.

// treeNode is one parsed node: its own bytes and its children's.
type treeNode struct {
	name     []byte
	count    int // -1: invalid
	id       []byte
	children int
}

// patchTrees is the extension after our edits; ok is false when it does not
// parse and has to go.
func (x *indexFile) patchTrees(data []byte, trees map[string]treeEdit, all bool) ([]byte, bool) {
	out, rest, _, ok := x.patchNode(data, "", true, trees, all)
	if !ok || len(rest) > 0 {
		return nil, false
	}
	return out, true
}

func (x *indexFile) readNode(data []byte) (n treeNode, rest []byte, ok bool) {
	nul := bytes.IndexByte(data, 0)
	if nul < 0 {
		return n, nil, false
	}
	n.name = data[:nul]
	data = data[nul+1:]
	line := bytes.IndexByte(data, '\n')
	if line < 0 {
		return n, nil, false
	}
	count, subs, found := bytes.Cut(data[:line], []byte(" "))
	if !found {
		return n, nil, false
	}
	var err error
	if n.count, err = strconv.Atoi(string(count)); err != nil {
		return n, nil, false
	}
	if n.children, err = strconv.Atoi(string(subs)); err != nil || n.children < 0 {
		return n, nil, false
	}
	data = data[line+1:]
	if n.count >= 0 {
		if len(data) < x.kind.size {
			return n, nil, false
		}
		n.id, data = data[:x.kind.size], data[x.kind.size:]
	}
	return n, data, true
}

// patchNode rewrites one node and all below it. valid says whether the node
// still stands for its directory.
func (x *indexFile) patchNode(data []byte, dir string, top bool, trees map[string]treeEdit, all bool) (out, rest []byte, valid, ok bool) {
	start := data
	n, rest, ok := x.readNode(data)
	if !ok {
		return nil, nil, false, false
	}
	if !top {
		if dir != "" {
			dir += "/"
		}
		dir += string(n.name)
	}
	edit, touched := trees[dir]
	if !touched {
		for range n.children {
			if rest, ok = x.skipNode(rest); !ok {
				return nil, nil, false, false
			}
		}
		return start[:len(start)-len(rest)], rest, n.count >= 0, true
	}
	valid = n.count >= 0 && all && !edit.shape && string(n.id) == string(edit.old) && edit.new != ""
	var below []byte
	for range n.children {
		var sub []byte
		var good bool
		if sub, rest, good, ok = x.patchNode(rest, dir, false, trees, all); !ok {
			return nil, nil, false, false
		}
		valid = valid && good
		below = append(below, sub...)
	}
	out = append(out, n.name...)
	out = append(out, 0)
	count := -1
	if valid {
		count = n.count + edit.added - edit.removed
	}
	out = strconv.AppendInt(out, int64(count), 10)
	out = append(out, ' ')
	out = strconv.AppendInt(out, int64(n.children), 10)
	out = append(out, '\n')
	if valid {
		out = append(out, edit.new...)
	}
	return append(out, below...), rest, valid, true
}

func (x *indexFile) skipNode(data []byte) (rest []byte, ok bool) {
	n, rest, ok := x.readNode(data)
	for range n.children {
		if !ok {
			break
		}
		rest, ok = x.skipNode(rest)
	}
	return rest, ok
}

// dropTrees forgets all of them; git makes them again.
func (x *indexFile) dropTrees() {
	x.exts = slices.DeleteFunc(slices.Clone(x.exts), func(e indexExt) bool { return e.name == "TREE" })
}
