package gitlog

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"memsync"
	"memsync/controller/join"
)

// JoinRequest asks for another tip to be taken over.
type JoinRequest struct {
	Plan memsync.ID // drawn by the caller, like any plan's
	At   time.Time
	Tip  string // the other commit, which is here already: fetched
}

// Joined is what became of the branch.
type Joined struct {
	Before    string // where the branch was, "" for an unborn one
	Commit    string // where it is
	Forward   bool   // the other tip had everything: nobody made a commit
	Unchanged bool   // the branch has everything the other tip has
	Changes   []TreeChange
	Conflicts []join.Conflict         // of a join
	Dirty     map[memsync.Path]string // see memsync.Plan; from now on also in Bases
}

// Join brings the branch to where it has all that another tip has: to that tip,
// where it is ahead; to the join of both, where they went apart; nowhere, where
// there is nothing to take over. Two machines that join the same tips are at
// the same commit afterwards.
//
// The work tree follows as with a plan: journaled first, files replaced only
// while they are what the branch had, then the branch, all of it or nothing. A
// file that somebody has saved stays as it is and keeps the blob that the
// branch had as its base (Dirty); what is staged stays staged.
//
// Errors: those of Commit; CodeStorePaused; CodeUnrelated; CodeShallow;
// CodeStoreFormat; CodeGitMoved and CodeIORaced, after which the caller asks
// again.
func (l *Log) Join(ctx context.Context, q JoinRequest) (Joined, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Repo.prefix != "" {
		return Joined{}, &memsync.Error{Code: memsync.CodeUsage, Message: "only a store that is a repository of its own is joined",
			Hint: "this one is part of a project's repository: `git pull` brings what others wrote"}
	}
	defer l.Repo.ManyReads()()
	st, err := l.ready(ctx)
	if err != nil {
		return Joined{}, err
	}
	other, err := l.Repo.Resolve(q.Tip)
	if err != nil {
		return Joined{}, err
	}
	out := Joined{Before: st.Head, Commit: st.Head}
	target, err := l.target(ctx, st.Head, other, &out)
	if err != nil || target == st.Head {
		out.Unchanged = err == nil
		return out, err
	}
	p := &memsync.Plan{ID: q.Plan, At: q.At, Base: memsync.Revision{Commit: st.Head}, Author: memsync.Actor{Class: memsync.ClassProgram, Name: "memsync"},
		Subject: "memory: take over " + other[:min(len(other), 12)], Target: target}
	if err := l.planFiles(ctx, p); err != nil {
		return Joined{}, err
	}
	made, err := l.applyLocked(ctx, p, memsync.CommitAuto)
	if err != nil && made.Commit == "" {
		return Joined{}, err
	}
	out.Commit, out.Dirty = target, p.Dirty
	changes, derr := l.Repo.Diff(st.Head, target)
	out.Changes = changes
	return out, errors.Join(err, derr)
}

// target is the commit that the branch is to be moved to.
func (l *Log) target(ctx context.Context, head, other string, out *Joined) (string, error) {
	if head == other {
		return head, nil
	}
	if head != "" {
		if has, err := l.Repo.IsAncestor(other, head); err != nil || has {
			return head, err
		}
	}
	ahead := head == ""
	if !ahead {
		var err error
		if ahead, err = l.Repo.IsAncestor(head, other); err != nil {
			return "", err
		}
	}
	if ahead {
		out.Forward = true
		return other, join.Known(history{l.Repo}, other)
	}
	res, err := join.Tips(history{l.Repo}, head, other)
	if err != nil {
		return "", err
	}
	out.Conflicts = res.Conflicts
	id, err := l.Repo.joinCommit(ctx, res)
	return id.hex(), err
}

// planFiles finds the files of the work tree that have to follow, and those
// that stay as somebody saved them.
func (l *Log) planFiles(ctx context.Context, p *memsync.Plan) error {
	edits, err := l.edits(p)
	if err != nil {
		return err
	}
	apart := setApart(edits)
	w := newFiles(l.Repo.Root(), p.ID, diskOf(l.Repo.Root()))
	defer w.close()
	p.Dirty = map[memsync.Path]string{}
	attrs := l.Repo.attributes()
	for _, e := range edits {
		if apart[e.name] {
			continue
		}
		path := memsync.Path(e.name)
		now, _, err := w.read(path)
		if err != nil && !errors.Is(err, memsync.CodePathEscape) {
			return w.fault(&change{path: path}, err)
		}
		old, olderr := now, error(nil) // the very bytes, in most cases
		if now == nil || l.Repo.BlobID(now) != e.prev.hex() || attrs.checksOut(e.name, now) != "" {
			old, olderr = l.Repo.checkedOut(ctx, attrs, e.name, e.prev)
		}
		next, nexterr := l.Repo.checkedOut(ctx, attrs, e.name, e.blob)
		switch {
		case olderr != nil || nexterr != nil:
			return errors.Join(olderr, nexterr)
		case err == nil && same(now, next):
		case err != nil || !same(now, old) || old == nil && l.barred(w, path):
			p.Dirty[path] = e.prev.hex()
		default:
			f := memsync.FileChange{Path: path, Base: hashOf(old), Post: hashOf(next), Content: next, Prior: e.prev.hex()}
			if next != nil && l.Repo.BlobID(next) == e.blob.hex() {
				f.InGit = e.blob.hex()
			}
			p.Files = append(p.Files, f)
		}
	}
	return nil
}

