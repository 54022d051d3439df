package recall

import (
	"bytes"
	"fmt"

	"memsync"
	"memsync/internal/format"
)

// Input is what a digest is made from.
type Input struct {
	View     *memsync.View
	Scope    memsync.Scope
	MemoryMD []byte                  // the file as it is; nil when there is none
	Base     []byte                  // what takes its place first: Edited.Base, after a save; nil for MemoryMD
	Pages    map[memsync.Path][]byte // the _index/ pages as they are
	About    []memsync.Path          // Compare: of pages, only the lines about these count; nil: all
	Limits   memsync.Limits          // IndexLines, IndexBytes, DescriptionChars; zero values mean the defaults
}

// Output is what has to change.
type Output struct {
	// Files are MEMORY.md and pages, only those whose bytes differ from Input;
	// nil bytes take a file away.
	Files    map[memsync.Path][]byte
	Findings []memsync.Finding
	Outside  []memsync.ID // memories that only pages list, in the order of the list

	OutsidePaths []memsync.Path // theirs: not every memory has an id that the view knows
}

// FilePath is where the scope's MEMORY.md is.
func FilePath(s memsync.Scope) memsync.Path { return s.Dir.Join(format.IndexName) }

// PagesDir is where the scope's overflow pages are.
func PagesDir(s memsync.Scope) memsync.Path { return systemDir(s).Join("_index") }

func systemDir(s memsync.Scope) memsync.Path {
	if s.System == "" {
		return s.Dir
	}
	return s.System
}

// Digest computes MEMORY.md and its pages.
//
// Markers that do not pair, or git's conflict markers, leave every file alone
// (MS403). With memory_md = "lint" no file changes either; what has drifted is
// a finding (MS401). In a directory bound from elsewhere a MEMORY.md that is
// not there is not created.
func Digest(in Input) Output {
	file := FilePath(in.Scope)
	onDisk := in.MemoryMD
	if in.Base != nil {
		in.MemoryMD = in.Base
	}
	index, err := format.ParseIndex(in.MemoryMD)
	if err != nil {
		return Output{Findings: []memsync.Finding{unwritable(file, err)}}
	}
	if in.Scope.MemoryMD == memsync.LintOnly {
		there := func(p memsync.Path) bool { return in.View.ByPath(p) != nil }
		return Output{Findings: Compare(in, there).findings(file)}
	}
	if in.MemoryMD == nil && systemDir(in.Scope) != in.Scope.Dir {
		return Output{}
	}
	lim := limits(in.Limits)
	l := newList(in, index, lim)
	l.fit()

	body := l.render()
	if !l.readable(body) {
		return Output{Findings: []memsync.Finding{{
			Code: memsync.FindIndexMarkers, Severity: memsync.Severe, Path: file,
			Message: "a code fence above the generated list is closed only below it, so that the list would count as code; it is not written",
			Hint:    "close the fence above the list",
		}}}
	}
	out := Output{Files: map[memsync.Path][]byte{}, Findings: l.findings(file)}
	if !bytes.Equal(body, onDisk) {
		if len(body) == 0 {
			body = nil
		}
		out.Files[file] = body
	}
	pages := l.pages()
	for p, body := range pages {
		if old, there := in.Pages[p]; !there || !bytes.Equal(old, body) {
			out.Files[p] = body
		}
	}
	for p, body := range in.Pages {
		if _, wanted := pages[p]; !wanted && generatedPage(p, body) {
			out.Files[p] = nil
		}
	}
	for _, s := range l.sections {
		for _, e := range s.entries[s.kept:] {
			out.Outside = append(out.Outside, e.memory.ID)
			out.OutsidePaths = append(out.OutsidePaths, e.memory.Path)
		}
	}
	return out
}

// readable reports whether a reader of body would find the region where it is.
// What stood inside the old one may have kept two fences of people's apart.
func (l *list) readable(body []byte) bool {
	x, err := format.ParseIndex(body)
	return err == nil && x.HasRegion() == l.written() &&
		(!x.HasRegion() || len(x.Before()) == len(l.before) && len(x.After()) == len(l.after))
}

// limits fills what a caller left out.
func limits(l memsync.Limits) memsync.Limits {
	d := memsync.DefaultLimits()
	if l.IndexLines <= 0 {
		l.IndexLines = d.IndexLines
	}
	if l.IndexBytes <= 0 {
		l.IndexBytes = d.IndexBytes
	}
	if l.DescriptionChars <= 0 {
		l.DescriptionChars = d.DescriptionChars
	}
	return l
}

func unwritable(file memsync.Path, err error) memsync.Finding {
	f := memsync.Finding{Code: memsync.FindIndexMarkers, Severity: memsync.Severe, Path: file, Message: err.Error()}
	if e, ok := err.(*memsync.Error); ok {
		f.Message, f.Hint, f.Line, f.Column = e.Message, e.Hint, e.Line, e.Column
	}
	f.Message += "; the list is not written"
	return f
}

// findings tells how full the file is: what it would need without pages, and
// what people's own text leaves.
func (l *list) findings(file memsync.Path) []memsync.Finding {
	if !l.written() && !l.index.HasRegion() {
		return nil // nothing of ours in it
	}
	warn := func(format string, args ...any) memsync.Finding {
		return memsync.Finding{
			Code: memsync.FindIndexBudget, Severity: memsync.Warning, Path: file,
			Message: fmt.Sprintf(format, args...),
		}
	}
	var out []memsync.Finding
	lines, size := l.people.lines+l.used.lines, l.people.bytes+l.used.bytes
	if lines > l.limits.IndexLines || size > l.limits.IndexBytes {
		f := warn("text outside the generated list takes %d lines and %d bytes of the %d lines and %d bytes that are loaded",
			l.people.lines, l.people.bytes, l.limits.IndexLines, l.limits.IndexBytes)
		f.Hint = "move some of it into a memory of its own"
		out = append(out, f)
	}
	if n := l.outside(); n > 0 {
		f := warn("%d memories do not fit and are listed on pages in _index/: all would need %d lines and %d bytes, the limits are %d and %d",
			n, l.people.lines+l.needed.lines, l.people.bytes+l.needed.bytes, l.limits.IndexLines, l.limits.IndexBytes)
		f.Hint = "pin what must be loaded, shorten hooks, archive what is done"
		return append(out, f)
	}
	for _, percent := range [...]int{90, 80} {
		switch {
		case lines*100 >= l.limits.IndexLines*percent:
			return append(out, warn("more than %d %% full: %d of %d lines", percent, lines, l.limits.IndexLines))
		case size*100 >= l.limits.IndexBytes*percent:
			return append(out, warn("more than %d %% full: %d of %d bytes", percent, size, l.limits.IndexBytes))
		}
	}
	return out
}
