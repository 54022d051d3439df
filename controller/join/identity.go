package join

import (
	"slices"
	"strings"

	"memsync"
	"memsync/internal/format"
)

// identity is who a file is in one version.
type identity struct {
	id     memsync.ID // "" where nothing says
	inline bool       // the id stands in the file
	event  bool       // an event of the ledger says so
}

// explicit reports whether somebody said who it is, so that another id at the
// same path is another memory.
func (i identity) explicit() bool { return i.inline || i.event }

// identifyAll finds out who the files at these paths are in each version: the
// newest identify event of the path, else the id in the file, else the one that
// follows from the path's oldest commit.
func (j *joiner) identifyAll(paths []memsync.Path) error {
	for _, s := range j.side {
		written := make([]memsync.ID, len(paths)) // in the files
		if err := inParallel(len(paths), func(i int) (err error) {
			written[i], err = j.inlineID(s.tree[paths[i]])
			return err
		}); err != nil {
			return err
		}
		var ask []memsync.Path
		for i, p := range paths {
			if !s.tree[p].there() {
				continue
			}
			var who identity
			if id, ok := s.state.Identity(p); ok {
				who = identity{id: id, event: true}
			}
			if id := written[i]; id != "" && (who.id == "" || who.id == id) {
				who.id, who.inline = id, true
			}
			if who.id == "" {
				ask = append(ask, p)
			}
			s.ids[p] = who
		}
		if len(ask) > 0 {
			derived, err := j.h.DerivedIDs(s.heads, ask)
			if err != nil {
				return err
			}
			for p, id := range derived {
				s.ids[p] = identity{id: id}
			}
		}
		s.paths = map[memsync.ID][]memsync.Path{}
		for p, who := range s.ids {
			s.paths[who.id] = append(s.paths[who.id], p)
		}
	}
	return nil
}

// inlineID is the id that stands in a file, "" for none.
func (j *joiner) inlineID(e Entry) (memsync.ID, error) {
	if !e.there() {
		return "", nil
	}
	data, err := j.bytes(e)
	if err != nil {
		return "", err
	}
	doc, err := format.Parse(data, j.policy.Limits)
	if err != nil {
		return "", nil
	}
	return doc.ID(), nil
}

// slot is one memory: where it is in each version, "" where it is not.
type slot struct {
	path [3]memsync.Path
	id   memsync.ID // the smallest that a version gives it
}

// slots pairs the files of the three versions by who they are.
func (j *joiner) slots(paths []memsync.Path) []*slot {
	g := grouping{parent: map[string]string{}}
	for _, p := range paths {
		g.byPath(j, p)
	}
	files := map[string]*[3][]memsync.Path{}
	for _, p := range paths {
		for v, s := range j.side {
			if !s.tree[p].there() {
				continue
			}
			k := g.find(key(s.ids[p], p))
			if files[k] == nil {
				files[k] = &[3][]memsync.Path{}
			}
			files[k][v] = append(files[k][v], p)
		}
	}
	var out []*slot
	for _, f := range files {
		out = append(out, pair(f)...)
	}
	for _, s := range out {
		for v, p := range s.path {
			if id := j.side[v].ids[p].id; p != "" && id != "" && (s.id == "" || id < s.id) {
				s.id = id
			}
		}
	}
	slices.SortFunc(out, func(a, b *slot) int {
		if c := strings.Compare(string(a.id), string(b.id)); c != 0 {
			return c
		}
		return slices.Compare(a.path[:], b.path[:])
	})
	return out
}

// key names who a file is; without any id, the path does.
func key(who identity, p memsync.Path) string {
	if who.id == "" {
		return "/" + string(p)
	}
	return string(who.id)
}

// grouping joins names of one memory (union-find).
type grouping struct{ parent map[string]string }

func (g grouping) find(k string) string {
	for g.parent[k] != "" {
		k = g.parent[k]
	}
	return k
}

func (g grouping) unite(a, b string) {
	if a, b = g.find(a), g.find(b); a != b {
		if b < a {
			a, b = b, a
		}
		g.parent[b] = a
	}
}

// byPath unites what stands at one path in two versions, unless both say that
// they are somebody else. A file that lost its id line, or was given one, is
// the memory that was there.
func (g grouping) byPath(j *joiner, p memsync.Path) {
	for _, pair := range [3][2]int{{base, one}, {base, two}, {one, two}} {
		a, b := j.side[pair[0]], j.side[pair[1]]
		if !a.tree[p].there() || !b.tree[p].there() {
			continue
		}
		x, y := a.ids[p], b.ids[p]
		switch {
		case x.id != y.id && x.explicit() && y.explicit() && !j.isLog(p):
		case x.id != y.id && (a.elsewhere(y, p) || b.elsewhere(x, p)):
		default:
			g.unite(key(x, p), key(y, p))
		}
	}
}

func (j *joiner) isLog(p memsync.Path) bool {
	s, ok := memsync.ScopeOf(j.scopes, p)
	return ok && format.Classify(p.Rel(s.Dir)) == format.LogFile
}

// elsewhere reports whether a version has that memory at another path.
func (s *side) elsewhere(who identity, p memsync.Path) bool {
	if who.id == "" {
		return false
	}
	for _, q := range s.paths[who.id] {
		if q != p {
			return true
		}
	}
	return false
}

// pair makes slots of one memory's files: the same path first, then what
// vanished with what appeared, in the order of the paths. What is left over are
// copies, each for itself.
func pair(files *[3][]memsync.Path) []*slot {
	var out []*slot
	used := [3]map[memsync.Path]bool{{}, {}, {}}
	for _, from := range []int{base, one, two} {
		for _, p := range files[from] {
			if used[from][p] {
				continue
			}
			s := &slot{}
			for v := from; v <= two; v++ {
				if slices.Contains(files[v], p) && !used[v][p] {
					s.path[v], used[v][p] = p, true
				}
			}
			out = append(out, s)
		}
	}
	// A slot that lacks a side takes over the first slot that has it alone.
	for _, s := range out {
		for _, v := range []int{one, two} {
			if s.path[v] != "" || s.path[base] == "" && s.path[one]+s.path[two] == "" {
				continue
			}
			for _, t := range out {
				if t == s || t.path[v] == "" || t.path[base] != "" || t.path[one+two-v] != "" {
					continue
				}
				s.path[v], t.path[v] = t.path[v], ""
				break
			}
		}
	}
	return slices.DeleteFunc(out, func(s *slot) bool { return s.path == [3]memsync.Path{} })
}
