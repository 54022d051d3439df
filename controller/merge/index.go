package merge

import (
	"strings"
)

// Index joins two versions of MEMORY.md by its lines, of which one that lists a
// memory is known by what it links: entries that both sides added are all kept,
// one that a side took away goes. The generated region is made anew from the
// memories afterwards, so that an entry which both sides changed is the later
// one's, and no conflict. Other lines are joined as Lines does.
func Index(base, ours, theirs Version) Result {
	if r, done := simple(Version{}, ours, theirs, nil); done {
		return r
	}
	early, late := byHash(ours, theirs)
	if !isText(early.Bytes) || !isText(late.Bytes) || !isText(base.Bytes) {
		return whole(early, late, "")
	}
	b, e, l := listing(base.Bytes), listing(early.Bytes), listing(late.Bytes)
	// Where only entries differ, or one side alone changed other lines, these
	// lines carry the entries of both.
	if b.prose != e.prose && e.prose != l.prose {
		if b.prose != l.prose {
			return Lines(base, ours, theirs)
		}
		e, l = l, e
	}
	t := text{bom: l.text.bom, crlf: l.text.crlf, open: l.text.open}
	after := map[string][]string{} // entries of the other side, by the line that they follow there
	for i, line := range e.text.lines {
		link := entryLink(line)
		if link == "" || l.at[link] != "" || b.at[link] != "" {
			continue
		}
		before := ""
		for k := i - 1; k >= 0 && before == ""; k-- {
			if known := entryLink(e.text.lines[k]); known != "" && l.at[known] != "" {
				before = "\x00" + known
			} else if known == "" && !blank(e.text.lines[k]) {
				before = e.text.lines[k]
			}
		}
		after[before] = append(after[before], line)
	}
	for i, line := range l.text.lines {
		link := entryLink(line)
		if link != "" && b.at[link] != "" && e.at[link] == "" && b.at[link] == line {
			continue // the other side took it away
		}
		if link != "" && b.at[link] == line && e.at[link] != "" {
			line = e.at[link] // the other side alone changed it
		}
		t.lines = append(t.lines, line)
		key := line
		if link != "" {
			key = "\x00" + link
		}
		added := after[key]
		if link == "" && len(added) > 0 && i+1 < len(l.text.lines) && blank(l.text.lines[i+1]) {
			after["\x00blank"] = added
		} else {
			t.lines = append(t.lines, added...)
		}
		delete(after, key)
		if blank(line) {
			t.lines = append(t.lines, after["\x00blank"]...)
			delete(after, "\x00blank")
		}
	}
	var rest []string
	for _, line := range e.text.lines { // in the order of the file, not of the map
		for _, left := range after {
			for _, x := range left {
				if x == line {
					rest = append(rest, line)
				}
			}
		}
	}
	t.lines = append(t.lines, rest...)
	return Result{Bytes: t.bytes()}
}

// listed is a MEMORY.md taken apart.
type listed struct {
	text  text
	at    map[string]string // entry lines by what they link
	prose string            // all other lines that are not blank
}

func listing(data []byte) listed {
	x := listed{text: split(data), at: map[string]string{}}
	for _, line := range x.text.lines {
		if link := entryLink(line); link != "" {
			x.at[link] = line
		} else if !blank(line) {
			x.prose += line + "\n"
		}
	}
	return x
}

// entryLink is what a line of a list links first, "" for any other line.
func entryLink(line string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "- [")
	if !ok {
		return ""
	}
	_, rest, ok = strings.Cut(rest, "](")
	link, _, closed := strings.Cut(rest, ")")
	if !ok || !closed {
		return ""
	}
	return link
}
