// Command memsync-merge-driver is `memsync merge-driver` alone. git starts it once
// for each file that both sides of a merge changed, and a program without the
// search, the watcher and the tree of verbs starts in half the time.
//
//	memsync-merge-driver BASE OURS THEIRS SIZE PATH    as in merge.memsync.driver (%O %A %B %L %P)
//
// Exit 0: merged, into OURS. 1: both sides changed the same words; OURS is whole,
// what lost is kept. 2: the arguments are not those; nothing was done. Above 128: it
// failed, and git stops the merge. Where the store is none that it knows, all is as
// with `git merge-file`.
package main

import (
	"fmt"
	"os"

	"memsync/internal/filemerge"
	_ "memsync/internal/prefault" // before anything else touches memory
)

func main() {
	d, ok := filemerge.ParseDriven(os.Args[1:])
	if !ok {
		fmt.Fprintln(os.Stderr, "memsync-merge-driver: usage: memsync-merge-driver BASE OURS THEIRS SIZE PATH; git runs it, see `memsync hooks install`")
		os.Exit(2)
	}
	os.Exit(d.Drive(os.Stderr, false))
}
