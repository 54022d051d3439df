package compose

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"memsync"
)

// One row per sentence of the design's tiers and gates.
func TestGate(t *testing.T) {
	const (
		domain = "name: x\njudgments: [{domain: d, heuristics: [Always run the whole test suite before a release is cut.]}, {domain: e}]\n" +
			"background: {currentState: {}, conventions: {}}\nrecovery: {prompt: p}\n"
		line = "Read the migrations of a release from the oldest to the newest."
	)
	fact := background(1, "currentState", "train", "leaves on Tuesdays")
	taught := judgment(1, "d", "heuristics", line)
	limit := judgment(1, "d", "constraints", line)
	hash := memsync.HashOf([]byte("these words"))
	other := memsync.HashOf([]byte("earlier words"))
	two := State{Supports: []string{"a", "b"}}
	approved := State{Approved: []memsync.Hash{hash}}
	for name, tc := range map[string]struct {
		learn    string
		wish     Wish
		promoted []Learned
		today    int
		model    memsync.FromModel
		want     string
	}{
		"auto at once":                           {"", Wish{Learned: fact}, nil, 0, "", "promote"},
		"auto: no collision":                     {"", Wish{Learned: fact}, []Learned{background(2, "currentState", "train", "leaves on Fridays")}, 0, "", "park collision against 2"},
		"auto: no near-duplicate":                {"", Wish{Learned: fact}, []Learned{background(2, "currentState", "the train", "leaves on Tuesdays")}, 0, "", "park near_duplicate against 2"},
		"one of another section is none":         {"", Wish{Learned: fact}, []Learned{background(2, "conventions", "the train", "leaves on Tuesdays")}, 0, "", "promote"},
		"nor is the memory's own earlier text":   {"", Wish{Learned: fact}, []Learned{background(1, "currentState", "train", "leaves on Mondays")}, 0, "", "promote"},
		"valid":                                  {"", Wish{Learned: background(1, "currentState", "train", "")}, nil, 0, "", "wait incomplete"},
		"in a place that is there":               {"", Wish{Learned: judgment(1, "f", "heuristics", "a")}, nil, 0, "", "wait unknown_domain"},
		"in scope":                               {"", Wish{Learned: Learned{ID: id(1), Agent: "y", Snapshot: fact.Snapshot}}, nil, 0, "", "wait other_agent"},
		"not what the author says":               {"", Wish{Learned: judgment(1, "d", "heuristics", "Always run the whole test suite before a release is cut.")}, nil, 0, "", "wait authored"},
		"earned by N conversations":              {"", Wish{Learned: taught, State: two}, nil, 0, "", "promote"},
		"not by fewer":                           {"", Wish{Learned: taught, State: State{Supports: []string{"a"}}}, nil, 0, "", "wait below_bar"},
		"N is the author's":                      {"n: 3", Wish{Learned: taught, State: two}, nil, 0, "", "wait below_bar"},
		"guarded by a person":                    {"", Wish{Learned: limit, State: two}, nil, 0, "", "ask person"},
		"who approved":                           {"", Wish{Learned: limit, Hash: hash, State: approved}, nil, 0, "", "promote"},
		"approval passes an earned bar, too":     {"", Wish{Learned: taught, Hash: hash, State: approved}, nil, 0, "", "promote"},
		"locked never":                           {"sections: {heuristics: locked}", Wish{Learned: taught, Hash: hash, State: approved}, nil, 0, "", "wait locked"},
		"a denied one stays closed":              {"", Wish{Learned: limit, Hash: hash, State: State{Denied: []memsync.ID{Propose(id(1), hash, limit.Target, nil).ID}}}, nil, 0, "", "wait denied"},
		"until there is new evidence":            {"", Wish{Learned: limit, Hash: hash, State: State{Supports: []string{"a"}, Denied: []memsync.ID{Propose(id(1), hash, limit.Target, nil).ID}}}, nil, 0, "", "ask person"},
		"what was ended is not promoted again":   {"", Wish{Learned: fact, Hash: hash, State: State{Withdrawn: []memsync.Hash{hash}}}, nil, 0, "", "wait withdrawn"},
		"what is in force is":                    {"", Wish{Learned: fact, Hash: hash, State: State{Promotion: &Promotion{Snapshot: hash, Tier: Auto}}}, nil, 0, "", "wait promoted"},
		"what is over is not promoted":           {"", Wish{Learned: fact, State: State{Ended: true}}, nil, 0, "", "wait ended"},
		"editing an auto one promotes":           {"", Wish{Learned: fact, Hash: hash, State: State{Promotion: &Promotion{Snapshot: other, Tier: Auto}}}, nil, 0, "", "promote"},
		"editing an earned one asks":             {"", Wish{Learned: taught, Hash: hash, State: State{Supports: two.Supports, Promotion: &Promotion{Snapshot: other, Tier: Earned}}}, nil, 0, "", "ask edited"},
		"moving a guarded one to an auto place":  {"", Wish{Learned: fact, Hash: hash, State: State{Promotion: &Promotion{Snapshot: other, Tier: Guarded}}}, nil, 0, "", "ask edited"},
		"ten a day":                              {"", Wish{Learned: fact}, nil, 10, "", "wait per_day"},
		"or as many as the author says":          {"per_day: 1", Wish{Learned: fact}, nil, 1, "", "wait per_day"},
		"but for what a person approved":         {"", Wish{Learned: limit, Hash: hash, State: approved}, nil, 10, "", "promote"},
		"from a model: as the tier says":         {"", Wish{Learned: fact, ByModel: true}, nil, 0, memsync.ModelAllow, "promote"},
		"from a model: a person first":           {"", Wish{Learned: fact, ByModel: true}, nil, 0, memsync.ModelPropose, "ask from_model"},
		"who approved it":                        {"", Wish{Learned: fact, Hash: hash, ByModel: true, State: approved}, nil, 0, memsync.ModelPropose, "promote"},
		"a person's own target is not a model's": {"", Wish{Learned: fact}, nil, 0, memsync.ModelDeny, "promote"},
		"from a model: not at all":               {"", Wish{Learned: fact, Hash: hash, ByModel: true, State: approved}, nil, 0, memsync.ModelDeny, "wait from_model"},
		"longer than a quarter of the budget":    {"budgets: {background: 127}", Wish{Learned: fact}, nil, 0, "", "wait too_long"},
		"exactly a quarter":                      {"budgets: {background: 128}", Wish{Learned: fact}, nil, 0, "", "promote"},
		"guarded: refused where it does not fit": {"budgets: {judgment: 400}", Wish{Learned: limit, Hash: hash, State: approved},
			[]Learned{judgment(2, "e", "constraints", strings.Repeat("word ", 70))}, 0, "", "wait no_room"},
		"earned ones make room for it": {"budgets: {judgment: 400}", Wish{Learned: limit, Hash: hash, State: approved},
			[]Learned{judgment(2, "e", "heuristics", strings.Repeat("word ", 70))}, 0, "", "promote"},
		"its own earlier wording takes no room": {"budgets: {judgment: 400}", Wish{Learned: limit, Hash: hash, State: approved},
			[]Learned{{ID: id(1), Created: day(9), Snapshot: judgment(1, "d", "constraints", strings.Repeat("word ", 90)).Snapshot}}, 0, "", "promote"},
		"guarded: under the ceiling, too": {"budgets: {ceiling: 400}", Wish{Learned: limit},
			[]Learned{recovery(2, strings.Repeat("word ", 70))}, 0, "", "wait no_room"},
		"a contradiction parks it": {"", Wish{Learned: taught, State: two},
			[]Learned{judgment(2, "d", "heuristics", "Never read the migrations of a release from the oldest to the newest.")}, 0, "", "park contradicts against 2"},
		"in any slot of the domain": {"", Wish{Learned: taught, State: two},
			[]Learned{judgment(2, "d", "constraints", "Do not read the migrations of a release from the oldest to the newest.")}, 0, "", "park contradicts against 2"},
		"not in another domain": {"", Wish{Learned: taught, State: two},
			[]Learned{judgment(2, "e", "heuristics", "Never read the migrations of a release from the oldest to the newest.")}, 0, "", "promote"},
		"not with another agent's": {"", Wish{Learned: taught, State: two},
			[]Learned{{ID: id(2), Agent: "y", Snapshot: judgment(2, "d", "heuristics", "Never read the migrations of a release from the oldest to the newest.").Snapshot}}, 0, "", "promote"},
		"a person picks": {"", Wish{Learned: taught, Hash: hash, State: approved},
			[]Learned{judgment(2, "d", "heuristics", "Never read the migrations of a release from the oldest to the newest.")}, 0, "", "promote"},
		"against an authored line": {"", Wish{Learned: judgment(1, "d", "heuristics", "Never run the whole test suite before a release is cut."), State: two},
			nil, 0, "", "park contradicts authored"},
		"there is no supersede": {"", Wish{Learned: judgment(1, "d", "heuristics", "Never run the whole test suite before a release is cut."), Hash: hash, State: approved},
			nil, 0, "", "park contradicts authored"},
		"nearly an authored line": {"", Wish{Learned: judgment(1, "d", "heuristics", "Always run the whole test suite before a release is cut, please."), State: two},
			nil, 0, "", "park near_duplicate authored"},
		"a number at the same place is opposed": {"", Wish{Learned: judgment(1, "e", "heuristics", "Wait for 3 reviews before a release is cut."), State: two},
			[]Learned{judgment(2, "e", "heuristics", "Wait for 2 reviews before a release is cut.")}, 0, "", "park contradicts against 2"},
		"the gravest is told": {"", Wish{Learned: taught, State: two},
			[]Learned{judgment(2, "d", "heuristics", line), judgment(3, "d", "heuristics", "Never read the migrations of a release from the oldest to the newest.")}, 0, "", "park contradicts against 2 3"},
	} {
		a := parse(t, domain+"learn: {"+tc.learn+"}")
		v := Gate(a, tc.promoted, tc.wish, tc.today, tc.model)
		got := strings.TrimSpace(string(v.Do) + " " + string(v.Why))
		for i, against := range v.Against {
			if i == 0 {
				got += " against"
			}
			for n := range 9 {
				if id(n) == against {
					got += fmt.Sprint(" ", n)
				}
			}
		}
		if v.Authored {
			got += " authored"
		}
		if got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}

// TestLawGatePromotesWhatJudgeBelieves: after a promotion that the gate asked for,
// the memory is promoted.
func TestLawGatePromotesWhatJudgeBelieves(t *testing.T) {
	a := parse(t, "name: x\njudgments: [{domain: d}]\nbackground: {currentState: {}}\nrecovery: {prompt: p}")
	wishes := map[memsync.Hash]Learned{auto: background(1, "currentState", "a", "b"), earned: judgment(1, "d", "heuristics", "c"), guard: recovery(1, "e")}
	law(t, func(t *rapid.T) {
		events := rapid.SliceOfN(rapid.Custom(drawEvent), 0, 14).Draw(t, "events")
		current := rapid.SampledFrom([]memsync.Hash{auto, earned, guard}).Draw(t, "current")
		f := facts(current)
		l := wishes[current]
		l.ID = memory
		v := Gate(a, nil, Wish{Learned: l, Hash: current, State: Judge(f, events)}, 0, memsync.ModelAllow)
		after := Judge(f, append(events, event(50, promote, memsync.Actor{Class: memsync.ClassProgram, Name: "memsync"}, of(current))))
		switch p := after.Promotion; {
		case v.Do == Promote && (p == nil || p.Event != id(50)):
			t.Fatalf("promoted and not believed: %s", verdict(after))
		case v.Do == Ask && v.Why == WhyPerson && p != nil && p.Event == id(50):
			t.Fatalf("asked for what is believed anyway: %s", verdict(after))
		}
	})
}
