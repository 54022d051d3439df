package gitlog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"memsync"
)

// Files that a commit prepares in the git directory:
// memsync-<kind>.<who>.<process>.<n>.tmp, where <who> stands for the machine,
// its boot and the process id space, so that no two can meet and a dead
// process's can be told.
const (
	markKind  = "mark"
	tipKind   = "tip"
	indexKind = "index"
)

var preparedCount atomic.Uint64

// preparedName is a new name for a prepared file.
func (r *Repo) preparedName(kind string) string {
	m := selfMark()
	return filepath.Join(r.gitDir, fmt.Sprintf("memsync-%s.%s.%d.%d.tmp", kind, m.who(), m.PID, preparedCount.Add(1)))
}

// parsePrepared takes such a name apart.
func parsePrepared(name string) (kind, who string, pid int, ok bool) {
	rest, ok := strings.CutPrefix(name, "memsync-")
	rest, ok2 := strings.CutSuffix(rest, ".tmp")
	f := strings.Split(rest, ".")
	if !ok || !ok2 || len(f) != 4 {
		return "", "", 0, false
	}
	pid, err := strconv.Atoi(f[2])
	return f[0], f[1], pid, err == nil && pid > 0
}

// preparedIndex is a new index beside the real one.
type preparedIndex struct {
	file string    // "" when there is nothing to change
	to   string    // the real one
	base fileStamp // of the real one when it was read
	made fileStamp // of the real one when it is this one
}

func (p *preparedIndex) remove() {
	if p.file != "" {
		os.Remove(p.file)
		p.file = ""
	}
}

func (p *preparedIndex) sync() error {
	f, err := os.OpenFile(p.file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// goLater is when a replaced index is let go: long after this commit, and soon
// enough that few are kept.
const goLater = 100 * time.Millisecond

// install puts the new index into its place. A replaced file goes with its
// last reader, which holds up the disk's journal for 4 ms at 100,000 entries:
// on an ordered disk (which is to say, where an open file can be replaced) the
// syncs of this commit come first.
func (p *preparedIndex) install(kind diskKind) error {
	if kind == diskOrdered {
		if old, err := os.Open(p.to); err == nil {
			time.AfterFunc(goLater, func() { old.Close() })
		}
	}
	if err := os.Rename(p.file, p.to); err != nil {
		return err
	}
	p.file = ""
	return nil
}

// pushed is a file whose bytes start on their way to the disk as they come.
type pushed struct {
	f       *os.File
	waiting int // bytes
}

func (p *pushed) Write(b []byte) (int, error) {
	n, err := p.f.Write(b)
	if p.waiting += n; p.waiting >= chunk {
		startWriteback(p.f)
		p.waiting = 0
	}
	return n, err
}

// prepareIndex writes the index as it will be, next to the real one.
func (j *commitJob) prepareIndex() error {
	r := j.r
	j.index = preparedIndex{to: filepath.Join(r.gitDir, "index")}
	file := r.preparedName(indexKind)
	r.room.own = true
	x, stamp, err := r.readIndexInto(&r.room)
	j.index.base = stamp
	var foreign *foreignIndex
	if err != nil && !errors.As(err, &foreign) {
		return err
	}
	byGit := j.way.index || foreign != nil
	if foreign == nil {
		if what := x.foreign(); what != "" {
			if r.binary != "" || x.incomplete() {
				byGit = true
			} // without git an untracked cache is dropped: it is only a hint
			foreign = &foreignIndex{what}
		}
	}
	if byGit {
		if r.binary == "" {
			return missing(foreign.Error() + ", which only the git binary can rewrite, and there is none")
		}
		j.index.file = file
		return j.indexByGit(file)
	}
	j.patched = j.indexEdits()
	var lost []indexEdit
	if w := r.watched; w != nil && (w.stamp != stamp || w.doubt) { // somebody wrote it since we did
		w.looked(stamp)
		lost, w.doubt = r.lost(x, j.ref, j.parent)
		if len(lost) > 0 {
			x.dropTrees() // they are known for this commit's directories only
		}
		j.foreign, j.doubt = w.foreign, w.doubt && len(lost) == 0
	}
	if j.trees == nil {
		x.dropTrees()
	}
	parts, err := x.patch(after(lost, j.patched), j.trees, indexSecond(stamp))
	if errors.Is(err, errUnmerged) {
		return pausedError("merge", "the index holds an unresolved conflict: resolve it and `git add`")
	}
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o666)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return fault(memsync.CodeIOWrite, "writing the index", err)
	}
	j.index.file = file
	if info, err := os.Stat(j.index.to); err == nil {
		_ = f.Chmod(info.Mode().Perm())
	}
	if r.disk == diskOrdered {
		if err = parts.writeTo(&pushed{f: f}, r.kind); err == nil {
			err = waitWriteback(f)
		}
	} else {
		err = parts.writeTo(f, r.kind)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fault(memsync.CodeIOWrite, "writing the index", err)
	}
	j.index.made = stampOf(file)
	j.index.made.path = j.index.to
	return nil
}

