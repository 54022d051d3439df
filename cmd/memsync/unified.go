package main

import (
	udiff "github.com/aymanbagabas/go-udiff"

	"memsync/keeper"
)

// unified is a change as a unified diff. The label of an absent side is
// /dev/null, as in git.
func unified(c keeper.FileDiff) string {
	from, to := "a/"+oneLine(string(c.Path)), "b/"+oneLine(string(c.Path))
	if c.Old == nil {
		from = "/dev/null"
	}
	if c.New == nil {
		to = "/dev/null"
	}
	return udiff.Unified(from, to, string(c.Old), string(c.New))
}
