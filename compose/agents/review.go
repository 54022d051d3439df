package agents

import (
	"bytes"
	"fmt"
	"strings"

	"memsync"
	"memsync/compose"
	"memsync/indexer/recall"
	"memsync/internal/format"
)

// REVIEW.md is where people decide in an editor. Between the marks stands what
// waits; everything else in the file is people's, byte for byte.
const (
	reviewBegin = "<!-- memsync:begin -->"
	reviewEnd   = "<!-- memsync:end -->"
	// ReviewName is the file's name, beside MEMORY.md.
	ReviewName = "REVIEW.md"
	// reviewMost is how many questions the file shows at once; `memsync review` shows
	// all.
	reviewMost = 50
)

// ReviewPath is a scope's REVIEW.md.
func ReviewPath(s memsync.Scope) memsync.Path { return s.System.Join(ReviewName) }

// Tick is a box that somebody ticked in REVIEW.md.
type Tick struct {
	Proposal memsync.ID
	Deny     bool
	Line     int
}

// Ticks are the ticked boxes of a saved REVIEW.md, in the file's order: lines of
// the generated part, outside its code. A proposal with both boxes ticked counts as
// denied: no is the answer that can be taken back.
func Ticks(data []byte) (out []Tick) {
	_, region, _ := cut(string(data))
	at := map[memsync.ID]int{}
	eachLine(region, func(line string, code bool) {
		t, ticked := tick(line)
		if !ticked || code {
			return
		}
		t.Line = 1 + strings.Count(string(data[:max(0, bytes.Index(data, []byte(line)))]), "\n")
		if j, again := at[t.Proposal]; again {
			if t.Deny {
				out[j] = t
			}
			return
		}
		at[t.Proposal] = len(out)
		out = append(out, t)
	})
	return out
}

// tick reads `- [x] approve 01J…`.
func tick(line string) (t Tick, ticked bool) {
	f := strings.Fields(line)
	if len(f) != 4 || f[0] != "-" || line[0] != '-' || f[1] != "[x]" && f[1] != "[X]" || f[2] != "approve" && f[2] != "deny" {
		return Tick{}, false
	}
	id, err := memsync.ParseID(f[3])
	return Tick{Proposal: id, Deny: f[2] == "deny"}, err == nil
}

// eachLine yields lines, and whether they stand in a code block.
func eachLine(s string, do func(line string, code bool)) {
	fence := ""
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimRight(line, " \t\r")
		run := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(run) >= 3:
			fence = run
			do(line, true)
		case fence != "" && len(run) >= len(fence) && run == line:
			fence = ""
			do(line, true)
		default:
			do(line, fence != "")
		}
	}
}

// Review is what a scope's REVIEW.md must be: what waits, and people's own text.
// saved is the file as it is, previous as it was last written or accepted; lines
// that somebody wrote between the marks are moved to below them. It is nil where
// there is nothing to say, and the file should not be.
func Review(scope memsync.Scope, waiting []Waiting, saved, previous []byte) []byte {
	before, region, after := cut(string(saved))
	_, known, _ := cut(string(previous))
	moved := strangers(region, known)
	var b strings.Builder
	b.WriteString(before)
	if len(waiting) > 0 {
		if region == "" && strings.TrimSpace(before) != "" && !strings.HasSuffix(before, "\n\n") {
			// It begins after people's text, set apart.
			b.WriteString(strings.Repeat("\n", 2-min(1, strings.Count(before[len(before)-1:], "\n"))))
		}
		if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
			b.WriteByte('\n') // a mark has a line of its own, below white space too
		}
		b.WriteString(reviewBegin + "\n")
		writeReview(&b, scope, waiting)
		b.WriteString(reviewEnd + "\n")
	}
	b.WriteString(moved)
	b.WriteString(after)
	if b.Len() == 0 {
		return nil
	}
	return []byte(b.String())
}

// cut takes a file apart at the marks: what stands before the first region, what is
// in regions, and what else there is. A merge by lines may leave several regions;
// marks without their other half are no region, and nothing else of them is lost.
func cut(s string) (before, region, after string) {
	outside, inside := &before, ""
	open, seen := false, false
	for line := range strings.Lines(s) {
		switch strings.TrimRight(line, "\r\n") {
		case reviewBegin:
			open = true
		case reviewEnd:
			if open {
				region += inside
				outside, seen = &after, true
			}
			open, inside = false, ""
		default:
			if open {
				inside += line
			} else {
				*outside += line
			}
		}
	}
	*outside += inside // begun and never ended: people's
	if !seen {
		return before, "", ""
	}
	return before, region, after
}

