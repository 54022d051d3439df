package gitlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sort"

	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"memsync/internal/plainfile"
)

// pack reads single objects of one of git's packs through its index, both as
// gitformat-pack(5) has them. It holds neither in memory (go-git's reader holds
// the whole index): a history has millions of objects, and the program stays
// for months.
type pack struct {
	path   string // without an ending
	number int64  // among the packs of one listing: part of the key in the cache
	cache  *cache.BufferLRU

	index  packIndex // nil while it is closed
	fanout [256]uint32
	file   *os.File // nil while it is closed
	size   int64    // of file
}

// packIndex is an open index: the file, or all of it in memory.
type packIndex interface {
	io.ReaderAt
	io.Closer
}

type indexInMemory struct {
	*bytes.Reader
	all []byte
}

func (indexInMemory) Close() error { return nil }

// The parts of an index of version 2: magic and version, the fanout table, then
// columns as long as there are objects.
const (
	indexMagic  = "\xfftOc\x00\x00\x00\x02"
	fanoutAt    = int64(len(indexMagic))
	namesAt     = fanoutAt + 256*4
	packNameLen = 20 // SHA-1; other repositories are read by the git binary
)

// deepest is the longest chain of deltas that git writes (pack.depth).
const deepest = 4095

// The kinds of an entry that are no type: a delta against the entry that far
// before this one, and one against a named object.
const (
	kindOffsetDelta = 6
	kindNameDelta   = 7
)

// packTypes are the types of objects by the kind of their entry, "" for a kind
// that is no type.
var packTypes = [8]string{1: typeCommit, 2: typeTree, 3: typeBlob, 4: typeTag}

// openIndex makes find possible.
func (p *pack) openIndex() error {
	if p.index != nil {
		return nil
	}
	index, err := plainfile.Open(p.path + ".idx")
	if err != nil {
		return err
	}
	return p.take(index)
}

// loadIndex is openIndex for many questions: all of the index in memory.
func (p *pack) loadIndex() error {
	data, err := plainfile.Read(p.path + ".idx")
	if err != nil {
		return err
	}
	if p.index != nil {
		p.index.Close()
		p.index = nil
	}
	return p.take(indexInMemory{bytes.NewReader(data), data})
}

func (p *pack) take(index packIndex) error {
	head := make([]byte, namesAt)
	if _, err := index.ReadAt(head, 0); err != nil || string(head[:fanoutAt]) != indexMagic {
		index.Close()
		return p.damaged("index", err)
	}
	last := uint32(0)
	for i := range p.fanout {
		p.fanout[i] = binary.BigEndian.Uint32(head[int(fanoutAt)+4*i:])
		if p.fanout[i] < last {
			index.Close()
			return p.damaged("index", nil)
		}
		last = p.fanout[i]
	}
	p.index = index
	return nil
}

// open makes at possible.
func (p *pack) open() error {
	if p.file != nil {
		return nil
	}
	file, err := plainfile.Open(p.path + ".pack")
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return err
	}
	p.file, p.size = file, info.Size()
	return nil
}

func (p *pack) close() error {
	var errs []error
	if p.index != nil {
		errs = append(errs, p.index.Close())
	}
	if p.file != nil {
		errs = append(errs, p.file.Close())
	}
	p.index, p.file = nil, nil
	return errors.Join(errs...)
}

func (p *pack) damaged(what string, err error) error {
	if err == nil || err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("%s: the %s is damaged", p.path+".pack", what)
	}
	return fmt.Errorf("%s: read the %s: %w", p.path+".pack", what, err)
}

// read is an object of this pack; errNoObject when it is not in it.
func (p *pack) read(id oid) (typ string, data []byte, err error) {
	at, err := p.find(id)
	if err == nil {
		err = p.open()
	}
	if err != nil {
		return "", nil, err
	}
	return p.at(at)
}

// find is where the object begins.
func (p *pack) find(id oid) (int64, error) {
	if err := p.openIndex(); err != nil {
		return 0, err
	}
	count := int64(p.fanout[255])
	low, high := int64(0), int64(p.fanout[id[0]])
	if id[0] > 0 {
		low = int64(p.fanout[id[0]-1])
	}
	// Halve by single names, then read what is left at once.
	for high-low > 128 {
		middle := (low + high) / 2
		var name [packNameLen]byte
		if _, err := p.index.ReadAt(name[:], namesAt+packNameLen*middle); err != nil {
			return 0, p.damaged("index", err)
		}
		if oid(name[:]) <= id {
			low = middle
		} else {
			high = middle
		}
	}
	names, err := p.names(low, high)
	if err != nil {
		return 0, err
	}
	i := int64(sort.Search(int(high-low), func(i int) bool {
		return string(names[packNameLen*i:packNameLen*(i+1)]) >= string(id)
	}))
	if i == high-low || string(names[packNameLen*i:packNameLen*(i+1)]) != string(id) {
		return 0, errNoObject
	}
	var cell [8]byte // after names and checksums: 4 bytes each, or the number of an 8 byte one
	offsets := namesAt + (packNameLen+4)*count
	if _, err := p.index.ReadAt(cell[:4], offsets+4*(low+i)); err != nil {
		return 0, p.damaged("index", err)
	}
	at := int64(binary.BigEndian.Uint32(cell[:]))
	if at > math.MaxInt32 {
		if _, err := p.index.ReadAt(cell[:], offsets+4*count+8*(at&math.MaxInt32)); err != nil {
			return 0, p.damaged("index", err)
		}
		at = int64(binary.BigEndian.Uint64(cell[:]))
	}
	return at, nil
}

