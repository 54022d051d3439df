package compose

import "memsync"

// State is what a memory's events add up to for one agent. It says what is, not
// what to do: [State.Promotion] compiles, the rest is for people and for what
// proposes.
type State struct {
	Supports       []string // distinct conversations that taught it, sorted; the origin among them
	Contradictions []string // distinct conversations that contradicted it, sorted
	Promotion      *Promotion
	Proposals      []Proposal     // open ones, by id
	Approved       []memsync.Hash // snapshots that a person's approval in force lets promote, sorted
	Denied         []memsync.ID   // proposals that a person closed, by id
	Requests       []memsync.ID   // demotions and invalidations below the bar: the line keeps rendering, a person decides
	// Withdrawn are snapshots whose promotion was ended and that no new conversation
	// taught since, sorted. To promote one again is a person's to do: a gate that did
	// would undo what was just removed.
	Withdrawn []memsync.Hash
	Ignored   []Disbelief // events that claim what the ledger does not bear out, by id
	Ended     bool        // invalidated or forgotten: nothing of it is in force
}

// Bar is what a promotion passed.
type Bar string

const (
	BarAuto       Bar = "auto"       // the tier asks nothing
	BarRecurrence Bar = "recurrence" // enough distinct conversations
	BarPerson     Bar = "person"     // a person's word, which passes every bar but the locked one
)

// Promotion is the promotion in force, the newest if there are several.
type Promotion struct {
	Event    memsync.ID
	Snapshot memsync.Hash // of the bytes that compile
	Tier     Tier
	Bar      Bar
	Approval memsync.ID // with BarPerson: the person's event
	Edited   bool       // the memory says something else now
}

// Proposal is a question that waits for a person.
type Proposal struct {
	ID        memsync.ID
	Snapshot  memsync.Hash
	Target    string
	Ends      memsync.ID   // the promotion that it would end; "" for one that would promote
	Also      []memsync.ID // other proposals that ask the same on other evidence: a denial sees them
	Requested []memsync.ID // ticks and requests that a person has yet to confirm
}

// Disbelief is an event that does not count, and why.
type Disbelief struct {
	Event  memsync.ID
	Reason Doubt
}

// Doubt is why an event does not count.
type Doubt string

const (
	BelowBar      Doubt = "below_bar"      // fewer conversations than the bar, or no person's approval
	NotAPerson    Doubt = "not_a_person"   // an approval or denial that only a person can give
	NoSnapshot    Doubt = "no_snapshot"    // the snapshot is missing, or its bytes have another hash
	NotPromotable Doubt = "not_promotable" // the place is locked
	WasDenied     Doubt = "denied"         // a person denied this, and nothing new was learned since
	NoProposal    Doubt = "no_proposal"    // it answers a proposal that is not there
	SawNothing    Doubt = "saw_nothing"    // it ends what it saw, and saw no promotion
	Contradictory Doubt = "contradictory"  // different events stand under its id
)

// Facts are what Judge is told of a memory beside its events.
type Facts struct {
	Memory memsync.ID
	// Origin is the conversation that the memory was learned in, "" where none is
	// known. It counts once, however many a file names.
	Origin string
	// N is how many distinct conversations an earned promotion and its removal
	// need; the agent's learn.n, 2 where it is not set.
	N int
	// Snapshots are the approved files of this memory as they are now: the hash of
	// the bytes that were found, and the tier of the target in them for this agent.
	// A file that was altered is therefore not here under the name it was approved by.
	Snapshots map[memsync.Hash]Tier
	// Current is the hash of what promoting the memory would promote now, "" where
	// it has no valid target.
	Current memsync.Hash
}

// need is how many conversations a number asks for; one that is not set asks for 2.
func need(n int) int {
	if n < 1 {
		return 2
	}
	return n
}
