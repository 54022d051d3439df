package indexer

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"

	"memsync"
)

// The records are varints and length-prefixed strings, in a fixed order:
// decoding 10,000 of them costs less than reading them.

func encodeDisk(d Disk) []byte {
	w := writer{make([]byte, 0, 96)}
	w.uint(uint64(d.Stat.Size))
	w.int(d.Stat.MTime)
	w.int(d.Stat.CTime)
	w.uint(d.Stat.Inode)
	w.uint(uint64(d.Stat.Mode))
	w.hex(string(d.Hash))
	w.hex(d.Blob)
	return w.b
}

func decodeDisk(b []byte) (d Disk, ok bool) {
	if b == nil {
		return d, false
	}
	r := reader{b: b}
	d.Stat.Size = int64(r.uint())
	d.Stat.MTime = r.int()
	d.Stat.CTime = r.int()
	d.Stat.Inode = r.uint()
	d.Stat.Mode = uint32(r.uint())
	d.Hash = memsync.Hash(r.hex())
	d.Blob = r.hex()
	return d, r.done()
}

func encodeTracked(t Tracked) []byte {
	w := writer{make([]byte, 0, 64)}
	w.hex(string(t.Hash))
	w.hex(t.Blob)
	return w.b
}

func decodeTracked(b []byte) (t Tracked, ok bool) {
	if b == nil {
		return t, false
	}
	r := reader{b: b}
	t.Hash = memsync.Hash(r.hex())
	t.Blob = r.hex()
	return t, r.done()
}

func encodeMemory(m *memsync.Memory) []byte {
	w := writer{make([]byte, 0, 768)}
	for _, s := range []string{string(m.ID), m.Scope, string(m.Kind), string(m.Type), m.TypeText, m.Slug, m.Name, m.Description, m.Hook,
		m.Key, m.Project, string(m.Supersedes), m.Target, m.Payload, m.SortKey} {
		w.text(s)
	}
	for _, list := range [][]string{m.Tags, m.Aliases, m.Links, m.Conversations} {
		w.list(list)
	}
	for _, t := range []time.Time{m.ValidFrom, m.ValidUntil, m.CreatedAt} {
		w.time(t)
	}
	flags := uint64(0)
	if m.Pinned {
		flags |= 1
	}
	if m.Inline {
		flags |= 2
	}
	w.uint(flags)
	w.uint(uint64(m.Size))
	w.hex(string(m.Hash))
	w.hex(m.Blob)
	w.hex(string(m.BodyKey))
	w.hex(string(m.MetaKey))
	w.uint(uint64(len(m.Sketch)))
	for _, v := range m.Sketch {
		w.b = binary.LittleEndian.AppendUint32(w.b, v)
	}
	return w.b
}

func decodeMemory(p memsync.Path, b []byte) (*memsync.Memory, error) {
	r := reader{b: b}
	m := &memsync.Memory{Path: p}
	m.ID = memsync.ID(r.text())
	m.Scope = r.text()
	m.Kind = memsync.Kind(r.text())
	m.Type = memsync.Type(r.text())
	for _, s := range []*string{&m.TypeText, &m.Slug, &m.Name, &m.Description, &m.Hook, &m.Key, &m.Project} {
		*s = r.text()
	}
	m.Supersedes = memsync.ID(r.text())
	m.Target, m.Payload, m.SortKey = r.text(), r.text(), r.text()
	for _, list := range []*[]string{&m.Tags, &m.Aliases, &m.Links, &m.Conversations} {
		*list = r.list()
	}
	for _, t := range []*time.Time{&m.ValidFrom, &m.ValidUntil, &m.CreatedAt} {
		*t = r.time()
	}
	flags := r.uint()
	m.Pinned, m.Inline = flags&1 != 0, flags&2 != 0
	m.Size = int64(r.uint())
	m.Hash = memsync.Hash(r.hex())
	m.Blob = r.hex()
	m.BodyKey = memsync.Hash(r.hex())
	m.MetaKey = memsync.Hash(r.hex())
	if n := r.uint(); n > 0 && n <= uint64(len(r.b)-r.at)/4 {
		m.Sketch = make([]uint32, n)
		for i := range m.Sketch {
			m.Sketch[i] = binary.LittleEndian.Uint32(r.b[r.at:])
			r.at += 4
		}
	} else if n > 0 {
		r.bad = true
	}
	if !r.done() {
		return nil, fmt.Errorf("%w: the header of %s", ErrDamaged, p)
	}
	return m, nil
}

type writer struct{ b []byte }

func (w *writer) uint(v uint64) { w.b = binary.AppendUvarint(w.b, v) }
func (w *writer) int(v int64)   { w.b = binary.AppendVarint(w.b, v) }

func (w *writer) text(s string) {
	w.uint(uint64(len(s)))
	w.b = append(w.b, s...)
}

func (w *writer) list(l []string) {
	w.uint(uint64(len(l)))
	for _, s := range l {
		w.text(s)
	}
}

// hex writes the bytes that a hexadecimal name stands for; what is not
// lower-case hexadecimal is written as it is, marked by an odd length.
func (w *writer) hex(s string) {
	raw, err := hex.DecodeString(s)
	if err != nil || hex.EncodeToString(raw) != s {
		w.uint(uint64(len(s))<<1 | 1)
		w.b = append(w.b, s...)
		return
	}
	w.uint(uint64(len(raw)) << 1)
	w.b = append(w.b, raw...)
}

// time keeps nanoseconds and forgets the zone: everything here is UTC. The
// zero time is its own mark.
func (w *writer) time(t time.Time) {
	if t.IsZero() {
		w.uint(0)
		return
	}
	w.uint(1)
	w.int(t.Unix())
	w.uint(uint64(t.Nanosecond()))
}

type reader struct {
	b   []byte
	at  int
	bad bool
}

func (r *reader) done() bool { return !r.bad && r.at == len(r.b) }

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b[r.at:])
	if n <= 0 {
		r.bad = true
		r.at = len(r.b)
		return 0
	}
	r.at += n
	return v
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.b[r.at:])
	if n <= 0 {
		r.bad = true
		r.at = len(r.b)
		return 0
	}
	r.at += n
	return v
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)-r.at) {
		r.bad = true
		r.at = len(r.b)
		return nil
	}
	out := r.b[r.at : r.at+int(n)]
	r.at += int(n)
	return out
}

func (r *reader) text() string { return string(r.take(r.uint())) }

func (r *reader) list() []string {
	n := r.uint()
	if n > uint64(len(r.b)-r.at) { // each takes a byte at least
		r.bad = true
		return nil
	}
	if n == 0 {
		return nil
	}
	out := make([]string, n)
	for i := range out {
		out[i] = r.text()
	}
	return out
}

func (r *reader) hex() string {
	n := r.uint()
	if n&1 != 0 {
		return string(r.take(n >> 1))
	}
	return hex.EncodeToString(r.take(n >> 1))
}

func (r *reader) time() time.Time {
	if r.uint() == 0 {
		return time.Time{}
	}
	sec := r.int()
	ns := r.uint()
	if ns >= 1e9 {
		r.bad = true
		return time.Time{}
	}
	return time.Unix(sec, int64(ns)).UTC()
}
