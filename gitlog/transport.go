package gitlog

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"memsync"
)

// How commits travel. The git binary carries them where there is one, with the
// credentials, ssh, proxies, signing and LFS that the person's git has; else
// this process does, over http alone. Laws:
//
//   - Nothing here touches a working file, the index, HEAD or a local branch.
//   - Nothing is ever forced: a push only moves the remote's branch forward, and
//     a fetch only moves refs/remotes/<remote>/<branch> forward. What the person's
//     own git sees afterwards is what it would have fetched.
//   - Every failure has a code (memory.sync.*) that says whether trying again
//     can help; one about who somebody is, is never taken for a race.

// Transfer says how far a transfer may go.
type Transfer struct {
	Ask     bool          // a person sits at the terminal: git and ssh may ask there
	Timeout time.Duration // of the whole transfer; 0 is DefaultTransfer
	Scanned bool          // of Push: the caller has looked for secrets in exactly this range, so that memsync's own pre-push hook need not; other hooks run all the same
}

// DefaultTransfer is how long a transfer may take. A guess: a first push of a
// large store over a slow line.
const DefaultTransfer = 5 * time.Minute

// Fetched is what a fetch found. Ids are full, "" for no such branch.
type Fetched struct {
	Before string // refs/remotes/<remote>/<branch>, as it was
	Tip    string // of the remote's branch, and of that ref now
}

// Heads are the remote's branches, by short name, with their commits. It asks
// the remote and changes nothing here.
func (r *Repo) Heads(ctx context.Context, remote string, opt Transfer) (map[string]string, error) {
	var out map[string]string
	err := r.transfer(ctx, remote, "", opt, func(ctx context.Context, m Remote) (err error) {
		if r.binary != "" {
			out, err = r.headsByGit(ctx, m, opt)
		} else {
			out, err = r.headsByHTTP(ctx, m)
		}
		return err
	})
	return out, err
}

// Fetch brings the commits of one branch of a remote here and moves
// refs/remotes/<remote>/<branch> to its tip. A remote without that branch is no
// error, unless it had it before. CodeSyncForced: the tip does not descend from
// what the ref holds; the ref stays, until a person's own `git fetch` moves it.
func (r *Repo) Fetch(ctx context.Context, remote, branch string, opt Transfer) (Fetched, error) {
	var out Fetched
	err := r.transfer(ctx, remote, branch, opt, func(ctx context.Context, m Remote) (err error) {
		if out.Before, err = r.tracking(m.Name, branch); err != nil {
			return err
		}
		if r.binary != "" {
			err = r.fetchByGit(ctx, m, branch, opt)
		} else {
			err = r.fetchByHTTP(ctx, m, branch)
		}
		if errors.Is(err, errNoSuchBranch) {
			if out.Before != "" {
				return forced(m, branch, "the remote has no branch "+branch+" any more, where it had one")
			}
			return nil
		}
		if err != nil {
			return err
		}
		out.Tip, err = r.tracking(m.Name, branch)
		return err
	})
	return out, err
}

// Push has the remote's branch move to a commit, if that is forward for it.
// CodeSyncRejected: the remote has what this commit does not descend from.
// Afterwards refs/remotes/<remote>/<branch> is the commit.
func (r *Repo) Push(ctx context.Context, remote, commit, branch string, opt Transfer) error {
	id, err := r.Resolve(commit)
	if err != nil {
		return err
	}
	return r.transfer(ctx, remote, branch, opt, func(ctx context.Context, m Remote) error {
		if r.binary != "" {
			return r.pushByGit(ctx, m, id, branch, opt)
		}
		return r.pushByHTTP(ctx, m, id, branch)
	})
}

