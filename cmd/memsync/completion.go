package main

import (
	"github.com/spf13/cobra"

	"memsync"
)

func init() {
	verbs = append(verbs, verb{"completion SHELL", "Print the completion script of bash, zsh, fish or powershell", (*app).completionVerb})
}

// completionVerb stands for cobra's own, which writes the help of four verbs at
// every start of the program.
func (a *app) completionVerb() *cobra.Command {
	return &cobra.Command{
		Long: "Print the completion script of SHELL: bash, zsh, fish or powershell. To load it in\n" +
			"every new shell:\n\n" +
			"  bash        memsync completion bash > ~/.local/share/bash-completion/completions/memsync\n" +
			"  zsh         memsync completion zsh > \"${fpath[1]}/_memsync\"\n" +
			"  fish        memsync completion fish > ~/.config/fish/completions/memsync.fish\n" +
			"  powershell  memsync completion powershell >> $PROFILE",
		Args:                  cobra.ExactArgs(1),
		ValidArgs:             []string{"bash", "zsh", "fish", "powershell"},
		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error {
			switch args[0] {
			case "bash":
				return a.root.GenBashCompletionV2(a.stdout, true)
			case "zsh":
				return a.root.GenZshCompletion(a.stdout)
			case "fish":
				return a.root.GenFishCompletion(a.stdout, true)
			case "powershell":
				return a.root.GenPowerShellCompletionWithDesc(a.stdout)
			}
			return &memsync.Error{Code: memsync.CodeUsage, Message: "no completion script for " + args[0],
				Hint: "one of bash, zsh, fish, powershell"}
		},
	}
}
