package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memsync"
	"memsync/controller/merge"
	"memsync/gitlog"
	"memsync/internal/filemerge"
	"memsync/internal/spool"
	"memsync/internal/store"
)

// repaired is what resolve --from-index did with one path that git left
// unmerged.
type repaired struct {
	Path memsync.Path `json:"path"`
	Done string       `json:"done"` // merged, overlap, changed, one-sided
}

// fromIndex joins anew what git merged without the driver, from the versions that
// its index keeps (stages 1, 2, 3).
func (a *app) fromIndex(only []string) error {
	repo, err := a.repoHere()
	if err != nil {
		return err
	}
	defer repo.Close()
	staged, err := repo.Staged("")
	if err != nil {
		return err
	}
	wanted, err := a.namedPaths(repo, only)
	if err != nil {
		return err
	}
	stages := map[memsync.Path][4]gitlog.StagedEntry{}
	var order []memsync.Path
	for _, e := range staged.Entries() {
		if e.Stage == 0 || !strings.HasSuffix(string(e.Path), ".md") || len(wanted) > 0 && !slices.Contains(wanted, e.Path) {
			continue
		}
		s, seen := stages[e.Path]
		if !seen {
			order = append(order, e.Path)
		}
		s[e.Stage] = e
		stages[e.Path] = s
	}
	j := filemerge.Repo{Repo: repo}
	if j.Head, err = repo.Resolve("HEAD"); err != nil && memsync.CodeOf(err) != memsync.CodeNotFound {
		return err
	}
	rows := []repaired{}
	for _, p := range order {
		s, rel, err := j.StoreOf(p)
		if memsync.CodeOf(err) == memsync.CodeStoreNone {
			continue // a file of the project's
		}
		if err != nil {
			return err
		}
		done, err := a.repair(j, s, p, rel, stages[p])
		if err != nil {
			return err
		}
		rows = append(rows, repaired{p, done})
	}
	return a.printRepaired(rows)
}

// namedPaths are paths of the work tree, as they were typed.
func (a *app) namedPaths(repo *gitlog.Repo, only []string) ([]memsync.Path, error) {
	var out []memsync.Path
	for _, name := range only {
		full, err := a.abs(name)
		if err != nil {
			return nil, err
		}
		p, inside := store.Within(repo.Top(), full)
		if !inside {
			return nil, usage("%s is not in the repository %s", oneLine(name), repo.Top())
		}
		out = append(out, p)
	}
	return out, nil
}

const (
	repairMerged   = "merged"
	repairOverlap  = "overlap"
	repairChanged  = "changed"
	repairOneSided = "one-sided"
)

func (a *app) repair(j filemerge.Repo, s *store.Store, p, rel memsync.Path, stages [4]gitlog.StagedEntry) (string, error) {
	if stages[2].Blob == "" || stages[3].Blob == "" {
		return repairOneSided, nil
	}
	var v [4]merge.Version
	for i := 1; i <= 3; i++ {
		if stages[i].Blob == "" {
			continue
		}
		data, err := j.Blob(stages[i].Blob)
		if err != nil {
			return "", err
		}
		v[i].Bytes = data
	}
	if heads, err := j.MergeHeads(); err == nil && len(heads) == 1 && j.Head != "" {
		ours, err1 := j.CommitTime(j.Head)
		theirs, err2 := j.CommitTime(heads[0])
		if err1 == nil && err2 == nil {
			v[2].Time, v[3].Time = ours, theirs
		}
	}
	now, err := os.ReadFile(filepath.Join(j.Top(), filepath.FromSlash(string(p))))
	if errors.Is(err, fs.ErrNotExist) {
		return repairChanged, nil
	}
	if err != nil {
		return "", err
	}
	r := filemerge.Join(s, rel, v[1], v[2], v[3])
	if !bytes.Equal(now, r.Bytes) && !halfMerged(now, v[1].Bytes, v[2].Bytes, v[3].Bytes) {
		return repairChanged, nil
	}
	done := repairMerged
	if len(r.Conflicts) > 0 {
		done = repairOverlap
	}
	if a.flags.dryRun {
		return done, nil
	}
	if len(r.Conflicts) > 0 {
		e, err := j.Lost(s, rel, v[2], v[3], r)
		if err != nil {
			return "", err
		}
		if err := spool.Put(j.StateDir(), e); err != nil {
			return "", err
		}
	}
	if !bytes.Equal(now, r.Bytes) {
		if err := gitlog.Replace(j.Top(), p, memsync.HashOf(now), r.Bytes, nameBeside()); err != nil {
			if errors.Is(err, memsync.CodeIORaced) {
				return repairChanged, nil
			}
			return "", err
		}
	}
	if done == repairMerged {
		return done, j.StageMerged(a.ctx, p, r.Bytes, stages[2].Mode)
	}
	return done, nil
}

func (a *app) printRepaired(rows []repaired) error {
	says := map[string]string{
		repairMerged:   "merged, and staged",
		repairOverlap:  "merged; both sides changed the same words, what lost is kept: look at it, then `git add` it",
		repairChanged:  "left as it is: somebody has worked on it since git stopped",
		repairOneSided: "left as it is: one side took the file away; `git add` or `git rm` it",
	}
	if !emitList(a, "repaired", rows) {
		for _, r := range rows {
			fmt.Fprintf(a.stdout, "%s: %s\n", oneLine(string(r.Path)), says[r.Done])
		}
	}
	if len(rows) == 0 {
		a.say("git has no unmerged memory here")
	}
	if slices.ContainsFunc(rows, func(r repaired) bool { return r.Done != repairMerged }) {
		return exitError(exitPerson)
	}
	return nil
}
