package gitlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
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

	extFlagIntentToAdd  = 0x2000
	extFlagSkipWorktree = 0x4000
)

// indexFile is an index taken apart: entries in order, then extensions. Entries
// are found by where they begin, without a pointer each: an index of 100,000
// files is 11 MB, and nothing of that size is made twice for one edit.
type indexFile struct {
	kind    hashKind
	data    []byte // the file
	version uint32
	body    []byte   // entries as versions 2 and 3 write them: data, or version 4 expanded
	starts  []uint32 // where in body each begins
	exts    []indexExt
	staged  bool // an entry is a side of a conflict

	own     bool      // body may be changed
	becomes bool      // patch has made it the new index
	stamp   fileStamp // of the file, while it is certain that x is what that holds
	sums    [][]byte  // states of body's checksum, see newIndex.checksum
}

// indexEntry is one entry: meta is its fixed part (stat, id, flags), raw all
// its bytes in the body.
type indexEntry struct {
	name []byte
	raw  []byte
	meta int // length of the fixed part
}

func (x *indexFile) len() int { return len(x.starts) }

func (x *indexFile) entry(i int) indexEntry {
	return x.take(x.body[x.start(i):x.start(i+1)])
}

// take is the entry that b begins with. b ends with the entry, or was checked
// by parseIndex to hold it.
func (x *indexFile) take(b []byte) indexEntry {
	e := indexEntry{meta: 40 + x.kind.size + 2}
	flags := binary.BigEndian.Uint16(b[e.meta-2:])
	if flags&flagExtended != 0 {
		e.meta += 2
	}
	length := int(flags & flagName)
	if length == flagName {
		length = bytes.IndexByte(b[e.meta:], 0)
	}
	e.name = b[e.meta : e.meta+length]
	e.raw = b[:padded(e.meta+length)]
	return e
}

// padded is how long an entry is with the NULs that end it: at least one, to a
// multiple of eight.
func padded(n int) int { return (n + 8) &^ 7 }

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
	*x = indexFile{kind: kind, data: data, version: 2, starts: x.starts[:0], own: x.own}
	if len(data) == 0 {
		return x, nil
	}
	if len(data) < 12+kind.size || string(data[:4]) != "DIRC" {
		return nil, corrupt("the index is not one", nil)
	}
	if len(data) > math.MaxInt32 {
		return nil, &foreignIndex{"more than 2 GB"}
	}
	x.version = binary.BigEndian.Uint32(data[4:])
	if x.version < 2 || x.version > 4 {
		return nil, &foreignIndex{fmt.Sprintf("version %d", x.version)}
	}
	n := int(binary.BigEndian.Uint32(data[8:]))
	content := data[:len(data)-kind.size]
	if n > len(content)/(40+kind.size+2) {
		return nil, corrupt("the index is cut off", nil)
	}
	if cap(x.starts) < n {
		x.starts = make([]uint32, 0, n+n/16+1)
	}
	read := x.flat
	if x.version == 4 {
		read = x.expand
	}
	rest, err := read(content, n)
	if err != nil {
		return nil, err
	}
	for len(rest) > 0 {
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

// flat finds the n entries of version 2 or 3 and gives what follows them.
func (x *indexFile) flat(content []byte, n int) (rest []byte, err error) {
	fixed := 40 + x.kind.size + 2
	pos := 12
	for range n {
		if pos+fixed > len(content) {
			return nil, corrupt("the index is cut off", nil)
		}
		flags := binary.BigEndian.Uint16(content[pos+fixed-2:])
		at := pos + fixed
		if flags&flagExtended != 0 {
			at += 2
		}
		length := int(flags & flagName)
		if length == flagName {
			length = bytes.IndexByte(content[min(at, len(content)):], 0)
		}
		end := pos + padded(at-pos+length)
		if length < 0 || end > len(content) {
			return nil, corrupt("the index is cut off", nil)
		}
		x.starts = append(x.starts, uint32(pos))
		x.staged = x.staged || flags&flagStage != 0
		pos = end
	}
	x.body = content[:pos]
	return content[pos:], nil
}

// expand writes out the n entries of version 4, whose names leave out what
// they share with the name before.
func (x *indexFile) expand(content []byte, n int) (rest []byte, err error) {
	fixed := 40 + x.kind.size + 2
	pos := 12
	x.body = make([]byte, 0, 2*len(content))
	var prev []byte
	for range n {
		if pos+fixed+2 > len(content) {
			return nil, corrupt("the index is cut off", nil)
		}
		flags := binary.BigEndian.Uint16(content[pos+fixed-2:])
		at := pos + fixed
		if flags&flagExtended != 0 {
			at += 2
		}
		strip, used := varint(content[at:])
		nul := -1
		if used > 0 {
			nul = bytes.IndexByte(content[at+used:], 0)
		}
		if nul < 0 || strip > uint64(len(prev)) {
			return nil, corrupt("the index has a broken name", nil)
		}
		keep := prev[:uint64(len(prev))-strip]
		name := content[at+used : at+used+nul]
		if length := int(flags & flagName); length != min(len(keep)+len(name), flagName) {
			return nil, corrupt("the index has a broken name", nil)
		}
		if len(x.body) > math.MaxInt32 {
			return nil, &foreignIndex{"more than 2 GB of names"}
		}
		start := len(x.body)
		x.starts = append(x.starts, uint32(start))
		x.staged = x.staged || flags&flagStage != 0
		x.body = append(x.body, content[pos:at]...)
		from := len(x.body)
		x.body = append(append(x.body, keep...), name...)
		prev = x.body[from:len(x.body):len(x.body)]
		x.body = appendPad(x.body, start)
		pos = at + used + nul + 1
	}
	return content[pos:], nil
}

// appendPad ends the entry that begins at start.
func appendPad(b []byte, start int) []byte {
	const none = "\x00\x00\x00\x00\x00\x00\x00\x00"
	return append(b, none[:padded(len(b)-start)-(len(b)-start)]...)
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
	i := sort.Search(x.len(), func(i int) bool { return string(x.entry(i).name) >= name })
	return i, i < x.len() && string(x.entry(i).name) == name
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
