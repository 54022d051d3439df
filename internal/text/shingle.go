package text

import (
	"slices"
	"unicode"
)

const (
	hashSeed  uint64 = 14695981039346656037 // FNV-1a, 64 bits
	hashPrime uint64 = 1099511628211
)

// mix spreads a hash over all bits (the finalizer of splitmix64).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// Shingles are the hashed word 3-shingles of s, case-folded, punctuation left
// out; sorted, distinct. A character of a script without spaces counts as a
// word, so that there they are character 3-grams. A text of one or two words has
// one shingle, the whole; a text of symbols only is shingled by its symbols; one
// without any has none.
func Shingles(s string) []uint64 {
	s = Fold(s)
	words := make([]uint64, 0, len(s)/5+4)
	for i := 0; ; {
		start, end, ok := nextWord(s, i)
		if !ok {
			break
		}
		words = append(words, hashString(s[start:end]))
		i = end
	}
	if len(words) == 0 {
		for _, r := range s {
			if !unicode.IsSpace(r) && !invisible(r) {
				words = append(words, hashSeed^uint64(r)*hashPrime)
			}
		}
	}
	switch len(words) {
	case 0:
		return nil
	case 1, 2:
		h := hashSeed + uint64(len(words))
		for _, w := range words {
			h = mix(h*hashPrime + w)
		}
		return []uint64{h}
	}
	out := words[:len(words)-2] // in place: shingle i needs words i and later only
	for i := range out {
		out[i] = mix(mix(mix(words[i])*3+words[i+1])*3 + words[i+2])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func hashString(s string) uint64 {
	h := hashSeed
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return h
}

// Jaccard is |a∩b| / |a∪b| of two sorted distinct sets; 0 when both are empty.
func Jaccard(a, b []uint64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both++
			i++
			j++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
