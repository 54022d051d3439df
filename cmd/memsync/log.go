package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/gitlog"
)

func init() {
	verbs = append(verbs, verb{"log [MEMORY]", "List the commits of the store, or the versions of one memory", (*app).logVerb})
}

// logEntry is one version for programs.
type logEntry struct {
	Commit   string              `json:"commit"`
	At       string              `json:"at"`
	Author   string              `json:"author"`
	Subject  string              `json:"subject"`
	Trailers map[string][]string `json:"trailers,omitempty"`
	Paths    []memsync.Path      `json:"paths"`
}

func (a *app) logVerb() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Long: "log reads git: what was committed, by whom, by which decision. See `history` for what happened on this machine.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			q := gitlog.LogQuery{Limit: limit}
			if len(args) == 0 {
				k, err := a.openHere()
				if err != nil {
					return err
				}
				defer k.Close()
				versions, err := k.Repo().Log(q)
				if err != nil {
					return err
				}
				return a.printShown(k, versions)
			}
			k, m, g, err := a.presentOrGone(args[0])
			if err != nil {
				return err
			}
			defer k.Close()
			id, at := memsync.ID(""), memsync.Path("")
			switch {
			case m != nil:
				id, at = m.ID, m.Path
			case g.Forgotten:
				return forgottenError(g)
			default:
				id, at = g.Memory, g.Path
			}
			paths, err := k.EverPaths(id, at)
			if err != nil {
				return err
			}
			versions, err := k.Versions(paths)
			if err != nil {
				return err
			}
			if limit > 0 && len(versions) > limit {
				versions = versions[:limit]
			}
			return a.printShown(k, versions)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 50, "at most `N` versions; 0 for all")
	return cmd
}

// printShown prints versions with the paths as they may be shown: what others
// committed may have a secret in its name.
func (a *app) printShown(k *opened, versions []gitlog.Version) error {
	for i := range versions {
		for j := range versions[i].Changes {
			if err := k.Mask(&versions[i].Changes[j].Path); err != nil {
				return err
			}
		}
	}
	a.printLog(versions)
	return nil
}

func (a *app) printLog(versions []gitlog.Version) {
	list := make([]logEntry, 0, len(versions))
	for _, v := range versions {
		e := logEntry{Commit: v.Commit, At: v.At.UTC().Format("2006-01-02T15:04:05.000Z"), Author: v.Author.Name, Subject: v.Subject, Trailers: v.Trailers}
		for _, c := range v.Changes {
			e.Paths = append(e.Paths, c.Path)
		}
		e.Paths = orEmpty(e.Paths)
		list = append(list, e)
	}
	if !emitList(a, "versions", list) {
		for i, e := range list {
			fmt.Fprintf(a.stdout, "%s  %s  %s  %s\n", short(e.Commit), stamp(versions[i].At), oneLine(e.Author), oneLine(e.Subject))
		}
	}
}
