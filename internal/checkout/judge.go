package checkout

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"memsync"
	"memsync/gitlog"
	"memsync/indexer/recall"
	"memsync/internal/format"
	"memsync/internal/ledger"
	"memsync/internal/store"
	"memsync/lint"
)

// Options say what is judged and what is told.
type Options struct {
	Staged    bool                    // the index, as a commit would take it, not the disk; told is what differs from HEAD
	IndexFile string                  // another index than the repository's own, as git names it to a hook
	Index     *gitlog.Staged          // the index, where the caller has read it: of a repository opened at the store's root, which is used then
	Partial   bool                    // with Staged: look at nothing but what differs from HEAD, and at MEMORY.md
	Overlay   map[memsync.Path][]byte // files as an editor has them; told are these alone
	Since     string                  // told is what differs from the commit at which HEAD left this revision
	Paths     []memsync.Path          // told are these, and what lies below them; empty: everything

	Now      time.Time // what is too old, or not valid, is so then; zero: the clock's
	NoGit    bool      // there is no repository to ask
	Notice   func(format string, args ...any)
	Progress func(done, all int)
	Before   func(files int) // called before so many files are read
}

// Judged is a store that was judged.
type Judged struct {
	lint.Result
	Files        int            // that were judged and are told of
	TouchedLists bool           // a MEMORY.md, or a page of one, is among what differs
	Touched      []memsync.Path // memories that differ from HEAD, or from Since; nil where everything is told
	Store        *store.Store   // as it is where the files are read from
	Repo         *gitlog.Repo   // nil where there is none
	Tree         Tree

	own *gitlog.Repo // Repo, unless it is the caller's
}

// Judge reads a store and says what is wrong with it.
func Judge(ctx context.Context, s *store.Store, opt Options) (*Judged, error) {
	if opt.Notice == nil {
		opt.Notice = func(string, ...any) {}
	}
	if opt.Now.IsZero() {
		opt.Now = time.Now()
	}
	j := &judge{store: s, opt: opt}
	var own *gitlog.Repo
	switch {
	case opt.NoGit:
	case opt.Index != nil:
		j.repo = opt.Index.Repo()
	default:
		repo, err := gitlog.Open(s.Root, gitlog.Options{})
		switch {
		case err == nil:
			own, j.repo = repo, repo
		case memsync.CodeOf(err) != memsync.CodeStoreNone || opt.Staged:
			return nil, err
		}
	}
	if j.repo != nil {
		j.atHead = snapshot(j.repo, "HEAD")
	}
	out, err := j.run(ctx)
	switch {
	case err == nil:
		out.own = own
	case own != nil:
		own.Close()
	}
	return out, err
}

// judge is one Judge at work.
type judge struct {
	store   *store.Store
	opt     Options
	repo    *gitlog.Repo // nil: none
	atHead  func(under memsync.Path) ([]gitlog.TreeEntry, error)
	tree    Tree
	list    Listing
	checker *lint.Checker
	state   *ledger.State
	whole   lint.Whole
	base    map[memsync.Path]string // Since: blob ids of the revision
	touched map[memsync.Path]bool   // what is told of; nil: everything
}

func (j *judge) run(ctx context.Context) (*Judged, error) {
	var err error
	if j.tree, err = j.open(); err != nil {
		return nil, err
	}
	if err := j.changes(); err != nil {
		return nil, err
	}
	if j.list, err = j.tree.List(); err != nil {
		return nil, err
	}
	if err := j.ledgers(); err != nil {
		return nil, err
	}
	if j.opt.Before != nil {
		j.opt.Before(len(j.list.Files))
	}
	if err := j.files(ctx); err != nil {
		return nil, err
	}
	if err := j.around(); err != nil {
		return nil, err
	}
	if err := j.answer(); err != nil {
		return nil, err
	}
	out := &Judged{Result: j.checker.Join(j.whole), Store: j.store, Repo: j.repo, Tree: j.tree}
	out.Findings = slices.DeleteFunc(out.Findings, func(f lint.Finding) bool { return !j.tells(f) })
	for _, r := range j.whole.Reports {
		if j.told(r.Path) {
			out.Files++
		}
	}
	for p := range j.touched {
		if scope, ok := memsync.ScopeOf(j.store.Scopes, p); ok && scope.MemoryMD == memsync.Region && (p == recall.FilePath(scope) || p.In(recall.PagesDir(scope))) {
			out.TouchedLists = true
		}
		if class, ok := classify(j.store, p); ok && (class == format.MemoryFile || class == format.LogFile) {
			out.Touched = append(out.Touched, p)
		}
	}
	slices.Sort(out.Touched)
	out.Sizes = slices.DeleteFunc(out.Sizes, func(s lint.Size) bool { return j.touched != nil || !j.told(s.Path) })
	return out, nil
}

