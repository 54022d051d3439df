package text

// SketchSize is how many values a sketch has. The standard error of a
// similarity estimated from it is at most 1/16.
const SketchSize = 64

// hashes are the parameters of 64 multiply-shift hash functions, drawn once
// from splitmix64 with seed 1. Sketches are stored: these never change.
var hashes = func() (h struct{ a, b [SketchSize]uint64 }) {
	x := uint64(1)
	next := func() uint64 {
		x += 0x9e3779b97f4a7c15
		return mix(x)
	}
	for i := range SketchSize {
		h.a[i], h.b[i] = next()|1, next()
	}
	return h
}()

// Sketch is the MinHash of shingles: 64 values, nil for no shingles. Two
// sketches agree in one place with a probability that is the Jaccard similarity
// of the sets.
func Sketch(shingles []uint64) []uint32 {
	if len(shingles) == 0 {
		return nil
	}
	out := make([]uint32, SketchSize)
	for i := range out {
		a, b := hashes.a[i], hashes.b[i]
		least := ^uint32(0)
		for _, x := range shingles {
			least = min(least, uint32((x*a+b)>>32))
		}
		out[i] = least
	}
	return out
}

// Similarity estimates the Jaccard similarity of the sets behind two sketches; 0
// when either is not a sketch.
func Similarity(a, b []uint32) float64 {
	if len(a) != SketchSize || len(b) != SketchSize {
		return 0
	}
	return float64(agreement(a, b)) / SketchSize
}

func agreement(a, b []uint32) (n int) {
	b = b[:len(a)]
	for i, v := range a {
		if v == b[i] {
			n++
		}
	}
	return n
}
