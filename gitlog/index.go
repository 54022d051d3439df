package gitlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"
)

// The index (gitformat-index) is patched as bytes: a person's entries, staged
// or not, are copied and never understood. Versions 2, 3 and 4 are handled;
// split and sparse ones are git's own to write.

// foreignIndex is an index that only git itself can rewrite without losing
// something.
type foreignIndex struct{ what string }

func (f *foreignIndex) Error() string { return "the index has " + f.what }

// errUnmerged: the index holds sides of a conflict.
var errUnmerged = errors.New("the index has unmerged entries")

// indexEdit is one path of ours. The entry becomes next where it is prev now,
// or already next. Anything else was staged by a person and stays.
type indexEdit struct {
	name       string
	prev, next oid    // "" for no entry
	mode       uint32 // of next
	prevMode   uint32
	stat       fileStat // zero: git has to look for itself
}

// fileStat is what an index entry remembers of a file, cut to 32 bits as git
// does. With size and times zero git hashes the file anew.
type fileStat struct {
	ctime, ctimeNano, mtime, mtimeNano uint32
	dev, ino, uid, gid, size           uint32
}

const (
	flagAssumeValid = 0x8000
	flagExtended    = 0x4000
	flagStage       = 0x3000
	flagName        = 0x0fff

	extFlagIntentToAdd = 0x2000
)

// indexFile is an index taken apart: entries in order, then extensions.
type indexFile struct {
	kind    hashKind
	data    []byte
	version uint32
	entries []indexEntry
	exts    []indexExt
	out     []byte // room for patch
}

// indexEntry is one entry: meta is its fixed part (stat, id, flags), raw all
// its bytes in the file.
type indexEntry struct {
	name []byte
	raw  []byte
	meta int // length of the fixed part
}

type indexExt struct {
	name string
	data []byte
}

// parseIndex takes an index apart. An empty file is an empty index.
func parseIndex(data []byte, kind hashKind) (*indexFile, error) {
	return parseIndexInto(&indexFile{}, data, kind)
}

// parseIndexInto is parseIndex in the room of an index that is no longer used.
func parseIndexInto(x *indexFile, data []byte, kind hashKind) (*indexFile, error) {
	*x = indexFile{kind: kind, data: data, version: 2, entries: x.entries[:0], out: x.out}
	if len(data) == 0 {
		return x, nil
	}
	if len(data) < 12+kind.size || string(data[:4]) != "DIRC" {
		return nil, corrupt("the index is not one", nil)
	}
	x.version = binary.BigEndian.Uint32(data[4:])
	if x.version < 2 || x.version > 4 {
		return nil, &foreignIndex{fmt.Sprintf("version %d", x.version)}
	}
	n := binary.BigEndian.Uint32(data[8:])
	body := data[:len(data)-kind.size]
	fixed := 40 + kind.size + 2
	if uint64(n)*uint64(fixed) > uint64(len(body)) {
		return nil, corrupt("the index is cut off", nil)
	}
	if uint32(cap(x.entries)) < n {
		x.entries = make([]indexEntry, 0, n+n/16+4)
	}
	pos := 12
	var prev []byte
	for range n {
		if pos+fixed > len(body) {
			return nil, corrupt("the index is cut off", nil)
		}
		e := indexEntry{meta: fixed}
		flags := binary.BigEndian.Uint16(body[pos+fixed-2:])
		if flags&flagExtended != 0 {
			e.meta += 2
		}
		at := pos + e.meta
		if x.version == 4 {
			strip, used := varint(body[min(at, len(body)):])
			nul := -1
			if used > 0 {
				nul = bytes.IndexByte(body[at+used:], 0)
			}
			if nul < 0 || strip > uint64(len(prev)) {
				return nil, corrupt("the index has a broken name", nil)
			}
			keep := prev[:uint64(len(prev))-strip]
			e.name = append(keep[:len(keep):len(keep)], body[at+used:at+used+nul]...)
			end := at + used + nul + 1
			e.raw = body[pos:end]
			pos = end
		} else {
			length := int(flags & flagName)
			if length == flagName {
				length = bytes.IndexByte(body[min(at, len(body)):], 0)
			}
			end := pos + (e.meta+length+8)&^7
			if length < 0 || at+length > len(body) || end > len(body) {
				return nil, corrupt("the index is cut off", nil)
			}
			e.name = body[at : at+length]
			e.raw = body[pos:end]
			pos = end
		}
		prev = e.name
		x.entries = append(x.entries, e)
	}
	for rest := body[pos:]; len(rest) > 0; {
		if len(rest) < 8 {
			return nil, corrupt("the index ends in the middle of an extension", nil)
		}
		size := uint64(binary.BigEndian.Uint32(rest[4:]))
		if size > uint64(len(rest)-8) {
			return nil, corrupt("the index ends in the middle of an extension", nil)
		}
		x.exts = append(x.exts, indexExt{string(rest[:4]), rest[8 : 8+size]})
		rest = rest[8+size:]
	}
	return x, nil
}

// varint reads git's offset encoding.
func varint(b []byte) (v uint64, used int) {
	for used < len(b) && used < 9 {
		c := b[used]
		used++
		v |= uint64(c & 0x7f)
		if c < 0x80 {
			return v, used
		}
		v = (v + 1) << 7
	}
	return 0, 0
}

func appendVarint(b []byte, v uint64) []byte {
	var buf [10]byte
	i := len(buf) - 1
	buf[i] = byte(v & 0x7f)
	for v >>= 7; v > 0; v >>= 7 {
		v--
		i--
		buf[i] = 0x80 | byte(v&0x7f)
	}
	return append(b, buf[i:]...)
}

// id is the blob an entry names.
func (x *indexFile) id(e indexEntry) oid { return oid(e.raw[40 : 40+x.kind.size]) }

