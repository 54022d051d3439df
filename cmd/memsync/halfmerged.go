package main

import (
	"bytes"
	"slices"
	"strings"
)

// halfMerged reports whether a file is as a merge without our driver left it, and
// nobody has worked on it since: ours without a marker (the driver could not be
// started), or git's markers around what clashes. Which diff git used does not
// matter. Refused is every file in which a line is new, or one that a side
// wrote is gone or elsewhere.
func halfMerged(now, base, ours, theirs []byte) bool {
	if bytes.Equal(now, ours) {
		return true
	}
	withOurs, withTheirs, before, clashes := unmarked(now)
	if clashes == 0 {
		return false
	}
	b, o, t := lineCount(splitLines(base)), lineCount(splitLines(ours)), lineCount(splitLines(theirs))
	for _, line := range slices.Concat(withOurs, withTheirs) {
		if o[line]+t[line] == 0 {
			return false
		}
	}
	for _, line := range before {
		if b[line] == 0 {
			return false
		}
	}
	kept := func(side []byte, in []string, mine, other map[string]int) bool {
		have := lineCount(in)
		for line, n := range mine {
			// The other side took out as many as it has fewer of, at most, and brought
			// as many as it has more of.
			if have[line] < n-max(0, b[line]-other[line]) || have[line] > n+max(0, other[line]-b[line]) {
				return false
			}
		}
		alone := func(line string) bool { return mine[line] > 0 && b[line]+other[line] == 0 }
		return slices.Equal(slices.DeleteFunc(slices.Clone(in), func(l string) bool { return !alone(l) }),
			slices.DeleteFunc(splitLines(side), func(l string) bool { return !alone(l) }))
	}
	return kept(ours, withOurs, o, t) && kept(theirs, withTheirs, t, o)
}

// unmarked is a file with git's markers as each side would have it, the lines of
// the base between markers, and how many clashes it has; none where the markers
// do not pair.
func unmarked(data []byte) (ours, theirs, base []string, clashes int) {
	const common, inOurs, inBase, inTheirs = 0, 1, 2, 3
	at := common
	for _, line := range splitLines(data) {
		text := strings.TrimRight(line, "\r\n")
		mark := func(s string) bool { return text == s || strings.HasPrefix(text, s+" ") }
		switch {
		case at == common && mark("<<<<<<<"):
			at = inOurs
		case at == inOurs && mark("|||||||"):
			at = inBase
		case (at == inOurs || at == inBase) && text == "=======":
			at = inTheirs
		case at == inTheirs && mark(">>>>>>>"):
			at = common
			clashes++
		case at == inBase:
			base = append(base, line)
		default:
			if at != inTheirs {
				ours = append(ours, line)
			}
			if at != inOurs {
				theirs = append(theirs, line)
			}
		}
	}
	if at != common {
		return nil, nil, nil, 0
	}
	return ours, theirs, base, clashes
}

// splitLines are the lines of a file; the last one has an end even where the file
// has none, as git writes it before a marker.
func splitLines(data []byte) []string {
	var out []string
	for line := range strings.Lines(string(data)) {
		if !strings.HasSuffix(line, "\n") {
			line += "\n"
		}
		out = append(out, line)
	}
	return out
}

func lineCount(lines []string) map[string]int {
	out := map[string]int{}
	for _, line := range lines {
		out[line]++
	}
	return out
}
