package gitlog

import (
	"bufio"
	"bytes"
	"encoding"
	"encoding/binary"
	"io"
	"slices"
)

// newIndex is an index that is to be written, in parts; most belong to the one
// it came from. sums, where it is not nil, are those of the first part.
type newIndex struct {
	parts [][]byte
	sums  *[][]byte
}

// writeTo writes the parts and, after them, their checksum, which is made
// meanwhile.
func (n newIndex) writeTo(w io.Writer, kind hashKind) error {
	sum := make(chan []byte, 1)
	go func() { sum <- n.checksum(kind) }()
	out := bufio.NewWriter(w)
	for _, part := range n.parts {
		for some := range slices.Chunk(part, chunk) {
			out.Write(some)
		}
	}
	out.Write(<-sum)
	return out.Flush()
}

// checksum goes on where sums end, and adds to them: the state after each
// chunk. At 100,000 files a checksum from the start takes as long as writing.
func (n newIndex) checksum(kind hashKind) []byte {
	h := kind.new()
	parts := n.parts
	if n.sums != nil {
		known := len(*n.sums)
		if known > 0 {
			if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary((*n.sums)[known-1]); err != nil {
				panic("bug: a checksum does not know its own state: " + err.Error())
			}
		}
		for some := range slices.Chunk(parts[0][known*chunk:], chunk) {
			h.Write(some)
			if len(some) == chunk {
				state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
				if err != nil {
					panic("bug: a checksum does not tell its state: " + err.Error())
				}
				*n.sums = append(*n.sums, state)
			}
		}
		parts = parts[1:]
	}
	for _, part := range parts {
		h.Write(part)
	}
	return h.Sum(nil)
}

// indexChange is what an edit does to the entries.
type indexChange struct {
	at    int // position among the old entries
	keep  bool
	entry []byte // fixed part; nil: gone
	name  []byte
}

// moves: entries after it do not stay where they are.
func (c indexChange) moves() bool { return c.keep || c.entry == nil }

// changes are what edits do; all says that every one of them is in the index.
func (x *indexFile) changes(edits []indexEdit) (changes []indexChange, added int, all bool) {
	all = true
	removed := map[string]bool{}
	for _, ed := range edits {
		if i, found := x.find(ed.name); found && ed.next == "" && x.id(x.entry(i)) == ed.prev {
			removed[ed.name] = true
		}
	}
	for _, ed := range edits {
		i, found := x.find(ed.name)
		var now oid
		var old indexEntry
		if found {
			old = x.entry(i)
			now = x.id(old)
			if x.extFlags(old)&extFlagIntentToAdd != 0 {
				now = ""
			}
		}
		if now != ed.prev && now != ed.next || !found && ed.next != "" && x.clashes(ed.name, removed) {
			all = false
			continue
		}
		switch {
		case ed.next == "" && found:
			changes = append(changes, indexChange{at: i})
			added--
		case ed.next != "" && found:
			changes = append(changes, indexChange{at: i, entry: x.replaced(old, ed), name: old.name})
		case ed.next != "":
			changes = append(changes, indexChange{at: i, keep: true, entry: x.fresh(ed), name: []byte(ed.name)})
			added++
		}
	}
	return changes, added, all
}

// patch is the index after edits, which are sorted by name. writtenAt is the
// second in which the old file was written: entries from that second or later
// are "racily clean" and lose their size, as git does when it rewrites an
// index, or the new file's later time would make git trust them. The result
// is good as long as x is not used for another.
//
// Where x may and no entry comes or goes, x itself becomes the new index.
func (x *indexFile) patch(edits []indexEdit, trees map[string]treeEdit, writtenAt int64) (newIndex, error) {
	if x.staged {
		return newIndex{}, errUnmerged
	}
	x.stamp = fileStamp{}
	changes, added, all := x.changes(edits)
	x.patchExts(trees, all)
	var out newIndex
	if x.becomes = x.own && x.version < 4 && !slices.ContainsFunc(changes, indexChange.moves); x.becomes {
		x.overwrite(changes, writtenAt)
		out = newIndex{parts: [][]byte{x.body}, sums: &x.sums}
	} else {
		out.parts = x.rewritten(changes, added, writtenAt)
	}
	for _, e := range x.exts {
		out.parts = append(out.parts, appendExt(nil, e.name, e.data))
	}
	return out, nil
}

// patchExts leaves the extensions that are still true.
func (x *indexFile) patchExts(trees map[string]treeEdit, all bool) {
	var exts []indexExt
	for _, e := range x.exts {
		switch e.name {
		case "TREE":
			if fixed, ok := x.patchTrees(e.data, trees, all); ok {
				exts = append(exts, indexExt{"TREE", fixed})
			}
		case "REUC": // resolved conflicts by path: still true
			exts = append(exts, e)
		}
		// Tables of offsets (EOIE, IEOT) and the monitor's bitmap (FSMN) are by
		// position. They are dropped, and git makes them again.
	}
	x.exts = exts
}

// overwrite makes the changes, which are as long as what they replace, in x.
func (x *indexFile) overwrite(changes []indexChange, writtenAt int64) {
	first := len(x.body) // byte that changes
	for i := range x.len() {
		if x.racy(i, writtenAt) {
			at := x.start(i) + 36
			first = min(first, at)
			copy(x.body[at:], noSize[:])
		}
	}
	for _, c := range changes {
		at := x.start(c.at)
		first = min(first, at)
		copy(x.body[at:], c.entry)
	}
	x.sums = x.sums[:min(len(x.sums), first/chunk)]
}

