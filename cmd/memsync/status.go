package main

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"memsync/keeper"
)

func init() {
	verbs = append(verbs, verb{"status", "Compare disk, HEAD and what was accepted, now", (*app).statusVerb})
}

func (a *app) statusVerb() *cobra.Command {
	return &cobra.Command{
		Long: "status looks at the disk each time it is asked. It exits 0 when nothing waits and 1 when something does.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			k, err := a.openHere()
			if err != nil {
				return err
			}
			defer k.Close()
			st, err := k.Status(a.ctx)
			if err != nil {
				return err
			}
			if a.flags.json || a.flags.jsonl {
				a.emit(st)
			} else {
				a.printStatus(st)
			}
			if !st.Clean() {
				return exitError(exitFindings)
			}
			return nil
		},
	}
}

func (a *app) printStatus(st keeper.Status) {
	w := a.stdout
	fmt.Fprintf(w, "%s store %s\n", st.Kind, oneLine(st.Root))
	fmt.Fprintf(w, "disk %d, head %d, accepted %d", st.Disk, st.Head, st.Memories)
	switch {
	case st.Index.Problem != "":
		fmt.Fprintf(w, "\nthe search index can't be looked into: %s", oneLine(st.Index.Problem))
	case st.Index.Exists:
		fmt.Fprintf(w, ", in the search index %d", st.Index.Documents)
	}
	fmt.Fprintln(w)
	if i := st.Watch; i != nil {
		fmt.Fprintf(w, "watched: %s", seeing(i))
		if i.Allowed > 0 {
			fmt.Fprintf(w, ", %d allowed", i.Allowed)
		}
		fmt.Fprintf(w, "; everything was looked at %s\n", i.Reconciled.Format(time.DateTime))
		if i.Blind != "" {
			fmt.Fprintf(w, "  %s\n", oneLine(i.Blind))
		}
	}
	for _, line := range standingLines(st.Sync) {
		fmt.Fprintln(w, oneLine(line))
	}
	for _, c := range st.Writers {
		fmt.Fprintln(w, oneLine(confinedLine(c)))
	}
	if st.Paused != nil {
		fmt.Fprintf(w, "paused: %s\n  %s\n", *st.Paused, oneLine(st.Detail))
	}
	if len(st.Pending) > 0 {
		fmt.Fprintf(w, "%d pending; `memsync up --once` decides about them\n", len(st.Pending))
		for _, p := range st.Pending {
			fmt.Fprintf(w, "  %s\n", oneLine(string(p)))
		}
	}
	if len(st.Held) > 0 {
		fmt.Fprintf(w, "%d held\n", len(st.Held))
		for _, h := range st.Held {
			rule := ""
			if h.Error != nil && h.Error.Details["rule"] != "" {
				rule = ", " + h.Error.Details["rule"]
			}
			fmt.Fprintf(w, "  %s [%s%s]\n", oneLine(string(h.Path)), h.Why, rule)
			if h.Error != nil {
				fmt.Fprintf(w, "    %s\n", oneLine(h.Error.Error()))
				if hint := hintWith(h.Error, true); hint != "" {
					fmt.Fprintf(w, "    %s\n", oneLine(hint))
				}
			}
		}
	}
	if len(st.Waiting) > 0 {
		fmt.Fprintf(w, "%d deletes wait: `memsync accept-deletes` lets them go, `memsync restore` brings them back\n", len(st.Waiting))
	}
	if st.Review > 0 {
		fmt.Fprintf(w, "%d decision%s of yours wait%s: `memsync review`, or REVIEW.md\n", st.Review, plural(st.Review), map[bool]string{true: "s"}[st.Review == 1])
	}
	for _, f := range st.Skipped {
		fmt.Fprintf(w, "skipped %s: %s\n", oneLine(string(f.Path)), oneLine(f.Message))
	}
	if f := st.Findings; f != nil && f.Errors+f.Warnings > 0 {
		fmt.Fprintf(w, "%d error%s and %d warning%s: `memsync lint` tells them\n", f.Errors, plural(f.Errors), f.Warnings, plural(f.Warnings))
	}
	if st.Other != nil && *st.Other > 0 {
		fmt.Fprintf(w, "%d other changes are yours to commit\n", *st.Other)
	}
	if st.Fallback {
		fmt.Fprintln(w, "no git identity is set; commits are made as memsync <memsync@localhost>")
	}
	if st.Clean() {
		fmt.Fprintln(w, "clean")
	}
}

// standingLines say how a store stands to its remote, as far as is known without
// asking it.
func standingLines(s *keeper.Standing) (out []string) {
	if s == nil {
		return nil
	}
	line := fmt.Sprintf("remote %s/%s (%s): ", s.Remote, s.Branch, s.Address)
	switch {
	case !s.Known:
		line += "never heard of; `memsync sync` asks it"
	case s.Ahead == 0 && s.Behind == 0:
		line += "same, when last heard of"
	default:
		line += fmt.Sprintf("%d ahead, %d behind, when last heard of", s.Ahead, s.Behind)
	}
	out = append(out, line)
	l := s.Last
	if l == nil {
		return out
	}
	at := l.At.Local().Format(time.DateTime)
	switch {
	case l.Error != nil:
		out = append(out, fmt.Sprintf("  last sync %s failed: %s [%s]", at, l.Error.Error(), l.Error.Code))
		if hint := cmp.Or(l.Error.Hint, hintOf(l.Error.Code)); hint != "" {
			out = append(out, "  "+hint)
		}
	default:
		out = append(out, "  last sync "+at)
	}
	if s.Ahead > 0 && l.NotPushed != "" && l.Error == nil {
		out = append(out, "  not pushed: "+l.NotPushed)
	}
	return out
}