// markAt finds a mark that has a line of its own.
func markAt(s, mark string, from int) int {
	for at := from; at < len(s); {
		i := strings.Index(s[at:], mark)
		if i < 0 {
			return -1
		}
		i += at
		end := i + len(mark)
		if (i == 0 || s[i-1] == '\n') && (end == len(s) || s[end] == '\n' || s[end] == '\r') {
			return i
		}
		at = end
	}
	return -1
}

// strangers are the lines of a region that nobody generated: not there before, and
// no box.
func strangers(region, known string) string {
	generated := map[string]bool{"": true}
	eachLine(known, func(line string, _ bool) { generated[line] = true })
	var b strings.Builder
	for raw := range strings.Lines(region) {
		line := strings.TrimRight(raw, " \t\r\n")
		if _, ticked := tick(line); !ticked && !generated[line] {
			b.WriteString(strings.TrimRight(raw, "\n") + "\n")
		}
	}
	return b.String()
}

func writeReview(b *strings.Builder, scope memsync.Scope, waiting []Waiting) {
	n := len(waiting)
	fmt.Fprintf(b, "# Review\n\n%s for a decision. Tick one box of an entry and save the file, or run\n`memsync approve ID` or `memsync deny ID`.\n", count(n, "entry waits", "entries wait"))
	for _, w := range waiting[:min(n, reviewMost)] {
		writeWaiting(b, &w, recall.Relative(scope.System, w.Memory.Path.Dir()))
	}
	if n > reviewMost {
		fmt.Fprintf(b, "\n%d more: `memsync review`\n", n-reviewMost)
	}
	b.WriteByte('\n')
}

func writeWaiting(b *strings.Builder, w *Waiting, to string) {
	fmt.Fprintf(b, "\n## %s\n\n- [ ] approve %s\n- [ ] deny %s\n\n%s\n", heading(w.Memory), w.Proposal, w.Proposal, w.Sentence())
	link, _ := format.AppendIndexEntry(nil, format.IndexEntry{Label: heading(w.Memory), Target: to + w.Memory.Path.Base()}, 0)
	fmt.Fprintf(b, "\n%s\n", append(link, ", since "+w.Since.UTC().Format("2006-01-02")...))
	for _, c := range w.Changes {
		if c.Why != "" {
			fmt.Fprintf(b, "\n%s: an approval would not take effect now (%s).\n", c.Agent, c.Why)
		}
		if c.Diff == "" {
			continue
		}
		fence := fenceFor(c.Diff)
		fmt.Fprintf(b, "\n%s:\n\n%sdiff\n%s%s\n", c.Agent, fence, c.Diff, fence)
	}
}

// Sentence says what is asked and why, without a memory's text.
func (w *Waiting) Sentence() string {
	var agents []string
	tier := compose.Auto
	for _, c := range w.Changes {
		agents = append(agents, c.Agent)
		tier = c.Tier
	}
	who := strings.Join(agents, ", ")
	switch {
	case w.Ends != "" && w.Against == 0:
		return fmt.Sprintf("It is asked to leave the prompt of %s (%s).", who, Place(w.Target))
	case w.Ends != "":
		return fmt.Sprintf("It is asked to leave the prompt of %s (%s): %s against it.", who, Place(w.Target), count(w.Against, "conversation speaks", "conversations speak"))
	case w.Edited:
		return fmt.Sprintf("The memory was edited; the prompt of %s (%s) still says what was approved.", who, Place(w.Target))
	case tier == compose.Guarded:
		s := fmt.Sprintf("It would join the prompt of %s (%s), which only a person allows.", who, Place(w.Target))
		if w.Supports > 0 { // else somebody wrote it by hand
			s += " " + count(w.Supports, "conversation", "conversations") + " taught it."
		}
		return s
	}
	return fmt.Sprintf("It would join the prompt of %s (%s). An agent chose the place, and `targets.from_model` asks for a person.", who, Place(w.Target))
}

// Place names a target in words, such as "judgment release-review, constraints".
func Place(t compose.Target) string {
	words := []string{string(t.Primitive)}
	switch t.Primitive {
	case compose.BackgroundSlot:
		words = append(words, t.Section+", "+t.Key)
	case compose.JudgmentSlot:
		words = append(words, t.Domain+", "+t.Slot)
	case compose.ExampleSlot:
		words = append(words, t.Domain)
	case compose.ManualSlot:
		words = append(words, t.Capability)
	}
	return format.OneLine(strings.Join(words, " "), 0)
}

func heading(m *memsync.Memory) string {
	if m.Name == "" {
		return m.Slug
	}
	return format.OneLine(m.Name, 120)
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// fenceFor is a fence of backticks that a text cannot close.
func fenceFor(s string) string {
	longest, run := 2, 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}
