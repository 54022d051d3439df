// Package keeper owns the order of things and none of the rules.
//
// One keeper owns a store at a time. It catches up with commits that others
// made, looks at the disk, turns what it finds into candidates, has them
// decided, journals and applies the plan, and brings the catalog up to date:
// that is step.go, and it fits one screen. Rules are controller's, durability
// is gitlog's, the text of MEMORY.md is recall's.
package keeper
