package compose

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"memsync"
	"memsync/internal/ledger"
)

// The memory of these tests, and three wordings of it.
var (
	memory = memsync.MakeID(day(-1), [10]byte{1})
	auto   = memsync.HashOf([]byte("auto"))
	earned = memsync.HashOf([]byte("earned"))
	guard  = memsync.HashOf([]byte("guarded"))
	locked = memsync.HashOf([]byte("locked"))
	gone   = memsync.HashOf([]byte("altered"))

	person = memsync.Actor{Class: memsync.ClassPerson, Name: "ada"}
	agent  = memsync.Actor{Class: memsync.ClassAgent, Name: "harbor"}
)

func facts(current memsync.Hash) Facts {
	return Facts{Memory: memory, N: 2, Current: current, Snapshots: map[memsync.Hash]Tier{auto: Auto, earned: Earned, guard: Guarded, locked: Locked}}
}

// event is the n-th event.
func event(n int, op memsync.LedgerOp, by memsync.Actor, change ...func(*memsync.LedgerEvent)) memsync.LedgerEvent {
	e := memsync.LedgerEvent{ID: id(n), Op: op, Memory: memory, At: id(n).Time(), Actor: by}
	for _, c := range change {
		c(&e)
	}
	return e
}

func in(conversation string) func(*memsync.LedgerEvent) {
	return func(e *memsync.LedgerEvent) { e.Conversation = conversation }
}
func shown(e *memsync.LedgerEvent) { yes := true; e.Exposed = &yes }
func of(h memsync.Hash) func(*memsync.LedgerEvent) {
	return func(e *memsync.LedgerEvent) { e.Hash = h }
}
func sees(ids ...memsync.ID) func(*memsync.LedgerEvent) {
	return func(e *memsync.LedgerEvent) { e.Sees = ids }
}
func to(p memsync.LedgerEvent) func(*memsync.LedgerEvent) {
	return func(e *memsync.LedgerEvent) { e.Proposal = p.ID }
}

const (
	corroborate = memsync.LedgerCorroborate
	contradict  = memsync.LedgerContradict
	promote     = memsync.LedgerPromote
	demote      = memsync.LedgerDemote
	approve     = memsync.LedgerApprove
	deny        = memsync.LedgerDeny
	invalidate  = memsync.LedgerInvalidate
	restore     = memsync.LedgerRestore
)

// verdict is a State in one line: what is in force, then what is not.
func verdict(s State) string {
	number := map[memsync.ID]string{}
	for n := range 100 {
		number[id(n)] = fmt.Sprint(n)
	}
	var out []string
	if p := s.Promotion; p != nil {
		line := number[p.Event] + " " + string(p.Tier) + " by " + string(p.Bar)
		if p.Approval != "" {
			line += " " + number[p.Approval]
		}
		if p.Edited {
			line += " edited"
		}
		out = append(out, line)
	}
	if s.Ended {
		out = append(out, "ended")
	}
	for _, q := range s.Proposals {
		kind := "promote?"
		if q.Ends != "" {
			kind = "demote " + number[q.Ends] + "?"
		}
		for _, r := range q.Requested {
			kind += " asked by " + number[r]
		}
		out = append(out, kind)
	}
	for _, r := range s.Requests {
		out = append(out, number[r]+" requested")
	}
	for _, d := range s.Ignored {
		out = append(out, number[d.Event]+" "+string(d.Reason))
	}
	return strings.Join(out, "; ")
}

