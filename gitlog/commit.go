package gitlog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"memsync"
)

// Change is one file of a Commit.
type Change struct {
	Path    memsync.Path // relative to the store
	Content []byte       // nil: the file goes
}

// Commit is what is to be committed, only if HEAD is Parent.
type Commit struct {
	Plan    memsync.ID // goes into the lock files' mark
	Parent  string     // the expected HEAD, "" for an unborn branch
	Branch  string     // the expected branch; "" takes whatever is checked out
	Changes []Change
	Message string
	Author  Ident
	When    time.Time // author's and committer's time
}

// Committed is the commit that was made.
type Committed struct {
	ID        string
	Blobs     map[memsync.Path]string // object id of each file written
	Unchanged bool                    // the parent holds all of it: there is no new commit, ID is the parent
}

// Commit makes one commit of exactly these changes on top of Parent, moves the
// branch, and brings our entries of the index along. The working tree is only
// read. It is all or nothing, durable when it returns, and the same input makes
// the same commit.
//
// What a person has staged stays staged, and decides about nothing else: the
// commit's tree is Parent's with the changes.
//
// Errors: CodeGitMoved when HEAD is not Parent (decide again), CodeStorePaused
// in the middle of a merge and the like, CodeGitLocked when somebody holds a
// lock for longer than a second, CodeIODenied, CodeIOFull, CodeGit with what
// git said. After an error nothing has changed but objects that nobody refers
// to.
func (r *Repo) Commit(ctx context.Context, c Commit) (Committed, error) {
	r.commits.Lock()
	defer r.commits.Unlock()
	r.mendIndex()
	job := &commitJob{r: r, c: c, way: r.way(), ctx: ctx}
	if job.way.usesGit() && r.binary == "" {
		return Committed{}, missing("this repository is written through the git binary (" + strings.Join(job.way.reasons, "; ") + ") and there is none")
	}
	if err := job.check(); err != nil {
		return Committed{}, err
	}
	return job.run()
}

// commitJob is one commit on its way.
type commitJob struct {
	r   *Repo
	c   Commit
	way way
	ctx context.Context // of the one call this job lives in

	ref    string // full name of the branch
	parent oid
	edits  []*fileEdit
	bytes  map[string][]byte // content by full name, for the index's stat
	trees  map[string]treeEdit
	id     oid

	over string // taking over a tip that is there already: what the reflog says; else ""

	mark    string // file with our mark, which the locks are links to
	index   preparedIndex
	patched []indexEdit // what the native patch was asked for
	foreign time.Time   // see indexWatch
	doubt   bool        // see indexWatch
	tip     string      // file with the branch's new value
}

// check refuses early what would be refused under the locks, and sorts the
// changes.
func (j *commitJob) check() error {
	if j.c.Parent != "" {
		id, ok := j.r.kind.parseOID(j.c.Parent)
		if !ok {
			return &memsync.Error{Code: memsync.CodeUsage, Message: "not a commit: " + j.c.Parent}
		}
		j.parent = id
	}
	if err := j.ready(); err != nil {
		return err
	}
	j.bytes = make(map[string][]byte, len(j.c.Changes))
	for _, ch := range j.c.Changes {
		if err := checkName(ch.Path); err != nil {
			return err
		}
		name := j.r.full(ch.Path)
		if _, twice := j.bytes[name]; twice {
			return &memsync.Error{Code: memsync.CodeInternal, Path: ch.Path, Message: "changed twice in one commit"}
		}
		j.bytes[name] = ch.Content
		j.edits = append(j.edits, &fileEdit{name: name})
	}
	sort.Slice(j.edits, func(a, b int) bool { return j.edits[a].name < j.edits[b].name })
	if cleanIdent(j.c.Author.Name) == "" {
		j.c.Author.Name = committer.Name
	}
	return nil
}

// ready asks whether HEAD is where the commit expects it and nothing is in
// progress.
func (j *commitJob) ready() error {
	if what, detail := j.r.inProgress(); what != "" {
		return pausedError(what, detail)
	}
	ref, id, err := j.r.head()
	if err != nil {
		return err
	}
	if what, detail := j.r.offBranch(ref); what != "" {
		return pausedError(what, detail)
	}
	if j.c.Branch != "" && shortBranch(ref) != j.c.Branch {
		return pausedError("branch", "the store lives on branch "+j.c.Branch+", checked out is "+shortBranch(ref)+": `git switch "+j.c.Branch+"`")
	}
	if j.ref != "" && ref != j.ref || id != j.parent {
		return moved(ref, j.parent, id)
	}
	j.ref = ref
	return nil
}