// told reports whether a path is one that is told of.
func (j *judge) told(p memsync.Path) bool {
	if j.touched != nil && !j.touched[p] {
		return false
	}
	return len(j.opt.Paths) == 0 || slices.ContainsFunc(j.opt.Paths, func(dir memsync.Path) bool { return p.In(dir) })
}

// tells reports whether a finding is told: it stands in such a file, or is
// about one. What a MEMORY.md lacks as a whole is about all that it should
// list, so it is told of whoever commits one of these.
func (j *judge) tells(f lint.Finding) bool {
	switch {
	case j.told(f.Path):
		return true
	case j.opt.Overlay != nil:
		return false
	case f.About != "" && j.told(memsync.Path(f.About)):
		return true
	case j.opt.Staged && f.Code == memsync.FindIndexDrift && f.About == "":
		for p := range j.touched {
			if p.In(f.Path.Dir()) && j.told(p) {
				return true
			}
		}
	}
	return false
}

// ledgers reads the ledger and makes the checker. A ledger file that HEAD holds
// and somebody removed lifts no tombstone: it counts as well.
func (j *judge) ledgers() error {
	var events []ledger.Located
	var committed []lint.LedgerFile // of HEAD, where they differ
	for _, s := range j.store.Scopes {
		dir := s.System.Join("_system", "ledger")
		here := map[memsync.Path]string{}
		for _, p := range j.tree.Under(dir) {
			if !strings.HasSuffix(p.Base(), ".jsonl") {
				continue
			}
			f, err := j.tree.Reader().Read(p, 0)
			if err != nil {
				return err
			}
			here[p] = f.Blob
			if f.Blob == "" && j.repo != nil {
				here[p] = j.repo.BlobID(f.Data)
			}
			j.whole.Ledgers = append(j.whole.Ledgers, lint.LedgerFile{Path: p, Scope: s.Dir, Data: f.Data})
			lines, _ := ledger.Parse(p, f.Data)
			events = append(events, ledger.Locate(s.Dir, p, lines)...)
		}
		if j.repo == nil {
			continue
		}
		head, err := j.atHead(dir)
		if err != nil {
			return err
		}
		for _, e := range head {
			if here[e.Path] == e.Blob || !strings.HasSuffix(e.Path.Base(), ".jsonl") {
				continue
			}
			data, err := j.repo.Blob(e.Blob)
			if err != nil {
				return err
			}
			lines, _ := ledger.Parse(e.Path, data)
			events = append(events, ledger.Locate(s.Dir, e.Path, lines)...)
			committed = append(committed, lint.LedgerFile{Path: e.Path, Data: data})
		}
	}
	if err := j.lost(committed); err != nil {
		return err
	}
	var err error
	j.state = ledger.Fold(events)
	j.checker, err = lint.New(j.store.Scopes, j.store.Policy, j.state)
	return err
}

// lookBack is how many commits lint looks back for lines that ledgers lost: a
// pull's worth. `memsync doctor` looks at all of history.
const lookBack = 500

// lost finds the lines that ledgers had, at HEAD or before, and have not.
func (j *judge) lost(committed []lint.LedgerFile) error {
	if j.repo == nil || j.opt.Partial || j.opt.Overlay != nil {
		return nil
	}
	var dirs []memsync.Path
	for _, s := range j.store.Scopes {
		dirs = append(dirs, s.System.Join("_system", "ledger"))
	}
	cuts, err := j.repo.Cuts(dirs, lookBack)
	if err != nil || len(cuts)+len(committed) == 0 {
		return err
	}
	known := map[memsync.ID]bool{}
	for _, l := range j.whole.Ledgers {
		events, _ := ledger.Parse(l.Path, l.Data)
		for _, e := range events {
			known[e.ID] = true
		}
	}
	for _, l := range committed {
		j.whole.Lost = append(j.whole.Lost, ledger.Lost(l.Path, l.Data, "", known)...)
	}
	for _, c := range cuts {
		data, err := j.repo.Blob(c.Blob)
		if err != nil {
			return err
		}
		j.whole.Lost = append(j.whole.Lost, ledger.Lost(c.Path, data, c.Commit, known)...)
	}
	return nil
}

