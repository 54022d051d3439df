package agents

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"memsync"
	"memsync/compose"
	"memsync/indexer/recall"
	"memsync/internal/ledger"
)

// Author is one AGENT.md.
type Author struct {
	Name  string // of its directory, which its `name` must be
	Path  memsync.Path
	Agent *compose.Agent // as the file says it; of the last good version where it does not parse now; nil for none
	Err   error          // why the file does not parse now, or is not this agent's
}

// Stale reports whether the composition is that of an earlier version.
func (a *Author) Stale() bool { return a.Err != nil && a.Agent != nil }

// Memory is a memory that proposes a place, or that was promoted once.
type Memory struct {
	*memsync.Memory
	Wants   *Wants
	ByModel bool // an agent chose the target
}

// Wants is what promoting a memory would promote: a function of its file's bytes.
type Wants struct {
	Snapshot compose.Snapshot
	Bytes    []byte       // of the snapshot; nil where it lacks something
	Hash     memsync.Hash // of Bytes
	Err      error        // why target or payload cannot be read
	Body     string       // of the file
	Gist     *compose.Gist
}

// WantsOf reads what a memory proposes; body is that of its accepted file.
func WantsOf(m *memsync.Memory, body string) *Wants {
	w := &Wants{Body: body}
	if w.Snapshot, w.Err = compose.SnapshotOf(m, body); w.Err == nil && w.Snapshot.Lacks() == "" {
		if w.Bytes, w.Err = w.Snapshot.Bytes(); w.Err == nil {
			w.Hash = memsync.HashOf(w.Bytes)
			w.Gist = compose.GistOf(w.Snapshot)
		}
	}
	return w
}

// Input is what a store holds that composition depends on.
type Input struct {
	View      *memsync.View
	Authors   []Author
	Memories  []Memory
	Approved  []Approved
	State     *ledger.State
	Now       time.Time
	FromModel memsync.FromModel
}

// Store answers for the agents of one store at one moment. It is for one
// goroutine.
type Store struct {
	in       Input
	memories []*candidate // by id
	byID     map[memsync.ID]*candidate

	readers  map[string]*recall.ReadSet // by agent
	composed map[string]*Composition    // by agent
}

// candidate is a memory with what promoting it would promote.
type candidate struct {
	Memory
	scope    memsync.Scope
	wants    compose.Snapshot
	hash     memsync.Hash // of its bytes; "" where it lacks something
	approved map[memsync.Hash]Approved
	events   []memsync.LedgerEvent
}

// New puts together what a store holds. Of several memories under one id the
// first by path counts.
func New(in Input) *Store {
	s := &Store{in: in, byID: make(map[memsync.ID]*candidate, len(in.Memories)), readers: map[string]*recall.ReadSet{}, composed: map[string]*Composition{}}
	s.in.Authors = slices.SortedFunc(slices.Values(in.Authors), func(a, b Author) int { return strings.Compare(a.Name, b.Name) })
	approved := map[memsync.ID]map[memsync.Hash]Approved{}
	for _, a := range in.Approved {
		if approved[a.Memory] == nil {
			approved[a.Memory] = map[memsync.Hash]Approved{}
		}
		approved[a.Memory][a.Hash] = a
	}
	sorted := slices.SortedFunc(slices.Values(in.Memories), func(a, b Memory) int {
		return cmp.Or(strings.Compare(string(a.ID), string(b.ID)), strings.Compare(string(a.Path), string(b.Path)))
	})
	for _, m := range sorted {
		if m.ID == "" || s.byID[m.ID] != nil {
			continue
		}
		c := &candidate{Memory: m, wants: m.Wants.Snapshot, hash: m.Wants.Hash, approved: approved[m.ID], events: in.State.Events(m.ID)}
		c.scope, _ = in.View.Scope(m.Scope)
		s.memories = append(s.memories, c)
		s.byID[m.ID] = c
	}
	return s
}

// Authors are the agents by name.
func (s *Store) Authors() []Author { return s.in.Authors }

// Author finds an agent.
func (s *Store) Author(name string) (Author, bool) {
	i := slices.IndexFunc(s.in.Authors, func(a Author) bool { return a.Name == name })
	if i < 0 {
		return Author{}, false
	}
	return s.in.Authors[i], true
}

// Supports are the conversations that taught a memory, sorted: the same to every
// agent.
func Supports(m *memsync.Memory, events []memsync.LedgerEvent) []string {
	f := compose.Facts{Memory: m.ID}
	if len(m.Conversations) > 0 {
		f.Origin = m.Conversations[0]
	}
	return compose.Judge(f, events).Supports
}

// judge folds a memory's events for one agent; more are events that are about to
// be recorded.
func (c *candidate) judge(a *compose.Agent, more ...memsync.LedgerEvent) compose.State {
	f := compose.Facts{Memory: c.ID, N: a.Learn.N, Current: c.hash}
	if len(c.Conversations) > 0 {
		f.Origin = c.Conversations[0]
	}
	if len(c.approved) > 0 {
		f.Snapshots = make(map[memsync.Hash]compose.Tier, len(c.approved))
		for h, one := range c.approved {
			f.Snapshots[h] = a.Tier(one.Snapshot.Target)
		}
	}
	events := c.events
	if len(more) > 0 {
		events = slices.Concat(events, more)
	}
	return compose.Judge(f, events)
}

// learned is a wording as Overlay needs it.
func (c *candidate) learned(a Approved, st *compose.State) compose.Learned {
	return compose.Learned{ID: c.ID, Agent: c.scope.Agent, Snapshot: a.Snapshot, Gist: a.Gist, Supports: len(st.Supports), Created: c.Created()}
}

// wanted is what the memory says now.
func (c *candidate) wanted() Approved {
	return Approved{Memory: c.ID, Hash: c.hash, Snapshot: c.wants, Gist: c.Wants.Gist}
}

// reads is what an agent may read of the store now.
func (s *Store) reads(agent string) *recall.ReadSet {
	r := s.readers[agent]
	if r == nil {
		r = recall.NewReadSet(agent, s.in.Now, recall.Source{View: s.in.View})
		s.readers[agent] = r
	}
	return r
}

// inForce reports whether an agent's reader finds a memory: in a scope that it may
// read, valid now, of no project of its own, not superseded and not shadowed.
func inForce(reads *recall.ReadSet, c *candidate) bool {
	if !reads.Readable(0, c.Memory.Scope) || c.Project != "" {
		return false
	}
	standing, _ := reads.Standing(0, c.Memory.Memory)
	return standing == recall.InForce
}
