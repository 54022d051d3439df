package checkout_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memsync"
	"memsync/controller"
	"memsync/internal/checkout"
	"memsync/internal/examples"
	"memsync/internal/format"
	"memsync/internal/ledger"
	"memsync/internal/store"
	"memsync/lint"
)

func TestMain(m *testing.M) {
	for _, e := range examples.Env() {
		name, value, _ := strings.Cut(e, "=")
		os.Setenv(name, value)
	}
	os.Exit(m.Run())
}

// fixture is a case of a page, laid out.
type fixture struct {
	page  lint.Page
	c     lint.Case
	x     *examples.Example
	dir   string
	store *store.Store
}

// eachFixture lays every case of every page out and calls f with it, several at
// a time. A case whose names this file system can't hold is judged where one can.
func eachFixture(t *testing.T, f func(t *testing.T, x *fixture)) {
	for _, r := range lint.Rules() {
		page, err := lint.PageOf(r)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, c := range page.Cases {
			t.Run(r.Code+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				x, err := examples.Of(c)
				if err != nil {
					t.Fatal(err)
				}
				dir := t.TempDir()
				if err := x.Lay(dir); errors.Is(err, examples.ErrNames) {
					return
				} else if err != nil {
					t.Fatal(err)
				}
				s, err := store.Find(dir)
				if err != nil {
					t.Fatal(err)
				}
				if s.PolicyErr != nil {
					t.Fatal(s.PolicyErr)
				}
				f(t, &fixture{page, c, x, dir, s})
			})
		}
	}
}

// today is the day on which the pages are read.
var today = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

func (x *fixture) judge(t *testing.T, opt checkout.Options) []lint.Finding {
	t.Helper()
	opt.Now = today
	judged, err := checkout.Judge(t.Context(), x.store, opt)
	if err != nil {
		t.Fatal(err)
	}
	judged.Close()
	return judged.Findings
}

// onlyStaged are the codes that are facts of git's index and of nothing else.
var onlyStaged = []string{lint.Unmerged}

// onlyDisk are the codes of what no index holds: a file that git ignores.
var onlyDisk = []string{lint.Ignored}

// TestFixtures holds every rule to its page: in a bad case it finds something,
// in a good one nothing, and no rule finds an error or a warning in a good one.
// What it fixes stays fixed. The verdict is one and the same whether the bytes come from the working tree,
// from git's index or from standard input.
func TestFixtures(t *testing.T) {
	eachFixture(t, func(t *testing.T, x *fixture) {
		tree := x.judge(t, checkout.Options{})
		staged := x.judge(t, checkout.Options{Staged: true})
		if !x.page.Write {
			x.hold(t, tree, staged)
		}
		x.sameStaged(t, tree, staged)
		x.partOf(t, staged)
		x.sameOverlay(t, tree)
		x.sameFixed(t, tree)
	})
}

func (x *fixture) hold(t *testing.T, tree, staged []lint.Finding) {
	told := tree
	if slices.Contains(onlyStaged, x.page.Code) {
		told = staged
	}
	found := slices.ContainsFunc(told, func(f lint.Finding) bool { return f.Code == x.page.Code })
	if found != x.c.Bad() {
		t.Errorf("%s is found: %v\n%s", x.page.Code, found, list(told))
	}
	if x.c.Bad() {
		return
	}
	for _, f := range slices.Concat(tree, staged) {
		if f.Code == x.page.Code || lint.AtLeast(f.Severity, memsync.Warning) {
			t.Errorf("in a good case:\n%s", list([]lint.Finding{f}))
		}
	}
}

// sameStaged compares what the index says with what the working tree says about
// the files in which the index differs from HEAD. What is about a directory is
// told by the working tree alone, and what lies in a repository of its own is
// not in the index.
func (x *fixture) sameStaged(t *testing.T, tree, staged []lint.Finding) {
	paths, err := examples.Staged(x.dir)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[memsync.Path]bool{}
	for p := range paths {
		shown[p], shown[showPath(p)] = true, true
	}
	tree = slices.DeleteFunc(slices.Clone(tree), func(f lint.Finding) bool {
		if slices.ContainsFunc(x.x.Repositories, func(p memsync.Path) bool { return f.Path.In(p) && f.Path != p }) || slices.Contains(onlyDisk, f.Code) {
			return true
		}
		if f.Code == memsync.FindIndexDrift && f.About == "" { // of all that the scope should list
			for p := range shown {
				if p.In(f.Path.Dir()) {
					return false
				}
			}
		}
		return !shown[f.Path] && !(f.About != "" && shown[memsync.Path(f.About)])
	})
	staged = slices.DeleteFunc(slices.Clone(staged), func(f lint.Finding) bool { return slices.Contains(onlyStaged, f.Code) })
	if a, b := list(tree), list(staged); a != b {
		t.Errorf("the working tree says\n%sthe index says\n%s", a, b)
	}
}

