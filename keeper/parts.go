package keeper

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"memsync"
	"memsync/compose"
	"memsync/compose/agents"
	"memsync/gitlog"
	"memsync/internal/format"
	"memsync/internal/ledger"
	"memsync/internal/store"
	"memsync/watcher"
)

// parts is where the parts of a store's compositions are read from: the planned
// view of a batch, or a revision of the past.
type parts struct {
	view  *memsync.View
	state *ledger.State
	names func(dir memsync.Path) ([]string, error) // in a directory
	read  func(p memsync.Path) ([]byte, error)     // nil: not there
	body  func(m *memsync.Memory) (string, error)
	from  string // the commit whose history holds earlier versions; "" is HEAD
}

// readBefore is what a keeper remembers of parts, by what cannot change: the
// hash that names them.
type readBefore struct {
	authors  map[memsync.Hash]agents.Author
	good     map[memsync.Hash]*agents.Author // the last good version behind a bad one
	approved map[memsync.Path]*agents.Approved
	wants    map[memsync.Hash]*agents.Wants
	targets  targets
}

// targets are the memories of a view that propose a place.
type targets struct {
	of   *memsync.View
	list []*memsync.Memory
}

// authorsDir is where agents are written.
func authorsDir(s *store.Store) memsync.Path { return s.Base().Join("agents") }

// authorName is the file of an agent.
const authorName = "AGENT.md"

// isAuthor reports whether a path is an agent's file.
func (k *Keeper) isAuthor(p memsync.Path) bool {
	return p.Base() == authorName && p.Dir().Dir() == authorsDir(k.Store) && p.Dir() != authorsDir(k.Store)
}

// HasAgents reports whether anybody wrote an agent here.
func (k *Keeper) HasAgents() bool {
	entries, err := os.ReadDir(k.abs(authorsDir(k.Store)))
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		_, err := os.Lstat(k.abs(authorsDir(k.Store).Join(e.Name(), authorName)))
		return err == nil
	})
}

// agentsFrom puts the agents of a store together. It is nil where nobody wrote an
// agent.
func (k *Keeper) agentsFrom(at parts, now time.Time, byModel map[memsync.ID]bool) (*agents.Store, error) {
	in := agents.Input{View: at.view, State: at.state, Now: now, FromModel: k.Store.Policy.Targets.FromModel}
	var err error
	if in.Authors, err = k.authorsIn(at); err != nil || len(in.Authors) == 0 {
		return nil, err
	}
	promoted := map[memsync.ID]bool{}
	for _, s := range at.view.Scopes {
		if in.Approved, err = k.approvedIn(at, s, in.Approved); err != nil {
			return nil, err
		}
	}
	for _, a := range in.Approved {
		promoted[a.Memory] = true
	}
	if k.parts.targets.of != at.view { // the same for each agent, and for the ledger before and after
		k.parts.targets = targets{of: at.view}
		for m := range at.view.All() {
			if m.Kind == memsync.KindMemory && m.Target != "" {
				k.parts.targets.list = append(k.parts.targets.list, m)
			}
		}
	}
	list := slices.Clip(k.parts.targets.list)
	for _, m := range list {
		delete(promoted, m.ID)
	}
	for id := range promoted { // and proposes no place any more
		list = append(list, at.view.ByID(id)...)
	}
	for _, m := range list {
		if m.Kind != memsync.KindMemory {
			continue
		}
		wants, known := k.parts.wants[m.Hash]
		if !known {
			body, err := at.body(m)
			if err != nil {
				return nil, err
			}
			wants = agents.WantsOf(m, body)
			remember(&k.parts.wants, m.Hash, wants)
		}
		in.Memories = append(in.Memories, agents.Memory{Memory: m, Wants: wants, ByModel: byModel[m.ID]})
	}
	return agents.New(in), nil
}

