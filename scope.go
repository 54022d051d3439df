package memsync

import "strings"

// ScopeKind is whom a scope belongs to.
type ScopeKind string

const (
	Global    ScopeKind = "global"
	Workspace ScopeKind = "workspace"
	Agent     ScopeKind = "agent"
)

// Tier tells an agent's scope in a workspace from its scope everywhere.
type Tier string

const (
	TierGlobal    Tier = "global"
	TierWorkspace Tier = "workspace"
)

// IdentityMode says where ids live.
type IdentityMode string

const (
	Inline IdentityMode = "inline" // an id line in the file
	Ledger IdentityMode = "ledger" // an identify event; the file is never touched
)

// MemoryMDMode says whether MEMORY.md is written or only checked.
type MemoryMDMode string

const (
	Region   MemoryMDMode = "region"
	LintOnly MemoryMDMode = "lint"
)

// Writers says whose saves a scope's files are: "people", "mixed" or
// "agent:<name>".
type Writers string

const (
	People Writers = "people"
	Mixed  Writers = "mixed"
)

// Agent is the name in "agent:<name>", "" otherwise.
func (w Writers) Agent() string {
	name, ok := strings.CutPrefix(string(w), "agent:")
	if !ok {
		return ""
	}
	return name
}

// Actor is who a save in such a scope comes from.
func (w Writers) Actor() Actor {
	switch {
	case w == People || w == "":
		return Actor{Class: ClassPerson}
	case w.Agent() != "":
		return Actor{Class: ClassAgent, Name: w.Agent()}
	default:
		return Actor{Class: ClassProgram, Name: "unknown"}
	}
}

// Scope is one directory of memories and the rules that hold in it.
type Scope struct {
	Kind      ScopeKind
	Agent     string // with Kind Agent
	Tier      Tier   // with Kind Agent
	Workspace ID     // with Kind Workspace, and Tier workspace
	Dir       Path   // the directory, relative to the store
	System    Path   // where _system/, _index/, _inbox/ and REVIEW.md live; Dir unless bound
	Writers   Writers
	Identity  IdentityMode
	MemoryMD  MemoryMDMode
	Ignore    []string
	Label     string // set by the resolver where Kind, Agent and Tier do not tell scopes of one store apart
}

// Name identifies a scope within its store and on every surface: "global",
// "workspace", "workspace:<ULID>" in the home store, "agent:<name>" (tier
// global), "agent:<name>@workspace". It is also what commit messages carry.
// Several scopes of one kind in a store are told apart by their directory,
// "workspace/<dir>".
func (s Scope) Name() string {
	if s.Label != "" {
		return s.Label
	}
	switch s.Kind {
	case Agent:
		if s.Tier == TierWorkspace {
			return "agent:" + s.Agent + "@workspace"
		}
		return "agent:" + s.Agent
	default:
		return string(s.Kind)
	}
}

// Is reports whether the scope answers to name.
func (s Scope) Is(name string) bool { return s.Name() == name }

// Rank orders scopes for reading, most specific first: agent-workspace,
// agent-global, workspace, local, global. The smaller rank hides the larger.
func (s Scope) Rank() int {
	switch {
	case s.Kind == Agent && s.Tier == TierWorkspace:
		return 0
	case s.Kind == Agent:
		return 1
	case s.Kind == Workspace:
		return 2
	default:
		return 4
	}
}
