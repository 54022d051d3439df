package agents

import (
	"slices"
	"strings"

	"memsync"
)

// Drift is the line of a saved REVIEW.md, from 1, on which the generated part first
// is not what waits; 0 where it is. Ticked boxes are a decision and no drift. An
// empty file is one that is not there.
func Drift(scope memsync.Scope, waiting []Waiting, saved []byte) int {
	_, wanted, _ := cut(string(Review(scope, waiting, nil, nil)))
	_, region, _ := cut(string(saved))
	begin := markAt(string(saved), reviewBegin, 0)
	first := strings.Count(string(saved[:max(begin, 0)]), "\n") + 1
	switch {
	case begin < 0 && wanted == "":
		return 0
	case begin < 0:
		return 1
	case region == "" || wanted == "": // half a region, or one in which nothing is left to say
		return first
	}
	have, want := unticked(region), unticked(wanted)
	if slices.Equal(have, want) {
		return 0
	}
	n := 0
	for n < len(have) && n < len(want) && have[n] == want[n] {
		n++
	}
	return min(first+1+n, strings.Count(string(saved), "\n")+1) // of several regions the lines are those of one
}

// unticked are the lines of a region with every box empty.
func unticked(region string) (out []string) {
	eachLine(region, func(line string, code bool) {
		if _, ticked := tick(line); ticked && !code {
			line = "- [ ]" + line[len("- [x]"):]
		}
		out = append(out, line)
	})
	return out
}
