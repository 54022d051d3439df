package gitlog

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"memsync"
	"memsync/internal/plainfile"
)

// Options say how a repository is opened.
type Options struct {
	NoBinary bool     // never run the git binary, as on a machine without one
	Env      []string // nil: os.Environ
}

// Repo is one git repository seen from a store's root. It may be used by
// several goroutines; commits take turns. Nothing in it changes a person's
// working tree, ever: commits touch objects, one branch, its reflog and our
// entries of the index.
type Repo struct {
	root   string       // the store's, symbolic links resolved
	top    string       // the work tree's
	prefix memsync.Path // root relative to top
	gitDir string       // of this worktree
	common string       // shared by all worktrees
	kind   hashKind
	env    environ
	binary string // path of git, "" for none or not wanted
	disk   diskKind

	objects objectReader
	state   string // see StateDir

	mu       sync.Mutex // guards what follows
	settings *settings
	branch   string // see ExpectBranch
	packed   packedRefs
	ident    *identity
	caller   *Repo // whose Identity counts, see WorkFor; nil: this one's
	version  string

	care     aftercare
	commits  sync.Mutex                        // one commit at a time
	watched  *indexWatch                       // guarded by commits
	room     indexFile                         // the memory of the index that the last commit read; guarded by commits
	packer   compressor                        // guarded by commits
	made     atomic.Pointer[map[oid]newObject] // see remember
	lockWait time.Duration                     // how long a held lock is waited for
	force    func(*way)                        // tests: change how commits are made
	pause    func(step string)
}

// lockWait is how long a commit waits for somebody else's lock before it gives
// up and says so. git's own commands hold index.lock for less, except while an
// editor is open; longer waits are the keeper's, which tries again.
const defaultLockWait = time.Second

// Open finds the repository that root lies in. Everything is looked up from
// the directory alone: GIT_DIR and its kin belong to some other command. The
// error has CodeStoreNone where there is no repository.
func Open(root string, opt Options) (*Repo, error) {
	env := environ(opt.Env)
	if opt.Env == nil {
		env = os.Environ()
	}
	abs, err := filepath.Abs(root)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, &memsync.Error{Code: memsync.CodeStoreNone, Message: "no such directory: " + root, Err: err,
			Hint: "run `memsync init` where the store should be"}
	}
	top, gitDir, err := findGitDir(abs)
	if err != nil {
		return nil, err
	}
	if gitDir == "" {
		return nil, &memsync.Error{Code: memsync.CodeStoreNone, Message: "not inside a git repository: " + root,
			Hint: "run `memsync init`, or `git init` first"}
	}
	r := &Repo{root: abs, top: top, gitDir: gitDir, common: commonDir(gitDir), kind: kindSHA1, env: env, lockWait: defaultLockWait}
	rel, err := filepath.Rel(top, abs)
	if err != nil {
		return nil, fault(memsync.CodeIORead, "looking up "+root, err)
	}
	if rel != "." {
		r.prefix = memsync.Path(filepath.ToSlash(rel))
	}
	if r.prefix.In(".git") && r.prefix != "" {
		return nil, &memsync.Error{Code: memsync.CodeStoreNone, Message: "inside a git directory: " + root,
			Hint: "a store lives in a work tree"}
	}
	if !opt.NoBinary {
		r.binary = lookGit(env)
	}
	set := r.config()
	switch strings.ToLower(set.get("extensions.objectformat")) {
	case "", "sha1":
	case "sha256":
		r.kind = kindSHA256
	default:
		return nil, &memsync.Error{Code: memsync.CodeGitUnsupported,
			Message: "object format " + set.get("extensions.objectformat") + " is not known"}
	}
	r.disk = diskOf(r.common)
	r.objects = r.newObjectReader()
	return r, nil
}

// OpenTop opens the repository that dir lies in, with paths from its top.
func OpenTop(dir string) (*Repo, error) {
	repo, err := Open(dir, Options{})
	if err != nil || repo.Prefix() == "" {
		return repo, err
	}
	top := repo.Top()
	repo.Close()
	return Open(top, Options{})
}

