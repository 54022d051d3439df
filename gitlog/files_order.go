package gitlog

import "strings"

// inOrder puts removals last, so that a renamed memory is never nowhere, but
// for one whose name differs from a file to be written by case alone: on a
// disk that folds case the two are one name.
func inOrder(changes []*change) []*change {
	written := map[string]bool{}
	for _, c := range changes {
		if c.to != "" {
			written[strings.ToLower(string(c.path))] = true
		}
	}
	var first, writes, last []*change
	for _, c := range changes {
		switch {
		case c.to != "":
			writes = append(writes, c)
		case written[strings.ToLower(string(c.path))]:
			first = append(first, c)
		default:
			last = append(last, c)
		}
	}
	return append(append(first, writes...), last...)
}
