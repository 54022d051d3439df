package gitlog

import (
	"sort"
	"time"

	"memsync"
)

// FileVersion is one file as it was at a time.
type FileVersion struct {
	Path   memsync.Path
	Blob   string // "" when that version is a deletion
	Commit string
	At     time.Time // of that version
}

// VersionAt is the newest version of a file, reachable from HEAD, whose
// Memory-At (or commit time, where there is none) is not later than at. blob is
// "" when that version deleted the file. A file that had no version by then is
// CodeNotFound.
func (r *Repo) VersionAt(p memsync.Path, at time.Time) (v Version, blob string, err error) {
	var best *node
	var own fileDiff
	err = r.eachVersion(func(n *node, changes []fileDiff) {
		for _, c := range changes {
			if c.name != string(p) {
				continue
			}
			if t := n.at(); !t.After(at) && (best == nil || t.After(best.at())) {
				best, own = n, c
			}
		}
	})
	if err != nil {
		return v, "", err
	}
	if best == nil {
		return v, "", &memsync.Error{Code: memsync.CodeNotFound, Path: p,
			Message: "no version by " + at.UTC().Format(time.RFC3339), Hint: "`memsync log` lists the versions there are"}
	}
	v = best.version()
	v.Changes = []TreeChange{{p, own.from.hex(), own.to.hex()}}
	return v, own.to.hex(), nil
}

// FilesAt is VersionAt for every file of the store in one walk: the files that
// existed at a time, by path.
func (r *Repo) FilesAt(at time.Time) ([]FileVersion, error) {
	best := map[string]FileVersion{}
	err := r.eachVersion(func(n *node, changes []fileDiff) {
		t := n.at()
		if t.After(at) {
			return
		}
		for _, c := range changes {
			if b, ok := best[c.name]; !ok || t.After(b.At) {
				best[c.name] = FileVersion{memsync.Path(c.name), c.to.hex(), n.id.hex(), t}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	out := make([]FileVersion, 0, len(best))
	for _, f := range best {
		if f.Blob != "" {
			out = append(out, f)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out, nil
}

// eachVersion visits all history of HEAD, each commit after one of its
// children and with the changes that it made itself. Of two versions with one
// time the one met first stands: a merge that carries the time of its later
// side is met before that side.
func (r *Repo) eachVersion(visit func(n *node, changes []fileDiff)) error {
	_, head, err := r.head()
	if err != nil || head == "" {
		return err
	}
	w := r.newWalk()
	if err := w.push(head); err != nil {
		return err
	}
	for {
		n, ok, err := w.next()
		if err != nil || !ok {
			return err
		}
		edges, err := w.edges(n)
		if err != nil {
			return err
		}
		if own := made(edges); len(own) > 0 {
			visit(n, own)
		}
		for _, e := range edges {
			if e.parent != nil && !e.parent.queued {
				w.enqueue(e.parent)
			}
		}
	}
}
