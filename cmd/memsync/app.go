package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"memsync"
	"memsync/internal/text"
)

// app is one run of the program: the streams, the environment, and the flags
// that every verb shares.
type app struct {
	ctx    context.Context
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	env    func(string) string

	args  []string          // the command line
	cwd   string            // the caller's working directory; "" is this process's
	given map[string][]byte // what was read of the caller's files, "-" for standard input
	far   *call             // the caller, when that is another process; nil in an ordinary one
	typed *retyped

	handed *exitError // another process has done the command, and ended so

	delivery string // names this delivery of the command, see keeper.Caller
	lost     bool   // an owner died before it answered

	root    *cobra.Command
	unbuilt map[*cobra.Command]verb // below root, see build
	verb    *cobra.Command
	running bool   // a verb has begun: what it returns is no complaint about the command line
	draft   string // directory of what a person typed in an editor, until it is accepted

	flags struct {
		dir                 string
		requestID, override string
		dryRun, yes         bool
		noInput             bool
		quiet, verbose      bool
		json, jsonl         bool
	}
}

// usage is an error of the command line.
func usage(format string, args ...any) error {
	return &memsync.Error{Code: memsync.CodeUsage, Message: fmt.Sprintf(format, args...)}
}

// finish reports err and gives the exit code.
func (a *app) finish(err error) int {
	a.settleDraft(err)
	var silent exitError
	ended := err == nil || errors.As(err, &silent)
	if o, ok := a.stdout.(*output); ok && o.lost != nil && (ended || errors.Is(err, o.lost)) {
		return a.outputLost(o.lost, int(silent))
	}
	if ended {
		return exitOf(err)
	}
	var e *memsync.Error
	if !errors.As(err, &e) {
		e = a.foreign(err)
		err = e
	}
	if e.Hint == "" {
		c := *e
		c.Hint = hintOf(e.Code)
		if e.Code == memsync.CodeUsage && a.verb != nil {
			c.Hint = "see `" + a.verb.CommandPath() + " --help`"
		}
		e = &c
	}
	if !a.running {
		a.readFormat()
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

// readFormat finds --json and --jsonl in a command line that was given up on
// before they were met: who asked for a document gets the error as one.
func (a *app) readFormat() {
	for _, arg := range a.args {
		name, value, given := strings.Cut(arg, "=")
		on, err := strconv.ParseBool(value)
		on = !given || on && err == nil
		switch name {
		case "--":
			return
		case "--json":
			a.flags.json = a.flags.json || on
		case "--jsonl":
			a.flags.jsonl = a.flags.jsonl || on
		}
	}
}

// foreign gives an error that is not ours its code: the system's, cobra's own
// complaints about the command line, or a defect.
func (a *app) foreign(err error) *memsync.Error {
	var system *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.Is(err, context.Canceled):
		return &memsync.Error{Code: memsync.CodeStoreBusy, Message: "interrupted", Hint: "nothing is half done; run it again"}
	case errors.Is(err, fs.ErrPermission):
		return &memsync.Error{Code: memsync.CodeIODenied, Message: err.Error()}
	case errors.As(err, &system), errors.As(err, &link), errors.As(err, &call):
		return &memsync.Error{Code: memsync.CodeIO, Message: err.Error()}
	case a.running:
		return &memsync.Error{Code: memsync.CodeInternal, Message: err.Error()}
	}
	if word, ok := strings.CutPrefix(err.Error(), "unknown command "); ok && a.root != nil {
		if word, err := strconv.QuotedPrefix(word); err == nil {
			word, _ = strconv.Unquote(word)
			return unknownVerb(a.root, word)
		}
	}
	return &memsync.Error{Code: memsync.CodeUsage, Message: err.Error(), Hint: "see `memsync --help`"}
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
	err := enc.Encode(v)
	if o, ok := a.stdout.(*output); err != nil && !(ok && o.lost != nil) { // finish tells that
		fmt.Fprintln(a.stderr, "memsync: "+err.Error())
	}
}

// emitList prints a list for programs: one document with it under its key, or an
// element a line. It reports false for people's output, which is the verb's own.
func emitList[T any](a *app, key string, list []T) bool {
	switch {
	case a.flags.jsonl:
		for _, x := range list {
			a.emit(x)
		}
	case a.flags.json:
		a.emit(map[string]any{key: orEmpty(list)})
	default:
		return false
	}
	return true
}

// nothing ends a verb that had nothing to do.
func (a *app) nothing(why string) error {
	if a.flags.json && !a.flags.jsonl {
		a.emit(map[string]any{"decisions": []memsync.Decision{}})
	}
	a.say("%s", why)
	return nil
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
	if a.far != nil {
		return a.far.ask(question)
	}
	return a.put(question)
}

// put puts a question to the person at the terminal. Ctrl-C answers no, at once;
// what is read from a terminal can't be called off, so the reading is left
// behind for the little that this process still lives.
func (a *app) put(question string) bool {
	fmt.Fprintf(a.stderr, "%s [y/N] ", question)
	read := make(chan string, 1)
	go func() {
		var answer string
		fmt.Fscanln(a.stdin, &answer)
		read <- strings.ToLower(strings.TrimSpace(answer))
	}()
	select {
	case answer := <-read:
		return answer == "y" || answer == "yes"
	case <-a.ctx.Done():
		fmt.Fprintln(a.stderr)
		return false
	}
}

// askAside is ask while others may have the store.
func (a *app) askAside(k *opened, question string) (yes bool, err error) {
	if a.flags.yes || a.flags.noInput || !a.terminal() {
		return a.ask(question), nil
	}
	err = k.aside(func() { yes = a.ask(question) })
	if a.ctx.Err() != nil {
		return false, a.ctx.Err()
	}
	return yes, err
}

// printText prints a file's text or a diff. On a terminal what a terminal would
// obey is shown instead; into a file or a pipe every byte goes as it is.
func (a *app) printText(s string) error {
	if isTerminal(a.stdout) {
		var b strings.Builder
		for line := range strings.Lines(s) {
			text, end := strings.CutSuffix(line, "\n")
			for i, part := range strings.Split(text, "\t") {
				if i > 0 {
					b.WriteByte('\t')
				}
				b.WriteString(oneLine(strings.TrimSuffix(part, "\r")))
			}
			if end {
				b.WriteByte('\n')
			}
		}
		s = b.String()
	}
	_, err := io.WriteString(a.stdout, s)
	return err
}

// oneLine makes any text safe for one line of a terminal.
func oneLine(s string) string { return text.OneLine(s) }

func isTerminal(stream any) bool {
	switch s := stream.(type) {
	case *os.File:
		return term.IsTerminal(int(s.Fd()))
	case interface{ terminal() bool }:
		return s.terminal()
	}
	return false
}
