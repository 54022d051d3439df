// Package text holds the normal forms and measures that tell whether two
// texts say the same: folding, shingles, MinHash, opposition, look-alikes.
//
// Everything here is a pure function of its arguments and of tables compiled
// in, stable between versions: keys and sketches are stored and compared across
// machines. Any string is accepted, valid UTF-8 or not; nothing panics, and
// nothing takes more than about n·log n in the length of the text.
//
// What a number means is the controller's: this package measures, it does not
// judge.
package text
