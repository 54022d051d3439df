package recall

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"memsync"
	"memsync/internal/format"
)

// Edited is what a save of MEMORY.md asks for.
type Edited struct {
	Hooks    []HookEdit
	Findings []memsync.Finding

	// Base is the saved file with the lines that people put into the region
	// moved below it: what Digest is to be given as Input.Base, with the saved
	// bytes as MemoryMD. Together with Hooks it holds everything that was
	// typed, so it may be used only once those are accepted.
	Base []byte
}

// HookEdit gives a memory another hook; an empty one takes the hook away.
type HookEdit struct {
	Memory memsync.ID
	Path   memsync.Path
	Text   string
}

// Edits compares a save of a scope's MEMORY.md with the version that was last
// accepted (nil for none). Only lines of the region that differ count, and
// only where the saved file has a region: outside it everything is people's
// already, and without markers the list starts anew.
//
// A changed text of an entry is a new hook; so is the text of a new line that
// links a memory which nothing lists. Where the memory has no inline
// frontmatter to carry one, and for every other line that is not generated,
// the line moves below the end marker, byte for byte. Entries that were
// deleted come back, link text is made anew, both with a finding. The finding
// of replaced link text quotes it, so that nothing typed is gone.
func Edits(previous, saved []byte, view *memsync.View, scope memsync.Scope) Edited {
	now, err := format.ParseIndex(saved)
	if err != nil || !now.HasRegion() || scope.MemoryMD == memsync.LintOnly {
		return Edited{Base: saved}
	}
	e := editing{view: view, scope: scope, now: now, claimed: map[memsync.Path]bool{}}
	e.readPrevious(previous)
	e.outside = handListed(view, scope, now.Outside())
	e.lines()
	e.out.Base = e.base()
	e.returned()
	return e.out
}

type editing struct {
	view    *memsync.View
	scope   memsync.Scope
	now     *format.Index
	outside map[memsync.Path]struct{} // hand-listed in the saved file

	before  map[string]int                     // lines of the previous region, how often
	entries map[memsync.Path]format.IndexEntry // of the previous region
	order   []memsync.Path                     // the same, in order

	claimed map[memsync.Path]bool // memories that a line of the saved region stands for
	moved   []int                 // lines to move
	out     Edited
}

func (e *editing) readPrevious(previous []byte) {
	e.before, e.entries = map[string]int{}, map[memsync.Path]format.IndexEntry{}
	old, err := format.ParseIndex(previous)
	if err != nil {
		return
	}
	from, to := old.InnerLines()
	for i := from; i < to; i++ {
		line := old.Text(i)
		e.before[lineKey(old, i)]++
		if old.Lines[i].Fenced {
			continue
		}
		if entry, m := e.entry(line); m != nil {
			if _, there := e.entries[m.Path]; !there {
				e.entries[m.Path] = entry
				e.order = append(e.order, m.Path)
			}
		}
	}
}

// entry reads a line as the entry of a memory that is there; m is nil when it
// is none.
func (e *editing) entry(line string) (format.IndexEntry, *memsync.Memory) {
	entry, ok := format.ParseIndexEntry(line)
	if !ok {
		return entry, nil
	}
	p, ok := resolve(e.scope, entry.Target)
	if !ok {
		return entry, nil
	}
	m := e.view.ByPath(p)
	if m == nil || m.Scope != e.scope.Name() || !listable(m, e.scope) {
		return entry, nil
	}
	return entry, m
}

// lines looks at the saved region: first at what stayed, then at what is new.
func (e *editing) lines() {
	from, to := e.now.InnerLines()
	left := make(map[string]int, len(e.before))
	for line, n := range e.before {
		left[line] = n
	}
	var changed []int
	for i := from; i < to; i++ {
		if key := lineKey(e.now, i); left[key] > 0 {
			left[key]--
			if _, m := e.entry(key); m != nil && !e.now.Lines[i].Fenced {
				e.claimed[m.Path] = true
			}
			continue
		}
		changed = append(changed, i)
	}
	for _, i := range changed {
		if !e.line(i, strings.TrimRight(e.now.Text(i), " \t")) {
			e.moved = append(e.moved, i)
		}
	}
}

// lineKey is what makes two lines of a region the same: the text, line ends
// and blanks at the end aside. In a code fence a line is another one.
func lineKey(x *format.Index, i int) string {
	line := strings.TrimRight(x.Text(i), " \t")
	if x.Lines[i].Fenced {
		return "\x00" + line
	}
	return line
}

