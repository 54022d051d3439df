package gitlog

import (
	"strings"

	"memsync"
)

// Cut is a version of a file that a commit of somebody else's replaced or removed.
type Cut struct {
	Path   memsync.Path
	Commit string // that did it
	Blob   string // what the file was before
}

// Cuts are the versions of files directly in dirs that were replaced or removed by
// commits that memsync did not make, newest first, among the newest commits (0: all
// of history). Our own commits only ever append to the files this is asked about,
// so theirs are not looked into: a year of saves costs as much as reading the
// commits.
func (r *Repo) Cuts(dirs []memsync.Path, newest int) ([]Cut, error) {
	_, head, err := r.head()
	if err != nil || head == "" || len(dirs) == 0 {
		return nil, err
	}
	in := make(map[memsync.Path]bool, len(dirs))
	for _, d := range dirs {
		in[d] = true
	}
	w := r.newWalk()
	if err := w.push(head); err != nil {
		return nil, err
	}
	var out []Cut
	for seen := 0; newest == 0 || seen < newest; seen++ {
		n, ok, err := w.next()
		if err != nil || !ok {
			return out, err
		}
		for _, p := range w.parents(n) {
			if err := w.push(p); err != nil {
				return nil, err
			}
		}
		if strings.Contains(n.message, trailerDecision+":") && len(trailersOf(n.message)[trailerDecision]) > 0 || len(n.parents) == 0 {
			continue
		}
		edges, err := w.edges(n)
		if err != nil {
			return nil, err
		}
		for _, e := range edges {
			for _, c := range e.changes {
				p := memsync.Path(c.name)
				if c.from != "" && in[p.Dir()] {
					out = append(out, Cut{Path: p, Commit: n.id.hex(), Blob: c.from.hex()})
				}
			}
		}
	}
	return out, nil
}
