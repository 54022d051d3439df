package gitlog

import (
	"context"
	"errors"

	"memsync"
	"memsync/gitlog/journal"
)

// Replayed is an unfinished plan and what became of it.
type Replayed struct {
	Plan    *memsync.Plan
	Outcome journal.State // Applied or Superseded
	Found   bool          // the commit was there; only the note was missing
	Applied
	Held []memsync.Held // superseded: the versions that wait in the journal to be decided again
}

// Replay finishes what a process that died left behind, plan by plan in the
// order in which they began:
//
//   - a plan whose commit is in the history is noted, never made twice;
//   - every file at base or post, and the branch where it may be committed:
//     forward, as if nothing had happened;
//   - otherwise files still at post go back to base and the plan is
//     superseded: what it would have written waits as held records.
//
// It never replaces bytes that are neither. Before anything else it removes
// lock files whose process is dead. While the repository is paused it changes
// nothing and says so; what transiently fails (a lock, a full disk) leaves the
// plan for the next call.
func (l *Log) Replay(ctx context.Context) ([]Replayed, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.Repo.CleanLocks(); err != nil {
		return nil, err
	}
	plans, err := l.Journal.Unfinished()
	if err != nil {
		return nil, err
	}
	if len(plans) > 0 {
		if _, err := l.ready(ctx); err != nil {
			return nil, err
		}
	}
	var out []Replayed
	for _, u := range plans {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		r, err := l.replay(ctx, u)
		if r.Outcome != "" {
			out = append(out, r)
		}
		if err != nil {
			return out, err
		}
	}
	return out, l.sweep()
}

func (l *Log) replay(ctx context.Context, u journal.Unfinished) (Replayed, error) {
	p := u.Plan
	r := Replayed{Plan: p}
	st, err := l.ready(ctx)
	if err != nil {
		return r, err
	}
	w := newFiles(l.Repo.Root(), p.ID, diskOf(l.Repo.Root()))
	defer w.close()
	found, err := l.recover(w, p)
	if err != nil {
		return r, err
	}
	if r.Applied, r.Found, err = l.find(p, u.Mode, st); err != nil {
		return r, err
	}
	switch {
	case r.Found:
		// The files come before the commit, so they are where they belong or
		// somebody saved over them since.
	case found.forward && l.allowed(p, u.Mode, st) == nil:
		_, err := l.write(w, found.toPost)
		if err == nil {
			err = w.sync()
		}
		if err == nil {
			r.Applied, err = l.commit(ctx, p, u.Mode, st)
		}
		if err != nil && !final(err) {
			return r, err // all of it is still in the journal; the next call goes on
		}
		if err != nil {
			// Somebody came in between, or a hook says no.
			if found, err = l.recover(w, p); err != nil {
				return r, err
			}
			return l.supersede(w, r, found)
		}
	default:
		return l.supersede(w, r, found)
	}
	if err := w.tidy(found.all); err != nil {
		return r, err
	}
	if err := w.sync(); err != nil {
		return r, err
	}
	if err := l.complete(ctx, p); err != nil {
		return r, err
	}
	if err := l.keepCopies(w, p); err != nil {
		return r, err
	}
	if r.Events, err = l.Journal.Applied(p.ID, r.Commit, l.exact(p, r.Blobs)); err != nil {
		return r, err
	}
	r.Outcome = journal.Applied
	reached("applied", "")
	return r, nil
}

// final reports whether trying the same again would fail the same way.
func final(err error) bool {
	return errors.Is(err, memsync.CodeIORaced) || errors.Is(err, memsync.CodeGitMoved) ||
		errors.Is(err, memsync.CodePathEscape)
}

// allowed reports whether the branch is where the plan may go on top.
func (l *Log) allowed(p *memsync.Plan, mode memsync.CommitMode, st State) error {
	if mode == memsync.CommitOff || st.Head == p.Base.Commit {
		return nil
	}
	if p.Target != "" {
		return &memsync.Error{Code: memsync.CodeGitMoved, Message: "the branch moved while another tip was being taken over",
			Hint: "nothing was changed; it is joined with what is there now"}
	}
	return l.untouched(p, p.Base.Commit, st.Head)
}

// searched bounds how many commits are looked at for a plan's own: a base that
// was rewritten away is never met, and a plan is replayed within days.
const searched = 2000

