package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/gitlog"
)

func init() { verbs = append(verbs, (*app).logVerb, (*app).diffVerb) }

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
		Use:   "log [MEMORY]",
		Short: "List the commits of the store, or the versions of one memory",
		Long:  "log reads git: what was committed, by whom, by which decision. See `history` for what happened on this machine.",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			q := gitlog.LogQuery{Limit: limit}
			k, err := a.openHere()
			if len(args) == 1 {
				var m *memsync.Memory
				if k != nil {
					k.Close()
				}
				if k, m, err = a.target(args[0]); err == nil {
					q.Paths, err = k.PathsOf(m)
				}
			}
			if err != nil {
				if k != nil {
					k.Close()
				}
				return err
			}
			defer k.Close()
			versions, err := k.Repo().Log(q)
			if err != nil {
				return err
			}
			a.printLog(versions)
			return nil
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 50, "at most `N` versions; 0 for all")
	return cmd
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
	switch {
	case a.flags.jsonl:
		for _, e := range list {
			a.emit(e)
		}
	case a.flags.json:
		a.emit(map[string]any{"versions": list})
	default:
		for i, e := range list {
			fmt.Fprintf(a.stdout, "%s  %s  %s  %s\n", short(e.Commit), stamp(versions[i].At), oneLine(e.Author), oneLine(e.Subject))
		}
	}
}

func (a *app) diffVerb() *cobra.Command {
	var from, to string
	cmd := &cobra.Command{
		Use:   "diff [MEMORY]",
		Short: "Show what changed: on disk against what was accepted, or between two commits",
		Long: "Without --from, diff compares the files on disk with their last accepted versions, held ones included. With --from it\n" +
			"compares that commit with --to (default HEAD).",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if to != "" && from == "" {
				return usage("--to needs --from")
			}
			k, err := a.openHere()
			if err != nil {
				return err
			}
			var only []memsync.Path
			if len(args) == 1 {
				k.Close()
				var m *memsync.Memory
				if k, m, err = a.target(args[0]); err != nil {
					return err
				}
				if only, err = k.PathsOf(m); err != nil {
					k.Close()
					return err
				}
			}
			defer k.Close()
			changes, err := k.Changes(a.ctx, from, to)
			if err != nil {
				return err
			}
			type entry struct {
				Path memsync.Path `json:"path"`
				Diff string       `json:"diff"`
			}
			list := []entry{}
			for _, c := range changes {
				if only != nil && !slices.Contains(only, c.Path) {
					continue
				}
				list = append(list, entry{c.Path, unified(c)})
			}
			switch {
			case a.flags.jsonl:
				for _, e := range list {
					a.emit(e)
				}
			case a.flags.json:
				a.emit(map[string]any{"changes": list})
			default:
				for _, e := range list {
					fmt.Fprint(a.stdout, e.Diff)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "the commit to compare from")
	cmd.Flags().StringVar(&to, "to", "", "the commit to compare to (default HEAD)")
	return cmd
}
