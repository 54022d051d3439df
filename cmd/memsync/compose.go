package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"memsync"
	"memsync/compose"
	"memsync/compose/agents"
	"memsync/gitlog"
	"memsync/internal/checkout"
	"memsync/internal/config"
	"memsync/internal/format"
	"memsync/internal/store"
	"memsync/lint"
	"memsync/lint/report"
	"memsync/watcher"
)

func init() {
	verbs = append(verbs, verb{"compose [AGENT]", "Print an agent's prompt: what its author wrote and what it learned", (*app).composeVerb})
}

func (a *app) composeVerb() *cobra.Command {
	var asOf asOfFlags
	var explain, diff, check bool
	var into string
	cmd := &cobra.Command{
		Long: "compose prints the prompt of agents/AGENT/AGENT.md with what was promoted into it. Every line comes from the author or\n" +
			"from one memory; `memsync why TEXT` says which. Without AGENT it is the one agent of the store.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := ""
			if len(args) == 1 {
				name = args[0]
			}
			n := 0
			for _, given := range []bool{explain, diff, check, into != ""} {
				if given {
					n++
				}
			}
			if n > 1 {
				return usage("--explain, --diff, --check and --into exclude each other")
			}
			if (into != "" || check) && asOf != (asOfFlags{}) {
				return usage("--into and --check are about now: leave --at and --as-of away")
			}
			k, name, err := a.composer(name)
			if err != nil {
				return err
			}
			defer k.Close()
			switch {
			case into != "":
				return a.composeInto(k, name, into)
			case check:
				return a.composeCheck(k, name)
			}
			st, err := a.agentsOf(k, asOf)
			if err != nil {
				return err
			}
			c, err := composition(st, name)
			if err != nil {
				return err
			}
			if c.Author.Stale() {
				a.say("%s does not parse, so this is its last good version with what was learned: %s", c.Author.Path, oneLine(c.Author.Err.Error()))
			}
			switch {
			case diff:
				return a.composeDiff(k, c, asOf)
			case a.flags.json || a.flags.jsonl:
				a.emit(composedRow(c))
				return nil
			case explain:
				return a.explainComposition(st, c)
			}
			return a.printText(c.Prompt())
		},
	}
	cmd.Flags().BoolVar(&explain, "explain", false, "print what is learned, from what, and how much room it takes, instead of the prompt")
	cmd.Flags().BoolVar(&diff, "diff", false, "print what was learned as a diff: since --at or --as-of, else against what the author wrote")
	cmd.Flags().BoolVar(&check, "check", false, "print what is wrong with the composition; exit 1 for an error")
	cmd.Flags().StringVar(&into, "into", "", "keep the prompt in a marked region of `FILE`; all else in it stays as it is")
	asOf.register(cmd)
	a.dryRunFlag(cmd)
	return cmd
}

// composer opens the store where an agent is written: the innermost that has it.
func (a *app) composer(name string) (*opened, string, error) {
	set, err := a.readSet()
	if err != nil {
		return nil, "", err
	}
	var all []string
	for _, s := range set {
		names := agentNames(s)
		all = append(all, names...)
		at := name
		if at == "" && len(names) == 1 {
			at = names[0]
		}
		if !slices.Contains(names, at) {
			if name == "" && len(names) > 1 {
				break
			}
			continue
		}
		k, err := a.open(s)
		return k, at, err
	}
	switch {
	case len(all) == 0:
		return nil, "", &memsync.Error{Code: memsync.CodeNotFound, Message: "there is no agent here", Hint: "write agents/NAME/AGENT.md; docs/composition.md shows one"}
	case name == "":
		return nil, "", usage("say which agent: %s", strings.Join(all, ", "))
	}
	return nil, "", &memsync.Error{Code: memsync.CodeNotFound, Message: "there is no agent " + oneLine(name), Hint: "there are: " + strings.Join(all, ", ")}
}

// agentNames are the agents that a store has a file of.
func agentNames(s *store.Store) (names []string) {
	dir := filepath.Join(s.Root, filepath.FromSlash(string(s.Base().Join("agents"))))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if st, err := os.Stat(filepath.Join(dir, e.Name(), "AGENT.md")); err == nil && st.Mode().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names
}

// agentsOf are the agents of a store, now or at a past.
func (a *app) agentsOf(k *opened, f asOfFlags) (*agents.Store, error) {
	at, err := f.time()
	if err != nil {
		return nil, err
	}
	switch {
	case f.asOf != "":
		return k.AgentsAsOf(f.asOf)
	case !at.IsZero():
		return k.AgentsAt(at)
	}
	return k.Agents()
}

func composition(st *agents.Store, name string) (*agents.Composition, error) {
	if st != nil {
		if c, ok := st.Compose(name); ok {
			return c, nil
		}
		if author, ok := st.Author(name); ok {
			return nil, author.Err
		}
	}
	return nil, &memsync.Error{Code: memsync.CodeNotFound, Message: "there was no agent " + oneLine(name) + " then"}
}

func composedRow(c *agents.Composition) map[string]any {
	row := map[string]any{"agent": c.Author.Name, "path": c.Author.Path, "prompt": c.Prompt(), "fragments": c.Fragments, "report": c.Report, "stale": c.Author.Stale()}
	return row
}

