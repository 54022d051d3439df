package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/gitlog"
	"memsync/hooks"
	"memsync/internal/store"
)

func init() {
	verbs = append(verbs, verb{"hooks", "Check commits and pushes in git's hooks", (*app).hooksVerb})
}

func (a *app) hooksVerb() *cobra.Command {
	return group(&cobra.Command{}, a.hooksInstallVerb(), a.hooksRunVerb(), a.hooksStatusVerb(), a.hooksUninstallVerb())
}

func (a *app) hooksInstallVerb() *cobra.Command {
	var opt hooks.Options
	var attributes bool
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Put memsync's hooks beside what is there",
		Long: "install puts scripts for " + strings.Join(hooks.Names, ", ") + " where git looks for hooks: all\n" +
			"linked worktrees share them. A hook that is there already is chained: it runs first, with the same arguments and the\n" +
			"same standard input, and its failure ends the hook. husky gets a block in the files of .husky. `memsync hooks\n" +
			"uninstall` puts everything back as it was. It also has this clone's git merge memories by meaning (merge.memsync in\n" +
			"its configuration), for files that .gitattributes says merge=memsync of.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			repo, err := a.repoWithStore()
			if err != nil {
				return err
			}
			defer repo.Close()
			p := placeOf(repo)
			if !cmd.Flags().Changed("fix-staged") { // as it is
				now, err := hooks.Look(p)
				if err != nil {
					return err
				}
				opt.FixStaged = slices.ContainsFunc(now.Hooks, func(h hooks.Hook) bool { return h.Fix })
			}
			if opt.Binary, err = hookBinary(); err != nil {
				return err
			}
			opt.DryRun = a.flags.dryRun
			r, err := hooks.Install(p, opt)
			if err != nil {
				return err
			}
			d, err := a.installDriver(repo, opt.Binary, opt.Force, attributes)
			if err != nil {
				return err
			}
			a.printHooks(repo, r, d)
			return nil
		},
	}
	cmd.Flags().BoolVar(&opt.FixStaged, "fix-staged", false, "have pre-commit mend in the index what can be mended without guessing")
	cmd.Flags().BoolVar(&opt.Shared, "shared", false, "also where core.hooksPath is that of all repositories: they do nothing where there is no store")
	cmd.Flags().BoolVar(&opt.Force, "force", false, "past a script of memsync's that somebody changed: it is kept aside")
	cmd.Flags().BoolVar(&attributes, "attributes", false, "also write what .gitattributes lacks for the merge driver; yours to commit in a project")
	a.dryRunFlag(cmd)
	return cmd
}

func (a *app) hooksUninstallVerb() *cobra.Command {
	var opt hooks.Options
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Take memsync's hooks away and put back what was there",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			repo, err := a.repoHere()
			if err != nil {
				return err
			}
			defer repo.Close()
			opt.DryRun = a.flags.dryRun
			r, err := hooks.Uninstall(placeOf(repo), opt)
			if err != nil {
				return err
			}
			d, err := a.removeDriver(repo, opt.Force)
			if err != nil {
				return err
			}
			a.printHooks(repo, r, d)
			return nil
		},
	}
	cmd.Flags().BoolVar(&opt.Shared, "shared", false, "also where core.hooksPath is that of all repositories")
	cmd.Flags().BoolVar(&opt.Force, "force", false, "past a script of memsync's that somebody changed: it is kept aside")
	a.dryRunFlag(cmd)
	return cmd
}

func (a *app) hooksStatusVerb() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show which hooks are memsync's, and whether git runs them",
		Long: "status exits 1 when a hook that was installed is no longer in force: another program has put its own in its place, git\n" +
			"looks elsewhere, or the memsync that it runs is gone.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			repo, err := a.repoHere()
			if err != nil {
				return err
			}
			defer repo.Close()
			r, err := hooks.Look(placeOf(repo))
			if err != nil {
				return err
			}
			d := a.driverRow(repo)
			a.printHooks(repo, r, d)
			if r.Lost() || d.lost() {
				return exitError(exitFindings)
			}
			return nil
		},
	}
}

func (a *app) hooksRunVerb() *cobra.Command {
	var fix bool
	cmd := &cobra.Command{
		Use:   "run HOOK [ARG…]",
		Short: "Do what a hook does; for hook managers",
		Long: "run is what the installed scripts call, with git's arguments and standard input: pre-commit judges what is staged,\n" +
			"pre-push what a push would bring, and post-merge, post-checkout and post-rewrite tell a running `memsync up`\n" +
			"that git has moved files. A repository without a store passes.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(hooks.Names, args[0]) {
				return usage("no hook %s: there is %s", oneLine(args[0]), strings.Join(hooks.Names, ", "))
			}
			if fix && args[0] != "pre-commit" {
				return usage("--fix-staged goes with pre-commit")
			}
			if a.env("MEMSYNC_HOOK") == "off" {
				return nil
			}
			return a.runHook(args[0], args[1:], fix)
		},
	}
	cmd.Flags().BoolVar(&fix, "fix-staged", false, "of pre-commit: mend in the index what can be mended without guessing")
	return cmd
}

