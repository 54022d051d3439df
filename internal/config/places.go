package config

import (
	"iter"
	"strings"

	"memsync"
)

// Places are the standard places in which files are, for a store that is not
// read from disk: what Layout.Dirs asks for.
func Places(l Layout, files iter.Seq[memsync.Path]) []memsync.Path {
	seen := map[memsync.Path]bool{}
	var dirs []memsync.Path
	for p := range files {
		// A standard place ends in memory/, the first of its name.
		i := 0
		if !strings.HasPrefix(string(p), "memory/") {
			if i = strings.Index(string(p), "/memory/") + 1; i == 0 {
				continue
			}
		}
		dir := p[:i+len("memory")]
		if !seen[dir] {
			seen[dir] = true
			if _, ok := StandardScope(l, dir); ok {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}
