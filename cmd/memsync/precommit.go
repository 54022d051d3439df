package main

import (
	"errors"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"memsync"
	"memsync/gitlog"
	"memsync/internal/checkout"
	"memsync/internal/format"
	"memsync/internal/store"
)

// preCommit judges what a commit would take: pinned memories, and what lint says
// of the staged memories. index names git's index where it is not the
// repository's own; with fix, what is safe to mend is mended in it first.
func (a *app) preCommit(repo *gitlog.Repo, index string, fix bool) error {
	staged, err := repo.Staged(index)
	if err != nil {
		return err
	}
	changes, err := staged.Changes()
	if err != nil {
		return err
	}
	pinned, err := touchedPinned(repo, changes)
	if err != nil {
		return err
	}
	if why := strings.TrimSpace(a.env("MEMSYNC_OVERRIDE")); why != "" && len(pinned) > 0 {
		for _, f := range pinned {
			a.say("%s: %s; passed by MEMSYNC_OVERRIDE: %s", oneLine(string(f.Path)), oneLine(f.Message), oneLine(why))
		}
		pinned = nil
	}
	var out []hookFinding
	for _, f := range pinned {
		out = append(out, hookFinding{Finding: f})
	}
	stores, err := storesOf(repo, changes)
	if err != nil {
		return err
	}
	for _, s := range stores {
		read := staged
		if s.Root != repo.Root() {
			read = nil
		}
		judged, kept, err := a.lintStaged(s, index, read, fix && len(pinned) == 0)
		if err != nil {
			return err
		}
		for _, f := range judged.Shown(judged.Findings) {
			if f.Severity == memsync.Info && !a.flags.verbose {
				continue
			}
			if f.Code == memsync.FindConflictLeft && slices.Contains(kept, f.Path) {
				f.Severity = memsync.Warning // it comes with the merge that this commit concludes
			}
			f.Path = judged.Repo.Prefix().Join(string(f.Path))
			out = append(out, hookFinding{Finding: f.Finding})
		}
		judged.Close()
	}
	return a.printHookFindings("pre-commit", out)
}

// storesOf are the stores that a commit changes, in the order of their roots.
func storesOf(repo *gitlog.Repo, changes []gitlog.StagedChange) ([]*store.Store, error) {
	known := map[memsync.Path]*store.Store{} // by directory; nil for none
	roots := map[string]*store.Store{}
	var at func(dir memsync.Path) (*store.Store, error)
	at = func(dir memsync.Path) (*store.Store, error) {
		if s, ok := known[dir]; ok {
			return s, nil
		}
		full := filepath.Join(repo.Top(), filepath.FromSlash(string(dir)))
		s, err := store.Find(full)
		switch {
		case errors.Is(err, memsync.CodeStoreNone) && dir != "" && !isDir(full):
			s, err = at(dir.Dir()) // the commit takes the directory away
		case errors.Is(err, memsync.CodeStoreNone):
			s, err = nil, nil
		}
		if s != nil {
			if _, inside := store.Within(repo.Top(), s.Root); !inside {
				s = nil
			}
		}
		known[dir] = s
		return s, err
	}
	for _, c := range changes {
		s, err := at(c.Path.Dir())
		if err != nil {
			return nil, err
		}
		if s != nil {
			roots[s.Root] = s
		}
	}
	var out []*store.Store
	for _, root := range slices.Sorted(maps.Keys(roots)) {
		out = append(out, roots[root])
	}
	return out, nil
}

// touchedPinned finds pinned memories of HEAD that a commit would delete, rename
// or edit. HEAD alone says what is pinned, and where memories are: a commit that
// takes the whole store away is no way around it.
func touchedPinned(repo *gitlog.Repo, changes []gitlog.StagedChange) ([]memsync.Finding, error) {
	stores := checkout.At(repo, "HEAD")
	merging, err := repo.MergeHeads()
	if err != nil {
		return nil, err
	}
	var findings []memsync.Finding
	for _, c := range changes {
		if c.From == "" || c.From == c.To && c.FromMode&0o170000 == c.ToMode&0o170000 {
			continue
		}
		was, doc, err := stores.Memory(c.Path, c.From)
		if err != nil {
			return nil, err
		}
		if was == nil || !was.Pinned {
			continue
		}
		f := memsync.Finding{Code: string(memsync.CodeProtected), Severity: memsync.Severe, Path: c.Path, Message: "a pinned memory is edited",
			Hint: "take it out of the commit, or say why it is right: MEMSYNC_OVERRIDE=reason git commit …"}
		if c.To != "" {
			same, err := onlyItsID(repo, doc, c.To)
			if err == nil && !same {
				same, err = theirs(repo, merging, c)
			}
			if err != nil {
				return nil, err
			}
			if same {
				continue
			}
		} else if !c.Unmerged {
			to, err := wentTo(repo, changes, c, was.ID)
			if err != nil {
				return nil, err
			}
			f.Message = "a pinned memory is deleted"
			if to != "" {
				f.Message = "a pinned memory is renamed to " + string(to)
			}
		}
		findings = append(findings, f)
	}
	return findings, nil
}

// onlyItsID: memsync has given the memory its id, which is nobody's edit.
func onlyItsID(repo *gitlog.Repo, was *format.Document, blob string) (bool, error) {
	data, err := repo.Blob(blob)
	if err != nil {
		return false, err
	}
	now, err := format.Parse(data, memsync.Limits{})
	if err != nil {
		return false, nil
	}
	id, ok := now.Get("id")
	if _, had := was.Get("id"); had || !ok {
		return false, nil
	}
	with, err := was.InsertID(memsync.ID(id.Text))
	return err == nil && string(with.Bytes()) == string(data), nil
}

// theirs: the merge that this commit ends brings exactly this version.
func theirs(repo *gitlog.Repo, merging []string, c gitlog.StagedChange) (bool, error) {
	for _, rev := range merging {
		entries, err := repo.Tree(rev, c.Path)
		if err != nil {
			return false, err
		}
		if len(entries) == 1 && entries[0].Path == c.Path && entries[0].Blob == c.To {
			return true, nil
		}
	}
	return false, nil
}

// wentTo is where a memory that left its path came to: the same bytes, or the same
// id; "" for nowhere.
func wentTo(repo *gitlog.Repo, changes []gitlog.StagedChange, gone gitlog.StagedChange, id memsync.ID) (memsync.Path, error) {
	if gone.RenamedTo != "" || id == "" {
		return gone.RenamedTo, nil
	}
	for _, c := range changes {
		if c.From != "" || c.To == "" || c.ToMode&0o170000 != 0o100000 || path.Ext(string(c.Path)) != ".md" {
			continue
		}
		data, err := repo.Blob(c.To)
		if err != nil {
			return "", err
		}
		if doc, err := format.Parse(data, memsync.Limits{}); err == nil {
			if v, ok := doc.Get("id"); ok && strings.EqualFold(v.Text, string(id)) {
				return c.Path, nil
			}
		}
	}
	return "", nil
}