// runHook does what a hook does. The repository is the one of the working
// directory, which git makes the top of the work tree. GIT_DIR, when it is
// another one's, says that this is not a hook of a store.
func (a *app) runHook(hook string, args []string, fix bool) error {
	dir, err := a.hookDir()
	if err != nil {
		return err
	}
	repo, err := gitlog.OpenTop(dir)
	if memsync.CodeOf(err) == memsync.CodeStoreNone {
		return nil
	}
	if err != nil {
		return err
	}
	defer repo.Close()
	if other := a.env("GIT_DIR"); other != "" {
		if !filepath.IsAbs(other) {
			other = filepath.Join(dir, other)
		}
		if !sameDir(other, repo.GitDir()) {
			return nil
		}
	}
	debug.SetGCPercent(shortLived)
	switch hook {
	case "pre-commit":
		index := a.env("GIT_INDEX_FILE")
		if index != "" && !filepath.IsAbs(index) {
			index = filepath.Join(repo.Top(), index)
		}
		return a.preCommit(repo, index, fix)
	case "pre-push":
		return a.prePush(repo, args)
	case "post-checkout":
		if len(args) == 3 && args[2] == "0" { // files, not a branch: whoever watches sees each
			return nil
		}
	}
	if hook == "post-merge" {
		if err := a.unspool(repo); err != nil {
			return err
		}
	}
	if s, err := store.Find(repo.Top()); err == nil && sameDir(s.Root, repo.Top()) || isDir(filepath.Join(repo.GitDir(), "memsync")) {
		tellOwner(repo.StateDir())
	}
	return nil
}

// hookDir is where a hook runs: MEMSYNC_STORE is for commands that people type.
func (a *app) hookDir() (string, error) {
	if a.flags.dir != "" {
		return a.abs(a.flags.dir)
	}
	return os.Getwd()
}

// repoHere is the repository of the working directory.
func (a *app) repoHere() (*gitlog.Repo, error) {
	dir, err := a.here()
	if err != nil {
		return nil, err
	}
	return gitlog.OpenTop(dir)
}

// repoWithStore is the repository of the working directory, which has a store.
func (a *app) repoWithStore() (*gitlog.Repo, error) {
	dir, err := a.here()
	if err != nil {
		return nil, err
	}
	s, err := store.Find(dir)
	if err != nil {
		return nil, err
	}
	repo, err := gitlog.OpenTop(dir)
	if err != nil {
		return nil, err
	}
	theirs, err := gitlog.Open(s.Root, gitlog.Options{})
	if err != nil {
		repo.Close()
		return nil, err
	}
	defer theirs.Close()
	if theirs.GitDir() != repo.GitDir() {
		repo.Close()
		return nil, &memsync.Error{Code: memsync.CodeStoreNone, Message: "no store in the repository " + repo.Top() + "; the one above it, " + s.Root + ", is another repository's",
			Hint: "run `memsync init` here, or name the other one with -C DIR"}
	}
	return repo, nil
}

func placeOf(repo *gitlog.Repo) hooks.Place {
	h := repo.Hooks()
	return hooks.Place{Top: repo.Top(), Dir: h.Dir, Default: h.Default, Value: h.Value, Shared: h.Shared()}
}

// hookBinary is this program as hooks should call it: by the name under which it
// is on the PATH, which stays when a package manager replaces what it stands for.
func hookBinary() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", &memsync.Error{Code: memsync.CodeIO, Message: "where this program is can't be found out", Err: err}
	}
	if named, err := exec.LookPath("memsync"); err == nil && filepath.IsAbs(named) {
		x, errX := os.Stat(named)
		y, errY := os.Stat(self)
		if errX == nil && errY == nil && os.SameFile(x, y) {
			return named, nil
		}
	}
	return self, nil
}

// driverBinary is hookBinary for a store that is being made; "" where it can't be
// found out, and doctor says so.
func driverBinary() string {
	binary, err := hookBinary()
	if err != nil {
		return ""
	}
	return binary
}

// printHooks tells what there is, or what was done.
func (a *app) printHooks(repo *gitlog.Repo, r hooks.Result, d mergeDriverRow) {
	switch {
	case a.flags.jsonl:
		for _, h := range r.Hooks {
			a.emit(h)
		}
		a.emit(d)
	case a.flags.json:
		a.emit(struct {
			hooks.Result
			MergeDriver mergeDriverRow `json:"merge_driver"`
		}{r, d})
	default:
		for _, h := range r.Hooks {
			word := string(h.State)
			if h.Done != "" && h.Done != hooks.DoneNothing {
				word = h.Done
				if a.flags.dryRun {
					word = "would be " + word
				}
			} else if h.Done == hooks.DoneNothing && h.State == hooks.Absent {
				word = "not installed"
			}
			line := fmt.Sprintf("%-14s %s  %s", h.Name, word, oneLine(inTop(repo, h.File)))
			if h.Chained != "" && h.State != hooks.Absent {
				line += ", after " + oneLine(filepath.Base(h.Chained))
			}
			fmt.Fprintln(a.stdout, line)
			if h.Note != "" {
				a.say("  %s: %s", h.Name, oneLine(h.Note))
			}
		}
		a.printDriver(d)
	}
	for _, n := range r.Notes {
		a.say("%s", oneLine(n))
	}
}

// inTop is a path as people see it from the top of the work tree.
func inTop(repo *gitlog.Repo, full string) string {
	if rel, err := filepath.Rel(repo.Top(), full); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return full
}
