package merge

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"memsync"
	"memsync/internal/format"
)

// Version is one version of a document.
type Version struct {
	Bytes []byte    // nil: it is not there
	Time  time.Time // of the commit or save that wrote it; zero: unknown
}

// Result is the joined document and what did not fit into it.
type Result struct {
	Bytes     []byte // nil: gone on both sides
	Conflicts []Conflict
}

// Merge joins ours and theirs over base (nil Bytes: there was none). Swapping
// the sides gives the same Result. Where both sides parse within lim, so does
// the result. Result.Bytes may share memory with a side.
//
// Header keys are joined by meaning, one by one; the body by diff3 on
// paragraphs, then lines. Sides that do not parse are joined by lines.
func Merge(base, ours, theirs Version, lim memsync.Limits) Result {
	if r, done := simple(base, ours, theirs, idIn(base, ours, theirs, lim)); done {
		return r
	}
	early, late := inOrder(ours, theirs)
	e, eok := parse(early, lim)
	l, lok := parse(late, lim)
	if !eok || !lok {
		return byLines(Unparsed, base, early, late, firstID(e, l))
	}
	j := documents{early: e, late: l, lim: lim, tied: !after(late, early)}
	if base.Bytes != nil {
		if b, ok := parse(base, lim); ok {
			j.base = &b
		} else {
			t := split(base.Bytes) // its lines still tell what is old
			j.base = &document{text: t, body: t.lines}
		}
	}
	return j.join()
}

// simple settles what needs no look inside: equal sides, one side unchanged,
// one side gone.
func simple(base, ours, theirs Version, id func() memsync.ID) (Result, bool) {
	switch {
	case same(ours.Bytes, theirs.Bytes):
		return Result{Bytes: ours.Bytes}, true
	case same(base.Bytes, ours.Bytes):
		return Result{Bytes: theirs.Bytes}, true
	case same(base.Bytes, theirs.Bytes):
		return Result{Bytes: ours.Bytes}, true
	case ours.Bytes == nil:
		return survivor(base, theirs, ours, id), true
	case theirs.Bytes == nil:
		return survivor(base, ours, theirs, id), true
	}
	return Result{}, false
}

// survivor keeps an edit against a delete; the record keeps the wish.
func survivor(base, edited, gone Version, id func() memsync.ID) Result {
	r := Result{Bytes: edited.Bytes}
	if base.Bytes != nil {
		rec := Record{Kind: DeleteEdit, Memory: id(), Kept: edited.Time, Lost: gone.Time}
		r.Conflicts = []Conflict{rec.Conflict()}
	}
	return r
}

// same tells an absent file from an empty one.
func same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// after reports whether a is known to be later than b.
func after(a, b Version) bool {
	return !a.Time.IsZero() && !b.Time.IsZero() && a.Time.After(b.Time)
}

func inOrder(a, b Version) (early, late Version) {
	switch {
	case after(a, b):
		return b, a
	case after(b, a):
		return a, b
	case bytes.Compare(a.Bytes, b.Bytes) > 0:
		return b, a
	}
	return a, b
}

// document is a version taken apart: head is the frontmatter with its fences
// and the blank line, body the rest.
type document struct {
	Version
	text
	doc        *format.Document // nil for a base that does not parse
	head, body []string
}

func parse(v Version, lim memsync.Limits) (document, bool) {
	doc, err := format.Parse(v.Bytes, lim)
	if err != nil {
		return document{Version: v}, false
	}
	d := document{Version: v, text: split(v.Bytes), doc: doc}
	n := 0
	if body := doc.Body(); body != "" {
		n = strings.Count(body, "\n")
		if body[len(body)-1] != '\n' {
			n++
		}
	}
	if n > len(d.lines) {
		return document{Version: v}, false
	}
	d.head, d.body = d.lines[:len(d.lines)-n], d.lines[len(d.lines)-n:]
	return d, true
}

func (d *document) get(key string) (memsync.Value, bool) {
	if d == nil || d.doc == nil {
		return memsync.Value{}, false
	}
	return d.doc.Get(key)
}

func (d *document) id() memsync.ID {
	if d == nil || d.doc == nil {
		return ""
	}
	return d.doc.ID()
}

func firstID(ds ...document) memsync.ID {
	for i := range ds {
		if id := ds[i].id(); id != "" {
			return id
		}
	}
	return ""
}

