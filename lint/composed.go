package lint

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"memsync"
	"memsync/compose"
	"memsync/compose/agents"
	"memsync/internal/format"
	"memsync/internal/ledger"
)

// Size is how much of an agent's prompt is learned, in characters (Unicode code
// points), against its budgets.
type Size struct {
	Agent   string
	Path    memsync.Path // of its AGENT.md
	Parts   []Part       // of every primitive
	Total   int
	Ceiling int
}

// Part is that of one primitive.
type Part struct {
	Primitive          string
	Characters, Budget int
}

// AuthorOf names the agent whose AGENT.md a path is, "" for any other file.
func AuthorOf(p memsync.Path) string {
	dir := p.Dir()
	if p.Base() != "AGENT.md" || dir.Dir().Base() != "agents" {
		return ""
	}
	if above := dir.Dir().Dir(); above != "" && above != ".memsync" {
		return ""
	}
	return dir.Base()
}

// author reads an AGENT.md and tells what is wrong with it by itself.
func (c *Checker) author(r *Report, f File, s *source) {
	if AuthorOf(f.Path) == "" {
		return
	}
	a := agents.ReadAuthor(f.Path, f.Data)
	if f.Size > int64(len(f.Data)) { // too large to be read
		a.Agent, a.Err = nil, &memsync.Error{Code: memsync.CodeTooLarge, Path: f.Path, Line: 1, Column: 1,
			Message: fmt.Sprintf("the file has %d bytes, the limit is %d", f.Size, compose.MaxAgentBytes), Hint: "keep what the agent looks up in files of its own"}
	}
	r.author = &a
	if a.Err != nil {
		r.find(brokenAgent(a).Finding, "")
		return
	}
	if doc, err := format.Parse(f.Data, memsync.Limits{}); err == nil {
		if from, to, ok := doc.Span("learn"); ok {
			r.at = append(r.at, keySpot{"learn", s.span(from, to)})
		}
	}
}

// compositions judges the agents of the store, and what is kept for them.
func (j *join) compositions() {
	for _, p := range slices.Sorted(maps.Keys(j.Approved)) {
		if _, ok := agents.ReadApproved(p, j.Approved[p]); !ok {
			j.find(Finding{Finding: memsync.Finding{Code: AlteredSnapshot, Severity: bad, Path: p,
				Message: "it is not what its name says, or no snapshot: what was promoted by it does not count", Hint: "bring it back from git's history; a wording changes in the memory, and by an approval"}})
		}
	}
	if j.Partial {
		return
	}
	s := j.agents()
	if s == nil {
		return
	}
	for _, n := range composition(s) {
		if n.Code != BadAgent { // told with its file
			j.find(j.placed(n))
		}
	}
	for _, scope := range j.scopes {
		j.review(s, scope)
	}
	j.intos(s)
	for _, a := range s.Authors() {
		if c, ok := s.Compose(a.Name); ok {
			j.sizes = append(j.sizes, sizeOf(c))
		}
	}
}

func sizeOf(c *agents.Composition) Size {
	r := &c.Report
	s := Size{Agent: c.Author.Name, Path: c.Author.Path, Total: r.Total, Ceiling: r.Budgets.Ceiling}
	for _, p := range compose.Primitives {
		s.Parts = append(s.Parts, Part{string(p), r.Characters[p], r.Budgets.Of(p)})
	}
	return s
}

// agents are the agents of the store; nil where it has none.
func (j *join) agents() *agents.Store {
	in := agents.Input{View: j.view, State: j.state, Now: j.Now, FromModel: j.policy.Targets.FromModel}
	for _, r := range j.Reports {
		if r.author == nil {
			continue
		}
		a := *r.author
		if a.Agent == nil {
			a.Agent = j.Good[r.Path]
		}
		in.Authors = append(in.Authors, a)
	}
	if len(in.Authors) == 0 {
		return nil
	}
	promoted := map[memsync.ID]bool{}
	for p, data := range j.Approved {
		if a, ok := agents.ReadApproved(p, data); ok {
			in.Approved = append(in.Approved, a)
			promoted[a.Memory] = true
		}
	}
	for m := range j.view.All() {
		if m.Kind != memsync.KindMemory || m.Target == "" && !promoted[m.ID] && !j.decided(m.ID) {
			continue
		}
		in.Memories = append(in.Memories, agents.Memory{Memory: identified(m), Wants: agents.WantsOf(m, j.body(m))})
	}
	return agents.New(in)
}

// decided reports whether the ledger says anything about a memory's place.
func (j *join) decided(id memsync.ID) bool {
	return id != "" && slices.ContainsFunc(j.state.Events(id), func(e memsync.LedgerEvent) bool {
		switch e.Op {
		case memsync.LedgerPromote, memsync.LedgerDemote, memsync.LedgerPropose, memsync.LedgerApprove, memsync.LedgerDeny:
			return true
		}
		return false
	})
}

// identified is a memory under a name for as long as it has none of its own, so
// that a new file is judged before it is taken in.
func identified(m *memsync.Memory) *memsync.Memory {
	if m.ID != "" {
		return m
	}
	same := *m
	same.ID = ledger.DerivedID(m.CreatedAt, "lint", string(m.Path))
	return &same
}

