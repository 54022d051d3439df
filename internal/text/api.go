// Package text holds the normal forms and measures that tell whether two
// texts say the same: folding, shingles, MinHash, opposition, confusables.
package text

// Fold is the sort and comparison form of a name: NFC, case-folded.
func Fold(s string) string { panic("stub") }

// Normalize is the form in which two bodies count as the same text: NFC, LF,
// no trailing white space, no leading or trailing blank lines.
func Normalize(s string) string { panic("stub") }

// ValueKey is the form in which a rejected value is recognised: NFKC, case
// folded, white space and invisible characters removed, confusable skeleton of
// UTS 39.
func ValueKey(s string) string { panic("stub") }

// Shingles are the hashed word 3-shingles of s, character 3-grams where the
// script has no spaces; sorted, distinct.
func Shingles(s string) []uint64 { panic("stub") }

// Jaccard is |a∩b| / |a∪b| of two sorted distinct sets; 0 when both are empty.
func Jaccard(a, b []uint64) float64 { panic("stub") }

// Sketch is the MinHash of shingles: 64 values, nil for no shingles.
func Sketch(shingles []uint64) []uint32 { panic("stub") }

// Table proposes near-duplicates: what it returns contains, with probability
// above 0.99, each entry whose Jaccard similarity is 0.4 or more.
type Table struct{}

func NewTable() *Table                                 { panic("stub") }
func (t *Table) Add(key string, sketch []uint32)       { panic("stub") }
func (t *Table) Remove(key string)                     { panic("stub") }
func (t *Table) Query(sketch []uint32) (keys []string) { panic("stub") }

// Opposed reports whether two similar texts differ in a negation or
// restriction word, or in a number, date, weekday or proper name at the same
// place; known is false where the language has no list.
func Opposed(a, b string) (opposed bool, why string, known bool) { panic("stub") }
