package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/compose"
	"memsync/compose/agents"
)

func init() {
	verbs = append(verbs,
		verb{"promote MEMORY", "Put a memory into the prompt where its target says, whatever its evidence", (*app).promoteVerb},
		verb{"demote MEMORY", "Take a memory out of every prompt; it stays a memory", (*app).demoteVerb})
}

func (a *app) promoteVerb() *cobra.Command {
	cmd := &cobra.Command{
		Long: "promote is a person's word for what a memory says now. It passes every bar but two: a place that only the author of\n" +
			"AGENT.md writes, and an authored line that says the opposite. Anybody else's promote becomes a proposal.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.promote(args[0]) },
	}
	a.yesFlag(cmd)
	a.dryRunFlag(cmd)
	return cmd
}

// hopes are what an agent may wait for that a person's word replaces.
var hopes = []compose.Reason{"", compose.WhyModel, compose.WhyWithdrawn, compose.WhyDenied, compose.WhyBelowBar, compose.WhyToday, compose.WhyPerson,
	compose.WhyEdited, compose.WhyCollision, compose.WhyDuplicate, compose.WhyContradicts}

func (a *app) promote(arg string) error {
	k, m, err := a.target(arg)
	if err != nil {
		return err
	}
	defer func() { k.Close() }()
	store, standings, err := standingsOf(k, m)
	if err != nil {
		return err
	}
	var wanted []agents.Standing
	var refused error
	for _, x := range standings {
		switch v := x.Verdict; {
		case x.Err != nil:
			refused = x.Err
		case v.Why == compose.WhyPromoted:
			return a.nothing(oneLine(m.Name) + " is in the prompt already, in these words")
		case v.Authored && v.Why == compose.WhyContradicts, !slices.Contains(hopes, v.Why):
			refused = &memsync.Error{Code: memsync.CodeProtected, Path: m.Path, Message: "it can't be promoted: " + because(v.Why),
				Hint: "`memsync learnings` says what each candidate lacks", Details: map[string]string{"reason": string(v.Why)}}
		default:
			wanted = append(wanted, x)
		}
	}
	if len(wanted) == 0 {
		if refused == nil {
			refused = &memsync.Error{Code: memsync.CodeProtected, Path: m.Path, Message: "it proposes no place in any agent's prompt",
				Hint: "`memsync edit " + arg + " --target JSON`; docs/composition.md names the places"}
		}
		return refused
	}
	event, _, _, ok := store.Promotion(m.ID)
	if !ok {
		return &memsync.Error{Code: memsync.CodeProtected, Path: m.Path, Message: "its target lacks a payload, or the memory a text", Hint: "`memsync edit " + arg + " --payload JSON`"}
	}
	c := a.candidate(memsync.OpRecord)
	c.ID, c.Path, c.Scope = m.ID, m.Path, m.Scope
	if !c.Actor.Person() {
		x := wanted[0]
		c.Events = []memsync.LedgerEvent{compose.Propose(m.ID, x.Snapshot, x.Target, x.State.Supports)}
		return a.proposed(k, c)
	}
	if !a.flags.json && !a.flags.jsonl {
		for _, change := range store.Preview(m.ID) {
			fmt.Fprintf(a.stdout, "%s:\n", oneLine(change.Agent))
			if err := a.printText(change.Diff); err != nil {
				return err
			}
		}
		for _, x := range wanted {
			if len(x.Verdict.Against) > 0 || x.Verdict.Authored {
				a.say("beware: %s", because(x.Verdict.Why))
			}
		}
	}
	if yes, err := a.sure(k, "promote this?"); err != nil {
		return err
	} else if !yes {
		return notConfirmed("promote " + arg)
	}
	c.Events = []memsync.LedgerEvent{event}
	if back, denied := store.TakeBack(m.ID); denied {
		c.Events = []memsync.LedgerEvent{back, event}
	}
	return a.submit(k, c)
}

// proposed submits a proposal in the place of a decision that only a person takes.
func (a *app) proposed(k *opened, c memsync.Candidate) error {
	id := c.Events[0].ID
	if err := a.submit(k, c); err != nil {
		return err
	}
	return &memsync.Error{Code: memsync.CodePersonRequired, Message: "only a person decides this, so it was put before one",
		Hint: "a person runs `memsync review`, or `memsync approve " + string(id) + "`", Details: map[string]string{"proposal": string(id)}}
}

