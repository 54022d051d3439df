package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"memsync"
	"memsync/compose"
	"memsync/compose/agents"
)

func init() {
	verbs = append(verbs, verb{"why TEXT|LINE [AGENT]", "Say where a line of a prompt comes from: author, or memory, promotion and conversation", (*app).whyVerb})
}

// whyRow is a line of the prompt and where it is from.
type whyRow struct {
	Agent    string               `json:"agent"`
	Line     int                  `json:"line"`
	Text     string               `json:"text"`
	Source   compose.Origin       `json:"source"`
	Author   memsync.Path         `json:"author,omitempty"` // the agent's file
	Memory   memsync.ID           `json:"memory_id,omitempty"`
	Path     memsync.Path         `json:"path,omitempty"`
	Place    string               `json:"place,omitempty"`
	Promoted *memsync.LedgerEvent `json:"promoted,omitempty"`
	Bar      compose.Bar          `json:"bar,omitempty"`
	Approval *memsync.LedgerEvent `json:"approval,omitempty"`
	Supports []string             `json:"conversations,omitempty"`
	Edited   bool                 `json:"edited,omitempty"` // the memory says something else now
}

func (a *app) whyVerb() *cobra.Command {
	var asOf asOfFlags
	cmd := &cobra.Command{
		Long: "why looks for TEXT in the composed prompt, or takes the number of a LINE, and walks from each line that it finds to its\n" +
			"memory, to the promotion that put it there and the bar that this passed, and to the conversations that taught it.",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			name := ""
			if len(args) == 2 {
				name = args[1]
			}
			k, name, err := a.composer(name)
			if err != nil {
				return err
			}
			defer k.Close()
			st, err := a.agentsOf(k, asOf)
			if err != nil {
				return err
			}
			c, err := composition(st, name)
			if err != nil {
				return err
			}
			rows := why(st, c, args[0])
			if len(rows) == 0 {
				return &memsync.Error{Code: memsync.CodeNotFound, Message: "no line of the prompt of " + name + " says that", Hint: "`memsync compose " + name + "` prints it"}
			}
			if emitList(a, "lines", rows) {
				return nil
			}
			for _, r := range rows {
				a.printWhy(&r)
			}
			return nil
		},
	}
	asOf.register(cmd)
	return cmd
}

// why are the lines that a number or a text names.
func why(st *agents.Store, c *agents.Composition, arg string) (rows []whyRow) {
	number, err := strconv.Atoi(arg)
	byNumber := err == nil
	for i, line := range strings.Split(strings.TrimSuffix(c.Prompt(), "\n"), "\n") {
		n := i + 1
		if byNumber && n != number || !byNumber && (line == "" || !strings.Contains(strings.ToLower(line), strings.ToLower(arg))) {
			continue
		}
		for _, f := range compose.Why(c.Fragments, n) {
			r := whyRow{Agent: c.Author.Name, Line: n, Text: line, Source: f.Source}
			if f.Source == compose.ByAuthor {
				r.Author = c.Author.Path
			}
			for _, id := range f.MemoryIDs {
				of := r
				of.memory(st, c, id)
				rows = append(rows, of)
			}
			if len(f.MemoryIDs) == 0 {
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// memory fills in what is known of a learned line.
func (r *whyRow) memory(st *agents.Store, c *agents.Composition, id memsync.ID) {
	r.Memory = id
	m, events, ok := st.Memory(id)
	if !ok {
		return
	}
	s := c.States[id]
	r.Path, r.Supports = m.Path, s.Supports
	p := s.Promotion
	if p == nil {
		return
	}
	r.Bar, r.Edited = p.Bar, p.Edited
	r.Promoted, r.Approval = eventOf(events, p.Event), eventOf(events, p.Approval)
	if r.Promoted != nil {
		if t, err := compose.ParseTarget(r.Promoted.Target); err == nil {
			r.Place = agents.Place(t)
		}
	}
}

func eventOf(events []memsync.LedgerEvent, id memsync.ID) *memsync.LedgerEvent {
	i := slices.IndexFunc(events, func(e memsync.LedgerEvent) bool { return e.ID == id && id != "" })
	if i < 0 {
		return nil
	}
	return &events[i]
}

func (a *app) printWhy(r *whyRow) {
	fmt.Fprintf(a.stdout, "%s:%d: %s\n", oneLine(r.Agent), r.Line, oneLine(r.Text))
	if r.Source == compose.ByAuthor {
		fmt.Fprintf(a.stdout, "  the author wrote it: %s\n", oneLine(string(r.Author)))
		return
	}
	fmt.Fprintf(a.stdout, "  from %s (%s), as %s\n", oneLine(string(r.Path)), r.Memory, oneLine(r.Place))
	if r.Promoted != nil {
		fmt.Fprintf(a.stdout, "  promoted %s, %s\n", stamp(r.Promoted.At), a.barInWords(r))
	}
	if len(r.Supports) > 0 {
		fmt.Fprintf(a.stdout, "  taught in %s\n", oneLine(strings.Join(r.Supports, ", ")))
	}
	if r.Edited {
		fmt.Fprintln(a.stdout, "  the memory was edited since; this is what was promoted")
	}
}

func whoDecided(x memsync.Actor) string {
	if x.Name == "" {
		return "a " + string(x.Class)
	}
	return oneLine(x.Name)
}

// barInWords says what a promotion passed.
func (a *app) barInWords(r *whyRow) string {
	switch r.Bar {
	case compose.BarAuto:
		return "where nothing is asked"
	case compose.BarRecurrence:
		return fmt.Sprintf("because %d conversations taught it", len(r.Supports))
	}
	if r.Approval != nil {
		by := "approved"
		if r.Approval.Op == memsync.LedgerPromote {
			by = "promoted"
		}
		return fmt.Sprintf("%s by %s on %s", by, whoDecided(r.Approval.Actor), stamp(r.Approval.At))
	}
	return "by a person"
}
