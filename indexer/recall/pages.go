package recall

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"memsync"
)

// pages are the files that list what MEMORY.md has no room for. An entry's
// page depends on its own name and on how many share it, never on its
// position: an edit changes the page it is on, and no other.
//
// A page that would be over the limits of MEMORY.md becomes a list of pages,
// split by the next letter of the name that tells entries apart, and where
// letters do not, by a hash of the memory's id.
func (l *list) pages() map[memsync.Path][]byte {
	w := pageWriter{list: l, out: map[memsync.Path][]byte{}}
	for _, s := range l.sections {
		tail := s.entries[s.kept:]
		if len(tail) == 0 {
			continue
		}
		groups := map[string][]entry{}
		for _, e := range tail {
			top := topPage(sortKey(e.memory))
			groups[top] = append(groups[top], e)
		}
		names := make([]string, 0, len(groups))
		for top, entries := range groups {
			name := s.name + "-" + top
			names = append(names, name)
			w.page(name, entries, top)
		}
		if l.manyPages(s) {
			w.contents(s.name, names)
		}
	}
	return w.out
}

// PagePrefix is how the names of the pages begin that may list a memory.
func PagePrefix(m *memsync.Memory) string {
	return sectionNames[sectionOf(m)] + "-" + topPage(sortKey(m))
}

type pageWriter struct {
	*list
	out map[memsync.Path][]byte
}

func (w *pageWriter) put(name string, body []byte) {
	w.out[PagesDir(w.scope).Join(name+".md")] = body
}

func pageHead(name string) string { return "# " + name + "\n\n" }

// page writes the page of all entries with one first letter.
func (w *pageWriter) page(name string, entries []entry, top string) {
	if w.leaf(name, entries, false) {
		return
	}
	all := make([]keyed, len(entries))
	for i, e := range entries {
		all[i] = keyed{pageKey(e.memory, top), e}
	}
	w.split(name, name+".", all, 0)
}

// keyed is an entry with the letters that decide its page.
type keyed struct {
	key string
	entry
}

// leaf writes the page as a list of its entries, if they fit or must.
func (w *pageWriter) leaf(name string, entries []entry, must bool) bool {
	head := pageHead(name)
	size := len(head)
	for _, e := range entries {
		size += e.end - e.start + len(w.toFile) + 1
	}
	if !(extent{2 + len(entries), size}).within(extent{w.limits.IndexLines, w.limits.IndexBytes}) && !must && len(entries) > 1 {
		return false
	}
	body := append(make([]byte, 0, size), head...)
	for _, e := range entries {
		body = append(body, w.text[e.start:e.split]...)
		body = append(body, w.toFile...)
		body = append(body, w.text[e.split:e.end]...)
		body = append(body, '\n')
	}
	w.put(name, body)
	return true
}

// split writes name as a list of pages, whose names go on from stem with what
// stands in the keys from at on: project-a lists project-a.agent-1 and
// project-a.agent-2.
func (w *pageWriter) split(name, stem string, all []keyed, at int) {
	if n := sharedFrom(all, at); n > at {
		stem += all[0].key[at:n]
		at = n
	}
	groups := map[string][]keyed{}
	for _, k := range all {
		_, n := utf8.DecodeRuneInString(k.key[at:])
		groups[k.key[at:at+n]] = append(groups[k.key[at:at+n]], k)
	}
	names := make([]string, 0, len(groups))
	for letter, group := range groups {
		child := stem + letter
		names = append(names, child)
		entries := make([]entry, len(group))
		for i, k := range group {
			entries[i] = k.entry
		}
		next := at + len(letter)
		if !w.leaf(child, entries, next >= len(group[0].key)) {
			w.split(child, child, group, next)
		}
	}
	w.contents(name, names)
}

// sharedFrom is where the keys stop being the same, at a whole letter.
func sharedFrom(all []keyed, at int) int {
	first := all[0].key
	end := len(first) - 1 // the last digit always tells apart
	for _, k := range all[1:] {
		n := at
		for n < end && n < len(k.key)-1 && k.key[n] == first[n] {
			n++
		}
		end = n
	}
	for end > at && !utf8.RuneStart(first[end]) {
		end--
	}
	return max(end, at)
}

// contents writes a page that lists pages. It holds no counts, so that a new
// memory changes one page only.
func (w *pageWriter) contents(name string, names []string) {
	slices.Sort(names)
	body := []byte(pageHead(name))
	for _, n := range names {
		body = fmt.Appendf(body, "- [%s](%s.md)\n", n, target(n))
	}
	w.put(name, body)
}

// generatedPage reports whether a file in _index/ is a page of ours, by its
// name and first line; anything else there is somebody's own and stays.
func generatedPage(p memsync.Path, body []byte) bool {
	name := strings.TrimSuffix(path.Base(string(p)), ".md")
	section, _, _ := strings.Cut(name, "-")
	return slices.Contains(sectionNames[:], section) && bytes.HasPrefix(body, []byte(pageHead(name)))
}

// pageKey are the letters of a memory's name, then "_" and a hash that no
// other memory has.
func pageKey(m *memsync.Memory, top string) string {
	h := fnv.New64a()
	if m.ID != "" {
		h.Write([]byte(m.ID))
	} else {
		h.Write([]byte(m.Path))
	}
	return fmt.Sprintf("%s_%016x", pageLetters(sortKey(m), top), h.Sum64())
}
