package gitlog

import (
	"os"
	"path/filepath"
	"strings"

	"memsync"
)

// State is where a repository stands.
type State struct {
	Head   string // commit id, "" for an unborn branch
	Branch string // short name, "" when HEAD is detached
	Paused string // "" or why nothing may be committed: merge, rebase, cherry-pick, revert, bisect, detached, locked, branch, commit
	Detail string // one sentence for people, with Paused
}

// State reads where the repository stands: a handful of small files, no
// process.
func (r *Repo) State() (State, error) {
	ref, id, err := r.head()
	if err != nil {
		return State{}, err
	}
	st := State{Head: id.hex(), Branch: shortBranch(ref)}
	st.Paused, st.Detail = r.inProgress()
	if st.Paused == "" {
		st.Paused, st.Detail = r.offBranch(ref)
	}
	if st.Paused == "" {
		st.Paused, st.Detail = r.heldLock()
	}
	if st.Paused == "" && r.editorOpen(ref) {
		st.Paused, st.Detail = "commit", "a git commit is being written"
	}
	return st, nil
}

func shortBranch(ref string) string {
	return strings.TrimPrefix(ref, "refs/heads/")
}

// inProgress looks for what git itself goes by when it says that an operation
// is under way.
func (r *Repo) inProgress() (paused, detail string) {
	file := func(name string) bool {
		info, err := os.Stat(filepath.Join(r.gitDir, name))
		return err == nil && info.Mode().IsRegular()
	}
	dir := func(name string) bool {
		info, err := os.Stat(filepath.Join(r.gitDir, name))
		return err == nil && info.IsDir()
	}
	switch {
	case file("MERGE_HEAD"):
		return "merge", "a merge is not finished: `git commit` or `git merge --abort`"
	case dir("rebase-merge"):
		return "rebase", "a rebase is not finished: `git rebase --continue` or `--abort`"
	case dir("rebase-apply"):
		if file("rebase-apply/applying") {
			return "rebase", "git am is not finished: `git am --continue` or `--abort`"
		}
		return "rebase", "a rebase is not finished: `git rebase --continue` or `--abort`"
	case file("CHERRY_PICK_HEAD"):
		return "cherry-pick", "a cherry-pick is not finished: `git cherry-pick --continue` or `--abort`"
	case file("REVERT_HEAD"):
		return "revert", "a revert is not finished: `git revert --continue` or `--abort`"
	case file("BISECT_LOG"):
		return "bisect", "a bisect is not finished: `git bisect reset`"
	case dir("sequencer"):
		// Between two picks of a series, after a person committed one by hand.
		todo, err := os.ReadFile(filepath.Join(r.gitDir, "sequencer", "todo"))
		if err != nil {
			return "", ""
		}
		if verb, _, _ := strings.Cut(string(todo), " "); verb == "revert" {
			return "revert", "a series of reverts is not finished: `git revert --continue` or `--abort`"
		}
		return "cherry-pick", "a series of cherry-picks is not finished: `git cherry-pick --continue` or `--abort`"
	}
	return "", ""
}

// offBranch: HEAD is on no branch, or on another one than the store's.
func (r *Repo) offBranch(ref string) (paused, detail string) {
	if !strings.HasPrefix(ref, "refs/heads/") {
		return "detached", "HEAD is not on a branch: `git switch` to one"
	}
	r.mu.Lock()
	want := r.branch
	r.mu.Unlock()
	if want != "" && shortBranch(ref) != want {
		return "branch", "the store lives on branch " + want + ", checked out is " + shortBranch(ref) + ": `git switch " + want + "`"
	}
	return "", ""
}

// heldLock: somebody else holds the index.
func (r *Repo) heldLock() (paused, detail string) {
	path := filepath.Join(r.gitDir, "index.lock")
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return "", ""
	}
	if m, ok := ParseMarker(data); ok && (m.PID == selfMark().PID && m.Start == selfMark().Start || m.Dead()) {
		return "", "" // ours, or left behind by a crash and removed by the next commit
	}
	return "locked", r.locked(path).(*memsync.Error).Message
}

// editorOpen: somebody is writing a commit message. git leaves COMMIT_EDITMSG
// behind, so a file newer than the branch counts only while a git process runs
// here.
func (r *Repo) editorOpen(ref string) bool {
	msg, err := os.Stat(filepath.Join(r.gitDir, "COMMIT_EDITMSG"))
	if err != nil {
		return false
	}
	for _, file := range []string{
		filepath.Join(r.gitDir, "logs", "HEAD"),
		filepath.Join(r.refDir(ref), filepath.FromSlash(ref)),
	} {
		if info, err := os.Stat(file); err == nil && !info.ModTime().Before(msg.ModTime()) {
			return false
		}
	}
	return gitRunning(r.top)
}

// pausedError is the refusal while State says paused.
func pausedError(paused, detail string) error {
	return &memsync.Error{Code: memsync.CodeStorePaused, Message: "paused (" + paused + "): " + detail,
		Hint: "nothing was changed; saves wait on disk and are taken afterwards, a command is run again", Details: map[string]string{"paused": paused}}
}
