package text

import (
	"cmp"
	"slices"
	"strings"
)

const (
	// bandRows and bands split a sketch for locality-sensitive hashing: two
	// entries meet when all rows of any band agree. At similarity J that happens
	// with probability 1-(1-J²)³²: 0.996 at 0.4, 0.9999 at 0.5.
	bandRows = 2
	bands    = SketchSize / bandRows

	// leastAgreement drops what met by chance: at similarity 0.4 fewer than 13
	// of 64 places agree with probability 0.0004.
	leastAgreement = 13
)

// Table proposes near-duplicates: what Query returns contains, with probability
// above 0.99, each entry whose Jaccard similarity is 0.4 or more. It keeps the
// sketches it is given (callers don't change them) and about 400 bytes an entry
// beside.
//
// Queries may run at the same time; Add and Remove need the table alone.
type Table struct {
	entries []tableEntry
	byKey   map[string]int32
	dead    int

	// One hash table for all bands, chained: heads holds the newest slot of a
	// bucket plus one, next the slot before it plus one. Slot e*bands+b is band
	// b of entry e. Nothing but the slot is stored; a chance meeting in a bucket
	// falls to the comparison of sketches.
	heads []int32
	next  []int32
}

type tableEntry struct {
	key    string
	sketch []uint32 // nil once removed
}

// NewTable is an empty table.
func NewTable() *Table { return &Table{byKey: make(map[string]int32)} }

// Len counts the entries.
func (t *Table) Len() int { return len(t.byKey) }

// Add puts key in with its sketch, instead of any earlier one. A nil sketch (a
// text without shingles) is like no text: nothing will find it.
func (t *Table) Add(key string, sketch []uint32) {
	if e, ok := t.byKey[key]; ok {
		if slices.Equal(t.entries[e].sketch, sketch) {
			return
		}
		t.Remove(key)
	}
	if len(sketch) != SketchSize {
		return
	}
	if (len(t.entries)+1)*bands > len(t.heads) {
		t.grow()
	}
	t.byKey[key] = int32(len(t.entries))
	t.entries = append(t.entries, tableEntry{key, sketch})
	t.link(len(t.entries) - 1)
}

// Remove takes key out. Its place is reclaimed when half of the table is such
// places.
func (t *Table) Remove(key string) {
	e, ok := t.byKey[key]
	if !ok {
		return
	}
	delete(t.byKey, key)
	t.entries[e] = tableEntry{}
	t.dead++
	if t.dead > 64 && t.dead*2 > len(t.entries) {
		t.entries = slices.DeleteFunc(t.entries, func(e tableEntry) bool { return e.sketch == nil })
		t.dead = 0
		for i, e := range t.entries {
			t.byKey[e.key] = int32(i)
		}
		t.rehash(len(t.heads))
	}
}

// Query gives the keys of the entries that may be similar, the likeliest first,
// then by key.
func (t *Table) Query(sketch []uint32) []string {
	if len(sketch) != SketchSize || len(t.byKey) == 0 {
		return nil
	}
	type found struct {
		entry int32
		agree int
	}
	var met []int32
	for b := range bands {
		for s := t.heads[t.bucket(b, sketch)]; s != 0; s = t.next[s-1] {
			slot := int(s - 1)
			if slot%bands != b {
				continue
			}
			e := slot / bands
			if have := t.entries[e].sketch; have != nil && have[b*bandRows] == sketch[b*bandRows] && have[b*bandRows+1] == sketch[b*bandRows+1] {
				met = append(met, int32(e))
			}
		}
	}
	slices.Sort(met)
	met = slices.Compact(met)
	list := make([]found, 0, len(met))
	for _, e := range met {
		if n := agreement(t.entries[e].sketch, sketch); n >= leastAgreement {
			list = append(list, found{e, n})
		}
	}
	slices.SortFunc(list, func(a, b found) int {
		return cmp.Or(b.agree-a.agree, strings.Compare(t.entries[a.entry].key, t.entries[b.entry].key))
	})
	keys := make([]string, len(list))
	for i, f := range list {
		keys[i] = t.entries[f.entry].key
	}
	return keys
}

func (t *Table) bucket(b int, sketch []uint32) int {
	h := mix(uint64(sketch[b*bandRows])<<32 | uint64(sketch[b*bandRows+1]) + uint64(b)*0x9e3779b97f4a7c15)
	return int(h & uint64(len(t.heads)-1))
}

func (t *Table) link(e int) {
	sketch := t.entries[e].sketch
	t.next = append(t.next, make([]int32, bands)...)
	for b := range bands {
		i := t.bucket(b, sketch)
		slot := e*bands + b
		t.next[slot] = t.heads[i]
		t.heads[i] = int32(slot + 1)
	}
}

func (t *Table) grow() { t.rehash(max(64*bands, 2*len(t.heads))) }

func (t *Table) rehash(size int) {
	t.heads = make([]int32, size)
	t.next = t.next[:0]
	for e := range t.entries {
		if t.entries[e].sketch == nil {
			t.next = append(t.next, make([]int32, bands)...)
			continue
		}
		t.link(e)
	}
}
