package gitlog

// cacheNode is one directory of the index's TREE extension. nil is one of which
// nothing is known.
type cacheNode struct {
	treeNode
	below  []cacheNode
	byName map[string]int
}

// cacheTree is the TREE extension taken apart; nil without one, or when it does
// not parse.
func (x *indexFile) cacheTree() *cacheNode {
	for _, e := range x.exts {
		if e.name != "TREE" {
			continue
		}
		if n, rest, ok := x.cacheNode(e.data); ok && len(rest) == 0 {
			return &n
		}
	}
	return nil
}

func (x *indexFile) cacheNode(data []byte) (n cacheNode, rest []byte, ok bool) {
	if n.treeNode, rest, ok = x.readNode(data); !ok {
		return n, nil, false
	}
	if n.children > len(rest) { // each takes a byte at least
		return n, nil, false
	}
	n.below = make([]cacheNode, n.children)
	for i := range n.below {
		if n.below[i], rest, ok = x.cacheNode(rest); !ok {
			return n, nil, false
		}
	}
	return n, rest, true
}

func (n *cacheNode) child(name []byte) *cacheNode {
	if n == nil {
		return nil
	}
	if n.byName == nil {
		n.byName = make(map[string]int, len(n.below))
		for i, c := range n.below {
			n.byName[string(c.name)] = i
		}
	}
	i, ok := n.byName[string(name)]
	if !ok {
		return nil
	}
	return &n.below[i]
}
