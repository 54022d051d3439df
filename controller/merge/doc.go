// Package merge joins two descendants of one document. It is pure and
// symmetric, and no line of either side is lost.
//
// Laws, each a property in the tests:
//
//	Merge(b, x, x) = x, Merge(b, b, x) = x, Merge(b, x, b) = x   byte for byte
//	Merge(b, x, y) = Merge(b, y, x)                              bytes and conflicts
//	both sides parse  ⇒  the result parses
//	no conflict marker is ever written
//	a line that one side wrote is in the result or in a Conflict
//
// Symmetry is by construction: the two sides are put in order first, the
// earlier and the later (by time, where times are equal or unknown by bytes),
// and nothing afterwards knows which one was "ours".
//
// What is merged here ends in commits of several machines, so the line diff is
// part of the on-disk contract (format = 1) like the rules themselves: it is
// written out in this package, not taken from a library whose next release
// could align two paragraphs differently and make machines disagree.
package merge
