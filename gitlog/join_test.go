package gitlog

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memsync"
)

const (
	joinID = "01JNB2Q0T7ZC4X9V8M5H3K2RDA"
	mateID = "01JNB2Q0T7ZC4X9V8M5H3K2RDB"
)

func memo(id, name, body string) string {
	return "---\nid: " + id + "\nname: " + name + "\ndescription: About " + name + "\ntype: user\n---\n\n" + body + "\n"
}

// pairOf is a store and a clone of it, each with a commit of its own on top of
// the same files; here has fetched there's.
func pairOf(t testing.TB, base, here, there []string) (a, b *logStore, tip string) {
	t.Helper()
	a = newLogStore(t, append([]string{"memsync.toml", "format = 1\n"}, base...)...)
	b = &logStore{t: t, dir: filepath.Join(t.TempDir(), "clone")}
	a.git("clone", "-q", "--template=", a.dir, b.dir)
	b.git("config", "user.name", "Bea")
	b.git("config", "user.email", "bea@example.org")
	b.open()
	a.edit("2026-03-07T13:00:00Z", here...)
	b.edit("2026-03-07T14:00:00Z", there...)
	return a, b, a.fetch(b)
}

// edit saves files and commits them by git.
func (s *logStore) edit(when string, pairs ...string) {
	s.t.Helper()
	if len(pairs) == 0 {
		return
	}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == absent {
			s.git("rm", "-q", pairs[i])
			continue
		}
		s.save(pairs[i], pairs[i+1])
		s.git("add", "--", pairs[i])
	}
	s.commitAt(when)
}

func (s *logStore) commitAt(when string) {
	s.t.Helper()
	s.t.(interface{ Setenv(k, v string) }).Setenv("GIT_COMMITTER_DATE", when)
	s.git("commit", "-q", "-m", "edit", "--date", when)
}

// fetch brings another store's branch here.
func (s *logStore) fetch(from *logStore) string {
	s.t.Helper()
	s.git("fetch", "-q", from.dir, "main")
	return s.git("rev-parse", "FETCH_HEAD")
}

var joinCount byte

func (s *logStore) join(tip string) (Joined, error) {
	joinCount++
	return s.log.Join(context.Background(), JoinRequest{Plan: memsync.MakeID(planTime, [10]byte{5, joinCount}), At: planTime, Tip: tip})
}

func (s *logStore) mustJoin(tip string) Joined {
	s.t.Helper()
	j, err := s.join(tip)
	if err != nil {
		s.t.Fatal(err)
	}
	if s.git("rev-parse", "HEAD") != j.Commit {
		s.t.Errorf("HEAD is %s, joined %s", s.git("rev-parse", "HEAD"), j.Commit)
	}
	s.clean(&memsync.Plan{}, 0)
	return j
}

func TestJoinFastForward(t *testing.T) {
	a, b, tip := pairOf(t, []string{"memory/user_a.md", "A\n", "memory/user_gone.md", "x\n"}, nil,
		[]string{"memory/user_a.md", "A2\n", "memory/sub/user_b.md", "B\n", "memory/user_gone.md", absent})
	j := a.mustJoin(tip)
	if !j.Forward || j.Commit != b.head() || len(j.Changes) != 3 {
		t.Errorf("%+v", j)
	}
	a.statusEmpty()
	if a.read("memory/user_a.md") != "A2\n" || a.read("memory/sub/user_b.md") != "B\n" || a.read("memory/user_gone.md") != absent {
		t.Error("the files did not follow")
	}
	if log := a.git("reflog", "-1", "--format=%gs"); log != "memsync: fast-forward" {
		t.Errorf("the reflog says %q", log)
	}
	if j := a.mustJoin(tip); !j.Unchanged {
		t.Errorf("again: %+v", j)
	}
	if j := b.mustJoin(b.fetch(a)); !j.Unchanged {
		t.Errorf("the other way: %+v", j)
	}
}

// A branch that was never born takes the other tip as it is.
func TestJoinUnborn(t *testing.T) {
	b := newLogStore(t, "memsync.toml", "format = 1\n", "memory/user_a.md", "A\n")
	a := &logStore{t: t, dir: t.TempDir()}
	a.git("init", "-q", "--template=", "-b", "main")
	a.save("memory/user_a.md", "mine, untracked\n")
	a.open()
	j := a.mustJoin(a.fetch(b))
	if !j.Forward || j.Before != "" || j.Commit != b.head() || a.read("memsync.toml") != "format = 1\n" || a.read("memory/user_a.md") != "mine, untracked\n" {
		t.Errorf("%+v", j)
	}
}

