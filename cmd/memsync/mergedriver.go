package main

import (
	"github.com/spf13/cobra"

	"memsync/internal/filemerge"
)

func init() {
	verbs = append(verbs, verb{"merge-driver BASE OURS THEIRS SIZE PATH", "Merge one file for git", (*app).mergeDriverVerb})
}

func (a *app) mergeDriverVerb() *cobra.Command {
	return &cobra.Command{
		Long: "git runs merge-driver for files with the attribute merge=memsync (%O %A %B %L %P), once `memsync hooks install` has told\n" +
			"this clone. It writes the joined version over OURS and exits 0; where both sides changed the same words it writes a valid\n" +
			"file without markers, keeps what lost for `memsync conflicts`, and exits 1, so that git stops there. Where the store is\n" +
			"of a format that this program does not know, it does what `git merge-file` does.",
		Args: cobra.ExactArgs(5),
		RunE: func(_ *cobra.Command, args []string) error {
			d, ok := filemerge.ParseDriven(args)
			if !ok {
				return usage("SIZE is the length of git's conflict markers, not %q", oneLine(args[3]))
			}
			return exitError(d.Drive(a.stderr, a.flags.quiet))
		},
	}
}
