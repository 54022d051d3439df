package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/compose/agents"
)

func init() {
	verbs = append(verbs, verb{"learnings", "List what agents learned, revised and lost, and what is pending", (*app).learningsVerb})
}

// learningRow is one thing learned, for programs.
type learningRow struct {
	Kind          agents.Kind  `json:"kind"`
	Agent         string       `json:"agent"`
	Memory        memsync.ID   `json:"memory_id"`
	Name          string       `json:"name"`
	Path          memsync.Path `json:"path"`
	Place         string       `json:"place"`
	Tier          string       `json:"tier"`
	At            time.Time    `json:"at"`
	Event         memsync.ID   `json:"event,omitempty"`
	Actor         string       `json:"actor,omitempty"`
	Bar           string       `json:"bar,omitempty"`
	Why           string       `json:"why,omitempty"`      // of a pending one: the reason's code
	Because       string       `json:"because,omitempty"`  // in words
	Proposal      memsync.ID   `json:"proposal,omitempty"` // that a person decides
	Conversations []string     `json:"conversations"`
}

func (a *app) learningsVerb() *cobra.Command {
	var since, agent string
	cmd := &cobra.Command{
		Args: cobra.NoArgs,
		RunE: func(_ *cobra.Command, _ []string) error {
			from, err := sinceTime(since, time.Now())
			if err != nil {
				return err
			}
			set, err := a.readSet()
			if err != nil {
				return err
			}
			rows := []learningRow{}
			known := false
			for _, s := range set {
				if len(agentNames(s)) == 0 {
					continue
				}
				k, err := a.open(s)
				if err != nil {
					return err
				}
				st, err := k.Agents()
				k.Close()
				if err != nil {
					return err
				}
				for _, author := range st.Authors() {
					if agent != "" && author.Name != agent {
						continue
					}
					known = true
					for _, l := range st.Learnings(author.Name, from) {
						rows = append(rows, learningOf(l))
					}
				}
			}
			if agent != "" && !known {
				return &memsync.Error{Code: memsync.CodeNotFound, Message: "there is no agent " + oneLine(agent), Hint: "`memsync compose` names those that there are"}
			}
			return a.printLearnings(rows)
		},
	}
	cmd.Flags().StringVar(&since, "since", "7d", "how far back: `DURATION` such as 12h, 7d or 4w, or a date")
	cmd.Flags().StringVar(&agent, "agent", "", "of the agent `NAME` alone")
	return cmd
}

// sinceTime reads a span of time back from now, or a date.
func sinceTime(s string, now time.Time) (time.Time, error) {
	if t, err := time.Parse("2006-01-02", s); err == nil {
		return t, nil
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	if n, err := strconv.Atoi(strings.TrimRight(s, "dw")); err == nil && n >= 0 && len(s) == len(strconv.Itoa(n))+1 {
		days := n
		if s[len(s)-1] == 'w' {
			days *= 7
		}
		return now.AddDate(0, 0, -days), nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, usage("--since takes a span such as 12h, 7d or 4w, or a date, not %q", s)
}

func learningOf(l agents.Learning) learningRow {
	r := learningRow{Kind: l.Kind, Agent: l.Agent, Memory: l.Memory.ID, Name: l.Memory.Name, Path: l.Memory.Path, Place: agents.Place(l.Target), Tier: string(l.Tier),
		At: l.At, Event: l.Event, Bar: string(l.Bar), Why: string(l.Why), Proposal: l.Proposal, Conversations: orEmpty(l.Conversations)}
	if l.Event != "" {
		r.Actor = actorName(l.Actor)
	}
	if l.Why != "" {
		r.Because = because(l.Why)
	}
	return r
}

func (a *app) printLearnings(rows []learningRow) error {
	if emitList(a, "learnings", rows) {
		return nil
	}
	order := []agents.Kind{agents.Learnt, agents.Revised, agents.Removed, agents.Pending}
	slices.SortStableFunc(rows, func(x, y learningRow) int {
		return cmp.Compare(slices.Index(order, x.Kind), slices.Index(order, y.Kind))
	})
	for _, r := range rows {
		fmt.Fprintf(a.stdout, "%-7s  %s  %s  %s, %s (%s)\n", r.Kind, r.At.UTC().Format("2006-01-02"), oneLine(r.Name), oneLine(r.Agent), oneLine(r.Place), r.Tier)
		said := r.Because
		if r.Bar != "" {
			said = "by " + r.Bar
		}
		if r.Proposal != "" {
			said += "; `memsync approve " + string(r.Proposal) + "`"
		}
		if len(r.Conversations) > 0 {
			said = strings.TrimPrefix(said+"; taught in "+strings.Join(r.Conversations, ", "), "; ")
		}
		if said != "" {
			fmt.Fprintf(a.stdout, "         %s  %s\n", oneLine(string(r.Path)), oneLine(said))
		}
	}
	if len(rows) == 0 {
		a.say("nothing was learned since, and nothing is pending")
	}
	return nil
}
