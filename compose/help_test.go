package compose

import (
	"fmt"
	"testing"
	"time"

	"memsync"
)

// day is the start of the n-th day of these tests' time.
func day(n int) time.Time { return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n) }

// id is the n-th id, later than those before it.
func id(n int) memsync.ID {
	return memsync.MakeID(day(0).Add(time.Duration(n)*time.Minute), [10]byte{byte(n >> 8), byte(n)})
}

// learned is the n-th memory, created on the n-th day.
func learned(n int, t Target, p Payload, text string) Learned {
	return Learned{ID: id(n), Snapshot: Snapshot{Target: t, Payload: p, Text: text}, Supports: 1, Created: day(n)}
}

func background(n int, section, key, text string) Learned {
	return learned(n, Target{Primitive: BackgroundSlot, Section: section, Key: key}, Payload{}, text)
}

func judgment(n int, domain, slot, text string) Learned {
	return learned(n, Target{Primitive: JudgmentSlot, Domain: domain, Slot: slot}, Payload{}, text)
}

func awareness(n int, name string) Learned {
	return learned(n, Target{Primitive: AwarenessSlot}, Payload{Name: name, Description: "what " + name + " says", AccessMethod: "ask"}, "")
}

func example(n int, domain, scenario string) Learned {
	return learned(n, Target{Primitive: ExampleSlot, Domain: domain}, Payload{Scenario: scenario, Good: "wait"}, "")
}

func recovery(n int, text string) Learned {
	return learned(n, Target{Primitive: RecoverySlot}, Payload{}, text)
}

func workflow(n int, capability, name string) Learned {
	return learned(n, Target{Primitive: ManualSlot, Capability: capability, Section: "workflows"}, Payload{Name: name, Description: "step by step"}, "")
}

// harbor is the agent of testdata.
func harbor(t testing.TB) *Agent {
	t.Helper()
	a, err := ParseAgent("agents/harbor/AGENT.md", agentFile(t))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// prompt is what an agent with these memories is told.
func prompt(a *Agent, memories ...Learned) string {
	c, _ := Overlay(a, memories)
	return Prompt(Render(c))
}

// told is a report in one line: n+ for applied, n-reason for dropped, n?reason
// for ignored.
func told(r Report) string {
	number := map[memsync.ID]int{}
	for n := range 1000 {
		number[id(n)] = n
	}
	s := ""
	for _, m := range r.Applied {
		s += fmt.Sprintf("%d+ ", number[m])
	}
	for _, o := range r.Dropped {
		s += fmt.Sprintf("%d-%s ", number[o.ID], o.Reason)
	}
	for _, o := range r.Ignored {
		s += fmt.Sprintf("%d?%s ", number[o.ID], o.Reason)
	}
	return s[:max(len(s)-1, 0)]
}
