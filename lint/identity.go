package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memsync"
	"memsync/internal/format"
	"memsync/internal/scan"
)

// largeDirectory is how many memories one directory may hold before git gets
// slow: a commit writes the whole list of a directory's files anew (measured:
// 50 times slower at 10,000 than in folders). New ones go to folders from
// format.ShardAt on; this is about those that people put there.
const largeDirectory = 1000

// count is a number with its word.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// identities judges who is who: ids, names, keys, aliases.
func (j *join) identities() {
	j.sameIDs()
	j.sameNames()
	j.untyped()
	if !j.Partial {
		j.sameSlugs()
		j.sameTexts()
		j.sameKeys()
		j.aliases()
		j.directories()
	}
}

// sameIDs finds files that claim one id. The one that HEAD has with that id
// keeps it; where HEAD has none or several, the one that sorts first.
func (j *join) sameIDs() {
	times := make(map[memsync.ID]int, len(j.Reports))
	for _, r := range j.Reports {
		if r.Memory != nil {
			times[r.Memory.ID]++
		}
	}
	byID := map[memsync.ID][]*Report{}
	for _, r := range j.Reports {
		if r.Memory == nil || r.Memory.ID == "" || times[r.Memory.ID] == 1 {
			continue
		}
		if id, event := j.state.Identity(r.Path); event && id != r.Memory.ID {
			continue // the ledger has told them apart
		}
		byID[r.Memory.ID] = append(byID[r.Memory.ID], r)
	}
	for id, list := range byID {
		if len(list) < 2 {
			continue
		}
		var atHead []*Report
		for _, r := range list {
			if h, ok := j.Head[r.Path]; ok {
				if doc, err := format.Parse(h.Data, j.policy.Limits); err == nil {
					if v, _ := doc.Get("id"); strings.EqualFold(v.Text, string(id)) {
						atHead = append(atHead, r)
					}
				}
			}
		}
		holder, sure := list[0], len(atHead) == 1
		switch i := slices.IndexFunc(list, func(r *Report) bool { return !numberedCopy(r, list) }); {
		case sure:
			holder = atHead[0]
		case i >= 0:
			holder = list[i] // "trip 2.md" sorts before "trip.md" and is no original for that
		}
		for _, r := range list {
			if r == holder {
				continue
			}
			if numberedCopy(r, []*Report{holder}) {
				f := Finding{Finding: memsync.Finding{Code: memsync.FindConflictCopy, Severity: warn, Path: r.Path, Line: 1, Column: 1,
					Message: "a file-sync tool's copy of " + nameOf(holder.Path) + ", kept out of the store", Hint: "`memsync conflicts` shows what differs; move what you need into the original and remove the copy"}}
				j.find(f)
				continue
			}
			f := Finding{Finding: memsync.Finding{Code: memsync.FindDuplicateID, Severity: bad, Path: r.Path,
				Message: "this id is that of " + nameOf(holder.Path), Hint: "take the line out of the copy; a new id is drawn"}, About: string(id)}
			at, _ := r.place("id")
			f.put(at)
			if sure && r.id.End > 0 {
				f.Fix = &Fix{"take the id line out", []Edit{r.id}}
			}
			j.find(f)
		}
	}
}

// numberedCopy reports whether a file is the copy, by its number, of one of
// the others.
func numberedCopy(r *Report, others []*Report) bool {
	base, ok := format.NumberedCopy(r.Path.Base())
	return ok && slices.ContainsFunc(others, func(o *Report) bool { return o.Path == r.Path.Dir().Join(base) })
}

// sameNames finds paths that some file system takes for one. It is told once,
// about the one that sorts later; about the one that is judged, where the other
// is not.
func (j *join) sameNames() {
	first := make(map[string]memsync.Path, len(j.Reports))
	for _, r := range j.Reports { // by path
		if !r.class() {
			continue
		}
		key := format.CollisionKey(r.Path)
		if other, taken := first[key]; taken {
			j.collision(r.Path, other)
			continue
		}
		first[key] = r.Path
	}
	if !j.Partial {
		return
	}
	for p := range j.Known {
		key := string(p)
		if !smallASCII(p) {
			key = format.CollisionKey(p)
		}
		if mine, taken := first[key]; taken && mine != p && j.byPath[p] == nil && j.couldBe(p) {
			j.collision(mine, p)
		}
	}
}

