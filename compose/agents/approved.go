package agents

import (
	"strings"

	"memsync"
	"memsync/compose"
)

// Approved is a snapshot file below `_system/approved/` whose bytes are those that
// its name says.
type Approved struct {
	Memory   memsync.ID
	Hash     memsync.Hash
	Snapshot compose.Snapshot
	Gist     *compose.Gist
}

// ApprovedDir is where a scope's approved snapshots are.
func ApprovedDir(s memsync.Scope) memsync.Path { return s.System.Join("_system", "approved") }

// ApprovedPath is the file of a snapshot: `_system/approved/<id>-<hash>.md`.
func ApprovedPath(s memsync.Scope, memory memsync.ID, hash memsync.Hash) memsync.Path {
	return ApprovedDir(s).Join(string(memory) + "-" + string(hash) + ".md")
}

// ReadApproved reads a snapshot file. ok is false for one that nobody can believe:
// altered since, of another name, or no snapshot.
func ReadApproved(p memsync.Path, data []byte) (a Approved, ok bool) {
	name, isMarkdown := strings.CutSuffix(p.Base(), ".md")
	id, hash, named := strings.Cut(name, "-")
	parsed, err := memsync.ParseID(id)
	if err != nil || !isMarkdown || !named || memsync.HashOf(data) != memsync.Hash(hash) {
		return Approved{}, false
	}
	snap, err := compose.ParseSnapshot(data)
	if err != nil || snap.Lacks() != "" {
		return Approved{}, false
	}
	return Approved{Memory: parsed, Hash: memsync.Hash(hash), Snapshot: snap, Gist: compose.GistOf(snap)}, true
}

// ReadAuthor reads an AGENT.md at its place `agents/<name>/AGENT.md`.
func ReadAuthor(p memsync.Path, data []byte) Author {
	a := Author{Name: p.Dir().Base(), Path: p}
	a.Agent, a.Err = compose.ParseAgent(p, data)
	return a
}
