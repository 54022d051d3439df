package merge

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"memsync"
)

// Lines joins files that are not memories (AGENT.md, people's Markdown outside
// scopes, an index) by lines alone. The later version wins an overlap, where
// the times are equal or unknown the one with the larger hash; the other
// version's lines are a conflict of kind Body. What is not text is not joined:
// the later one stays whole, the other is a conflict of kind Unparsed.
func Lines(base, ours, theirs Version) Result {
	if r, done := simple(base, ours, theirs, func() memsync.ID { return "" }); done {
		return r
	}
	early, late := byHash(ours, theirs)
	if !isText(early.Bytes) || !isText(late.Bytes) || !isText(base.Bytes) {
		return whole(early, late, "")
	}
	return byLines(Body, base, early, late, "")
}

func byHash(a, b Version) (early, late Version) {
	switch {
	case after(a, b):
		return b, a
	case after(b, a):
		return a, b
	case memsync.HashOf(a.Bytes) > memsync.HashOf(b.Bytes):
		return b, a
	}
	return a, b
}

func isText(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }

// byLines joins whole files by lines.
func byLines(kind string, base, early, late Version, id memsync.ID) Result {
	return byGrammar(markdown, kind, base, early, late, id)
}

func byGrammar(g grammar, kind string, base, early, late Version, id memsync.ID) Result {
	bt, et, lt := split(base.Bytes), split(early.Bytes), split(late.Bytes)
	t := text{}
	var clashes []clash
	t.lines, clashes = join3(g, bt.lines, et.lines, lt.lines, base.Bytes != nil)
	if base.Bytes == nil {
		t.manners(nil, et, lt)
	} else {
		t.manners(&bt, et, lt)
	}
	r := Result{Bytes: t.bytes()}
	if len(clashes) > 0 {
		rec := Record{Kind: kind, Memory: id, Kept: late.Time, Lost: early.Time, Places: places(clashes)}
		r.Conflicts = append(r.Conflicts, rec.Conflict())
	}
	return r
}

// whole keeps the later version as it is, and the other in a conflict.
func whole(early, late Version, id memsync.ID) Result {
	rec := Record{Kind: Unparsed, Memory: id, Kept: late.Time, Lost: early.Time,
		Places: []Place{{Lost: &memsync.Value{Text: strings.Clone(string(early.Bytes))}}}}
	return Result{Bytes: late.Bytes, Conflicts: []Conflict{rec.Conflict()}}
}