func TestJoinSameCommitOnBothMachines(t *testing.T) {
	body := func(a, b string) string { return memo(joinID, "A", a+"\n\nmiddle\n\n"+b) }
	a, b, tip := pairOf(t, []string{"memory/user_a.md", body("one", "two")},
		[]string{"memory/user_a.md", body("ONE", "two"), "memory/user_b.md", memo(mateID, "B", "b")},
		[]string{"memory/user_a.md", body("one", "TWO")})
	theirs := b.fetch(a)
	x, y := a.mustJoin(tip), b.mustJoin(theirs)
	if x.Commit != y.Commit || x.Forward || x.Commit == tip || x.Commit == theirs {
		t.Errorf("joined to %s and %s", x.Commit, y.Commit)
	}
	for _, s := range []*logStore{a, b} {
		s.statusEmpty()
		if got := s.read("memory/user_a.md"); got != body("ONE", "TWO") {
			t.Errorf("joined to %q", got)
		}
		if !strings.Contains(s.read("memory/MEMORY.md"), "[B](user_b.md)") {
			t.Errorf("MEMORY.md is %q", s.read("memory/MEMORY.md"))
		}
	}
	show := a.git("cat-file", "commit", "HEAD")
	parents := strings.Split(a.git("log", "-1", "--format=%P"), " ")
	if len(parents) != 2 || parents[0] > parents[1] || !strings.Contains(show, "\ncommitter memsync <memsync@localhost> 1772892000 +0000\n\nmemory: join two tips") {
		t.Errorf("the commit is\n%s", show)
	}
}

// A dirty tree never blocks and is never overwritten; what is staged stays.
func TestJoinDirty(t *testing.T) {
	a, _, tip := pairOf(t, []string{"memory/user_a.md", "A\n", "memory/user_s.md", "S\n", "memory/user_d.md", "D\n", "memory/user_c.md", "C\n"},
		[]string{"mine.md", "m\n"},
		[]string{"memory/user_a.md", "A2\n", "memory/user_s.md", "S2\n", "memory/user_d.md", absent, "memory/user_n.md", "theirs\n", "memory/user_c.md", "C2\n"})
	base := a.git("rev-parse", "HEAD:memory/user_a.md")
	a.save("memory/user_a.md", "A by hand\n")
	a.save("memory/user_s.md", "S staged\n")
	a.git("add", "memory/user_s.md")
	a.save("memory/user_d.md", "D by hand\n")
	a.save("memory/user_n.md", "mine, untracked\n")
	a.save("staged.txt", "new\n")
	a.git("add", "staged.txt")
	j := a.mustJoin(tip)
	for p, want := range map[string]string{"memory/user_a.md": "A by hand\n", "memory/user_s.md": "S staged\n", "memory/user_d.md": "D by hand\n",
		"memory/user_n.md": "mine, untracked\n", "memory/user_c.md": "C2\n"} {
		if got := a.read(p); got != want {
			t.Errorf("%s is %q, want %q", p, got, want)
		}
	}
	if got := a.git("status", "--porcelain"); got != " M memory/user_a.md\n M memory/user_n.md\nM  memory/user_s.md\nA  staged.txt\n?? memory/user_d.md" {
		t.Errorf("git status:\n%s", got)
	}
	bases, err := a.log.Bases()
	if err != nil || len(bases) != 4 || bases["memory/user_a.md"] != base || bases["memory/user_n.md"] != "" || len(j.Dirty) != 4 {
		t.Errorf("bases %v, dirty %v, %v", bases, j.Dirty, err)
	}
	if err := a.log.ForgetBases("memory/user_a.md", "memory/user_n.md", "memory/user_s.md", "memory/user_d.md"); err != nil {
		t.Fatal(err)
	}
	if bases, _ := a.log.Bases(); len(bases) != 0 {
		t.Errorf("left: %v", bases)
	}
}

