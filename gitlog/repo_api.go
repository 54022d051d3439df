package gitlog

import (
	"context"
	"time"

	"memsync"
)

// Options say how a repository is opened.
type Options struct {
	NoBinary bool     // never run the git binary, as on a machine without one
	Env      []string // nil: os.Environ
}

// Repo is one git repository seen from a store's root.
type Repo struct{}

// Probe says how a repository is written, and why.
type Probe struct {
	Backend  string   // "native" or "git"
	Reasons  []string // why the binary is needed; empty for native
	Binary   string   // path of the git binary, "" for none
	Version  string   // of the binary
	Hooks    []string // the person's hooks that a commit of ours does not run
	Problems []string // what stands in the way of writing at all
}

// State is where a repository stands.
type State struct {
	Head   string // commit id, "" for an unborn branch
	Branch string // short name, "" when HEAD is detached
	Paused string // "" or why nothing may be committed: merge, rebase, cherry-pick, revert, bisect, detached, locked, branch, commit
	Detail string // one sentence for people
}

// Ident is a name and an address.
type Ident struct{ Name, Email string }

// Change is one file of a Commit.
type Change struct {
	Path    memsync.Path // relative to the store
	Content []byte       // nil: the file goes
}

// Commit is what is to be committed, only if HEAD is Parent.
type Commit struct {
	Plan    memsync.ID // goes into the lock files' marker
	Parent  string     // the expected HEAD, "" for an unborn branch
	Branch  string     // the expected branch; "" takes whatever is checked out
	Changes []Change
	Message string
	Author  Ident
	When    time.Time // author and committer time
}

// Committed is the commit that was made.
type Committed struct {
	ID    string
	Blobs map[memsync.Path]string // object id of each file written
}

// TreeEntry is one file of a commit.
type TreeEntry struct {
	Path memsync.Path
	Blob string
	Mode uint32 // git's: 0100644, 0100755, 0120000, 0160000
}

// TreeChange is one file that differs between two commits.
type TreeChange struct {
	Path     memsync.Path
	From, To string // blob ids, "" for absent
}

// LogQuery asks for versions.
type LogQuery struct {
	Paths  []memsync.Path // empty: all of the store
	From   string         // revision to start at; "" is HEAD
	After  string         // cursor: continue below this commit
	Before string         // stop before this commit
	Limit  int            // 0: no limit
}

// Version is one commit as history shows it.
type Version struct {
	Commit   string
	Parents  []string
	Author   Ident
	When     time.Time // committer time
	At       time.Time // Memory-At, else When
	Subject  string
	Trailers map[string][]string
	Changes  []TreeChange // against the first parent, below the store, of the paths asked for
}

func Open(root string, opt Options) (*Repo, error)         { panic("stub") }
func Init(root, branch string, opt Options) error          { panic("stub") }
func (r *Repo) Root() string                               { panic("stub") }
func (r *Repo) Top() string                                { panic("stub") }
func (r *Repo) Prefix() memsync.Path                       { panic("stub") }
func (r *Repo) GitDir() string                             { panic("stub") }
func (r *Repo) CommonDir() string                          { panic("stub") }
func (r *Repo) StateDir() string                           { panic("stub") }
func (r *Repo) Probe() Probe                               { panic("stub") }
func (r *Repo) State() (State, error)                      { panic("stub") }
func (r *Repo) BlobID(content []byte) string               { panic("stub") }
func (r *Repo) Blob(id string) ([]byte, error)             { panic("stub") }
func (r *Repo) Resolve(rev string) (string, error)         { panic("stub") }
func (r *Repo) IsAncestor(a, b string) (bool, error)       { panic("stub") }
func (r *Repo) Log(q LogQuery) ([]Version, error)          { panic("stub") }
func (r *Repo) Identity() (id Ident, fallback bool)        { panic("stub") }
func (r *Repo) OtherChanges() (int, error)                 { panic("stub") }
func (r *Repo) CleanLocks() ([]string, error)              { panic("stub") }
func Marker(planID string) []byte                          { panic("stub") }
func (r *Repo) Diff(from, to string) ([]TreeChange, error) { panic("stub") }
func (r *Repo) Tree(rev string, under memsync.Path) ([]TreeEntry, error) {
	panic("stub")
}
func (r *Repo) Commit(ctx context.Context, c Commit) (Committed, error) { panic("stub") }
func (r *Repo) VersionAt(p memsync.Path, at time.Time) (v Version, blob string, err error) {
	panic("stub")
}
func (r *Repo) DerivedIDs(paths []memsync.Path) (ids map[memsync.Path]memsync.ID, shallow []memsync.Path, err error) {
	panic("stub")
}
func (r *Repo) Ignored(paths []memsync.Path) (map[memsync.Path]bool, error) { panic("stub") }