func (k *Keeper) authorsIn(at parts) ([]agents.Author, error) {
	dirs, err := at.names(authorsDir(k.Store))
	if err != nil {
		return nil, err
	}
	var out []agents.Author
	for _, name := range dirs {
		p := authorsDir(k.Store).Join(name, authorName)
		data, err := at.read(p)
		if err != nil {
			return nil, err
		}
		if data == nil {
			continue
		}
		hash := memsync.HashOf(data)
		a, known := k.parts.authors[hash]
		if !known || a.Path != p {
			a = agents.ReadAuthor(p, data)
			remember(&k.parts.authors, hash, a)
		}
		if a.Err != nil {
			if a.Agent, err = k.lastGood(p, hash, at.from); err != nil {
				return nil, err
			}
		}
		out = append(out, a)
	}
	return out, nil
}

// lastGood is what the newest version of an agent's file that can be read says; nil
// for none.
func (k *Keeper) lastGood(p memsync.Path, bad memsync.Hash, from string) (agent *compose.Agent, err error) {
	if a, known := k.parts.good[bad]; known && a.Path == p {
		return a.Agent, nil
	}
	versions, err := k.repo.Log(gitlog.LogQuery{From: from, Paths: []memsync.Path{p}})
	if err != nil {
		return nil, err
	}
	found := &agents.Author{Path: p}
	for _, v := range versions {
		for _, c := range v.Changes {
			if c.Path != p || c.To == "" || found.Agent != nil {
				continue
			}
			data, err := k.repo.Blob(c.To)
			if err != nil {
				return nil, err
			}
			found.Agent = agents.ReadAuthor(p, data).Agent
		}
	}
	remember(&k.parts.good, bad, found)
	return found.Agent, nil
}

// approvedIn adds a scope's snapshots. Each is read once: its name is its hash.
func (k *Keeper) approvedIn(at parts, s memsync.Scope, out []agents.Approved) ([]agents.Approved, error) {
	dir := agents.ApprovedDir(s)
	names, err := at.names(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		p := dir.Join(name)
		a, known := k.parts.approved[p]
		if !known {
			data, err := at.read(p)
			if err != nil {
				return nil, err
			}
			if read, ok := agents.ReadApproved(p, data); ok {
				a = &read
				remember(&k.parts.approved, p, a)
			}
		}
		if a != nil {
			out = append(out, *a)
		}
	}
	return out, nil
}

func remember[K comparable, V any](m *map[K]V, key K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = v
}

// agents puts the agents of the planned view together; nil where there are none.
func (b *batch) agents() (*agents.Store, error) {
	if b.seen.view == b.view && b.seen.state == b.state && b.seen.files == len(b.order) {
		return b.seen.store, nil
	}
	store, err := b.k.agentsFrom(b.parts(), b.now, b.byModel)
	if err == nil {
		b.seen = seenAgents{b.view, b.state, len(b.order), store}
	}
	return store, err
}

// seenAgents are the agents that a batch put together last, and of what.
type seenAgents struct {
	view  *memsync.View
	state *ledger.State
	files int // of the plan
	store *agents.Store
}

