package controller

import (
	"memsync"
	"memsync/internal/format"
)

// prepareRename finds where a rename goes: to a path, to another scope, or to
// the file name that a new name makes.
func (s *Subject) prepareRename(f Facts) {
	c := &s.Candidate
	m := s.Memory
	if m == nil {
		s.refused = s.absent(f)
		return
	}
	// Scope is where the memory is; the scope that the candidate names is
	// where it goes.
	from, ok := f.View.Scope(m.Scope)
	if !ok {
		from, _ = memsync.ScopeOf(f.View.Scopes, m.Path)
	}
	s.Scope, s.toScope = from, from
	if c.Scope != "" {
		if s.toScope, ok = f.View.Scope(c.Scope); !ok {
			s.refused = noScope(c.Scope)
			return
		}
	}
	name := fieldText(c.Fields, "name")
	switch {
	case c.Path != "" && c.Path != m.Path:
		to, err := checkTarget(c.Path, f.View.Scopes)
		if err == nil && c.Scope != "" && to.Name() != c.Scope {
			err = &memsync.Error{Code: memsync.CodeScopeInvalid, Path: c.Path, Message: "the path lies in scope " + to.Name() + ", not in " + c.Scope}
		}
		if err != nil {
			s.refused = err
			return
		}
		s.toScope, s.moveTo = to, c.Path
		s.Needs.Dirs = []memsync.Path{c.Path.Dir()}
	case name != "":
		if s.slug = format.Slug(name); s.slug == "" {
			s.refused = &memsync.Error{Code: memsync.CodePathInvalid, Message: "no file name can be made of that name"}
			return
		}
		s.Needs.Dirs = []memsync.Path{s.targetDir()}
	case s.toScope.Name() != from.Name():
		s.Needs.Dirs = []memsync.Path{s.targetDir()}
	case c.Path == "" && c.Scope == "":
		s.refused = &memsync.Error{Code: memsync.CodeUsage, Message: "a rename needs a new name, path or scope"}
	}
}

// targetDir is the directory of a renamed file: its own, or the top of the
// scope that it moves to.
func (s *Subject) targetDir() memsync.Path {
	if s.toScope.Name() != s.Scope.Name() {
		return s.toScope.Dir
	}
	return s.Memory.Path.Dir()
}

// rename moves a memory. It keeps its id and its events, and its bytes but
// for the name (when a new one was given) and what the file says about its
// scope.
func (x *deciding) rename() bool {
	c, m := &x.Candidate, x.Memory
	to := x.moveTo
	switch {
	case to != "":
		names := x.f.Names[to.Dir()]
		for _, n := range names {
			if p := to.Dir().Join(n); p == to && p != m.Path {
				return x.refuse("identity", taken(to))
			}
		}
		if other := x.f.View.ByPath(to); other != nil {
			return x.refuse("identity", taken(to))
		}
		if _, hit := collides(to, names, func(p memsync.Path) bool { return p == m.Path }); hit {
			return x.refuse("identity", taken(to))
		}
	default:
		dir := x.targetDir()
		names := x.f.namesIn(x.toScope, dir)
		if x.slug != "" {
			t := m.Type
			if prefix, _ := format.SplitName(m.Path.Base()); prefix == memsync.Untyped && m.Path.Base() != format.FileName(m.Type, m.Slug) {
				t = memsync.Untyped // a file without a type prefix stays so
			}
			slug := x.slug
			to = freeName(x.f.View, dir, names, m.Path, func(n int) string { return numbered(t, slug, n) })
		} else {
			base := m.Path.Base()
			to = freeName(x.f.View, dir, names, m.Path, func(n int) string {
				if n == 1 {
					return base
				}
				t, slug := format.SplitName(base)
				return numbered(t, slug, n)
			})
		}
	}
	d, perr := parse(x.f.Current, x.policy.Limits)
	if x.f.Current == nil {
		return x.refuse("identity", &memsync.Error{Code: memsync.CodeIORead, Path: m.Path, Message: "the accepted version could not be read"})
	}
	if x.dirty() {
		return x.refuse("identity", unseen(m.Path))
	}
	if perr != nil {
		return x.refuse("identity", perr)
	}
	if _, has := d.Get("name"); has {
		if name := fieldText(c.Fields, "name"); name != "" {
			if d, perr = setKey(d, memsync.Field{Key: "name", Value: memsync.Text(name)}); perr != nil {
				return x.refuse("identity", perr)
			}
		}
	}
	if x.toScope.Name() != x.Scope.Name() {
		if d, perr = rescoped(d, x.toScope); perr != nil {
			return x.refuse("identity", perr)
		}
	}
	x.old, x.id = m, m.ID
	if to == m.Path && memsync.HashOf(d.Bytes()) == x.current {
		return x.noop("identity", "it has that name")
	}
	x.Path, x.Scope = to, x.toScope
	x.d.Path, x.d.Scope = to, x.Scope.Name()
	x.setDoc(d)
	if to == m.Path {
		x.pass("identity", "the name only; the file name stays")
		return x.settle(memsync.OpUpdate)
	}
	x.pass("identity", "moved from "+string(m.Path))
	return x.settle(memsync.OpRename)
}

// rescoped makes what a file says about its scope agree with where it goes.
func rescoped(d *format.Document, s memsync.Scope) (*format.Document, *memsync.Error) {
	for _, k := range []struct{ key, value string }{
		{"scope", string(s.Kind)}, {"agent", s.Agent}, {"agent_tier", string(s.Tier)},
	} {
		if _, there := d.Get(k.key); !there {
			continue
		}
		var err *memsync.Error
		if d, err = setKey(d, memsync.Field{Key: k.key, Value: memsync.Text(k.value), Remove: k.value == ""}); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func taken(p memsync.Path) *memsync.Error {
	return &memsync.Error{Code: memsync.CodePathInvalid, Path: p, Message: "a file with that name is there", Hint: "choose another name"}
}
