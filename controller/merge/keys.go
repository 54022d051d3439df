package merge

import (
	"slices"
	"strings"

	"memsync"
	"memsync/internal/format"
)

// want is what a key must say in the result; ok false: it must not be there.
type want struct {
	key   string
	value memsync.Value
	ok    bool
}

func (w want) is(v memsync.Value, ok bool) bool {
	return ok == w.ok && (!ok || equalValue(v, w.value))
}

// keys joins the headers: one want for every key of either side or the base,
// and a record for every value that lost.
func (j *documents) keys() ([]want, []Record) {
	if j.base != nil && slices.Equal(j.early.head, j.late.head) {
		return nil, nil
	}
	var wants []want
	var records []Record
	seen := map[string]bool{}
	alias := ""
	for _, d := range []*document{&j.late, &j.early, j.base} {
		if d == nil || d.doc == nil {
			continue
		}
		for _, k := range d.doc.Keys() {
			if seen[k.Name] {
				continue
			}
			seen[k.Name] = true
			w, rec := j.key(k.Name)
			if rec != nil {
				records = append(records, *rec)
			}
			if k.Name == "id" {
				alias = j.otherID(w)
			}
			wants = append(wants, w)
		}
	}
	if alias != "" {
		wants = addAlias(wants, alias)
	}
	return wants, records
}

// key joins one key. One-sided changes are taken; the rules hold where both
// sides changed it.
func (j *documents) key(key string) (want, *Record) {
	b, bok := j.base.get(key)
	e := want{key: key}
	e.value, e.ok = j.early.get(key)
	l := want{key: key}
	l.value, l.ok = j.late.get(key)
	switch {
	case l.is(e.value, e.ok):
		return l, nil
	case e.is(b, bok):
		return l, nil
	case l.is(b, bok):
		return e, nil
	}
	switch kindOf(key) {
	case identity:
		return smaller(e, l), nil
	case set:
		return j.set(b, e, l), nil
	case created, touched:
		if w, ok := j.date(kindOf(key), e, l); ok {
			return w, nil
		}
	case unknown:
		if w, ok := larger(e, l); ok {
			return w, nil
		}
		if w, ok := j.date(touched, e, l); ok {
			return w, nil
		}
	}
	kept, lost := l, e
	keptAt, lostAt := j.late.Time, j.early.Time
	if j.tied && compare(e, l) > 0 && !nested(e.value) {
		kept, lost, keptAt, lostAt = e, l, lostAt, keptAt
	}
	rec := &Record{Kind: Scalar, Key: key, Kept: keptAt, Lost: lostAt,
		Places: []Place{{Kept: kept.place(), Lost: lost.place(), Base: want{value: b, ok: bok}.place()}}}
	return kept, rec
}

func (w want) place() *memsync.Value {
	if !w.ok {
		return nil
	}
	return &w.value
}

// nested reports whether a list holds collections. They read as JSON and could
// not be written back in their own shape, so such a list wins only where it
// stands.
func nested(v memsync.Value) bool {
	return slices.ContainsFunc(v.List, func(s string) bool {
		return strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[")
	})
}

// compare orders two values by their bytes; one that is not there is the
// smallest.
func compare(a, b want) int {
	if a.ok != b.ok {
		if a.ok {
			return 1
		}
		return -1
	}
	if c := strings.Compare(a.value.Text, b.value.Text); c != 0 {
		return c
	}
	return slices.Compare(a.value.List, b.value.List)
}

// smaller picks the id: the smaller ULID. A text that is no ULID is a person's
// own and yields to one that is.
func smaller(a, b want) want {
	if !a.ok || !b.ok {
		if a.ok {
			return a
		}
		return b
	}
	ia, ea := memsync.ParseID(a.value.Text)
	ib, eb := memsync.ParseID(b.value.Text)
	switch {
	case ea == nil && eb != nil:
		return a
	case eb == nil && ea != nil:
		return b
	case ea == nil && ia != ib:
		if ia < ib {
			return a
		}
		return b
	case compare(a, b) <= 0:
		return a
	}
	return b
}

// otherID is the id that gave way, to be kept as an alias.
func (j *documents) otherID(w want) string {
	b, _ := j.base.get("id")
	for _, d := range []*document{&j.late, &j.early} {
		v, ok := d.get("id")
		if ok && !v.IsList && v.Text != "" && !equalValue(v, w.value) && !equalValue(v, b) {
			return v.Text
		}
	}
	return ""
}

func addAlias(wants []want, alias string) []want {
	for i, w := range wants {
		if w.key != "aliases" {
			continue
		}
		list := elements(w.value, w.ok)
		if !slices.Contains(list, alias) {
			list = append(slices.Clone(list), alias)
		}
		wants[i].value, wants[i].ok = memsync.List(list...), true
		return wants
	}
	return append(wants, want{"aliases", memsync.List(alias), true})
}

// set is the three-way set: in the later side's order what neither side took
// away, then what only the earlier one added.
func (j *documents) set(base memsync.Value, e, l want) want {
	b, es, ls := elements(base, true), elements(e.value, e.ok), elements(l.value, l.ok)
	var out []string
	add := func(x string) {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	for _, x := range ls {
		if slices.Contains(es, x) || !slices.Contains(b, x) {
			add(x)
		}
	}
	for _, x := range es {
		if !slices.Contains(b, x) {
			add(x)
		}
	}
	w := want{key: l.key, value: memsync.List(out...), ok: true}
	switch {
	case len(out) == 0 && (!e.ok || !l.ok):
		return want{key: l.key}
	case slices.Equal(out, ls) && l.ok:
		return l // as it is written there
	case slices.Equal(out, es) && e.ok:
		return e
	}
	return w
}

// elements reads a list key that may have been written as one word.
func elements(v memsync.Value, ok bool) []string {
	switch {
	case !ok:
		return nil
	case v.IsList:
		return v.List
	case strings.TrimSpace(v.Text) == "":
		return nil
	}
	return []string{v.Text}
}

// correct sets what the carrier says otherwise; nil when it can't be made to.
func correct(doc *format.Document, wants []want) *format.Document {
	if wants == nil {
		return doc
	}
	for _, w := range wants {
		if w.is(doc.Get(w.key)) {
			continue
		}
		var err error
		if w.ok {
			doc, err = doc.Set(w.key, w.value)
		} else {
			doc, err = doc.Remove(w.key)
		}
		if err != nil {
			return nil
		}
	}
	for _, w := range wants {
		if !w.is(doc.Get(w.key)) {
			return nil
		}
	}
	return doc
}
