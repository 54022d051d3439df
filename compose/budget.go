package compose

// Budgets are how much of the prompt may be learned, in characters (Unicode code
// points, line ends included).
type Budgets struct {
	Background int `json:"background"`
	Awareness  int `json:"awareness"`
	Judgment   int `json:"judgment"`
	Example    int `json:"example"`
	Recovery   int `json:"recovery"`
	Manual     int `json:"manual"`
	Ceiling    int `json:"ceiling"` // of all together, strictly below their sum
}

// DefaultBudgets are those of an agent that sets none.
func DefaultBudgets() Budgets {
	return Budgets{Background: 2000, Awareness: 800, Judgment: 1600, Example: 2400, Recovery: 800, Manual: 1200, Ceiling: 6000}
}

// maxBudget keeps a slip of the finger from making a prompt of megabytes.
const maxBudget = 100000

// Of is the budget of one primitive, 0 for a word that is none.
func (b *Budgets) Of(p Primitive) int {
	if at := b.at(p); at != nil {
		return *at
	}
	return 0
}

func (b *Budgets) at(p Primitive) *int {
	switch p {
	case BackgroundSlot:
		return &b.Background
	case AwarenessSlot:
		return &b.Awareness
	case JudgmentSlot:
		return &b.Judgment
	case ExampleSlot:
		return &b.Example
	case RecoverySlot:
		return &b.Recovery
	case ManualSlot:
		return &b.Manual
	}
	return nil
}

// sum is what the Primitives may take together.
func (b *Budgets) sum() (n int) {
	for _, p := range Primitives {
		n += b.Of(p)
	}
	return n
}

// LongestShare is the part of its primitive's budget that one entry may take:
// longer ones cannot be promoted.
const LongestShare = 4
