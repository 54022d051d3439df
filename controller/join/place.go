package join

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"memsync"
	"memsync/internal/format"
)

// place puts memories at their paths. Of two that the join would give one path
// (or two that some file system takes for one), or one (type, slug), the one
// with the larger id gets a number.
func (j *joiner) place(docs []*document) error {
	byID(docs)
	j.sameKeys(docs)
	slugs := map[[3]string][]*document{}
	at := map[string]*document{}
	for _, d := range docs {
		fold := format.CollisionKey(d.path)
		before := at[fold]
		crowded := before != nil && (before.path == d.path || !before.together(d))
		if !crowded {
			for _, o := range slugs[slugOf(d)] {
				crowded = crowded || o != d && slugOf(d)[2] != "" && !o.together(d)
			}
		}
		if crowded {
			if err := j.rename(d, before, at); err != nil {
				return err
			}
			fold = format.CollisionKey(d.path)
		}
		if d.header != nil {
			slugs[slugOf(d)] = append(slugs[slugOf(d)], d)
		}
		at[fold] = d
		j.put(d.path, d.entry)
	}
	return nil
}

// slugOf is what identity means between scopes; a log has none.
func slugOf(d *document) [3]string {
	if d.header == nil || d.header.Kind != memsync.KindMemory {
		return [3]string{}
	}
	return [3]string{d.header.Scope, string(d.header.Type), d.header.Slug}
}

// rename gives d the first free name. Where ids stand in the ledger, both get
// an event: the newest one of a path may be the other's.
func (j *joiner) rename(d, before *document, at map[string]*document) error {
	contested := d.path
	d.path = j.free(d.path, func(p memsync.Path) bool { return at[format.CollisionKey(p)] == nil })
	if d.header != nil {
		data, err := j.bytes(d.entry)
		if err != nil {
			return err
		}
		if doc, err := format.Parse(data, j.policy.Limits); err == nil {
			d.header = format.Header(doc, d.path, j.scopeOf(d.path))
		}
	}
	for _, o := range []*document{before, d} {
		if o == nil || o.who.inline || o.id == "" || o == before && before.path != contested {
			continue
		}
		s, ok := memsync.ScopeOf(j.scopes, o.path)
		if !ok {
			continue
		}
		data, err := j.bytes(o.entry)
		if err != nil {
			return err
		}
		if err := j.identify(s, o.id, o.path, data); err != nil {
			return err
		}
	}
	return nil
}

// longest is the longest slug that gets a number, in bytes: names stay below
// the limit of slugs.
const longest = 76

// free is the first of name-2, name-3, … that no version has, in any case or
// Unicode form.
func (j *joiner) free(p memsync.Path, ok func(memsync.Path) bool) memsync.Path {
	taken := map[string]bool{}
	for q := range j.out {
		if q.Dir() == p.Dir() {
			taken[format.CollisionKey(q)] = true
		}
	}
	for _, q := range j.touched {
		if q.Dir() == p.Dir() {
			taken[format.CollisionKey(q)] = true
		}
	}
	base, ext := stem(p), strings.TrimPrefix(p.Base(), stem(p))
	for n := 2; ; n++ {
		tail := "-" + strconv.Itoa(n)
		name := base
		if len(name) > longest {
			cut := longest
			for cut > 0 && !utf8.RuneStart(name[cut]) {
				cut--
			}
			name = strings.TrimRight(name[:cut], "-")
		}
		q := p.Dir().Join(name + tail + ext)
		if !taken[format.CollisionKey(q)] && ok(q) {
			return q
		}
	}
}

// makeWay moves files that stand where another side made a directory: no tree
// holds both.
func (j *joiner) makeWay() error {
	var blocked []memsync.Path
	seen := map[memsync.Path]bool{}
	for _, p := range j.placed {
		for dir := p.Dir(); dir != "" && !seen[dir]; dir = dir.Dir() {
			seen[dir] = true
			if _, file := j.out[dir]; file {
				blocked = append(blocked, dir)
			}
		}
	}
	slices.Sort(blocked)
	for _, p := range blocked {
		e := j.out[p]
		delete(j.out, p)
		to := j.free(p, func(memsync.Path) bool { return true })
		j.out[to] = e
	}
	return nil
}
