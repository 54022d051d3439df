package recall

import (
	"fmt"
	"strings"

	"memsync"
	"memsync/internal/format"
)

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
func (d Comparison) findings(file memsync.Path) (out []memsync.Finding) {
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
			names = append(names, l.Text)
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
