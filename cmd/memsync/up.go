package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/keeper"
)

func init() {
	verbs = append(verbs, verb{"up [DIR…]", "Watch a store and take every save through the house: decide, normalize, journal, commit, list", (*app).upVerb})
}

func (a *app) upVerb() *cobra.Command {
	var once, poll bool
	cmd := &cobra.Command{
		Long: "up watches the store of the working directory, or the stores of the directories given, until it is told to\n" +
			"stop (Ctrl-C, SIGTERM, SIGHUP). Every save is decided about a moment after it is settled, committed in one commit and\n" +
			"listed in MEMORY.md; while it runs, the other verbs act through it. It says on stderr when it is ready, and prints\n" +
			"a line for each decision when stdout is a terminal or with --verbose, --json or --jsonl.\n\n" +
			"up --once looks at every file of the store once, decides about each that changed, and exits 4 when something is\n" +
			"held or waits for you, 5 when the repository is in the middle of something.",
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, dirs []string) error {
			switch {
			case once && len(dirs) > 0:
				return usage("--once acts on one store: give it with -C")
			case once && poll:
				return usage("--poll is for a store that is watched, not for --once")
			case once:
				return a.upOnce()
			case a.flags.dryRun:
				return usage("--dry-run goes with --once")
			}
			return a.upWatching(dirs, poll || a.env("MEMSYNC_POLL") != "")
		},
	}
	cmd.Flags().BoolVar(&once, "once", false, "one pass, then exit")
	cmd.Flags().BoolVar(&poll, "poll", false, "look every two seconds instead of listening to the system (also MEMSYNC_POLL)")
	a.dryRunFlag(cmd)
	return cmd
}

func (a *app) upOnce() error {
	k, err := a.openHere()
	if err != nil {
		return err
	}
	defer k.Close()
	r, err := k.Once(a.ctx, keeper.OnceOptions{})
	if err != nil {
		return err
	}
	return a.printReport(r)
}

// printReport tells what one pass did: a line for each decision, then what
// waits and how to release it.
func (a *app) printReport(r keeper.Report) error {
	switch {
	case a.flags.jsonl:
		for _, d := range r.Decisions() {
			a.emit(d)
		}
	case a.flags.json:
		a.emit(r)
	default:
		for _, o := range r.Outcomes {
			a.printOutcome(o)
		}
		for _, f := range r.Skipped {
			a.sayFinding(f)
		}
		if r.Paused != "" {
			a.say("paused: %s", r.Paused)
			if r.Detail != "" {
				a.say("  %s", r.Detail)
			}
		}
		if len(r.Waiting) > 0 {
			a.say("%d deletes wait: `memsync accept-deletes` lets them go, `memsync restore` brings them back", len(r.Waiting))
		}
	}
	switch {
	case r.Paused != "":
		return exitError(exitBusy)
	case len(r.Held) > 0 || len(r.Waiting) > 0:
		return exitError(exitPerson)
	}
	return nil
}

// printOutcome tells what became of one batch.
func (a *app) printOutcome(o keeper.Outcome) {
	for _, d := range o.Decisions {
		a.printDecision(d, o)
	}
	for _, x := range o.Composed {
		line := fmt.Sprintf("%s %s for %s", x.Op, oneLine(string(x.Path)), oneLine(x.Agent))
		if x.Op == memsync.LedgerPropose {
			line += ": `memsync review`"
		}
		fmt.Fprintln(a.stdout, line)
	}
	for _, f := range o.Findings {
		a.sayFinding(f)
	}
	if o.Commit != "" && !a.flags.quiet {
		fmt.Fprintf(a.stdout, "commit %s\n", o.Commit[:min(12, len(o.Commit))])
	}
}

// printDecision is one line: what was done to what.
func (a *app) printDecision(d memsync.Decision, o keeper.Outcome) {
	if d.Error != nil && d.Error.Code == memsync.CodeDeletesHeld && !a.flags.verbose {
		return // the report says how many wait
	}
	if d.Op == memsync.OpNoop && (d.Origin.Save() || d.Origin == memsync.OriginPeer) && !a.flags.verbose {
		return
	}
	what := string(d.Path)
	if what == "" {
		what = string(d.Memory)
	}
	if what == "" {
		what = "in " + d.Scope
	}
	done := string(d.Op)
	if d.Op == memsync.OpRecord && len(d.Events) > 0 {
		done = string(d.Events[0].Op) // forget, allow, reject-value, …
		for _, e := range d.Events {
			if e.Op == memsync.LedgerRejectValue {
				done = string(e.Op)
			}
		}
	}
	line := fmt.Sprintf("%s %s", done, oneLine(what))
	if d.From != "" && d.From != d.Path {
		line = fmt.Sprintf("%s %s -> %s", d.Op, oneLine(string(d.From)), oneLine(what))
	}
	if d.Memory != "" && what != string(d.Memory) {
		line += " " + string(d.Memory)
	}
	if o.AlreadyApplied {
		line += " (already applied)"
	}
	fmt.Fprintln(a.stdout, line)
	if d.Error != nil {
		code := string(d.Error.Code)
		if rule := d.Error.Details["rule"]; rule != "" {
			code += ", " + rule
		}
		a.say("  %s [%s]", oneLine(d.Error.Error()), code)
		if hint := hintWith(d.Error, d.Op == memsync.OpHold); hint != "" {
			a.say("  %s", oneLine(hint))
		}
	}
	for _, f := range d.Findings {
		if f.Code == memsync.FindHeld && d.Error != nil && f.Message == d.Error.Message {
			continue // said just now
		}
		a.sayFinding(f)
	}
	if a.flags.verbose {
		for _, r := range d.Reasons {
			state := "passed"
			if !r.Passed {
				state = "stopped"
			}
			a.say("  %s %s %s", r.Rule, state, oneLine(r.Detail))
		}
	}
}

// sayFinding is one line of talk: place, severity, code, message.
func (a *app) sayFinding(f memsync.Finding) {
	if f.Severity == memsync.Info && !a.flags.verbose {
		return
	}
	place := oneLine(string(f.Path))
	if f.Line > 0 {
		place = fmt.Sprintf("%s:%d", place, f.Line)
		if f.Column > 0 {
			place = fmt.Sprintf("%s:%d", place, f.Column)
		}
	}
	if place != "" {
		place += ": "
	}
	a.say("  %s%s: [%s] %s", place, f.Severity, f.Code, oneLine(f.Message))
	if f.Hint != "" && a.flags.verbose {
		a.say("    %s", oneLine(f.Hint))
	}
}