// One row per sentence of the design.
func TestJudge(t *testing.T) {
	ask := Propose(memory, guard, Target{Primitive: RecoverySlot}, nil)
	askTaught := Propose(memory, guard, Target{Primitive: RecoverySlot}, []string{"a"})
	askEarned := Propose(memory, earned, Target{}, []string{"a"})
	askEnd := ProposeEnd(memory, &Promotion{Event: id(2), Snapshot: guard}, nil)
	twice := []memsync.LedgerEvent{event(1, corroborate, agent, in("a")), event(2, corroborate, agent, in("b"))}
	approvedOnce := []memsync.LedgerEvent{ask, event(1, approve, person, to(ask)), event(2, promote, agent, of(guard))}
	for name, tc := range map[string]struct {
		current memsync.Hash
		events  []memsync.LedgerEvent
		want    string
	}{
		"nothing happened": {auto, nil, ""},

		"auto: at once":                                {auto, []memsync.LedgerEvent{event(1, promote, agent, of(auto))}, "1 auto by auto"},
		"auto: any actor removes":                      {auto, []memsync.LedgerEvent{event(1, promote, agent, of(auto)), event(2, demote, agent, sees(id(1)))}, ""},
		"auto: editing promotes the new text":          {auto, []memsync.LedgerEvent{event(1, promote, agent, of(earned)), event(2, promote, agent, of(auto))}, "2 auto by auto; 1 below_bar"},
		"the newest promotion counts":                  {auto, []memsync.LedgerEvent{event(1, promote, agent, of(auto)), event(2, promote, agent, of(auto))}, "2 auto by auto"},
		"the snapshot compiles, the edit waits":        {earned, []memsync.LedgerEvent{event(1, promote, agent, of(auto))}, "1 auto by auto edited"},
		"earned: supports from N conversations":        {earned, append(slices.Clone(twice), event(3, promote, agent, of(earned))), "3 earned by recurrence"},
		"earned: one conversation is not enough":       {earned, []memsync.LedgerEvent{event(1, corroborate, agent, in("a")), event(2, promote, agent, of(earned))}, "2 below_bar"},
		"earned: sessions of one conversation":         {earned, []memsync.LedgerEvent{event(1, corroborate, agent, in("a")), event(2, corroborate, agent, in("a")), event(3, promote, agent, of(earned))}, "3 below_bar"},
		"earned: an echo is no evidence":               {earned, []memsync.LedgerEvent{event(1, corroborate, agent, in("a")), event(2, corroborate, agent, in("b"), shown), event(3, promote, agent, of(earned))}, "3 below_bar"},
		"earned: shown once and taught unshown":        {earned, []memsync.LedgerEvent{event(1, corroborate, agent, in("a")), event(2, corroborate, agent, in("b"), shown), event(3, corroborate, agent, in("b")), event(4, promote, agent, of(earned))}, "4 earned by recurrence"},
		"earned: no conversation, no support":          {earned, []memsync.LedgerEvent{event(1, corroborate, agent), event(2, corroborate, agent, in("b")), event(4, promote, agent, of(earned))}, "4 below_bar"},
		"earned: the clocks may differ":                {earned, []memsync.LedgerEvent{event(1, promote, agent, of(earned)), event(2, corroborate, agent, in("a")), event(3, corroborate, agent, in("b"))}, "1 earned by recurrence"},
		"earned: a person's word passes":               {earned, []memsync.LedgerEvent{event(1, promote, person, of(earned))}, "1 earned by person 1"},
		"earned: contradicted by N":                    {earned, append(slices.Clone(twice), event(3, promote, agent, of(earned)), event(4, contradict, agent, in("c")), event(5, contradict, agent, in("d")), event(6, demote, agent, sees(id(3)))), ""},
		"earned: contradicted once":                    {earned, append(slices.Clone(twice), event(3, promote, agent, of(earned)), event(4, contradict, agent, in("c")), event(5, contradict, agent, in("c")), event(6, demote, agent, sees(id(3)))), "3 earned by recurrence; 6 requested"},
		"earned: contradicted before, promoted anyway": {earned, append([]memsync.LedgerEvent{event(0, contradict, agent, in("c"))}, append(slices.Clone(twice), event(3, promote, agent, of(earned)), event(4, contradict, agent, in("d")), event(6, demote, agent, sees(id(3))))...), "3 earned by recurrence; 6 requested"},
		"earned: a person removes":                     {earned, append(slices.Clone(twice), event(3, promote, agent, of(earned)), event(6, demote, person, sees(id(3)))), ""},
		"earned: contradictions alone remove nothing":  {earned, append(slices.Clone(twice), event(3, promote, agent, of(earned)), event(4, contradict, agent, in("c")), event(5, contradict, agent, in("d"))), "3 earned by recurrence"},

		"guarded: nothing else":                      {guard, append(slices.Clone(twice), event(3, promote, agent, of(guard))), "3 below_bar"},
		"guarded: a person's approval":               {guard, approvedOnce, "2 guarded by person 1"},
		"guarded: a person's own promote":            {guard, []memsync.LedgerEvent{event(1, promote, person, of(guard))}, "1 guarded by person 1"},
		"guarded: the approval is named":             {guard, []memsync.LedgerEvent{ask, event(1, approve, person, to(ask)), event(2, promote, person, of(guard))}, "2 guarded by person 1"},
		"guarded: leave to end is no leave to begin": {guard, []memsync.LedgerEvent{askEnd, event(3, approve, person, to(askEnd)), event(4, promote, agent, of(guard))}, "4 below_bar"},
		"an approved question is not asked again":    {guard, []memsync.LedgerEvent{ask, event(1, approve, person, to(ask)), askTaught}, ""},
		"guarded: a person keeps it":                 {guard, append(slices.Clone(approvedOnce), event(3, demote, agent, sees(id(2))), askEnd, event(4, deny, person, to(askEnd))), "2 guarded by person 1"},
		"guarded: until something new is said":       {guard, append(slices.Clone(approvedOnce), event(3, demote, agent, sees(id(2))), askEnd, event(4, deny, person, to(askEnd)), event(5, contradict, agent, in("c"))), "2 guarded by person 1; 3 requested"},
		"guarded: ending what is over is moot":       {guard, append(slices.Clone(approvedOnce), event(3, demote, person, sees(id(2))), askEnd), ""},
		"guarded: the approval of another wording":   {earned, []memsync.LedgerEvent{ask, askEarned, event(1, approve, person, to(askEarned)), event(2, approve, person, to(ask)), event(3, promote, agent, of(guard)), event(4, demote, person, sees(id(3))), event(5, promote, agent, of(earned))}, "5 earned by person 1"},
		"guarded: an approval by no person":          {guard, []memsync.LedgerEvent{ask, event(1, approve, agent, to(ask)), event(2, promote, agent, of(guard))}, "promote?; 1 not_a_person; 2 below_bar"},
		"guarded: an approval of another wording":    {earned, []memsync.LedgerEvent{askEarned, event(1, approve, person, to(askEarned)), event(2, promote, agent, of(guard))}, "2 below_bar"},
		"guarded: an approval of nothing":            {guard, []memsync.LedgerEvent{event(1, approve, person, to(ask)), event(2, promote, agent, of(guard))}, "1 no_proposal; 2 below_bar"},
		"guarded: an agent's removal is a request":   {guard, append(slices.Clone(approvedOnce), event(3, demote, agent, sees(id(2)))), "2 guarded by person 1; 3 requested"},
		"guarded: and the line keeps rendering":      {guard, append(slices.Clone(approvedOnce), event(3, invalidate, agent, sees(id(2)))), "2 guarded by person 1; 3 requested"},
		"guarded: until a person approves it":        {guard, append(slices.Clone(approvedOnce), event(3, demote, agent, sees(id(2))), askEnd, event(4, approve, person, to(askEnd))), ""},
		"guarded: a proposal to end it waits":        {guard, append(slices.Clone(approvedOnce), askEnd), "2 guarded by person 1; demote 2?"},
		"guarded: a person removes":                  {guard, append(slices.Clone(approvedOnce), event(3, demote, person, sees(id(2)))), ""},
		"guarded: the approval ends with it":         {guard, append(slices.Clone(approvedOnce), event(3, demote, person, sees(id(2))), event(4, promote, agent, of(guard))), "4 below_bar"},
		"guarded: a person may promote it again":     {guard, append(slices.Clone(approvedOnce), event(3, demote, person, sees(id(2))), event(4, promote, person, of(guard))), "4 guarded by person 4"},
		"guarded: contradictions remove nothing":     {guard, append(slices.Clone(approvedOnce), event(3, contradict, agent, in("c")), event(4, contradict, agent, in("d")), event(5, demote, agent, sees(id(2)))), "2 guarded by person 1; 5 requested"},
		"guarded: an edit waits, the old text stays": {gone, append(slices.Clone(approvedOnce), Propose(memory, gone, Target{}, nil)), "2 guarded by person 1 edited; promote?"},

		"locked: never":                                 {locked, []memsync.LedgerEvent{event(1, promote, person, of(locked))}, "1 not_promotable"},
		"a snapshot whose hash differs":                 {gone, []memsync.LedgerEvent{event(1, promote, person, of(gone))}, "1 no_snapshot"},
		"a promotion that the demotion did not see":     {auto, []memsync.LedgerEvent{event(1, promote, agent, of(auto)), event(2, promote, agent, of(auto)), event(3, demote, person, sees(id(1)))}, "2 auto by auto"},
		"a demotion of what is not there yet":           {auto, []memsync.LedgerEvent{event(3, demote, person, sees(id(1)))}, "3 saw_nothing"},
		"a demotion that saw nothing":                   {auto, []memsync.LedgerEvent{event(1, promote, agent, of(auto)), event(3, demote, person)}, "1 auto by auto; 3 saw_nothing"},
		"two events under one id":                       {auto, []memsync.LedgerEvent{event(1, promote, agent, of(auto)), event(1, promote, agent, of(guard))}, "1 contradictory"},
		"deny beats approve":                            {guard, []memsync.LedgerEvent{ask, event(1, deny, person, to(ask)), event(2, approve, person, to(ask)), event(3, promote, agent, of(guard))}, "3 denied"},
		"whichever came first":                          {guard, []memsync.LedgerEvent{ask, event(1, approve, person, to(ask)), event(2, promote, agent, of(guard)), event(3, deny, person, to(ask))}, "2 denied"},
		"and a person's own promote beside it":          {guard, []memsync.LedgerEvent{ask, event(1, deny, person, to(ask)), event(2, promote, person, of(guard))}, "2 denied"},
		"a denial by no person":                         {guard, []memsync.LedgerEvent{ask, event(1, deny, agent, to(ask)), event(2, approve, person, to(ask)), event(3, promote, agent, of(guard))}, "3 guarded by person 2; 1 not_a_person"},
		"a denial that a person took back":              {guard, []memsync.LedgerEvent{ask, event(1, deny, person, to(ask)), event(2, restore, person, sees(id(1))), event(3, promote, person, of(guard))}, "3 guarded by person 3"},
		"one that an agent took back":                   {guard, []memsync.LedgerEvent{ask, event(1, deny, person, to(ask)), event(2, restore, agent, sees(id(1))), event(3, promote, person, of(guard))}, "3 denied"},
		"a denied proposal stays closed":                {guard, []memsync.LedgerEvent{ask, event(1, deny, person, to(ask))}, ""},
		"until there is new evidence":                   {guard, []memsync.LedgerEvent{ask, event(1, deny, person, to(ask)), event(2, corroborate, agent, in("a")), askTaught}, "promote?"},
		"which may be approved":                         {guard, []memsync.LedgerEvent{ask, event(1, deny, person, to(ask)), event(2, corroborate, agent, in("a")), askTaught, event(3, approve, person, to(askTaught)), event(4, promote, agent, of(guard))}, "4 guarded by person 3"},
		"denied wording is not earned by what was seen": {earned, []memsync.LedgerEvent{Propose(memory, earned, Target{}, []string{"a", "b"}), twice[0], twice[1], event(3, deny, person, to(Propose(memory, earned, Target{}, []string{"b", "a"}))), event(4, promote, agent, of(earned))}, "4 denied"},
		"a proposal waits":                              {guard, []memsync.LedgerEvent{ask}, "promote?"},
		"a tick is a request":                           {guard, []memsync.LedgerEvent{ask, event(1, memsync.LedgerRequest, agent, to(ask))}, "promote? asked by 1"},
		"two machines ask once":                         {guard, []memsync.LedgerEvent{ask, Propose(memory, guard, Target{Primitive: RecoverySlot}, nil)}, "promote?"},
		"on different evidence, too":                    {guard, []memsync.LedgerEvent{ask, askTaught}, "promote?"},
		"a denial closes all that asked the same":       {guard, []memsync.LedgerEvent{ask, askTaught, event(1, deny, person, to(ask), sees(askTaught.ID))}, ""},
		"a proposal of an older wording is moot":        {auto, []memsync.LedgerEvent{ask}, ""},
		"and one of what is promoted":                   {guard, append(slices.Clone(approvedOnce), askTaught), "2 guarded by person 1"},

		"forgotten":                            {auto, []memsync.LedgerEvent{event(1, promote, agent, of(auto)), event(2, memsync.LedgerForget, person)}, "ended"},
		"invalidated by a person":              {guard, append(slices.Clone(approvedOnce), event(3, invalidate, person)), "ended"},
		"invalidated by an agent":              {auto, []memsync.LedgerEvent{event(1, promote, agent, of(auto)), event(2, invalidate, agent, sees(id(1)))}, "ended"},
		"a candidate, too":                     {auto, []memsync.LedgerEvent{event(2, invalidate, agent)}, "ended"},
		"a promotion it did not see stays":     {auto, []memsync.LedgerEvent{event(1, invalidate, agent), event(2, promote, agent, of(auto))}, "2 auto by auto; 1 requested"},
		"restored":                             {auto, []memsync.LedgerEvent{event(1, promote, agent, of(auto)), event(2, invalidate, agent, sees(id(1))), event(3, restore, agent, sees(id(2)))}, ""},
		"a person's invalidation by a person":  {auto, []memsync.LedgerEvent{event(2, invalidate, person), event(3, restore, agent, sees(id(2)))}, "ended"},
		"an event of another kind is no event": {auto, []memsync.LedgerEvent{event(1, memsync.LedgerFeedback, person), event(2, "unheard", person)}, ""},
	} {
		if got := verdict(Judge(facts(tc.current), tc.events)); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}

func TestJudgeCountsConversations(t *testing.T) {
	f := facts(earned)
	f.Origin = "a"
	s := Judge(f, []memsync.LedgerEvent{event(1, corroborate, agent, in("a")), event(2, corroborate, agent, in("c")), event(3, corroborate, agent, in("b"), shown),
		event(4, contradict, agent, in("z")), event(5, contradict, agent, in("y")), event(6, contradict, agent, in("z")), event(7, promote, agent, of(earned))})
	if !slices.Equal(s.Supports, []string{"a", "c"}) || !slices.Equal(s.Contradictions, []string{"y", "z"}) {
		t.Errorf("supports %v, contradictions %v", s.Supports, s.Contradictions)
	}
	if got := verdict(s); got != "7 earned by recurrence" {
		t.Errorf("the origin counts: %s", got)
	}
	f.N = 3
	if got := verdict(Judge(f, []memsync.LedgerEvent{event(2, corroborate, agent, in("c")), event(7, promote, agent, of(earned))})); got != "7 below_bar" {
		t.Errorf("with another N: %s", got)
	}
	f.N = 0
	if got := verdict(Judge(f, []memsync.LedgerEvent{event(2, corroborate, agent, in("c")), event(7, promote, agent, of(earned))})); got != "7 earned by recurrence" {
		t.Errorf("without N: %s", got)
	}
}

// What a removal took out is not promoted again by itself: a gate reads Withdrawn.
func TestWithdrawn(t *testing.T) {
	events := []memsync.LedgerEvent{event(1, corroborate, agent, in("a")), event(2, promote, agent, of(auto)), event(3, demote, person, sees(id(2)))}
	if s := Judge(facts(auto), events); !slices.Equal(s.Withdrawn, []memsync.Hash{auto}) {
		t.Errorf("withdrawn %v", s.Withdrawn)
	}
	known := append(slices.Clone(events), event(4, corroborate, agent, in("a")), event(5, corroborate, agent, in("b"), shown))
	if s := Judge(facts(auto), known); !slices.Equal(s.Withdrawn, []memsync.Hash{auto}) {
		t.Errorf("nothing new was taught: %v", s.Withdrawn)
	}
	taught := append(slices.Clone(events), event(4, corroborate, agent, in("b")))
	if s := Judge(facts(auto), taught); s.Withdrawn != nil {
		t.Errorf("a new conversation taught it: %v", s.Withdrawn)
	}
}

// What a person approved waits for whoever promotes it, each wording once.
func TestApproved(t *testing.T) {
	ask, again := Propose(memory, guard, Target{}, nil), Propose(memory, guard, Target{}, []string{"a"})
	edit, end := Propose(memory, auto, Target{}, nil), ProposeEnd(memory, &Promotion{Event: id(9), Snapshot: earned}, nil)
	events := []memsync.LedgerEvent{ask, again, edit, end}
	for i, p := range events {
		events = append(events, event(i+1, approve, person, to(p)))
	}
	want := []memsync.Hash{guard, auto}
	slices.Sort(want)
	if s := Judge(facts(guard), events); !slices.Equal(s.Approved, want) {
		t.Errorf("approved %v", s.Approved)
	}
}

// Two machines that know the same write the same event, byte for byte.
func TestProposalsAreDeterministic(t *testing.T) {
	a := Propose(memory, guard, Target{Primitive: RecoverySlot}, []string{"x", "y", "x"})
	b := Propose(memory, guard, Target{Primitive: RecoverySlot}, []string{"y", "x"})
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%+v\n%+v", a, b)
	}
	seen := map[memsync.ID]bool{a.ID: true}
	for name, e := range map[string]memsync.LedgerEvent{
		"another memory":   Propose(id(1), guard, Target{}, []string{"x", "y"}),
		"another wording":  Propose(memory, auto, Target{}, []string{"x", "y"}),
		"another evidence": Propose(memory, guard, Target{}, []string{"x"}),
		"joined evidence":  Propose(memory, guard, Target{}, []string{"x,y"}),
		"an end":           ProposeEnd(memory, &Promotion{Event: id(1), Snapshot: guard}, []string{"x", "y"}),
	} {
		if seen[e.ID] {
			t.Errorf("%s has the same id", name)
		}
		seen[e.ID] = true
	}
	if evidence := []string{"b", "a"}; Propose(memory, guard, Target{}, evidence).ID == "" || evidence[0] != "b" {
		t.Error("the evidence was changed")
	}
}

