package agents

import (
	"strings"

	"memsync"
)

// Drift is the line of a saved REVIEW.md, from 1, on which the generated part first
// is not what waits; 0 where it is. Ticked boxes are a decision and no drift, and so
// is how a memory is linked. An empty file is one that is not there.
func Drift(waiting []Waiting, saved []byte) int {
	_, wanted, _ := cut(string(Review(waiting, func(*memsync.Memory) string { return "" }, nil, nil)))
	before, region, _ := cut(string(saved))
	first := strings.Count(before, "\n") + 1
	begins := markAt(string(saved), reviewBegin, 0) >= 0
	switch {
	case !begins && wanted == "":
		return 0
	case !begins:
		return 1
	case region == "" || wanted == "": // half a region, or one in which nothing is left to say
		return first
	}
	have, want := plain(region), plain(wanted)
	for n := range want {
		if n >= len(have) || have[n] != want[n] {
			return first + n
		}
	}
	if len(have) > len(want) {
		return first + len(want)
	}
	return 0
}

// plain are the lines of a region without what may differ.
func plain(region string) (out []string) {
	eachLine(region, func(_ int, line string, code bool) {
		if _, ticked := tick(line); ticked && !code {
			line = "- [ ]" + line[len("- [x]"):]
		}
		if at := strings.LastIndex(line, sinceWord); !code && at >= 0 && strings.HasPrefix(line, memoryWord) {
			line = memoryWord + line[at:]
		}
		out = append(out, line)
	})
	return out
}
