package gitlog

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"

	"memsync"
)

// packWriter writes a pack as gitformat-pack(5) has it, each object whole, into
// memory.
type packWriter struct {
	out *bytes.Buffer
	z   *zlib.Writer
}

func newPackWriter(out *bytes.Buffer, objects int) packWriter {
	return newPackWriterLevel(out, objects, zlib.DefaultCompression)
}

func newPackWriterLevel(out *bytes.Buffer, objects, level int) packWriter {
	out.Write(binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(objects)))
	z, err := zlib.NewWriterLevel(out, level)
	if err != nil {
		panic("bug: zlib does not know its own level: " + err.Error())
	}
	return packWriter{out, z}
}

func (p packWriter) add(typ string, data []byte) {
	size := uint64(len(data))
	b := byte(slices.Index(packTypes[:], typ))<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		p.out.WriteByte(b | 0x80)
		b = byte(size & 0x7f)
	}
	p.out.WriteByte(b)
	p.z.Reset(p.out)
	_, _ = p.z.Write(data) // into memory
	_ = p.z.Close()
}

func (p packWriter) end() []byte {
	sum := sha1.Sum(p.out.Bytes())
	p.out.Write(sum[:])
	return p.out.Bytes()
}

// packedFrom: from so many objects on, what is new is written as one pack instead
// of a file each: git's own bound for what it fetches (fetch.unpackLimit). Tests
// have it smaller.
var packedFrom = 100

// packedMost is in bytes of the objects. A pack is held in memory while it is
// made, so that very much is written one by one. The number is a guess.
const packedMost = 512 << 20

// packable reports whether these objects are to be one pack.
func (r *Repo) packable(objs []newObject) bool {
	size := 0
	for _, o := range objs {
		size += len(o.data)
	}
	return len(objs) >= packedFrom && size <= packedMost && r.kind.size == kindSHA1.size
}

// writePack writes objects as a pack with its index, durable as writeObjects says.
// The index is named last: with it the pack is there. The same objects make the
// same pack. What the repository has already is in it all the same: then nothing
// depends on how long a gc leaves the other copy.
func (r *Repo) writePack(objs []newObject, s *settler) error {
	seen := make(map[oid]bool, len(objs))
	var list []newObject
	for _, o := range objs {
		if !seen[o.id] {
			seen[o.id] = true
			list = append(list, o)
		}
	}
	var out bytes.Buffer
	var made idxfile.Writer
	_ = made.OnHeader(uint32(len(list))) // never fails
	p := newPackWriterLevel(&out, len(list), zlib.BestSpeed)
	for _, o := range list {
		at := out.Len()
		p.add(o.typ, o.data)
		made.Add(plumbing.Hash([]byte(o.id)), uint64(at), crc32.ChecksumIEEE(out.Bytes()[at:]))
	}
	data := p.end()
	sum := plumbing.Hash(data[len(data)-packNameLen:])
	var idx bytes.Buffer
	err := made.OnFooter(sum)
	if err == nil {
		var index *idxfile.MemoryIndex
		if index, err = made.Index(); err == nil {
			_, err = idxfile.NewEncoder(&idx).Encode(index)
		}
	}
	if err != nil {
		return fmt.Errorf("bug: the index of a pack: %w", err)
	}
	dir := filepath.Join(r.common, "objects", "pack")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fault(memsync.CodeIOWrite, "writing git objects", err)
	}
	s.dir(filepath.Dir(dir))
	name := filepath.Join(dir, "pack-"+sum.String())
	now := time.Now()
	if _, err := os.Stat(name + ".idx"); err == nil && os.Chtimes(name+".pack", now, now) == nil { // of an earlier try
		return errors.Join(s.existing(name+".pack"), s.existing(name+".idx"))
	}
	for _, part := range []struct {
		tmp, end string
		data     []byte
	}{{"tmp_pack_", ".pack", data}, {"tmp_idx_", ".idx", idx.Bytes()}} { // git prune knows these names
		f, err := os.CreateTemp(dir, part.tmp)
		if err != nil {
			return fault(memsync.CodeIOWrite, "writing git objects", err)
		}
		if _, err = f.Write(part.data); err == nil {
			err = f.Chmod(0o444)
		}
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			return fault(memsync.CodeIOWrite, "writing git objects", err)
		}
		s.add(f, name+part.end)
	}
	return nil
}