func drawEvent(t *rapid.T) memsync.LedgerEvent {
	n := rapid.IntRange(0, 15).Draw(t, "n")
	e := event(n, rapid.SampledFrom([]memsync.LedgerOp{corroborate, contradict, promote, promote, demote, memsync.LedgerPropose, approve, deny, invalidate, restore,
		memsync.LedgerRequest, memsync.LedgerForget}).Draw(t, "op"), rapid.SampledFrom([]memsync.Actor{person, agent}).Draw(t, "actor"))
	e.Hash = rapid.SampledFrom([]memsync.Hash{auto, earned, guard, locked, gone}).Draw(t, "hash")
	ids := rapid.Custom(func(t *rapid.T) memsync.ID { return id(rapid.IntRange(0, 15).Draw(t, "sees")) })
	switch e.Op {
	case corroborate, contradict:
		e.Hash = ""
		e.Conversation = rapid.SampledFrom([]string{"", "a", "b", "c", "d"}).Draw(t, "conversation")
		if rapid.Bool().Draw(t, "noted") {
			yes := rapid.Bool().Draw(t, "shown")
			e.Exposed = &yes
		}
	case memsync.LedgerPropose:
		e = Propose(memory, e.Hash, Target{}, rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3).Draw(t, "evidence"))
		if rapid.Bool().Draw(t, "ends") {
			e = ProposeEnd(memory, &Promotion{Event: ids.Draw(t, "promotion"), Snapshot: e.Hash}, nil)
		}
	case approve, deny, memsync.LedgerRequest:
		e.Hash = ""
		e.Proposal = Propose(memory, rapid.SampledFrom([]memsync.Hash{auto, earned, guard}).Draw(t, "of"), Target{},
			rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), 0, 2).Draw(t, "evidence")).ID
	default:
		e.Sees = rapid.SliceOfN(ids, 0, 3).Draw(t, "seen")
	}
	return e
}

