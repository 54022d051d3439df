package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/internal/checkout"
	"memsync/internal/scan"
	"memsync/internal/store"
	"memsync/keeper"
)

func init() {
	verbs = append(verbs,
		verb{"sync", "Exchange a store's commits with its remote: fetch, join, push", (*app).syncVerb},
		verb{"check", "Compare a store with its remote and change nothing", (*app).checkVerb})
}

func (a *app) syncVerb() *cobra.Command {
	var noPush bool
	cmd := &cobra.Command{
		Long: "sync decides about what was saved, fetches, takes over what others committed, and pushes. Where both sides changed the same\n" +
			"words, one version stands in the file and the other in a conflict copy (`memsync conflicts`). Nothing is ever forced, and\n" +
			"nothing is sent where no remote was chosen for the branch (`memsync remote add`). What looks like a secret does not leave.\n" +
			"It exits 4 when something of it is yours to decide, 5 when the repository is in the middle of something, 7 without a network\n" +
			"or when the remote does not let you in.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := a.find()
			if err != nil {
				return err
			}
			ctx, end := a.untilLeaving()
			out, err := keeper.Sync(ctx, a.turns(s), keeper.SyncOptions{NoPush: noPush, DryRun: a.flags.dryRun, Ask: a.mayAsk(), Wait: syncWait})
			if err = end(err); err != nil && (out.Remote == "" || out.Interrupted) {
				return err // it did not begin, or another process does it
			}
			return a.printSynced(out, err)
		},
	}
	cmd.Flags().BoolVar(&noPush, "no-push", false, "take over what others committed and send nothing")
	a.dryRunFlag(cmd)
	return cmd
}

// syncWait is how long a command waits for another exchange of the same store.
const syncWait = 30 * time.Second

// mayAsk reports whether git and ssh may ask for a password at this process's
// terminal.
func (a *app) mayAsk() bool { return a.far == nil && !a.flags.noInput && a.terminal() }

// untilLeaving is the context of what waits for the network: an owner that is told
// to end does not wait for it, and the client that it works for goes on by itself.
// end gives what the command returns.
func (a *app) untilLeaving() (ctx context.Context, end func(error) error) {
	if a.far == nil {
		return a.ctx, func(err error) error { return err }
	}
	ctx, cancel := context.WithCancel(a.ctx)
	over := make(chan struct{})
	go func() {
		select {
		case <-a.far.leaving:
			cancel()
		case <-over:
		}
	}()
	return ctx, func(err error) error {
		defer cancel()
		close(over)
		if err != nil && ctx.Err() != nil && a.ctx.Err() == nil {
			a.far.cut = true
		}
		return err
	}
}

// turns opens a store for the length of each turn.
func (a *app) turns(s *store.Store) keeper.Turns {
	return func(ctx context.Context, do func(context.Context, *keeper.Keeper) error) error {
		k, err := a.open(s)
		if err != nil {
			return err
		}
		defer k.Close()
		return do(ctx, k.Keeper)
	}
}

// printSynced tells what an exchange did, before it failed if it did.
func (a *app) printSynced(s keeper.Synced, err error) error {
	switch {
	case a.flags.json || a.flags.jsonl:
		a.emit(s)
		if err != nil {
			a.flags.json, a.flags.jsonl = false, false // the document has it
		}
	default:
		for _, line := range syncLines(s) {
			if !a.flags.quiet {
				fmt.Fprintln(a.stdout, line)
			}
		}
	}
	a.sayLeaks(s.Leaks)
	switch {
	case err != nil:
		return err
	case s.NeedsPerson():
		return exitError(exitPerson)
	}
	return nil
}

// sayLeaks tells each place that keeps a push from leaving, but the first, which
// the error names.
func (a *app) sayLeaks(leaks []checkout.Leak) {
	for _, l := range leaks[min(1, len(leaks)):] {
		f := l.Finding
		f.Message, f.Path, f.Hint = scan.MaskText(string(f.Path), f.Message, nil), memsync.Path(scan.MaskPath(string(f.Path), nil)), ""
		f.Message += fmt.Sprintf(" (commit %.7s)", l.Commit)
		a.sayFinding(f)
	}
}

