package recall

import (
	"fmt"
	"slices"
	"strings"

	"memsync"
	"memsync/internal/format"
)

// Drift is how a MEMORY.md that is only checked differs from what is there.
type Drift struct {
	Unlisted []*memsync.Memory  // in the scope, in no link of the file; by path
	Dangling []format.IndexLink // links into the scope that lead to no memory
}

// DriftOf compares a MEMORY.md with the scope. Links that lead out of the
// scope's directory, and those in code fences, are nobody's business here. It
// gives nothing where there is no file, and nothing for one with broken
// markers (Digest says so).
func DriftOf(in Input) Drift {
	index, err := format.ParseIndex(in.MemoryMD)
	if err != nil {
		return Drift{}
	}
	return drift(in, index)
}

func drift(in Input, index *format.Index) (d Drift) {
	if in.MemoryMD == nil {
		return d
	}
	there := map[memsync.Path]struct{}{}
	for m := range in.View.InScope(in.Scope.Name()) {
		there[m.Path] = struct{}{}
	}
	links := slices.Concat(index.Outside(), index.Inside())
	listed := handListed(in.View, in.Scope, links)
	for _, l := range links {
		p, ok := resolve(in.Scope, l.Target)
		if l.Wiki || !ok || !p.In(in.Scope.Dir) || p.In(PagesDir(in.Scope)) || reservedName(p) {
			continue
		}
		if _, found := there[p]; !found {
			d.Dangling = append(d.Dangling, l)
		}
	}
	for m := range in.View.InScope(in.Scope.Name()) {
		if _, found := listed[m.Path]; !found && listable(m, in.Scope) {
			d.Unlisted = append(d.Unlisted, m)
		}
	}
	return d
}

// reservedName are files that a MEMORY.md may link though they are no
// memories.
func reservedName(p memsync.Path) bool {
	switch p.Base() {
	case format.IndexName, "REVIEW.md", "README.md", "CLAUDE.md", "AGENTS.md":
		return true
	}
	return false
}

// findings are at most two: a directory from before memsync may have hundreds
// of either kind.
func (d Drift) findings(file memsync.Path) (out []memsync.Finding) {
	if n := len(d.Unlisted); n > 0 {
		names := make([]string, 0, 3)
		for _, m := range d.Unlisted[:min(n, 3)] {
			names = append(names, m.Path.Base())
		}
		out = append(out, memsync.Finding{
			Code: memsync.FindIndexDrift, Severity: memsync.Warning, Path: file,
			Message: fmt.Sprintf("%d memories are not listed: %s", n, some(names, n)),
			Hint:    `list them, or set memory_md = "region" to have that done`,
		})
	}
	if n := len(d.Dangling); n > 0 {
		names := make([]string, 0, 3)
		for _, l := range d.Dangling[:min(n, 3)] {
			names = append(names, l.Target)
		}
		out = append(out, memsync.Finding{
			Code: memsync.FindIndexDrift, Severity: memsync.Warning, Path: file, Line: d.Dangling[0].Line, Column: 1,
			Message: fmt.Sprintf("%d links lead to no memory: %s", n, some(names, n)),
		})
	}
	return out
}

func some(names []string, n int) string {
	s := strings.Join(names, ", ")
	if n > len(names) {
		s += fmt.Sprintf(" and %d more", n-len(names))
	}
	return format.OneLine(s, 0)
}
