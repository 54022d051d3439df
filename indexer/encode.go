package indexer

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
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
	d.Stat = r.stat()
	hash, blob := r.hexes()
	d.Hash, d.Blob = memsync.Hash(hash), blob
	return d, r.done()
}

// decodeStat is the first part of decodeDisk.
func decodeStat(b []byte) (Stat, bool) {
	r := reader{b: b}
	st := r.stat()
	return st, !r.bad
}

func (r *reader) stat() Stat {
	return Stat{Size: int64(r.uint()), MTime: r.int(), CTime: r.int(), Inode: r.uint(), Mode: uint32(r.uint())}
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
	hash, blob := r.hexes()
	t.Hash, t.Blob = memsync.Hash(hash), blob
	return t, r.done()
}

// A header is three parts: the hashes, the texts, the rest.
func encodeMemory(m *memsync.Memory) []byte {
	var hexes, texts, rest writer
	for _, s := range []string{string(m.Hash), m.Blob, string(m.BodyKey), string(m.MetaKey)} {
		hexes.hex(s)
	}
	for _, s := range []string{string(m.ID), m.Scope, string(m.Kind), string(m.Type), m.TypeText, m.Slug, m.Name, m.Description, m.Hook,
		m.Key, m.Project, string(m.Supersedes), m.Target, m.Payload, m.SortKey} {
		texts.text(s)
	}
	for _, list := range [][]string{m.Tags, m.Aliases, m.Links, m.Conversations} {
		texts.list(list)
	}
	for _, t := range []time.Time{m.ValidFrom, m.ValidUntil, m.CreatedAt} {
		rest.time(t)
	}
	flags := uint64(0)
	if m.Pinned {
		flags |= 1
	}
	if m.Inline {
		flags |= 2
	}
	rest.uint(flags)
	rest.uint(uint64(m.Size))
	rest.sketch(m.Sketch)
	w := writer{make([]byte, 0, len(hexes.b)+len(texts.b)+len(rest.b)+2*binary.MaxVarintLen32)}
	w.text(string(hexes.b))
	w.text(string(texts.b))
	w.b = append(w.b, rest.b...)
	return w.b
}

// decoder reads headers. Of one record it makes one string for all texts and
// one for all hashes, and words that come in every record are shared.
type decoder struct {
	words map[string]string
	hexes []byte
	bare  bool // sketches are left out
}

func newDecoder() *decoder { return &decoder{words: map[string]string{}} }

func (d *decoder) word(s string) string {
	if w, ok := d.words[s]; ok {
		return w
	}
	s = strings.Clone(s)
	d.words[s] = s
	return s
}

// memory reads the header of the memory at p into m.
func (d *decoder) memory(m *memsync.Memory, p memsync.Path, b []byte) error {
	hexes, rest, ok := cut(b)
	texts, tail, ok2 := cut(rest)
	if !ok || !ok2 {
		return fmt.Errorf("%w: the header of %s", ErrDamaged, p)
	}
	r := reader{b: texts, s: string(texts)}
	m.Path = p
	m.ID = memsync.ID(r.text())
	m.Scope = d.word(r.text())
	m.Kind = memsync.Kind(d.word(r.text()))
	m.Type = memsync.Type(d.word(r.text()))
	for _, s := range []*string{&m.TypeText, &m.Slug, &m.Name, &m.Description, &m.Hook, &m.Key, &m.Project} {
		*s = r.text()
	}
	m.Supersedes = memsync.ID(r.text())
	m.Target, m.Payload, m.SortKey = r.text(), r.text(), r.text()
	for _, list := range []*[]string{&m.Tags, &m.Aliases, &m.Links, &m.Conversations} {
		*list = r.list()
	}
	h := reader{b: hexes}
	d.hexes = d.hexes[:0]
	var ends [4]int
	for i := range ends {
		d.hexes = h.hex(d.hexes)
		ends[i] = len(d.hexes)
	}
	all := string(d.hexes)
	m.Hash, m.Blob, m.BodyKey, m.MetaKey = memsync.Hash(all[:ends[0]]), all[ends[0]:ends[1]], memsync.Hash(all[ends[1]:ends[2]]), memsync.Hash(all[ends[2]:])
	n := reader{b: tail}
	for _, t := range []*time.Time{&m.ValidFrom, &m.ValidUntil, &m.CreatedAt} {
		*t = n.time()
	}
	flags := n.uint()
	m.Pinned, m.Inline = flags&1 != 0, flags&2 != 0
	m.Size = int64(n.uint())
	m.Sketch = n.sketch(d.bare)
	if !r.done() || !h.done() || !n.done() {
		return fmt.Errorf("%w: the header of %s", ErrDamaged, p)
	}
	return nil
}

// cut takes a length-prefixed part off b.
func cut(b []byte) (part, rest []byte, ok bool) {
	n, w := binary.Uvarint(b)
	if w <= 0 || n > uint64(len(b)-w) {
		return nil, nil, false
	}
	return b[w : w+int(n)], b[w+int(n):], true
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

func (w *writer) sketch(s []uint32) {
	w.uint(uint64(len(s)))
	for _, v := range s {
		w.b = binary.LittleEndian.AppendUint32(w.b, v)
	}
}

// reader never panics on what it is given: the first thing that makes no sense
// makes it bad, and what it returns then means nothing.
type reader struct {
	b   []byte
	s   string // b as a string, where texts are read
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

// text shares memory with r.s.
func (r *reader) text() string {
	n := len(r.take(r.uint()))
	return r.s[r.at-n : r.at]
}

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

// hex appends a hexadecimal name to out.
func (r *reader) hex(out []byte) []byte {
	n := r.uint()
	raw := r.take(n >> 1)
	if n&1 != 0 {
		return append(out, raw...)
	}
	return hex.AppendEncode(out, raw)
}

// hexes are two names that share memory.
func (r *reader) hexes() (string, string) {
	var room [2*32 + 2*20]byte
	buf := r.hex(room[:0])
	n := len(buf)
	both := string(r.hex(buf))
	return both[:n], both[n:]
}

func (r *reader) sketch(skip bool) []uint32 {
	n := r.uint()
	if n > uint64(len(r.b)-r.at)/4 {
		r.bad = true
		return nil
	}
	if skip {
		r.at += 4 * int(n)
	}
	if n == 0 || skip {
		return nil
	}
	out := make([]uint32, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(r.b[r.at:])
		r.at += 4
	}
	return out
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
