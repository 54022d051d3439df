// Package checkout judges the files of a store as they are in a checkout: on
// disk, in git's index, or on disk with one file as an editor has it; and in the
// commits that a push would bring, what must not leave. It needs
// neither owner nor index, catalog, network or home directory, and writes
// nothing.
package checkout
