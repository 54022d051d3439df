// Package search finds memories by their words.
//
// It keeps an index of one store on disk: a projection of what is accepted,
// made from nothing else, worth nothing by itself. Whatever is wrong with it,
// Stamp is empty and one Rebuild from the accepted files heals it. A file that
// may not be read, a full disk and a lock that somebody else holds are no
// damage: they are errors, and nothing is removed for them.
//
// Bleve's scorch keeps the postings, writes them atomically and merges them.
// How a text becomes terms (analysis), what a person's words ask for
// (ParseQuery) and how documents are ranked is ours, for three reasons. Any
// text must be a safe query, and the analysis must be the same pure function
// when a memory is written, asked for, and shown with the line that matched.
// Statistics must count live documents only, so that an index which grew by
// ten thousand updates ranks exactly like one that was made anew: scorch's own
// count what is deleted and not yet merged away. And recall sums signals over
// all matches, of which Bleve's searches hand out a top only.
//
// The law of this package (8 of the house): after any history of Apply, Search
// answers like an index that was rebuilt from the same documents, hit for hit,
// score for score.
//
// The package never decides who may see what: Request.Exclude does. It never
// reads the store, the ledger or the clock.
package search
