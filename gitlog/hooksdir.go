package gitlog

import (
	"path/filepath"
	"strings"
)

// HooksDir is where git looks for this repository's hooks.
type HooksDir struct {
	Dir     string // absolute
	Default string // where it would look without core.hooksPath: all worktrees share it
	Value   string // of core.hooksPath, as it is written; "" where it is not set
	Origin  string // whose configuration sets it: system, global, local, worktree; "" for nobody's
}

// Shared reports whether other repositories have their hooks there, too.
func (h HooksDir) Shared() bool { return h.Origin == "system" || h.Origin == "global" }

// Hooks says where git looks for hooks. A core.hooksPath that this program can't
// expand (another user's home, git's own prefix) is asked of the git binary; with
// neither, it is taken as it is written.
func (r *Repo) Hooks() HooksDir {
	h := HooksDir{Default: filepath.Join(r.common, "hooks")}
	h.Dir = h.Default
	set := r.config()
	if !set.has("core.hookspath") {
		return h
	}
	h.Value, h.Origin = set.get("core.hookspath"), set.from["core.hookspath"]
	h.Dir = place{home: r.env.get("HOME")}.expand(h.Value)
	if foreign := strings.HasPrefix(h.Dir, "~") || strings.HasPrefix(h.Dir, "%(prefix)/"); foreign && r.binary != "" {
		ctx, cancel := background()
		defer cancel()
		// By its origin: gitCall sets another one for the command itself.
		if out, err := r.run(ctx, gitCall{args: []string{"config", "--" + h.Origin, "--type=path", "--includes", "--get", "core.hooksPath"}}); err == nil {
			h.Dir = strings.TrimSuffix(string(out), "\n")
		}
	}
	if !filepath.IsAbs(h.Dir) {
		h.Dir = filepath.Join(r.top, filepath.FromSlash(h.Dir))
	}
	return h
}
