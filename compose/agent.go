package compose

// Agent is what the author of an AGENT.md wrote. It is never changed once
// parsed; share the pointer freely. The zero Agent has no part and an empty
// prompt. What the file does not declare (nil slices, HasAwareness) no memory
// can fill.
type Agent struct {
	Name             string
	Persona          Persona
	Judgments        []Judgment
	Background       []Section
	HasAwareness     bool // `awareness` is there, if with no domains
	Awareness        []Source
	Recovery         Recovery
	Manuals          []Manual
	Responsibilities []string
	Methodology      Methodology
	Mission          Mission
	Capabilities     []string
	Learn            Learn
	Notes            string // the body of the file: for people, never compiled
}

// Persona is who the agent is.
type Persona struct {
	Identity, Tone         string
	Priorities, Principles []string
}

// Judgment is how the agent decides in one domain.
type Judgment struct {
	Domain                                      string
	Heuristics, Constraints, EscalationTriggers []string
	Examples                                    []Example
}

// Example is a case and what to do about it. Bad and Reasoning may be empty.
type Example struct{ Scenario, Good, Bad, Reasoning string }

// Section is one part of what the agent knows beforehand.
type Section struct {
	Name    string // one of the four of sectionTitles
	Entries []Entry
}

// Entry is one fact.
type Entry struct{ Key, Value string }

// Source is where the agent can look. Description and AccessMethod may be empty
// where the author wrote none.
type Source struct{ Name, Description, AccessMethod string }

// Recovery is what to do when something fails.
type Recovery struct {
	Prompt      string // Markdown of any length
	MaxAttempts int    // 0: not said
}

// Manual is how the agent works with one capability.
type Manual struct {
	Capability string
	Workflows  []Workflow
}

// Workflow is one procedure. Description may be empty.
type Workflow struct{ Name, Description string }

// Methodology is how the agent goes about its work.
type Methodology struct {
	Prompt    string // Markdown of any length
	Checklist []string
}

// Mission is what the agent is for.
type Mission struct {
	Objective, Rationale         string
	SuccessCriteria, Constraints []string
}

// Learn is what the author lets the agent learn.
type Learn struct {
	N        int             // distinct conversations that an earned promotion needs
	PerDay   int             // promotions per day
	Manuals  bool            // workflows may be learned at all
	Sections map[string]Tier // slots with a stricter tier than their own
	Budgets  Budgets
}
