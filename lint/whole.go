package lint

import (
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"memsync"
	"memsync/compose"
	"memsync/controller"
	"memsync/internal/format"
	"memsync/internal/ledger"
	"memsync/internal/text"
)

// Whole is the store around the files: what only a look at all of it, or at
// git, can say. Paths are relative to the store.
type Whole struct {
	Reports []*Report // of every file that was judged, by path

	// Partial says that Reports are a few files of many, as a hook looks at
	// what is staged. What a look at all would find in others is not told then.
	Partial bool
	Theirs  bool                    // people commit here: memsync writes MEMORY.md beside other writes only
	Known   iter.Seq[memsync.Path]  // Partial: the paths of all files, judged or not
	Holds   func(memsync.Path) bool // Partial: whether there is a file at a path
	Gone    []memsync.Path          // Partial: memories, and MEMORY.md, that this commit takes away

	// Now is the moment at which the store is looked at: what is too old then, or
	// not valid. With the zero time nothing is too old, and no valid_from has come.
	Now time.Time

	Pages    map[memsync.Path][]byte // below _index/
	Approved map[memsync.Path][]byte // below _system/approved/
	Into     map[memsync.Path][]byte // the files that the policy's [[into]] names and that are there
	Ledgers  []LedgerFile
	Lost     []ledger.LostLine // lines that ledgers had, as far back as was looked
	Attached []memsync.Path    // below _system/approved, archive and conflicts
	Nested   []memsync.Path    // MEMORY.md in folders that are no scopes
	Skipped  []Skip
	Missing  []memsync.Path // directories of scopes that memsync.toml names and that are not there

	Ignored      []memsync.Path // memories, and what belongs to them, that git ignores
	Repositories []memsync.Path // git repositories of their own, below a scope
	Unmerged     []memsync.Path
	Converted    []Converted // files that git changes when it checks them out or takes them in
	Attributes   *Attributes // nil where there is no git to ask

	Head    map[memsync.Path]HeadFile       // of Asks.Head; absent: HEAD has no such file
	Derived map[memsync.Path]memsync.ID     // of Asks.Derived
	Good    map[memsync.Path]*compose.Agent // of Asks.Good; absent: no version parses
}

// LedgerFile is one file of a ledger.
type LedgerFile struct {
	Path  memsync.Path
	Scope memsync.Path // its scope's directory
	Data  []byte
}

// Skip is something that no memory can be.
type Skip struct {
	Path   memsync.Path
	Reason string
	Unseen bool // what is there could be a memory, or many, and nobody could look
}

// Converted is a file whose bytes git does not keep.
type Converted struct {
	Path memsync.Path
	How  string
}

// Attributes is what .gitattributes says about the store's files.
type Attributes struct {
	Path     memsync.Path // the file that should say it
	Data     []byte       // as it is
	Exists   bool
	Union    bool // ledger files join by lines
	Verbatim bool // memories are kept as they are
}

// HeadFile is a file as HEAD has it.
type HeadFile struct {
	Blob string
	Data []byte
}

// Asks are the facts that the reports of a store make necessary.
type Asks struct {
	Head    []memsync.Path
	Derived []memsync.Path
	Good    []memsync.Path // AGENT.md that do not parse: their newest version that does
}