// TestLawFoldOrder: a function of the set of events, whatever they say.
func TestLawFoldOrder(t *testing.T) {
	law(t, func(t *rapid.T) {
		events := rapid.SliceOfN(rapid.Custom(drawEvent), 0, 14).Draw(t, "events")
		f := facts(rapid.SampledFrom([]memsync.Hash{auto, earned, guard}).Draw(t, "current"))
		f.Origin = rapid.SampledFrom([]string{"", "a", "o"}).Draw(t, "origin")
		s := Judge(f, events)
		other := rapid.Permutation(slices.Concat(events, events)).Draw(t, "order")
		was := slices.Clone(other)
		if again := Judge(f, other); !reflect.DeepEqual(s, again) {
			t.Fatalf("another order, another state:\n%s\n%s\n%+v\n%+v", verdict(s), verdict(again), s, again)
		}
		if !reflect.DeepEqual(other, was) {
			t.Fatal("the events were changed")
		}
		p := s.Promotion
		if p == nil {
			return
		}
		switch {
		case s.Ended:
			t.Fatal("ended and promoted")
		case p.Tier == Locked || f.Snapshots[p.Snapshot] != p.Tier:
			t.Fatalf("%+v", p)
		case p.Tier == Guarded && (p.Bar != BarPerson || p.Approval == ""):
			t.Fatalf("guarded without a person: %+v", p)
		case p.Tier == Earned && p.Bar == BarRecurrence && len(s.Supports) < f.N:
			t.Fatalf("earned by %v", s.Supports)
		}
		if p.Approval != "" && !slices.ContainsFunc(events, func(e memsync.LedgerEvent) bool { return e.ID == p.Approval && e.Actor.Person() }) {
			t.Fatal("approved by no person")
		}
	})
}