// body is the text of a memory that proposes a place, as it was accepted.
func (j *join) body(m *memsync.Memory) string {
	r := j.byPath[m.Path]
	if r == nil || m.Target == "" {
		return ""
	}
	if !r.held {
		return r.body
	}
	doc, err := format.Parse(j.Head[m.Path].Data, j.policy.Limits)
	if err != nil {
		return ""
	}
	return doc.Body()
}

// placed is a finding at the key, or at the line of the ledger, that it is about.
func (j *join) placed(n noted) Finding {
	if n.event != "" {
		if f, ok := j.inLedger(n); ok {
			return f
		}
	}
	f := Finding{Finding: n.Finding, About: n.about}
	f.Line, f.Column = 1, 1
	if r := j.byPath[n.Path]; r != nil {
		if p, ok := r.place(n.key); ok {
			f.put(p)
		}
	}
	return f
}

// inLedger places a finding at the line of its event. ok is false where no file
// that was read has it.
func (j *join) inLedger(n noted) (Finding, bool) {
	for _, l := range j.Ledgers {
		for at, line := 0, 1; at < len(l.Data); line++ {
			end := len(l.Data)
			if i := bytes.IndexByte(l.Data[at:], '\n'); i >= 0 {
				end = at + i
			}
			if text := l.Data[at:end]; bytes.Contains(text, []byte(n.event)) {
				if events, _ := ledger.Parse(l.Path, text); len(events) == 1 && events[0].ID == n.event {
					f := Finding{Finding: n.Finding, About: n.about}
					f.Path, f.Line, f.Column = l.Path, line, 1
					newSource(l.Data).settle(&f)
					return f, true
				}
			}
			at = end + 1
		}
	}
	return Finding{}, false
}

// review holds a scope's REVIEW.md to what waits. One that lies elsewhere than the
// memories is not looked at.
func (j *join) review(s *agents.Store, scope memsync.Scope) {
	p := agents.ReviewPath(scope)
	if scope.System != scope.Dir || slices.Contains(j.Unmerged, p) || slices.ContainsFunc(j.Skipped, func(x Skip) bool { return x.Path == p }) {
		return
	}
	f := Finding{Finding: memsync.Finding{Code: ReviewDrift, Severity: warn, Path: p, Hint: j.remedy(p)}}
	waiting := s.Waiting(scope.Name())
	r := j.byPath[p]
	if r == nil {
		if len(waiting) > 0 {
			f.Message = "there is no REVIEW.md, and " + count(len(waiting), "entry waits", "entries wait") + " for a decision"
			j.find(f)
		}
		return
	}
	if f.Line = agents.Drift(scope, waiting, r.Data); f.Line > 0 {
		f.Message = fmt.Sprintf("is not what waits for a decision: %s", count(len(waiting), "entry does", "entries do"))
		if len(waiting) == 0 {
			f.Message = "is not what waits for a decision: nothing does"
		}
		newSource(r.Data).settle(&f)
		j.find(f)
	}
}

// intos holds the regions of [[into]] to the prompts.
func (j *join) intos(s *agents.Store) {
	for _, into := range j.policy.Into {
		data, exists := j.Into[into.File]
		f := Finding{Finding: memsync.Finding{Code: IntoDrift, Severity: warn, Path: into.File, Hint: j.remedy(into.File)}, About: into.Agent}
		c, ok := s.Compose(into.Agent)
		if !ok {
			f.Message = "[[into]] names " + shownName(into.Agent) + ", and no agent of that name can be composed"
			f.Hint = "write agents/" + shownName(into.Agent) + "/AGENT.md, or take the entry out of memsync.toml"
			j.find(f)
			continue
		}
		want, err := agents.Into(into.File, data, into.Agent, c.Prompt())
		var e *memsync.Error
		switch {
		case errors.As(err, &e):
			f.Message, f.Hint = e.Message, e.Hint
		case bytes.Equal(want, data):
			continue
		case !exists:
			f.Message = "it is not there, and should hold the prompt of " + shownName(into.Agent)
			f.Hint = "`memsync compose " + shownName(into.Agent) + " --into " + nameOf(into.File) + "` makes it; or take its [[into]] out of memsync.toml"
		default:
			f.Message = "the region of " + shownName(into.Agent) + " is not its prompt"
		}
		if exists {
			if f.Line = 1; err == nil {
				f.Line = firstDifference(data, want)
			}
			newSource(data).settle(&f)
		}
		j.find(f)
	}
}

// remedy says who writes a file that memsync makes.
func (j *join) remedy(p memsync.Path) string {
	switch {
	case j.Partial:
		return "stage it with the memories: `git add " + nameOf(p) + "`; `memsync hooks install --fix-staged` has that done"
	case j.Theirs:
		return "the next write here does it; before a commit, `memsync hooks install --fix-staged`"
	default:
		return "`memsync up --once` writes it"
	}
}

// masked are the sizes as they may be told.
func (h hiding) sizes(list []Size) []Size {
	for i := range list {
		if p := h.path(list[i].Path); p != list[i].Path {
			list[i].Path, list[i].Agent = p, strings.TrimSuffix(p.Dir().Base(), "/")
		}
	}
	return list
}