// names are those of the objects from low to before high, one after the other.
func (p *pack) names(low, high int64) ([]byte, error) {
	from, to := namesAt+packNameLen*low, namesAt+packNameLen*high
	if m, ok := p.index.(indexInMemory); ok && to <= int64(len(m.all)) {
		return m.all[from:to], nil
	}
	names := make([]byte, to-from)
	if _, err := p.index.ReadAt(names, from); err != nil {
		return nil, p.damaged("index", err)
	}
	return names, nil
}

// at is the object that begins there: an entry, or a chain of deltas down to
// one. In the cache it stands before a byte that says its kind.
func (p *pack) at(at int64) (typ string, data []byte, err error) {
	in := inflaters.Get().(*inflater)
	defer inflaters.Put(in)
	type delta struct {
		at   int64
		data []byte
	}
	var chain []delta
	var kind byte
	for {
		if at <= 0 || at >= p.size || at >= 1<<packBits {
			return "", nil, p.damaged("index", nil)
		}
		if kept, ok := p.cache.Get(p.key(at)); ok {
			n := len(kept) - 1
			kind, data = kept[n], kept[:n:n]
			break
		}
		var base int64
		if kind, base, data, err = p.entry(in, at); err != nil {
			return "", nil, err
		}
		if packTypes[kind] != "" {
			p.keep(at, kind, data)
			break
		}
		if len(chain) == deepest {
			return "", nil, p.damaged("chain of deltas", nil)
		}
		chain = append(chain, delta{at, data})
		at = base
	}
	for i := len(chain) - 1; i >= 0; i-- {
		if data, err = packfile.PatchDelta(data, chain[i].data); err != nil {
			return "", nil, p.damaged("delta", nil)
		}
		p.keep(chain[i].at, kind, data)
	}
	return packTypes[kind], slices.Clip(data), nil
}

// packBits are the bits of an offset in a key: packs of up to 16 TB.
const packBits = 44

func (p *pack) key(at int64) int64 { return p.number<<packBits | at }

func (p *pack) keep(at int64, kind byte, data []byte) {
	p.cache.Put(p.key(at), append(data, kind)) // for which readExactly leaves room
}

// entry is what stands at an offset: an object, or a delta and where its base
// begins.
func (p *pack) entry(f *inflater, at int64) (kind byte, base int64, data []byte, err error) {
	in := f.from(io.NewSectionReader(p.file, at, p.size-at))
	b, err := in.ReadByte()
	if err != nil {
		return 0, 0, nil, p.damaged("entry", err)
	}
	kind = b >> 4 & 7
	size, shift := int64(b&15), 4
	for b&0x80 != 0 {
		if b, err = in.ReadByte(); err != nil || shift > 56 {
			return 0, 0, nil, p.damaged("entry", err)
		}
		size |= int64(b&0x7f) << shift
		shift += 7
	}
	switch kind {
	case kindOffsetDelta:
		if b, err = in.ReadByte(); err != nil {
			return 0, 0, nil, p.damaged("entry", err)
		}
		back := int64(b & 0x7f)
		for b&0x80 != 0 {
			if b, err = in.ReadByte(); err != nil || back > at {
				return 0, 0, nil, p.damaged("entry", err)
			}
			back = (back+1)<<7 | int64(b&0x7f)
		}
		if base = at - back; back == 0 {
			return 0, 0, nil, p.damaged("entry", nil)
		}
	case kindNameDelta: // git leaves none of these in a repository, other writers do
		var name [packNameLen]byte
		if _, err := io.ReadFull(in, name[:]); err != nil {
			return 0, 0, nil, p.damaged("entry", err)
		}
		if base, err = p.find(oid(name[:])); err == errNoObject {
			return 0, 0, nil, p.damaged("delta", nil)
		} else if err != nil {
			return 0, 0, nil, err
		}
	default:
		if packTypes[kind] == "" {
			return 0, 0, nil, p.damaged("entry", nil)
		}
	}
	if data, err = f.read(size); err != nil {
		return 0, 0, nil, p.damaged("entry", err)
	}
	return kind, base, data, nil
}