// moved: somebody committed, switched or reset meanwhile.
func moved(ref string, want, have oid) error {
	return &memsync.Error{Code: memsync.CodeGitMoved,
		Message: fmt.Sprintf("%s is at %s, not at %s", shortBranch(ref), orNone(have), orNone(want)),
		Details: map[string]string{"expected": want.hex(), "actual": have.hex()}}
}

func orNone(id oid) string {
	if id == "" {
		return "no commit"
	}
	return id.hex()[:12]
}

// checkName refuses names that git refuses, or that would lie outside.
func checkName(p memsync.Path) error {
	name := string(p)
	bad := name == "" || strings.HasPrefix(name, "/") || strings.ContainsRune(name, 0)
	for _, part := range strings.Split(name, "/") {
		if part == "" || part == "." || part == ".." || isDotGit(part) {
			bad = true
		}
	}
	if bad {
		return &memsync.Error{Code: memsync.CodePathInvalid, Path: p, Message: "git cannot hold a file of that name"}
	}
	return nil
}

// isDotGit: names that some file system would take for .git (git's
// verify_path): other case, trailing dots and spaces, the short name of
// Windows, a stream of NTFS, code points that HFS+ ignores.
func isDotGit(part string) bool {
	s := strings.Map(func(c rune) rune {
		switch {
		case c >= 0x200c && c <= 0x200f, c >= 0x202a && c <= 0x202e, c >= 0x206a && c <= 0x206f, c == 0xfeff:
			return -1
		}
		return c
	}, part)
	s, _, _ = strings.Cut(s, ":")
	s = strings.ToLower(strings.TrimRight(s, ". "))
	return s == ".git" || s == "git~1"
}

func (j *commitJob) run() (done Committed, err error) {
	r := j.r
	settle := newSettler(r.disk)
	defer settle.abandon()
	done.Blobs = make(map[memsync.Path]string, len(j.edits))
	objs, err := j.blobs()
	if err != nil {
		return Committed{}, err
	}
	for _, ch := range j.c.Changes {
		if ch.Content != nil {
			done.Blobs[ch.Path] = j.edit(r.full(ch.Path)).blob.hex()
		}
	}
	var root oid
	if j.parent != "" {
		pc, err := r.commitAt(j.parent)
		if err != nil {
			return Committed{}, err
		}
		root = pc.tree
	}
	b := &treeBuilder{r: r, trees: map[string]treeEdit{}}
	tree, _, err := b.build("", root, j.edits)
	if err != nil {
		return Committed{}, err
	}
	j.trees = b.trees
	if tree == root || root == "" && len(j.edits) == 0 {
		done.ID, done.Unchanged = j.c.Parent, true
		return done, nil
	}
	objs = append(objs, b.out...)
	if !j.way.commit {
		data := encodeCommit(tree, j.c.Author, j.c.When, j.c.Message, j.parent)
		j.id = r.kind.id(typeCommit, data)
		objs = append(objs, newObject{j.id, typeCommit, data})
	}
	write := func() error { return r.writeObjects(objs, settle) }
	if j.way.objects {
		write = func() error { return j.objectsByGit(objs) }
	}
	if j.way.usesGit() {
		if err := write(); err != nil {
			return Committed{}, err
		}
		write = func() error { return nil }
	}
	if j.way.commit {
		// git has to find the tree before it signs a commit of it.
		if j.id, err = j.commitByGit(tree); err != nil {
			return Committed{}, err
		}
	}
	if err := j.publish(settle, write); err != nil {
		return Committed{}, err
	}
	r.remember(objs)
	done.ID = j.id.hex()
	return done, nil
}

func (r *Repo) step(name string) {
	if r.pause != nil {
		r.pause(name)
	}
}

func (j *commitJob) edit(name string) *fileEdit {
	i := sort.Search(len(j.edits), func(i int) bool { return j.edits[i].name >= name })
	return j.edits[i]
}

