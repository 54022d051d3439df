package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/compose/agents"
)

func init() {
	verbs = append(verbs,
		verb{"review [ID]", "List what waits for a person's decision, with what it would change", (*app).reviewVerb},
		verb{"approve ID…", "Say yes to what waits: it joins, or leaves, an agent's prompt", (*app).approveVerb},
		verb{"deny ID…", "Say no to what waits: it stays closed until there is new evidence", (*app).denyVerb})
}

// waitingRow is what waits, for programs.
type waitingRow struct {
	Proposal  memsync.ID    `json:"proposal"`
	Memory    memsync.ID    `json:"memory_id"`
	Path      memsync.Path  `json:"path"`
	Store     string        `json:"store"`
	Scope     string        `json:"scope"`
	Name      string        `json:"name"`
	Asks      string        `json:"asks"` // promote or demote
	Target    string        `json:"target"`
	Sentence  string        `json:"why"`
	Since     time.Time     `json:"since"`
	Supports  int           `json:"supports"`
	Against   int           `json:"contradictions"`
	Requested int           `json:"requested"` // ticks and requests that a person has yet to confirm
	Changes   []changeInRow `json:"changes"`

	waiting agents.Waiting
}

type changeInRow struct {
	Agent string `json:"agent"`
	Tier  string `json:"tier"`
	Diff  string `json:"diff"`
	Why   string `json:"not_now,omitempty"` // why a yes would not take effect now
}

func rowOf(w agents.Waiting, root string) waitingRow {
	r := waitingRow{Proposal: w.Proposal, Memory: w.Memory.ID, Path: w.Memory.Path, Store: root, Scope: w.Memory.Scope, Name: w.Memory.Name, Asks: "promote",
		Target: w.Target.String(), Sentence: w.Sentence(), Since: w.Since, Supports: w.Supports, Against: w.Against, Requested: w.Requested, waiting: w}
	if w.Ends != "" {
		r.Asks = "demote"
	}
	for _, c := range w.Changes {
		r.Changes = append(r.Changes, changeInRow{Agent: c.Agent, Tier: string(c.Tier), Diff: c.Diff, Why: string(c.Why)})
	}
	return r
}

func (a *app) reviewVerb() *cobra.Command {
	return &cobra.Command{
		Long: "review shows what only a person decides: memories that would join a prompt where the slot asks for a person, edits of\n" +
			"what was approved, and entries that are asked to leave. The same list stands in REVIEW.md, beside MEMORY.md, where\n" +
			"ticking a box and saving the file decides.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			set, err := a.readSet()
			if err != nil {
				return err
			}
			rows := []waitingRow{}
			for _, s := range set {
				k, err := a.open(s)
				if err != nil {
					return err
				}
				found, err := waitingIn(k)
				k.Close()
				if err != nil {
					return err
				}
				rows = append(rows, found...)
			}
			if len(args) == 1 {
				if rows, err = oneWaiting(rows, args[0]); err != nil {
					return err
				}
			}
			return a.printWaiting(rows)
		},
	}
}

// waitingIn is what waits in a store.
func waitingIn(k *opened) ([]waitingRow, error) {
	store, err := k.Agents()
	if err != nil || store == nil {
		return nil, err
	}
	var rows []waitingRow
	for _, w := range store.Waiting("") {
		rows = append(rows, rowOf(w, k.Store.Root))
	}
	return rows, nil
}

// oneWaiting finds a question by its id, the beginning of it, or what its memory is
// called.
func oneWaiting(rows []waitingRow, arg string) ([]waitingRow, error) {
	var hits []waitingRow
	for _, r := range rows {
		also := slices.ContainsFunc(r.waiting.Also, func(id memsync.ID) bool { return string(id) == strings.ToUpper(arg) })
		if string(r.Proposal) == strings.ToUpper(arg) || also {
			return []waitingRow{r}, nil
		}
		if len(arg) >= 6 && strings.HasPrefix(string(r.Proposal), strings.ToUpper(arg)) || string(r.Path) == arg || r.waiting.Memory.Slug == arg || string(r.Memory) == strings.ToUpper(arg) {
			hits = append(hits, r)
		}
	}
	switch {
	case len(hits) == 1:
		return hits, nil
	case len(hits) > 1:
		return nil, &memsync.Error{Code: memsync.CodeUsage, Message: oneLine(arg) + " may mean several of what waits", Hint: "give the whole id; `memsync review` lists them"}
	}
	return nil, &memsync.Error{Code: memsync.CodeNotFound, Message: "nothing that waits answers to " + oneLine(arg), Hint: "`memsync review` lists what waits"}
}

