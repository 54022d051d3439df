package compose

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"memsync"
	"memsync/internal/format"
	"memsync/internal/text"
)

// MaxAgentBytes is how large an AGENT.md may be.
const MaxAgentBytes = 256 << 10

// sectionNames are the sections that a background can have.
var sectionNames = []string{"teamContext", "projectContext", "conventions", "currentState"}

// ParseAgent reads an AGENT.md: frontmatter that says what the agent is, and a
// body of notes. It is strict, because a slip here changes a prompt: unknown
// keys, values of another type, empty ones, two domains of one name and what
// YAML would need a guess for are refused. Errors are *memsync.Error with path,
// line, column and hint; they repeat names, never values.
//
// A name that is absent is that of the directory; one that is there must agree
// with it.
func ParseAgent(path memsync.Path, data []byte) (*Agent, error) {
	a, err := parseAgent(path, data)
	if err == nil {
		return a, nil
	}
	var e *memsync.Error
	if errors.As(err, &e) {
		e.Path = path
	}
	return nil, err
}

func parseAgent(path memsync.Path, data []byte) (*Agent, error) {
	if len(data) > MaxAgentBytes {
		return nil, &memsync.Error{Code: memsync.CodeTooLarge, Message: fmt.Sprintf("the file has %d bytes, the limit is %d", len(data), MaxAgentBytes),
			Line: 1, Column: 1, Hint: "a prompt of that size helps nobody: keep what the agent looks up in files of its own"}
	}
	doc, err := format.Parse(data, memsync.Limits{})
	if err != nil {
		return nil, err
	}
	if !doc.HasFrontmatter() {
		return nil, fault(format.Position{Line: 1, Column: 1}, "there is no frontmatter", "an agent is written between two lines `---`, its notes below")
	}
	tree, err := doc.Tree()
	if err != nil {
		return nil, err
	}
	r := agentReader{Agent: &Agent{Notes: doc.Body(), Learn: Learn{N: 2, PerDay: 10, Budgets: DefaultBudgets()}},
		domains: names{}, sources: names{}}
	if err := readMapping(&tree, "", r.keys(path.Dir().Base())...); err != nil {
		return nil, err
	}
	a := r.Agent
	if a.Name == "" && path.Dir() != "" {
		a.Name = path.Dir().Base()
	}
	if a.Name == "" {
		return nil, fault(tree.At, "name is missing", "write `name: …`")
	}
	return a, nil
}

// agentReader fills an Agent; names that may stand once are remembered.
type agentReader struct {
	*Agent
	domains, sources names
}

// names are those seen, in the form in which they are compared.
type names map[string]bool

// again notes a name and reports whether it was there.
func (n names) again(name string) bool {
	was := n[name]
	n[name] = true
	return was
}

// keys are those of AGENT.md.
func (a *agentReader) keys(directory string) []key {
	return []key{
		{name: "name", read: func(t *format.Tree, name string) (err error) {
			if a.Name, err = readName(t, name); err != nil {
				return err
			}
			if a.Name != oneLine(a.Name) {
				return fault(t.At, "name is not one plain line", "letters, digits and dashes")
			}
			if directory != "." && directory != a.Name {
				return fault(t.At, "name is "+strconv.Quote(clip(a.Name))+", the directory says "+strconv.Quote(clip(directory)), "remove the key, or rename the directory")
			}
			return nil
		}},
		group("persona", words("identity", &a.Persona.Identity), words("tone", &a.Persona.Tone),
			texts("priorities", &a.Persona.Priorities), texts("principles", &a.Persona.Principles)),
		each("judgments", a.readJudgment),
		group("background", a.section("teamContext"), a.section("projectContext"), a.section("conventions"), a.section("currentState")),
		{name: "awareness", read: func(t *format.Tree, name string) error {
			a.HasAwareness = true
			return readMapping(t, name, each("domains", a.readSource))
		}},
		group("recovery", required(words("prompt", &a.Recovery.Prompt)), number("maxAttempts", 1, 1000, &a.Recovery.MaxAttempts)),
		named("manuals", a.readManual),
		texts("responsibilities", &a.Responsibilities),
		group("methodology", words("prompt", &a.Methodology.Prompt), texts("checklist", &a.Methodology.Checklist)),
		group("mission", words("objective", &a.Mission.Objective), texts("successCriteria", &a.Mission.SuccessCriteria),
			texts("constraints", &a.Mission.Constraints), words("rationale", &a.Mission.Rationale)),
		texts("capabilities", &a.Capabilities),
		{name: "learn", read: a.readLearn},
	}
}

