// Package format turns the bytes of one memory file into values and back
// without losing one.
//
// It promises two laws. Round trip: Parse(x).Bytes() == x, or Parse refuses
// and returns no value. One key: Set, Remove and InsertID change the bytes of
// the key they name and no other, or refuse and change nothing; every edit is
// parsed again before it is handed out, so that a refusal is the worst that can
// happen.
//
// Frontmatter is read by a fast path for the plain shapes that nearly all
// files have and by the YAML decoder for the rest; both give the same tree with
// the same places, which a fuzz test holds them to. No other package imports
// YAML. Scalars are text; the few typed keys are read as their type in
// Describe, and what does not read so is a finding, never a guess.
//
// The package also owns the names of files: which paths a write may name, what
// a file found on disk is, and the one slug function.
package format
