package memsync

// Origin is the door a candidate came through. The write path sets it; nothing
// in a payload can raise it.
type Origin string

const (
	OriginFile      Origin = "file" // a save found by watcher or scan
	OriginCLI       Origin = "cli"
	OriginPeer      Origin = "peer" // others' commits
	OriginLint      Origin = "lint"
	OriginImport    Origin = "import"
	OriginExtractor Origin = "extractor"
	OriginDreaming  Origin = "dreaming"
	OriginProvider  Origin = "provider"
	OriginTool      Origin = "tool"
	OriginHTTP      Origin = "http"
	OriginUDS       Origin = "uds"
	OriginLifecycle Origin = "lifecycle"
)

// Save reports whether the candidate's bytes are already on disk, put there by
// somebody else: a save is accepted, ignored or held, never rejected.
func (o Origin) Save() bool { return o == OriginFile }

// Autonomous reports whether nobody waits for an answer, so that what is
// ambiguous goes to the review queue and not back to the caller.
func (o Origin) Autonomous() bool {
	switch o {
	case OriginExtractor, OriginDreaming, OriginProvider, OriginLifecycle:
		return true
	}
	return false
}

// ActorClass is what kind of somebody acts.
type ActorClass string

const (
	ClassPerson  ActorClass = "person"
	ClassAgent   ActorClass = "agent"
	ClassProgram ActorClass = "program"
)

// Actor is who wants it.
type Actor struct {
	Class ActorClass `json:"class"`
	Name  string     `json:"name,omitempty"`
}

// Person reports whether the actor has a person's privileges.
func (a Actor) Person() bool { return a.Class == ClassPerson }

// Op is what a candidate asks for and what a decision does.
type Op string

const (
	// What may be asked.
	OpUpsert  Op = "upsert"
	OpBatch   Op = "batch"
	OpRestore Op = "restore"
	OpRevert  Op = "revert"

	// What may be asked and decided.
	OpRename   Op = "rename"
	OpDelete   Op = "delete"
	OpAuthored Op = "authored" // an authored file, committed as saved
	OpRecord   Op = "record"   // ledger events, with or without files

	// What is decided.
	OpAdd         Op = "add"
	OpUpdate      Op = "update"
	OpAsk         Op = "ask"
	OpCorroborate Op = "corroborate"
	OpNoop        Op = "noop"
	OpHold        Op = "hold"
	OpReject      Op = "reject"
)

// Changes reports whether a decision with this op changes files or the ledger.
func (o Op) Changes() bool {
	switch o {
	case OpAdd, OpUpdate, OpRename, OpDelete, OpAuthored, OpRecord, OpCorroborate:
		return true
	}
	return false
}

// Operation is one step of an atomic batch on a memory's body.
type Operation struct {
	Action  string `json:"action"` // add, replace, remove
	Content string `json:"content,omitempty"`
	OldText string `json:"old_text,omitempty"`
}

// Candidate is what somebody wants. There is one door for all of them.
type Candidate struct {
	Origin Origin
	Actor  Actor
	Op     Op
	Scope  string // name of the scope; "" lets the type choose (writes)

	ID   ID   // the memory meant, where the caller knows it
	Path Path // the file meant; always set for saves
	From Path // rename, and a save that moved: the path that vanished

	// A save carries Raw, the bytes read from disk. A write carries Fields and
	// Content; Content is nil when the body stays.
	Raw        []byte
	OnDisk     Hash // a save whose Raw is not what the file holds: an entry edited in MEMORY.md
	Fields     []Field
	Content    *string
	Operations []Operation   // with OpBatch
	Events     []LedgerEvent // with OpRecord, and events that travel with a file

	Entity, Attribute string
	Base              Hash // the bytes it was derived from; "" for "whatever is there"

	Conversation string
	RequestID    string
	Override     string // the reason a person gave to pass a protection
	Accept       bool   // a person's `accept`: injection, tombstones and protection have been seen
}
