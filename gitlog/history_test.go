package gitlog

import (
	"crypto/sha256"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"memsync"
)

// modelCommit is a commit of a drawn history; what git makes of it is compared
// with what can be read off the model.
type modelCommit struct {
	parents   []int
	files     map[string]string
	authored  int64
	committed int64
	at        string // Memory-At, "" for none
	id        string
}

type model struct{ commits []*modelCommit }

var modelPaths = []string{"a.md", "b.md", "d/a.md", "d/e/c.md", "d.md"}

// drawModel draws a history with merges, clocks that go wrong, and paths that
// come, go and come back. The last commit is HEAD.
func drawModel(t *rapid.T) *model {
	m := &model{}
	n := rapid.IntRange(1, 14).Draw(t, "commits")
	clock := int64(1_700_000_000)
	for i := range n {
		c := &modelCommit{files: map[string]string{}}
		if i > 0 {
			c.parents = []int{i - 1}
			if rapid.IntRange(0, 3).Draw(t, "fork") == 0 {
				c.parents[0] = rapid.IntRange(0, i-1).Draw(t, "parent")
			}
			if rapid.IntRange(0, 3).Draw(t, "merge") == 0 {
				if p := rapid.IntRange(0, i-1).Draw(t, "second"); p != c.parents[0] {
					c.parents = append(c.parents, p)
				}
			}
			for p, text := range m.commits[c.parents[0]].files {
				c.files[p] = text
			}
			if len(c.parents) > 1 {
				for p, text := range m.commits[c.parents[1]].files {
					if rapid.Bool().Draw(t, "take") {
						c.files[p] = text
					}
				}
			}
		}
		for range rapid.IntRange(0, 2).Draw(t, "edits") {
			p := rapid.SampledFrom(modelPaths).Draw(t, "path")
			if rapid.IntRange(0, 2).Draw(t, "drop") == 0 {
				delete(c.files, p)
			} else {
				c.files[p] = rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "text")
			}
		}
		clock += rapid.Int64Range(-50, 100).Draw(t, "tick")
		c.authored = clock - rapid.Int64Range(0, 60).Draw(t, "author lag")
		c.committed = clock
		if rapid.IntRange(0, 2).Draw(t, "trailer") > 0 {
			c.at = time.Unix(clock-rapid.Int64Range(0, 90).Draw(t, "at lag"), 0).UTC().Format(time.RFC3339)
		}
		m.commits = append(m.commits, c)
	}
	return m
}

// store writes the model into a repository as refs/heads/<branch> and puts
// HEAD there. prefix is where the store lies.
func (m *model) store(s *scene, branch, prefix string) {
	s.t.Helper()
	var b strings.Builder
	for i, c := range m.commits {
		message := fmt.Sprintf("commit %d", i)
		if c.at != "" {
			message += "\n\nMemory-Op: update\nMemory-At: " + c.at
		}
		fmt.Fprintf(&b, "commit refs/heads/%s\nmark :%d\nauthor A <a@b> %d +0000\ncommitter C <c@d> %d +0000\ndata %d\n%s\n", branch, i+1, c.authored, c.committed, len(message), message)
		for j, p := range c.parents {
			if j == 0 {
				fmt.Fprintf(&b, "from :%d\n", p+1)
			} else {
				fmt.Fprintf(&b, "merge :%d\n", p+1)
			}
		}
		b.WriteString("deleteall\nM 100644 inline outside.txt\ndata 1\nx\n")
		for p, text := range c.files {
			fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n%s\n", filepath.ToSlash(filepath.Join(prefix, p)), len(text), text)
		}
	}
	marks := filepath.Join(s.top, ".git", "marks-"+branch)
	cmd := exec.Command(s.bin, "fast-import", "--quiet", "--force", "--export-marks="+marks)
	cmd.Dir, cmd.Env, cmd.Stdin = s.top, s.env, strings.NewReader(b.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("fast-import: %v %s", err, out)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(readSmall(marks))), "\n") {
		var mark int
		var id string
		if _, err := fmt.Sscanf(line, ":%d %s", &mark, &id); err != nil {
			s.t.Fatal(line, err)
		}
		m.commits[mark-1].id = id
	}
	s.git("symbolic-ref", "HEAD", "refs/heads/"+branch)
}

