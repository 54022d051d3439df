package text

import "github.com/agnivade/levenshtein"

// Nearest is the word that s was probably meant to be, "" when none is near: two
// edits away, or three in a longer word. Of words equally near the first wins.
// The figures are a guess that reads well.
func Nearest(s string, words []string) string {
	best, distance := "", 3+min(len(s)/8, 1)
	for _, w := range words {
		if d := levenshtein.ComputeDistance(s, w); d < distance {
			best, distance = w, d
		}
	}
	return best
}
