package checkout

import (
	"sync"

	"memsync"
	"memsync/gitlog"
	"memsync/internal/config"
	"memsync/internal/format"
	"memsync/internal/store"
)

// StoresAt finds the stores of a repository as one commit has them.
type StoresAt struct {
	repo  *gitlog.Repo // opened at its top
	tree  func(under memsync.Path) ([]gitlog.TreeEntry, error)
	known map[memsync.Path]*storeAt // by directory; nil for none there
}

// At looks at a commit of a repository that was opened at its top.
func At(repo *gitlog.Repo, rev string) *StoresAt {
	return &StoresAt{repo: repo, tree: snapshot(repo, rev), known: map[memsync.Path]*storeAt{}}
}

// snapshot gives what a revision has, which is looked up with the first question.
func snapshot(repo *gitlog.Repo, rev string) func(under memsync.Path) ([]gitlog.TreeEntry, error) {
	found := sync.OnceValues(func() (gitlog.Snapshot, error) { return repo.Snapshot(rev) })
	return func(under memsync.Path) ([]gitlog.TreeEntry, error) {
		s, err := found()
		if err != nil {
			return nil, err
		}
		return s.Tree(under)
	}
}

// storeAt is one of them. The top of a dedicated store is the repository's.
type storeAt struct {
	root     memsync.Path
	embedded bool
	policy   memsync.Policy
}

// at is the store that has its root in a directory, nil for none.
func (s *StoresAt) at(dir memsync.Path) (*storeAt, error) {
	if st, ok := s.known[dir]; ok {
		return st, nil
	}
	st := &storeAt{root: dir, embedded: true}
	base := dir.Join(string(store.Dir))
	marker := base.Join("workspace.toml")
	entries, err := s.tree(marker)
	if err == nil && len(entries) == 0 && dir == "" {
		base, marker, st.embedded = "", "memsync.toml", false
		entries, err = s.tree(marker)
	}
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		st = nil
	} else if st.policy, err = s.policyAt(base.Join("memsync.toml")); err != nil {
		return nil, err
	}
	s.known[dir] = st
	return st, nil
}

// policyAt is the policy in a file of the commit; the default where it is not
// there or does not decode.
func (s *StoresAt) policyAt(p memsync.Path) (memsync.Policy, error) {
	entries, err := s.tree(p)
	if err != nil || len(entries) != 1 {
		return memsync.DefaultPolicy(), err
	}
	data, err := s.repo.Blob(entries[0].Blob)
	if err != nil {
		return memsync.DefaultPolicy(), err
	}
	policy, err := config.Parse(data)
	if err != nil {
		return memsync.DefaultPolicy(), nil
	}
	return policy, nil
}

// of is the innermost store above a path, nil for none.
func (s *StoresAt) of(p memsync.Path) (*storeAt, error) {
	for dir := p.Dir(); ; dir = dir.Dir() {
		st, err := s.at(dir)
		if err != nil || st != nil || dir == "" {
			return st, err
		}
	}
}

// scopes are those that could hold the paths, which are relative to the store.
func (st *storeAt) scopes(paths ...memsync.Path) ([]memsync.Scope, error) {
	layout := config.Layout{Embedded: st.embedded}
	for _, p := range paths {
		for dir := p.Dir(); dir != ""; dir = dir.Dir() {
			if dir.Base() == "memory" {
				layout.Dirs = append(layout.Dirs, dir)
			}
		}
	}
	return config.Scopes(st.policy, layout)
}

// Memory reads a version of a memory; nil for a file that is none.
func (s *StoresAt) Memory(p memsync.Path, blob string) (*memsync.Memory, *format.Document, error) {
	st, err := s.of(p)
	if err != nil || st == nil {
		return nil, nil, err
	}
	rel := p.Rel(st.root)
	scopes, err := st.scopes(rel)
	if err != nil {
		return nil, nil, nil // no scope of such a policy holds anything
	}
	scope, ok := memsync.ScopeOf(scopes, rel)
	if !ok {
		return nil, nil, nil
	}
	switch format.Classify(rel.Rel(scope.Dir)) {
	case format.MemoryFile, format.LogFile:
	default:
		return nil, nil, nil
	}
	data, err := s.repo.Blob(blob)
	if err != nil {
		return nil, nil, err
	}
	doc, err := format.Parse(data, memsync.Limits{})
	if err != nil {
		return nil, nil, nil // what can't be read is pinned by nothing
	}
	return format.Describe(doc, rel, scope), doc, nil
}

// holds reports whether a path (relative to the repository's top) is one of the
// store's own: everything in a dedicated one; of a project's repository what lies
// in .memsync and in the directories that it has bound.
func (st *storeAt) holds(p memsync.Path) bool {
	rel := p.Rel(st.root)
	if !st.embedded || rel.In(store.Dir) {
		return true
	}
	for _, s := range st.policy.Scopes {
		if rel.In(s.Dir) {
			return true
		}
	}
	return false
}
