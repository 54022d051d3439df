package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"memsync"
)

func init() {
	verbs = append(verbs, verb{"upgrade", "Bring a store to the newest format that this program knows", (*app).upgradeVerb})
}

func (a *app) upgradeVerb() *cobra.Command {
	return &cobra.Command{
		Long: "A store's format is a number in memsync.toml. A program that does not know the number only reads, so the format is raised by a\n" +
			"person, for all clones at once. There is one format so far. A person's decision.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := a.person("upgrade"); err != nil {
				return err
			}
			s, err := a.find()
			if err != nil {
				return err
			}
			if s.PolicyErr != nil { // a number that this program does not know, too
				return s.PolicyErr
			}
			if a.flags.json || a.flags.jsonl {
				a.emit(map[string]any{"store": s.Root, "format": s.Policy.Format, "newest": memsync.FormatNumber})
				return nil
			}
			fmt.Fprintf(a.stdout, "the store has format %d, the newest\n", s.Policy.Format)
			return nil
		},
	}
}
