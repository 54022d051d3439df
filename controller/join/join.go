package join

import (
	"maps"
	"slices"
	"strings"
	"time"

	"memsync"
	"memsync/controller/merge"
	"memsync/internal/config"
	"memsync/internal/format"
	"memsync/internal/ledger"
)

// The three versions of everything.
const (
	base = iota
	one
	two
)

// joiner is one join at work. Sides one and two are in the order of their
// names, and nothing knows which of them anybody calls theirs.
type joiner struct {
	*folder
	side    [3]*side
	virtual bool
	time    time.Time // of the later side
	touched []memsync.Path

	policy memsync.Policy
	scopes []memsync.Scope
	state  *ledger.State // of the joined ledgers

	out    Tree
	placed map[string]memsync.Path // files that the join put into out, by collision key
	told   []Conflict
	untold []merge.Conflict              // of memsync.toml
	moved  map[memsync.Path]memsync.Path // files that made way for a directory
}

// side is one of the three versions.
type side struct {
	*point
	other    *side // the tip it is joined with
	state    *ledger.State
	versions map[memsync.Path]Version
	ids      map[memsync.Path]identity
	paths    map[memsync.ID][]memsync.Path // the other way about, in no order
}

func newJoiner(f *folder, b, x, y *point, virtual bool) *joiner {
	j := &joiner{folder: f, virtual: virtual, time: x.time, placed: map[string]memsync.Path{}, moved: map[memsync.Path]memsync.Path{}}
	for i, p := range [3]*point{b, x, y} {
		j.side[i] = &side{point: p, versions: map[memsync.Path]Version{}, ids: map[memsync.Path]identity{}}
	}
	j.side[one].other, j.side[two].other = j.side[two], j.side[one]
	if y.time.After(j.time) {
		j.time = y.time
	}
	return j
}

func (j *joiner) run() error {
	j.diff()
	if err := j.joinPolicy(); err != nil {
		return err
	}
	if err := j.joinLedgers(); err != nil {
		return err
	}
	docs, rest := j.sort()
	if err := j.joinDocuments(docs); err != nil {
		return err
	}
	if err := j.joinFiles(rest); err != nil {
		return err
	}
	if err := j.makeWay(); err != nil {
		return err
	}
	if !j.virtual {
		if err := j.derive(); err != nil {
			return err
		}
	}
	slices.SortFunc(j.told, func(a, b Conflict) int { return strings.Compare(string(a.Path), string(b.Path)) })
	j.told = slices.Compact(j.told)
	return nil
}

// diff finds the paths that a side changed, and takes them out of what is
// otherwise the base's tree.
func (j *joiner) diff() {
	b := j.side[base].tree
	j.out = maps.Clone(b)
	set := map[memsync.Path]bool{}
	for _, s := range j.side[one:] {
		for p, e := range s.tree {
			if b[p] != e {
				set[p] = true
			}
		}
		for p := range b {
			if _, there := s.tree[p]; !there {
				set[p] = true
			}
		}
	}
	for p := range set {
		delete(j.out, p)
	}
	j.touched = slices.Sorted(maps.Keys(set))
}

// entries are a path's three versions.
func (j *joiner) entries(p memsync.Path) (e [3]Entry) {
	for i, s := range j.side {
		e[i] = s.tree[p]
	}
	return e
}

// bytes are a file's bytes, nil for none.
func (j *joiner) bytes(e Entry) ([]byte, error) {
	if !e.there() {
		return nil, nil
	}
	data, err := j.blob(e.Blob)
	if data == nil && err == nil {
		data = []byte{}
	}
	return data, err
}

// ask gets the commits that made the versions of paths on a side.
func (s *side) ask(h History, paths []memsync.Path) error {
	want := map[memsync.Path]string{}
	for _, p := range paths {
		if _, known := s.versions[p]; !known {
			want[p] = s.tree[p].Blob
		}
	}
	if len(want) == 0 {
		return nil
	}
	got, err := h.Versions(s.heads, s.other.heads, want)
	for p := range want {
		s.versions[p] = got[p]
	}
	return err
}