// barred reports whether something that is no directory stands where a new
// file's directory would be.
func (l *Log) barred(w *files, p memsync.Path) bool {
	for dir := p.Dir(); dir != ""; dir = dir.Dir() {
		if now, _, err := w.read(dir); now != nil || err != nil && !isDirectory(l.Repo.Root(), dir) {
			return true
		}
	}
	return false
}

// same tells no file from an empty one.
func same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// edits are what a plan that takes over a tip does to the tree.
func (l *Log) edits(p *memsync.Plan) ([]*fileEdit, error) {
	ids, err := history{l.Repo}.oids([]string{p.Target})
	if err != nil {
		return nil, err
	}
	var base oid
	if p.Base.Commit != "" {
		b, err := history{l.Repo}.oids([]string{p.Base.Commit})
		if err != nil {
			return nil, err
		}
		base = b[0]
	}
	return l.Repo.treeDiff(base, ids[0])
}

// takeOver publishes the commit of such a plan. It goes nowhere but from the
// plan's base.
func (l *Log) takeOver(ctx context.Context, p *memsync.Plan, st State) (Applied, error) {
	ids, err := history{l.Repo}.oids([]string{p.Target})
	if err != nil {
		return Applied{}, err
	}
	var base oid
	if p.Base.Commit != "" {
		base, _ = l.Repo.kind.parseOID(p.Base.Commit)
	}
	onDisk := map[string][]byte{}
	out := Applied{Commit: p.Target, Head: p.Target, Blobs: map[memsync.Path]string{}}
	for _, f := range p.Files {
		if f.Content != nil {
			onDisk[string(f.Path)] = f.Content
		}
		if f.InGit != "" {
			out.Blobs[f.Path] = f.InGit
		}
	}
	said := "memsync: fast-forward"
	if c, err := l.Repo.commitAt(ids[0]); err == nil && c.message == joinMessage && slices.Contains(c.parents, base) {
		said = "memsync: join"
	}
	if err := l.Repo.advance(ctx, p.ID, st.Branch, base, ids[0], said, onDisk); err != nil {
		if now, nerr := l.Repo.State(); nerr != nil || now.Head != p.Target {
			return Applied{}, err
		}
	}
	reached("committed", "")
	return out, nil
}

// complete does what comes after the branch has moved: what is no plain file
// follows, and the bases of what stayed are noted. It may be done again.
func (l *Log) complete(ctx context.Context, p *memsync.Plan) error {
	if p.Target == "" {
		return nil
	}
	edits, err := l.edits(p)
	if err != nil {
		return err
	}
	if err := l.follow(ctx, p, edits); err != nil {
		return err
	}
	reached("followed", "")
	if len(p.Dirty) == 0 {
		return nil
	}
	bases, err := l.Bases()
	if err != nil {
		return err
	}
	for path, blob := range p.Dirty {
		if _, older := bases[path]; !older {
			bases[path] = blob
		}
	}
	return l.Journal.PutFact(factBases, bases)
}

// factBases is where the journal keeps Bases.
const factBases = "bases"

// Bases are the files that were being written while another tip was taken over,
// with the blob from which their writer started ("" for a new file): what a
// save there is measured by, instead of what HEAD has. They stay until
// ForgetBases.
func (l *Log) Bases() (map[memsync.Path]string, error) {
	bases := map[memsync.Path]string{}
	_, err := l.Journal.Fact(factBases, &bases)
	return bases, err
}

// ForgetBases is for paths that were settled.
func (l *Log) ForgetBases(paths ...memsync.Path) error {
	bases, err := l.Bases()
	if err != nil {
		return err
	}
	n := len(bases)
	maps.DeleteFunc(bases, func(p memsync.Path, _ string) bool { return slices.Contains(paths, p) })
	switch {
	case len(bases) == n:
		return nil
	case len(bases) == 0:
		return l.Journal.PutFact(factBases, nil)
	}
	return l.Journal.PutFact(factBases, bases)
}

// fetch gives the files of a plan that takes over a tip their bytes: git has
// them, the journal does not.
func (l *Log) fetch(p *memsync.Plan) error {
	for i := range p.Files {
		f := &p.Files[i]
		if f.Content != nil || f.InGit == "" || f.Post == "" {
			continue
		}
		data, err := l.Repo.Blob(f.InGit)
		if err != nil {
			return err
		}
		if data == nil {
			data = []byte{}
		}
		if memsync.HashOf(data) == f.Post {
			f.Content = data
		}
	}
	return nil
}

// setApart are the files that no swap of plain files can bring about: links,
// submodules, and where a file makes way for a directory or a directory for a
// file.
func setApart(edits []*fileEdit) map[string]bool {
	apart, gone := map[string]bool{}, map[string]bool{}
	under := map[string]bool{} // directories that lose a file
	for _, e := range edits {
		if e.blob != "" {
			continue
		}
		gone[e.name] = true
		for dir := memsync.Path(e.name).Dir(); dir != ""; dir = dir.Dir() {
			under[string(dir)] = true
		}
	}
	plain := func(mode uint32) bool { return mode == 0 || mode&0o170000 == 0o100000 }
	for _, e := range edits {
		if !plain(e.prevMode) || !plain(e.mode) {
			apart[e.name] = true
			continue
		}
		if e.blob == "" || e.prev != "" {
			continue
		}
		apart[e.name] = under[e.name]
		for dir := memsync.Path(e.name).Dir(); dir != ""; dir = dir.Dir() {
			if gone[string(dir)] {
				apart[e.name] = true
			}
		}
	}
	return apart
}
