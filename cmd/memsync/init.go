package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/gitlog"
	"memsync/internal/store"
	"memsync/keeper"
)

func init() { verbs = append(verbs, verb{"init [DIR]", "Make a directory a store", (*app).initVerb}) }

func (a *app) initVerb() *cobra.Command {
	var dedicated, workspace bool
	var branch string
	cmd := &cobra.Command{
		Long: "Inside a project's git work tree that has a commit, init adds .memsync/ at its top: a workspace scope that you\n" +
			"commit with your project. Elsewhere it makes a dedicated store: a repository that memsync commits to, with the\n" +
			"global scope in memory/. Directories that hold memories already are adopted as they are: no file in them is ever\n" +
			"rewritten, and their MEMORY.md is only checked.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if dedicated && workspace {
				return usage("--dedicated and --workspace exclude each other")
			}
			at := a.here
			if len(args) == 1 {
				at = func() (string, error) { return filepath.Abs(args[0]) }
			}
			dir, err := at()
			if err != nil {
				return err
			}
			root, kind, err := a.place(dir, dedicated, workspace)
			if err != nil {
				return err
			}
			if branch != "" && kind == store.Embedded {
				return usage("--branch is for dedicated stores; an embedded one lives on your branches")
			}
			made, err := keeper.Init(a.ctx, root, keeper.InitOptions{Kind: kind, Branch: branch, Now: time.Now(), Driver: driverBinary(),
				DryRun: a.flags.dryRun})
			if err != nil {
				return err
			}
			return a.printMade(made)
		},
	}
	cmd.Flags().BoolVar(&dedicated, "dedicated", false, "a repository of its own, even inside a project")
	cmd.Flags().BoolVar(&workspace, "workspace", false, "a workspace scope in .memsync/, even in a project without a commit")
	cmd.Flags().StringVar(&branch, "branch", "", "the `BRANCH` of a dedicated store (default: git's init.defaultBranch)")
	a.dryRunFlag(cmd)
	return cmd
}

// place says what init makes of a directory, and where.
func (a *app) place(dir string, dedicated, workspace bool) (root string, kind store.Kind, err error) {
	refuse := func(why string) error {
		return &memsync.Error{Code: memsync.CodeStoreRefused, Message: why, Hint: "make a directory for the store: memsync init DIR"}
	}
	if dir == filepath.Dir(dir) {
		return "", "", refuse("the root of the file system is no place for a store")
	}
	if home := a.env("HOME"); home != "" && sameDir(home, dir) {
		return "", "", refuse("your home directory is no place for a store")
	}
	at := dir
	for !isDir(at) && at != filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil {
			return "", "", refuse(at + " is a file, not a directory")
		}
		at = filepath.Dir(at)
	}
	if dedicated {
		return dir, store.Dedicated, nil
	}
	repo, err := gitlog.Open(at, gitlog.Options{})
	switch {
	case errors.Is(err, memsync.CodeStoreNone):
		if workspace {
			return "", "", refuse(dir + " is in no git repository, so there is no project to add a workspace scope to")
		}
		return dir, store.Dedicated, nil
	case err != nil:
		return "", "", err
	}
	st, err := repo.State()
	if err != nil {
		return "", "", err
	}
	if !workspace && st.Head == "" {
		return dir, store.Dedicated, nil
	}
	if home := a.env("HOME"); home != "" && sameDir(home, repo.Top()) {
		return "", "", refuse("the repository's top is your home directory")
	}
	return repo.Top(), store.Embedded, nil
}

func (a *app) printMade(m *keeper.Made) error {
	if a.flags.json || a.flags.jsonl {
		a.emit(m)
		return nil
	}
	verb := "made"
	if a.flags.dryRun {
		verb = "would make"
	}
	article := "a"
	if m.Kind == store.Embedded {
		article = "an"
	}
	fmt.Fprintf(a.stdout, "%s %s %s store in %s\n", verb, article, m.Kind, m.Root)
	for _, f := range m.Files {
		fmt.Fprintf(a.stdout, "  %s\n", f)
	}
	for _, d := range m.Adopted {
		a.say("%s held memories already: its files are never rewritten, its MEMORY.md is only checked", d)
	}
	if m.Kind == store.Embedded {
		a.say("commit .memsync with your project; memsync never commits there")
		a.say("`memsync hooks install` has git check what is committed and pushed")
	}
	return nil
}

// dryRunFlag gives a verb that changes something its --dry-run.
func (a *app) dryRunFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.flags.dryRun, "dry-run", false, "say what would happen and write nothing, anywhere")
}

func isDir(p string) bool { st, err := os.Stat(p); return err == nil && st.IsDir() }

func sameDir(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
