// Package ledger reads and writes the append-only events of a scope and folds
// them into state. It counts; it does not judge: which bar a promotion must
// pass, and whether it passed, is decided where the bars are known.
//
// A ledger file is `<scope>/_system/ledger/<yyyy-mm>.<clone>.jsonl`, one JSON
// event a line. Each clone appends to a file of its own, so that two machines
// rarely write the same one; where a merge joins two versions by lines, readers
// drop what stands twice.
//
// Laws:
//
//   - Append never alters a byte that was there.
//   - Parse never refuses a file. A line that cannot be read is skipped and
//     reported; every other line counts.
//   - Fold is a function of the set of events: any order, any repetition, the
//     same State.
//   - Two events that share an id and differ contradict each other. Neither
//     counts, and both are reported.
//   - What is forgotten stays forgotten, whatever is added later.
//   - No text of a memory stands in an event, only hashes of it.
package ledger