// restLine is the line that names the pages.
var restLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^- [0-9]+ more: \[[^\]]*\]\([^)]*_index/[^)]*\.md\)(, \[[^\]]*\]\([^)]*_index/[^)]*\.md\))*$`)
})

// line judges a line that the previous region did not have; false moves it.
func (e *editing) line(i int, line string) bool {
	switch {
	case strings.TrimSpace(line) == "":
		return true
	case e.now.Lines[i].Fenced:
		return false
	case e.before[line] > 0: // once more the same: the one generated line says it
		return true
	case restLine().MatchString(line):
		return true
	}
	if name, ok := strings.CutPrefix(line, "## "); ok && slices.Contains(sectionNames[1:], name) {
		return true
	}
	typed, m := e.entry(line)
	if m == nil || e.claimed[m.Path] {
		return false
	}
	if _, there := e.outside[m.Path]; there {
		return false
	}
	old, listed := e.entries[m.Path]
	fresh := entryOf(m, e.scope)
	fresh.Label = format.OneLine(fresh.Label, format.MaxIndexLabel)
	if newText := typed.Text != old.Text || !listed; newText && (typed.Text == "" || !e.says(m, typed.Text)) {
		switch {
		case typed.Text == "" && !listed:
			return false
		case typed.Text == "" && m.Hook == "":
			e.finding(memsync.FindIndexReturned, i, "the text of %s comes from its description and comes back", m.Path.Base())
		case !m.Inline:
			return false
		default:
			e.out.Hooks = append(e.out.Hooks, HookEdit{Memory: m.ID, Path: m.Path, Text: typed.Text})
		}
	}
	e.claimed[m.Path] = true
	if typed.Label != fresh.Label && !(listed && typed.Label == old.Label) {
		e.finding(memsync.FindIndexLinkText, i, "the link text %q is the name of the memory and becomes %q again; to change it edit `name:` in %s",
			typed.Label, fresh.Label, m.Path.Base())
	}
	return true
}

// says reports whether text is what the list says of m now.
func (e *editing) says(m *memsync.Memory, text string) bool {
	if text == m.Hook || m.Hook == "" && text == m.Description {
		return true
	}
	line, _ := format.AppendIndexEntry(nil, entryOf(m, e.scope), memsync.DefaultLimits().DescriptionChars)
	made, ok := format.ParseIndexEntry(string(line))
	return ok && made.Text == text
}

// base builds Base: a paragraph keeps the blank lines inside it.
func (e *editing) base() []byte {
	if len(e.moved) == 0 {
		return e.now.Bytes()
	}
	from, to := e.now.InnerLines()
	move := make([]bool, len(e.now.Lines))
	for n, i := range e.moved {
		move[i] = true
		if n == 0 {
			continue
		}
		blank := true
		for j := e.moved[n-1] + 1; j < i; j++ {
			blank = blank && strings.TrimSpace(e.now.Text(j)) == ""
		}
		if blank {
			for j := e.moved[n-1] + 1; j < i; j++ {
				move[j] = true
			}
		}
	}
	var stay, gone []byte
	for i := from; i < to; i++ {
		if !move[i] {
			stay = append(stay, e.now.Raw(i)...)
			continue
		}
		if i == from || !move[i-1] {
			e.finding(memsync.FindIndexMoved, i, "what was written into the generated list now stands below it")
		}
		gone = append(gone, e.now.Raw(i)...)
	}
	end := e.now.Raw(to)
	if e.now.EndEOL() == "" {
		end = append(slices.Clone(end), e.now.EOL...)
	}
	return slices.Concat(e.now.Before(), e.now.Raw(from-1), stay, end, gone, e.now.After())
}

// returned tells which entries come back.
func (e *editing) returned() {
	after, err := format.ParseIndex(e.out.Base)
	if err != nil {
		return
	}
	byHand := handListed(e.view, e.scope, after.Outside())
	from, _ := e.now.InnerLines()
	for _, p := range e.order {
		if _, there := byHand[p]; there || e.claimed[p] {
			continue
		}
		e.finding(memsync.FindIndexReturned, from-1, "the entry of %s comes back: the list has every memory; to drop it, delete the file", p.Base())
	}
}

func (e *editing) finding(code string, line int, message string, args ...any) {
	e.out.Findings = append(e.out.Findings, memsync.Finding{
		Code: code, Severity: memsync.Warning, Path: FilePath(e.scope),
		Line: line + 1, Column: 1, Message: fmt.Sprintf(message, args...),
	})
}
