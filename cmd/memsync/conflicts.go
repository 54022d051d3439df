package main

import (
	"fmt"

	udiff "github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"memsync"
	"memsync/controller/merge"
	"memsync/keeper"
)

func init() {
	verbs = append(verbs, verb{"conflicts [MEMORY]", "List the texts that lost and that nobody has looked at", (*app).conflictsVerb})
}

// conflictRow is a conflict for programs.
type conflictRow struct {
	keeper.Conflict
	Diff string `json:"diff,omitempty"`
}

func (a *app) conflictsVerb() *cobra.Command {
	var diff bool
	cmd := &cobra.Command{
		Long: "Where two versions of a memory overlapped, one stands in the file and the other in a conflict copy. conflicts lists these,\n" +
			"the copies that file-sync tools leave, and held versions that were saved over. `memsync resolve NAME` ends one.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			k, err := a.openHere()
			if err != nil {
				return err
			}
			defer func() { k.Close() }()
			var only *memsync.Memory
			if len(args) == 1 {
				k.Close()
				if k, only, err = a.target(args[0]); err != nil {
					return err
				}
			}
			list, err := k.Conflicts(a.ctx)
			if err != nil {
				return err
			}
			rows := []conflictRow{}
			for _, c := range list {
				if only != nil && c.Memory != only.ID {
					continue
				}
				if c, err = shownConflict(k, c); err != nil {
					return err
				}
				r := conflictRow{Conflict: c}
				if diff {
					if r.Diff, err = a.conflictDiff(k, c); err != nil {
						return err
					}
				}
				rows = append(rows, r)
			}
			return a.printConflicts(rows)
		},
	}
	cmd.Flags().BoolVar(&diff, "diff", false, "show what differs: - is what stands in the memory, + is what lost")
	return cmd
}

// shownConflict is a conflict without the secrets in a file-sync tool's copy,
// which nobody has scanned: in its name, and in what it says.
func shownConflict(k *opened, c keeper.Conflict) (keeper.Conflict, error) {
	if c.Source != keeper.ConflictSync {
		return c, nil
	}
	text, err := k.ShownText(c.Copy, string(c.Bytes))
	if err != nil {
		return c, err
	}
	c.Bytes = []byte(text)
	c.Copy, err = k.ShownPath(c.Copy)
	c.Name = string(c.Copy)
	return c, err
}

func (a *app) printConflicts(rows []conflictRow) error {
	if emitList(a, "conflicts", rows) {
		return nil
	}
	for _, r := range rows {
		what := r.Kind
		if r.Key != "" {
			what += " " + oneLine(r.Key)
		}
		if r.Why != "" {
			what += " [" + string(r.Why) + "]"
		}
		of := string(r.Path)
		if of == "" {
			of = "gone"
			if r.Memory != "" {
				of = "gone " + string(r.Memory)
			}
		}
		fmt.Fprintf(a.stdout, "%s  %s  %s  %s\n", oneLine(r.Name), r.Source, what, oneLine(of))
		if r.Diff != "" {
			if err := a.printText(r.Diff); err != nil {
				return err
			}
		}
	}
	if len(rows) > 0 {
		a.say("`memsync resolve NAME --ours` keeps the memory as it is, --theirs takes what lost, --edit opens both")
	}
	return nil
}

// conflictDiff shows what stands against what lost.
func (a *app) conflictDiff(k *opened, c keeper.Conflict) (string, error) {
	if c.Record != nil {
		out := ""
		for i, p := range c.Record.Places {
			out += udiff.Unified("kept", fmt.Sprintf("lost, place %d", i+1), valueText(p.Kept), valueText(p.Lost))
		}
		if c.Record.Kind == merge.DeleteEdit {
			out = "the other side deleted this memory\n"
		}
		return out, nil
	}
	if c.Path == "" {
		return udiff.Unified("/dev/null", c.Name, "", string(c.Bytes)), nil
	}
	v, err := k.View()
	if err != nil {
		return "", err
	}
	data, err := k.Read(v.ByPath(c.Path))
	if err != nil {
		return "", err
	}
	return udiff.Unified(oneLine(string(c.Path)), oneLine(c.Name), string(data), string(c.Bytes)), nil
}

// valueText is a value as lines.
func valueText(v *memsync.Value) string {
	switch {
	case v == nil:
		return ""
	case v.IsList:
		out := ""
		for _, s := range v.List {
			out += "- " + s + "\n"
		}
		return out
	default:
		return v.Text + "\n"
	}
}
