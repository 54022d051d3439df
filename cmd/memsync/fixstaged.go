package main

import (
	"bytes"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"memsync"
	"memsync/gitlog"
	"memsync/indexer/recall"
	"memsync/internal/checkout"
	"memsync/internal/ledger"
	"memsync/internal/scan"
	"memsync/internal/store"
	"memsync/lint"
)

// lintStaged judges what a commit would take of a store: the staged memories,
// and MEMORY.md's lines for them. With fix it mends first what is safe to mend.
// read is the index as it was before, of a repository opened at the store's root;
// nil for another store's. kept are the conflict copies of the merge that this
// commit concludes.
func (a *app) lintStaged(s *store.Store, index string, read *gitlog.Staged, fix bool) (judged *checkout.Judged, kept []memsync.Path, err error) {
	opt := checkout.Options{Staged: true, IndexFile: index, Partial: true, Notice: a.say}
	if !fix {
		opt.Index = read
	} else if kept, err = a.fixStaged(s, index); err != nil {
		return nil, nil, err
	}
	judged, err = a.judgeStaged(s, opt)
	return judged, kept, err
}

// judgeStaged looks at what is staged alone, unless that is a MEMORY.md or one of
// its pages: what these should say, only all memories can tell.
func (a *app) judgeStaged(s *store.Store, opt checkout.Options) (*checkout.Judged, error) {
	judged, err := a.judge(s, opt)
	if err != nil || !judged.TouchedLists {
		return judged, err
	}
	judged.Close()
	opt.Partial = false
	return a.judge(s, opt)
}

// fixStaged mends what is staged: it makes the safe fixes in the staged
// versions, stages the MEMORY.md that lists what is staged, and the ledger lines
// and conflict copies of the staged memories. Working files are changed only
// where they were what was staged; nothing else that a person left unstaged is
// looked at.
func (a *app) fixStaged(s *store.Store, index string) (kept []memsync.Path, err error) {
	if strings.HasPrefix(filepath.Base(index), "next-index-") {
		// `git commit PATH`: what is staged now would be in the commit and, as
		// taken back, in the index that stays.
		a.say("nothing is mended in a commit of named files: stage them with `git add`, then `git commit`")
		return nil, nil
	}
	judged, err := a.judge(s, checkout.Options{Staged: true, IndexFile: index, Notice: a.say})
	if err != nil {
		return nil, err
	}
	defer judged.Close()
	files, err := fixes(judged, func(lint.Finding) bool { return true })
	if err != nil {
		return nil, err
	}
	if len(files) > 0 {
		if err := a.stage(judged, index, files); err != nil {
			return nil, err
		}
		judged.Close()
		if judged, err = a.judge(s, checkout.Options{Staged: true, IndexFile: index, Notice: a.say}); err != nil {
			return nil, err
		}
	}
	staged := touchedMemories(judged)
	if len(staged) == 0 && !judged.TouchedLists {
		return nil, nil
	}
	if kept, err = a.unspoolStore(judged.Repo, s); err != nil {
		return nil, err
	}
	travel, err := travels(judged, staged)
	if err != nil {
		return nil, err
	}
	lists, err := stagedLists(judged, staged)
	if err != nil {
		return nil, err
	}
	return kept, a.stage(judged, index, append(travel, lists...))
}

// stage puts versions into the index, and into the working files that were what
// was staged.
func (a *app) stage(judged *checkout.Judged, index string, files []mended) error {
	if len(files) == 0 {
		return nil
	}
	disk := checkout.Disk(judged.Store).Reader()
	defer disk.Close()
	var changes []gitlog.Change
	same, as := map[memsync.Path]bool{}, map[memsync.Path]bool{} // as what was staged, and as what is staged now
	for _, m := range files {
		changes = append(changes, gitlog.Change{Path: m.path, Content: m.new})
		f, err := disk.Read(m.path, 0)
		switch {
		case m.new == nil:
		case err == nil && bytes.Equal(f.Data, m.new):
			as[m.path] = true
		case err == nil && m.old != nil:
			same[m.path] = bytes.Equal(f.Data, m.old)
		case m.old == nil:
			same[m.path] = errors.Is(err, memsync.CodeNotFound) // nor was it staged
		}
	}
	if err := judged.Repo.Stage(a.ctx, index, changes); err != nil {
		return err
	}
	for _, m := range files {
		if as[m.path] {
			a.say("staged %s", oneLine(scan.MaskPath(string(m.path), nil)))
			continue
		}
		if !same[m.path] {
			a.say("staged %s anew; the file on disk is another and stays", oneLine(scan.MaskPath(string(m.path), nil)))
			continue
		}
		var old memsync.Hash
		if m.old != nil {
			old = memsync.HashOf(m.old)
		}
		err := gitlog.Replace(judged.Store.Root, m.path, old, m.new, nameBeside())
		if err != nil && !errors.Is(err, memsync.CodeIORaced) {
			return err
		}
		a.say("mended %s", oneLine(scan.MaskPath(string(m.path), nil)))
	}
	return nil
}