func (m *model) head() int { return len(m.commits) - 1 }

// reachable marks the ancestors of a commit, itself included.
func (m *model) reachable(from int) []bool {
	seen := make([]bool, len(m.commits))
	seen[from] = true
	for i := from; i >= 0; i-- {
		if seen[i] {
			for _, p := range m.commits[i].parents {
				seen[p] = true
			}
		}
	}
	return seen
}

// differs: the file is that of no parent (made by this commit).
func (m *model) differs(i int, path string) bool {
	c := m.commits[i]
	text, ok := c.files[path]
	for _, p := range c.parents {
		if was, had := m.commits[p].files[path]; had == ok && was == text {
			return false
		}
	}
	return len(c.parents) > 0 || ok
}

func (m *model) blob(r *Repo, i int, path string) string {
	text, ok := m.commits[i].files[path]
	if !ok {
		return ""
	}
	return r.BlobID([]byte(text))
}

func (c *modelCommit) time() time.Time {
	if c.at != "" {
		t, _ := time.Parse(time.RFC3339, c.at)
		return t
	}
	return time.Unix(c.committed, 0)
}

// line marks the commits from which a path exists without interruption up to
// HEAD, and those where it is still gone after its end.
func (m *model) line(path string) (present, absent []bool) {
	present, absent = make([]bool, len(m.commits)), make([]bool, len(m.commits))
	if _, ok := m.commits[m.head()].files[path]; ok {
		present[m.head()] = true
	} else {
		absent[m.head()] = true
	}
	for i := m.head(); i >= 0; i-- {
		for _, p := range m.commits[i].parents {
			_, has := m.commits[p].files[path]
			if present[i] && has {
				present[p] = true
			}
			if absent[i] {
				if has {
					present[p] = true
				} else {
					absent[p] = true
				}
			}
		}
	}
	return present, absent
}

// derivedID is the sentence of the design, read off the model.
func (m *model) derivedID(r *Repo, path string) memsync.ID {
	if _, ok := m.commits[m.head()].files[path]; !ok {
		return ""
	}
	present, _ := m.line(path)
	best := -1
	for i, c := range m.commits {
		if !present[i] {
			continue
		}
		begins := true
		for _, p := range c.parents {
			if _, has := m.commits[p].files[path]; has {
				begins = false
			}
		}
		if !begins {
			continue
		}
		if best < 0 || c.authored < m.commits[best].authored || c.authored == m.commits[best].authored && c.id < m.commits[best].id {
			best = i
		}
	}
	sum := sha256.Sum256([]byte(path + "\x00" + m.blob(r, best, path)))
	return memsync.MakeID(time.Unix(m.commits[best].authored, 0), [10]byte(sum[:10]))
}

func TestHistoryModel(t *testing.T) {
	for _, prefix := range []string{"", "sub/store"} {
		t.Run("prefix "+prefix, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.open(filepath.FromSlash(prefix))
			n, few := 0, sparingly(40)
			rapid.Check(t, func(rt *rapid.T) {
				if few() {
					return
				}
				m := drawModel(rt)
				n++
				m.store(s, fmt.Sprintf("h%d", n), prefix)
				checkModel(rt, s, m)
			})
		})
	}
}

