package keeper

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"memsync"
	"memsync/gitlog"
	"memsync/internal/config"
	"memsync/internal/format"
	"memsync/internal/store"
)

// InitOptions say what Init makes.
type InitOptions struct {
	Kind     store.Kind // Dedicated, Embedded or Local
	Branch   string     // dedicated; "" for git's init.defaultBranch
	Now      time.Time
	Driver   string // absolute path of the program that git merges memories with in this clone; "" leaves git's configuration alone
	NoBinary bool
	DryRun   bool
}

// Made is what Init did, or would do.
type Made struct {
	Store   *store.Store `json:"-"`
	Root    string       `json:"root"`
	Kind    store.Kind   `json:"kind"`
	Files   []string     `json:"files"`             // written, relative to the root
	Adopted []string     `json:"adopted,omitempty"` // directories that existed before: never rewritten, MEMORY.md only checked
	Commit  string       `json:"commit,omitempty"`
}

// attributes keep git from changing a byte of a memory, have it merge memories
// by meaning where the clone has the driver, and let any tool join ledgers by
// union.
const attributes = "*.md -text merge=memsync\nmemsync.toml -text merge=memsync\nworkspace.toml -text\n.gitattributes -text\n.gitignore -text\n**/_system/ledger/*.jsonl -text merge=union\nREVIEW.md merge=union\n"

const (
	// temporary files that a killed process leaves until the next command
	ignores = "# files in the making\n.memsync-*\n"
	// a home store's local store
	ignoresLocal = "# what must not leave this machine has a repository of its own\n/local/\n"
)

// Init makes the directory root a store. It never changes a file that exists,
// and refuses a directory that is a store already.
func Init(ctx context.Context, root string, opt InitOptions) (*Made, error) {
	s := &store.Store{Root: root, Kind: opt.Kind}
	marker := store.Dir.Join("workspace.toml")
	// Either kind's: a second store in one place would take what the first one's
	// commands mean.
	for _, m := range []memsync.Path{"memsync.toml", marker} {
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(string(m)))); err == nil {
			return nil, &memsync.Error{Code: memsync.CodeStoreExists, Message: root + " is a store already",
				Hint: "see it with `memsync status -C " + root + "`"}
		}
	}
	if at := gitDirectory(root); at != "" {
		return nil, &memsync.Error{Code: memsync.CodeStoreRefused, Message: at + " is a git directory (a bare repository has no files)",
			Hint: "make a directory for the store: memsync init DIR"}
	}
	policy := memsync.DefaultPolicy()
	policy.Git = memsync.GitPolicy{Commit: memsync.CommitAuto, Branch: opt.Branch}
	if opt.Kind == store.Embedded {
		policy.Git = memsync.GitPolicy{Commit: memsync.CommitOff}
	}
	made := &Made{Root: root, Kind: opt.Kind}
	var err error
	if policy.Scopes, err = Adopted(root, s.Base().Join("memory"), opt.Kind); err != nil {
		return nil, err
	}
	for _, sc := range policy.Scopes {
		made.Adopted = append(made.Adopted, string(sc.Dir))
	}

	if opt.Kind != store.Embedded && !opt.DryRun {
		if err := os.MkdirAll(root, 0o755); err != nil {
			return nil, ioError(err, "")
		}
		if _, err := os.Lstat(filepath.Join(root, ".git")); errors.Is(err, fs.ErrNotExist) {
			if err := gitlog.Init(root, opt.Branch, gitlog.Options{NoBinary: opt.NoBinary}); err != nil {
				return nil, err
			}
		}
	}
	if opt.Kind != store.Embedded && opt.Branch == "" && !opt.DryRun {
		repo, err := gitlog.Open(root, gitlog.Options{NoBinary: opt.NoBinary})
		if err != nil {
			return nil, err
		}
		st, err := repo.State()
		if err != nil {
			return nil, err
		}
		policy.Git.Branch = st.Branch
	}

	type file struct {
		path memsync.Path
		data []byte
	}
	ignore := ignores
	if opt.Kind == store.Dedicated {
		ignore += ignoresLocal
	}
	files := []file{{s.PolicyPath(), config.Default(policy)}, {s.Base().Join(".gitattributes"), []byte(attributes)},
		{s.Base().Join(".gitignore"), []byte(ignore)}}
	if opt.Kind == store.Embedded {
		w := config.WorkspaceFile{WorkspaceID: newIDs().draw(opt.Now), CreatedAt: opt.Now.UTC().Truncate(time.Second)}
		files = append(files, file{marker, w.Bytes()}) // last: it is what makes the directory a store
	}
	var changes []gitlog.Change
	for _, f := range files {
		full := filepath.Join(root, filepath.FromSlash(string(f.path)))
		if _, err := os.Lstat(full); err == nil {
			continue // a person's own; doctor says what it lacks
		}
		made.Files = append(made.Files, string(f.path))
		if opt.DryRun {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return nil, ioError(err, f.path)
		}
		if err := os.WriteFile(full, f.data, 0o644); err != nil {
			return nil, ioError(err, f.path)
		}
		changes = append(changes, gitlog.Change{Path: f.path, Content: f.data})
	}
	if opt.DryRun {
		return made, nil
	}
	if err := os.MkdirAll(filepath.Join(root, filepath.FromSlash(string(s.Base().Join("memory")))), 0o755); err != nil {
		return nil, ioError(err, s.Base().Join("memory"))
	}
	if opt.Driver != "" {
		if err := installDriver(root, opt); err != nil {
			return nil, err
		}
	}
	if opt.Kind != store.Embedded {
		if made.Commit, err = firstCommit(ctx, root, changes, opt); err != nil {
			return nil, err
		}
	}
	made.Store, err = store.Load(root, opt.Kind)
	return made, err
}

