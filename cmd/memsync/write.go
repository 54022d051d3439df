package main

import (
	"github.com/spf13/cobra"

	"memsync"
	"memsync/keeper"
)

func init() {
	verbs = append(verbs, verb{"write [NAME]", "Write a memory: a new one, or a correction of the one with that key or name", (*app).writeVerb})
}

func (a *app) writeVerb() *cobra.Command {
	var f fields
	cmd := &cobra.Command{
		Example: `  memsync write "Test Integrity" --type feedback --description "Fix production bugs instead of weakening tests" --content @note.md
  echo "We deploy on Tuesdays." | memsync write --type project --name "Deploy day" --key deploy-day --content -`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c := a.candidate(memsync.OpUpsert)
			if len(args) == 1 {
				if cmd.Flags().Changed("name") {
					return usage("the name is given twice: as an argument and with --name")
				}
				f.name = args[0]
				if err := cmd.Flags().Set("name", args[0]); err != nil {
					return err
				}
			}
			if err := f.place.settle(a.env); err != nil {
				return err
			}
			if err := f.candidate(a, cmd.Flags(), &c); err != nil {
				return err
			}
			if c.Content == nil {
				return &memsync.Error{Code: memsync.CodeUsage, Message: "there is no content", Hint: "give --content TEXT, @FILE or -"}
			}
			c.Base, c.RequestID = memsync.Hash(f.base), a.flags.requestID
			k, err := a.openFor(f.typ, f.place)
			if err != nil {
				return err
			}
			defer k.Close()
			return a.submit(k, c)
		},
	}
	f.register(cmd)
	a.writeFlags(cmd, &f)
	return cmd
}

// writeFlags are those of every verb that submits a write.
func (a *app) writeFlags(cmd *cobra.Command, f *fields) {
	if f != nil {
		cmd.Flags().StringVar(&f.base, "if-version", "", "refuse unless the file's hash still is `HASH`")
	}
	cmd.Flags().StringVar(&a.flags.requestID, "request-id", "", "an `ID` of your own: the same one again changes nothing")
	cmd.Flags().StringVar(&a.flags.override, "override", "", "pass a protection (pinned), with the `REASON`; a person's")
	a.dryRunFlag(cmd)
}

// submit hands candidates to the keeper and prints what became of them.
func (a *app) submit(k *opened, cs ...memsync.Candidate) error {
	for i := range cs {
		if a.flags.override != "" {
			cs[i].Override = a.flags.override
		}
		if err := a.checkAgent(k, cs[i]); err != nil {
			return err
		}
	}
	out, err := k.Submit(a.ctx, cs...)
	if err != nil {
		return err
	}
	return a.printSubmitted(out)
}

// printSubmitted prints an outcome and turns a refusal into the exit code.
func (a *app) printSubmitted(out keeper.Outcome) error {
	switch {
	case a.flags.jsonl:
		for _, d := range out.Decisions {
			a.emit(d)
		}
	case a.flags.json:
		a.emit(out)
	default:
		a.printOutcome(out)
	}
	return outcomeExit(out)
}

// outcomeExit is the exit code of what became of a write.
func outcomeExit(out keeper.Outcome) error {
	for _, d := range out.Decisions {
		switch d.Op {
		case memsync.OpReject:
			if d.Error != nil && exitOf(d.Error) != exitRefused {
				return exitError(exitOf(d.Error))
			}
			return exitError(exitRefused)
		case memsync.OpHold:
			return exitError(exitPerson)
		}
	}
	return nil
}

// openFor opens the store that a write of this type and place goes to: the one
// found here, or the home store for what is global. The home store is made on
// first write, and said so.
func (a *app) openFor(typ string, p place) (*opened, error) {
	s, err := a.storeFor(typ, p.scope, p.local)
	if err != nil {
		return nil, err
	}
	return a.open(s)
}