// Close ends what runs for this repository: a helper process, the watch over
// the last commit's index. A Repo that was closed may be used again.
func (r *Repo) Close() error {
	r.care.end()
	return r.objects.close()
}

// lookGit finds the git binary on the caller's PATH.
func lookGit(env environ) string { return lookProgram(env, "git") }

// lookProgram finds a program on the caller's PATH, "" for none.
func lookProgram(env environ, name string) string {
	if path, ok := env.lookup("PATH"); ok {
		for _, dir := range filepath.SplitList(path) {
			if !filepath.IsAbs(dir) {
				continue // what lies in the working directory is not a tool
			}
			if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return p
			}
		}
	}
	return ""
}

// findGitDir walks up from dir to the first work tree.
func findGitDir(dir string) (top, gitDir string, err error) {
	for {
		dot := filepath.Join(dir, ".git")
		info, err := os.Stat(dot)
		switch {
		case err == nil && info.IsDir():
			if isGitDir(dot) {
				return dir, dot, nil
			}
		case err == nil && info.Mode().IsRegular():
			data, err := plainfile.Read(dot)
			if err != nil {
				return "", "", fault(memsync.CodeIORead, "reading "+dot, err)
			}
			to, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
			if !ok {
				return "", "", corrupt(dot+" does not name a git directory", nil)
			}
			if !filepath.IsAbs(to) {
				to = filepath.Join(dir, to)
			}
			if real, err := filepath.EvalSymlinks(to); err == nil {
				to = real
			}
			if !isGitDir(to) {
				return "", "", corrupt(dot+" names "+to+", which is not a git directory", nil)
			}
			return dir, to, nil
		case err != nil && os.IsPermission(err):
			return "", "", fault(memsync.CodeIORead, "reading "+dot, err)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", "", nil
		}
		dir = parent
	}
}

// isGitDir is git's own test: a HEAD, and places for objects and refs.
func isGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	common := commonDir(dir)
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(common, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// commonDir is where a worktree's git directory keeps what all worktrees
// share; the directory itself for the main one.
func commonDir(gitDir string) string {
	data, err := plainfile.Read(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return gitDir
	}
	to := strings.TrimRight(string(data), "\r\n")
	if !filepath.IsAbs(to) {
		to = filepath.Join(gitDir, to)
	}
	if real, err := filepath.EvalSymlinks(to); err == nil {
		return real
	}
	return filepath.Clean(to)
}

// Root is the store's root.
func (r *Repo) Root() string { return r.root }

// Top is the top of the work tree that holds the store.
func (r *Repo) Top() string { return r.top }

// Prefix is the store's root relative to Top; "" when they are one.
func (r *Repo) Prefix() memsync.Path { return r.prefix }

// GitDir is the git directory of this worktree: HEAD, index, state.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir is the git directory that all worktrees share: objects, branches.
func (r *Repo) CommonDir() string { return r.common }

// ExpectBranch names the branch that a dedicated store commits on; State is
// paused while another one is checked out. "" takes whatever is checked out.
func (r *Repo) ExpectBranch(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.branch = name
}

// full is a path of the store relative to the work tree's top.
func (r *Repo) full(p memsync.Path) string {
	if r.prefix == "" {
		return string(p)
	}
	return string(r.prefix.Join(string(p)))
}

// config is git's configuration, read again when one of its files changed.
func (r *Repo) config() *settings {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.settings != nil {
		fresh := true
		for _, st := range r.settings.seen {
			if !st.current() {
				fresh = false
				break
			}
		}
		if fresh {
			return r.settings
		}
	}
	branch := ""
	if ref, err := readHead(r.gitDir); err == nil {
		branch = strings.TrimPrefix(ref, "refs/heads/")
	}
	r.settings = readSettings(r.env, r.gitDir, r.common, branch)
	if r.settings.asks && r.binary != "" {
		r.settings.ask(r)
	}
	r.ident = nil
	return r.settings
}