// Ask says what has to be looked up before Join.
func (c *Checker) Ask(reports []*Report) (a Asks) {
	ids := make(map[memsync.ID]int, len(reports))
	for _, r := range reports {
		if r.Memory != nil && r.Memory.ID != "" {
			ids[r.Memory.ID]++
		}
	}
	type sorted struct{ scope, key string }
	alike := map[sorted]int{}
	anonymous := slices.ContainsFunc(reports, func(r *Report) bool { return r.Memory != nil && r.Memory.ID == "" })
	for _, r := range reports {
		if anonymous && r.Memory != nil && r.scope.MemoryMD == memsync.Region {
			alike[sorted{r.Memory.Scope, r.Memory.SortKey}]++
		}
	}
	agents := slices.ContainsFunc(reports, func(r *Report) bool { return r.author != nil })
	for _, r := range reports {
		if r.author != nil && r.author.Err != nil {
			a.Good = append(a.Good, r.Path)
		}
		if !r.class() {
			continue
		}
		if r.held || r.Memory != nil && ids[r.Memory.ID] > 1 {
			a.Head = append(a.Head, r.Path)
		}
		// An id that is not in the file decides only between two of one name.
		// Events about a place know a memory by it.
		if r.Memory != nil && r.Memory.ID == "" && (alike[sorted{r.Memory.Scope, r.Memory.SortKey}] > 1 || agents && r.Memory.Target != "") {
			if _, known := c.state.Identity(r.Path); !known {
				a.Derived = append(a.Derived, r.Path)
			}
		}
	}
	return a
}

// class reports whether the file is one that a memory could be.
func (r *Report) class() bool { return r.Class == format.MemoryFile || r.Class == format.LogFile }

// Result is what a store has to say.
type Result struct {
	Findings   []Finding // with the names that files have: see Shown
	Suppressed int       // by comments
	View       *memsync.View
	Sizes      []Size // of every agent that can be composed, by name; none of a partial look

	hide hiding
}

// Join judges the store as a whole and puts everything together: the findings
// of every file less what comments silence and what the policy turns off, in
// order.
func (c *Checker) Join(w Whole) Result {
	j := &join{Checker: c, Whole: w, extra: map[memsync.Path][]Finding{}, byPath: make(map[memsync.Path]*Report, len(w.Reports))}
	for _, r := range w.Reports {
		j.byPath[r.Path] = r
	}
	j.accept()
	// Two halves of about the same work, each with findings of its own.
	lists := *j
	lists.extra = map[memsync.Path][]Finding{}
	var done sync.WaitGroup
	done.Go(func() {
		for _, s := range c.scopes {
			lists.index(s)
		}
	})
	j.identities()
	j.links()
	j.ledgers()
	j.store()
	j.compositions()
	done.Wait()
	for p, found := range lists.extra {
		j.extra[p] = append(j.extra[p], found...)
	}
	return j.result()
}

// join is one Join at work.
type join struct {
	*Checker
	Whole
	view   *memsync.View
	byPath map[memsync.Path]*Report
	extra  map[memsync.Path][]Finding // by the file they are about
	sizes  []Size
}

// find adds a finding about a file.
func (j *join) find(f Finding) *Finding {
	list := append(j.extra[f.Path], f)
	j.extra[f.Path] = list
	return &list[len(list)-1]
}

// accept builds the view: what a reader of this tree would be given. Bytes that
// wait leave the last accepted version in force; bytes at HEAD that don't parse
// are listed as unreadable.
func (j *join) accept() {
	var memories []*memsync.Memory
	for _, r := range j.Reports {
		if !r.class() || j.isCopy(r) {
			continue
		}
		m := r.Memory
		if r.held {
			head, ok := j.Head[r.Path]
			if !ok {
				continue
			}
			if _, hidden := j.state.Quarantined(r.Path, head.Blob); hidden {
				continue
			}
			if doc, err := format.Parse(head.Data, j.policy.Limits); err == nil {
				m = format.Describe(doc, r.Path, r.scope)
			} else {
				m = &memsync.Memory{Path: r.Path, Scope: r.scope.Name(), Kind: memsync.KindUnreadable, Name: r.Path.Base(), SortKey: text.Fold(r.Path.Base())}
			}
		}
		if m == nil {
			continue
		}
		if _, gone := j.state.Forgotten(m.ID); gone && m.ID != "" {
			continue
		}
		if m.Kind != memsync.KindUnreadable {
			same := *m
			m = &same
			controller.Identify(m, j.Derived[m.Path], j.state)
		}
		memories = append(memories, m)
	}
	j.view = memsync.NewView(memsync.Revision{}, j.scopes, memories)
}

