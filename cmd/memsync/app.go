package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"memsync"
)

// app is one run of the program: the streams, the environment, and the flags
// that every verb shares.
type app struct {
	ctx    context.Context
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	env    func(string) string

	flags struct {
		dir                 string
		requestID, override string
		dryRun, yes         bool
		noInput             bool
		quiet, verbose      bool
		json, jsonl         bool
	}
}

// command builds the verb tree.
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
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.CompletionOptions.HiddenDefaultCmd = false
	f := root.PersistentFlags()
	f.StringVarP(&a.flags.dir, "dir", "C", "", "act in the store that holds `DIR`")
	f.BoolVar(&a.flags.json, "json", false, "print one JSON document")
	f.BoolVar(&a.flags.jsonl, "jsonl", false, "print one JSON value a line")
	f.BoolVarP(&a.flags.quiet, "quiet", "q", false, "say nothing but results and errors")
	f.BoolVarP(&a.flags.verbose, "verbose", "v", false, "say which rules looked and what they saw")
	f.BoolVar(&a.flags.noInput, "no-input", false, "never ask; a question counts as no")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return &memsync.Error{Code: memsync.CodeUsage, Message: err.Error(), Hint: "see `memsync --help`"}
	})
	for _, add := range verbs {
		root.AddCommand(add(a))
	}
	return root
}

// verbs are the commands, in the order in which help lists them. Each file of
// this package adds its own.
var verbs []func(*app) *cobra.Command

// usage is an error of the command line.
func usage(format string, args ...any) error {
	return &memsync.Error{Code: memsync.CodeUsage, Message: fmt.Sprintf(format, args...)}
}

// finish reports err and gives the exit code.
func (a *app) finish(err error) int {
	var silent exitError
	if err == nil || errors.As(err, &silent) {
		return exitOf(err)
	}
	var e *memsync.Error
	if !errors.As(err, &e) {
		// cobra's own complaints: unknown command, wrong number of arguments.
		e = &memsync.Error{Code: memsync.CodeUsage, Message: err.Error()}
		err = e
	}
	if a.flags.json || a.flags.jsonl {
		a.emit(map[string]any{"error": withMessage(e)})
	}
	fmt.Fprintf(a.stderr, "memsync: %s [%s]\n", oneLine(e.Error()), e.Code)
	if e.Hint != "" {
		fmt.Fprintf(a.stderr, "  %s\n", oneLine(e.Hint))
	}
	return exitOf(err)
}

// withMessage is e with its cause folded into the message, for JSON.
func withMessage(e *memsync.Error) *memsync.Error {
	if e.Err == nil {
		return e
	}
	c := *e
	c.Message = strings.TrimPrefix(strings.TrimSpace(c.Message+": "+e.Err.Error()), ": ")
	return &c
}

// emit prints one JSON value on stdout.
func (a *app) emit(v any) {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	if a.flags.json && !a.flags.jsonl {
		enc.SetIndent("", "  ")
	}
	if err := enc.Encode(v); err != nil {
		fmt.Fprintln(a.stderr, "memsync: "+err.Error())
	}
}

// say prints talk on stderr unless --quiet.
func (a *app) say(format string, args ...any) {
	if !a.flags.quiet {
		fmt.Fprintf(a.stderr, format+"\n", args...)
	}
}

// terminal reports whether a person sits at stdin and stderr.
func (a *app) terminal() bool {
	return isTerminal(a.stdin) && isTerminal(a.stderr)
}

// ask puts a yes-or-no question. Without a terminal, or with --no-input, the
// answer is no.
func (a *app) ask(question string) bool {
	if a.flags.yes {
		return true
	}
	if a.flags.noInput || !a.terminal() {
		return false
	}
	fmt.Fprintf(a.stderr, "%s [y/N] ", question)
	var answer string
	fmt.Fscanln(a.stdin, &answer)
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// oneLine makes any text safe for one line of a terminal: control characters
// are shown, not obeyed.
func oneLine(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		case r < 0x20 || r == 0x7f || (r >= 0x80 && r < 0xa0) || r == 0x2028 || r == 0x2029 ||
			(r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069):
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
