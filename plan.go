package memsync

import "time"

// Plan is the content of exactly one commit: decisions, the files they and
// MEMORY.md need, and the ledger lines. It is journaled before any file
// changes and is afterwards wholly there or wholly not.
type Plan struct {
	ID     ID        `json:"id"`
	At     time.Time `json:"at"`   // UTC, milliseconds
	Base   Revision  `json:"base"` // what it was decided on
	Author Actor     `json:"author"`

	Decisions []Decision   `json:"decisions"`
	Requests  []string     `json:"requests"`         // request hash of each decision, same order
	Files     []FileChange `json:"files"`            // every file: memories, MEMORY.md, _index/, _system/
	Subject   string       `json:"subject"`          // first line of the commit message
	Forget    []ID         `json:"forget,omitempty"` // memories whose content the journal scrubs when applied

	// A plan that takes over another tip moves the branch to a commit that is
	// there already, instead of making one.
	Target string          `json:"target,omitempty"` // the commit: a join of Base and another tip, or that tip
	Dirty  map[Path]string `json:"dirty,omitempty"`  // files that stay as somebody saved them, with the blob that Base has there ("" for none)
}

// Revision names a state of a store: the commit, and with commit = off the
// hash of the accepted working bytes.
type Revision struct {
	Commit  string `json:"commit"`            // "" for an unborn branch
	Working Hash   `json:"working,omitempty"` // only with commit = off
}

// Held is a file that waits: it stays on disk exactly as saved.
type Held struct {
	Path         Path      `json:"path"`
	Scope        string    `json:"scope,omitempty"`
	Memory       ID        `json:"memory_id,omitempty"`
	Hash         Hash      `json:"hash,omitempty"` // the bytes that were refused; other bytes are decided anew
	Why          Code      `json:"why"`
	Error        *Error    `json:"error,omitempty"`
	Since        time.Time `json:"since"`
	Base         string    `json:"base,omitempty"`         // git object id the writer started from, for joining at release
	Fingerprints []string  `json:"fingerprints,omitempty"` // of masked secrets, for `allow`
}

// EventOp names what happened, for people and programs that listen. Names are
// stable.
type EventOp string

const (
	EventCommitted EventOp = "memory.write.committed"
	EventRejected  EventOp = "memory.write.rejected"
	EventHeld      EventOp = "memory.write.held"
	EventNoop      EventOp = "memory.write.noop"
	EventBlind     EventOp = "memory.watch.blind"     // the watcher can't see: everything is looked at instead
	EventRecovered EventOp = "memory.watch.recovered" // it sees again
	EventReverted  EventOp = "memory.write.reverted"
	EventPulled    EventOp = "memory.sync.pulled"   // a remote's commits were taken over
	EventPushed    EventOp = "memory.sync.pushed"   // ours were sent
	EventConflict  EventOp = "memory.sync.conflict" // a text lost in a join, and waits for a person
	EventPromote   EventOp = "memory.promote"       // a memory joined a composition
	EventDemote    EventOp = "memory.demote"        // it left one
	EventPropose   EventOp = "memory.propose"       // a person is asked
	EventOverlay   EventOp = "memory.overlay"       // a composed prompt changed
)

// Event is something that happened on this machine. Ids, counts and masked
// previews; never a secret, never a body.
type Event struct {
	Seq      uint64    `json:"seq"`
	Op       EventOp   `json:"op"`
	At       time.Time `json:"at"`
	Plan     ID        `json:"plan,omitempty"`
	Decision Op        `json:"decision,omitempty"`
	Memory   ID        `json:"memory_id,omitempty"`
	Path     Path      `json:"path,omitempty"`
	Scope    string    `json:"scope,omitempty"`
	Origin   Origin    `json:"origin,omitempty"`
	Actor    Actor     `json:"actor"`
	Commit   string    `json:"commit,omitempty"`
	Code     Code      `json:"code,omitempty"`
	Findings []string  `json:"findings,omitempty"` // codes of the rules that found more than a note in it
}