// parts are those of the planned view. An agent's file that nobody accepted, where
// a person commits or before its first look, is taken as it is on disk.
func (b *batch) parts() parts {
	k := b.k
	return parts{view: b.view, state: b.state,
		names: func(dir memsync.Path) ([]string, error) {
			entries, read := b.listed[dir]
			if !read {
				var err error
				if entries, err = os.ReadDir(k.abs(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return nil, ioError(err, dir)
				}
				remember(&b.listed, dir, entries)
			}
			var names []string
			for _, e := range entries {
				if f, planned := b.files[dir.Join(e.Name())]; !planned || f.Post != "" {
					names = append(names, e.Name())
				}
			}
			for _, p := range b.order {
				if p.Dir() == dir && b.files[p].Post != "" && !slices.Contains(names, p.Base()) {
					names = append(names, p.Base())
				}
			}
			return names, nil
		},
		read: func(p memsync.Path) ([]byte, error) {
			if _, _, accepted := k.catalog.Accepted(p); accepted || b.files[p] != nil {
				data, _, err := k.planned(b, p)
				return data, err
			}
			data, _, err := watcher.Read(k.Store.Root, p, k.readLimit(p))
			if errors.Is(err, memsync.CodeNotFound) {
				return nil, nil
			}
			return data, err
		},
		body: b.plannedBody,
	}
}

// Agents are the agents of the store as it is now; nil where there are none.
func (k *Keeper) Agents() (*agents.Store, error) {
	b, err := k.begin()
	if err != nil {
		return nil, err
	}
	return b.agents()
}

// AgentsAsOf are the agents as a commit had them, with the ledger that it held, on
// the day of that commit.
func (k *Keeper) AgentsAsOf(rev string) (*agents.Store, error) {
	view, err := k.ViewAsOf(rev)
	if err != nil {
		return nil, err
	}
	id := view.Revision.Commit
	entries, err := k.repo.Tree(id, "")
	if err != nil {
		return nil, err
	}
	blobs := map[memsync.Path]string{}
	for _, e := range entries {
		blobs[e.Path] = e.Blob
	}
	events, err := k.eventsIn(blobs)
	if err != nil {
		return nil, err
	}
	return k.agentsFrom(k.pastParts(view, ledger.Fold(events), blobs, id), k.commitTime(id), nil)
}

// AgentsAt are the agents as they were at a time: of each file the newest version
// that was decided not later, and of the ledger as it is known now what is dated not
// later. An event that arrived after that time counts, which is how this differs
// from a commit of that time.
func (k *Keeper) AgentsAt(at time.Time) (*agents.Store, error) {
	blobs, err := k.blobsAt(at)
	if err != nil {
		return nil, err
	}
	view, err := k.past(memsync.Revision{}, blobs)
	if err != nil {
		return nil, err
	}
	head, err := k.repo.Tree("HEAD", "")
	if err != nil {
		return nil, err
	}
	all := map[memsync.Path]string{}
	for _, e := range head {
		all[e.Path] = e.Blob
	}
	events, err := k.eventsIn(all)
	if err != nil {
		return nil, err
	}
	events = slices.DeleteFunc(events, func(e ledger.Located) bool { return e.At.After(at) })
	// A snapshot may have been written later than the event that names it was dated.
	for p, blob := range all {
		if scope, ok := memsync.ScopeOf(k.Store.Scopes, p); ok && p.Dir() == agents.ApprovedDir(scope) {
			blobs[p] = blob
		}
	}
	return k.agentsFrom(k.pastParts(view, ledger.Fold(events), blobs, ""), at, nil)
}

// eventsIn reads the ledgers of a tree.
func (k *Keeper) eventsIn(blobs map[memsync.Path]string) (out []ledger.Located, err error) {
	for p, blob := range blobs {
		scope, ok := memsync.ScopeOf(k.Store.Scopes, p)
		if _, _, _, named := ledger.ParseFileName(p.Base()); !ok || !named || p.Dir() != ledgerDir(scope) {
			continue
		}
		data, err := k.repo.Blob(blob)
		if err != nil {
			return nil, err
		}
		lines, _ := ledger.Parse(p, data)
		out = append(out, ledger.Locate(scope.Dir, p, lines)...)
	}
	return out, nil
}

// pastParts are the parts that a tree holds.
func (k *Keeper) pastParts(view *memsync.View, state *ledger.State, blobs map[memsync.Path]string, from string) parts {
	return parts{view: view, state: state, from: from,
		names: func(dir memsync.Path) (names []string, err error) {
			for p := range blobs {
				rest, below := strings.CutPrefix(string(p), string(dir)+"/")
				if name, _, _ := strings.Cut(rest, "/"); below && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			slices.Sort(names)
			return names, nil
		},
		read: func(p memsync.Path) ([]byte, error) {
			blob := blobs[p]
			if blob == "" {
				return nil, nil
			}
			return k.repo.Blob(blob)
		},
		body: func(m *memsync.Memory) (string, error) {
			data, err := k.repo.Blob(m.Blob)
			if err != nil {
				return "", err
			}
			doc, err := format.Parse(data, k.Store.Policy.Limits)
			if err != nil {
				return "", nil
			}
			return doc.Body(), nil
		},
	}
}