func (a *app) demoteVerb() *cobra.Command {
	cmd := &cobra.Command{
		Long: "demote ends every promotion of a memory. It is promoted again when a new conversation teaches it, or a person does.\n" +
			"Where the promotion took evidence or a person, anybody else's demote becomes a proposal and the line stays.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.demote(args[0]) },
	}
	a.yesFlag(cmd)
	a.dryRunFlag(cmd)
	return cmd
}

func (a *app) demote(arg string) error {
	k, m, err := a.target(arg)
	if err != nil {
		return err
	}
	defer func() { k.Close() }()
	store, _, err := standingsOf(k, m)
	if err != nil {
		return err
	}
	var tiers []compose.Tier
	if store != nil {
		tiers = store.PromotedTiers(m.ID)
	}
	// A promotion that lost its bar is in no prompt, and still a claim of the ledger's.
	if len(tiers) == 0 && !(a.actor().Person() && store != nil && store.Claims(m.ID)) {
		return a.nothing(oneLine(m.Name) + " is in no prompt")
	}
	c := a.candidate(memsync.OpRecord)
	c.ID, c.Path, c.Scope = m.ID, m.Path, m.Scope
	if !c.Actor.Person() && slices.ContainsFunc(tiers, func(t compose.Tier) bool { return t != compose.Auto }) {
		event, _ := store.EndProposal(m.ID)
		c.Events = []memsync.LedgerEvent{event}
		return a.proposed(k, c)
	}
	if c.Actor.Person() {
		if !a.flags.json && !a.flags.jsonl {
			for _, change := range store.PreviewEnd(m.ID) {
				fmt.Fprintf(a.stdout, "%s:\n", oneLine(change.Agent))
				if err := a.printText(change.Diff); err != nil {
					return err
				}
			}
		}
		if yes, err := a.sure(k, "demote this?"); err != nil {
			return err
		} else if !yes {
			return notConfirmed("demote " + arg)
		}
	}
	c.Events = []memsync.LedgerEvent{store.Demotion(m.ID)}
	return a.submit(k, c)
}

// standingsOf is what a memory is to each agent of its store.
func standingsOf(k *opened, m *memsync.Memory) (*agents.Store, []agents.Standing, error) {
	store, err := k.Agents()
	if err != nil || store == nil {
		return nil, nil, err
	}
	var out []agents.Standing
	for _, author := range store.Authors() {
		for _, x := range store.Candidates(author.Name) {
			if x.Memory.ID == m.ID && x.Memory.Target != "" {
				out = append(out, x)
			}
		}
	}
	return store, out, nil
}

// because says a reason of composition in words.
func because(why compose.Reason) string {
	words := map[compose.Reason]string{
		compose.WhyEnded: "it was invalidated or forgotten", compose.WhyPromoted: "it is in the prompt", compose.WhyTooLong: "it is longer than a quarter of its budget",
		compose.WhyNoRoom: "what persons approved fills the budget", compose.WhyModel: "an agent chose the place, and a person looks at it first",
		compose.WhyWithdrawn: "it was taken out, and nothing was learned since", compose.WhyDenied: "a person said no to just this",
		compose.WhyBelowBar: "too few conversations taught it yet", compose.WhyToday: "the agent has learned enough for today",
		compose.WhyPerson: "the place asks for a person", compose.WhyEdited: "another wording was approved",
		compose.WhyCollision: "another memory stands at its address", compose.WhyDuplicate: "a line there says nearly the same",
		compose.WhyContradicts: "a line there says the opposite", compose.Incomplete: "its target lacks a payload, or the memory a text",
		compose.LockedSlot: "only the author writes there", compose.Authored: "the author says something there",
		compose.UnknownSection: "the agent has no such section", compose.UnknownDomain: "the agent has no such domain",
		compose.UnknownCapability: "the agent has no such capability", compose.NoRecovery: "the agent has no recovery", compose.NoAwareness: "the agent has no awareness",
		compose.Newer: "a newer memory stands at its address", compose.OverBudget: "its budget is full", compose.OverCeiling: "the prompt has learned as much as it may",
		compose.OtherAgent: "it lives in another agent's scope", compose.NoTarget: "it proposes no place",
	}
	if s, ok := words[why]; ok {
		return s
	}
	return string(why)
}
