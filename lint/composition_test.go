package lint_test

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"memsync"
	"memsync/compose"
	"memsync/compose/agents"
	"memsync/internal/ledger"
	"memsync/lint"
)

// law draws as many cases as the build asks for.
func law(t *testing.T, holds func(t *rapid.T)) {
	t.Helper()
	if err := flag.Set("rapid.checks", strconv.Itoa(cases)); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, holds)
}

var (
	monday = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	ana    = memsync.Actor{Class: memsync.ClassPerson, Name: "Ana"}
	bob    = memsync.Actor{Class: memsync.ClassAgent, Name: "bob"}
)

// theID is the n-th id, n hours after monday.
func theID(n int) memsync.ID {
	return memsync.MakeID(monday.Add(time.Duration(n)*time.Hour), [10]byte{byte(n >> 8), byte(n)})
}

// authors are agents that have some of their places in common.
func authors(t testing.TB) (out []agents.Author) {
	t.Helper()
	for name, text := range map[string]string{
		"harbor": "judgments: [{domain: review, heuristics: [Read the changelog first.]}]\nbackground: {projectContext: {repo: here}, currentState: {}}\n" +
			"learn: {budgets: {background: 45, judgment: 160, ceiling: 200}}",
		"pilot": "judgments: [{domain: landing}, {domain: review}]\nawareness: {domains: []}\nlearn: {n: 3}",
	} {
		a := agents.ReadAuthor(memsync.Path("agents/"+name+"/AGENT.md"), []byte("---\n"+text+"\n---\n"))
		if a.Err != nil {
			t.Fatal(a.Err)
		}
		out = append(out, a)
	}
	broken := agents.ReadAuthor("agents/tower/AGENT.md", []byte("---\nname: [\n---\n"))
	return append(out, broken)
}

// places are targets, some of which no agent has.
var places = []string{
	`{"primitive":"background","section":"projectContext","key":"ci"}`, `{"primitive":"background","section":"projectContext","key":"repo"}`,
	`{"primitive":"background","section":"currentState","key":"freeze"}`, `{"primitive":"background","section":"conventions","key":"x"}`,
	`{"primitive":"judgment","domain":"review","slot":"heuristics"}`, `{"primitive":"judgment","domain":"review","slot":"constraints"}`,
	`{"primitive":"judgment","domain":"landings","slot":"constraints"}`, `{"primitive":"awareness"}`, `{"primitive":"recovery"}`,
	`{"primitive":"judgment","domain":"review"}`, `"review"`, "",
}

var bodies = []string{"It is slow on Mondays.", "It is slow on Mondays and closed at night.", "Always read the changelog first.", "Never read the changelog first.",
	"Ask the owner.", "", "One.\n\nTwo.", strings.Repeat("a long line of many words ", 3)}

// drawStore is what a store holds, in the order drawn.
func drawStore(t *rapid.T) agents.Input {
	scopes := []memsync.Scope{{Kind: memsync.Global, Dir: "memory", System: "memory", Writers: memsync.People},
		{Kind: memsync.Agent, Agent: "harbor", Tier: memsync.TierGlobal, Dir: "agents/harbor/memory", System: "agents/harbor/memory", Writers: "agent:harbor"}}
	in := agents.Input{Now: monday.AddDate(0, 0, rapid.IntRange(0, 90).Draw(t, "days"))}
	var all []*memsync.Memory
	var events []ledger.Located
	for n := range rapid.IntRange(1, 6).Draw(t, "memories") {
		s := scopes[rapid.IntRange(0, 1).Draw(t, "scope")]
		m := &memsync.Memory{ID: theID(n), Path: s.Dir.Join(fmt.Sprintf("project_m%d.md", n)), Scope: s.Name(), Kind: memsync.KindMemory, Slug: fmt.Sprintf("m%d", n),
			Target: rapid.SampledFrom(places).Draw(t, "target")}
		body := rapid.SampledFrom(bodies).Draw(t, "body")
		all = append(all, m)
		in.Memories = append(in.Memories, agents.Memory{Memory: m, Wants: agents.WantsOf(m, body)})
		was := rapid.SampledFrom([]string{body, body, "It was otherwise."}).Draw(t, "promoted wording")
		snap, err := compose.SnapshotOf(m, was)
		if err != nil || snap.Lacks() != "" {
			continue
		}
		bytes, err := snap.Bytes()
		if err != nil {
			continue
		}
		h := memsync.HashOf(bytes)
		if rapid.IntRange(0, 4).Draw(t, "snapshot is there") > 0 {
			in.Approved = append(in.Approved, agents.Approved{Memory: m.ID, Hash: h, Snapshot: snap})
		}
		proposal := compose.Propose(m.ID, h, snap.Target, nil)
		for k := range rapid.IntRange(0, 3).Draw(t, "events") {
			e := memsync.LedgerEvent{ID: theID(1000 + 10*n + k), Memory: m.ID, Actor: rapid.SampledFrom([]memsync.Actor{ana, bob}).Draw(t, "actor")}
			e.At = e.ID.Time()
			switch rapid.IntRange(0, 6).Draw(t, "event") {
			case 0, 1:
				e.Op, e.Hash, e.Target = memsync.LedgerPromote, h, snap.Target.String()
			case 2:
				e = proposal
			case 3:
				e.Op, e.Proposal = memsync.LedgerApprove, proposal.ID
			case 4:
				e.Op, e.Proposal = memsync.LedgerDeny, proposal.ID
			case 5:
				e.Op, e.Conversation = memsync.LedgerCorroborate, fmt.Sprint("c", k)
			default:
				e.Op, e.Sees = memsync.LedgerDemote, []memsync.ID{theID(1000 + 10*n)}
			}
			events = append(events, ledger.Locate(s.Dir, s.Dir.Join("_system/ledger/2026-03.x.jsonl"), []memsync.LedgerEvent{e})...)
		}
	}
	in.View = memsync.NewView(memsync.Revision{}, scopes, all)
	in.State = ledger.Fold(events)
	return in
}

