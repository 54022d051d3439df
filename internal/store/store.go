// Package store says which store a directory belongs to and what its policy
// and scopes are. It reads; it never creates.
package store

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"memsync"
	"memsync/internal/config"
	"memsync/internal/plainfile"
)

// Kind is what promise a store keeps.
type Kind string

const (
	Dedicated Kind = "dedicated" // a repository that exists for memory; memsync commits
	Embedded  Kind = "embedded"  // below .memsync/ of a project's own repository; the person commits
	Local     Kind = "local"     // never leaves the machine
)

// Store is one store as its files describe it.
type Store struct {
	Root      string // absolute; of an embedded store the project's top, so that directories beside .memsync can be bound
	Kind      Kind
	Workspace memsync.ID // embedded: from workspace.toml
	Policy    memsync.Policy
	Scopes    []memsync.Scope
	// PolicyErr says why memsync.toml does not decode; Policy is then the
	// default and the keeper goes on with the last good one.
	PolicyErr error
}

// Dir is where an embedded store keeps its own files, relative to its root.
const Dir memsync.Path = ".memsync"

// Base is where the store's own files live: "" or ".memsync".
func (s *Store) Base() memsync.Path {
	if s.Kind == Embedded {
		return Dir
	}
	return ""
}

// PolicyPath is memsync.toml, relative to Root.
func (s *Store) PolicyPath() memsync.Path { return s.Base().Join("memsync.toml") }

// CommitMode is who commits here, the kind's default applied.
func (s *Store) CommitMode() memsync.CommitMode {
	switch {
	case s.Policy.Git.Commit != "":
		return s.Policy.Git.Commit
	case s.Kind == Embedded:
		return memsync.CommitOff
	default:
		return memsync.CommitAuto
	}
}

// Find walks up from dir to the innermost store: a .memsync/workspace.toml, or
// a memsync.toml beside .git. It returns an error with CodeStoreNone when
// there is none.
func Find(dir string) (*Store, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return nil, &memsync.Error{Code: memsync.CodeIORead, Err: err}
	}
	if _, err := os.Stat(start); err != nil {
		return nil, &memsync.Error{Code: memsync.CodeStoreNone, Message: "no such directory: " + start,
			Hint: "give -C an existing directory"}
	}
	for at := start; ; at = filepath.Dir(at) {
		switch {
		case isFile(filepath.Join(at, string(Dir), "workspace.toml")):
			return Load(at, Embedded)
		case isFile(filepath.Join(at, "memsync.toml")) && exists(filepath.Join(at, ".git")):
			if filepath.Base(at) == "local" && isFile(filepath.Join(filepath.Dir(at), "memsync.toml")) {
				return Load(at, Local)
			}
			return Load(at, Dedicated)
		}
		if at == filepath.Dir(at) {
			return nil, &memsync.Error{Code: memsync.CodeStoreNone,
				Message: "no store in " + start + " or above it",
				Hint:    "run `memsync init` here, or name a store with -C DIR"}
		}
	}
}

// Load reads the store at root.
func Load(root string, kind Kind) (*Store, error) {
	s := &Store{Root: root, Kind: kind}
	data, err := plainfile.Read(filepath.Join(root, filepath.FromSlash(string(s.PolicyPath()))))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &memsync.Error{Code: memsync.CodeIORead, Path: s.PolicyPath(), Err: err}
	}
	if s.Policy, err = config.Parse(data); err != nil {
		s.PolicyErr = s.placed(err)
		s.Policy = memsync.DefaultPolicy()
	}
	if kind == Embedded {
		p := Dir.Join("workspace.toml")
		data, err := plainfile.Read(filepath.Join(root, filepath.FromSlash(string(p))))
		if err != nil {
			return nil, &memsync.Error{Code: memsync.CodeIORead, Path: p, Err: err}
		}
		w, err := config.ParseWorkspace(data)
		if err != nil {
			var e *memsync.Error
			if errors.As(err, &e) && e.Path == "" {
				e.Path = p
			}
			return nil, err
		}
		s.Workspace = w.WorkspaceID
	}
	return s, s.Resolve()
}

// Resolve computes the scopes from the policy and the directories that are
// there now.
func (s *Store) Resolve() error {
	var dirs []memsync.Path
	add := func(p memsync.Path) {
		if isDir(filepath.Join(s.Root, filepath.FromSlash(string(p)))) {
			dirs = append(dirs, p)
		}
	}
	base := s.Base()
	add(base.Join("memory"))
	for _, parent := range []memsync.Path{base.Join("agents"), base.Join("workspaces")} {
		entries, err := os.ReadDir(filepath.Join(s.Root, filepath.FromSlash(string(parent))))
		if err != nil {
			continue // not there: no such scopes
		}
		for _, e := range entries {
			if e.IsDir() {
				add(parent.Join(e.Name(), "memory"))
			}
		}
	}
	return s.resolve(dirs)
}

// resolve computes the scopes where these of the standard places are there.
func (s *Store) resolve(dirs []memsync.Path) error {
	scopes, err := config.Scopes(s.Policy, config.Layout{Embedded: s.Kind == Embedded, Workspace: s.Workspace, Dirs: dirs})
	if err != nil {
		return err
	}
	if s.Kind == Local {
		for i := range scopes {
			if scopes[i].Kind == memsync.Global {
				scopes[i].Label = "local"
			}
		}
	}
	s.Scopes = scopes
	return nil
}

// AsIn is the store as it is in another place than on disk, such as git's index:
// with the memsync.toml that is there (nil for none) and the files that are
// there. An error says why the policy does not decode.
func (s *Store) AsIn(policy []byte, files iter.Seq[memsync.Path]) (*Store, error) {
	out := &Store{Root: s.Root, Kind: s.Kind, Workspace: s.Workspace}
	var err error
	if out.Policy, err = config.Parse(policy); err != nil {
		return nil, s.placed(err)
	}
	layout := config.Layout{Embedded: s.Kind == Embedded, Workspace: s.Workspace}
	return out, out.resolve(config.Places(layout, files))
}

func exists(p string) bool { _, err := os.Lstat(p); return err == nil }

func isFile(p string) bool { st, err := os.Stat(p); return err == nil && st.Mode().IsRegular() }

func isDir(p string) bool { st, err := os.Lstat(p); return err == nil && st.IsDir() }

// UsePolicy takes data, a memsync.toml that decodes, in place of the one on
// disk.
func (s *Store) UsePolicy(data []byte) error {
	p, err := config.Parse(data)
	if err != nil {
		return s.placed(err)
	}
	s.Policy = p
	return s.Resolve()
}

// placed says in which file an error of the policy is.
func (s *Store) placed(err error) error {
	var e *memsync.Error
	if errors.As(err, &e) && e.Path == "" {
		e.Path = s.PolicyPath()
	}
	return err
}

// Within is a path relative to a store's root. Links on the way to the store
// are seen through.
func Within(root, full string) (memsync.Path, bool) {
	rel, err := filepath.Rel(root, full)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		realRoot, err1 := filepath.EvalSymlinks(root)
		realDir, err2 := filepath.EvalSymlinks(filepath.Dir(full))
		if err1 != nil || err2 != nil {
			return "", false
		}
		rel, err = filepath.Rel(realRoot, filepath.Join(realDir, filepath.Base(full)))
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return "", false
		}
	}
	if rel == "." {
		return "", true
	}
	return memsync.Path(filepath.ToSlash(rel)), true
}