func checkModel(t *rapid.T, s *scene, m *model) {
	r := s.repo
	var paths []memsync.Path
	for _, p := range modelPaths {
		paths = append(paths, memsync.Path(p))
	}
	// Derived ids, all paths in one walk.
	ids, shallow, err := r.DerivedIDs(append(paths, "not/there.md"))
	if err != nil || len(shallow) > 0 {
		t.Fatal(shallow, err)
	}
	for _, p := range modelPaths {
		if want := m.derivedID(r, p); ids[memsync.Path(p)] != want {
			t.Errorf("derived id of %s is %q, want %q", p, ids[memsync.Path(p)], want)
		}
	}
	reach := m.reachable(m.head())
	index := map[string]int{}
	for i, c := range m.commits {
		index[c.id] = i
	}
	// Log of one path: exactly the commits of its line that made a version,
	// children before parents unless clocks disagree, each with its blobs.
	for _, p := range modelPaths {
		versions, err := r.Log(LogQuery{Paths: []memsync.Path{memsync.Path(p)}})
		if err != nil {
			t.Fatal(err)
		}
		present, absent := m.line(p)
		want := map[int]bool{}
		for i := range m.commits {
			if (present[i] || absent[i]) && m.differs(i, p) {
				want[i] = true
			}
		}
		got := map[int]bool{}
		for _, v := range versions {
			i := index[v.Commit]
			if got[i] {
				t.Errorf("%s: commit %d is listed twice", p, i)
			}
			got[i] = true
			from := ""
			if ps := m.commits[i].parents; len(ps) > 0 {
				from = m.blob(r, ps[0], p)
			}
			if len(v.Changes) != 1 || v.Changes[0] != (TreeChange{memsync.Path(p), from, m.blob(r, i, p)}) {
				t.Errorf("%s: commit %d changes %v", p, i, v.Changes)
			}
			if !v.At.Equal(m.commits[i].time()) || v.Subject != fmt.Sprintf("commit %d", i) {
				t.Errorf("%+v", v)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: log has %v, want %v", p, got, want)
		}
		// Pages make the whole.
		var paged []Version
		after := ""
		for {
			page, err := r.Log(LogQuery{Paths: []memsync.Path{memsync.Path(p)}, Limit: 2, After: after})
			if err != nil {
				t.Fatal(err)
			}
			paged = append(paged, page...)
			if len(page) < 2 {
				break
			}
			after = page[len(page)-1].Commit
		}
		if fmt.Sprint(paged) != fmt.Sprint(versions) {
			t.Errorf("%s: pages %v, whole %v", p, paged, versions)
		}
	}
	// Log of everything.
	all, err := r.Log(LogQuery{})
	if err != nil {
		t.Fatal(err)
	}
	listed := map[int]bool{}
	for _, v := range all {
		listed[index[v.Commit]] = true
	}
	for i := range m.commits {
		made := len(m.commits[i].parents) == 0 && r.prefix == "" // outside.txt
		for _, p := range modelPaths {
			made = made || m.differs(i, p)
		}
		if listed[i] != (made && reach[i]) {
			t.Errorf("commit %d listed: %v, made a version: %v, reachable: %v", i, listed[i], made, reach[i])
		}
	}
	// Times: the newest version not later, per path, and for all at once.
	for _, c := range m.commits {
		at := c.time()
		files, err := r.FilesAt(at)
		if err != nil {
			t.Fatal(err)
		}
		byPath := map[memsync.Path]FileVersion{}
		for _, f := range files {
			byPath[f.Path] = f
		}
		for _, p := range modelPaths {
			var newest time.Time
			candidates := map[string]bool{}
			for i := range m.commits {
				if !reach[i] || !m.differs(i, p) || m.commits[i].time().After(at) {
					continue
				}
				if tm := m.commits[i].time(); tm.After(newest) {
					newest, candidates = tm, map[string]bool{}
				}
				if m.commits[i].time().Equal(newest) {
					candidates[m.blob(r, i, p)] = true
				}
			}
			v, blob, err := r.VersionAt(memsync.Path(p), at)
			if len(candidates) == 0 {
				if memsync.CodeOf(err) != memsync.CodeNotFound {
					t.Errorf("%s at %s: %v, want not found", p, at, err)
				}
				continue
			}
			if err != nil || !candidates[blob] || !v.At.Equal(newest) {
				t.Errorf("%s at %s is %q (%v, %v), want one of %v", p, at, blob, v.At, err, candidates)
			}
			if byPath[memsync.Path(p)].Blob != blob {
				t.Errorf("%s at %s: FilesAt has %v, VersionAt %q", p, at, byPath[memsync.Path(p)], blob)
			}
		}
	}
	// Ancestors, names, trees and differences.
	a := rapid.IntRange(0, m.head()).Draw(t, "a")
	b := rapid.IntRange(0, m.head()).Draw(t, "b")
	if yes, err := r.IsAncestor(m.commits[a].id, m.commits[b].id); err != nil || yes != m.reachable(b)[a] {
		t.Errorf("IsAncestor(%d, %d) is %v, %v", a, b, yes, err)
	}
	got, err := r.Diff(m.commits[a].id, m.commits[b].id)
	if err != nil {
		t.Fatal(err)
	}
	want := map[memsync.Path]TreeChange{}
	for _, p := range modelPaths {
		if from, to := m.blob(r, a, p), m.blob(r, b, p); from != to {
			want[memsync.Path(p)] = TreeChange{memsync.Path(p), from, to}
		}
	}
	for _, c := range got {
		if c.Path == "outside.txt" {
			continue // in the store when the store is the top
		}
		if want[c.Path] != c {
			t.Errorf("Diff has %v, want %v", c, want[c.Path])
		}
		delete(want, c.Path)
	}
	if len(want) > 0 {
		t.Errorf("Diff lacks %v", want)
	}
}

func TestResolve(t *testing.T) {
	for _, noBinary := range []bool{false, true} {
		s := newScene(t)
		s.opt.NoBinary = noBinary
		s.open()
		one := s.must("a.md", "1").ID
		two := s.must("a.md", "2").ID
		s.git("tag", "-a", "-m", "tag", "v1", one)
		s.git("tag", "light", one)
		s.git("branch", "topic/x", one)
		s.git("update-ref", "refs/remotes/origin/main", one)
		s.git("switch", "-q", "topic/x")
		side := s.must("b.md", "b").ID
		s.git("switch", "-q", "main")
		s.git("merge", "-q", "-m", "merge", "topic/x")
		merge := s.git("rev-parse", "HEAD")
		for _, packed := range []bool{false, true} {
			if packed {
				s.git("gc", "-q")
			}
			for rev, want := range map[string]string{
				"": merge, "HEAD": merge, "@": merge, "main": merge, "refs/heads/main": merge, "heads/main": merge,
				"HEAD~": two, "HEAD^": two, "HEAD^2": side, "HEAD~2": one, "HEAD^^": one, "HEAD^2~1": one, "HEAD^0": merge, "HEAD~0": merge,
				"v1": one, "light": one, "tags/v1": one, "v1^{commit}": one, "topic/x": side, "origin/main": one,
				one: one, strings.ToUpper(one): one, one[:8]: one,
			} {
				if got, err := s.repo.Resolve(rev); err != nil || got != want {
					t.Errorf("no binary %v, packed %v: %q is %q, want %q (%v)", noBinary, packed, rev, got, want, err)
				}
			}
			for _, rev := range []string{"nope", "HEAD~9", "HEAD^3", "--all", "-n1", "..", "main..topic/x", ":/x", "HEAD:a.md", "\x00", "a\nb", strings.Repeat("0", 40), s.git("rev-parse", "HEAD:a.md")} {
				if got, err := s.repo.Resolve(rev); memsync.CodeOf(err) != memsync.CodeNotFound {
					t.Errorf("%q is %q, %v", rev, got, err)
				}
			}
			if !noBinary {
				if got, err := s.repo.Resolve("main@{0}"); err != nil || got != merge {
					t.Errorf("reflog: %q %v", got, err)
				}
			}
		}
		if _, err := s.repo.Blob("nonsense"); memsync.CodeOf(err) != memsync.CodeUsage {
			t.Errorf("%v", err)
		}
		if _, err := s.repo.Blob(strings.Repeat("1", 40)); memsync.CodeOf(err) != memsync.CodeGitCorrupt {
			t.Errorf("%v", err)
		}
		if _, err := s.repo.Blob(one); memsync.CodeOf(err) != memsync.CodeGitCorrupt {
			t.Errorf("a commit is no blob: %v", err)
		}
	}
}

// Behind a shallow boundary there is no derived id, and it says so; files that
// began above it have theirs.
func TestDerivedIDsShallow(t *testing.T) {
	s := newScene(t).open()
	s.must("old.md", "1")
	s.must("old.md", "2")
	s.must("new.md", "3")
	whole, _, err := s.repo.DerivedIDs([]memsync.Path{"old.md", "new.md"})
	if err != nil || len(whole) != 2 {
		t.Fatal(whole, err)
	}
	origin := s.top
	s.git("clone", "-q", "--depth=2", "file://"+origin, filepath.Join(filepath.Dir(origin), "clone"))
	s.top = filepath.Join(filepath.Dir(origin), "clone")
	s.open()
	ids, shallow, err := s.repo.DerivedIDs([]memsync.Path{"old.md", "new.md", "none.md"})
	if err != nil || !slices.Equal(shallow, []memsync.Path{"old.md"}) || len(ids) != 1 || ids["new.md"] != whole["new.md"] {
		t.Errorf("%v %v %v, the whole has %v", ids, shallow, err, whole)
	}
	if id := whole["new.md"]; !id.Time().Equal(s.when.Add(-time.Minute)) {
		t.Errorf("time of the id is %v", id.Time())
	}
}

// Two branches brought the same path at the same time: the smaller commit id
// decides, wherever the walk begins.
func TestDerivedIDTies(t *testing.T) {
	s := newScene(t).open()
	for n := range 6 { // six pairs of commit ids: both orders occur
		file := func(text string) map[string]string { return map[string]string{"a.md": text} }
		left, right := fmt.Sprint("left ", n), fmt.Sprint("right ", n)
		m := &model{commits: []*modelCommit{
			{files: map[string]string{}, committed: 1000},
			{parents: []int{0}, files: file(left), authored: 2000, committed: 2000},
			{parents: []int{0}, files: file(right), authored: 2000, committed: 2000},
			{parents: []int{1, 2}, files: file(left), authored: 3000, committed: 3000},
		}}
		m.store(s, fmt.Sprint("tie", n), "")
		ids, _, err := s.repo.DerivedIDs([]memsync.Path{"a.md"})
		if want := m.derivedID(s.repo, "a.md"); err != nil || ids["a.md"] != want {
			t.Errorf("%v %v, want %s", ids, err, want)
		}
	}
}

// The order of bytes is part of the contract between machines.
func TestDerivedIDGolden(t *testing.T) {
	s := newScene(t).open()
	s.must("memory/user_a.md", "one\n")
	s.must("memory/user_a.md", "two\n")
	ids, _, err := s.repo.DerivedIDs([]memsync.Path{"memory/user_a.md"})
	if err != nil {
		t.Fatal(err)
	}
	const want = memsync.ID("01KK3Z8GW0DQ8872NNH9SQ7WA9")
	if ids["memory/user_a.md"] != want {
		t.Errorf("derived id is %s, was %s", ids["memory/user_a.md"], want)
	}
}

func TestTrailers(t *testing.T) {
	cases := map[string]map[string][]string{
		"subject":                     nil,
		"subject\n\nbody":             nil,
		"s\n\nA: 1\nB: 2\nA: 3\n":     {"A": {"1", "3"}, "B": {"2"}},
		"s\n\nbody: x\n\nA: 1\n  2\n": {"A": {"1 2"}},
		"s\n\nA: 1\nno trailer":       nil,
		"s\n\nA: 1\n\nbody\n":         nil,
		"":                            nil,
	}
	for message, want := range cases {
		if got := trailersOf(message); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: %v, want %v", message, got, want)
		}
	}
}
