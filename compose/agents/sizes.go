package agents

import (
	"fmt"

	"memsync/compose"
)

// Sizes are the sizes of what is learned against their budgets, a line each, in
// characters.
func Sizes(r *compose.Report) (lines []string) {
	for _, p := range compose.Primitives {
		lines = append(lines, size(string(p), r.Characters[p], r.Budgets.Of(p)))
	}
	return append(lines, size("all", r.Total, r.Budgets.Ceiling))
}

func size(name string, n, budget int) string {
	return fmt.Sprintf("%-10s  %5d of %5d characters", name, n, budget)
}
