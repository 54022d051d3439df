package gitlog

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"time"

	"memsync"
)

// gitCall is one run of the git binary. Its hooks, its file system monitor and
// its maintenance stay off: they belong to the person's own commands.
type gitCall struct {
	args  []string
	stdin io.Reader
	env   []string // on top of the scrubbed environment
	tidy  bool     // maintenance is what is wanted
}

// run runs git in the work tree and gives what it printed. A failure carries
// what git said.
func (r *Repo) run(ctx context.Context, c gitCall) ([]byte, error) {
	if r.binary == "" {
		return nil, missing("this needs the git binary")
	}
	cmd := exec.CommandContext(ctx, r.binary, append(c.flags(), c.args...)...)
	cmd.Dir = r.top
	// No GIT_DIR: git finds the repository from the directory, so that its own
	// check of who owns it (safe.directory) stays in force.
	cmd.Env = r.env.forGit(c.env...)
	cmd.Stdin = c.stdin
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// A grandchild (gpg-agent, a credential helper) that keeps the pipes open
	// must not hold us up.
	cmd.WaitDelay = 2 * time.Second
	err := cmd.Run()
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, gitSaid(c.args, stderr.String(), err)
	}
	return stdout.Bytes(), nil
}

func (c gitCall) flags() []string {
	if c.tidy {
		return gitFlags()
	}
	return append(gitFlags(), "-c", "gc.auto=0", "-c", "maintenance.auto=false")
}

// gitFlags come before every command.
func gitFlags() []string {
	return []string{
		"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.quotePath=true", "-c", "i18n.commitEncoding=UTF-8",
		"-c", "core.fsync=all", "-c", "core.fsyncObjectFiles=true", // the new spelling and the old one
	}
}

// gitSaid is the error of a git command that failed.
func gitSaid(args []string, stderr string, err error) error {
	said := strings.TrimSpace(stderr)
	code := memsync.CodeGit
	hint := "nothing was changed; mend what git says, then run the command again: a save waits on disk and is taken then"
	switch {
	case strings.Contains(said, "Unable to create") && strings.Contains(said, ".lock"), strings.Contains(said, "cannot lock ref") && strings.Contains(said, "File exists"):
		code = memsync.CodeGitLocked
		hint = "another git command is running, or one has crashed; see `memsync doctor`"
	case strings.Contains(said, "cannot lock ref"):
		code = memsync.CodeGitMoved
		hint = ""
	case strings.Contains(said, "Permission denied"), strings.Contains(said, "insufficient permission"), strings.Contains(said, "Read-only file system"):
		code = memsync.CodeIODenied
		hint = "nothing was changed; make the git directory writable, then run the command again: a save waits on disk and is taken then"
	case strings.Contains(said, "No space left on device"), strings.Contains(said, "Disk quota exceeded"):
		code = memsync.CodeIOFull
		hint = "nothing was changed; free some space, then run the command again: a save waits on disk and is taken then"
	}
	if said == "" {
		said = err.Error()
	}
	const limit = 2000
	if len(said) > limit {
		said = said[:limit] + "…"
	}
	return &memsync.Error{Code: code, Message: "git " + args[0] + ": " + said, Hint: hint}
}

// missing is the error where only the git binary could do it.
func missing(why string) error {
	return &memsync.Error{Code: memsync.CodeGitMissing, Message: why,
		Hint: "install git, or turn that setting off"}
}

// gitVersion asks the binary once.
func (r *Repo) gitVersion() string {
	if r.binary == "" {
		return ""
	}
	r.mu.Lock()
	v := r.version
	r.mu.Unlock()
	if v != "" {
		return v
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := r.run(ctx, gitCall{args: []string{"version"}})
	if err != nil {
		return ""
	}
	v = strings.TrimPrefix(strings.TrimSpace(string(out)), "git version ")
	r.mu.Lock()
	r.version = v
	r.mu.Unlock()
	return v
}
