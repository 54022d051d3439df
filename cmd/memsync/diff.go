package main

import (
	"slices"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/internal/format"
	"memsync/keeper"
)

func init() {
	verbs = append(verbs, verb{"diff [MEMORY]", "Show what changed: on disk against what was accepted, or between two commits", (*app).diffVerb})
}

func (a *app) diffVerb() *cobra.Command {
	var from, to string
	cmd := &cobra.Command{
		Long: "Without --from, diff compares the files on disk with their last accepted versions, held ones included. With --from it\n" +
			"compares that commit with --to (default HEAD); MEMORY.md and what else is made from the memories is left to git diff, and\n" +
			"a memory that was forgotten is in no past.",
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
				if err = a.mayRead(k, m.Path); err == nil {
					only, err = k.EverPaths(m.ID, m.Path)
				}
				if err != nil {
					k.Close()
					return err
				}
			}
			defer k.Close()
			changes, err := k.Changes(a.ctx, from, to)
			if err != nil {
				return err
			}
			if from != "" {
				if changes, err = withoutForgotten(k, changes); err != nil {
					return err
				}
			}
			type entry struct {
				Path memsync.Path `json:"path"`
				Diff string       `json:"diff"`
			}
			list := []entry{}
			for _, c := range changes {
				if only != nil && !slices.Contains(only, c.Path) || a.mayRead(k, c.Path) != nil {
					continue
				}
				if c, err = shownDiff(k, c); err != nil {
					return err
				}
				list = append(list, entry{c.Path, unified(c)})
			}
			if !emitList(a, "changes", list) {
				for _, e := range list {
					if err := a.printText(e.Diff); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "the commit `REV` to compare from")
	cmd.Flags().StringVar(&to, "to", "", "the commit `REV` to compare to (default HEAD)")
	return cmd
}

// shownDiff is a change without the secrets in its path and in what it brings:
// a held save may have both.
func shownDiff(k *opened, c keeper.FileDiff) (keeper.FileDiff, error) {
	text, err := k.ShownText(c.Path, string(c.New))
	if err != nil {
		return c, err
	}
	if c.New != nil {
		c.New = []byte(text)
	}
	c.Path, err = k.ShownPath(c.Path)
	return c, err
}

// withoutForgotten leaves out of a past what was forgotten, and the files that
// are made from memories and may repeat it.
func withoutForgotten(k *opened, changes []keeper.FileDiff) ([]keeper.FileDiff, error) {
	state, err := k.State()
	if err != nil {
		return nil, err
	}
	forgotten := func(data []byte) bool {
		doc, err := format.Parse(data, k.Store.Policy.Limits)
		if err != nil {
			return false
		}
		id, _ := doc.Get("id")
		_, gone := state.Forgotten(memsync.ID(id.Text))
		return gone
	}
	return slices.DeleteFunc(changes, func(c keeper.FileDiff) bool {
		if s, ok := memsync.ScopeOf(k.Store.Scopes, c.Path); ok {
			switch format.Classify(c.Path.Rel(s.Dir)) {
			case format.IndexFile, format.SystemFile:
				return true
			}
		}
		return forgotten(c.Old) || forgotten(c.New)
	}), nil
}