// Links, executable bits, submodules, and files where directories were.
func TestJoinFollowsTypes(t *testing.T) {
	a, b, _ := pairOf(t, []string{"x", "file\n", "d/f", "in a directory\n", "run.sh", "#!\n", "keep.sh", "#!\n"}, []string{"mine.md", "m\n"}, nil)
	b.git("rm", "-q", "x", "d/f")
	b.save("x/y", "below\n")
	b.save("d", "a file now\n")
	os.Symlink("x/y", b.path("link"))
	os.Chmod(b.path("run.sh"), 0o755)
	b.git("add", "-A")
	b.git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",module")
	b.commitAt("2026-03-07T14:00:00Z")
	first := b.head()
	j := a.mustJoin(a.fetch(b))
	a.git("update-index", "-q", "--refresh")
	a.statusEmpty()
	if to, _ := os.Readlink(a.path("link")); to != "x/y" || a.read("x/y") != "below\n" || a.read("d") != "a file now\n" {
		t.Errorf("link to %q, %q, %q", to, a.read("x/y"), a.read("d"))
	}
	if info, _ := os.Stat(a.path("run.sh")); info.Mode().Perm()&0o111 == 0 {
		t.Errorf("run.sh is %v", info.Mode())
	}
	if len(j.Conflicts)+len(j.Dirty) != 0 {
		t.Errorf("%+v", j)
	}
	// And back again.
	b.git("revert", "--no-edit", first)
	a.mustJoin(a.fetch(b))
	a.git("update-index", "-q", "--refresh")
	a.statusEmpty()
	if a.read("x") != "file\n" || a.read("d/f") != "in a directory\n" {
		t.Error("the way back")
	}
}

func TestJoinRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(a, b *logStore, tip string) string
		code memsync.Code
	}{
		"mid-merge": {func(a, b *logStore, tip string) string { a.save(".git/MERGE_HEAD", tip+"\n"); return tip }, memsync.CodeStorePaused},
		"detached":  {func(a, b *logStore, tip string) string { a.git("checkout", "-q", "--detach"); return tip }, memsync.CodeStorePaused},
		"another branch": {func(a, b *logStore, tip string) string {
			a.git("checkout", "-q", "-b", "other")
			a.log.Repo.ExpectBranch("main")
			return tip
		}, memsync.CodeStorePaused},
		"unrelated": {func(a, b *logStore, tip string) string {
			c := newLogStore(a.t, "memsync.toml", "format = 1\n", "other", "x\n")
			return a.fetch(c)
		}, memsync.CodeSyncUnrelated},
		"shallow": {func(a, b *logStore, tip string) string {
			b.edit("2026-03-07T15:00:00Z", "more.md", "x\n")
			a.git("fetch", "-q", "--depth=1", "file://"+b.dir, "main")
			return a.git("rev-parse", "FETCH_HEAD")
		}, memsync.CodeSyncShallow},
		"a format of tomorrow": {func(a, b *logStore, tip string) string {
			b.edit("2026-03-07T15:00:00Z", "memsync.toml", "format = 2\n")
			return a.fetch(b)
		}, memsync.CodeStoreFormat},
		"a format of tomorrow, ahead": {func(a, b *logStore, tip string) string {
			a.git("reset", "-q", "--hard", "HEAD^")
			b.edit("2026-03-07T15:00:00Z", "memsync.toml", "format = 2\n")
			return a.fetch(b)
		}, memsync.CodeStoreFormat},
		"no such tip": {func(a, b *logStore, tip string) string { return strings.Repeat("1", 40) }, memsync.CodeNotFound},
		"index locked": {func(a, b *logStore, tip string) string {
			a.log.Repo.lockWait = 10 * time.Millisecond
			a.save(".git/index.lock", "")
			return tip
		}, memsync.CodeGitLocked},
		"a name that leaves the store": {func(a, b *logStore, tip string) string {
			blob := b.git("rev-parse", "HEAD:theirs.md")
			inner := b.mktree("100644 blob " + blob + "\thooks")
			tree := b.mktree("040000 tree " + inner + "\t.GIT")
			commit := b.git("commit-tree", "-m", "x", "-p", "HEAD^", tree)
			b.git("update-ref", "refs/heads/main", commit)
			return a.fetch(b)
		}, memsync.CodePathInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			a, b, tip := pairOf(t, []string{"memory/user_a.md", "A\n"}, []string{"mine.md", "m\n"}, []string{"theirs.md", "t\n"})
			tip = c.do(a, b, tip)
			head := a.git("rev-parse", "HEAD")
			_, err := a.join(tip)
			wantCode(t, err, c.code)
			if a.git("rev-parse", "HEAD") != head || a.read("theirs.md") != absent {
				t.Error("something changed")
			}
		})
	}
}

func (s *logStore) mktree(lines ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", "mktree")
	cmd.Dir, cmd.Stdin = s.dir, strings.NewReader(strings.Join(lines, "\n")+"\n")
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
