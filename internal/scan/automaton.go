package scan

import (
	"slices"
	"strings"
)

// automaton finds all keywords of all rules in one pass (Aho and Corasick,
// 1975), ASCII case aside.
type automaton struct {
	class   [256]uint8 // of a byte; 0 for bytes in no keyword
	classes int
	next    []uint16  // state*classes + class
	out     [][]found // by state: what ends there
}

type found struct {
	rule   int32
	length int32 // of the keyword
}

func newAutomaton(words map[string][]int32) *automaton {
	a := &automaton{classes: 1}
	var sorted []string
	for w := range words {
		sorted = append(sorted, w)
	}
	slices.Sort(sorted)
	for _, w := range sorted {
		for i := range len(w) {
			if a.class[w[i]] == 0 {
				a.class[w[i]] = uint8(a.classes)
				a.classes++
			}
		}
	}
	for c := 'a'; c <= 'z'; c++ {
		a.class[c-'a'+'A'] = a.class[c]
	}
	size := 1
	for _, w := range sorted {
		size += len(w)
	}
	a.next = make([]uint16, 0, size*a.classes)
	a.out = make([][]found, 0, size)
	grow := func() int {
		a.next = a.next[:len(a.next)+a.classes]
		a.out = append(a.out, nil)
		return len(a.out) - 1
	}
	grow()
	for _, w := range sorted {
		s := 0
		for i := range len(w) {
			at := s*a.classes + int(a.class[w[i]])
			if a.next[at] == 0 {
				n := grow()
				if n > 0xFFFF {
					panic("bug: too many keywords: " + strings.Join(sorted, " "))
				}
				a.next[at] = uint16(n)
			}
			s = int(a.next[at])
		}
		for _, r := range words[w] {
			a.out[s] = append(a.out[s], found{r, int32(len(w))})
		}
	}
	// Breadth first: a state's missing steps are those of its longest proper
	// suffix, whose outputs it has too.
	fail := make([]uint16, len(a.out))
	var queue []uint16
	for c := range a.classes {
		if n := a.next[c]; n != 0 {
			queue = append(queue, n)
		}
	}
	for i := 0; i < len(queue); i++ {
		s := queue[i]
		if more := a.out[fail[s]]; len(more) > 0 {
			a.out[s] = append(slices.Clip(a.out[s]), more...)
		}
		for c := range a.classes {
			at := int(s)*a.classes + c
			back := a.next[int(fail[s])*a.classes+c]
			if n := a.next[at]; n != 0 {
				fail[n] = back
				queue = append(queue, n)
			} else {
				a.next[at] = back
			}
		}
	}
	return a
}
