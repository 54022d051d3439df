package gitlog

import (
	"strings"

	"memsync"
)

// OtherChanges counts files below the store's root that are changed, staged or
// new and that are a person's to commit: whatever ours, called with the path
// relative to the store, does not claim. Without ours, that is everything but
// Markdown, memsync.toml, workspace.toml, .gitattributes, .gitignore and files
// below a _system directory. It asks `git status` and takes no lock; without a
// git binary it is CodeGitMissing.
func (r *Repo) OtherChanges(ours ...func(memsync.Path) bool) (int, error) {
	claims := usuallyOurs
	if len(ours) > 0 && ours[0] != nil {
		claims = ours[0]
	}
	ctx, cancel := background()
	defer cancel()
	out, err := r.run(ctx, gitCall{args: []string{"status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=dirty", "--no-renames", "--", r.root}})
	if err != nil {
		return 0, err
	}
	n := 0
	for _, line := range strings.Split(string(out), "\x00") {
		if len(line) < 4 {
			continue
		}
		if p := memsync.Path(strings.TrimSuffix(line[3:], "/")); p.In(r.prefix) && !claims(p.Rel(r.prefix)) {
			n++
		}
	}
	return n, nil
}

func usuallyOurs(p memsync.Path) bool {
	switch p.Base() {
	case "memsync.toml", "workspace.toml", ".gitattributes", ".gitignore":
		return true
	}
	return strings.HasSuffix(string(p), ".md") || strings.Contains("/"+string(p.Dir())+"/", "/_system/")
}
