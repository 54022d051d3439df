package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"memsync"
	"memsync/indexer/recall"
)

// index judges a scope's MEMORY.md and its pages.
func (j *join) index(scope memsync.Scope) {
	file := recall.FilePath(scope)
	r := j.byPath[file]
	if slices.Contains(j.Unmerged, file) {
		return // store tells of it
	}
	if skip := slices.IndexFunc(j.Skipped, func(s Skip) bool { return s.Path == file }); skip >= 0 {
		if scope.MemoryMD == memsync.Region {
			j.find(Finding{Finding: memsync.Finding{Code: memsync.FindIndexSymlink, Severity: warn, Path: file, Message: "MEMORY.md is not written: " + j.Skipped[skip].Reason,
				Hint: `replace it by a file, or set memory_md = "lint"`}})
		}
		return
	}
	in := recall.Input{View: j.view, Scope: scope, Limits: j.policy.Limits, Pages: map[memsync.Path][]byte{}}
	var s *source
	if r != nil {
		in.MemoryMD = r.Data
		if in.MemoryMD == nil {
			in.MemoryMD = []byte{}
		}
		s = newSource(r.Data)
	}
	for p, data := range j.Pages {
		if p.In(recall.PagesDir(scope)) {
			in.Pages[p] = data
		}
	}
	if j.Partial {
		in.About = append([]memsync.Path{}, j.Gone...)
		for _, r := range j.Reports {
			in.About = append(in.About, r.Path)
		}
	}
	compared := recall.Compare(in, j.there)
	region := scope.MemoryMD == memsync.Region
	drift := 0
	tell := func(sev memsync.Severity, code string, l recall.Line, message, hint string) {
		drift++
		f := Finding{Finding: memsync.Finding{Code: code, Severity: sev, Path: l.File, Line: l.Line, Column: 1, Message: message, Hint: hint}, About: string(l.Path)}
		if l.File == file && s != nil {
			s.settle(&f)
		}
		j.find(f)
	}
	remedy := "`memsync up --once` writes it"
	if j.Theirs {
		remedy = "the next write here does it; before a commit, `memsync hooks install --fix-staged`"
	}
	if j.Partial {
		remedy = "stage it with the memories: `git add " + nameOf(file) + "`; `memsync hooks install --fix-staged` has that done"
	}
	for _, l := range compared.Dangling {
		hint := "correct the link, or take the line out"
		if l.Made && region {
			hint = remedy
		}
		if !j.Partial || slices.Contains(j.Gone, l.Path) {
			tell(bad, memsync.FindIndexDrift, l, fmt.Sprintf("links %s, which is not there", nameOf(l.Path)), hint)
		}
	}
	for _, l := range compared.Differs {
		if region {
			tell(bad, memsync.FindIndexDrift, l, fmt.Sprintf("is not what %s says", nameOf(l.Path)), remedy)
		}
	}
	for _, l := range compared.Twice {
		if j.Partial || !region {
			tell(info, ListedTwice, l, fmt.Sprintf("%s is listed above already", nameOf(l.Path)), "keep one of the lines")
			drift--
		}
	}
	switch {
	case len(compared.Unlisted) == 0 && (r != nil || !region):
	case j.Partial && region && !compared.Region && !slices.Contains(j.Gone, file):
		// There was no list before: to make one is not this commit's to do.
	case region && r == nil:
		if n := listed(j.view, scope); n > 0 && scope.System == scope.Dir {
			drift++
			j.find(Finding{Finding: memsync.Finding{Code: memsync.FindIndexDrift, Severity: bad, Path: file,
				Message: "there is no MEMORY.md, and " + count(n, "memory", "memories") + " to list", Hint: remedy}})
		}
	case region && !compared.Region:
		drift++
		f := Finding{Finding: memsync.Finding{Code: memsync.FindIndexDrift, Severity: bad, Path: file, Line: 1, Column: 1,
			Message: "it has no generated list yet, and " + count(len(compared.Unlisted), "memory is", "memories are") + " in no link of it", Hint: remedy}}
		s.settle(&f)
		j.find(f)
	default:
		sev, hint := memsync.Severity(bad), remedy
		if !region {
			sev, hint = warn, `list it, or set memory_md = "region" to have that done`
		}
		for _, m := range compared.Unlisted {
			tell(sev, memsync.FindIndexDrift, recall.Line{File: file, Line: 1, Path: m.Path}, nameOf(m.Path)+" is not listed", hint)
		}
	}
	if j.Partial {
		return
	}
	out := recall.Digest(in)
	for _, f := range out.Findings {
		if f.Code == memsync.FindIndexDrift {
			continue // told line by line
		}
		found := Finding{Finding: f, About: f.Code}
		if found.Path == file && s != nil {
			if found.Code == memsync.FindIndexBudget {
				found.Line = 1
			}
			s.settle(&found)
		}
		if f.Code == memsync.FindIndexBudget && len(out.OutsidePaths) > 0 {
			found.Hint += "; outside are " + joinPaths(out.OutsidePaths, len(out.OutsidePaths))
		}
		if f.Code == memsync.FindIndexMarkers {
			drift++
		}
		j.find(found)
	}
	if !region && r != nil {
		j.tooLong(file, r.Data, s)
	}
	if drift > 0 || !region {
		return
	}
	for _, p := range slices.Sorted(maps.Keys(out.Files)) {
		line := 1
		if p != file {
			line = 0
		}
		f := Finding{Finding: memsync.Finding{Code: memsync.FindIndexDrift, Severity: bad, Path: p, Line: line,
			Message: "is not what the memories make it: order, headings or blank lines differ", Hint: remedy}}
		if p == file && s != nil {
			f.Line, f.Column = firstDifference(r.Data, out.Files[p])
			s.settle(&f)
		}
		j.find(f)
	}
}

// tooLong judges a MEMORY.md that is all a person's: who loads it stops at the
// limits, and what is below is not seen.
func (j *join) tooLong(file memsync.Path, data []byte, s *source) {
	d := memsync.DefaultLimits()
	most, bytes := cmp.Or(max(j.policy.Limits.IndexLines, 0), d.IndexLines), cmp.Or(max(j.policy.Limits.IndexBytes, 0), d.IndexBytes)
	lines := strings.Count(string(data), "\n")
	if len(data) > 0 && data[len(data)-1] != '\n' {
		lines++
	}
	if lines <= most && len(data) <= bytes {
		return
	}
	f := Finding{Finding: memsync.Finding{Code: memsync.FindIndexBudget, Severity: warn, Path: file, Line: 1,
		Message: fmt.Sprintf("it has %d lines and %d bytes; %d lines and %d bytes are loaded", lines, len(data), most, bytes),
		Hint:    "move some of it into memories of their own"}, About: memsync.FindIndexBudget}
	s.settle(&f)
	j.find(f)
}

// firstDifference is the line on which two texts part.
func firstDifference(a, b []byte) (line, column int) {
	line, start := 1, 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '\n' {
			line, start = line+1, i+1
		}
	}
	return line, max(1, min(1, start))
}

// listed counts what a MEMORY.md of the scope would list.
func listed(v *memsync.View, scope memsync.Scope) (n int) {
	for m := range v.InScope(scope.Name()) {
		if m.Kind == memsync.KindMemory || m.Kind == memsync.KindUnreadable {
			n++
		}
	}
	return n
}