func (a *app) printWaiting(rows []waitingRow) error {
	if emitList(a, "waiting", rows) {
		return nil
	}
	for i, r := range rows {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		if err := a.printOneWaiting(r); err != nil {
			return err
		}
	}
	if len(rows) == 0 {
		a.say("nothing waits for a decision")
	} else {
		a.say("`memsync approve ID` or `memsync deny ID`; or tick a box in REVIEW.md and save it")
	}
	return nil
}

func (a *app) printOneWaiting(r waitingRow) error {
	fmt.Fprintf(a.stdout, "%s  %s  %s  since %s\n%s\n", r.Proposal, oneLine(r.Name), oneLine(string(r.Path)), r.Since.UTC().Format("2006-01-02"), oneLine(r.Sentence))
	if r.Requested > 0 {
		fmt.Fprintln(a.stdout, "A box was ticked where a tick is a request; a person confirms it here.")
	}
	for _, c := range r.Changes {
		if c.Why != "" {
			fmt.Fprintf(a.stdout, "%s: a yes would not take effect now (%s)\n", oneLine(c.Agent), c.Why)
		}
		if c.Diff == "" {
			continue
		}
		fmt.Fprintf(a.stdout, "%s:\n", oneLine(c.Agent))
		if err := a.printText(c.Diff); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) approveVerb() *cobra.Command { return a.answerVerb("approve", false) }
func (a *app) denyVerb() *cobra.Command    { return a.answerVerb("deny", true) }

// answerVerb is approve and deny: the diff first, then the question, then the
// decision.
func (a *app) answerVerb(name string, deny bool) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Long: name + " shows what would change and asks. ID is that of `memsync review`, or the name of the memory. A person's decision:\n" +
			"no agent's tool reaches it.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.person(name); err != nil {
				return err
			}
			for _, arg := range args {
				if err := a.answer(name, arg, reason, deny); err != nil {
					return err
				}
			}
			return nil
		},
	}
	if deny {
		cmd.Flags().StringVar(&reason, "reason", "", "why, `TEXT`; kept in the ledger")
	}
	a.yesFlag(cmd)
	a.dryRunFlag(cmd)
	return cmd
}

func (a *app) answer(verb, arg, reason string, deny bool) error {
	k, row, err := a.findWaiting(arg)
	if err != nil {
		return err
	}
	defer func() { k.Close() }()
	if !a.flags.json && !a.flags.jsonl {
		if err := a.printOneWaiting(row); err != nil {
			return err
		}
	}
	if yes, err := a.sure(k, verb+" this?"); err != nil {
		return err
	} else if !yes {
		return notConfirmed(verb + " " + arg)
	}
	// Others may have had the store meanwhile.
	rows, err := waitingIn(k)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(rows, func(r waitingRow) bool { return r.Proposal == row.Proposal })
	if i < 0 || rows[i].waiting.Snapshot != row.waiting.Snapshot {
		return &memsync.Error{Code: memsync.CodeVersionConflict, Message: "this was decided, or the memory changed, meanwhile", Hint: "`memsync review` shows what waits now"}
	}
	store, err := k.Agents()
	if err != nil {
		return err
	}
	c := a.candidate(memsync.OpRecord)
	c.ID, c.Path, c.Scope = row.Memory, row.Path, row.Scope
	c.Events = store.Answer(rows[i].waiting, deny)
	for j := range c.Events {
		if c.Events[j].Op == memsync.LedgerDeny {
			c.Events[j].Reason = reason
		}
	}
	return a.submit(k, c)
}

// findWaiting opens the store where something waits.
func (a *app) findWaiting(arg string) (*opened, waitingRow, error) {
	set, err := a.readSet()
	if err != nil {
		return nil, waitingRow{}, err
	}
	var last error
	for _, s := range set {
		k, err := a.open(s)
		if err != nil {
			return nil, waitingRow{}, err
		}
		rows, err := waitingIn(k)
		if err == nil {
			if rows, last = oneWaiting(rows, arg); last == nil {
				return k, rows[0], nil
			}
		}
		k.Close()
		if err != nil {
			return nil, waitingRow{}, err
		}
		if memsync.CodeOf(last) != memsync.CodeNotFound {
			break
		}
	}
	if last == nil {
		_, last = oneWaiting(nil, arg)
	}
	return nil, waitingRow{}, last
}

// sure asks before a decision is taken; a dry run takes none.
func (a *app) sure(k *opened, question string) (yes bool, err error) {
	if a.flags.dryRun {
		return true, nil
	}
	return a.askAside(k, question)
}
