package gitlog

import (
	"time"

	"memsync"
	"memsync/controller/join"
)

// history is what a join asks of a repository. The store is the repository's
// top: where it is not, nobody joins.
type history struct{ r *Repo }

var _ join.History = history{}

func (h history) oids(commits []string) ([]oid, error) {
	out := make([]oid, len(commits))
	for i, c := range commits {
		id, ok := h.r.kind.parseOID(c)
		if !ok {
			return nil, &memsync.Error{Code: memsync.CodeUsage, Message: "not a commit: " + c}
		}
		out[i] = id
	}
	return out, nil
}

func (h history) Tree(commit string) (join.Tree, error) {
	tree, err := h.r.treeOf(commit)
	if err != nil {
		return nil, err
	}
	out := join.Tree{}
	err = h.r.listTree(tree, "", func(name string, item treeItem) {
		out[memsync.Path(name)] = join.Entry{Blob: oid(item.id).hex(), Mode: plainMode(item.mode)}
	})
	return out, err
}

// plainMode is a mode as git writes it today: old programs wrote 0100664.
func plainMode(mode uint32) uint32 {
	if mode&0o170000 != 0o100000 {
		return mode
	}
	if mode&0o100 != 0 {
		return modeExec
	}
	return modeFile
}

func (h history) Time(commit string) (time.Time, error) {
	ids, err := h.oids([]string{commit})
	if err != nil {
		return time.Time{}, err
	}
	c, err := h.r.commitAt(ids[0])
	return c.committed.UTC(), err
}

func (h history) Bases(a, b []string) ([]string, error) {
	x, err := h.oids(a)
	if err != nil {
		return nil, err
	}
	y, err := h.oids(b)
	if err != nil {
		return nil, err
	}
	found, err := h.r.bases(x, y)
	out := make([]string, len(found))
	for i, id := range found {
		out[i] = id.hex()
	}
	return out, err
}

// Versions goes by the first commit that a walk meets, the youngest; the walk
// is the same on every machine.
func (h history) Versions(tips, others []string, want map[memsync.Path]string) (map[memsync.Path]join.Version, error) {
	from, err := h.oids(tips)
	if err != nil {
		return nil, err
	}
	known, err := h.oids(others)
	if err != nil {
		return nil, err
	}
	out := map[memsync.Path]join.Version{}
	for _, tip := range from {
		commits, w, err := h.r.commitsSince(tip, known)
		if err != nil {
			return nil, err
		}
		left := len(want)
		seen := map[memsync.Path]bool{}
		for _, n := range commits {
			if left == 0 {
				break
			}
			edges, err := w.edges(n)
			if err != nil {
				return nil, err
			}
			for _, c := range made(edges) {
				p := memsync.Path(c.name)
				blob, asked := want[p]
				if !asked || seen[p] || blob != c.to.hex() {
					continue
				}
				seen[p] = true
				left--
				v := join.Version{Commit: n.id.hex(), Time: n.committed.UTC()}
				if old, ok := out[p]; !ok || v.Time.After(old.Time) || v.Time.Equal(old.Time) && v.Commit > old.Commit {
					out[p] = v
				}
			}
		}
	}
	return out, nil
}

func (h history) DerivedIDs(tips []string, paths []memsync.Path) (map[memsync.Path]memsync.ID, error) {
	heads, err := h.oids(tips)
	if err != nil {
		return nil, err
	}
	ids, shallow, err := h.r.derivedIDs(heads, paths)
	if err == nil && len(shallow) > 0 {
		err = shallowError()
	}
	return ids, err
}

func (h history) Blob(id string) ([]byte, error) { return h.r.Blob(id) }
func (h history) BlobID(data []byte) string      { return h.r.BlobID(data) }