// idIn is asked only for a record of a deletion.
func idIn(base, ours, theirs Version, lim memsync.Limits) func() memsync.ID {
	return func() memsync.ID {
		var all []document
		for _, v := range []Version{base, ours, theirs} {
			if v.Bytes != nil {
				d, _ := parse(v, lim)
				all = append(all, d)
			}
		}
		return firstID(all...)
	}
}

// documents joins two parsed sides.
type documents struct {
	base        *document // nil: none
	early, late document
	tied        bool // the times do not tell which is later
	lim         memsync.Limits
}

func (j *documents) join() Result {
	body, clashes := j.body()
	wants, conflicts := j.keys()
	id := j.late.id()
	for _, w := range wants {
		if w.key == "id" && w.ok {
			id, _ = memsync.ParseID(w.value.Text)
		}
	}
	doc := j.carry(body, wants)
	if doc == nil {
		return whole(j.early.Version, j.late.Version, id)
	}
	r := Result{Bytes: doc.Bytes()}
	for _, c := range conflicts {
		c.Memory = id
		r.Conflicts = append(r.Conflicts, c.Conflict())
	}
	if len(clashes) > 0 {
		rec := Record{Kind: Body, Memory: id, Kept: j.late.Time, Lost: j.early.Time, Places: places(clashes)}
		r.Conflicts = append(r.Conflicts, rec.Conflict())
	}
	if lost := j.lostComments(doc); len(lost) > 0 {
		rec := Record{Kind: Unparsed, Memory: id, Kept: j.late.Time, Lost: j.early.Time, Places: []Place{{Lost: lineValue(lost)}}}
		r.Conflicts = append(r.Conflicts, rec.Conflict())
	}
	return r
}

// body joins the texts after the frontmatter.
func (j *documents) body() ([]string, []clash) {
	return j.part(markdown, func(d *document) []string { return d.body }, j.base != nil)
}

// part joins one part of the documents, of which only one side may have
// changed it.
func (j *documents) part(g grammar, of func(*document) []string, based bool) ([]string, []clash) {
	early, late := of(&j.early), of(&j.late)
	if slices.Equal(early, late) {
		return late, nil
	}
	var base []string
	if based {
		base = of(j.base)
		if slices.Equal(base, early) {
			return late, nil
		}
		if slices.Equal(base, late) {
			return early, nil
		}
	}
	return join3(g, base, early, late, based)
}

// carry finds the frontmatter that carries the joined values with the least
// loss of comments, order and quoting: the one joined by lines, else the
// later's, else the earlier's; each is then corrected key by key. Nil: none
// can.
func (j *documents) carry(body []string, wants []want) *format.Document {
	isHead := func(d *document) []string { return d.head }
	joined, _ := j.part(header, isHead, j.base != nil && len(j.base.head) > 0)
	for _, head := range [][]string{joined, j.late.head, j.early.head} {
		t := text{lines: slices.Concat(head, body)}
		if j.base == nil {
			t.manners(nil, j.early.text, j.late.text)
		} else {
			t.manners(&j.base.text, j.early.text, j.late.text)
		}
		t.open = t.open && len(body) > 0
		carrier, err := format.Parse(t.bytes(), j.lim)
		if err != nil {
			continue
		}
		doc := correct(carrier, wants)
		if doc == nil {
			continue
		}
		if doc != carrier { // trust nothing that has been edited
			if doc, err = format.Parse(doc.Bytes(), j.lim); err != nil {
				continue
			}
		}
		if slices.Equal(lead(bodyOf(doc)), lead(body)) {
			return doc
		}
	}
	return nil
}

// lead drops leading blank lines: the first belongs to the head where that has
// none.
func lead(lines []string) []string {
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	return lines
}

func bodyOf(d *format.Document) []string { return split([]byte(d.Body())).lines }

// lostComments are header comments that a side wrote and the result lacks.
func (j *documents) lostComments(doc *format.Document) []string {
	var lost []string
	kept := map[string]bool{}
	comments := func(lines []string, see func(string)) {
		for _, l := range lines {
			if t := strings.TrimSpace(l); strings.HasPrefix(t, "#") {
				see(t)
			}
		}
	}
	comments(split(doc.Bytes()).lines, func(c string) { kept[c] = true })
	if j.base != nil {
		comments(j.base.head, func(c string) { kept[c] = true })
	}
	for _, d := range []*document{&j.late, &j.early} {
		comments(d.head, func(c string) {
			if !kept[c] {
				kept[c] = true
				lost = append(lost, c)
			}
		})
	}
	return lost
}