// find looks for the plan's commit in what HEAD has on top of the plan's base.
// With nobody having committed since, that is one commit to look at.
func (l *Log) find(p *memsync.Plan, mode memsync.CommitMode, st State) (Applied, bool, error) {
	if mode == memsync.CommitOff || st.Head == "" || st.Head == p.Base.Commit {
		return Applied{}, false, nil
	}
	if p.Target != "" {
		has, err := l.Repo.IsAncestor(p.Target, st.Head)
		return Applied{Commit: p.Target, Head: st.Head}, has, err
	}
	versions, err := l.Repo.Log(LogQuery{Before: p.Base.Commit, Limit: searched})
	if err != nil {
		return Applied{}, false, err
	}
	for _, v := range versions {
		for _, d := range v.Decisions() {
			if id, _, ok := journal.ParseRecordID(d.ID); ok && id == p.ID {
				blobs, err := l.blobs(p, v.Commit)
				return Applied{Commit: v.Commit, Head: st.Head, Blobs: blobs}, true, err
			}
		}
	}
	return Applied{}, false, nil
}

// blobs are git's ids of the plan's files in a commit.
func (l *Log) blobs(p *memsync.Plan, commit string) (map[memsync.Path]string, error) {
	out := map[memsync.Path]string{}
	for _, f := range p.Files {
		if f.Post == "" {
			continue
		}
		entries, err := l.Repo.Tree(commit, f.Path)
		if err != nil {
			return nil, err
		}
		if len(entries) == 1 && entries[0].Path == f.Path {
			out[f.Path] = entries[0].Blob
		}
	}
	return out, nil
}

// recovered is where the files of an unfinished plan are.
type recovered struct {
	all     []*change // every file the plan changes
	toPost  []*change // at base
	toBase  []*change // at post
	others  []int     // at neither: indexes in the plan
	forward bool      // nothing stands against going on
}

// recover looks at every file, and first at what lies beside it: after a crash
// the .old may hold bytes that nobody has compared yet.
func (l *Log) recover(w *files, p *memsync.Plan) (recovered, error) {
	r := recovered{forward: true}
	if err := l.fetch(p); err != nil {
		return r, err
	}
	for i := range p.Files {
		f := &p.Files[i]
		c := &change{path: f.Path, index: i, from: f.Base, to: f.Post, content: f.Content}
		if f.Base == f.Post {
			if f.Post != "" && f.Content == nil {
				// Never journaled (a secret that was allowed): the disk may have it.
				if content, _, err := w.read(f.Path); err == nil && hashOf(content) == f.Post {
					f.Content = content
				} else {
					r.forward = false
				}
			}
			continue
		}
		r.all = append(r.all, c)
		w.dirty[c.path.Dir()] = true
		if err := l.beside(w, c); err != nil {
			return r, err
		}
		content, info, err := w.read(f.Path)
		if err != nil && !errors.Is(err, memsync.CodePathEscape) {
			return r, w.fault(c, err)
		}
		c.info = info
		switch have := hashOf(content); {
		case err != nil:
			r.others, r.forward = append(r.others, i), false
		case have == f.Post:
			if f.Content == nil {
				f.Content, c.content = content, content
			}
			r.toBase = append(r.toBase, c)
		case have == f.Base:
			if f.Post != "" && f.Content == nil {
				r.forward = false
			}
			r.toPost = append(r.toPost, c)
		default:
			r.others, r.forward = append(r.others, i), false
		}
	}
	r.toPost = inOrder(r.toPost)
	return r, nil
}

// beside deals with what a dead process left beside a file. Afterwards .tmp and
// .was are gone and .old is either gone or the plan's base under a file at post.
func (l *Log) beside(w *files, c *change) error {
	d, err := w.folder(c.path.Dir(), false)
	if isAbsent(err) || errors.Is(err, memsync.CodePathEscape) {
		return nil
	}
	if err != nil {
		return w.fault(c, err)
	}
	old, was := w.beside(c, ".old"), w.beside(c, ".was")
	if err := d.remove(w.beside(c, ".tmp")); err != nil {
		return w.fault(c, err)
	}
	if content, _, err := d.read(was); err == nil && hashOf(content) == c.to {
		err = d.remove(was)
		if err != nil {
			return w.fault(c, err)
		}
	} else if !isAbsent(err) {
		if err := w.putBack(d, c, was); err != nil {
			return w.fault(c, err)
		}
	}
	aside, _, err := d.read(old)
	if isAbsent(err) {
		return nil
	}
	if err != nil && !errors.Is(err, errNotRegular) {
		return w.fault(c, err)
	}
	there, _, thereErr := d.read(c.name())
	if thereErr != nil && !isAbsent(thereErr) && !errors.Is(thereErr, errNotRegular) {
		return w.fault(c, thereErr)
	}
	absent := isAbsent(thereErr)
	switch have := hashOf(aside); {
	case err == nil && have == c.to: // not exchanged yet, or back again
		err = d.remove(old)
	case err == nil && have == c.from && absent && c.to != "":
		// The file had to be moved away first and the new one is not in yet.
		err = w.putBack(d, c, old)
	case err == nil && have == c.from && (absent || hashOf(there) == c.to):
		return nil // the way back
	case err == nil && have == c.from:
		err = d.remove(old) // somebody saved over the new bytes; the journal or git has these
	case absent:
		err = w.putBack(d, c, old)
	case thereErr == nil && hashOf(there) == c.to:
		err = w.exchangeBack(d, c, old, c.to)
	default:
		err = w.keep(d, c, old)
	}
	return w.fault(c, err)
}

