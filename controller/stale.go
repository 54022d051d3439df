package controller

import (
	"strings"
	"time"

	"memsync"
	"memsync/controller/merge"
	"memsync/internal/format"
)

// staleFor is how long after somebody else's change a save may still come from
// a buffer that was open before it.
const staleFor = 24 * time.Hour

// stale is rule 4.
//
// A write that names its base is refused when the current bytes are others. A
// save has no base: it comes from a stale buffer when others changed the path
// since this writer's previous save and it lacks every line that they added
// (or, where they only took lines away, still has all of those). Then it is
// joined with what they wrote. A save equal to the writer's previous one is a
// deliberate return and wins, and so does any when the other change is older
// than 24 hours. A save that releases a held path is joined with what happened
// since the path was held.
func (x *deciding) stale() bool {
	switch x.kind {
	case isSave:
		return x.staleSave()
	case isWrite, isRemove, isRename:
		if !x.baseMoved() {
			if x.Candidate.Base != "" {
				x.pass("stale", "")
			}
			return false
		}
		if x.Candidate.Op == memsync.OpRevert && x.Candidate.Override != "" && x.Candidate.Actor.Person() {
			x.pass("stale", "overridden by a person")
			return false
		}
		return x.refuse("stale", x.conflict())
	}
	return false
}

// baseMoved reports whether a write was derived from other bytes than the
// accepted ones.
func (x *deciding) baseMoved() bool {
	return x.Candidate.Base != "" && x.Candidate.Base != x.current
}

// conflict carries the current text, so that a caller can decide again without
// asking.
func (x *deciding) conflict() *memsync.Error {
	e := &memsync.Error{Code: memsync.CodeVersionConflict, Path: x.Path,
		Message: "the memory has changed since that version", Hint: "read the current text and write again on its base",
		Details: map[string]string{"base": string(x.Candidate.Base), "current_hash": string(x.current)}}
	if x.f.Current != nil {
		e.Details["current_text"] = string(x.f.Current)
	}
	if x.current == "" {
		e.Message, e.Hint = "the memory is not there any more", "see what there is with `memsync list --all`"
	}
	return e
}

func (x *deciding) staleSave() bool {
	if x.f.Dirty && x.old != nil && (x.copied != nil || x.alias != "") && string(x.f.Current) != string(x.f.HeldBase) && string(x.f.Current) != string(x.Candidate.Raw) {
		x.keepCopy(x.f.Current) // another memory came to the same place: its text is not this one's
		return false
	}
	if x.old == nil || x.old.Path != x.Path || x.f.Current == nil || x.copied != nil || x.alias != "" {
		return false
	}
	saved, current := string(x.Candidate.Raw), string(x.f.Current)
	base, at := x.f.HeldBase, time.Time{}
	switch {
	case saved == current:
		return false
	case base != nil:
		if string(base) == current || string(base) == saved && !x.f.Dirty {
			x.pass("stale", "nothing changed while it was held")
			return false
		}
	default:
		base, at = x.reloaded(x.f.PreviousSave), x.f.PreviousSaveAt
		switch {
		case base == nil || x.f.OthersChangedAt.IsZero() || string(base) == current:
			return false
		case saved == string(base):
			x.pass("stale", "the same bytes again: a deliberate return")
			return false
		case x.f.Now.Sub(x.f.OthersChangedAt) > staleFor:
			x.pass("stale", "the other change is older than a day")
			return false
		case !fromStaleBuffer(string(base), current, saved):
			x.pass("stale", "")
			return false
		}
	}
	x.join(base, at)
	return false
}

// reloaded is the writer's previous save as their editor shows it: with the id
// line that we put in, where this save has it.
func (x *deciding) reloaded(base []byte) []byte {
	if base == nil || x.doc == nil {
		return base
	}
	now, ok := x.doc.Get("id")
	if !ok || now.Text != string(x.old.ID) {
		return base
	}
	d, err := format.Parse(base, x.policy.Limits)
	if err != nil {
		return base
	}
	if _, had := d.Get("id"); had {
		return base
	}
	if d, err = d.InsertID(x.old.ID); err != nil {
		return base
	}
	return d.Bytes()
}

// fromStaleBuffer judges by lines, blank ones left out.
func fromStaleBuffer(previous, current, saved string) bool {
	was, is, now := lineCounts(previous), lineCounts(current), lineCounts(saved)
	added := false
	for line, n := range is {
		if n > was[line] {
			added = true
			if now[line] > was[line] {
				return false
			}
		}
	}
	if added {
		return true
	}
	removed := false
	for line, n := range was {
		if n > is[line] {
			removed = true
			if now[line] < n {
				return false
			}
		}
	}
	return removed
}

func lineCounts(s string) map[string]int {
	counts := make(map[string]int, strings.Count(s, "\n")+1)
	for line := range strings.Lines(s) {
		if t := strings.TrimRight(line, " \t\r\n"); t != "" {
			counts[t]++
		}
	}
	return counts
}

// join replaces what the save would leave by the save and the current version
// merged. What overlaps is kept as conflict copies; so is the whole current
// version when the result would not be readable.
func (x *deciding) join(base []byte, at time.Time) {
	r := merge.Merge(
		merge.Version{Bytes: base, Time: at},
		merge.Version{Bytes: x.f.Current, Time: x.f.OthersChangedAt},
		merge.Version{Bytes: x.Candidate.Raw, Time: x.f.Now},
		x.policy.Limits)
	d, err := format.Parse(r.Bytes, x.policy.Limits)
	if r.Bytes == nil || err != nil {
		x.keepCopy(x.f.Current)
	} else {
		x.setDoc(d)
		for _, c := range r.Conflicts {
			x.keepCopy(c.Bytes)
		}
	}
	detail := "joined with what others wrote meanwhile"
	if len(x.extra) > 0 {
		detail += "; what overlaps is kept as a conflict copy"
	}
	x.d.Reasons = append(x.d.Reasons, memsync.Reason{Rule: "stale", Code: memsync.CodeVersionConflict, Passed: true, Detail: detail})
	x.warn(memsync.FindStaleBuffer, "the save came from an older version and was joined with what others wrote",
		"reload the file in the editor; saving the same text again keeps exactly that")
}

// keepCopy adds a conflict copy to the decision.
func (x *deciding) keepCopy(b []byte) {
	if len(b) == 0 {
		return
	}
	p := ConflictPath(x.Scope, x.id, b)
	for _, f := range x.extra {
		if f.Path == p {
			return
		}
	}
	x.extra = append(x.extra, memsync.FileChange{Path: p, Post: memsync.HashOf(b), Content: b})
}

// ConflictPath is where the conflict copy b of a memory is kept:
// _system/conflicts/<id>-<first 12 of its hash>.md.
func ConflictPath(s memsync.Scope, id memsync.ID, b []byte) memsync.Path {
	return system(s).Join("_system", "conflicts", merge.CopyName(string(id), b))
}

// system is where a scope's own files live.
func system(s memsync.Scope) memsync.Path {
	if s.System == "" {
		return s.Dir
	}
	return s.System
}