// blobs names every file's blob. Those that an attribute converts are made by
// git; the others are written with the rest.
func (j *commitJob) blobs() ([]newObject, error) {
	var objs []newObject
	attrs := j.r.attributes()
	for _, e := range j.edits {
		content := j.bytes[e.name]
		if content == nil {
			continue
		}
		if what := attrs.converts(e.name, content); what != "" {
			if j.r.binary == "" {
				return nil, missing(e.name + ": the attribute " + what + " changes this file on its way into git, which needs the git binary, and there is none")
			}
			id, err := j.blobByGit(e.name, content)
			if err != nil {
				return nil, err
			}
			e.blob = id
			continue
		}
		e.blob = j.r.kind.id(typeBlob, content)
		objs = append(objs, newObject{e.blob, typeBlob, content})
	}
	return objs, nil
}

// publish writes the objects and makes the commit the branch's. Everything that
// takes time is done before the locks: the objects, the new index and the
// branch's new value are written and synced, the first two side by side; under
// the locks the state is compared, and two files are
// renamed. The index goes first: a crash between the two leaves our files
// staged, which CleanLocks takes back by the prepared value of the branch; the
// other order would leave their reversal staged, for the next `git commit` of
// a person to commit.
func (j *commitJob) publish(settle *settler, objects func() error) error {
	r := j.r
	j.mark, j.tip = r.preparedName(markKind), r.preparedName(tipKind)
	defer os.Remove(j.mark)
	defer os.Remove(j.tip)
	defer j.index.remove()
	if err := os.WriteFile(j.mark, Marker(string(j.c.Plan)), 0o444); err != nil {
		return fault(memsync.CodeIOWrite, "preparing a commit in the git directory", err)
	}
	written := make(chan error, 1)
	go func() { written <- objects() }()
	err := j.prepareIndex()
	if failed := <-written; failed != nil {
		return failed
	}
	if err != nil {
		return err
	}
	r.step("objects")
	if err := j.prepareTip(settle); err != nil {
		return err
	}
	r.step("prepared")
	locks, err := j.lockAll()
	defer func() {
		for i := len(locks) - 1; i >= 0; i-- {
			locks[i].release()
		}
	}()
	if err != nil {
		return err
	}
	r.step("locked")
	if err := j.ready(); err != nil {
		return err
	}
	if !j.index.base.current() {
		j.index.remove()
		if err := j.prepareIndex(); err != nil {
			return err
		}
		if err := j.index.sync(); err != nil {
			return fault(memsync.CodeIOWrite, "writing the index", err)
		}
	}
	if !j.way.refs {
		if err := r.appendReflogs(j.ref, j.parent, j.id, j.said()); err != nil {
			return err
		}
	}
	r.step("reflog")
	if err := j.index.install(r.disk); err != nil {
		return fault(memsync.CodeIOWrite, "writing the index", err)
	}
	r.step("index")
	if err := j.moveBranch(); err != nil {
		if undo := r.rollbackIndex(j.parent, j.id); undo != nil {
			err = errors.Join(err, undo)
		}
		return err
	}
	r.step("branch")
	r.watchIndex(j)
	for i := len(locks) - 1; i >= 0; i-- {
		locks[i].release()
	}
	locks = nil
	if err := j.settleNames(); err != nil {
		return fault(memsync.CodeIOWrite, "syncing the git directory after commit "+j.id.hex(), err)
	}
	return nil
}

// lockAll takes index, HEAD and branch, in git's order.
func (j *commitJob) lockAll() ([]*lockFile, error) {
	names := []string{filepath.Join(j.r.gitDir, "index.lock")}
	if !j.way.refs {
		names = append(names, filepath.Join(j.r.gitDir, "HEAD.lock"), j.refFile()+".lock")
	}
	var locks []*lockFile
	for _, name := range names {
		l, err := j.r.lock(j.ctx, name, j.mark)
		if err != nil {
			return locks, err
		}
		locks = append(locks, l)
		j.r.step("locking")
	}
	return locks, nil
}

func (j *commitJob) refFile() string {
	return filepath.Join(j.r.refDir(j.ref), filepath.FromSlash(j.ref))
}
