package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/controller"
	"memsync/internal/config"
	"memsync/internal/store"
)

// place are the flags that say where a new memory goes.
type place struct {
	scope, agent, tier, workspace string
	local                         bool
}

func (p *place) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.scope, "scope", "", "the `SCOPE`: global, workspace, agent:NAME, agent:NAME@workspace, workspace:ULID, local (default $MEMSYNC_SCOPE, else by type)")
	f.StringVar(&p.agent, "agent", "", "the scope of the agent `NAME`: short for --scope agent:NAME")
	f.StringVar(&p.tier, "agent-tier", "", "with --agent, `TIER` global (in the home store) or workspace (in this project)")
	f.StringVar(&p.workspace, "workspace", "", "the scope that the home store keeps for the workspace `ULID`")
	f.BoolVar(&p.local, "local", false, "keep it on this machine: in the local store, which is never shared")
}

// settle makes one scope of what was given. MEMSYNC_SCOPE is asked only when
// nothing was.
func (p *place) settle(env func(string) string) error {
	p.scope = strings.TrimSpace(p.scope)
	given := 0
	for _, s := range []string{p.scope, p.agent, p.workspace} {
		if s != "" {
			given++
		}
	}
	switch {
	case given > 1:
		return usage("--scope, --agent and --workspace exclude each other")
	case p.tier != "" && p.agent == "":
		return usage("--agent-tier needs --agent")
	case p.tier != "" && p.tier != string(memsync.TierGlobal) && p.tier != string(memsync.TierWorkspace):
		return usage("--agent-tier is global or workspace, not %q", p.tier)
	case p.local && given > 0 && p.scope != "local":
		return usage("--local is a place of its own: leave the scope out")
	case p.agent != "":
		p.scope = "agent:" + p.agent
		if p.tier == string(memsync.TierWorkspace) {
			p.scope += "@workspace"
		}
	case p.workspace != "":
		p.scope = "workspace:" + strings.ToUpper(p.workspace)
	case p.scope == "" && !p.local:
		p.scope = strings.TrimSpace(env("MEMSYNC_SCOPE"))
	}
	if p.scope == "local" {
		p.scope, p.local = "", true
	}
	return nil
}

func noEnv(string) string { return "" }

// unmade is the scope of that name that a store would have at a standard place
// that does not exist yet.
func unmade(s *store.Store, name string) (memsync.Scope, bool) {
	var dir memsync.Path
	switch {
	case strings.HasPrefix(name, "agent:"):
		agent, _ := strings.CutSuffix(name[len("agent:"):], "@workspace")
		dir = s.Base().Join("agents", agent, "memory")
	case strings.HasPrefix(name, "workspace:"):
		dir = s.Base().Join("workspaces", name[len("workspace:"):], "memory")
	default:
		return memsync.Scope{}, false
	}
	made, ok := config.StandardScope(config.Layout{Embedded: s.Kind == store.Embedded, Workspace: s.Workspace}, dir)
	return made, ok && made.Is(name)
}

// holds reports whether a store has the scope, or has the place for it.
func holds(s *store.Store, name string) bool {
	if _, ok := memsync.FindScope(s.Scopes, name); ok {
		return true
	}
	_, ok := unmade(s, name)
	return ok
}

// addScope makes the store know a scope whose directory comes with the write.
func addScope(s *store.Store, name string) error {
	if _, ok := memsync.FindScope(s.Scopes, name); ok {
		return nil
	}
	made, ok := unmade(s, name)
	if !ok {
		var names []string
		for _, sc := range s.Scopes {
			names = append(names, sc.Name())
		}
		e := &memsync.Error{Code: memsync.CodeScopeInvalid, Message: "there is no scope " + oneLine(name) + " in " + s.Root,
			Hint: "there is " + strings.Join(names, ", ") + "; agent:NAME makes one for an agent"}
		if name == string(memsync.Workspace) {
			e.Code, e.Hint = memsync.CodeScopeNoWorkspace, "run `memsync init` in the project, or name another scope"
		}
		return e
	}
	s.Scopes = append(s.Scopes, made)
	slices.SortStableFunc(s.Scopes, func(a, b memsync.Scope) int { return cmp.Compare(a.Rank(), b.Rank()) })
	return nil
}

// checkAgent refuses a call that is pinned to one agent (MEMSYNC_AGENT) and
// would write in the scope of another.
func (a *app) checkAgent(k *opened, c memsync.Candidate) error {
	if a.env("MEMSYNC_AGENT") == "" {
		return nil
	}
	claimed := func(s memsync.Scope, ok bool) error {
		if !ok || s.Agent == "" {
			return nil
		}
		if e := controller.CheckAgent(c.Actor, s.Agent); e != nil {
			return e
		}
		return nil
	}
	if err := claimed(memsync.FindScope(k.Store.Scopes, c.Scope)); err != nil {
		return err
	}
	for _, p := range []memsync.Path{c.Path, c.From} {
		if p == "" {
			continue
		}
		if err := claimed(memsync.ScopeOf(k.Store.Scopes, p)); err != nil {
			return err
		}
	}
	return nil
}