// explainComposition prints sizes, and each memory that proposes a place.
func (a *app) explainComposition(st *agents.Store, c *agents.Composition) error {
	for _, line := range agents.Sizes(&c.Report) {
		fmt.Fprintln(a.stdout, line)
	}
	what := map[memsync.ID]string{}
	for _, id := range c.Report.Applied {
		what[id] = "in the prompt"
	}
	for _, o := range c.Report.Dropped {
		what[o.ID] = "not composed: " + because(o.Reason)
	}
	for _, x := range st.Candidates(c.Author.Name) {
		if x.Target != (compose.Target{}) && !c.Author.Agent.Declares(x.Target) && x.State.Promotion == nil && len(st.Authors()) > 1 {
			continue // another agent's
		}
		is := what[x.Memory.ID]
		switch {
		case !x.InForce:
			is = "not in force"
		case is == "" && x.Err != nil:
			is = x.Err.Error()
		case is == "":
			is = "waits: " + because(x.Verdict.Why)
		case x.State.Promotion != nil && x.State.Promotion.Edited:
			is += " as it was approved; it was edited since"
		}
		fmt.Fprintf(a.stdout, "%s  %s  %s (%s)  %s\n", x.Memory.ID, oneLine(string(x.Memory.Path)), agents.Place(x.Target), x.Tier, oneLine(is))
	}
	return nil
}

func (a *app) composeDiff(k *opened, c *agents.Composition, f asOfFlags) error {
	before, from := compose.Prompt(authoredAlone(c)), "authored"
	if f != (asOfFlags{}) {
		now, err := k.Agents()
		if err != nil {
			return err
		}
		current, err := composition(now, c.Author.Name)
		if err != nil {
			return err
		}
		before, from, c = c.Prompt(), f.at+f.asOf, current
	}
	if a.flags.json || a.flags.jsonl {
		a.emit(map[string]any{"agent": c.Author.Name, "diff": udiff.Unified(from, "now", before, c.Prompt())})
		return nil
	}
	return a.printText(udiff.Unified(from, "now", before, c.Prompt()))
}

func authoredAlone(c *agents.Composition) []compose.Fragment {
	composed, _ := compose.Overlay(c.Author.Agent, nil)
	return compose.Render(composed)
}

// composeInto writes the prompt into a region of a file and notes the file in
// memsync.toml, from where the keeper keeps it.
func (a *app) composeInto(k *opened, name, file string) error {
	if a.actor().Class == memsync.ClassAgent {
		return a.person("compose --into")
	}
	p, ok := a.pathIn(k.Store, file)
	if !ok {
		return &memsync.Error{Code: memsync.CodePathEscape, Message: oneLine(file) + " lies outside of the store", Hint: "name a file inside " + k.Store.Root}
	}
	if scope, inScope := memsync.ScopeOf(k.Store.Scopes, p); inScope && format.Classify(p.Rel(scope.Dir)) != format.NotMemory {
		return &memsync.Error{Code: memsync.CodePathReserved, Path: p, Message: "memories live there, so the prompt would be one", Hint: "name a file that people load, such as AGENTS.md"}
	}
	st, err := k.Agents()
	if err != nil {
		return err
	}
	c, err := composition(st, name)
	if err != nil {
		return err
	}
	policy := filepath.Join(k.Store.Root, filepath.FromSlash(string(k.Store.PolicyPath())))
	old, err := os.ReadFile(policy)
	if err != nil && !os.IsNotExist(err) {
		return &memsync.Error{Code: memsync.CodeIORead, Path: k.Store.PolicyPath(), Message: "the policy can't be read", Err: err}
	}
	data, err := config.AddInto(old, memsync.Into{File: p, Agent: name})
	if err != nil {
		return err
	}
	var hash memsync.Hash // "" for a file that is not there yet
	was, _, err := watcher.Read(k.Store.Root, p, 0)
	switch {
	case err == nil:
		hash = memsync.HashOf(was)
	case memsync.CodeOf(err) != memsync.CodeNotFound:
		return err
	}
	with, err := agents.Into(p, was, name, c.Prompt())
	if err != nil {
		return err
	}
	if a.flags.dryRun {
		return a.printText(udiff.Unified(string(p), string(p), string(was), string(with)))
	}
	// The file first: a region that the policy does not name is only text.
	if string(with) != string(was) {
		if err := gitlog.Replace(k.Store.Root, p, hash, with, nameBeside()); err != nil {
			return err
		}
	}
	if string(data) != string(old) {
		if err := a.replacePolicy(k.Store, old, data); err != nil {
			return err
		}
	}
	s := k.Store
	k.Close() // it does not know the entry
	a.say("%s holds the prompt of %s, and is kept so", p, name)
	return a.afterPolicy(s)
}

// composeCheck prints what lint finds in the composition of an agent, and the sizes.
func (a *app) composeCheck(k *opened, name string) error {
	st, err := k.Agents()
	if err != nil {
		return err
	}
	c, err := composition(st, name)
	s := k.Store
	k.Close()
	judged, jerr := a.judge(s, checkout.Options{Notice: a.say})
	if jerr != nil {
		return jerr
	}
	defer judged.Close()
	found := slices.DeleteFunc(judged.Shown(judged.Findings), func(f lint.Finding) bool { return !strings.HasPrefix(f.Code, "MS5") })
	format := "text"
	switch {
	case a.flags.jsonl:
		format = "jsonl"
	case a.flags.json:
		format = "json"
	case err == nil:
		for _, line := range agents.Sizes(&c.Report) {
			fmt.Fprintln(a.stdout, line)
		}
	}
	run := report.Run{Version: version, Files: judged.Files, Findings: found, Verbose: a.flags.verbose, Show: func(p memsync.Path) string { return string(p) }}
	if err := report.Write(a.stdout, format, run); err != nil {
		return err
	}
	if slices.ContainsFunc(found, func(f lint.Finding) bool { return f.Severity == memsync.Severe }) {
		return exitError(exitFindings)
	}
	return nil
}