func (a *agentReader) readJudgment(t *format.Tree, name string) error {
	var j Judgment
	err := readMapping(t, name, required(short("domain", &j.Domain)), texts("heuristics", &j.Heuristics), texts("constraints", &j.Constraints),
		texts("escalationTriggers", &j.EscalationTriggers), each("examples", func(t *format.Tree, name string) error {
			var e Example
			err := readMapping(t, name, required(words("scenario", &e.Scenario)), required(words("good", &e.Good)),
				words("bad", &e.Bad), words("reasoning", &e.Reasoning))
			j.Examples = append(j.Examples, e)
			return err
		}))
	if err != nil {
		return err
	}
	if a.domains.again(normal(j.Domain)) {
		return twice(t, name, "domain", j.Domain)
	}
	a.Judgments = append(a.Judgments, j)
	return nil
}

// section is one part of the background; its keys are its author's.
func (a *agentReader) section(section string) key {
	return key{name: section, read: func(t *format.Tree, name string) error {
		s := Section{Name: section}
		err := named(section, func(t *format.Tree, name string) error {
			value, err := readText(t, name)
			s.Entries = append(s.Entries, Entry{Key: t.Key, Value: value})
			return err
		}).read(t, name)
		a.Background = append(a.Background, s)
		return err
	}}
}

func (a *agentReader) readSource(t *format.Tree, name string) error {
	var s Source
	if err := readMapping(t, name, required(short("name", &s.Name)), words("description", &s.Description), words("accessMethod", &s.AccessMethod)); err != nil {
		return err
	}
	if a.sources.again(foldName(s.Name)) {
		return twice(t, name, "name", s.Name)
	}
	a.Awareness = append(a.Awareness, s)
	return nil
}

func (a *agentReader) readManual(t *format.Tree, name string) error {
	m, seen := Manual{Capability: t.Key}, names{}
	err := readMapping(t, name, each("workflows", func(t *format.Tree, name string) error {
		var w Workflow
		if err := readMapping(t, name, required(short("name", &w.Name)), words("description", &w.Description)); err != nil {
			return err
		}
		if seen.again(normal(w.Name)) {
			return twice(t, name, "name", w.Name)
		}
		m.Workflows = append(m.Workflows, w)
		return nil
	}))
	a.Manuals = append(a.Manuals, m)
	return err
}

func (a *agentReader) readLearn(t *format.Tree, name string) error {
	l := &a.Learn
	ceiling := -1
	var ceilingAt format.Position
	limits := []key{{name: "ceiling", read: func(t *format.Tree, name string) error {
		ceilingAt = t.At
		return number("ceiling", 0, maxBudget, &ceiling).read(t, name)
	}}}
	for _, p := range Primitives {
		limits = append(limits, number(string(p), 0, maxBudget, l.Budgets.at(p)))
	}
	err := readMapping(t, name, number("n", 1, 100, &l.N), number("per_day", 0, 1000, &l.PerDay), truth("manuals", &l.Manuals),
		named("sections", a.readTier), group("budgets", limits...))
	if err != nil {
		return err
	}
	// Where nobody set a ceiling it keeps below budgets that somebody lowered.
	l.Budgets.Ceiling = min(l.Budgets.Ceiling, max(l.Budgets.sum()-1, 0))
	if ceiling < 0 {
		return nil
	}
	if sum := l.Budgets.sum(); ceiling >= sum && sum > 0 {
		return fault(ceilingAt, fmt.Sprintf("%s.budgets.ceiling is %d, and must be below the sum of the budgets, %d", name, ceiling, sum), "lower it, or raise a budget")
	}
	l.Budgets.Ceiling = ceiling
	return nil
}

// readTier reads one slot's tier, which may be stricter than its own, never
// looser.
func (a *agentReader) readTier(t *format.Tree, name string) error {
	own, ok := slotTier(t.Key)
	if !ok {
		slots := slotNames()
		return fault(t.KeyAt, "unknown key "+strconv.Quote(name)+didYouMean(t.Key, slots), "known here: "+join(slots))
	}
	word, err := readText(t, name)
	if err != nil {
		return err
	}
	tier := Tier(word)
	switch {
	case !slices.Contains(tiers, tier):
		return fault(t.At, strconv.Quote(clip(word))+" is no tier"+didYouMean(word, tiers), "one of "+join(tiers))
	case tier.rank() < own.rank():
		return fault(t.At, fmt.Sprintf("%s is %s, which is looser than its own tier, %s", name, tier, own), "a slot can be made stricter, never looser")
	}
	if a.Learn.Sections == nil {
		a.Learn.Sections = map[string]Tier{}
	}
	a.Learn.Sections[t.Key] = tier
	return nil
}

func slotNames() []string {
	return slices.Concat(sectionNames, []string{"awareness"}, judgmentSlots, []string{"examples", "recovery", "workflows"})
}

func twice(t *format.Tree, name, key, value string) error {
	at := t.At
	for _, item := range t.Items {
		if item.Key == key {
			at = item.At
		}
	}
	return fault(at, name+"."+key+" is "+strconv.Quote(clip(value))+", which is there already", "join the two")
}

// foldName is the form in which names of sources are compared.
func foldName(s string) string { return text.Fold(oneLine(s)) }
