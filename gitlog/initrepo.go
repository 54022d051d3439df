package gitlog

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"memsync"
)

// Init makes root a git repository, root and all, with the git binary or, where
// there is none, without it. branch "" is init.defaultBranch, or main. A directory
// that is the top of a repository already is left as it is.
func Init(root, branch string, opt Options) error {
	env := environ(opt.Env)
	if opt.Env == nil {
		env = os.Environ()
	}
	if err := os.MkdirAll(root, 0o777); err != nil {
		return fault(memsync.CodeIOWrite, "making "+root, err)
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return fault(memsync.CodeIOWrite, "making "+root, err)
	}
	if top, gitDir, err := findGitDir(root); err != nil {
		return err
	} else if gitDir != "" && top == root {
		return nil
	}
	if branch == "" {
		none := filepath.Join(root, ".git")
		branch = readSettings(env, none, none, "").get("init.defaultbranch")
	}
	if branch == "" {
		branch = "main"
	}
	if !validBranch(branch) {
		return &memsync.Error{Code: memsync.CodeUsage, Message: "not a branch name: " + branch}
	}
	binary := ""
	if !opt.NoBinary {
		binary = lookGit(env)
	}
	if binary == "" {
		return fault(memsync.CodeIOWrite, "making a repository in "+root, initNative(filepath.Join(root, ".git"), branch))
	}
	ctx, cancel := background()
	defer cancel()
	return initByGit(ctx, binary, root, branch, env)
}

// initNative lays out gitDir as gitrepository-layout says, with what git itself
// would not do without.
func initNative(gitDir, branch string) error {
	for _, dir := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags"} {
		if err := os.MkdirAll(filepath.Join(gitDir, filepath.FromSlash(dir)), 0o777); err != nil {
			return err
		}
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
	if err := os.WriteFile(filepath.Join(gitDir, "config"), []byte(config), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(gitDir, "HEAD"), []byte("ref: refs/heads/"+branch+"\n"), 0o666)
}

func initByGit(ctx context.Context, binary, root, branch string, env environ) error {
	cmd := exec.CommandContext(ctx, binary, "init", "--quiet", "--initial-branch="+branch, ".")
	cmd.Dir, cmd.Env = root, env.forGit()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return gitSaid([]string{"init"}, stderr.String(), err)
	}
	return nil
}

// validBranch is git's check-ref-format, as far as a branch needs it.
func validBranch(name string) bool {
	if name == "" || name == "HEAD" || name[0] == '-' || strings.HasSuffix(name, ".") || strings.Contains(name, "..") || strings.Contains(name, "@{") {
		return false
	}
	for _, c := range []byte(name) {
		if c <= ' ' || c == 0x7f || strings.IndexByte(`~^:?*[\`, c) >= 0 {
			return false
		}
	}
	for _, part := range strings.Split(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}
