// Package lint says what is wrong with a store and what would fix it.
//
// It judges the files of one moment, wherever they come from: a checkout, git's
// index, or one file that an editor has not saved yet. The same bytes give the
// same findings, in the same order, on every machine: no clock, no index, no
// network, no configuration of the machine. What git has to say (which paths it
// ignores, what HEAD holds) is told to it as facts, and so is the day, on which a
// few rules about agents depend.
//
// [Composition] is the part of it about the agents of a store, for who has put them
// together already.
//
// Laws:
//
//   - A finding has a code that is never renamed and never reused, and a page that
//     explains it (rules/, shown by `memsync rules CODE`).
//   - A fix is a list of byte spans of the finding's own file. It never guesses:
//     what it leads to reads as what was read before, and what is fixed once is
//     not found again.
//   - Secrets are never shown, and no file can keep one from being found.
//
// The package reads no file and writes none. Package report turns findings into
// what people and other programs read.
package lint
