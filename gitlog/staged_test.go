package gitlog

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memsync"
)

// stagedBy is what git itself says of its index: the changes against HEAD, then
// the lines.
func (s *scene) stagedBy(indexFile string) (changes, lines []string) {
	s.t.Helper()
	if indexFile != "" {
		env := s.env
		s.env = append(slices.Clip(env), "GIT_INDEX_FILE="+indexFile)
		defer func() { s.env = env }()
	}
	base := "HEAD"
	if _, err := s.tryGit("rev-parse", "-q", "--verify", "HEAD"); err != nil {
		base = s.git("hash-object", "-t", "tree", "--stdin")
	}
	rel, err := filepath.Rel(s.top, s.root)
	if err != nil {
		s.t.Fatal(err)
	}
	f := strings.Split(s.git("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", base, "--", rel), "\x00")
	zero := s.repo.kind.zero()
	seen := map[string]bool{}
	for i := 0; i+1 < len(f); i += 2 {
		m := strings.Fields(strings.TrimPrefix(f[i], ":"))
		name := string(s.repo.rel(f[i+1]))
		if seen[name] { // an unmerged path is listed as U and as what differs
			continue
		}
		seen[name] = true
		if m[4] == "U" {
			changes = append(changes, "U "+name)
			continue
		}
		for j := 2; j < 4; j++ {
			if m[j] == zero {
				m[j] = ""
			}
		}
		changes = append(changes, fmt.Sprintf("%s %s [%s] [%s] %s", m[0], m[1], m[2], m[3], name))
	}
	for _, line := range strings.Split(strings.TrimSuffix(s.git("ls-files", "-s", "-z", "--full-name", "--", rel), "\x00"), "\x00") {
		if meta, name, ok := strings.Cut(line, "\t"); ok {
			lines = append(lines, meta+"\t"+string(s.repo.rel(name)))
		}
	}
	return changes, lines
}

// sameStaged: what is read here is what git says.
func (s *scene) sameStaged(indexFile string) *Staged {
	s.t.Helper()
	st, err := s.repo.Staged(indexFile)
	if err != nil {
		s.t.Fatal(err)
	}
	changes, err := st.Changes()
	if err != nil {
		s.t.Fatal(err)
	}
	var have, lines []string
	for _, c := range changes {
		if c.Unmerged {
			have = append(have, "U "+string(c.Path))
			continue
		}
		have = append(have, fmt.Sprintf("%06o %06o [%s] [%s] %s", c.FromMode, c.ToMode, c.From, c.To, c.Path))
	}
	for _, e := range st.Entries() {
		lines = append(lines, fmt.Sprintf("%06o %s %d\t%s", e.Mode, e.Blob, e.Stage, e.Path))
	}
	wantChanges, wantLines := s.stagedBy(indexFile)
	slices.Sort(have) // git lists a file that became a directory elsewhere
	slices.Sort(wantChanges)
	if !slices.Equal(have, wantChanges) {
		s.t.Fatalf("changes:\n%s\ngit says:\n%s", strings.Join(have, "\n"), strings.Join(wantChanges, "\n"))
	}
	if !slices.Equal(lines, wantLines) {
		s.t.Fatalf("entries:\n%q\ngit says:\n%q", lines, wantLines)
	}
	return st
}

