package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func init() {
	verbs = append(verbs, verb{"doctor", "Check that journal, catalog, HEAD, search index, disk and MEMORY.md agree", (*app).doctorVerb})
}

func (a *app) doctorVerb() *cobra.Command {
	return &cobra.Command{
		Long: "doctor changes nothing. It exits 0 when everything agrees and 1 when something does not.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			k, err := a.openHere()
			if err != nil {
				return err
			}
			defer k.Close()
			checks, err := k.Doctor(a.ctx)
			if err != nil {
				return err
			}
			p := k.Repo().Probe()
			bad := 0
			for _, c := range checks {
				if !c.OK {
					bad++
				}
			}
			if a.flags.json || a.flags.jsonl {
				a.emit(map[string]any{"checks": checks, "backend": p.Backend, "reasons": p.Reasons, "git": p.Version, "hooks": p.Hooks})
			} else {
				fmt.Fprintf(a.stdout, "writes by %s", p.Backend)
				for _, r := range p.Reasons {
					fmt.Fprintf(a.stdout, "; %s", oneLine(r))
				}
				fmt.Fprintln(a.stdout)
				if len(p.Hooks) > 0 {
					fmt.Fprintf(a.stdout, "note  commits of memsync do not run your hooks: %s\n", oneLine(strings.Join(p.Hooks, ", ")))
				}
				for _, c := range checks {
					if c.OK {
						fmt.Fprintf(a.stdout, "ok    %s\n", c.Name)
						continue
					}
					fmt.Fprintf(a.stdout, "WRONG %s: %s\n", c.Name, oneLine(c.Detail))
					if c.Hint != "" {
						fmt.Fprintf(a.stdout, "      %s\n", oneLine(c.Hint))
					}
				}
			}
			if bad > 0 {
				return exitError(exitFindings)
			}
			return nil
		},
	}
}
