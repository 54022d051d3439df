package recall

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"

	"memsync"
	"memsync/internal/format"
)

// Comparison is how a MEMORY.md and its pages differ from what there is, line
// by line.
type Comparison struct {
	Region   bool              // the file has a generated list
	Unlisted []*memsync.Memory // no line leads to them; by path
	Differs  []Line            // lines of the generated list that say something else than their memory
	Dangling []Line            // lines that lead to no memory
	Twice    []Line            // lines that lead to a memory which an earlier one lists
}

// Line is one line of a MEMORY.md or a page.
type Line struct {
	File   memsync.Path
	Line   int // 1-based
	Path   memsync.Path
	Made   bool            // it stands in the generated list
	Memory *memsync.Memory // nil for a dangling one
	Text   string          // as it stands there, for a link its target
}

// Compare reads MEMORY.md and its pages against the memories of the view.
// there says which paths hold one at all: a view may be of a few memories only,
// and of these alone it tells what is missing. Links that lead out of the
// scope's directory, and those in code, are nobody's business here. There is
// nothing to say of a file that is not there or has broken markers.
func Compare(in Input, there func(memsync.Path) bool) (c Comparison) {
	index, err := format.ParseIndex(in.MemoryMD)
	if in.MemoryMD == nil || err != nil {
		return c
	}
	c.Region = index.HasRegion()
	lim := limits(in.Limits)
	file := FilePath(in.Scope)
	byHand := handListed(in.View, in.Scope, index.Outside())
	listed := make(map[memsync.Path]bool, in.View.Len())
	for p := range byHand {
		listed[p] = true
	}
	seen := map[memsync.Path]bool{}
	link := func(l format.IndexLink, made bool) {
		p, ok := resolve(in.Scope, l.Target)
		if l.Wiki || !ok || !p.In(in.Scope.Dir) || p.In(PagesDir(in.Scope)) || reservedName(p) {
			return
		}
		at := Line{File: file, Line: l.Line, Path: p, Made: made, Memory: in.View.ByPath(p), Text: l.Target}
		switch {
		case !there(p):
			c.Dangling = append(c.Dangling, at)
		case seen[p]:
			c.Twice = append(c.Twice, at)
		}
		seen[p] = true
	}
	for _, l := range index.Outside() {
		link(l, false)
	}
	for _, l := range index.Inside() {
		link(l, true)
	}
	e := entries{in: in, there: there, file: file, chars: lim.DescriptionChars}
	from, to := index.InnerLines()
	for i := from; i < to; i++ {
		if !index.Lines[i].Fenced {
			e.line(file, i+1, index.Text(i))
		}
	}
	for _, e := range append(e.pages(), e) {
		for _, p := range e.listed {
			listed[p] = true
		}
		c.Differs, c.Dangling = append(c.Differs, e.differs...), append(c.Dangling, e.dangling...)
	}
	names := handListed(in.View, in.Scope, index.Inside())
	for m := range in.View.InScope(in.Scope.Name()) {
		_, named := names[m.Path]
		if !listed[m.Path] && !named && listable(m, in.Scope) {
			c.Unlisted = append(c.Unlisted, m)
		}
	}
	return c
}

// entries are lines of generated lists being compared.
type entries struct {
	in    Input
	there func(memsync.Path) bool
	file  memsync.Path // MEMORY.md
	chars int

	listed            []memsync.Path
	differs, dangling []Line
}

func (x *entries) line(name memsync.Path, n int, line string) {
	e, ok := format.ParseIndexEntry(line)
	if !ok {
		return
	}
	p := memsync.Path(e.Target)
	if q, ok := within(name.Dir(), e.Target); ok {
		p = q
	}
	m := x.in.View.ByPath(p)
	x.listed = append(x.listed, p)
	if m == nil {
		if name != x.file && !x.there(p) && p.In(x.in.Scope.Dir) && !p.In(PagesDir(x.in.Scope)) {
			x.dangling = append(x.dangling, Line{File: name, Line: n, Path: p, Made: true, Text: e.Target})
		}
		return
	}
	want, _ := format.AppendIndexEntry(nil, entryOf(m, x.in.Scope), x.chars)
	if w, _ := format.ParseIndexEntry(string(want)); w.Label != e.Label || w.Text != e.Text {
		x.differs = append(x.differs, Line{File: name, Line: n, Path: p, Made: true, Memory: m, Text: line})
	}
}

// pages compares what stands on pages, in two halves at the same time: of a large
// store's list that is nearly all.
func (x *entries) pages() []entries {
	about := aboutOf(x.in)
	names := slices.Sorted(maps.Keys(x.in.Pages))
	half := func(names []memsync.Path) entries {
		part := entries{in: x.in, there: x.there, file: x.file, chars: x.chars}
		for _, name := range names {
			body := x.in.Pages[name]
			if !generatedPage(name, body) {
				continue
			}
			n := 0
			for line := range bytes.Lines(body) {
				if n++; about(line) {
					part.line(name, n, strings.TrimRight(string(line), "\r\n"))
				}
			}
		}
		return part
	}
	var first entries
	var done sync.WaitGroup
	done.Go(func() { first = half(names[:len(names)/2]) })
	second := half(names[len(names)/2:])
	done.Wait()
	return []entries{first, second}
}

// aboutOf says which lines of pages may be about the paths that are asked for.
func aboutOf(in Input) func(line []byte) bool {
	if in.About == nil {
		return func([]byte) bool { return true }
	}
	targets := make([][]byte, 0, len(in.About))
	for _, p := range in.About {
		targets = append(targets, format.AppendTarget(nil, p.Base()))
	}
	return func(line []byte) bool {
		return slices.ContainsFunc(targets, func(t []byte) bool { return bytes.Contains(line, t) })
	}
}

// within is the path in the store that a target means in a file of dir.
func within(dir memsync.Path, target string) (memsync.Path, bool) {
	return resolve(memsync.Scope{Dir: dir}, target)
}