// installDriver has the clone at root merge memories by a program.
func installDriver(root string, opt InitOptions) error {
	repo, err := gitlog.Open(root, gitlog.Options{NoBinary: opt.NoBinary})
	if err != nil {
		return err
	}
	defer repo.Close()
	return repo.InstallMergeDriver(opt.Driver)
}

// gitDirectory is the git directory that dir is or lies in, "" for none: what
// is in there is git's.
func gitDirectory(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return "" // a work tree
		}
		inside := 0
		for _, name := range []string{"HEAD", "objects", "refs"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				inside++
			}
		}
		if inside == 3 {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// firstCommit commits what Init wrote, on whatever branch is checked out.
func firstCommit(ctx context.Context, root string, changes []gitlog.Change, opt InitOptions) (string, error) {
	repo, err := gitlog.Open(root, gitlog.Options{NoBinary: opt.NoBinary})
	if err != nil {
		return "", err
	}
	st, err := repo.State()
	if err != nil {
		return "", err
	}
	if st.Paused != "" {
		return "", &memsync.Error{Code: memsync.CodeStorePaused, Message: "the repository is in the middle of something: " + st.Paused,
			Hint: "finish that, then commit the new files yourself"}
	}
	author, _ := repo.Identity()
	c, err := repo.Commit(ctx, gitlog.Commit{Parent: st.Head, Branch: st.Branch, Changes: changes,
		Message: "memsync: a store for memories\n", Author: author, When: opt.Now})
	return c.ID, err
}

// Adopted are the scopes of a directory that holds memories already, none when
// it does not: their files are never touched (ids go to the ledger) and their
// MEMORY.md is only checked. A folder with a MEMORY.md of its own is a scope of
// its own.
func Adopted(root string, top memsync.Path, kind store.Kind) ([]memsync.Scope, error) {
	var out []memsync.Scope
	err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(string(top))), func(full string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return ioError(err, top)
		}
		rel, err := filepath.Rel(root, full)
		if err != nil {
			return err
		}
		p := memsync.Path(filepath.ToSlash(rel))
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), "_") && p != top {
				return fs.SkipDir
			}
			return nil
		}
		class := format.Classify(p.Rel(top))
		isIndex := class == format.IndexFile
		isMemory := class == format.MemoryFile || class == format.LogFile
		switch dir := p.Dir(); {
		case isIndex && dir != top:
			out = append(out, adoptedScope(dir, kind))
		case isIndex || isMemory:
			if len(out) == 0 || out[0].Dir != top {
				out = append([]memsync.Scope{adoptedScope(top, kind)}, out...)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for memories: %w", err)
	}
	return out, nil
}

func adoptedScope(dir memsync.Path, kind store.Kind) memsync.Scope {
	s := memsync.Scope{Kind: memsync.Global, Dir: dir, Writers: memsync.People, Identity: memsync.Ledger, MemoryMD: memsync.LintOnly}
	if kind == store.Embedded {
		s.Kind = memsync.Workspace
	}
	return s
}

// Bound are the scopes that a directory inside a store becomes: as it is when
// it holds memories, of an agent when one is named.
func Bound(s *store.Store, dir memsync.Path, agent string) ([]memsync.Scope, error) {
	scopes, err := Adopted(s.Root, dir, s.Kind)
	if err != nil {
		return nil, err
	}
	if len(scopes) == 0 || scopes[0].Dir != dir {
		scopes = append([]memsync.Scope{adoptedScope(dir, s.Kind)}, scopes...)
	}
	if agent != "" {
		for i := range scopes {
			scopes[i].Kind, scopes[i].Agent, scopes[i].Writers = memsync.Agent, agent, memsync.Writers("agent:"+agent)
		}
	}
	return scopes, nil
}