// TestStaged compares with git after each of many random steps, in every kind of
// index.
func TestStaged(t *testing.T) {
	for name, kind := range map[string]struct {
		config []string
		init   []string
		sub    string
	}{
		"plain":            {},
		"version 4":        {config: []string{"index.version", "4"}},
		"split":            {config: []string{"core.splitIndex", "true"}},
		"sha256":           {init: []string{"--object-format=sha256"}},
		"store in project": {sub: "p q/.memsync"},
		"untracked cache":  {config: []string{"core.untrackedCache", "true"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, kind.init...)
			if len(kind.config) > 0 {
				s.git(append([]string{"config"}, kind.config...)...)
			}
			s.open(kind.sub)
			s.sameStaged("") // no index at all
			split := false
			rnd := rand.New(rand.NewPCG(7, 11))
			names := []string{"a", "a.md", "a/b.md", "a/c/d.md", "b/ü \n.md", "b/x.md", "c/x/y/z.md", "memory/user_x.md", "memory/user_y.md"}
			for step := range 40 {
				file := names[rnd.IntN(len(names))]
				full := filepath.Join(s.root, filepath.FromSlash(file))
				switch op := rnd.IntN(9); op {
				case 0, 1, 2, 3: // write and stage
					if s.clear(file) {
						s.write(file, fmt.Sprint(rnd.IntN(4)))
						if rnd.IntN(8) == 0 {
							os.Remove(full)
							if err := os.Symlink("elsewhere", full); err != nil {
								t.Fatal(err)
							}
						}
						s.git("add", "-A")
					}
				case 4:
					s.tryGit("rm", "-q", "-r", "--cached", full)
				case 5:
					s.tryGit("add", "-N", full)
				case 6:
					s.tryGit("update-index", "--chmod=+x", full)
				case 7:
					s.tryGit("commit", "-q", "-m", "x")
				case 8:
					s.tryGit("reset", "-q")
				}
				st := s.sameStaged("")
				if data, err := os.ReadFile(filepath.Join(s.repo.gitDir, "index")); err == nil {
					x, err := parseIndex(data, s.repo.kind)
					split = split || err == nil && x.incomplete()
				}
				if step == 20 {
					if e, ok := st.Entry("no/such"); ok {
						t.Fatalf("found %v", e)
					}
				}
			}
			if split != (name == "split") {
				t.Errorf("a split index was met: %v", split)
			}
		})
	}
}

// clear makes room for a file: what stands in its way goes.
func (s *scene) clear(name string) bool {
	for i := range name {
		if name[i] == '/' {
			if info, err := os.Lstat(filepath.Join(s.root, name[:i])); err == nil && !info.IsDir() {
				os.Remove(filepath.Join(s.root, name[:i]))
			}
		}
	}
	return os.RemoveAll(filepath.Join(s.root, filepath.FromSlash(name))) == nil
}

// TestStagedOtherIndex: git commit -a and git commit PATH make an index of
// their own and tell the hook its name.
func TestStagedOtherIndex(t *testing.T) {
	s := newScene(t).open()
	s.must("memory/a.md", "a", "memory/b.md", "b")
	s.write("memory/a.md", "a2")
	s.write("memory/b.md", "b2")
	s.git("add", "memory/b.md")
	out := filepath.Join(t.TempDir(), "seen")
	hook := "#!/bin/sh\ncp \"$GIT_INDEX_FILE\" '" + out + "'\nexit 1\n"
	if err := os.MkdirAll(filepath.Join(s.top, ".git", "hooks"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.top, ".git", "hooks", "pre-commit"), []byte(hook), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"commit", "-q", "-m", "x"}, "memory/b.md"},
		{[]string{"commit", "-q", "-a", "-m", "x"}, "memory/a.md memory/b.md"},
		{[]string{"commit", "-q", "-m", "x", "memory/a.md"}, "memory/a.md"},
	} {
		if _, err := s.tryGit(tc.args...); err == nil {
			t.Fatalf("%v: the hook did not stop it", tc.args)
		}
		changes, err := s.sameStaged(out).Changes()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range changes {
			got = append(got, string(c.Path))
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%v: staged %q, want %s", tc.args, got, tc.want)
		}
	}
}

