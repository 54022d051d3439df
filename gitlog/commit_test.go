package gitlog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommitStories(t *testing.T) {
	stories := map[string]func(t *testing.T, s *scene){
		"Q40 unborn branch, then on top": func(t *testing.T, s *scene) {
			s.open()
			first := s.must("memory/user_a.md", "one\n", "memsync.toml", "format = 1\n")
			second := s.must("memory/user_a.md", "two\n")
			if p := s.git("rev-parse", second.ID+"^"); p != first.ID {
				t.Errorf("parent is %s", p)
			}
			if out := s.git("status", "--porcelain"); out != "" {
				t.Errorf("status: %s", out)
			}
			if got := s.git("log", "-1", "--format=%an <%ae> %cn <%ce> %ad|%s", "--date=iso"); got != "Grace Hopper <grace@example.org> memsync <memsync@localhost> 2026-03-07 12:01:00 +0100|memory(global): add user/x" {
				t.Errorf("commit says %q", got)
			}
			if got := s.git("reflog", "--format=%H %gs"); got != second.ID+" commit: memory(global): add user/x\n"+first.ID+" commit (initial): memory(global): add user/x" {
				t.Errorf("reflog: %q", got)
			}
			if got := s.git("reflog", "main", "--format=%H"); got != second.ID+"\n"+first.ID {
				t.Errorf("branch's reflog: %q", got)
			}
		},
		"nested directories come and go": func(t *testing.T, s *scene) {
			s.open()
			s.must("a/b/c/d.md", "x", "a/e.md", "y", "a-b.md", "z", "a.md", "w")
			s.must("a/b/c/d.md", gone)
			if _, err := s.tryGit("rev-parse", "--verify", "-q", "HEAD:a/b"); err == nil {
				t.Error("an empty directory is in the commit")
			}
			s.must("a/e.md", gone, "a-b.md", gone, "a.md", gone)
			if out := s.git("ls-tree", "-r", "HEAD"); out != "" {
				t.Errorf("tree: %s", out)
			}
			s.must("b.md", "again")
		},
		"a rename is a removal and an add": func(t *testing.T, s *scene) {
			s.open()
			s.must("memory/old.md", "text that stays\n")
			s.must("memory/old.md", gone, "memory/sub/new.md", "text that stays\n")
			if out := s.git("diff", "--name-status", "-M", "HEAD^", "HEAD"); out != "R100\tmemory/old.md\tmemory/sub/new.md" {
				t.Errorf("diff: %q", out)
			}
		},
		"a directory becomes a file, and back": func(t *testing.T, s *scene) {
			s.open()
			s.must("x/y.md", "1", "x-z.md", "2")
			os.RemoveAll(filepath.Join(s.root, "x"))
			s.must("x/y.md", gone, "x", "file")
			s.must("x", gone)
			s.must("x/y.md", "dir again")
		},
		"Q32 names": func(t *testing.T, s *scene) {
			s.open()
			names := []string{"my note.md", "café.md", "cafe\u0301.md", "-rf.md", `a"b.md`, "$(id).md", "日本.md", "🙂.md", "new\nline.md", "tab\t.md", `back\slash.md`, ":(top)x.md", "*.md", "[a].md",
				strings.Repeat("n", 250) + ".md", "\xff\xfe.md", "d r/a b.md"}
			var pairs []string
			for _, n := range names {
				pairs = append(pairs, n, "text of "+n)
			}
			s.must(pairs...)
			entries, err := s.repo.Tree("HEAD", "")
			if err != nil || len(entries) != len(names) {
				t.Errorf("Tree gives %d of %d: %v", len(entries), len(names), err)
			}
			for i := 1; i < len(pairs); i += 2 {
				pairs[i] += " changed"
			}
			s.must(pairs...)
			for i := 1; i < len(pairs); i += 2 {
				pairs[i] = gone
			}
			s.must(pairs...)
		},
		"a name of more than 4095 bytes": func(t *testing.T, s *scene) {
			s.open()
			s.must("a.md", "a")
			long := strings.Repeat(strings.Repeat("d", 200)+"/", 21) + "x.md"
			// The working tree cannot hold it (PATH_MAX); git can.
			done, err := s.repo.Commit(t.Context(), Commit{Parent: s.git("rev-parse", "HEAD"), Message: "m", Author: Ident{"A", "a@b"}, When: s.when,
				Changes: []Change{{"b.md", []byte("b")}}})
			if err != nil || done.ID == "" || len(long) < 4100 {
				t.Fatal(err)
			}
		},
		"Q43 only our paths: what is staged stays staged": func(t *testing.T, s *scene) {
			s.open()
			s.must("memory/a.md", "a")
			s.write("src/x.go", "package x")
			s.write("README.md", "hello")
			s.write("gone.txt", "bye")
			s.git("add", "README.md", "gone.txt")
			s.git("commit", "-qm", "readme")
			s.git("add", "src/x.go")
			s.git("rm", "-q", "--cached", "gone.txt")
			s.write("README.md", "hello, dirty")
			s.must("memory/a.md", "b", "memory/MEMORY.md", "- a")
			if out := s.git("status", "--porcelain"); out != " M README.md\nD  gone.txt\nA  src/x.go\n?? gone.txt" {
				t.Errorf("status: %q", out)
			}
			if out := s.git("show", "--name-only", "--format=", "HEAD"); out != "memory/MEMORY.md\nmemory/a.md" {
				t.Errorf("the commit has %q", out)
			}
		},
		"Q43 a store below the top": func(t *testing.T, s *scene) {
			s.open()
			s.must("main.go", "package main")
			s.open(".memsync")
			if s.repo.Prefix() != ".memsync" {
				t.Fatalf("prefix %q", s.repo.Prefix())
			}
			s.must("memory/a.md", "a", "memsync.toml", "format = 1")
			s.must("memory/a.md", "b")
			tree, err := s.repo.Tree("HEAD", "memory")
			if err != nil || len(tree) != 1 || tree[0].Path != "memory/a.md" {
				t.Errorf("Tree: %v %v", tree, err)
			}
			d, err := s.repo.Diff("HEAD~2", "HEAD")
			if err != nil || len(d) != 2 || d[0].Path != "memory/a.md" || d[0].From != "" {
				t.Errorf("Diff: %v %v", d, err)
			}
		},
		"a person staged another version of ours": func(t *testing.T, s *scene) {
			s.open()
			s.must("a.md", "one", "b.md", "one", "c.md", "one")
			s.write("a.md", "staged by hand")
			s.git("add", "a.md")
			s.git("rm", "-q", "--cached", "b.md")
			s.git("update-index", "--chmod=+x", "c.md")
			if _, err := s.commit("a.md", "two", "b.md", "two", "c.md", "two"); err != nil {
				t.Fatal(err)
			}
			if got := s.git("show", ":a.md"); got != "staged by hand" {
				t.Errorf("the index has %q", got)
			}
			if got := s.git("diff", "--cached", "--name-status"); got != "M\ta.md\nD\tb.md\nM\tc.md" {
				t.Errorf("staged: %q", got)
			}
			if got := s.git("show", ":c.md"); got != "two" {
				t.Errorf("c.md in the index is %q: only its mode was staged", got)
			}
			for _, f := range []string{"a.md", "b.md", "c.md"} {
				if got := s.git("show", "HEAD:"+f); got != "two" {
					t.Errorf("HEAD has %q", got)
				}
			}
			s.sound()
		},
		"a person staged what we commit, or meant to": func(t *testing.T, s *scene) {
			s.open()
			s.must("a.md", "one")
			s.write("new.md", "new")
			s.git("add", "new.md")
			s.write("later.md", "later")
			s.git("add", "-N", "later.md")
			s.must("new.md", "new", "later.md", "later", "a.md", "two")
			if out := s.git("status", "--porcelain"); out != "" {
				t.Errorf("status: %q", out)
			}
		},
		"executable bits and symbolic links stay": func(t *testing.T, s *scene) {
			s.open()
			s.write("run.md", "#!/bin/sh\n")
			os.Chmod(filepath.Join(s.root, "run.md"), 0o755)
			os.Symlink("run.md", filepath.Join(s.root, "link.md"))
			s.git("add", "-A")
			s.git("commit", "-qm", "base")
			s.must("run.md", "#!/bin/sh\necho\n", "z.md", "z")
			if out := s.git("ls-tree", "HEAD", "run.md", "link.md"); !strings.Contains(out, "100755 blob") || !strings.Contains(out, "120000 blob") {
				t.Errorf("modes: %s", out)
			}
		},
		"packed refs and packed objects": func(t *testing.T, s *scene) {
			s.open()
			s.must("a/b.md", "one")
			s.git("gc", "-q", "--prune=now")
			s.git("pack-refs", "--all")
			s.must("a/c.md", "two")
			// gc moved objects under an open repository's feet
			s.git("gc", "-q", "--prune=now")
			s.must("a/b.md", "three", "a/c.md", gone)
			s.must("a/d.md", "four")
		},
		"a branch with slashes where one was before": func(t *testing.T, s *scene) {
			s.open()
			s.must("a.md", "one")
			s.git("branch", "topic/sub")
			s.git("branch", "-D", "topic/sub")
			s.git("switch", "-qc", "feature/deep/er")
			s.must("a.md", "two")
			s.git("switch", "-qc", "topic")
			s.must("a.md", "three")
		},
		"the same change again is no commit": func(t *testing.T, s *scene) {
			s.open()
			first := s.must("a.md", "one")
			again, err := s.commit("a.md", "one")
			if err != nil || !again.Unchanged || again.ID != first.ID || again.Blobs["a.md"] != first.Blobs["a.md"] {
				t.Errorf("%+v %v", again, err)
			}
		},
		"an empty file is a file": func(t *testing.T, s *scene) {
			s.open()
			s.must("empty.md", "")
			s.must("empty.md", "x")
			s.must("empty.md", "")
		},
		"index v4": func(t *testing.T, s *scene) {
			s.open()
			s.must("dir/a.md", "a", "dir/b.md", "b", "dir/sub/c.md", "c", "e.md", "e")
			s.git("update-index", "--index-version", "4")
			s.must("dir/a1.md", "n", "dir/b.md", "changed", "dir/sub/c.md", gone)
			s.must("dir/a1.md", gone, "dir/sub/d.md", "d")
			if out := s.git("status", "--porcelain"); out != "" {
				t.Errorf("status: %q", out)
			}
		},
		"index v3": func(t *testing.T, s *scene) {
			s.open()
			s.must("a.md", "a", "b.md", "b", "z.md", "z")
			s.git("update-index", "--skip-worktree", "b.md")
			s.must("a.md", "a2", "m.md", "m")
			if out := s.git("ls-files", "-t"); out != "H a.md\nH m.md\nS b.md\nH z.md" && out != "H a.md\nS b.md\nH m.md\nH z.md" {
				t.Errorf("flags: %q", out)
			}
		},
		"split index": func(t *testing.T, s *scene) {
			s.open()
			s.must("a.md", "a", "b.md", "b")
			s.git("update-index", "--split-index")
			s.must("a.md", "a2", "c.md", "c")
			s.must("b.md", gone)
			if out := s.git("status", "--porcelain"); out != "" {
				t.Errorf("status: %q", out)
			}
		},
		"sparse index": func(t *testing.T, s *scene) {
			s.open()
			s.must("memory/a.md", "a", "src/deep/x.go", "x", "src/y.go", "y")
			s.git("sparse-checkout", "set", "--cone", "--sparse-index", "memory")
			s.must("memory/a.md", "a2", "memory/b.md", "b")
			if out := s.git("status", "--porcelain"); out != "" {
				t.Errorf("status: %q", out)
			}
			if out := s.git("ls-tree", "-r", "--name-only", "HEAD"); out != "memory/a.md\nmemory/b.md\nsrc/deep/x.go\nsrc/y.go" {
				t.Errorf("tree: %q", out)
			}
		},
		"untracked cache": func(t *testing.T, s *scene) {
			s.open()
			s.must("memory/a.md", "a")
			s.git("update-index", "--untracked-cache")
			s.write("memory/b.md", "b")
			if out := s.git("status", "--porcelain"); out != "?? memory/b.md" {
				t.Fatalf("status: %q", out)
			}
			s.must("memory/b.md", "b")
			if !strings.Contains(string(readSmall(filepath.Join(s.top, ".git/index"))), "UNTR") {
				t.Error("the untracked cache is gone")
			}
			if out := s.git("status", "--porcelain"); out != "" {
				t.Errorf("status: %q", out)
			}
			if s.way != nil {
				return
			}
			// Without a binary it is dropped rather than left untrue.
			s.opt.NoBinary = true
			s.open()
			s.write("memory/c.md", "c")
			s.git("status")
			s.must("memory/c.md", "c")
			if out := s.git("status", "--porcelain"); out != "" {
				t.Errorf("without a binary: %q", out)
			}
		},
		"worktree configuration": func(t *testing.T, s *scene) {
			s.git("config", "extensions.worktreeConfig", "true")
			s.git("config", "--worktree", "user.name", "Worktree")
			s.open()
			s.must("a.md", "a")
			s.must("a.md", "b")
		},
		"no cached trees are lost": func(t *testing.T, s *scene) {
			s.open()
			s.must("a/b/c.md", "1", "a/d.md", "1", "e/f.md", "1", "g.md", "1")
			s.git("read-tree", "HEAD") // fills the cache of trees
			s.git("status")
			s.must("a/b/c.md", "2", "a/b/n.md", "2")
			s.git("fsck", "--cache", "--strict")
			if tree, want := s.git("write-tree"), s.git("rev-parse", "HEAD^{tree}"); tree != want {
				t.Errorf("the index makes tree %s, HEAD has %s", tree, want)
			}
			s.write("g.md", "3")
			s.git("add", "g.md")
			s.git("commit", "-qm", "theirs")
			if got := s.git("show", "HEAD:a/b/c.md"); got != "2" {
				t.Errorf("a person's commit has %q", got)
			}
			s.must("a/b/c.md", gone, "a/b/n.md", gone)
			s.git("fsck", "--cache", "--strict")
			if tree, want := s.git("write-tree"), s.git("rev-parse", "HEAD^{tree}"); tree != want {
				t.Errorf("the index makes tree %s, HEAD has %s", tree, want)
			}
		},
		"a thousand files at once": func(t *testing.T, s *scene) {
			if s.way != nil {
				return // the binary takes one process an object
			}
			s.open()
			var pairs []string
			for i := range 1000 {
				pairs = append(pairs, "memory/"+string(rune('a'+i%26))+"/f"+strings.Repeat("x", i%7)+"_"+itoa(i)+".md", "text "+itoa(i))
			}
			done, err := s.commit(pairs...)
			if err != nil {
				t.Fatal(err)
			}
			if out := s.git("status", "--porcelain"); out != "" {
				t.Errorf("status: %.200q", out)
			}
			if s.git("rev-parse", "HEAD") != done.ID {
				t.Error("HEAD")
			}
			s.sound()
		},
	}
	for name, story := range stories {
		t.Run(name, func(t *testing.T) { t.Parallel(); backends(t, story) })
	}
}

func itoa(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return itoa(i/10) + itoa(i%10)
}