func (j *join) collision(p, other memsync.Path) {
	j.find(Finding{Finding: memsync.Finding{Code: memsync.FindNameCollision, Severity: bad, Path: p, Line: 1, Column: 1,
		Message: "on macOS and Windows this is the same file as " + nameOf(other), Hint: "rename one of them"}, About: string(other)})
}

// smallASCII reports whether a path is its own CollisionKey: no capitals, no
// letters beyond ASCII.
func smallASCII(p memsync.Path) bool {
	for i := range len(p) {
		if c := p[i]; c >= 0x80 || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// group calls f with the memories of one scope that share a key, each group by
// path.
func (j *join) group(key func(*memsync.Memory) string, f func([]*memsync.Memory)) {
	type in struct{ scope, key string }
	first := make(map[in]*memsync.Memory, j.view.Len())
	by := map[in][]*memsync.Memory{} // those that have company
	for m := range j.view.All() {
		k := in{m.Scope, key(m)}
		if k.key == "" || m.Kind != memsync.KindMemory {
			continue
		}
		switch one := first[k]; {
		case one == nil:
			first[k] = m
		case by[k] == nil:
			by[k] = []*memsync.Memory{one, m}
		default:
			by[k] = append(by[k], m)
		}
	}
	for _, list := range by {
		f(list)
	}
}

// at is a finding about a memory, at a key of its file or at its beginning.
func (j *join) at(m *memsync.Memory, key string, f memsync.Finding, about string) Finding {
	f.Path = m.Path
	out := Finding{Finding: f, About: about}
	out.Line, out.Column = 1, 1
	if r := j.byPath[m.Path]; r != nil {
		if p, ok := r.place(key); ok {
			out.put(p)
		}
	}
	return out
}

func (j *join) sameSlugs() {
	j.group(func(m *memsync.Memory) string {
		if m.Slug == "" {
			return ""
		}
		return string(m.Type) + "\x00" + m.Slug
	}, func(list []*memsync.Memory) {
		for _, m := range list[1:] {
			if format.CollisionKey(m.Path) == format.CollisionKey(list[0].Path) {
				continue // said already, and worse
			}
			j.find(j.at(m, "", memsync.Finding{Code: memsync.FindSlugCollision, Severity: warn,
				Message: "type and name are those of " + nameOf(list[0].Path) + "; they are two memories", Hint: "rename one of them"}, string(list[0].Path)))
		}
	})
}

func (j *join) sameTexts() {
	j.group(func(m *memsync.Memory) string { return string(m.BodyKey) }, func(list []*memsync.Memory) {
		for _, m := range list[1:] {
			j.find(j.at(m, "", memsync.Finding{Code: memsync.FindSameText, Severity: info,
				Message: "the same text stands in " + nameOf(list[0].Path), Hint: "keep one of them"}, string(list[0].Path)))
		}
	})
}

func (j *join) sameKeys() {
	j.group(func(m *memsync.Memory) string { return m.Key }, func(list []*memsync.Memory) {
		for _, m := range list[1:] {
			j.find(j.at(m, "key", memsync.Finding{Code: SameKey, Severity: warn,
				Message: "this key is that of " + nameOf(list[0].Path) + ": the same key is the same fact", Hint: "make one memory of them, or give one another key"}, string(list[0].Path)))
		}
	})
}

// aliases finds aliases that are another memory's id or alias.
func (j *join) aliases() {
	ids := map[string]*memsync.Memory{}
	for m := range j.view.All() {
		if m.ID != "" {
			ids[string(m.ID)] = m
		}
	}
	first := map[string]*memsync.Memory{}
	for m := range j.view.All() {
		for _, a := range m.Aliases {
			key := strings.ToUpper(a)
			other := ids[key]
			if other == nil || other.ID == m.ID {
				if other = first[m.Scope+"\x00"+a]; other == nil {
					first[m.Scope+"\x00"+a] = m
				}
			}
			if other == nil || other == m || other.ID != "" && other.ID == m.ID {
				continue
			}
			j.find(j.at(m, "aliases", memsync.Finding{Code: AliasCollision, Severity: warn,
				Message: fmt.Sprintf("%q means %s, too: who asks for it may get the other", format.OneLine(a, 80), nameOf(other.Path)),
				Hint:    "take it out of one of them"}, a))
		}
	}
}

// untyped makes one finding a scope of the files that name no type. A word that
// is none of the four is each file's own: it may be a slip.
func (j *join) untyped() {
	by := map[string][]*Report{}
	for _, r := range j.Reports {
		if i := untypedAt(r.Findings); i >= 0 && r.Memory != nil && r.Memory.TypeText == "" {
			by[r.scope.Name()] = append(by[r.scope.Name()], r)
		}
	}
	for _, list := range by {
		slices.SortFunc(list, func(a, b *Report) int { return cmp.Compare(a.Path, b.Path) })
		for i, r := range list {
			at := untypedAt(r.Findings)
			if i > 0 {
				r.Findings = slices.Delete(slices.Clone(r.Findings), at, at+1)
			} else if n := len(list) - 1; n > 0 {
				r.Findings = slices.Clone(r.Findings)
				r.Findings[at].Message += "; so " + map[bool]string{true: "is ", false: "are "}[n == 1] + count(n, "other memory", "other memories") + " of the scope"
			}
		}
	}
}

func untypedAt(findings []Finding) int {
	return slices.IndexFunc(findings, func(f Finding) bool { return f.Code == memsync.FindUntyped })
}

// directories finds directories that make git slow.
func (j *join) directories() {
	in := map[memsync.Path]int{}
	for _, r := range j.Reports {
		if r.class() {
			in[r.Path.Dir()]++
		}
	}
	for dir, n := range in {
		if n > largeDirectory {
			j.find(Finding{Finding: memsync.Finding{Code: LargeDirectory, Severity: info, Path: dir,
				Message: fmt.Sprintf("%d memories in one directory make every commit slow", n), Hint: "move them into folders: they mean nothing to identity"}})
		}
	}
}

// links judges where memories point.
func (j *join) links() {
	if j.Partial {
		return
	}
	var names *format.Names // made when the first link asks
	for _, r := range j.Reports {
		if len(r.links) == 0 && (r.Memory == nil || r.Memory.Supersedes == "") {
			continue
		}
		if names == nil {
			names = format.NewNames(j.view.All())
		}
		told := map[string]bool{}
		for _, l := range r.links {
			if told[l.target] {
				continue
			}
			told[l.target] = true
			j.link(r, l, names)
		}
		if r.Memory == nil || r.Memory.Supersedes == "" {
			continue
		}
		id := r.Memory.Supersedes
		switch _, forgotten := j.state.Forgotten(id); {
		case id == r.Memory.ID:
			j.find(j.at(r.Memory, "supersedes", memsync.Finding{Code: DanglingSupersedes, Severity: warn, Message: "it says that it replaces itself", Hint: "name the memory that it replaces, or take the line out"}, string(id)))
		case len(j.view.ByID(id)) == 0 && len(j.state.Events(id)) == 0 && !forgotten:
			j.find(j.at(r.Memory, "supersedes", memsync.Finding{Code: DanglingSupersedes, Severity: warn, Message: "no memory has or had the id that it says it replaces",
				Hint: "correct the id, or take the line out"}, string(id)))
		}
	}
}

func (j *join) link(r *Report, l link, names *format.Names) {
	f := Finding{Finding: memsync.Finding{Path: r.Path}, About: l.target}
	f.put(l.at)
	target := "[[" + format.OneLine(scan.MaskText(string(r.Path), l.target, hiding{state: j.state}.allowed(r.Path)), 80) + "]]" // before it is cut
	var same []*memsync.Memory
	for _, m := range names.Resolve(l.target) {
		if s, ok := j.view.Scope(m.Scope); ok && reaches(r.scope, s) {
			same = append(same, m)
		}
	}
	id, err := memsync.ParseID(l.target)
	if err == nil {
		target = "the id " + string(id)
	}
	switch {
	case len(same) > 1:
		f.Code, f.Severity = AmbiguousLink, info
		f.Message = fmt.Sprintf("%s may mean %s", target, some(memoryPaths(same), 3))
		f.Hint = "link by file name or id"
	case len(same) == 1:
		return
	case err == nil && len(j.state.Events(id)) > 0:
		return // gone, and the ledger says how
	default:
		f.Code, f.Severity = DanglingLink, warn
		f.Message = target + " leads to no memory"
		f.Hint = "correct the name, or write the memory"
	}
	j.find(f)
}

// reaches reports whether a memory of a scope may mean one of another: what is
// more general, or its own.
func reaches(from, to memsync.Scope) bool {
	return from.Is(to.Name()) || to.Rank() >= from.Rank()
}

func memoryPaths(list []*memsync.Memory) []string {
	out := make([]string, len(list))
	for i, m := range list {
		out[i] = nameOf(m.Path)
	}
	return out
}