func TestStagedRenames(t *testing.T) {
	s := newScene(t).open()
	s.must("memory/a.md", "same", "memory/b.md", "same", "memory/c.md", "other", "memory/e.md", "")
	s.git("mv", "memory/a.md", "memory/z.md")
	if err := os.MkdirAll(filepath.Join(s.root, "agents/x"), 0o777); err != nil {
		t.Fatal(err)
	}
	s.git("mv", "memory/b.md", "agents/x/b.md")
	s.git("mv", "memory/c.md", "memory/d.md")
	s.git("mv", "memory/e.md", "memory/f.md")
	s.write("memory/d.md", "edited as well")
	s.git("add", "-A")
	st := s.sameStaged("")
	changes, err := st.Changes()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		if c.RenamedFrom != "" {
			got = append(got, string(c.RenamedFrom+" -> "+c.Path))
		}
		if c.RenamedTo != "" && !slices.ContainsFunc(changes, func(o StagedChange) bool { return o.Path == c.RenamedTo && o.RenamedFrom == c.Path }) {
			t.Errorf("%s went to %s, which came from elsewhere", c.Path, c.RenamedTo)
		}
	}
	want := []string{"memory/b.md -> agents/x/b.md", "memory/a.md -> memory/z.md"}
	if !slices.Equal(got, want) {
		t.Errorf("renames %q, want %q", got, want)
	}
}

// TestStagedConflict: the sides of a conflict are told apart, and nothing may be
// staged over them.
func TestStagedConflict(t *testing.T) {
	s := newScene(t).open()
	s.must("memory/a.md", "base\n", "memory/b.md", "b\n")
	s.git("switch", "-q", "-c", "side")
	s.must("memory/a.md", "theirs\n", "memory/c.md", "c\n")
	theirs := s.git("rev-parse", "HEAD")
	s.git("switch", "-q", "main")
	s.must("memory/a.md", "ours\n")
	if heads, err := s.repo.MergeHeads(); err != nil || len(heads) > 0 {
		t.Fatal(heads, err)
	}
	if _, err := s.tryGit("merge", "-q", "side"); err == nil {
		t.Fatal("it merged")
	}
	st := s.sameStaged("")
	if e, ok := st.Entry("memory/a.md"); !ok || e.Stage == 0 {
		t.Errorf("entry %v %v", e, ok)
	}
	if heads, err := s.repo.MergeHeads(); err != nil || !slices.Equal(heads, []string{theirs}) {
		t.Errorf("merging %v %v", heads, err)
	}
	wantCode(t, s.repo.Stage(context.Background(), "", []Change{{"memory/a.md", []byte("x")}}), memsync.CodeConflictUnresolved)
	if err := s.repo.Stage(context.Background(), "", []Change{{"memory/b.md", []byte("b2\n")}}); err != nil {
		t.Fatal(err)
	}
	s.sameStaged("")
}

// TestStagedSparse: git keeps directories outside of a sparse checkout as one
// entry each; here every file is listed.
func TestStagedSparse(t *testing.T) {
	s := newScene(t).open()
	s.must("memory/a.md", "a", "agents/x/memory/b.md", "b", "agents/x/memory/c.md", "c")
	s.git("sparse-checkout", "set", "--cone", "--sparse-index", "memory")
	data, err := os.ReadFile(filepath.Join(s.repo.gitDir, "index"))
	if err != nil {
		t.Fatal(err)
	}
	if x, err := parseIndex(data, s.repo.kind); err != nil || !x.incomplete() {
		t.Fatalf("the index is not sparse: %v", err)
	}
	s.write("memory/a.md", "a2")
	s.git("add", "memory/a.md")
	st := s.sameStaged("")
	if e, ok := st.Entry("agents/x/memory/b.md"); !ok || !e.SkipWorktree {
		t.Errorf("entry %+v %v", e, ok)
	}
	without, err := Open(s.root, Options{Env: s.env, NoBinary: true})
	if err != nil {
		t.Fatal(err)
	}
	defer without.Close()
	_, err = without.Staged("")
	wantCode(t, err, memsync.CodeGitMissing)
}