// transfer does one transfer within its time.
func (r *Repo) transfer(ctx context.Context, remote, branch string, opt Transfer, do func(context.Context, Remote) error) error {
	m, err := r.Remote(remote)
	if err != nil {
		return err
	}
	if branch != "" && !validBranch(branch) {
		return &memsync.Error{Code: memsync.CodeUsage, Message: "not a branch name: " + branch}
	}
	if r.config().truth("core.bare", false) && r.gitDir == r.common {
		return &memsync.Error{Code: memsync.CodeGitUnsupported, Message: "core.bare is set here: a bare repository has no files to keep memories in",
			Hint: "use a clone with files: git clone " + r.common}
	}
	if r.binary == "" {
		if err := r.withoutBinary(m); err != nil {
			return err
		}
	}
	timeout := opt.Timeout
	if timeout <= 0 {
		timeout = DefaultTransfer
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err = do(limited, m)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return &memsync.Error{Code: memsync.CodeSyncTimeout, Message: "the remote " + m.Name + " (" + m.Shown() + ") did not finish within " + timeout.String(),
			Hint: "try again; nothing here was changed"}
	}
	return err
}

// withoutBinary says what this process can't do alone.
func (r *Repo) withoutBinary(m Remote) error {
	u, err := url.Parse(m.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https":
		return missing("the remote " + m.Name + " (" + m.Shown() + ") needs the git binary: without it only http and https addresses can be reached")
	case r.kind.size != kindSHA1.size:
		return missing("a sha256 repository needs the git binary to fetch and push")
	case r.config().promisor():
		return missing("a partial clone needs the git binary to fetch and push")
	case len(r.shallow()) > 0:
		return missing("a shallow clone needs the git binary to fetch and push")
	case r.reftable():
		return missing("branches that are not files need the git binary to fetch and push")
	}
	return nil
}

// trackingRef is where a remote's branch is remembered.
func trackingRef(remote, branch string) string { return "refs/remotes/" + remote + "/" + branch }

// tracking is what is known of a remote's branch, "" for nothing.
func (r *Repo) tracking(remote, branch string) (string, error) {
	ref := trackingRef(remote, branch)
	if r.reftable() {
		ctx, cancel := background()
		defer cancel()
		out, err := r.run(ctx, gitCall{args: []string{"for-each-ref", "--format=%(objectname)", ref}})
		return strings.TrimSpace(string(out)), err
	}
	id, _, err := r.readRef(ref)
	return id.hex(), err
}

// Relation is how two tips stand to each other.
type Relation string

const (
	Same     Relation = "same"
	Ahead    Relation = "ahead"    // ours has what theirs lacks, and all of theirs
	Behind   Relation = "behind"   // the other way round
	Diverged Relation = "diverged" // each has what the other lacks
)

// Relate says how ours (a revision) stands to theirs, and where they parted
// (base; of several, any). Two histories with nothing in common:
// CodeSyncUnrelated, or CodeSyncShallow where that can't be known.
func (r *Repo) Relate(ours, theirs string) (rel Relation, base string, err error) {
	a, err := r.Resolve(ours)
	if err != nil {
		return "", "", err
	}
	b, err := r.Resolve(theirs)
	if err != nil {
		return "", "", err
	}
	if base, err = r.MergeBase(a, b); err != nil {
		return "", "", err
	}
	switch base {
	case "":
		if len(r.shallow()) > 0 {
			return "", "", &memsync.Error{Code: memsync.CodeSyncShallow, Message: "this clone is shallow, and ends before its history meets the remote's",
				Hint: "run `git fetch --unshallow` in " + filepath.Clean(r.top) + ", then the command again; nothing was changed"}
		}
		return "", "", &memsync.Error{Code: memsync.CodeSyncUnrelated, Message: "the remote's history has nothing in common with this store's, so nothing is joined",
			Hint: "check the address with `git remote -v`; to join them all the same, a person runs `git merge --allow-unrelated-histories`"}
	case a:
		rel = Behind
		if a == b {
			rel = Same
		}
	case b:
		rel = Ahead
	default:
		rel = Diverged
	}
	return rel, base, nil
}
