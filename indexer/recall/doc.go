// Package recall turns a View into what a reader is given.
//
// Digest is MEMORY.md, the list that an agent loads first: a function of the
// memories, of people's own text in the file and of the limits, and of nothing
// else, so that every machine that holds the same tree writes the same bytes.
// Its law is the fixed point: with its files in place it wants no other.
//
// Edits is the way back: what a person's save of MEMORY.md means.
//
// The package never reads or writes a file and never looks at a clock.
package recall
