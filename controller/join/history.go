package join

import (
	"errors"
	"slices"
	"strings"
	"time"

	"memsync"
	"memsync/internal/config"
)

// File modes of git's.
const (
	ModeFile   = 0o100644
	ModeExec   = 0o100755
	ModeLink   = 0o120000
	ModeModule = 0o160000
)

// PolicyFile is where a store's policy stands.
const PolicyFile memsync.Path = "memsync.toml"

// Entry is one file of a tree; the zero value is none.
type Entry struct {
	Blob string // git's id
	Mode uint32
}

func (e Entry) there() bool { return e.Blob != "" }

// regular reports whether e is a file with bytes of its own.
func (e Entry) regular() bool { return e.Mode == ModeFile || e.Mode == ModeExec }

// Tree is every file of a commit, by path.
type Tree map[memsync.Path]Entry

// Version is the commit that made a file what it is; the zero value is
// unknown.
type Version struct {
	Commit string
	Time   time.Time
}

// History is what git holds. Each answer follows from immutable objects, so
// asking is no less pure than being told; it must be the same on every machine
// that has the commits, or be an error. Several goroutines may ask for blobs.
type History interface {
	// Tree is a new map, the caller's.
	Tree(commit string) (Tree, error)
	Time(commit string) (time.Time, error)
	// Bases are the best common ancestors of what can be reached from two sets
	// of commits, by hash.
	Bases(a, b []string) ([]string, error)
	// Versions finds, among the commits that can be reached from tips and not
	// from others, the youngest that made a path that blob ("" took it away).
	Versions(tips, others []string, want map[memsync.Path]string) (map[memsync.Path]Version, error)
	// DerivedIDs are the ids of files that carry none, as a commit with these
	// parents has them; a path that none of the tips has is in no answer.
	DerivedIDs(tips []string, paths []memsync.Path) (map[memsync.Path]memsync.ID, error)
	Blob(id string) ([]byte, error)
	BlobID(data []byte) string
}

// Conflict is a losing text and where it is kept.
type Conflict struct {
	Path   memsync.Path // of the copy
	Kind   string       // merge's
	Key    string
	Memory memsync.ID   // "" for a file without one
	File   memsync.Path // where the winning text is; "" when it is gone
}

// Result is a joined tree.
type Result struct {
	Parents   []string // by hash
	Time      time.Time
	Tree      Tree
	Fresh     map[string][]byte // blobs that no commit has yet, by id
	Conflicts []Conflict        // by path
	Policy    memsync.Policy
	Scopes    []memsync.Scope
}

// Tips joins two commits. Swapping them gives the same Result.
//
// Errors: CodeUnrelated where they have no common ancestor, CodeStoreFormat
// where a side has a format that this program does not know, and what the
// History says.
func Tips(h History, a, b string) (*Result, error) {
	f := folder{h: h, fresh: map[string][]byte{}}
	x, err := f.point(a)
	if err != nil {
		return nil, err
	}
	y, err := f.point(b)
	if err != nil {
		return nil, err
	}
	j, err := f.join(x, y, false)
	if err != nil {
		return nil, err
	}
	r := &Result{Parents: []string{a, b}, Time: j.time, Tree: j.out, Fresh: map[string][]byte{}, Conflicts: j.told, Policy: j.policy, Scopes: j.scopes}
	slices.Sort(r.Parents)
	for _, e := range j.out {
		if data, ok := f.fresh[e.Blob]; ok {
			r.Fresh[e.Blob] = data
		}
	}
	return r, nil
}

// point is a commit, or what several would be if they were joined.
type point struct {
	heads []string // by hash
	time  time.Time
	tree  Tree
}

func (p *point) name() string { return strings.Join(p.heads, " ") }

// folder joins points; blobs that it makes stay in memory.
type folder struct {
	h     History
	fresh map[string][]byte
}

func (f *folder) point(commit string) (*point, error) {
	t, err := f.h.Tree(commit)
	if err != nil {
		return nil, err
	}
	when, err := f.h.Time(commit)
	return &point{heads: []string{commit}, time: when, tree: t}, err
}

func (f *folder) blob(id string) ([]byte, error) {
	if data, ok := f.fresh[id]; ok {
		return data, nil
	}
	return f.h.Blob(id)
}

func (f *folder) keep(data []byte) string {
	id := f.h.BlobID(data)
	if _, ok := f.fresh[id]; !ok {
		f.fresh[id] = data
	}
	return id
}

// join joins two points over their bases. virtual: the result is a base
// itself, of which nobody reads what is derived, and which has no conflicts: a
// copy that only one side has would look as if the other had taken it away.
func (f *folder) join(x, y *point, virtual bool) (*joiner, error) {
	for _, p := range []*point{x, y} {
		if err := f.known(p); err != nil {
			return nil, err
		}
	}
	bases, err := f.h.Bases(x.heads, y.heads)
	if err != nil {
		return nil, err
	}
	base := &point{tree: Tree{}}
	switch {
	case len(bases) > 0:
		if base, err = f.fold(bases); err != nil {
			return nil, err
		}
	case !virtual:
		return nil, &memsync.Error{Code: memsync.CodeSyncUnrelated, Message: "the two histories have no commit in common",
			Hint: "nothing was changed; they are two stores: `git log` of both shows which is the one you want"}
	}
	if x.name() > y.name() {
		x, y = y, x
	}
	j := newJoiner(f, base, x, y, virtual)
	return j, j.run()
}

// fold is the one base that several make.
func (f *folder) fold(commits []string) (*point, error) {
	commits = slices.Sorted(slices.Values(commits))
	p, err := f.point(commits[0])
	for _, c := range commits[1:] {
		if err != nil {
			return nil, err
		}
		var next *point
		if next, err = f.point(c); err != nil {
			return nil, err
		}
		var j *joiner
		if j, err = f.join(p, next, true); err != nil {
			return nil, err
		}
		heads := append(slices.Clone(p.heads), next.heads...)
		slices.Sort(heads)
		p = &point{heads: heads, time: j.time, tree: j.out}
	}
	return p, err
}

// Known is CodeStoreFormat for a commit whose format number is another
// program's: nobody here goes on from it.
func Known(h History, commit string) error {
	f := folder{h: h}
	p, err := f.point(commit)
	if err != nil {
		return err
	}
	return f.known(p)
}

// known refuses a tree whose format number is another program's.
func (f *folder) known(p *point) error {
	e := p.tree[PolicyFile]
	if !e.regular() {
		return nil
	}
	data, err := f.blob(e.Blob)
	if err != nil {
		return err
	}
	var bad *memsync.Error
	if _, err := config.Parse(data); errors.Is(err, memsync.CodeStoreFormat) && errors.As(err, &bad) {
		bad.Path, bad.Hint = PolicyFile, "nothing was joined; install a newer memsync"
		return bad
	}
	return nil
}
