package recall

import (
	"path"
	"strings"

	"memsync"
	"memsync/internal/format"
	"memsync/internal/text"
)

// handListed are the paths of the memories that links in people's own text
// lead to.
func handListed(view *memsync.View, scope memsync.Scope, links []format.IndexLink) map[memsync.Path]struct{} {
	if len(links) == 0 {
		return nil
	}
	listed := make(map[memsync.Path]struct{}, len(links))
	var names wikiNames
	for _, l := range links {
		if l.Wiki {
			names.add(l.Target)
		} else if p, ok := resolve(scope, l.Target); ok {
			listed[p] = struct{}{}
		}
	}
	if len(names.all) == 0 {
		return listed
	}
	for m := range view.InScope(scope.Name()) {
		names.offer(m)
	}
	for _, w := range names.all {
		if w.best != nil {
			listed[w.best.Path] = struct{}{}
		}
	}
	return listed
}

// resolve is the path in the store that a link target in the scope's MEMORY.md
// means; ok is false when it leads out of the store.
func resolve(scope memsync.Scope, target string) (memsync.Path, bool) {
	p := path.Join(string(scope.Dir), target)
	if p == ".." || strings.HasPrefix(p, "../") {
		return "", false
	}
	return memsync.Path(p), true
}

// wikiNames are the [[names]] of a text, each with the memory that answers to
// it best: by its name, by its file stem, by either one folded. Of several the
// first by path.
type wikiNames struct {
	byText, byStem, byFold map[string][]*wikiName
	all                    []*wikiName
}

type wikiName struct {
	best *memsync.Memory
	rank int
}

func (w *wikiNames) add(target string) {
	if w.byText == nil {
		w.byText, w.byStem, w.byFold = map[string][]*wikiName{}, map[string][]*wikiName{}, map[string][]*wikiName{}
	}
	if len(w.byText[target]) > 0 {
		return
	}
	n := &wikiName{}
	w.all = append(w.all, n)
	w.byText[target] = append(w.byText[target], n)
	w.byStem[stem(target)] = append(w.byStem[stem(target)], n)
	if f := foldName(stem(target)); f != "" {
		w.byFold[f] = append(w.byFold[f], n)
	}
}

// offer shows a memory to the names; memories come by path.
func (w *wikiNames) offer(m *memsync.Memory) {
	file := stem(string(m.Path))
	take(w.byText[m.Name], m, 1)
	take(w.byStem[file], m, 2)
	take(w.byFold[foldName(m.Name)], m, 3)
	take(w.byFold[foldName(file)], m, 3)
}

func take(names []*wikiName, m *memsync.Memory, rank int) {
	for _, n := range names {
		if n.best == nil || rank < n.rank {
			n.best, n.rank = m, rank
		}
	}
}

// stem is the last element of a path without .md.
func stem(p string) string { return strings.TrimSuffix(path.Base(p), ".md") }

// foldName makes `_`, `-` and spaces alike, folds case and drops a type
// prefix.
func foldName(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(text.Fold(s), "_", "-"), " ", "-")
	for _, t := range memsync.Types {
		if rest, ok := strings.CutPrefix(s, string(t)+"-"); ok && rest != "" {
			return rest
		}
	}
	return s
}