// syncLines is an exchange in plain words.
func syncLines(s keeper.Synced) (out []string) {
	add := func(format string, args ...any) { out = append(out, oneLine(fmt.Sprintf(format, args...))) }
	with := s.Remote + "/" + s.Branch + " (" + s.Address + ")"
	did := func(done, would string) string {
		if s.DryRun {
			return would
		}
		return done
	}
	switch {
	case s.Unfetched:
		add("would fetch and take over commits that are not here, from %s", with)
	case s.Joined:
		add("joined %s from %s with yours; %s changed here", commits(s.Pulled), with, files(s.Files))
	case s.Pulled > 0 && s.DryRun:
		add("would take over %s from %s", commits(s.Pulled), with)
	case s.Pulled > 0:
		add("took over %s from %s; %s changed here", commits(s.Pulled), with, files(s.Files))
	}
	if s.Pushed > 0 {
		add("%s %s to %s", did("pushed", "would push"), commits(s.Pushed), with)
	}
	if !s.Exchanged() && !s.Unfetched && s.Error == nil {
		switch {
		case s.Ahead > 0:
			add("nothing to take over from %s", with)
		default:
			add("up to date with %s", with)
		}
	}
	if s.Ahead > 0 && s.Pushed == 0 && !s.DryRun {
		line := commits(s.Ahead) + " here and not there"
		if s.NotPushed != "" {
			line += ": " + s.NotPushed
		}
		add("%s", line)
	}
	for _, p := range s.Conflicts {
		add("conflict: %s; `memsync conflicts --diff` shows what lost, `memsync resolve` ends it", p)
	}
	for _, p := range s.Quarantined {
		add("quarantined: %s; it is in the store and nobody reads it: `memsync status`", p)
	}
	for _, p := range s.Kept {
		add("kept: %s, which you removed and others edited", p)
	}
	for _, w := range s.Writers {
		add("%s", confinedLine(w))
	}
	if s.Held > 0 {
		add("%s held: `memsync status`", were(s.Held))
	}
	return out
}

func confinedLine(w keeper.Confined) string {
	return fmt.Sprintf("the scope %s stays writers = %q until you `memsync accept memsync.toml`, which says %q since a pull", w.Scope, w.Has, w.Wants)
}

func commits(n int) string { return fmt.Sprintf("%d commit%s", n, plural(n)) }
func files(n int) string   { return fmt.Sprintf("%d file%s", n, plural(n)) }

func were(n int) string {
	if n == 1 {
		return "1 file is"
	}
	return fmt.Sprintf("%d files are", n)
}

func (a *app) checkVerb() *cobra.Command {
	return &cobra.Command{
		Long: "check asks the remote for its tip and says how the store stands to it: same, ahead, behind or diverged. It fetches nothing and\n" +
			"writes nothing, and exits 1 when the two differ.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := a.find()
			if err != nil {
				return err
			}
			ctx, end := a.untilLeaving()
			c, err := keeper.Compare(ctx, a.turns(s), keeper.SyncOptions{Ask: a.mayAsk()})
			if err = end(err); err != nil {
				return err
			}
			if a.flags.json || a.flags.jsonl {
				a.emit(c)
			} else {
				fmt.Fprintln(a.stdout, oneLine(comparisonLine(c)))
			}
			if c.Relation != "same" {
				return exitError(exitFindings)
			}
			return nil
		},
	}
}

func comparisonLine(c keeper.Comparison) string {
	with := c.Remote + "/" + c.Branch + " (" + c.Address + ")"
	var parts []string
	if c.Ahead > 0 {
		parts = append(parts, commits(c.Ahead)+" here and not there")
	}
	switch {
	case c.Unknown:
		parts = append(parts, "commits there that this clone has never seen")
	case c.Behind > 0:
		parts = append(parts, commits(c.Behind)+" there and not here")
	}
	if len(parts) == 0 {
		return "same as " + with
	}
	return string(c.Relation) + ": " + strings.Join(parts, ", ") + "; " + with
}
