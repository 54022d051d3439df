package join

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"memsync"
	"memsync/internal/ledger"
)

// memory is a History without git: commits and blobs in maps, shared by all
// clones of a test, as if everything had been fetched.
type memory struct {
	mu      sync.Mutex
	blobs   map[string][]byte
	commits map[string]*commit
	reach   map[string]map[string]bool
}

type commit struct {
	id      string
	parents []string
	tree    Tree
	time    time.Time
}

func newMemory() *memory {
	return &memory{blobs: map[string][]byte{}, commits: map[string]*commit{}, reach: map[string]map[string]bool{}}
}

func (m *memory) BlobID(data []byte) string {
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(data), data))
	return hex.EncodeToString(sum[:])
}

func (m *memory) put(data []byte) string {
	id := m.BlobID(data)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.blobs[id] = data
	return id
}

func (m *memory) Blob(id string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.blobs[id]
	if !ok {
		return nil, fmt.Errorf("no blob %s", id)
	}
	return data, nil
}

func (m *memory) Tree(id string) (Tree, error)      { return maps.Clone(m.commits[id].tree), nil }
func (m *memory) Time(id string) (time.Time, error) { return m.commits[id].time, nil }

// commit adds a commit. Its id follows from all that it says.
func (m *memory) commit(t Tree, when time.Time, parents ...string) string {
	h := sha1.New()
	for _, p := range slices.Sorted(maps.Keys(t)) {
		fmt.Fprintf(h, "%s %s %o\n", p, t[p].Blob, t[p].Mode)
	}
	fmt.Fprintln(h, when.UnixNano(), parents)
	id := hex.EncodeToString(h.Sum(nil))
	if m.commits[id] == nil {
		m.commits[id] = &commit{id, parents, t, when}
	}
	return id
}

// ancestors are the commits that can be reached, tips included.
func (m *memory) ancestors(tips ...string) map[string]bool {
	if len(tips) != 1 {
		out := map[string]bool{}
		for _, t := range tips {
			maps.Copy(out, m.ancestors(t))
		}
		return out
	}
	if got := m.reach[tips[0]]; got != nil {
		return got
	}
	out := map[string]bool{tips[0]: true}
	for _, p := range m.commits[tips[0]].parents {
		maps.Copy(out, m.ancestors(p))
	}
	m.reach[tips[0]] = out
	return out
}

func (m *memory) Bases(a, b []string) ([]string, error) {
	x, y := m.ancestors(a...), m.ancestors(b...)
	common := map[string]bool{}
	for c := range x {
		if y[c] {
			common[c] = true
		}
	}
	var out []string
	for c := range common {
		best := true
		for d := range common {
			best = best && (d == c || !m.ancestors(d)[c])
		}
		if best {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return out, nil
}

func (m *memory) Versions(tips, others []string, want map[memsync.Path]string) (map[memsync.Path]Version, error) {
	out := map[memsync.Path]Version{}
	not := m.ancestors(others...)
	for id := range m.ancestors(tips...) {
		if not[id] {
			continue
		}
		c := m.commits[id]
		for p, blob := range want {
			made := c.tree[p].Blob == blob
			for _, q := range c.parents {
				made = made && m.commits[q].tree[p].Blob != blob
			}
			if old := out[p]; made && (c.time.After(old.Time) || c.time.Equal(old.Time) && id > old.Commit) {
				out[p] = Version{id, c.time}
			}
		}
	}
	return out, nil
}

func (m *memory) DerivedIDs(tips []string, paths []memsync.Path) (map[memsync.Path]memsync.ID, error) {
	out := map[memsync.Path]memsync.ID{}
	for _, p := range paths {
		var best *commit
		seen := map[string]bool{}
		var walk func(id string)
		walk = func(id string) {
			c := m.commits[id]
			if seen[id] || !c.tree[p].there() {
				return
			}
			seen[id] = true
			born := true
			for _, q := range c.parents {
				if m.commits[q].tree[p].there() {
					born = false
					walk(q)
				}
			}
			if born && (best == nil || c.time.Before(best.time) || c.time.Equal(best.time) && c.id < best.id) {
				best = c
			}
		}
		for _, t := range tips {
			walk(t)
		}
		if best != nil {
			out[p] = ledger.DerivedID(best.time, string(p), best.tree[p].Blob)
		}
	}
	return out, nil
}

// day0 is when every history of a test begins.
var day0 = time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC)

// tree makes a tree of "path", "content" pairs on top of another one; content
// gone takes a path away.
func (m *memory) tree(on Tree, pairs ...string) Tree {
	t := maps.Clone(on)
	if t == nil {
		t = Tree{}
	}
	for i := 0; i < len(pairs); i += 2 {
		p := memsync.Path(pairs[i])
		if pairs[i+1] == gone {
			delete(t, p)
			continue
		}
		mode := t[p].Mode
		if mode == 0 {
			mode = ModeFile
		}
		t[p] = Entry{m.put([]byte(pairs[i+1])), mode}
	}
	return t
}

const gone = "\x00gone"

// text is a file of a tree; gone for none.
func (m *memory) text(t Tree, p string) string {
	e, ok := t[memsync.Path(p)]
	if !ok {
		return gone
	}
	data, err := m.Blob(e.Blob)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// fork is a base and two tips on it, an hour and two hours later.
type fork struct {
	*memory
	t    testing.TB
	base string
	a, b string
}

func newFork(t testing.TB, base, a, b []string) *fork {
	m := newMemory()
	f := &fork{memory: m, t: t}
	root := m.tree(nil, append([]string{"memsync.toml", "format = 1\n"}, base...)...)
	f.base = m.commit(root, day0)
	f.a = m.commit(m.tree(root, a...), day0.Add(time.Hour), f.base)
	f.b = m.commit(m.tree(root, b...), day0.Add(2*time.Hour), f.base)
	return f
}

// join joins the tips in both directions and insists on one answer.
func (m *memory) join(t testing.TB, a, b string) *Result {
	t.Helper()
	r, err := Tips(m, a, b)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Tips(m, b, a)
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(r.Tree, again.Tree) || !r.Time.Equal(again.Time) || !slices.Equal(r.Conflicts, again.Conflicts) || !slices.Equal(r.Parents, again.Parents) {
		t.Fatalf("the order of the tips matters:\n%v\n%v\n%v\n%v", m.show(r.Tree), m.show(again.Tree), r.Conflicts, again.Conflicts)
	}
	for _, data := range r.Fresh {
		m.put(data)
	}
	return r
}

func (f *fork) join() *Result {
	f.t.Helper()
	return f.memory.join(f.t, f.a, f.b)
}

// land commits a join.
func (m *memory) land(r *Result) string {
	for _, data := range r.Fresh {
		m.put(data)
	}
	return m.commit(r.Tree, r.Time, r.Parents...)
}

func (m *memory) show(t Tree) string {
	var b strings.Builder
	for _, p := range slices.Sorted(maps.Keys(t)) {
		fmt.Fprintf(&b, "== %s %o\n%s\n", p, t[p].Mode, m.text(t, string(p)))
	}
	return b.String()
}
