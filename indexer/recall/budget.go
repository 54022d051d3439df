package recall

import (
	"strconv"
	"strings"

	"memsync/internal/format"
)

// maxPageLinks is how many pages one line of MEMORY.md names. Where there are
// more it names the page that lists them: a full alphabet costs a kilobyte of
// the 25 that are loaded. The number is a guess.
const maxPageLinks = 16

// fit moves the tails of sections to pages until the region has room: from
// `other` upwards, pinned entries last.
func (l *list) fit() {
	used := l.needed
	for i := len(l.sections) - 1; i >= 0 && !used.within(l.room); i-- {
		s := l.sections[i]
		rest := used.minus(l.section(s)) // all other sections
		for s.kept > 0 && !used.within(l.room) {
			l.pop(s)
			used = rest.plus(l.section(s))
		}
	}
	if !used.within(l.room) {
		l.flat = true
		used = l.extent()
	}
	l.used = used
}

// pop moves a section's last entry to its page.
func (l *list) pop(s *section) {
	s.kept--
	top := topPage(sortKey(s.entries[s.kept].memory))
	for i := len(s.tops) - 1; i >= 0; i-- {
		if s.tops[i] == top {
			return
		}
	}
	s.tops = append(s.tops, top)
	s.topBytes += l.pageLink(len(s.name) + 1 + len(top))
}

// extent is what the region takes, markers included.
func (l *list) extent() extent {
	e := extent{2, len(format.IndexBegin) + len(l.eol) + len(format.IndexEnd) + len(l.index.EndEOL())}
	for _, s := range l.sections {
		e = e.plus(l.section(s))
	}
	return e
}

// section is what one section takes.
func (l *list) section(s *section) (e extent) {
	if len(s.entries) == 0 {
		return e
	}
	if s.heading && !l.flat {
		e.lines += 3
		e.bytes += len("## ") + len(s.name) + 3*len(l.eol)
	}
	if s.kept > 0 {
		e.lines += s.kept
		e.bytes += s.entries[s.kept-1].end - s.entries[0].start + s.kept*len(l.eol)
	}
	if n := len(s.entries) - s.kept; n > 0 {
		e.lines++
		e.bytes += len("- ") + digits(n) + len(" more: ") + len(l.eol)
		if l.manyPages(s) {
			e.bytes += l.pageLink(len(s.name))
		} else {
			e.bytes += s.topBytes + len(", ")*(len(s.tops)-1)
		}
	}
	return e
}

// pageLink is what appendPageLink writes for a name of n bytes.
func (l *list) pageLink(n int) int { return n + len("](") + len(l.toPage) + n + len("[.md)") }

func (l *list) manyPages(s *section) bool { return l.flat || len(s.tops) > maxPageLinks }

func (a extent) plus(b extent) extent  { return extent{a.lines + b.lines, a.bytes + b.bytes} }
func (a extent) minus(b extent) extent { return extent{a.lines - b.lines, a.bytes - b.bytes} }

func digits(n int) int { return len(strconv.Itoa(n)) }

func (l *list) outside() (n int) {
	for _, s := range l.sections {
		n += len(s.entries) - s.kept
	}
	return n
}

func (l *list) entries() (n int) {
	for _, s := range l.sections {
		n += len(s.entries)
	}
	return n
}

// written reports whether there is a region to write: there is something to
// list, or a person has put two bare markers where it shall come.
func (l *list) written() bool {
	return l.entries() > 0 || l.index.HasRegion() && l.bareMarkers()
}

// bareMarkers reports whether nothing stands between the markers.
func (l *list) bareMarkers() bool {
	from, to := l.index.InnerLines()
	for i := from; i < to; i++ {
		if strings.TrimSpace(l.index.Text(i)) != "" {
			return false
		}
	}
	return true
}