// supersede takes back what is still as the plan left it and closes the plan.
func (l *Log) supersede(w *files, r Replayed, found recovered) (Replayed, error) {
	p := r.Plan
	for _, c := range found.toBase {
		if err := l.back(w, p, c); err != nil {
			return r, err
		}
	}
	if err := w.tidy(found.all); err != nil {
		return r, err
	}
	if err := w.sync(); err != nil {
		return r, err
	}
	if err := l.keepCopies(w, p); err != nil {
		return r, err
	}
	r.Held = l.waiting(w, p)
	if err := l.Journal.Superseded(p.ID, r.Held); err != nil {
		return r, err
	}
	r.Outcome = journal.Superseded
	reached("superseded", "")
	return r, nil
}

// back brings one file at post to base: by the old file, which lies beside it,
// or by the bytes that the journal or git holds. Without either it stays.
func (l *Log) back(w *files, p *memsync.Plan, c *change) error {
	d, err := w.folder(c.path.Dir(), c.from != "")
	if err != nil {
		return w.fault(c, err)
	}
	if there, err := w.present(d, w.beside(c, ".old")); err != nil {
		return w.fault(c, err)
	} else if there || c.from == "" {
		return w.undo(c)
	}
	content, ok, err := l.bytesOf(c.from, p.Files[c.index].Prior)
	if err != nil || !ok {
		return err
	}
	undo := &change{path: c.path, index: c.index, from: c.to, to: c.from, content: content, info: c.info}
	_, err = l.write(w, []*change{undo})
	if errors.Is(err, memsync.CodeIORaced) {
		return nil
	}
	return err
}

// bytesOf finds bytes by their hash: in the journal, or in git under a name
// that is known for them.
func (l *Log) bytesOf(h memsync.Hash, blobs ...string) ([]byte, bool, error) {
	content, ok, err := l.Journal.Content(h)
	if ok || err != nil {
		return content, ok, err
	}
	if id, ok, err := l.Journal.Blob(h); err != nil {
		return nil, false, err
	} else if ok {
		blobs = append(blobs, id)
	}
	for _, id := range blobs {
		if id == "" {
			continue
		}
		content, err := l.Repo.Blob(id)
		if err == nil && memsync.HashOf(content) == h {
			return content, true, nil
		}
	}
	return nil, false, nil
}

// waiting are the held records of a superseded plan: what its decisions would
// have left on disk, where that is not there now.
func (l *Log) waiting(w *files, p *memsync.Plan) (held []memsync.Held) {
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if !d.Op.Changes() || d.Path == "" || d.Post == "" {
			continue
		}
		f, ok := fileAt(p, d.Path)
		if !ok || f.Secret || f.Post != d.Post {
			continue
		}
		if content, _, err := w.read(d.Path); err == nil && hashOf(content) == d.Post {
			continue
		}
		held = append(held, memsync.Held{
			Path: d.Path, Scope: d.Scope, Memory: d.Memory, Hash: d.Post, Why: memsync.CodeIORaced, Since: p.At, Base: f.Prior,
			Error: &memsync.Error{Code: memsync.CodeIORaced, Path: d.Path, Message: "a write was interrupted and the file changed before it could be finished",
				Hint: "the file is as it was last saved; the interrupted version waits in the journal"},
		})
	}
	return held
}

func fileAt(p *memsync.Plan, at memsync.Path) (memsync.FileChange, bool) {
	for _, f := range p.Files {
		if f.Path == at {
			return f, true
		}
	}
	return memsync.FileChange{}, false
}
