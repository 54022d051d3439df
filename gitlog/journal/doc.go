// Package journal remembers, durably, what was decided before anything changed.
//
// One bbolt file holds the plans with their decisions, the contents that git
// does not hold yet, what waits for a person, what happened, and a few facts
// of this machine. A plan enters in one transaction before any file is
// touched and leaves the list of unfinished plans in another:
//
//	Begin ─▶ planned ─┬─▶ applied      the files, and the commit where there is one, are there
//	                  ├─▶ superseded   somebody else's bytes won; the contents stay as held records
//	                  └─▶ failed       undone while the caller still waited for the answer
//
// Unlike the index the journal is not disposable: damage is reported
// ([memsync.CodeJournal]) and never answered with a fresh file. It never holds
// the bytes of a [memsync.FileChange] marked Secret, and what is forgotten
// leaves the file itself, free pages included.
package journal
