package gitlog

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"memsync"
	"memsync/gitlog/journal"
)

// Log makes plans durable: in the journal, in the files, in git. One Log
// writes a store; its methods take turns.
type Log struct {
	Repo    *Repo
	Journal *journal.Journal

	mu sync.Mutex
}

// Applied is a plan that is wholly there.
type Applied struct {
	Commit    string                  // that holds it; "" with commit = off, and for a plan without files
	Unchanged bool                    // git had all of it already: Commit is the branch's, and nobody made one
	Head      string                  // where the branch is afterwards; below it may be foreign commits that came meanwhile
	Blobs     map[memsync.Path]string // git's ids of the files in Commit
	Events    []memsync.Event         // as the journal numbered them
}

// movedTries bounds how often a plan is committed again on a branch that
// moved under it. A guess: somebody who commits faster than that is asked to
// stop by an error.
const movedTries = 5

// Apply brings a plan about, wholly or not at all: journal, files, commit,
// journal.
//
// A file is replaced only while it holds the bytes the plan was decided on
// (see files.go); one that does not ends the plan with CodeIORaced. A save's
// file, whose bytes are the plan's already, is not touched and not looked at:
// what was read is what is committed, whatever was saved since.
//
// When the branch moved, the plan is committed on top as long as the foreign
// commits left its paths alone; CodeGitMoved otherwise. On any error files go
// back to what they were, where nobody saved over them meanwhile; the plan is
// closed and the caller decides again. Bytes that lose their place in all
// this stay in the journal as held copies.
//
// Two errors leave the plan unfinished instead, to be completed by Replay
// before the next Apply: when the way back is barred too (a disk that became
// read-only), and when the journal cannot note a commit that was made; then
// Applied.Commit is set.
func (l *Log) Apply(ctx context.Context, p *memsync.Plan, mode memsync.CommitMode) (Applied, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.applyLocked(ctx, p, mode)
}

func (l *Log) applyLocked(ctx context.Context, p *memsync.Plan, mode memsync.CommitMode) (Applied, error) {
	if err := ctx.Err(); err != nil {
		return Applied{}, err
	}
	if n, err := l.Journal.Pending(); err != nil {
		return Applied{}, err
	} else if n > 0 {
		return Applied{}, &memsync.Error{Code: memsync.CodeJournal, Message: "an earlier write is unfinished",
			Hint: "it is finished when the store is opened again, and by `memsync doctor`"}
	}
	st, err := l.ready(ctx)
	if err != nil {
		return Applied{}, err
	}
	if err := l.allowed(p, mode, st); err != nil {
		return Applied{}, err
	}
	w := newFiles(l.Repo.Root(), p.ID, diskOf(l.Repo.Root()))
	defer w.close()
	changes, base, err := l.look(w, p, mode)
	if err != nil {
		return Applied{}, err
	}
	if err := l.Journal.Begin(p, mode, base); err != nil {
		return Applied{}, err
	}
	reached("begun", "")
	// Every commit syncs the branch's prepared value, a file in the git
	// directory (prepareTip).
	w.later = mode != memsync.CommitOff && w.disk == diskOrdered && l.Repo.disk == diskOrdered && sameDevice(l.Repo.Root(), l.Repo.GitDir())
	return l.carryOut(ctx, w, p, mode, st, changes)
}

// carryOut is Apply after the plan is journaled.
func (l *Log) carryOut(ctx context.Context, w *files, p *memsync.Plan, mode memsync.CommitMode, st State, changes []*change) (Applied, error) {
	done, err := l.write(w, changes)
	var out Applied
	if err == nil {
		out, err = l.commit(ctx, p, mode, st)
	}
	if w.later && (err != nil || out.Unchanged || out.Commit == "") {
		w.later = false // nobody else's flush came
		if err == nil {
			err = w.sync()
		}
	}
	if err != nil {
		return Applied{}, l.takeBack(w, p, changes, done, err)
	}
	// From here on the plan is there, whatever else happens.
	if err := w.tidy(changes); err != nil {
		return out, unnoted(err)
	}
	if err := l.complete(ctx, p); err != nil {
		return out, unnoted(err)
	}
	if err := l.keepCopies(w, p); err != nil {
		return out, unnoted(err)
	}
	if out.Events, err = l.Journal.Applied(p.ID, out.Commit, l.exact(p, out.Blobs)); err != nil {
		return out, unnoted(err)
	}
	reached("applied", "")
	return out, nil
}

