package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"memsync"
	"memsync/indexer/recall"
)

// index judges a scope's MEMORY.md and its pages.
func (j *join) index(scope memsync.Scope) {
	x := indexed{join: j, scope: scope, file: recall.FilePath(scope), region: scope.MemoryMD == memsync.Region}
	x.report = j.byPath[x.file]
	if slices.Contains(j.Unmerged, x.file) {
		return // store tells of it
	}
	if skip := slices.IndexFunc(j.Skipped, func(s Skip) bool { return s.Path == x.file }); skip >= 0 {
		if x.region {
			j.find(Finding{Finding: memsync.Finding{Code: memsync.FindIndexSymlink, Severity: warn, Path: x.file, Message: "MEMORY.md is not written: " + j.Skipped[skip].Reason,
				Hint: `replace it by a file, or set memory_md = "lint"`}})
		}
		return
	}
	x.input()
	var whole recall.Output
	var done sync.WaitGroup
	if !j.Partial {
		done.Go(func() { whole = recall.Digest(x.in) })
	}
	x.compared = recall.Compare(x.in, x.there)
	x.remedy = x.join.remedy(x.file)
	x.lines()
	x.unlisted()
	if done.Wait(); !j.Partial {
		x.digest(whole)
	}
}

// indexed is a scope's list being judged.
type indexed struct {
	*join
	scope    memsync.Scope
	file     memsync.Path // MEMORY.md
	report   *Report      // of it; nil where there is none
	text     *source
	region   bool // memsync writes it
	in       recall.Input
	compared recall.Comparison
	remedy   string
	drift    bool // something was found that explains why the file is not what it should be
}

// input is the list and what it is compared with.
func (x *indexed) input() {
	x.in = recall.Input{View: x.view, Scope: x.scope, Limits: x.policy.Limits, Pages: map[memsync.Path][]byte{}}
	if x.report != nil {
		x.in.MemoryMD = x.report.Data
		if x.in.MemoryMD == nil {
			x.in.MemoryMD = []byte{}
		}
		x.text = newSource(x.report.Data)
	}
	for p, data := range x.Pages {
		if p.In(recall.PagesDir(x.scope)) {
			x.in.Pages[p] = data
		}
	}
	if x.Partial {
		x.in.About = append([]memsync.Path{}, x.Gone...)
		for _, r := range x.Reports {
			x.in.About = append(x.in.About, r.Path)
		}
	}
}

// tell adds a finding about one line, or about a memory that has none.
func (x *indexed) tell(sev memsync.Severity, code string, l recall.Line, message, hint string) {
	f := Finding{Finding: memsync.Finding{Code: code, Severity: sev, Path: l.File, Line: l.Line, Column: 1, Message: message, Hint: hint}, About: string(l.Path)}
	if l.File == x.file && x.text != nil {
		x.text.settle(&f)
	}
	x.find(f)
	x.drift = x.drift || code == memsync.FindIndexDrift
}

// lines tells of lines that are not right.
func (x *indexed) lines() {
	for _, l := range x.compared.Dangling {
		hint := "correct the link, or take the line out"
		if l.Made && x.region {
			hint = x.remedy
		}
		if !x.Partial || slices.Contains(x.Gone, l.Path) {
			x.tell(bad, memsync.FindIndexDrift, l, fmt.Sprintf("links %s, which is not there", nameOf(l.Path)), hint)
		}
	}
	for _, l := range x.compared.Differs {
		if x.region {
			x.tell(bad, memsync.FindIndexDrift, l, fmt.Sprintf("is not what %s says", nameOf(l.Path)), x.remedy)
		}
	}
	for _, l := range x.compared.Twice {
		if x.Partial || !x.region {
			x.tell(info, ListedTwice, l, fmt.Sprintf("%s is listed above already", nameOf(l.Path)), "keep one of the lines")
		}
	}
}

// unlisted tells of memories that no line leads to.
func (x *indexed) unlisted() {
	whole := memsync.Finding{Code: memsync.FindIndexDrift, Severity: bad, Path: x.file, Hint: x.remedy}
	switch missing := x.compared.Unlisted; {
	case len(missing) == 0 && (x.report != nil || !x.region):
	case x.Partial && x.region && !x.compared.Region && !slices.Contains(x.Gone, x.file):
		// There was no list before: to make one is not this commit's to do.
	case x.region && x.report == nil:
		if n := listed(x.view, x.scope); n > 0 && x.scope.System == x.scope.Dir {
			whole.Message = "there is no MEMORY.md, and " + count(n, "memory", "memories") + " to list"
			x.find(Finding{Finding: whole})
			x.drift = true
		}
	case x.region && !x.compared.Region:
		whole.Line, whole.Column = 1, 1
		whole.Message = "it has no generated list yet, and " + count(len(missing), "memory is", "memories are") + " in no link of it"
		f := Finding{Finding: whole}
		x.text.settle(&f)
		x.find(f)
		x.drift = true
	default:
		sev, hint := memsync.Severity(bad), x.remedy
		if !x.region {
			sev, hint = warn, `list it, or set memory_md = "region" to have that done`
		}
		for _, m := range missing {
			x.tell(sev, memsync.FindIndexDrift, recall.Line{File: x.file, Line: 1, Path: m.Path}, nameOf(m.Path)+" is not listed", hint)
		}
	}
}

// digest tells what only the list as it should be can show: how full it is,
// markers that do not pair, and a difference that no line explains.
func (x *indexed) digest(out recall.Output) {
	for _, f := range out.Findings {
		if f.Code == memsync.FindIndexDrift {
			continue // told line by line
		}
		found := Finding{Finding: f, About: f.Code}
		if found.Path == x.file && x.text != nil {
			if found.Code == memsync.FindIndexBudget {
				found.Line = 1
			}
			x.text.settle(&found)
		}
		if f.Code == memsync.FindIndexBudget && len(out.OutsidePaths) > 0 {
			found.Hint += "; outside are " + joinPaths(out.OutsidePaths, 10) // the pages name them all
		}
		x.drift = x.drift || f.Code == memsync.FindIndexMarkers
		x.find(found)
	}
	if !x.region && x.report != nil {
		x.tooLong(x.file, x.report.Data, x.text)
	}
	if x.drift || !x.region {
		return
	}
	for _, p := range slices.Sorted(maps.Keys(out.Files)) {
		line := 1
		if p != x.file {
			line = 0
		}
		f := Finding{Finding: memsync.Finding{Code: memsync.FindIndexDrift, Severity: bad, Path: p, Line: line,
			Message: "is not what the memories make it: order, headings or blank lines differ", Hint: x.remedy}}
		if p == x.file && x.text != nil {
			f.Line = firstDifference(x.report.Data, out.Files[p])
			x.text.settle(&f)
		}
		x.find(f)
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
func firstDifference(a, b []byte) int {
	line := 1
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '\n' {
			line++
		}
	}
	return line
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