// isCopy reports whether a file is a file-sync tool's copy by its number: the
// file that it is named after is there and has the same id. It is kept out,
// unless a commit brought it.
func (j *join) isCopy(r *Report) bool {
	base, numbered := format.NumberedCopy(r.Path.Base())
	if !numbered || r.Memory == nil || r.Memory.ID == "" {
		return false
	}
	original := j.byPath[r.Path.Dir().Join(base)]
	if original == nil || original.Memory == nil || original.Memory.ID != r.Memory.ID {
		return false
	}
	_, told := j.state.Identity(r.Path)
	_, head := j.Head[r.Path]
	return !told && !head
}

// there reports whether a memory could be at a path: one that was judged, or
// that a partial look knows of.
func (j *join) there(p memsync.Path) bool {
	if slices.ContainsFunc(j.Skipped, func(s Skip) bool { return s.Unseen && p.In(s.Path) }) {
		return true // for all that anybody knows
	}
	if r := j.byPath[p]; r != nil {
		return r.class()
	}
	return j.Partial && j.Holds(p) && j.couldBe(p)
}

// couldBe reports whether a memory could have that path.
func (j *join) couldBe(p memsync.Path) bool {
	scope, ok := memsync.ScopeOf(j.scopes, p)
	if !ok {
		return false
	}
	class := format.Classify(p.Rel(scope.Dir))
	return class == format.MemoryFile || class == format.LogFile
}

// result puts the findings together.
func (j *join) result() Result {
	out := Result{View: j.view, hide: j.hiding()}
	take := func(list []Finding) {
		for _, f := range list {
			if f.Severity = j.Level(f.Finding); f.Severity != memsync.Off {
				out.Findings = append(out.Findings, f)
			}
		}
	}
	for _, r := range j.Reports {
		all := r.Findings
		if more := j.extra[r.Path]; len(more) > 0 {
			all = append(slices.Clip(all), more...)
			delete(j.extra, r.Path)
		}
		if len(all) == 0 && len(r.ignores) == 0 {
			continue
		}
		trusted := r.scope.Writers == memsync.People || r.scope.Writers == ""
		kept, n := suppress(all, r.ignores, r.Path, trusted)
		out.Suppressed += n
		take(kept)
	}
	for _, list := range j.extra {
		take(list)
	}
	if out.Findings == nil {
		out.Findings = []Finding{}
	}
	Sort(out.Findings)
	out.Sizes = out.hide.sizes(j.sizes)
	return out
}

// Level is how bad a finding is, by the rule and by the store's policy. The last
// line of a policy counts; a rule that is locked is out of its reach.
func (c *Checker) Level(f memsync.Finding) memsync.Severity {
	for _, l := range slices.Backward(c.policy.Lint) {
		if r, ok := RuleOf(l.Code); ok && r.Code == f.Code && !r.Locked {
			return l.Level
		}
	}
	return f.Severity
}

// nameOf is a path for a message.
func nameOf(p memsync.Path) string { return format.OneLine(string(p), 0) }

func joinPaths(list []memsync.Path, n int) string {
	names := make([]string, 0, n)
	for _, p := range list[:min(n, len(list))] {
		names = append(names, nameOf(p))
	}
	if len(list) > n {
		return strings.Join(names, ", ") + " and " + count(len(list)-n, "more", "more")
	}
	return strings.Join(names, ", ")
}

// Save are the findings of one file by itself, as the policy holds them: what
// can be told at once when it is saved. They may be shown.
func (c *Checker) Save(f File) (out []memsync.Finding) {
	r := c.File(f)
	trusted := r.scope.Writers == memsync.People || r.scope.Writers == ""
	kept, _ := suppress(r.Findings, r.ignores, r.Path, trusted)
	Sort(kept)
	hide := hiding{state: c.state}
	for _, f := range kept {
		if f.Severity = c.Level(f.Finding); f.Severity != memsync.Off {
			out = append(out, hide.finding(f).Finding)
		}
	}
	return out
}