// partOf holds a look at what is staged alone to a look at the whole index: it
// finds less, and nothing else; what to do is another thing before a commit. Where it looks at few files, it says so by another
// word: a memory that MEMORY.md lists twice is only then told of in a generated
// list.
func (x *fixture) partOf(t *testing.T, staged []lint.Finding) {
	whole := map[string]bool{}
	for _, f := range staged {
		f.Hint = ""
		whole[list([]lint.Finding{f})] = true
	}
	for _, f := range x.judge(t, checkout.Options{Staged: true, Partial: true}) {
		f.Hint = ""
		if one := list([]lint.Finding{f}); !whole[one] && f.Code != lint.ListedTwice {
			t.Errorf("only a look at a part says\n%s", one)
		}
	}
}

// overlays is how many files of a case are judged as standard input. Some cases
// have a thousand that are alike: of these one will do.
func (x *fixture) overlays() int {
	if len(x.x.Files) > 100 {
		return 1
	}
	return 6
}

// sameOverlay judges Markdown as an editor has it before it is saved: what is on
// disk is other text. Ledgers, memsync.toml and .gitattributes are always read
// from disk, the last by git's own rules.
func (x *fixture) sameOverlay(t *testing.T, tree []lint.Finding) {
	n := 0
	for _, f := range x.x.Files {
		if f.Link || !strings.HasSuffix(string(f.Path), ".md") || n == x.overlays() ||
			slices.ContainsFunc(x.x.Repositories, func(p memsync.Path) bool { return f.Path.In(p) }) ||
			slices.ContainsFunc(tree, func(have lint.Finding) bool { return have.Code == lint.Ignored }) {
			continue
		}
		n++
		full := filepath.Join(x.dir, filepath.FromSlash(string(f.Path)))
		if err := os.WriteFile(full, []byte("What the disk still has.\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		got := x.judge(t, checkout.Options{Overlay: map[memsync.Path][]byte{f.Path: f.Data}})
		if err := os.WriteFile(full, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
		here := func(list []lint.Finding) []lint.Finding {
			return slices.DeleteFunc(slices.Clone(list), func(have lint.Finding) bool { return have.Path != f.Path && have.Path != showPath(f.Path) })
		}
		if a, b := list(here(tree)), list(here(got)); a != b {
			t.Errorf("%q: the working tree says\n%sstandard input says\n%s", f.Path, a, b)
		}
	}
}

// list is what two judgements are compared by.
func list(findings []lint.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "  %q:%d:%d-%d:%d %s %s %q (%q)\n", f.Path, f.Line, f.Column, f.EndLine, f.EndColumn, f.Severity, f.Code, f.Message, f.Hint)
	}
	return b.String()
}

// sameFixed is law 7: a fix changes the bytes of its edits and no others, what it
// leads to reads as what was there, and what is fixed once is not found again.
func (x *fixture) sameFixed(t *testing.T, tree []lint.Finding) {
	fixed := map[memsync.Path][]byte{}
	for p, findings := range byFile(tree) {
		full := filepath.Join(x.dir, filepath.FromSlash(string(p)))
		data, err := os.ReadFile(full)
		if err != nil {
			continue // a directory, or a name that is not shown
		}
		out, applied := lint.Apply(data, findings)
		if len(applied) == 0 {
			if !bytes.Equal(out, data) {
				t.Errorf("%s: nothing was applied, and it changed", p)
			}
			continue
		}
		checkEdits(t, p, data, out, applied)
		x.sameMeaning(t, p, data, out, applied)
		if err := os.WriteFile(full, out, 0o644); err != nil {
			t.Fatal(err)
		}
		fixed[p] = out
	}
	if len(fixed) == 0 {
		return
	}
	for p, findings := range byFile(x.judge(t, checkout.Options{})) {
		if out, applied := lint.Apply(fixed[p], findings); fixed[p] != nil && len(applied) > 0 {
			t.Errorf("%s: the second time changes it again\n%s%q", p, list(applied), out)
		}
	}
}

func byFile(findings []lint.Finding) map[memsync.Path][]lint.Finding {
	by := map[memsync.Path][]lint.Finding{}
	for _, f := range findings {
		by[f.Path] = append(by[f.Path], f)
	}
	return by
}

// checkEdits holds what changed to the edits: everything between them stays, in
// its order.
func checkEdits(t *testing.T, p memsync.Path, data, out []byte, applied []lint.Finding) {
	var edits []lint.Edit
	for _, f := range applied {
		edits = append(edits, f.Fix.Edits...)
		if f.Code == memsync.FindFrontmatterRecovered && (len(f.Fix.Edits) != 1 || offset(data, f.Line, f.Column) != f.Fix.Edits[0].Start || offset(data, f.EndLine, f.EndColumn) != f.Fix.Edits[0].End) {
			t.Errorf("%s: the edit of %s is not at its place: %v", p, f.Code, f)
		}
		if f.Fix.Message == "" || len(f.Fix.Edits) == 0 {
			t.Errorf("%s: %s has a fix that says or does nothing", p, f.Code)
		}
	}
	slices.SortStableFunc(edits, func(a, b lint.Edit) int { return a.Start - b.Start })
	want, last := []byte(nil), 0
	for _, e := range edits {
		if e.Start < last || e.End > len(data) {
			t.Fatalf("%s: edits overlap or leave the file: %v", p, edits)
		}
		want = append(append(want, data[last:e.Start]...), e.Text...)
		last = e.End
	}
	if want = append(want, data[last:]...); !bytes.Equal(want, out) {
		t.Errorf("%s: bytes outside the edits changed", p)
	}
}

// offset is where a line and column are.
func offset(data []byte, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		at += bytes.IndexByte(data[at:], '\n') + 1
	}
	return at + column - 1
}

