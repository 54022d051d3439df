package gitlog

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"
)

// trimThreshold (mallopt(3)) keeps glibc from handing memory back to the system
// after each object and asking for it again for the next, which is most of what
// `git index-pack` does with a pack of a thousand small deltas: 1.2 s of 1.5. Other
// C libraries don't know the variable.
const trimThreshold = "MALLOC_TRIM_THRESHOLD_" // in bytes

// carry runs a git command that talks to a remote. It differs from run in what a
// person's own git would do: their hooks run when hooks says so (LFS sends its
// files from pre-push), and they may be asked.
func (r *Repo) carry(ctx context.Context, m Remote, opt Transfer, hooks bool, env []string, args ...string) (stdout, stderr string, err error) {
	flags := []string{"-c", "core.quotePath=true", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "core.fsync=all"}
	if !hooks {
		flags = append(flags, "-c", "core.hooksPath=/dev/null")
	}
	cmd := exec.CommandContext(ctx, r.binary, append(flags, args...)...)
	cmd.Dir = r.top
	if opt.Ask {
		env = append(env, "GIT_TERMINAL_PROMPT=1")
	} else {
		alone(cmd) // ssh and credential helpers ask at /dev/tty, whatever git is told
	}
	if _, own := r.env.lookup(trimThreshold); !own {
		env = append(env, trimThreshold+"=268435456")
	}
	cmd.Env = r.env.forGit(env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = 2 * time.Second
	err = cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return out.String(), errs.String(), err
}

func (r *Repo) headsByGit(ctx context.Context, m Remote, opt Transfer) (map[string]string, error) {
	args := []string{"ls-remote", "--heads", m.Name}
	out, said, err := r.carry(ctx, m, opt, false, nil, args...)
	if err != nil {
		return nil, remoteSaid(m, args, said, err)
	}
	heads := map[string]string{}
	for line := range strings.Lines(out) {
		id, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if name, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
			heads[name] = id
		}
	}
	return heads, nil
}

// fetchByGit never has git move the ref by force: the configured refspec, which
// has a +, is left out (--refmap).
func (r *Repo) fetchByGit(ctx context.Context, m Remote, branch string, opt Transfer) error {
	args := []string{"fetch", "--no-tags", "--no-prune", "--no-recurse-submodules", "--no-write-fetch-head", "--refmap=", m.Name,
		"refs/heads/" + branch + ":" + trackingRef(m.Name, branch)}
	_, said, err := r.carry(ctx, m, opt, false, nil, args...)
	switch {
	case err == nil:
		return nil
	case strings.Contains(said, "couldn't find remote ref"):
		return errNoSuchBranch
	case strings.Contains(said, "[rejected]") && strings.Contains(said, "non-fast-forward"):
		return forced(m, branch, "the branch "+branch+" of "+m.Name+" was rewritten: it no longer has what it had")
	}
	return remoteSaid(m, args, said, err)
}

func (r *Repo) pushByGit(ctx context.Context, m Remote, id, branch string, opt Transfer) error {
	var env []string
	if opt.Scanned {
		env = append(env, "MEMSYNC_HOOK=off")
	}
	ref := "refs/heads/" + branch
	args := []string{"push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no", m.Name, id + ":" + ref}
	out, said, err := r.carry(ctx, m, opt, true, env, args...)
	if err == nil {
		// git itself remembers what it pushed only where the remote has a refspec.
		if known, err := r.tracking(m.Name, branch); err != nil || known == id {
			return err
		}
		_, err = r.run(ctx, gitCall{args: []string{"update-ref", trackingRef(m.Name, branch), id}})
		return err
	}
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) != 3 || f[0] != "!" || !strings.HasSuffix(f[1], ":"+ref) {
			continue
		}
		status, reason, _ := strings.Cut(strings.TrimPrefix(f[2], "["), "]")
		reason = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(reason), "("), ")")
		if status == "remote failure" {
			break
		}
		return pushSaid(m, branch, status, reason, said)
	}
	return remoteSaid(m, args, said, err)
}
