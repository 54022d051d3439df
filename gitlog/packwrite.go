package gitlog

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"slices"
)

// packWriter writes a pack as gitformat-pack(5) has it, each object whole.
type packWriter struct{ out *bytes.Buffer }

func newPackWriter(out *bytes.Buffer, objects int) packWriter {
	head := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(objects))
	out.Write(head)
	return packWriter{out}
}

func (p packWriter) add(typ string, data []byte) {
	size := uint64(len(data))
	b := byte(slices.Index(packTypes[:], typ))<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		p.out.WriteByte(b | 0x80)
		b = byte(size & 0x7f)
	}
	p.out.WriteByte(b)
	z := zlib.NewWriter(p.out)
	_, _ = z.Write(data) // into memory
	_ = z.Close()
}

func (p packWriter) end() []byte {
	sum := sha1.Sum(p.out.Bytes())
	p.out.Write(sum[:])
	return p.out.Bytes()
}
