package controller

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"memsync"
	"memsync/internal/format"
	"memsync/internal/text"
)

// crowded is how many memories a directory holds before new ones go to
// <type>/<yyyy-mm>/: every commit rewrites the tree of the directory it
// touches (format.md).
const crowded = 256

// newDirs are the directories in which a new memory may be put, the second
// when the first is crowded.
func (s *Subject) newDirs(f Facts) []memsync.Path {
	folder := string(s.typ)
	if folder == "" {
		folder = "other"
	}
	return []memsync.Path{s.Scope.Dir, s.Scope.Dir.Join(folder, f.Now.UTC().Format("2006-01"))}
}

// namesIn is what is in a directory. Where the facts don't say, what the View
// has.
func (f *Facts) namesIn(scope memsync.Scope, dir memsync.Path) []string {
	if names, ok := f.Names[dir]; ok {
		return names
	}
	var names []string
	for m := range f.View.InScope(scope.Name()) {
		if m.Path.Dir() == dir {
			names = append(names, m.Path.Base())
		}
	}
	return names
}

// placeNew is the path of a new memory: <type>_<slug>.md, with a number where
// that is taken, by whatever file.
func (s *Subject) placeNew(f *Facts) memsync.Path {
	dirs := s.newDirs(*f)
	names := f.namesIn(s.Scope, dirs[0])
	dir, memories := dirs[0], 0
	for _, n := range names {
		if format.Classify(memsync.Path(n)) == format.MemoryFile {
			memories++
		}
	}
	if memories >= crowded {
		dir = dirs[1]
		names = f.namesIn(s.Scope, dir)
	}
	slug := s.slug
	if slug == "" {
		slug = "untitled"
	}
	return freeName(f.View, dir, names, "", func(n int) string { return numbered(s.typ, slug, n) })
}

// freeName is the first of base(1), base(2), … that nothing in dir is called,
// in any case or Unicode form. except is a path that does not count: the file
// that is being renamed.
func freeName(v *memsync.View, dir memsync.Path, names []string, except memsync.Path, base func(n int) string) memsync.Path {
	taken := make(map[string]bool, len(names))
	for _, n := range names {
		if dir.Join(n) != except {
			taken[text.Fold(n)] = true
		}
	}
	for n := 1; ; n++ {
		b := base(n)
		p := dir.Join(b)
		if !taken[text.Fold(b)] && (p == except || v.ByPath(p) == nil) {
			return p
		}
	}
}

func numbered(t memsync.Type, slug string, n int) string {
	if n == 1 {
		return format.FileName(t, slug)
	}
	tail := "-" + strconv.Itoa(n)
	return format.FileName(t, cut(slug, 80-len(tail))+tail)
}

// cut is s in at most n bytes, at a character and without a trailing dash.
func cut(s string, n int) string {
	if len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return strings.TrimRight(s, "-")
}

// collides reports a name in the same directory that differs from path by case
// or Unicode form only. Such names cannot both exist on every machine.
func collides(path memsync.Path, names []string, gone func(memsync.Path) bool) (string, bool) {
	base := path.Base()
	want := text.Fold(base)
	for _, n := range names {
		if n != base && len(n) < 2*len(base)+8 && text.Fold(n) == want && !gone(path.Dir().Join(n)) {
			return n, true
		}
	}
	return "", false
}
