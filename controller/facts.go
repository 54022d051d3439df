package controller

import (
	"time"

	"memsync"
	"memsync/internal/ledger"
)

// Facts are what is so at the moment of deciding. The first group is needed by
// Prepare and Decide, the rest is filled from Subject.Needs. A zero field
// means what its comment says; nothing is ever looked up elsewhere.
type Facts struct {
	// Now is the time of the decision, UTC. It dates new files and answers
	// the 24 hours of rule 4.
	Now time.Time
	// FreshID is a newly drawn ULID, used at most once: for a new memory, for
	// a copy that needs an id of its own, for an entry of the inbox.
	FreshID memsync.ID
	// View is the store as planned so far: candidates of one batch are decided
	// one after the other, each on the view that the earlier ones made. Saves
	// come before vanished paths, and both by path, so that a rename finds its
	// old path and of two copies the one that sorts first keeps the id.
	View *memsync.View
	// State is the fold of the store's ledger. nil: no events.
	State *ledger.State
	// CheckTarget says what is wrong with the target and payload of a memory, compact
	// JSON both; nil: nothing ever is. It depends on nothing but what it is given (the
	// places that an agent can have are compose's to know).
	CheckTarget func(target, payload string) error
	// AllGlobal says that the store was found by walking up and is dedicated:
	// writes that name no scope go to global, whatever their type.
	AllGlobal bool

	// Current are the last accepted bytes at Needs.Read; nil for none. A save
	// may leave them out unless PreviousSave or HeldBase is set: the hash is
	// in the View.
	Current []byte
	// Prior is git's object id of Current, where the View does not have it.
	Prior string
	// Disk is the hash of what is on disk at Needs.Read now; "" for no file.
	// Not used for saves: their bytes are the candidate.
	Disk memsync.Hash

	// Names are the base names (files and folders) in each directory of
	// Needs.Dirs, on disk or at HEAD. A directory that is not there may be
	// left out.
	Names map[memsync.Path][]string

	// Vanished are accepted memories whose files are gone now: the known path
	// of the candidate's id, and every other path missing in this batch. The
	// keeper has looked again (500 ms later) before it says so.
	Vanished []Vanished
	// HeadHolds says that HEAD has a file at the candidate's path, and
	// DerivedID is the id that follows from its oldest commit ("" behind a
	// shallow boundary). Of a peer's file it is the id that its copy would get.
	HeadHolds bool
	DerivedID memsync.ID

	// HeadDropped says that a commit that descends from the last seen HEAD
	// dropped the vanished path. Asked for with commit = off only.
	HeadDropped bool

	// PreviousSave are the bytes that this writer (this working tree) saved at
	// the path before, as they were found, joined or not; nil for unknown.
	PreviousSave   []byte
	PreviousSaveAt time.Time
	// OthersChangedAt is when somebody else last changed the path after that
	// save; zero for never.
	OthersChangedAt time.Time
	// HeldBase are the accepted bytes that a held or dirty path started from,
	// when the save releases one; nil otherwise.
	HeldBase []byte
	// Dirty says that HeldBase is of a file that was being written while others'
	// commits were taken over. Unlike a held one, a save equal to it says nothing.
	Dirty bool

	// Near are the memories that the MinHash table proposes for Needs.Near.
	Near []Neighbour
	// Exposed are the memories that were shown in the candidate's
	// conversation.
	Exposed map[memsync.ID]bool
	// Guarded says that the memory at Needs.Read has a guarded promotion in
	// force, Earned that it has one that took evidence: an agent may edit that one,
	// which changes no prompt, and not remove it.
	Guarded, Earned bool
	// TakesOut is a memory whose promotion took evidence or a person, and whose line
	// would leave a prompt by what was decided without this fact: it would be
	// replaced, hidden, out of its time or out of its agent's sight. "" for none.
	TakesOut memsync.Path

	// Attached are the files of Needs.Attached below _system/: snapshots,
	// archive, conflict copies.
	Attached []Attached
	// Blob is git's object id of a peer's bytes, for a quarantine event.
	Blob string
}

// Vanished is an accepted memory whose file is gone, with its last accepted
// body.
type Vanished struct {
	Memory *memsync.Memory
	Body   string
}

// Neighbour is a memory of similar text with its body. Rejection is set when
// the text was rejected by a person (the memory itself may be long gone).
type Neighbour struct {
	Memory    *memsync.Memory
	Body      string
	Rejection *memsync.LedgerEvent
}

// Attached is a file below _system/ that belongs to a memory.
type Attached struct {
	Path memsync.Path
	Hash memsync.Hash // on disk now
}

// Needs says which facts a candidate asks for. What is not named is not
// looked at.
type Needs struct {
	Read     memsync.Path   // Current, Prior, Disk, Guarded of this file; "" for none
	Dirs     []memsync.Path // Names of these directories
	Vanished bool           // Vanished, HeadHolds, DerivedID (of a vanished file: HeadDropped)
	History  bool           // PreviousSave, PreviousSaveAt, OthersChangedAt, HeldBase of Read
	Near     *NearQuery     // Near; nil for none
	Attached memsync.ID     // Attached of this memory; "" for none
}

// NearQuery is what the MinHash table is asked.
type NearQuery struct {
	Scope  string
	Type   memsync.Type
	Sketch []uint32
}

// normal makes the zero values usable.
func (f Facts) normal() Facts {
	if f.View == nil {
		f.View = memsync.NewView(memsync.Revision{}, nil, nil)
	}
	if f.State == nil {
		f.State = ledger.Fold(nil)
	}
	return f
}
