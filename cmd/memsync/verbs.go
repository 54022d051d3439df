package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"memsync"
)

// verb is a command: what the list of them says, and the rest, which is made
// when it is asked for.
type verb struct {
	use, short string
	build      func(*app) *cobra.Command
}

// verbs are the commands. Each file of this package adds its own, to room that
// is there at once: a list that grows under 40 of them takes three times as much.
var verbs = make([]verb, 0, 64)

// name is the word that calls the verb.
func (v verb) name() string {
	name, _, _ := strings.Cut(v.use, " ")
	return name
}

// command builds the tree of verbs, each no more than its line in the list. A
// command line that begins with a verb gets a tree of that verb alone: a hook has
// nothing of the other forty.
func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "memsync",
		Short: "Long-term memory of AI agents, as Markdown in git",
		Long: "memsync keeps the long-term memory of AI agents as Markdown in git and makes the files\n" +
			"themselves the interface: save a memory in any editor, and it is decided about, committed\n" +
			"and listed in MEMORY.md. Agents write through the same door.",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	a.root = root
	root.DisableSuggestions = true // unknownVerb knows the nearest
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.CompletionOptions.DisableDefaultCmd = true
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) { // in one write
		var page bytes.Buffer
		cmd.SetOut(&page)
		help(cmd, args)
		a.stdout.Write(page.Bytes())
	})
	f := root.PersistentFlags()
	f.StringVarP(&a.flags.dir, "dir", "C", "", "act in the store that holds `DIR`")
	f.BoolVar(&a.flags.json, "json", false, "print one JSON document")
	f.BoolVar(&a.flags.jsonl, "jsonl", false, "print one JSON value a line")
	f.BoolVarP(&a.flags.quiet, "quiet", "q", false, "say nothing but results and errors")
	f.BoolVarP(&a.flags.verbose, "verbose", "v", false, "say which rules looked and what they saw")
	f.BoolVar(&a.flags.noInput, "no-input", false, "never ask; a question counts as no")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &memsync.Error{Code: memsync.CodeUsage, Message: err.Error(), Hint: "see `" + cmd.CommandPath() + " --help`"}
	})
	a.unbuilt = map[*cobra.Command]verb{}
	list := verbs
	if i := slices.IndexFunc(verbs, func(v verb) bool { return len(a.args) > 0 && v.name() == a.args[0] }); i >= 0 {
		list = verbs[i : i+1]
	}
	for _, v := range list {
		stub := &cobra.Command{Use: v.use, Short: v.short, Run: func(*cobra.Command, []string) {}}
		a.unbuilt[stub] = v
		root.AddCommand(stub)
	}
	return root
}

// execute runs a command line.
func (a *app) execute(ctx context.Context, root *cobra.Command, args []string) error {
	a.build(root, args)
	root.SetArgs(append([]string{}, args...)) // never nil, which would mean this process's own
	return root.ExecuteContext(ctx)
}

// build makes the verbs that a command line may mean: the one that it names, none
// for the list of them all, otherwise (help about one, completion, an unknown
// word) all. Making all is a ninth of the page faults of a start (47 of 420).
func (a *app) build(root *cobra.Command, args []string) {
	named, _, err := root.Find(args)
	if v, ok := a.unbuilt[named]; err == nil && ok {
		a.replace(root, named, v)
		return
	}
	if !slices.ContainsFunc(args, func(arg string) bool { return arg != "--help" && arg != "-h" }) {
		return
	}
	for stub, v := range a.unbuilt {
		a.replace(root, stub, v)
	}
}

func (a *app) replace(root, stub *cobra.Command, v verb) {
	cmd := v.build(a)
	cmd.Use, cmd.Short = v.use, v.short
	a.prepare(cmd)
	root.RemoveCommand(stub)
	root.AddCommand(cmd)
	delete(a.unbuilt, stub)
}

// prepare gives every verb the same manners: a wrong number of arguments is
// answered with the usage line, an error after that is the verb's own, and
// Ctrl-C, SIGTERM or a terminal that is closed ends the verb's context.
func (a *app) prepare(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		a.prepare(sub)
	}
	if args := cmd.Args; args != nil {
		cmd.Args = func(cmd *cobra.Command, list []string) error {
			err := args(cmd, list)
			if err == nil || memsync.CodeOf(err) != memsync.CodeInternal {
				return err
			}
			return &memsync.Error{Code: memsync.CodeUsage, Message: err.Error(), Hint: "usage: " + cmd.UseLine()}
		}
	}
	if runE := cmd.RunE; runE != nil {
		cmd.RunE = func(cmd *cobra.Command, list []string) error {
			a.running, a.verb = true, cmd
			if a.far != nil { // signals are the owner's own; the caller's come by its line
				return runE(cmd, list)
			}
			ctx, stop := signal.NotifyContext(a.ctx, endings()...)
			defer stop()
			a.ctx = ctx
			return runE(cmd, list)
		}
	}
}

// endings are the signals that ask a command to end. Whoever starts it with
// nohup wants it to outlive its terminal.
func endings() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// group is a verb that only has verbs below it. Called with nothing it shows
// its help; called with a word that is none of them it says which is near.
func group(cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(below...)
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownVerb(cmd, args[0])
	}
	return cmd
}

// unknownVerb is the answer to a word that is no verb of parent.
func unknownVerb(parent *cobra.Command, word string) *memsync.Error {
	e := &memsync.Error{Code: memsync.CodeUsage, Message: fmt.Sprintf("%s has no verb %q", parent.CommandPath(), word),
		Hint: "see `" + parent.CommandPath() + " --help`"}
	for distance := 1; distance <= 2; distance++ { // the nearest first
		parent.SuggestionsMinimumDistance = distance
		if near := parent.SuggestionsFor(word); len(near) > 0 {
			e.Hint = "did you mean `" + parent.CommandPath() + " " + near[0] + "`?"
			break
		}
	}
	return e
}
