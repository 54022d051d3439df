// Package join joins two tips of one store's history into one tree.
//
// The result is a function of what git holds, of nothing else: no clock, no
// verdict, nothing of this machine. So two machines that join the same tips
// make the same tree, whichever of the tips they call theirs, and never chase
// each other.
//
//	a tree is joined by memories, not by paths: a memory is known by its id,
//	  wherever it went, so that a rename on one side meets an edit on the other
//	what merge can't keep in place is a conflict copy in
//	  <scope>/_system/conflicts/, so a join always ends
//	memsync.toml is joined first and its result says which files are memories
//	ledgers are united next, and what they say was forgotten is gone
//	MEMORY.md and _index/ are made anew from the joined memories
//
// Several best common ancestors are folded by the same function, in the order
// of their hashes.
package join
