package keeper

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"memsync"
	"memsync/gitlog"
	"memsync/indexer/recall"
	"memsync/internal/format"
	"memsync/watcher"
)

// Check is one thing that doctor looked at.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"`
	Hint   string `json:"hint,omitempty"`
}

// Doctor compares everything that must agree in a store at rest: journal,
// catalog, HEAD, search index, disk, MEMORY.md. It changes nothing.
func (k *Keeper) Doctor(ctx context.Context) ([]Check, error) {
	var out []Check
	add := func(name, hint string, problems []string) {
		c := Check{Name: name, OK: len(problems) == 0}
		if !c.OK {
			c.Detail, c.Hint = problems[0], hint
			if n := len(problems); n > 1 {
				c.Detail += fmt.Sprintf(" (and %d more)", n-1)
			}
		}
		out = append(out, c)
	}

	p := k.repo.Probe()
	add("repository", "", p.Problems)
	var problems []string
	if err := k.journal.Check(); err != nil {
		problems = append(problems, err.Error())
	}
	unfinished, err := k.journal.Pending()
	if err != nil {
		return nil, err
	}
	if unfinished > 0 {
		problems = append(problems, fmt.Sprintf("%d plans are unfinished", unfinished))
	}
	add("journal", "run `memsync up --once`", problems)

	if problems, err = k.checkCatalog(); err != nil {
		return nil, err
	}
	add("catalog", "delete catalog.db in the store's git directory; it is made anew", problems)

	st, err := k.Status(ctx)
	if err != nil {
		return nil, err
	}
	problems = nil
	if st.Index.Problem != "" {
		problems = append(problems, st.Index.Problem)
	}
	for _, d := range st.Index.Wrong {
		problems = append(problems, string(d.Path)+": "+d.What())
	}
	add("index", "run `memsync index rebuild`", problems)
	problems = nil
	for _, p := range st.Pending {
		problems = append(problems, string(p)+" is saved and not decided about")
	}
	for _, p := range st.Waiting {
		problems = append(problems, string(p)+" is gone and waits for accept-deletes")
	}
	add("disk", "run `memsync up --once`", problems)
	problems = nil
	if st.Paused != nil {
		problems = append(problems, *st.Paused+": "+st.Detail)
	}
	add("paused", "finish what git is in the middle of", problems)

	missing, err := k.missingLedgers()
	if err != nil {
		return nil, err
	}
	problems = nil
	hint := "run `memsync up --once`"
	for _, p := range missing {
		problems = append(problems, string(p)+" was removed")
	}
	if len(problems) == 0 {
		lost, err := k.LostLines()
		if err != nil {
			return nil, err
		}
		for _, l := range lost {
			problems = append(problems, string(l.Path)+" lost the line of event "+string(l.Event)+takenBy(l.Commit))
		}
		hint = "a person runs `memsync resolve --ledger`"
	}
	add("ledger", hint, problems)

	problems, hint, err = k.checkIndexes()
	if err != nil {
		return nil, err
	}
	add("MEMORY.md", hint, problems)
	if problems, err = k.checkIdentities(); err != nil {
		return nil, err
	}
	add("identity", "see `memsync list`", problems)
	problems = nil
	if trouble := DriverTrouble(k.repo.MergeDriver(), k.driven()); trouble != "" {
		problems = append(problems, trouble)
	}
	add("merge driver", "run `memsync hooks install`; a merge that is stopped without it: `memsync resolve --from-index`", problems)
	problems = nil
	if s := st.Sync; s != nil && s.Last != nil && s.Last.Error != nil && !passes(s.Last.Error.Code) {
		problems = append(problems, s.Last.Error.Error())
		hint = s.Last.Error.Hint
	}
	if hint == "" || len(problems) == 0 {
		hint = "run `memsync sync`"
	}
	add("sync", hint, problems)
	return out, nil
}

// passes reports whether what ended an exchange ends by itself.
func passes(c memsync.Code) bool {
	switch c {
	case memsync.CodeSyncUnreachable, memsync.CodeSyncTimeout, memsync.CodeSyncRejected, memsync.CodeStoreBusy, memsync.CodeStorePaused:
		return true
	}
	return false
}

// driven reports whether the store's attributes ask for the merge driver.
func (k *Keeper) driven() bool {
	at := k.repo.TreeAttributes()
	for _, s := range k.Store.Scopes {
		if !at.Driven(s.Dir.Join("user_x.md")) {
			return false
		}
	}
	return true
}

// DriverTrouble says what comes of a merge driver that is not as it should be in
// a clone; attribute: the store asks for one. "" for nothing.
func DriverTrouble(d gitlog.MergeDriver, attribute bool) string {
	switch {
	case d.State == gitlog.DriverHollow:
		return "merge.memsync has no driver, so each merge of a memory ends in a fatal error of git's"
	case d.State == gitlog.DriverGone:
		return "the program that git is to merge with is gone: a merge may keep one side alone, without a marker"
	case d.State == gitlog.DriverAbsent && attribute:
		return "this clone does not know merge=memsync, so git merges memories as any text"
	}
	return ""
}