// indexSecond is the second from which entries are racily clean; 0 for no
// index.
func indexSecond(s fileStamp) int64 {
	if !s.ok {
		return 0
	}
	return s.mod.Unix()
}

func (j *commitJob) indexEdits() []indexEdit {
	out := make([]indexEdit, 0, len(j.edits))
	for _, e := range j.edits {
		ed := indexEdit{name: e.name, prev: e.prev, prevMode: e.prevMode, next: e.blob, mode: e.mode}
		if content := j.bytes[e.name]; e.blob != "" && content != nil {
			ed.stat = statIfSame(filepath.Join(j.r.top, filepath.FromSlash(e.name)), content)
		}
		out = append(out, ed)
	}
	return out
}

// prepareTip writes the branch's new value into a file and syncs it. On a disk
// that keeps its order this one sync makes the objects and the index durable,
// too; elsewhere they are synced by themselves.
func (j *commitJob) prepareTip(settle *settler) error {
	wrap := func(err error) error {
		return fault(memsync.CodeIOWrite, "preparing a commit in the git directory", err)
	}
	if j.r.disk != diskOrdered {
		if err := j.index.sync(); err != nil {
			return wrap(err)
		}
		if err := settle.finish(); err != nil {
			return wrap(err)
		}
	}
	f, err := os.OpenFile(j.tip, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return wrap(err)
	}
	_, err = f.WriteString(j.id.hex() + "\n")
	if err == nil {
		err = f.Sync()
	}
	return wrap(errors.Join(err, f.Close()))
}

// moveBranch sets the branch to the new commit. Natively the locks are held
// and the old value was compared under them.
func (j *commitJob) moveBranch() error {
	if j.way.refs {
		return j.moveByGit()
	}
	err := os.Rename(j.tip, j.refFile())
	if isDirError(err) {
		// git leaves empty directories where branches with slashes were.
		removeEmptyDirs(j.refFile())
		err = os.Rename(j.tip, j.refFile())
	}
	if err != nil {
		return fault(memsync.CodeIOWrite, "moving "+j.ref, err)
	}
	return nil
}

func isDirError(err error) bool {
	return errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrExist)
}

func removeEmptyDirs(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() {
			removeEmptyDirs(filepath.Join(dir, e.Name()))
		}
	}
	os.Remove(dir) // fails when it is not empty, as it should
}

// settleNames makes the renames durable.
func (j *commitJob) settleNames() error {
	if j.way.refs {
		return syncDir(j.r.gitDir)
	}
	err := syncDir(filepath.Dir(j.refFile()))
	if j.r.disk != diskOrdered {
		err = errors.Join(err, syncDir(j.r.gitDir))
	}
	return err
}

// said is what the reflog says of the commit.
func (j *commitJob) said() string {
	kind := "commit"
	switch {
	case j.over != "":
		return j.over
	case j.parent == "":
		kind = "commit (initial)"
	}
	return kind + ": " + strings.Join(strings.Fields(subjectOf(j.c.Message)), " ")
}

// appendReflogs writes the line that `git reflog` shows, for HEAD and for the
// branch, as git would: where there is a log already, or where logging is on.
func (r *Repo) appendReflogs(ref string, old, id oid, said string) error {
	from := old.hex()
	if old == "" {
		from = r.kind.zero()
	}
	line := fmt.Sprintf("%s %s %s\t%s\n", from, id.hex(), signature(committer, time.Now()), said)
	create := true
	if set := r.config(); set.has("core.logallrefupdates") {
		v := set.get("core.logallrefupdates")
		on, _ := gitBool(v)
		create = on || strings.EqualFold(v, "always")
	}
	for _, file := range []string{
		filepath.Join(r.gitDir, "logs", "HEAD"),
		filepath.Join(r.refDir(ref), "logs", filepath.FromSlash(ref)),
	} {
		if err := appendLine(file, line, create); err != nil {
			return fault(memsync.CodeIOWrite, "writing the reflog", err)
		}
	}
	return nil
}

func appendLine(file, line string, create bool) error {
	flags := os.O_WRONLY | os.O_APPEND
	if create {
		flags |= os.O_CREATE
	}
	f, err := os.OpenFile(file, flags, 0o666)
	if create && errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		f, err = os.OpenFile(file, flags, 0o666)
	}
	if isDirError(err) {
		removeEmptyDirs(file)
		f, err = os.OpenFile(file, flags, 0o666)
	}
	if err != nil {
		if !create && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}

// background is for calls of git that answer at once and take no context.
func background() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), time.Minute)
}
