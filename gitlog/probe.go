package gitlog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"memsync"
)

// Probe says how a repository is written, and why.
type Probe struct {
	Backend  string   // "native", or "git" when some part of a commit goes through the binary
	Reasons  []string // why the binary is needed; empty for native
	Binary   string   // path of the git binary, "" for none
	Version  string   // of the binary
	Hooks    []string // the person's hooks that a commit of ours does not run
	Problems []string // what stands in the way of writing, in plain words
}

// way says which steps of a commit the git binary takes.
type way struct {
	objects bool // writing objects
	commit  bool // making the commit, because it is signed
	sign    bool
	index   bool // rewriting the index
	refs    bool // moving the branch
	reasons []string
}

func (w *way) because(reason string) { w.reasons = append(w.reasons, reason) }

// knownExtension reports whether a repository extension (git's
// repository-version.txt) changes nothing about how a commit is written here.
func knownExtension(name string) bool {
	switch name {
	case "noop", "noop-v1", "preciousobjects", "partialclone",
		"worktreeconfig", "relativeworktrees", "objectformat", "refstorage":
		return true
	}
	return false
}

// way decides how this repository is written, from its configuration.
func (r *Repo) way() way {
	var w way
	set := r.config()
	if set.truth("commit.gpgsign", false) {
		w.commit, w.sign = true, true
		w.because("commit.gpgsign: commits are signed")
	}
	if r.reftable() {
		w.refs = true
		w.because("extensions.refStorage: branches are not files")
	}
	if shared := strings.ToLower(set.get("core.sharedrepository")); shared != "" {
		if v, ok := gitBool(shared); (!ok || v) && shared != "umask" {
			w.objects, w.index, w.refs = true, true, true
			w.because("core.sharedRepository: files carry a group's permissions")
		}
	}
	if r.kind.size != kindSHA1.size {
		w.because("extensions.objectFormat: objects are read through git")
	}
	for key := range set.values {
		if name, ok := strings.CutPrefix(key, "extensions."); ok && !knownExtension(name) {
			w.objects, w.commit, w.index, w.refs = true, true, true, true
			w.because("extensions." + name + " is not known here")
		}
	}
	if r.force != nil {
		r.force(&w)
	}
	return w
}

func (w way) usesGit() bool { return w.objects || w.commit || w.index || w.refs }

// reftable: refs are not files.
func (r *Repo) reftable() bool {
	v := strings.ToLower(r.config().get("extensions.refstorage"))
	return v != "" && v != "files"
}

// Probe looks at configuration, index, attributes and hooks, and says how
// commits are made here. It is for people and for deciding whether to go on; a
// commit looks for itself.
func (r *Repo) Probe() Probe {
	w := r.way()
	x, _, err := r.readIndex()
	var foreign *foreignIndex
	switch {
	case errors.As(err, &foreign):
		w.index = true
		w.because("the index has " + foreign.what)
	case err == nil:
		if what := x.foreign(); what != "" {
			w.index = true
			w.because("the index has " + what)
		}
	}
	p := Probe{Binary: r.binary, Version: r.gitVersion(), Hooks: r.hooks()}
	if err != nil && foreign == nil {
		p.Problems = append(p.Problems, err.Error())
	}
	converting := r.convertedPaths()
	for _, c := range converting {
		w.because(c)
	}
	p.Backend, p.Reasons = "native", w.reasons
	if w.usesGit() || len(converting) > 0 || r.kind.size != kindSHA1.size {
		p.Backend = "git"
		if r.binary == "" {
			for _, reason := range w.reasons {
				if !strings.HasSuffix(reason, "an untracked cache") { // dropped where git can't keep it
					p.Problems = append(p.Problems, "there is no git binary, and this repository needs one: "+reason)
				}
			}
		}
	}
	if err := writable(r.gitDir); err != nil {
		p.Problems = append(p.Problems, err.Error())
	}
	if r.config().truth("core.bare", false) && r.gitDir == r.common {
		p.Problems = append(p.Problems, "core.bare is set: a bare repository has no files")
	}
	return p
}

// convertedPaths finds attributes that convert files of ours, by asking for
// every file the store has at HEAD and for the usual names. One line an
// attribute, with an example.
func (r *Repo) convertedPaths() []string {
	names := []memsync.Path{"memory/user_x.md", "memory/MEMORY.md", "memsync.toml", "memory/_system/ledger/x.jsonl"}
	if entries, err := r.Tree("HEAD", ""); err == nil {
		for _, e := range entries {
			names = append(names, e.Path)
		}
	}
	a := r.attributes()
	seen := map[string]bool{}
	var out []string
	for _, p := range names {
		// A file with CRLF and $Id shows all that could be converted, but a
		// repository that only would convert CRLF is native for files without.
		if what := a.converts(r.full(p), []byte("$Id$")); what != "" && !seen[what] {
			seen[what] = true
			out = append(out, "attributes: "+what+" applies to "+string(p))
		}
	}
	return out
}

// writable tries what a lock file would do.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, "memsync-probe-*.tmp")
	if err != nil {
		return fault(memsync.CodeIOWrite, "the git directory cannot be written", err)
	}
	f.Close()
	os.Remove(f.Name())
	return nil
}

// hooks are the person's hooks around commits. A commit of ours runs none of
// them: hooks ask people, change files and may take minutes, and a commit here
// happens behind an editor's save. The checks that matter for memory are made
// before anything is decided.
func (r *Repo) hooks() []string {
	dir := r.Hooks().Dir
	var out []string
	for _, name := range []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction", "post-index-change"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err == nil && info.Mode().IsRegular() && (info.Mode().Perm()&0o111 != 0 || !unixModes) {
			out = append(out, name)
		}
	}
	return out
}
