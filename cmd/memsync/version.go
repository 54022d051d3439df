package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"memsync"
)

func init() {
	verbs = append(verbs, verb{"version", "Print the version of the program and of the formats it knows", (*app).versionVerb})
}

func (a *app) versionVerb() *cobra.Command {
	return &cobra.Command{
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := version
			if info, ok := debug.ReadBuildInfo(); ok && v == "dev" && info.Main.Version != "" && info.Main.Version != "(devel)" {
				v = info.Main.Version
			}
			if a.flags.json || a.flags.jsonl {
				a.emit(map[string]any{"version": v, "format": memsync.FormatNumber, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
				return nil
			}
			fmt.Fprintf(a.stdout, "memsync %s (store format %d, %s, %s/%s)\n", v, memsync.FormatNumber, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
}
