package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/lint"
)

func init() {
	verbs = append(verbs, verb{"rules [CODE]", "Explain what lint looks for", (*app).rulesVerb})
}

// ruleJSON is a rule, for programs.
type ruleJSON struct {
	Code     string           `json:"code"`
	Name     string           `json:"name"`
	Severity memsync.Severity `json:"severity"`
	Fixable  bool             `json:"fixable"`
	Locked   bool             `json:"locked"`
	By       string           `json:"by"` // lint or write
	Summary  string           `json:"summary"`
	Page     string           `json:"page,omitempty"`
}

func (a *app) rulesVerb() *cobra.Command {
	return &cobra.Command{
		Long: "rules lists the codes of findings, or explains one: what it means, why it matters, what to do, and an example of each kind.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.explainRule(args[0])
			}
			list := make([]ruleJSON, 0, len(lint.Rules()))
			for _, r := range lint.Rules() {
				page, err := lint.PageOf(r)
				if err != nil {
					return err
				}
				list = append(list, ruleOf(page))
			}
			if !emitList(a, "rules", list) {
				for _, r := range list {
					fmt.Fprintf(a.stdout, "%s  %-8s %-22s %s\n", r.Code, r.Severity, r.Name, r.Summary)
				}
			}
			return nil
		},
	}
}

func ruleOf(p lint.Page) ruleJSON {
	by := "lint"
	if p.Write {
		by = "write"
	}
	return ruleJSON{Code: p.Code, Name: p.Name, Severity: p.Severity, Fixable: p.Fixable, Locked: p.Locked, By: by, Summary: p.Summary}
}

func (a *app) explainRule(word string) error {
	r, ok := lint.RuleOf(word)
	if !ok {
		return &memsync.Error{Code: memsync.CodeUsage, Message: "there is no rule " + oneLine(word), Hint: "`memsync rules` lists them"}
	}
	page, err := lint.PageOf(r)
	if err != nil {
		return err
	}
	text := page.Markdown()
	if a.flags.json || a.flags.jsonl {
		out := ruleOf(page)
		out.Page = text
		a.emit(out)
		return nil
	}
	return a.printText(strings.TrimRight(text, "\n") + "\n")
}
