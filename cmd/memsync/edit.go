package main

import (
	"github.com/spf13/cobra"

	"memsync"
)

func init() {
	verbs = append(verbs,
		verb{"edit MEMORY", "Change a memory: the keys that are given, or its text", (*app).editVerb},
		verb{"rename MEMORY [NAME]", "Give a memory a new name, or move it to another scope", (*app).renameVerb},
		verb{"delete MEMORY", "Delete a memory; `restore` brings it back", (*app).deleteVerb},
		verb{"batch MEMORY --operations JSON", "Apply several edits to a memory's text, all or none", (*app).batchVerb})
}

func (a *app) editVerb() *cobra.Command {
	var f fields
	cmd := &cobra.Command{
		Long: "edit changes the keys and the text that are given and nothing else in the file. Without any of them it opens the\n" +
			"memory in $VISUAL or $EDITOR and submits what you save.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, m, err := a.target(args[0])
			if err != nil {
				return err
			}
			defer k.Close()
			if err := f.place.settle(noEnv); err != nil {
				return err
			}
			c := a.candidate(memsync.OpUpsert)
			if err := f.candidate(a, cmd.Flags(), &c); err != nil {
				return err
			}
			c.ID, c.Path, c.Scope = m.ID, m.Path, m.Scope
			c.Base, c.RequestID = memsync.Hash(f.base), a.flags.requestID
			if f.scope != "" && f.scope != m.Scope {
				return &memsync.Error{Code: memsync.CodeUsage, Message: "edit does not move a memory", Hint: "memsync rename " + args[0] + " --to " + f.scope}
			}
			if len(c.Fields) == 0 && c.Content == nil {
				changed, err := a.editInEditor(k, m, &c)
				if err != nil {
					return err
				}
				if !changed {
					return a.nothing("nothing was changed")
				}
			}
			return a.submit(k, c)
		},
	}
	f.registerKeys(cmd)
	cmd.Flags().StringVar(&f.scope, "scope", "", "refuse unless it lies in this `SCOPE`")
	a.writeFlags(cmd, &f)
	return cmd
}

func (a *app) renameVerb() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Long: "rename changes the name and the file name. With --to the memory moves to another scope with its id and events.",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && to == "" {
				return usage("give a new name, or --to SCOPE")
			}
			k, m, err := a.target(args[0])
			if err != nil {
				return err
			}
			defer func() { k.Close() }()
			if to != "" {
				if _, ok := memsync.FindScope(k.Store.Scopes, to); !ok {
					if err := addScope(k.Store, to); err != nil {
						return err
					}
					s := k.Store
					k.Close() // its view does not know the scope
					if k, err = a.open(s); err != nil {
						return err
					}
				}
			}
			c := a.candidate(memsync.OpRename)
			c.ID, c.From, c.Scope, c.RequestID = m.ID, m.Path, to, a.flags.requestID
			if len(args) == 2 {
				c.Fields = []memsync.Field{{Key: "name", Value: memsync.Text(args[1])}}
			}
			return a.submit(k, c)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "the `SCOPE` to move to; agent:NAME makes one for an agent")
	a.writeFlags(cmd, nil)
	return cmd
}

func (a *app) deleteVerb() *cobra.Command {
	cmd := &cobra.Command{
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			k, m, err := a.target(args[0])
			if err != nil {
				return err
			}
			defer k.Close()
			c := a.candidate(memsync.OpDelete)
			c.ID, c.Path, c.Scope, c.RequestID = m.ID, m.Path, m.Scope, a.flags.requestID
			return a.submit(k, c)
		},
	}
	a.writeFlags(cmd, nil)
	return cmd
}

func (a *app) batchVerb() *cobra.Command {
	var operations, base string
	cmd := &cobra.Command{
		Long: "The operations are a JSON list, applied in order: {\"action\":\"add\",\"content\":…}, {\"action\":\"replace\",\"old_text\":…,\"content\":…},\n" +
			"{\"action\":\"remove\",\"old_text\":…}. An old_text that is missing or there more than once refuses all of them.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			raw, err := a.argument(operations)
			if err != nil {
				return err
			}
			c := a.candidate(memsync.OpBatch)
			if c.Operations, err = parseOperations(raw); err != nil {
				return err
			}
			k, m, err := a.target(args[0])
			if err != nil {
				return err
			}
			defer k.Close()
			c.ID, c.Path, c.Scope, c.Base, c.RequestID = m.ID, m.Path, m.Scope, memsync.Hash(base), a.flags.requestID
			return a.submit(k, c)
		},
	}
	cmd.Flags().StringVar(&operations, "operations", "", "the list, `JSON`, @FILE, or - for standard input")
	cmd.Flags().StringVar(&base, "if-version", "", "refuse unless the file's hash still is `HASH`")
	cmd.MarkFlagRequired("operations")
	a.writeFlags(cmd, nil)
	return cmd
}