func (e indexEntry) u32(at int) uint32 { return binary.BigEndian.Uint32(e.raw[at:]) }

func (x *indexFile) flags(e indexEntry) uint16 {
	return binary.BigEndian.Uint16(e.raw[40+x.kind.size:])
}

func (x *indexFile) extFlags(e indexEntry) uint16 {
	at := 40 + x.kind.size + 2
	if e.meta <= at {
		return 0
	}
	return binary.BigEndian.Uint16(e.raw[at:])
}

// find is the position of name among the entries, or where it would be.
func (x *indexFile) find(name string) (int, bool) {
	i := sort.Search(len(x.entries), func(i int) bool { return string(x.entries[i].name) >= name })
	return i, i < len(x.entries) && string(x.entries[i].name) == name
}

// unmerged reports whether a conflict waits in the index.
func (x *indexFile) unmerged() bool {
	for _, e := range x.entries {
		if x.flags(e)&flagStage != 0 {
			return true
		}
	}
	return false
}

// foreign says what stands against rewriting this index here, "" for nothing.
// Extensions in lower case must be understood; those in upper case that this
// program does not know are only hints, and dropped.
func (x *indexFile) foreign() string {
	for _, e := range x.exts {
		switch {
		case e.name == "link":
			return "a split index"
		case e.name == "sdir":
			return "a sparse index"
		case e.name == "UNTR":
			return "an untracked cache"
		case e.name[0] < 'A' || e.name[0] > 'Z':
			return fmt.Sprintf("an extension %q", e.name)
		}
	}
	return ""
}

// patch is the index after edits, which are sorted by name. writtenAt is the
// second in which the old file was written: entries from that second or later
// are "racily clean" and lose their size, as git does when it rewrites an
// index, or the new file's later time would make git trust them. The result is
// good until x is used again.
func (x *indexFile) patch(edits []indexEdit, trees map[string]treeEdit, writtenAt int64) ([]byte, error) {
	if x.unmerged() {
		return nil, errUnmerged
	}
	type change struct {
		at    int // position among the old entries
		keep  bool
		entry []byte // nil: gone
		name  []byte
	}
	var changes []change
	all := true // every edit is in the index
	added := 0
	removed := map[string]bool{}
	for _, ed := range edits {
		if i, found := x.find(ed.name); found && ed.next == "" && x.id(x.entries[i]) == ed.prev {
			removed[ed.name] = true
		}
	}
	for _, ed := range edits {
		i, found := x.find(ed.name)
		var now oid
		var old indexEntry
		if found {
			old = x.entries[i]
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
			changes = append(changes, change{at: i})
			added--
		case ed.next != "" && found:
			changes = append(changes, change{at: i, entry: x.replaced(old, ed), name: old.name})
		case ed.next != "":
			name := []byte(ed.name)
			changes = append(changes, change{at: i, keep: true, entry: x.fresh(ed), name: name})
			added++
		}
	}
	out := slices.Grow(x.out[:0], len(x.data)+256*len(edits)+64)
	out = append(out, "DIRC"...)
	out = binary.BigEndian.AppendUint32(out, x.version)
	out = binary.BigEndian.AppendUint32(out, uint32(len(x.entries)+added))
	var prev []byte
	put := func(meta, name []byte) {
		start := len(out)
		out = append(out, meta...)
		if x.version == 4 {
			n := 0
			for n < len(prev) && n < len(name) && prev[n] == name[n] {
				n++
			}
			out = appendVarint(out, uint64(len(prev)-n))
			out = append(out, name[n:]...)
			out = append(out, 0)
			prev = name
			return
		}
		out = append(out, name...)
		for pad := 8 - (len(out)-start)%8; pad > 0; pad-- {
			out = append(out, 0)
		}
	}
	next := 0
	for _, c := range append(changes, change{at: len(x.entries), keep: true}) {
		for ; next < c.at; next++ {
			e := x.entries[next]
			racy := writtenAt > 0 && int64(e.u32(8)) >= writtenAt && e.u32(24) != modeModule
			if x.version == 4 {
				at := len(out)
				put(e.raw[:e.meta], e.name)
				if racy {
					clear(out[at+36 : at+40])
				}
				continue
			}
			at := len(out)
			out = append(out, e.raw...)
			if racy {
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
	for _, e := range x.exts {
		switch e.name {
		case "TREE":
			if fixed, ok := x.patchTrees(e.data, trees, all); ok {
				out = appendExt(out, "TREE", fixed)
			}
		case "REUC": // resolved conflicts by path: still true
			out = appendExt(out, e.name, e.data)
		}
		// Tables of offsets (EOIE, IEOT) and the monitor's bitmap (FSMN) are by
		// position. They are dropped, and git makes them again.
	}
	sum := x.kind.new()
	sum.Write(out)
	x.out = sum.Sum(out)
	return x.out, nil
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
	for i, _ := x.find(string(below)); i < len(x.entries) && bytes.HasPrefix(x.entries[i].name, below); i++ {
		if !removed[string(x.entries[i].name)] {
			return true
		}
	}
	return false
}

// replaced is an entry with a new blob: its mode and its flags stay a
// person's, except that it is no longer only an intent to add.
func (x *indexFile) replaced(old indexEntry, ed indexEdit) []byte {
	meta := bytes.Clone(old.raw[:old.meta])
	mode := old.u32(24)
	if x.extFlags(old)&extFlagIntentToAdd != 0 {
		at := 40 + x.kind.size + 2
		binary.BigEndian.PutUint16(meta[at:], x.extFlags(old)&^extFlagIntentToAdd)
		mode = ed.mode
	}
	if mode != modeFile && mode != modeExec {
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