// files judges every file by itself, on all cores.
func (j *judge) files(ctx context.Context) error {
	list := j.list.Files
	reports := make([]*lint.Report, len(list))
	skips := make([]error, len(list))
	converts := make([]string, len(list))
	const block = 64 // files that a worker takes at once
	workers := min(runtime.GOMAXPROCS(0), 1+len(list)/block)
	var wg sync.WaitGroup
	var taken atomic.Int64
	for w := range workers {
		wg.Go(func() {
			read := j.tree.Reader()
			defer read.Close()
			var attributes gitlog.TreeAttributes
			if j.repo != nil {
				attributes = j.repo.TreeAttributes()
			}
			for ctx.Err() == nil {
				from := int(taken.Add(block)) - block
				if from >= len(list) {
					return
				}
				if w == 0 && j.opt.Progress != nil {
					j.opt.Progress(from, len(list))
				}
				for i := from; i < min(from+block, len(list)); i++ {
					reports[i], converts[i], skips[i] = j.file(list[i], read, attributes)
				}
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, r := range reports {
		switch {
		case r != nil:
			j.whole.Reports = append(j.whole.Reports, r)
		case skips[i] != nil && !errors.Is(skips[i], memsync.CodeNotFound):
			j.whole.Skipped = append(j.whole.Skipped, lint.Skip{Path: list[i].Path, Reason: reasonOf(skips[i]), Unseen: true})
		}
		if converts[i] != "" {
			j.whole.Converted = append(j.whole.Converted, lint.Converted{Path: list[i].Path, How: converts[i]})
		}
	}
	return j.compare()
}

// file judges one file; converts is how git would change it. A file without a
// report was not read, and err says why.
func (j *judge) file(e Entry, read Reader, attributes gitlog.TreeAttributes) (_ *lint.Report, converts string, err error) {
	limit := int64(j.store.Policy.Limits.SaveBytes)
	f, err := read.Read(e.Path, limit)
	if err != nil {
		return nil, "", err
	}
	f.Path, f.Class = e.Path, e.Class
	if j.repo != nil && e.memory() {
		converts = attributes.Converts(e.Path, f.Data)
	}
	if j.touched == nil && j.base != nil && f.Blob == "" { // Since: compared with what was
		whole := f
		if int64(len(f.Data)) < f.Size { // too large to judge, and may be what it was
			if whole, err = read.Read(e.Path, 0); err != nil {
				return nil, converts, err
			}
		}
		f.Blob = j.repo.BlobID(whole.Data)
	}
	return j.checker.File(f), converts, nil
}

// answer looks up what the reports ask for.
func (j *judge) answer() error {
	if j.repo == nil {
		return nil
	}
	asks := j.checker.Ask(j.whole.Reports)
	j.whole.Head = map[memsync.Path]lint.HeadFile{}
	for _, p := range asks.Head {
		found, err := j.atHead(p)
		if err != nil {
			return err
		}
		if len(found) != 1 || found[0].Path != p {
			continue
		}
		data, err := j.repo.Blob(found[0].Blob)
		if err != nil {
			return err
		}
		j.whole.Head[p] = lint.HeadFile{Blob: found[0].Blob, Data: data}
	}
	for _, p := range asks.Good {
		if err := j.lastGood(p); err != nil {
			return err
		}
	}
	if len(asks.Derived) > 0 {
		var err error
		if j.whole.Derived, _, err = j.repo.DerivedIDs(asks.Derived); err != nil {
			return err
		}
	}
	return nil
}

// Judges reports whether p is a file that was judged, told of or not, or one
// that is kept for the store.
func (j *Judged) Judges(p memsync.Path) bool {
	if _, ok := classify(j.Store, p); ok {
		return true
	}
	_, inScope := memsync.ScopeOf(j.Store.Scopes, p)
	return inScope && system(p)
}

// Close lets go of the repository.
func (j *Judged) Close() {
	if j.own != nil {
		j.own.Close()
	}
}