// TestStage writes entries and nothing else.
func TestStage(t *testing.T) {
	for _, sub := range []string{"", "pro ject/.memsync"} {
		s := newScene(t).open(sub)
		s.must("memory/a.md", "a", "memory/b.md", "b", "memory/c.md", "c")
		s.git("update-index", "--chmod=+x", filepath.Join(s.root, "memory/b.md"))
		changes := []Change{{"memory/a.md", []byte("a2\r\n")}, {"memory/b.md", []byte("b2")}, {"memory/c.md", nil}, {"memory/new \n.md", []byte("n")}, {"memory/no.md", nil}}
		if err := s.repo.Stage(context.Background(), "", changes); err != nil {
			t.Fatal(err)
		}
		st := s.sameStaged("")
		for _, want := range []struct {
			p    memsync.Path
			text string
			mode uint32
		}{{"memory/a.md", "a2\r\n", 0o100644}, {"memory/b.md", "b2", 0o100755}, {"memory/new \n.md", "n", 0o100644}} {
			e, ok := st.Entry(want.p)
			if !ok || e.Mode != want.mode || e.Blob != s.repo.BlobID([]byte(want.text)) {
				t.Errorf("%q is %+v", want.p, e)
			}
			if data, err := s.repo.Blob(e.Blob); err != nil || string(data) != want.text {
				t.Errorf("%q holds %q %v", want.p, data, err)
			}
		}
		if _, ok := st.Entry("memory/c.md"); ok {
			t.Error("c.md is still staged")
		}
		if data, err := os.ReadFile(filepath.Join(s.root, "memory/a.md")); err != nil || string(data) != "a" {
			t.Errorf("the working file is %q %v", data, err)
		}
	}
}

// TestStagedSame: an entry tells that a file has not been touched since, and
// never that it has not when it has.
func TestStagedSame(t *testing.T) {
	s := newScene(t).open()
	s.write("a.md", "one")
	s.write("b.md", "one")
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"a.md", "b.md"} {
		if err := os.Chtimes(filepath.Join(s.root, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	s.git("add", "-A")
	same := func(name string) bool {
		t.Helper()
		st, err := s.repo.Staged("")
		if err != nil {
			t.Fatal(err)
		}
		e, ok := st.Entry(pathOf(name))
		info, err := os.Lstat(filepath.Join(s.root, name))
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		return st.Same(e, info)
	}
	if !same("a.md") || !same("b.md") {
		t.Error("untouched files are not told")
	}
	s.write("a.md", "two")
	if same("a.md") {
		t.Error("a touched file is taken for the entry")
	}
	s.write("b.md", "two")
	young := time.Now().Add(time.Hour) // however long git takes
	if err := os.Chtimes(filepath.Join(s.root, "b.md"), young, young); err != nil {
		t.Fatal(err)
	}
	s.git("add", "-A")
	if same("b.md") {
		t.Error("a file as young as the index is believed")
	}
}

// BenchmarkStagedChanges: 10,000 tracked files, 10 of them staged; with the trees
// that git has noted in the index, as after a commit or a checkout of its own,
// and without.
func BenchmarkStagedChanges(b *testing.B) {
	s := benchScene(b, 10000)
	for _, trees := range []string{"noted", "not noted"} {
		if trees == "noted" {
			s.git("commit", "-q", "--allow-empty", "-m", "git notes them")
		} else {
			os.Remove(filepath.Join(s.repo.gitDir, "index"))
		}
		for i := range 10 {
			s.write(fmt.Sprintf("scopes/s%03d/2/%05d.md", i*9, i*900+40), "changed")
		}
		s.git("add", "-A")
		b.Run("trees "+trees, func(b *testing.B) {
			for b.Loop() {
				st, err := s.repo.Staged("")
				if err != nil {
					b.Fatal(err)
				}
				changes, err := st.Changes()
				if err != nil || len(changes) != 10 {
					b.Fatal(len(changes), err)
				}
			}
		})
	}
}