// touchedMemories are the memories that a commit adds, changes or takes away,
// each with its id where one is known.
func touchedMemories(judged *checkout.Judged) map[memsync.Path]memsync.ID {
	out := map[memsync.Path]memsync.ID{}
	for _, p := range judged.Touched {
		out[p] = ""
		if m := judged.View.ByPath(p); m != nil {
			out[p] = m.ID
		}
	}
	return out
}

// travels are the ledger files with the lines that the staged memories need, and
// their conflict copies, as the working tree has them and the index does not.
func travels(judged *checkout.Judged, staged map[memsync.Path]memsync.ID) ([]mended, error) {
	ids := map[memsync.ID]bool{}
	for _, id := range staged {
		if id != "" {
			ids[id] = true
		}
	}
	disk := checkout.Disk(judged.Store)
	here, indexed := disk.Reader(), judged.Tree.Reader()
	defer here.Close()
	var out []mended
	for _, s := range judged.Store.Scopes {
		for _, p := range disk.Under(s.System.Join("_system", "ledger")) {
			if !strings.HasSuffix(p.Base(), ".jsonl") {
				continue
			}
			now, err := here.Read(p, 0)
			if err != nil {
				return nil, err
			}
			was, err := indexed.Read(p, 0)
			if err != nil && !errors.Is(err, memsync.CodeNotFound) {
				return nil, err
			}
			if with := ledgerWith(s, p, was.Data, now.Data, staged, ids); with != nil {
				out = append(out, mended{path: p, old: was.Data, new: with})
			}
		}
		for _, p := range disk.Under(s.System.Join("_system", "conflicts")) {
			base := p.Base()
			if len(base) < 26 || !ids[memsync.ID(base[:26])] {
				continue
			}
			now, err := here.Read(p, 0)
			if err != nil {
				return nil, err
			}
			if was, err := indexed.Read(p, 0); err != nil || !bytes.Equal(was.Data, now.Data) {
				out = append(out, mended{path: p, old: was.Data, new: now.Data})
			}
		}
	}
	return out, nil
}

// ledgerWith is a ledger file with those lines of the working tree's that are
// about staged memories, in the order in which they were written; nil when there
// are none to add. A ledger file may be any subset of its clone's lines.
func ledgerWith(s memsync.Scope, p memsync.Path, was, now []byte, staged map[memsync.Path]memsync.ID, ids map[memsync.ID]bool) []byte {
	have := map[string]bool{}
	for line := range bytes.Lines(was) {
		have[string(bytes.TrimRight(line, "\n"))] = true
	}
	var out []byte
	added := false
	for line := range bytes.Lines(now) {
		text := string(bytes.TrimRight(line, "\n"))
		if !have[text] {
			events, _ := ledger.Parse(p, line)
			if len(events) != 1 {
				continue
			}
			_, about := staged[s.Dir.Join(string(events[0].Path))]
			if !ids[events[0].Memory] && !(about && events[0].Path != "") {
				continue
			}
			added = true
		}
		delete(have, text)
		out = append(append(out, text...), '\n')
	}
	if !added {
		return nil
	}
	for line := range bytes.Lines(was) { // what the working tree's file lacks
		if text := string(bytes.TrimRight(line, "\n")); have[text] {
			out = append(append(out, text...), '\n')
		}
	}
	return out
}

// stagedLists are the MEMORY.md files and pages that list what is staged, of the
// scopes that a staged memory lies in.
func stagedLists(judged *checkout.Judged, staged map[memsync.Path]memsync.ID) ([]mended, error) {
	read := judged.Tree.Reader()
	defer read.Close()
	var out []mended
	for _, s := range judged.Store.Scopes {
		inScope := func(p memsync.Path) bool {
			of, ok := memsync.ScopeOf(judged.Store.Scopes, p)
			return ok && of.Dir == s.Dir
		}
		if s.MemoryMD != memsync.Region || !judged.TouchedLists && !slices.ContainsFunc(slices.Collect(maps.Keys(staged)), inScope) {
			continue
		}
		file := recall.FilePath(s)
		in := recall.Input{View: judged.View, Scope: s, Limits: judged.Store.Policy.Limits, Pages: map[memsync.Path][]byte{}}
		old := map[memsync.Path][]byte{}
		f, err := read.Read(file, 0)
		switch {
		case err == nil:
			in.MemoryMD, old[file] = f.Data, f.Data
		case !errors.Is(err, memsync.CodeNotFound):
			return nil, err
		}
		for _, p := range judged.Tree.Under(recall.PagesDir(s)) {
			f, err := read.Read(p, 0)
			if err != nil {
				return nil, err
			}
			in.Pages[p], old[p] = f.Data, f.Data
		}
		digest := recall.Digest(in)
		for _, p := range slices.Sorted(maps.Keys(digest.Files)) {
			out = append(out, mended{path: p, old: old[p], new: digest.Files[p]})
		}
	}
	return out, nil
}