// sameMeaning reads a memory before and after its fixes. Its hash and size
// differ, and its id where that was the fault.
func (x *fixture) sameMeaning(t *testing.T, p memsync.Path, before, after []byte, applied []lint.Finding) {
	scope, inScope := memsync.ScopeOf(x.store.Scopes, p)
	a, err := format.Parse(before, x.store.Policy.Limits)
	if err != nil || !inScope {
		return
	}
	b, err := format.Parse(after, x.store.Policy.Limits)
	if err != nil {
		t.Fatalf("%s does not parse any more: %v", p, err)
	}
	m, n := format.Describe(a, p, scope), format.Describe(b, p, scope)
	n.Hash, n.Size = m.Hash, m.Size
	if slices.ContainsFunc(applied, func(f lint.Finding) bool { return f.Code == memsync.FindDuplicateID }) {
		n.ID, n.Inline = m.ID, m.Inline
	}
	if one, other := fmt.Sprintf("%+v", *m), fmt.Sprintf("%+v", *n); one != other {
		t.Errorf("%s reads as another memory:\n%s\n%s", p, one, other)
	}
}

// showPath is a path as findings show it.
func showPath(p memsync.Path) memsync.Path { return controller.ShownPath(p, ledger.Fold(nil)) }

// lay makes a store of one file, as HEAD, the index and the disk have it; ""
// is no file.
func lay(t *testing.T, head, staged, disk string) *fixture {
	t.Helper()
	const name = "memory/user_trip.md"
	c := lint.Case{Name: "one", Files: []lint.ExampleFile{{Path: "memory/user_home.md", Text: home}, {Path: "memory/user_home.md", Note: "head", Text: home}}}
	if head != "" {
		c.Files = append(c.Files, lint.ExampleFile{Path: name, Note: "head", Text: head})
	}
	if staged != "" {
		c.Files = append(c.Files, lint.ExampleFile{Path: name, Text: staged})
	}
	x, err := examples.Of(c)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := x.Lay(dir); err != nil {
		t.Fatal(err)
	}
	full := filepath.Join(dir, filepath.FromSlash(name))
	if disk == "" {
		err = os.RemoveAll(full)
	} else {
		err = os.WriteFile(full, []byte(disk), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{c: c, x: x, dir: dir, store: s}
}

const (
	home = "---\nname: Home\ndescription: Where it is\ntype: user\n---\nBy the sea.\n"
	fine = "---\nname: Trip\ndescription: When the flight leaves\ntype: user\n---\nAt nine.\n"
	poor = "---\nname: [\n---\nAt nine.\n"
)

// TestPartlyStaged is Q72: what is staged is judged, whatever the disk has.
func TestPartlyStaged(t *testing.T) {
	for _, c := range []struct {
		name, head, staged, disk string
		tree, index              int
	}{
		{"both fine", "", fine, fine, 0, 0},
		{"poor on disk", "", fine, poor, 1, 0},
		{"poor in the index", "", poor, fine, 0, 1},
		{"both poor", "", poor, poor, 1, 1},
		{"poor in the index, gone from disk", "", poor, "", 0, 1},
		{"poor at HEAD and unchanged", poor, poor, poor, 1, 0},
		{"poor at HEAD, mended", poor, fine, fine, 0, 0},
		{"removed", poor, "", "", 0, 0},
		{"not staged", "", "", poor, 1, 0},
	} {
		x := lay(t, c.head, c.staged, c.disk)
		tree, index := x.judge(t, checkout.Options{}), x.judge(t, checkout.Options{Staged: true})
		if len(tree) != c.tree || len(index) != c.index {
			t.Errorf("%s: the working tree says\n%sthe index says\n%s", c.name, list(tree), list(index))
		}
		part := x.judge(t, checkout.Options{Staged: true, Partial: true})
		if list(part) != list(index) {
			t.Errorf("%s: with a look at what is staged alone\n%s", c.name, list(part))
		}
	}
}

// TestSince: what is as it was at a revision is not told, however large.
func TestSince(t *testing.T) {
	large := strings.Repeat("fifteen bytes.\n", 70000)
	for _, c := range []struct {
		name, head, disk string
		want             int
	}{
		{"unchanged", poor, poor, 0},
		{"changed", fine, poor, 1},
		{"large and unchanged", large, large, 0},
		{"large and changed", large, large + "x", 1},
	} {
		x := lay(t, c.head, c.head, c.disk)
		if got := x.judge(t, checkout.Options{Since: "HEAD"}); len(got) != c.want {
			t.Errorf("%s:\n%s", c.name, list(got))
		}
	}
}
