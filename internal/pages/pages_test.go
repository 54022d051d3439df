package pages

import (
	"testing"
)

// TestBytes: whatever the size, it is that many bytes, all zero, of which appending
// to them makes others.
func TestBytes(t *testing.T) {
	Heap(3 * Large)
	for _, n := range []int{0, 1, Large/4 - 1, Large / 4, Large - 1, Large, Large + 1, 3*Large + 5} {
		b := Bytes(n)
		if len(b) != n || cap(b) != n {
			t.Fatalf("%d bytes: %d of %d", n, len(b), cap(b))
		}
		for i := range b {
			if b[i] != 0 {
				t.Fatalf("of %d bytes, byte %d is %d", n, i, b[i])
			}
			b[i] = byte(i)
		}
		for i := range b {
			if b[i] != byte(i) {
				t.Fatalf("of %d bytes, byte %d is %d", n, i, b[i])
			}
		}
	}
}
