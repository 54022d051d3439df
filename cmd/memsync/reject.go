package main

import (
	"strings"

	"github.com/spf13/cobra"

	"memsync"
)

func init() {
	verbs = append(verbs, verb{"reject MEMORY --reason TEXT | reject --value TEXT --reason TEXT", "Reject a text: no agent or program can write it again under any name", (*app).rejectVerb})
}

func (a *app) rejectVerb() *cobra.Command {
	var value, reason string
	var at place
	cmd := &cobra.Command{
		Long: "reject MEMORY rejects what the memory says and deletes it; reject --value rejects a text that may be nowhere yet. The\n" +
			"text itself is not kept, only its hash. A person who saves it again is shown the rejection, and wins. A person's decision.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.person("reject"); err != nil {
				return err
			}
			byValue := cmd.Flags().Changed("value")
			switch {
			case byValue == (len(args) == 1):
				return &memsync.Error{Code: memsync.CodeUsage, Message: "name either a memory or a text", Hint: "memsync reject MEMORY --reason TEXT, or memsync reject --value TEXT --reason TEXT"}
			case strings.TrimSpace(reason) == "":
				return &memsync.Error{Code: memsync.CodeUsage, Message: "reject needs a reason", Hint: "say what is wrong with it: --reason TEXT; whoever writes it again is shown it"}
			}
			c := a.candidate(memsync.OpRecord)
			c.Events = []memsync.LedgerEvent{{Op: memsync.LedgerRejectValue, Reason: reason}}
			c.RequestID = a.flags.requestID
			if !byValue {
				if at != (place{}) {
					return usage("a memory is rejected in the scope it lies in: leave the scope out")
				}
				k, m, err := a.target(args[0])
				if err != nil {
					return err
				}
				defer k.Close()
				c.ID, c.Path, c.Events[0].Memory = m.ID, m.Path, m.ID
				return a.submit(k, c)
			}
			text, err := a.argument(value)
			if err != nil {
				return err
			}
			if strings.TrimSpace(text) == "" {
				return usage("there is no text to reject")
			}
			if err := at.settle(a.env); err != nil {
				return err
			}
			// Whoever rejects an injection has seen it.
			c.Content, c.Scope, c.Accept = &text, at.scope, true
			k, err := a.openFor("", at)
			if err != nil {
				return err
			}
			defer k.Close()
			return a.submit(k, c)
		},
	}
	cmd.Flags().StringVar(&value, "value", "", "the text to reject, `TEXT`, @FILE, or - for standard input")
	cmd.Flags().StringVar(&reason, "reason", "", "what is wrong with it, `TEXT`; shown to whoever writes it again")
	cmd.Flags().StringVar(&a.flags.requestID, "request-id", "", "an `ID` of your own: the same one again changes nothing")
	at.register(cmd)
	a.dryRunFlag(cmd)
	return cmd
}