// The fold of ledger and Judge agree on what a conversation supports.
func TestJudgeOverTheLedger(t *testing.T) {
	events := []memsync.LedgerEvent{event(1, corroborate, agent, in("a")), event(2, corroborate, agent, in("b"), shown), event(3, corroborate, agent, in("c")), event(4, promote, agent, of(earned))}
	state := ledger.Fold(ledger.Locate("memory", "", events))
	s := Judge(facts(earned), state.Events(memory))
	if !slices.Equal(s.Supports, state.Supports(memory)) || verdict(s) != "4 earned by recurrence" {
		t.Errorf("%v, %s", s.Supports, verdict(s))
	}
}

// BenchmarkJudge100000: the goal is 300 ms together with the fold.
func BenchmarkJudge100000(b *testing.B) {
	const memories = 5000
	events := make([]memsync.LedgerEvent, 100000)
	for i := range events {
		at := day(0).Add(1000000*1000*1000).AddDate(0, 0, i%300)
		e := event(0, corroborate, agent, in(fmt.Sprint("c-", i%977)))
		e.ID, e.At = ledger.DerivedID(at, fmt.Sprint(i)), at
		e.Memory = ledger.DerivedID(day(0), fmt.Sprint(i%memories))
		switch i / memories {
		case 5:
			e.Op, e.Conversation, e.Hash = promote, "", earned
		case 6:
			e.Op = contradict
		case 7:
			e = Propose(e.Memory, guard, Target{Primitive: RecoverySlot}, nil)
		case 8:
			e.Op, e.Actor, e.Conversation, e.Proposal = approve, person, "", Propose(e.Memory, guard, Target{Primitive: RecoverySlot}, nil).ID
		case 9:
			e.Op, e.Conversation, e.Hash = promote, "", guard
		}
		events[i] = e
	}
	located := ledger.Locate("memory", "memory/_system/ledger/2026-03.c.jsonl", events)
	f := facts(guard)
	b.ReportAllocs()
	for b.Loop() {
		state := ledger.Fold(located)
		inForce := 0
		for m := range memories {
			f.Memory = events[m].Memory
			if Judge(f, state.Events(f.Memory)).Promotion != nil {
				inForce++
			}
		}
		if inForce != memories {
			b.Fatalf("%d in force", inForce)
		}
	}
}
