package compose

import (
	"strconv"
	"strings"

	"memsync"
)

// Origin is who wrote a fragment of the prompt.
type Origin string

const (
	ByAuthor Origin = "authored"
	ByMemory Origin = "memory"
)

// Fragment is a piece of the prompt, whole lines of it.
type Fragment struct {
	Source    Origin       `json:"source"`
	Text      string       `json:"text"`
	MemoryIDs []memsync.ID `json:"memory_ids,omitempty"` // exactly where Source is memory
}

// Prompt is the text that fragments make.
func Prompt(fragments []Fragment) string {
	var b strings.Builder
	for _, f := range fragments {
		b.WriteString(f.Text)
	}
	return b.String()
}

// sectionTitles are the headings of a background's sections.
var sectionTitles = map[string]string{
	"teamContext": "Team context", "projectContext": "Project context", "conventions": "Conventions", "currentState": "Current state",
}

// Render writes the prompt: Identity, Boundaries, Capabilities, Context, Mission,
// Methodology, in the author's order within each. A part without an entry has no
// heading; one that only a memory fills has the author's.
func Render(c Composed) []Fragment {
	if c.agent == nil {
		return nil
	}
	p := page{learned: c.learned}
	a := c.agent
	p.heading(1, "Identity")
	p.pairs(Entry{"identity", a.Persona.Identity}, Entry{"tone", a.Persona.Tone})
	p.titled(2, "Priorities", a.Persona.Priorities)
	p.titled(2, "Principles", a.Persona.Principles)
	p.titled(2, "Responsibilities", a.Responsibilities)

	p.heading(1, "Boundaries")
	for i := range a.Judgments {
		j := &a.Judgments[i]
		p.heading(2, j.Domain)
		p.judgment(j, "Constraints", "constraints")
		p.judgment(j, "Escalation triggers", "escalationTriggers")
	}
	p.heading(2, "Recovery")
	p.prose(a.Recovery.Prompt)
	if n := a.Recovery.MaxAttempts; n > 0 {
		p.pairs(Entry{"maxAttempts", strconv.Itoa(n)})
	}
	p.fill(slot{primitive: RecoverySlot})

	p.heading(1, "Capabilities")
	p.list(a.Capabilities)
	for _, m := range a.Manuals {
		p.heading(2, m.Capability)
		p.heading(3, "Workflows")
		for _, w := range m.Workflows {
			p.item(w.lines())
		}
		p.fill(slot{ManualSlot, normal(m.Capability), ""})
	}

	p.heading(1, "Context")
	for _, s := range a.Background {
		p.heading(2, sectionTitles[s.Name])
		p.pairs(s.Entries...)
		p.fill(slot{BackgroundSlot, s.Name, ""})
	}
	p.heading(2, "Information sources")
	for _, s := range a.Awareness {
		p.item(s.lines())
	}
	p.fill(slot{primitive: AwarenessSlot})

	p.heading(1, "Mission")
	p.pairs(Entry{"objective", a.Mission.Objective}, Entry{"rationale", a.Mission.Rationale})
	p.titled(2, "Success criteria", a.Mission.SuccessCriteria)
	p.titled(2, "Constraints", a.Mission.Constraints)

	p.heading(1, "Methodology")
	p.prose(a.Methodology.Prompt)
	p.titled(2, "Checklist", a.Methodology.Checklist)
	for i := range a.Judgments {
		j := &a.Judgments[i]
		p.heading(2, j.Domain)
		p.judgment(j, "Heuristics", "heuristics")
		p.heading(3, "Examples")
		for _, e := range j.Examples {
			p.item(e.lines())
		}
		p.fill(slot{ExampleSlot, normal(j.Domain), ""})
	}
	p.flush()
	return p.fragments
}

// page writes Markdown. Headings wait until something stands under them; blank
// lines stand around headings and between prose and lists, and are the author's.
type page struct {
	learned   map[slot][]line
	fragments []Fragment
	authored  strings.Builder // not yet a fragment
	waiting   [4]string       // headings by level
	begun     bool
	inList    bool
}

// heading opens a part of that level; "" there and deeper are over.
func (p *page) heading(level int, title string) {
	p.waiting[level] = oneLine(title)
	clear(p.waiting[level+1:])
	p.inList = false
}

// open writes what must stand before the next block.
func (p *page) open(list bool) {
	for level, title := range p.waiting {
		if title == "" {
			continue
		}
		p.blank()
		p.authored.WriteString(strings.Repeat("#", level) + " " + title + "\n")
		p.inList = false
	}
	clear(p.waiting[:])
	if !list || !p.inList {
		p.blank()
	}
	p.inList = list
}

func (p *page) blank() {
	if p.begun {
		p.authored.WriteByte('\n')
	}
	p.begun = true
}

// item writes an authored entry.
func (p *page) item(lines string) {
	p.open(true)
	p.authored.WriteString(lines)
}

// prose writes an authored text of any length as it stands.
func (p *page) prose(s string) {
	if s = strings.Trim(strings.ReplaceAll(s, "\r\n", "\n"), "\n"); strings.TrimSpace(s) == "" {
		return
	}
	p.open(false)
	p.authored.WriteString(s + "\n")
}

func (p *page) list(items []string) {
	for _, s := range items {
		p.item(bullet(s))
	}
}

func (p *page) titled(level int, title string, items []string) {
	p.heading(level, title)
	p.list(items)
}

// pairs writes what has a value.
func (p *page) pairs(entries ...Entry) {
	for _, e := range entries {
		if e.Value != "" {
			p.item(pair(e.Key, e.Value))
		}
	}
}

func (p *page) judgment(j *Judgment, title, name string) {
	p.titled(3, title, j.slot(name))
	p.fill(slot{JudgmentSlot, normal(j.Domain), name})
}

// fill writes what was learned for a slot, behind what the author wrote.
func (p *page) fill(at slot) {
	for _, e := range p.learned[at] {
		p.open(true)
		p.flush()
		p.fragments = append(p.fragments, Fragment{Source: ByMemory, Text: e.text, MemoryIDs: []memsync.ID{e.id}})
	}
}

// flush makes a fragment of what the author wrote since the last one.
func (p *page) flush() {
	if p.authored.Len() > 0 {
		p.fragments = append(p.fragments, Fragment{Source: ByAuthor, Text: p.authored.String()})
		p.authored.Reset()
	}
}

// Why are the fragments that a line of the prompt stands in, by its 1-based
// number: one, or none for a line that is not there.
func Why(fragments []Fragment, line int) []Fragment {
	var out []Fragment
	at := 1 // the line on which the fragment begins
	for _, f := range fragments {
		last := at + strings.Count(f.Text, "\n")
		if ended := strings.HasSuffix(f.Text, "\n"); f.Text != "" && at <= line && (line < last || line == last && !ended) {
			out = append(out, f)
		}
		at = last
	}
	return out
}