// version is a file as merge takes it. When it was made is known after ask.
func (j *joiner) version(s *side, p memsync.Path) (merge.Version, error) {
	data, err := j.bytes(s.tree[p])
	return merge.Version{Bytes: data, Time: s.versions[p].Time}, err
}

// put is a file of the result.
func (j *joiner) put(p memsync.Path, e Entry) {
	if e.there() {
		j.out[p] = e
		j.placed[format.CollisionKey(p)] = p
	}
}

// joinPolicy joins memsync.toml; what it says holds for everything after it.
// One that does not read leaves the base's in force, like a save that is held.
func (j *joiner) joinPolicy() error {
	if slices.Contains(j.touched, PolicyFile) {
		if err := j.joinFile(PolicyFile, merge.Policy); err != nil {
			return err
		}
	}
	var err error
	for _, e := range []Entry{j.out[PolicyFile], j.side[base].tree[PolicyFile], {}} {
		var data []byte
		if e.regular() {
			if data, err = j.bytes(e); err != nil {
				return err
			}
		}
		if j.policy, err = config.Parse(data); err != nil {
			continue
		}
		layout := config.Layout{}
		layout.Dirs = config.Places(layout, func(yield func(memsync.Path) bool) {
			for _, s := range j.side[one:] {
				for p := range s.tree {
					if !yield(p) {
						return
					}
				}
			}
		})
		var scopes []memsync.Scope
		if scopes, err = config.Scopes(j.policy, layout); err == nil {
			j.scopes = scopes
			j.tellAbout(PolicyFile, j.untold)
			return nil
		}
	}
	return err
}

// main is the scope that copies of files outside of every scope are kept in.
func (j *joiner) main() memsync.Scope {
	if i := slices.IndexFunc(j.scopes, func(s memsync.Scope) bool { return s.Kind == memsync.Global }); i >= 0 {
		return j.scopes[i]
	}
	return j.scopes[0]
}

// scopeOf is the scope of a path, else the main one.
func (j *joiner) scopeOf(p memsync.Path) memsync.Scope {
	if s, ok := memsync.ScopeOf(j.scopes, p); ok {
		return s
	}
	return j.main()
}

// system is a directory of a scope's own files.
func system(s memsync.Scope, kind ...string) memsync.Path {
	dir := s.System
	if dir == "" {
		dir = s.Dir
	}
	return dir.Join(append([]string{"_system"}, kind...)...)
}

// tell keeps a conflict's copy and says where. A base that is only thought of
// has none.
func (j *joiner) tell(s memsync.Scope, name string, c merge.Conflict, file memsync.Path) {
	if j.virtual {
		return
	}
	p := system(s, "conflicts").Join(merge.CopyName(name, c.Bytes))
	j.put(p, Entry{Blob: j.keep(c.Bytes), Mode: ModeFile})
	j.told = append(j.told, Conflict{Path: p, Kind: c.Kind, Key: c.Key, Memory: c.Record.Memory, File: file})
}

// sort tells the touched files that are memories from the others.
func (j *joiner) sort() (docs, rest []memsync.Path) {
	for _, p := range j.touched {
		if _, done := j.out[p]; done || p == PolicyFile || isLedger(j.scopes, p) {
			continue
		}
		if j.isDocument(p) {
			docs = append(docs, p)
		} else {
			rest = append(rest, p)
		}
	}
	return docs, rest
}

// isDocument reports whether a path is a memory's, an archived one's included,
// and a plain file in every version.
func (j *joiner) isDocument(p memsync.Path) bool {
	for _, e := range j.entries(p) {
		if e.there() && !e.regular() {
			return false
		}
	}
	s, ok := memsync.ScopeOf(j.scopes, p)
	if !ok {
		return false
	}
	if p.In(system(s, "archive")) {
		return strings.HasSuffix(string(p), ".md")
	}
	return listed(s, p)
}

// listed reports whether a path of a scope is one that its views have.
func listed(s memsync.Scope, p memsync.Path) bool {
	class := format.Classify(p.Rel(s.Dir))
	return (class == format.MemoryFile || class == format.LogFile) && !config.Excluded(s, p)
}
