package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/gitlog/journal"
	"memsync/keeper"
)

func init() {
	verbs = append(verbs,
		verb{"decisions", "List, show and revert what was decided on this machine", (*app).decisionsVerb},
		verb{"history [MEMORY]", "List what happened on this machine: committed, held, rejected, nothing to do", (*app).historyVerb})
}

func (a *app) decisionsVerb() *cobra.Command {
	return group(&cobra.Command{}, a.decisionsList(), a.decisionsShow(), a.decisionsRevert())
}

func (a *app) decisionsList() *cobra.Command {
	var path, memory, op, origin, actor, since, until, cursor string
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List decisions, newest first",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			k, err := a.openHere()
			if err != nil {
				return err
			}
			defer k.Close()
			q := journal.Query{Path: memsync.Path(path), Memory: memsync.ID(memory), Op: memsync.Op(op), Origin: memsync.Origin(origin),
				Limit: limit, Cursor: cursor}
			switch memsync.ActorClass(actor) {
			case memsync.ClassPerson, memsync.ClassAgent, memsync.ClassProgram:
				q.Class = memsync.ActorClass(actor)
			default:
				q.Name = actor
			}
			if q.Since, err = (asOfFlags{at: since}).time(); err != nil {
				return err
			}
			if since != "" && len(since) == len("2006-01-02") {
				q.Since = q.Since.Add(time.Millisecond - 24*time.Hour)
			}
			if q.Until, err = (asOfFlags{at: until}).time(); err != nil {
				return err
			}
			page, next, total, err := k.Journal().Decisions(q)
			if err != nil {
				return err
			}
			for i := range page {
				page[i].Decision = keeper.WithoutDelivery(page[i].Decision)
				if err := k.Mask(&page[i].Decision.Path, &page[i].Decision.From); err != nil {
					return err
				}
			}
			switch {
			case a.flags.jsonl:
				for _, r := range page {
					a.emit(r)
				}
			case a.flags.json:
				a.emit(map[string]any{"decisions": orEmpty(page), "page": pageOf(total, limit, next)})
			default:
				for _, r := range page {
					fmt.Fprintf(a.stdout, "%s  %s  %-11s %s  %s  %s\n", r.ID, stamp(r.At), r.Decision.Op, actorName(r.Decision.Actor),
						oneLine(string(r.Decision.Path)), r.State)
				}
				a.sayMore(len(page), total, next)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&path, "path", "", "only decisions on this `FILE`")
	f.StringVar(&memory, "memory", "", "only decisions on the memory with this `ID`")
	f.StringVar(&op, "op", "", "only this `OP`: add, update, rename, delete, …")
	f.StringVar(&origin, "origin", "", "only this `ORIGIN`: file, cli, …")
	f.StringVar(&actor, "actor", "", "only this `ACTOR`: person, agent, program, or a name")
	f.StringVar(&since, "since", "", "not before `TIME`")
	f.StringVar(&until, "until", "", "not after `TIME`")
	f.IntVar(&limit, "limit", 50, "at most `N` a page, up to 200")
	f.StringVar(&cursor, "cursor", "", "continue where the page before ended, at its `CURSOR`")
	return cmd
}

func (a *app) decisionsShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show one decision with the reason of every rule that looked",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			k, err := a.openHere()
			if err != nil {
				return err
			}
			defer k.Close()
			r, err := k.Journal().Decision(args[0])
			if err != nil {
				return err
			}
			r.Decision = keeper.WithoutDelivery(r.Decision)
			if err := k.Mask(&r.Decision.Path, &r.Decision.From); err != nil {
				return err
			}
			if a.flags.json || a.flags.jsonl {
				a.emit(r)
				return nil
			}
			d := r.Decision
			fmt.Fprintf(a.stdout, "%s  %s  %s\n%s %s %s\n", r.ID, stamp(r.At), r.State, d.Op, oneLine(string(d.Path)), d.Memory)
			fmt.Fprintf(a.stdout, "by %s, from %s\n", actorName(d.Actor), d.Origin)
			if r.Commit != "" {
				fmt.Fprintf(a.stdout, "commit %s\n", r.Commit)
			}
			for _, x := range d.Reasons {
				mark := "passed "
				if !x.Passed {
					mark = "stopped"
				}
				fmt.Fprintf(a.stdout, "  %-10s %s %s\n", x.Rule, mark, oneLine(x.Detail))
			}
			return nil
		},
	}
}

func (a *app) decisionsRevert() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "revert ID",
		Short: "Undo one decision, by a decision of its own",
		Long:  "revert brings back what was there before. What changed since is shown, and only --force overwrites it.",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if force {
				if err := a.person("decisions revert --force"); err != nil {
					return err
				}
			}
			k, err := a.openHere()
			if err != nil {
				return err
			}
			defer k.Close()
			out, err := k.Revert(a.ctx, args[0], a.candidate(memsync.OpRevert), force)
			if err != nil {
				return err
			}
			return a.printSubmitted(out)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "overwrite what changed since")
	a.dryRunFlag(cmd)
	return cmd
}

func (a *app) historyVerb() *cobra.Command {
	var after uint64
	var limit int
	cmd := &cobra.Command{
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var k *opened
			var err error
			of := func(memsync.Event) bool { return true }
			if len(args) == 0 {
				k, err = a.openHere()
			} else {
				k, of, err = a.eventsOf(args[0])
			}
			if err != nil {
				return err
			}
			defer k.Close()
			events, err := k.Journal().Events(after, 0)
			if err != nil {
				return err
			}
			list := []memsync.Event{}
			for _, e := range events {
				if of(e) {
					if err := k.Mask(&e.Path); err != nil {
						return err
					}
					list = append(list, e)
				}
			}
			if limit > 0 && len(list) > limit {
				list = list[len(list)-limit:]
			}
			if !emitList(a, "events", list) {
				for _, e := range list {
					line := fmt.Sprintf("%d  %s  %s  %s  %s  %s", e.Seq, stamp(e.At), e.Op, e.Decision, oneLine(string(e.Path)), actorName(e.Actor))
					if e.Code != "" {
						line += "  " + string(e.Code)
					}
					fmt.Fprintln(a.stdout, line)
				}
			}
			return nil
		},
	}
	cmd.Flags().Uint64Var(&after, "after", 0, "only events with a number above `SEQ`")
	cmd.Flags().IntVar(&limit, "limit", 50, "the last `N` events; 0 for all")
	return cmd
}

// eventsOf chooses the events of a memory, of one that is gone too.
func (a *app) eventsOf(arg string) (*opened, func(memsync.Event) bool, error) {
	k, m, g, err := a.presentOrGone(arg)
	if err != nil {
		return nil, nil, err
	}
	if m != nil {
		return k, func(e memsync.Event) bool { return e.Memory == m.ID || e.Memory == "" && e.Path == m.Path }, nil
	}
	if g.Forgotten {
		k.Close()
		return nil, nil, forgottenError(g)
	}
	return k, func(e memsync.Event) bool { return e.Memory == g.Memory || e.Memory == "" && e.Path == g.Path }, nil
}