func takenBy(commit string) string {
	if commit == "" {
		return ", which HEAD has"
	}
	return " with commit " + commit[:min(12, len(commit))]
}

// checkCatalog compares what was accepted with HEAD, and each header with the
// bytes it was read from.
func (k *Keeper) checkCatalog() ([]string, error) {
	var problems []string
	st, err := k.repo.State()
	if err != nil {
		return nil, err
	}
	head := map[memsync.Path]string{}
	if st.Head != "" {
		entries, err := k.repo.Tree(st.Head, "")
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			head[e.Path] = e.Blob
		}
	}
	v, err := k.View()
	if err != nil {
		return nil, err
	}
	var known, fresh []*memsync.Memory
	for m := range v.All() {
		if k.Store.CommitMode() == memsync.CommitAuto && head[m.Path] != m.Blob {
			problems = append(problems, fmt.Sprintf("%s: accepted %s, HEAD has %s", m.Path, m.Blob, head[m.Path]))
			continue
		}
		data, err := k.Read(m)
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", m.Path, err))
			continue
		}
		scope, _ := v.Scope(m.Scope)
		known, fresh = append(known, m), append(fresh, k.describe(m.Path, scope, data))
	}
	if err := k.identify(fresh); err != nil {
		return nil, err
	}
	for i, m := range known {
		now := fresh[i]
		if now.Hash != m.Hash || now.Name != m.Name || now.Description != m.Description || now.Type != m.Type ||
			now.BodyKey != m.BodyKey || !slices.Equal(now.Sketch, m.Sketch) {
			problems = append(problems, fmt.Sprintf("%s: the header in the catalog is not what the file says", m.Path))
		} else if now.ID != m.ID || now.Inline != m.Inline {
			problems = append(problems, fmt.Sprintf("%s: its id in the catalog is %q; files and ledger say %q", m.Path, m.ID, now.ID))
		}
	}
	if k.Store.CommitMode() == memsync.CommitAuto {
		state, err := k.State()
		if err != nil {
			return nil, err
		}
		for p, blob := range head {
			if _, hidden := state.Quarantined(p, blob); hidden {
				continue
			}
			scope, ok := memsync.ScopeOf(k.Store.Scopes, p)
			if !ok || watcher.Excluded(scope, p) {
				continue
			}
			if remembers(format.Classify(p.Rel(scope.Dir))) && v.ByPath(p) == nil {
				problems = append(problems, fmt.Sprintf("%s is at HEAD and not in the catalog", p))
			}
		}
	}
	slices.Sort(problems)
	return problems, nil
}

// checkIndexes digests every scope and finds what would change, and what can't
// be written although its memories are missing from it. hint is about the first
// problem.
func (k *Keeper) checkIndexes() (problems []string, hint string, err error) {
	v, err := k.View()
	if err != nil {
		return nil, "", err
	}
	problem := func(text, remedy string) {
		if len(problems) == 0 {
			hint = remedy
		}
		problems = append(problems, text)
	}
	for _, s := range k.Store.Scopes {
		if s.MemoryMD != memsync.Region {
			continue
		}
		if f := k.noFile(indexPath(s)); f != nil {
			if st, err := os.Lstat(k.abs(indexPath(s))); err != nil || st.Mode()&fs.ModeSymlink == 0 {
				problem(string(f.Path)+": "+f.Message, f.Hint)
			}
			continue // a link: somebody's other list, not ours to write, and up says so
		}
		in := recall.Input{View: v, Scope: s, Limits: k.Store.Policy.Limits, Pages: map[memsync.Path][]byte{}}
		if in.MemoryMD, _, err = k.onDisk(indexPath(s)); err != nil {
			return nil, "", err
		}
		dir := s.System.Join("_index")
		entries, err := os.ReadDir(k.abs(dir))
		if err == nil {
			for _, e := range entries {
				if data, _, err := k.onDisk(dir.Join(e.Name())); err == nil && data != nil {
					in.Pages[dir.Join(e.Name())] = data
				}
			}
		}
		out := recall.Digest(in)
		for _, f := range out.Findings {
			if f.Severity == memsync.Severe {
				e := memsync.Error{Path: f.Path, Line: f.Line, Column: f.Column, Message: f.Message}
				problem(e.Error(), f.Hint)
			}
		}
		for _, p := range slices.Sorted(maps.Keys(out.Files)) {
			problem(string(p)+" is not what its memories say", "run `memsync up --once`")
		}
	}
	return problems, hint, nil
}

// checkIdentities finds memories without an id and ids with two memories.
func (k *Keeper) checkIdentities() ([]string, error) {
	v, err := k.View()
	if err != nil {
		return nil, err
	}
	var problems []string
	for m := range v.All() {
		switch {
		case m.Kind == memsync.KindUnreadable:
		case m.ID == "":
			problems = append(problems, string(m.Path)+" has no id")
		case len(v.ByID(m.ID)) > 1:
			problems = append(problems, string(m.Path)+" shares the id "+string(m.ID))
		}
	}
	return problems, nil
}