// rewritten are the parts of a new index up to its extensions.
func (x *indexFile) rewritten(changes []indexChange, added int, writtenAt int64) [][]byte {
	head := append(make([]byte, 0, 12), "DIRC"...)
	head = binary.BigEndian.AppendUint32(head, x.version)
	head = binary.BigEndian.AppendUint32(head, uint32(x.len()+added))
	out := [][]byte{head}
	if x.version == 4 {
		return append(out, x.compressed(changes, writtenAt))
	}
	return x.runs(out, changes, writtenAt)
}

// racy: entry i is "racily clean" in an index written in that second.
func (x *indexFile) racy(i int, writtenAt int64) bool {
	e := x.body[x.starts[i]:]
	return writtenAt > 0 && int64(binary.BigEndian.Uint32(e[8:])) >= writtenAt && binary.BigEndian.Uint32(e[24:]) != modeModule
}

// start is where in body entry i begins, or would.
func (x *indexFile) start(i int) int {
	if i < x.len() {
		return int(x.starts[i])
	}
	return len(x.body)
}

// runs are the entries of versions 2 and 3: whole stretches of the old ones
// with the changes between.
func (x *indexFile) runs(out [][]byte, changes []indexChange, writtenAt int64) [][]byte {
	next := 0
	for _, c := range append(changes, indexChange{at: x.len(), keep: true}) {
		from := x.start(next)
		for ; next < c.at; next++ {
			if x.racy(next, writtenAt) {
				at := x.start(next)
				out = append(out, x.body[from:at+36], noSize[:])
				from = at + 40
			}
		}
		out = append(out, x.body[from:x.start(next)])
		if !c.keep {
			next++
		}
		if c.entry != nil {
			out = append(out, appendPad(append(c.entry[:len(c.entry):len(c.entry)], c.name...), 0))
		}
	}
	return out
}

// compressed are the entries of version 4.
func (x *indexFile) compressed(changes []indexChange, writtenAt int64) []byte {
	out := make([]byte, 0, len(x.data))
	var prev []byte
	put := func(meta, name []byte) {
		n := 0
		for n < len(prev) && n < len(name) && prev[n] == name[n] {
			n++
		}
		out = appendVarint(append(out, meta...), uint64(len(prev)-n))
		out = append(append(out, name[n:]...), 0)
		prev = name
	}
	next := 0
	for _, c := range append(changes, indexChange{at: x.len(), keep: true}) {
		for ; next < c.at; next++ {
			e, at := x.entry(next), len(out)
			put(e.raw[:e.meta], e.name)
			if x.racy(next, writtenAt) {
				clear(out[at+36 : at+40])
			}
		}
		if !c.keep {
			next++
		}
		if c.entry != nil {
			put(c.entry, c.name)
		}
	}
	return out
}

func appendExt(out []byte, name string, data []byte) []byte {
	out = append(out, name...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	return append(out, data...)
}

// clashes: a person has staged a file where name needs a directory, or files
// below name. What this commit removes is in nobody's way.
func (x *indexFile) clashes(name string, removed map[string]bool) bool {
	for i := 0; i < len(name); i++ {
		if name[i] == '/' && !removed[name[:i]] {
			if _, found := x.find(name[:i]); found {
				return true
			}
		}
	}
	below := []byte(name + "/")
	for i, _ := x.find(string(below)); i < x.len() && bytes.HasPrefix(x.entry(i).name, below); i++ {
		if !removed[string(x.entry(i).name)] {
			return true
		}
	}
	return false
}

// replaced is an entry with a new blob: a mode that a person staged and its
// flags stay, except that it is no longer only an intent to add.
func (x *indexFile) replaced(old indexEntry, ed indexEdit) []byte {
	meta := bytes.Clone(old.raw[:old.meta])
	mode := old.u32(24)
	if x.extFlags(old)&extFlagIntentToAdd != 0 {
		at := 40 + x.kind.size + 2
		binary.BigEndian.PutUint16(meta[at:], x.extFlags(old)&^extFlagIntentToAdd)
		mode = ed.mode
	}
	if mode == ed.prevMode || mode != modeFile && mode != modeExec {
		mode = ed.mode
	}
	ed.stat.put(meta, mode)
	copy(meta[40:], ed.next)
	return meta
}

// fresh is the fixed part of a new entry.
func (x *indexFile) fresh(ed indexEdit) []byte {
	meta := make([]byte, 40+x.kind.size+2)
	ed.stat.put(meta, ed.mode)
	copy(meta[40:], ed.next)
	binary.BigEndian.PutUint16(meta[len(meta)-2:], uint16(min(len(ed.name), flagName)))
	return meta
}

func (s fileStat) put(meta []byte, mode uint32) {
	for i, v := range [...]uint32{s.ctime, s.ctimeNano, s.mtime, s.mtimeNano, s.dev, s.ino, mode, s.uid, s.gid, s.size} {
		binary.BigEndian.PutUint32(meta[4*i:], v)
	}
}

// chunk is how much is written at a time, so that the disk can begin.
const chunk = 1 << 20

var noSize [4]byte