var family = regexp.MustCompile(`^MS5\d\d$`)

// TestComposition: the findings about a store's agents are the same in any order of
// its parts; each is of a rule and about a file of the store; each agent's are among
// those of all; nothing is old without a moment; and nothing that was promoted and is
// not in a prompt goes untold.
func TestComposition(t *testing.T) {
	known := authors(t)
	seen := map[string]bool{}
	law(t, func(t *rapid.T) {
		in := drawStore(t)
		in.Authors = known
		s := agents.New(in)
		found := lint.Composition(s, "")
		shuffled := in
		shuffled.Authors = rapid.Permutation(in.Authors).Draw(t, "authors")
		shuffled.Memories = rapid.Permutation(in.Memories).Draw(t, "order of memories")
		shuffled.Approved = rapid.Permutation(in.Approved).Draw(t, "order of snapshots")
		if diff := cmp.Diff(found, lint.Composition(agents.New(shuffled), "")); diff != "" {
			t.Fatalf("in another order:\n%s", diff)
		}
		one := map[string]bool{}
		for _, f := range found {
			seen[f.Code] = true
			one[f.Code+string(f.Path)+f.Message] = true
			if _, ok := lint.RuleOf(f.Code); !ok || !family.MatchString(f.Code) {
				t.Fatalf("no rule of this family: %v", f)
			}
			if f.Line < 1 || f.Message == "" || strings.ContainsAny(f.Message+f.Hint, "\x00\n") || strings.Contains(f.Message, "%!") {
				t.Fatalf("%+v", f)
			}
			if lint.AuthorOf(f.Path) == "" && !slices.ContainsFunc(in.Memories, func(m agents.Memory) bool { return m.Path == f.Path }) {
				t.Fatalf("about no file of the store: %v", f)
			}
		}
		alone := 0
		for _, a := range known {
			for _, f := range lint.Composition(s, a.Name) {
				if !one[f.Code+string(f.Path)+f.Message] {
					t.Fatalf("only of %s: %v", a.Name, f)
				}
				alone++
			}
		}
		if alone < len(found) {
			t.Fatalf("%d of all, and %d of each", len(found), alone)
		}
		timeless := in
		timeless.Now = time.Time{}
		for _, f := range lint.Composition(agents.New(timeless), "") {
			if f.Code == lint.Pending || f.Code == lint.StaleState || f.Code == lint.StaleCandidate {
				t.Fatalf("without a moment: %v", f)
			}
		}
		everyPromoted(t, s, found)
	})
	if len(seen) < 12 { // of 20 that can be: that the draw is not one-sided
		t.Errorf("only these were found: %v", seen)
	}
}

// everyPromoted holds the findings to the report of each agent.
func everyPromoted(t *rapid.T, s *agents.Store, found []memsync.Finding) {
	for _, a := range s.Authors() {
		c, ok := s.Compose(a.Name)
		if !ok {
			continue
		}
		for _, d := range c.Report.Dropped {
			m, _, _ := s.Memory(d.ID)
			if !slices.ContainsFunc(found, func(f memsync.Finding) bool {
				return f.Path == m.Path && strings.Contains(f.Message, a.Name) || f.Code == lint.UnknownPlace
			}) && declares(c, d.ID) {
				t.Fatalf("%s dropped %s (%s), and nothing tells it: %v", a.Name, m.Path, d.Reason, found)
			}
		}
	}
}

func declares(c *agents.Composition, id memsync.ID) bool {
	return slices.ContainsFunc(c.Promoted(), func(l compose.Learned) bool { return l.ID == id && c.Author.Agent.Declares(l.Target) })
}

// TestBrokenAgent: where AGENT.md does not parse, the finding stands where the fault
// is, and what the last good version leaves out is told all the same.
func TestBrokenAgent(t *testing.T) {
	a := agents.ReadAuthor("agents/harbor/AGENT.md", []byte("---\nname: harbor\ntone: brief\n---\n"))
	a.Agent = authors(t)[0].Agent
	found := lint.Composition(agents.New(agents.Input{View: memsync.NewView(memsync.Revision{}, nil, nil), State: ledger.Fold(nil), Authors: []agents.Author{a}}), "harbor")
	if len(found) != 1 || found[0].Code != lint.BadAgent || found[0].Line != 3 || found[0].Column != 1 || found[0].Severity != memsync.Severe ||
		!strings.Contains(found[0].Message, "the last version") {
		t.Errorf("%+v", found)
	}
}
