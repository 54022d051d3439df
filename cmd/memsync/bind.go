package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/internal/config"
	"memsync/internal/store"
	"memsync/keeper"
)

func init() {
	verbs = append(verbs, verb{"bind DIR", "Make a directory inside the store's repository a scope", (*app).bindVerb})
}

func (a *app) bindVerb() *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Long: "bind adds DIR, and each folder in it that has a MEMORY.md of its own, to memsync.toml. No file in the directory is\n" +
			"touched: ids go to the ledger, MEMORY.md is only checked, and what memsync writes about it lives elsewhere in the\n" +
			"store. Agents don't change policy.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if a.actor().Class == memsync.ClassAgent {
				return a.person("bind")
			}
			s, err := a.find()
			if err != nil {
				return err
			}
			k, err := a.open(s)
			if err != nil {
				return err
			}
			defer func() { k.Close() }()
			dir, err := a.bindable(k.Keeper, args[0])
			if err != nil {
				return err
			}
			scopes, err := keeper.Bound(s, dir, agent)
			if err != nil {
				return err
			}
			scopes = slices.DeleteFunc(scopes, func(sc memsync.Scope) bool {
				return slices.ContainsFunc(s.Scopes, func(o memsync.Scope) bool { return o.Dir == sc.Dir })
			})
			if len(scopes) == 0 {
				return a.nothing(string(dir) + " is bound already")
			}
			full := filepath.Join(s.Root, filepath.FromSlash(string(s.PolicyPath())))
			old, err := os.ReadFile(full)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return &memsync.Error{Code: memsync.CodeIORead, Path: s.PolicyPath(), Message: "the policy can't be read", Err: err}
			}
			data, err := config.AddScopes(old, scopes)
			if err != nil {
				return err
			}
			if err := a.replacePolicy(s, old, data); err != nil || a.flags.dryRun {
				return err
			}
			for _, sc := range scopes {
				a.say("bound %s", oneLine(string(sc.Dir)))
			}
			k.Close() // it does not know the scope
			return a.afterPolicy(s)
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "the memories are agent `NAME`'s own, and it writes them")
	a.dryRunFlag(cmd)
	return cmd
}

// afterPolicy takes a changed policy file through the house.
func (a *app) afterPolicy(s *store.Store) error {
	s, err := store.Load(s.Root, s.Kind)
	if err != nil {
		return err
	}
	k, err := a.open(s)
	if err != nil {
		return err
	}
	defer k.Close()
	r, err := k.Once(a.ctx, keeper.OnceOptions{})
	if err != nil {
		return err
	}
	if s.Kind == store.Embedded {
		a.say("%s is yours to commit", s.PolicyPath())
	}
	err = a.printReport(r)
	if r.Paused != "" {
		return err
	}
	return nil // what else waits is not this command's
}

// bindable is DIR as a path of the store: a directory inside it that git sees
// and that no scope claims as its own files.
func (a *app) bindable(k *keeper.Keeper, arg string) (memsync.Path, error) {
	full, err := a.abs(arg)
	if err == nil {
		full, err = filepath.EvalSymlinks(full)
	}
	if err != nil {
		return "", &memsync.Error{Code: memsync.CodeNotFound, Message: "no such directory: " + arg}
	}
	root, err := filepath.EvalSymlinks(k.Store.Root)
	if err != nil {
		return "", err
	}
	refuse := func(why, hint string) (memsync.Path, error) {
		return "", &memsync.Error{Code: memsync.CodeStoreRefused, Message: why, Hint: hint}
	}
	rel, err := filepath.Rel(root, full)
	dir := memsync.Path(filepath.ToSlash(rel))
	switch {
	case err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)):
		return refuse(arg+" lies outside of the store's repository", "bind a directory inside "+k.Store.Root)
	case !isDir(full):
		return "", &memsync.Error{Code: memsync.CodeNotFound, Message: arg + " is not a directory"}
	case rel == "." || dir == store.Dir:
		return refuse("the store itself can't be bound", "bind a directory inside it")
	case dir == ".git" || dir.In(".git") || slices.ContainsFunc(strings.Split(string(dir), "/"), func(s string) bool { return s == "_system" || s == "_index" || s == "_inbox" }):
		return refuse(arg+" holds no memories: it is git's or memsync's own", "")
	}
	probe := dir.Join("x.md")
	ignored, err := k.Repo().Ignored([]memsync.Path{probe})
	if err != nil {
		return "", err
	}
	if ignored[probe] {
		return refuse("git ignores "+arg, "take it out of .gitignore, so that it can be committed")
	}
	return dir, nil
}
