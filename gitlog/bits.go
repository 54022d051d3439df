package gitlog

import "math/bits"

// bitset is a set of small numbers: which of the paths asked for.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b bitset) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) unset(i int)    { b[i/64] &^= 1 << (i % 64) }

func (b bitset) clone() bitset { return append(bitset(nil), b...) }

func (b bitset) empty() bool {
	for _, w := range b {
		if w != 0 {
			return false
		}
	}
	return true
}

// merge adds all of o and reports whether anything was new.
func (b bitset) merge(o bitset) (grew bool) {
	for i, w := range o {
		grew = grew || w&^b[i] != 0
		b[i] |= w
	}
	return grew
}

// minus takes all of o away.
func (b bitset) minus(o bitset) {
	for i, w := range o {
		b[i] &^= w
	}
}

// each yields the members in order.
func (b bitset) each(yield func(i int)) {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			yield(i*64 + bits.TrailingZeros64(w))
		}
	}
}