// exact are the blobs that hold a file's very bytes. Where an attribute
// converts what git stores, the journal goes on holding them.
func (l *Log) exact(p *memsync.Plan, blobs map[memsync.Path]string) map[memsync.Path]string {
	out := make(map[memsync.Path]string, len(blobs))
	for _, f := range p.Files {
		if id := blobs[f.Path]; id != "" && f.Content != nil && l.Repo.BlobID(f.Content) == id {
			out[f.Path] = id
		}
	}
	return out
}

// unnoted says that the change was made although the answer is an error.
func unnoted(err error) error {
	return &memsync.Error{Code: memsync.CodeOf(err), Message: "the change was made, but that could not be noted", Err: err,
		Hint: "nothing is lost; it is noted when the store is opened again"}
}

// ready waits a little for somebody else's index lock and refuses while the
// repository is in the middle of something.
func (l *Log) ready(ctx context.Context) (State, error) {
	deadline := time.Now().Add(l.Repo.lockWait)
	for wait := 2 * time.Millisecond; ; wait *= 2 {
		st, err := l.Repo.State()
		if err != nil || st.Paused == "" {
			return st, err
		}
		if st.Paused != "locked" {
			return st, pausedError(st.Paused, st.Detail)
		}
		if !time.Now().Before(deadline) {
			return st, &memsync.Error{Code: memsync.CodeGitLocked, Message: st.Detail,
				Hint: "nothing was changed; try again when the other git command is done"}
		}
		select {
		case <-ctx.Done():
			return st, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// look reads what the plan is about to replace, and refuses it when that is
// not what was decided on. base are the bytes the journal has to keep: those
// that the last accepted version in git is not.
func (l *Log) look(w *files, p *memsync.Plan, mode memsync.CommitMode) ([]*change, map[memsync.Path][]byte, error) {
	var changes []*change
	base := map[memsync.Path][]byte{}
	seen := make(map[memsync.Path]bool, len(p.Files))
	for i := range p.Files {
		f := &p.Files[i]
		if seen[f.Path] {
			return nil, nil, fmt.Errorf("bug: plan %s names %s twice", p.ID, f.Path)
		}
		seen[f.Path] = true
		if f.Base == f.Post {
			continue
		}
		content, info, err := w.read(f.Path)
		if err != nil {
			return nil, nil, w.fault(&change{path: f.Path}, err)
		}
		if have := hashOf(content); have != f.Base {
			return nil, nil, raced(f.Path)
		}
		if f.Base != "" && !f.Secret && (f.Prior == "" || l.Repo.BlobID(content) != f.Prior) {
			base[f.Path] = content
		}
		changes = append(changes, &change{path: f.Path, index: i, from: f.Base, to: f.Post, content: f.Content, info: info})
	}
	return inOrder(changes), base, nil
}

// hashOf is the hash of what read gave: "" for no file.
func hashOf(content []byte) memsync.Hash {
	if content == nil {
		return ""
	}
	return memsync.HashOf(content)
}

func raced(p memsync.Path) error {
	return &memsync.Error{Code: memsync.CodeIORaced, Path: p, Message: "the file changed meanwhile",
		Hint: "nothing was overwritten; read it again and repeat the change"}
}

// write changes the files. done are those that were, in order.
func (l *Log) write(w *files, changes []*change) (done []*change, err error) {
	if len(changes) == 0 {
		return nil, nil
	}
	if err := w.prepare(changes); err != nil {
		return nil, err
	}
	reached("flushed", "")
	for _, c := range changes {
		if err := w.swap(c); err != nil {
			if errors.Is(err, errRaced) {
				err = raced(c.path)
			}
			return done, err
		}
		done = append(done, c)
	}
	return done, w.sync()
}

// takeBack undoes what was done and closes the plan. The answer is the reason,
// or why there is no way back.
func (l *Log) takeBack(w *files, p *memsync.Plan, changes, done []*change, reason error) error {
	for i := len(done) - 1; i >= 0; i-- {
		if err := w.undo(done[i]); err != nil {
			return stuck(reason, err)
		}
	}
	if err := w.tidy(changes); err != nil {
		return stuck(reason, err)
	}
	w.unmake()
	if err := w.sync(); err != nil {
		return stuck(reason, err)
	}
	if err := l.keepCopies(w, p); err != nil {
		return stuck(reason, err)
	}
	if err := l.Journal.Failed(p.ID, memsync.CodeOf(reason)); err != nil {
		return stuck(reason, err)
	}
	reached("taken back", "")
	return reason
}

func stuck(reason, err error) error {
	return &memsync.Error{Code: memsync.CodeOf(reason), Message: "the change failed and could not be undone yet", Err: errors.Join(reason, err),
		Hint: "nothing is lost; it is undone when the store is opened again"}
}

// keepCopies gives bytes that lost their place on the disk one in the journal,
// unless git has them.
func (l *Log) keepCopies(w *files, p *memsync.Plan) error {
	for len(w.kept) > 0 {
		k := w.kept[0]
		if !l.known(p, k) {
			h := memsync.Held{Path: k.path, Why: memsync.CodeIORaced, Since: p.At}
			if err := l.Journal.KeepCopy(h, k.content); err != nil {
				return err
			}
		}
		w.kept = w.kept[1:]
	}
	return nil
}

// known reports whether bytes are the plan's own, or in git, or not to be kept.
func (l *Log) known(p *memsync.Plan, k keptBytes) bool {
	h := memsync.HashOf(k.content)
	for _, f := range p.Files {
		if f.Path != k.path {
			continue
		}
		if f.Secret || h == f.Post || f.Prior != "" && l.Repo.BlobID(k.content) == f.Prior {
			return true
		}
	}
	return false
}

// commit makes the plan's one commit, on top of foreign ones that left its
// paths alone.
func (l *Log) commit(ctx context.Context, p *memsync.Plan, mode memsync.CommitMode, st State) (Applied, error) {
	if p.Target != "" {
		return l.takeOver(ctx, p, st)
	}
	if mode == memsync.CommitOff || len(p.Files) == 0 {
		return Applied{Head: st.Head}, nil
	}
	c := Commit{Plan: p.ID, Parent: st.Head, Branch: st.Branch, Message: Message(p), Author: l.author(p.Author), When: p.At}
	for _, f := range p.Files {
		ch := Change{Path: f.Path}
		if f.Post != "" {
			if ch.Content = f.Content; ch.Content == nil {
				ch.Content = []byte{}
			}
		}
		c.Changes = append(c.Changes, ch)
	}
	for try := 1; ; try++ {
		made, err := l.Repo.Commit(ctx, c)
		if err == nil {
			reached("committed", "")
			return Applied{Commit: made.ID, Unchanged: made.Unchanged, Head: made.ID, Blobs: made.Blobs}, nil
		}
		if !errors.Is(err, memsync.CodeGitMoved) || try == movedTries {
			return l.madeAnyway(p, err)
		}
		now, stErr := l.ready(ctx)
		if stErr != nil {
			return Applied{}, stErr
		}
		if now.Branch != st.Branch {
			return Applied{}, err
		}
		if err := l.untouched(p, p.Base.Commit, now.Head); err != nil {
			return Applied{}, err
		}
		c.Parent = now.Head
	}
}

// madeAnyway looks whether a commit is there although making it ended with an
// error, as when the directory could not be synced after the branch had moved.
func (l *Log) madeAnyway(p *memsync.Plan, err error) (Applied, error) {
	st, stErr := l.Repo.State()
	if stErr != nil {
		return Applied{}, err
	}
	out, found, findErr := l.find(p, memsync.CommitAuto, st)
	if findErr != nil || !found {
		return Applied{}, err
	}
	return out, nil
}

// untouched reports, as CodeGitMoved, that commits between two revisions
// changed a path of the plan to something else than the plan does, or that the
// second does not descend from the first.
func (l *Log) untouched(p *memsync.Plan, from, to string) error {
	if from == to {
		return nil
	}
	moved := &memsync.Error{Code: memsync.CodeGitMoved, Message: "the branch moved between deciding and committing",
		Hint: "nothing was changed; the change is decided again on what is there now"}
	if from != "" {
		if ok, err := l.Repo.IsAncestor(from, to); err != nil {
			return err
		} else if !ok {
			return moved
		}
	}
	diff, err := l.Repo.Diff(from, to)
	if err != nil {
		return err
	}
	ours := make(map[memsync.Path]*memsync.FileChange, len(p.Files))
	for i := range p.Files {
		ours[p.Files[i].Path] = &p.Files[i]
	}
	for _, d := range diff {
		f := ours[d.Path]
		if f == nil || f.Post == "" && d.To == "" {
			continue
		}
		if f.Content == nil || d.To != l.Repo.BlobID(f.Content) {
			moved.Path = d.Path
			return moved
		}
	}
	return nil
}

// author is who git says wrote it: the person as git knows them, or the agent
// by its name.
func (l *Log) author(a memsync.Actor) Ident {
	if a.Person() || a.Class == memsync.ClassProgram && a.Name == "" {
		id, _ := l.Repo.Identity()
		return id
	}
	name := oneLine(a.Name, 80)
	if name == "" {
		name = string(a.Class)
	}
	if name == "" {
		return committer
	}
	return Ident{Name: name, Email: word(a.Name, 40, string(a.Class)) + "@memsync.localhost"}
}
