package gitlog

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"memsync"
)

func TestMarker(t *testing.T) {
	m, ok := ParseMarker(Marker("01JNB2Q0T7ZC4X9V8M5H3K2RDF"))
	if !ok || m.Plan != "01JNB2Q0T7ZC4X9V8M5H3K2RDF" || m.PID != os.Getpid() || m.Dead() {
		t.Errorf("%+v %v", m, ok)
	}
	for _, text := range []string{"", "1234\n", "memsync lock 1\n", "memsync lock 1\npid x\n", "memsync lock 1\npid -4\n", "memsync lock 2\npid 4\n", "memsync lock 1\npid 4", "DIRC\x00\x00"} {
		if m, ok := ParseMarker([]byte(text)); ok {
			t.Errorf("%q is taken for ours: %+v", text, m)
		}
	}
	if m, ok := ParseMarker(Marker("a\nb c")); !ok || m.Plan != "abc" {
		t.Errorf("%+v", m)
	}
}

func FuzzParseMarker(f *testing.F) {
	f.Add(Marker("01JNB2Q0T7ZC4X9V8M5H3K2RDF"))
	f.Add([]byte("memsync lock 1\npid 3\nplan x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, ok := ParseMarker(data); ok && (m.PID <= 0 || !bytes.HasPrefix(data, []byte(markHead+"\n"))) {
			t.Errorf("%q: %+v", data, m)
		}
	})
}

// Who is dead: only a process of this machine of which it is certain.
func TestDead(t *testing.T) {
	self := selfMark()
	if self.Boot == "" {
		t.Log("this system tells neither boots nor process spaces apart")
		return
	}
	gone := deadPID(t)
	cases := []struct {
		name string
		mark Mark
		dead bool
	}{
		{"this process", self, false},
		{"a process that ended", Mark{self.Machine, self.Boot, self.Space, gone, "1", ""}, true},
		{"a process whose number was used again", Mark{self.Machine, self.Boot, self.Space, os.Getpid(), "1", ""}, true},
		{"another boot, number in use", Mark{self.Machine, "other", self.Space, os.Getpid(), self.Start, ""}, true},
		{"another container", Mark{self.Machine, self.Boot, "pid:[1]", gone, "1", ""}, false},
		{"another machine", Mark{"other", "other", self.Space, gone, "1", ""}, false},
	}
	for _, c := range cases {
		if c.mark.Dead() != c.dead {
			t.Errorf("%s: dead is %v", c.name, c.mark.Dead())
		}
	}
}

// deadPID is the id of a process that has ended.
func deadPID(t testing.TB) int {
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

func deadMark(t testing.TB) []byte {
	m := selfMark()
	return fmt.Appendf(nil, "%s\nmachine %s\nboot %s\nspace %s\npid %d\nstart 1\nplan P\n", markHead, m.Machine, m.Boot, m.Space, deadPID(t))
}

func TestQ36_CleanLocks(t *testing.T) {
	s := newScene(t).open()
	s.must("a.md", "a")
	git := func(name string) string { return filepath.Join(s.top, ".git", filepath.FromSlash(name)) }
	others := []string{"refs/heads/theirs.lock", "packed-refs.lock", "config.lock"}
	for _, name := range others {
		os.WriteFile(git(name), []byte("1234"), 0o666)
	}
	ours := []string{"index.lock", "HEAD.lock", "refs/heads/main.lock", "refs/heads/deep.lock"}
	for _, name := range ours {
		os.WriteFile(git(name), deadMark(t), 0o666)
	}
	os.WriteFile(git(fmt.Sprintf("memsync-tip.%s.%d.1.tmp", selfMark().who(), deadPID(t))), []byte("nonsense"), 0o666)
	os.WriteFile(git(fmt.Sprintf("memsync-tip.%s.%d.1.tmp", selfMark().who(), os.Getppid())), []byte("alive"), 0o666)
	removed, err := s.repo.CleanLocks()
	if err != nil || len(removed) != len(ours) {
		t.Errorf("removed %v, %v", removed, err)
	}
	for _, name := range ours {
		if _, err := os.Stat(git(name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range append(others, fmt.Sprintf("memsync-tip.%s.%d.1.tmp", selfMark().who(), os.Getppid())) {
		if _, err := os.Stat(git(name)); err != nil {
			t.Errorf("%s of somebody else is gone", name)
		}
		os.Remove(git(name))
	}
	if left, _ := filepath.Glob(git("memsync-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	// A live lock of ours stays, too.
	os.WriteFile(git("index.lock"), Marker("P"), 0o666)
	if removed, _ := s.repo.CleanLocks(); len(removed) > 0 {
		t.Errorf("a live lock was removed: %v", removed)
	}
	os.Remove(git("index.lock"))
	// A commit finds stale locks by itself.
	for _, name := range ours {
		os.WriteFile(git(name), deadMark(t), 0o666)
	}
	os.Remove(git("refs/heads/deep.lock"))
	s.must("a.md", "b")
}

// A held lock is waited for, within bounds, and then named; it is never stolen.
func TestQ36_Locks(t *testing.T) {
	for _, name := range []string{"index.lock", "HEAD.lock", "refs/heads/main.lock"} {
		s := newScene(t).open()
		s.must("a.md", "a")
		file := filepath.Join(s.top, ".git", filepath.FromSlash(name))
		os.WriteFile(file, nil, 0o666)
		old := time.Now().Add(-3 * time.Hour)
		os.Chtimes(file, old, old)
		_, err := s.commit("a.md", "b")
		e := wantCode(t, err, memsync.CodeGitLocked)
		if !strings.Contains(e.Message, name) || !strings.Contains(e.Message, "3h0m") || e.Details["file"] != file || !strings.Contains(e.Hint, file) {
			t.Errorf("%q, %q, %v", e.Message, e.Hint, e.Details)
		}
		if _, err := os.Stat(file); err != nil {
			t.Error("the lock was stolen")
		}
		// The other locks were given back.
		locks, _ := filepath.Glob(filepath.Join(s.top, ".git", "*.lock"))
		for _, l := range locks {
			if l != file {
				t.Errorf("%s is left", l)
			}
		}
		// Removed while we wait: the commit goes on.
		s.repo.lockWait = time.Minute
		s.repo.pause = func(step string) {
			if step == "prepared" {
				go os.Remove(file)
			}
		}
		done, err := s.commit("a.md", "b")
		if err != nil {
			t.Fatal(err)
		}
		s.check(done, "a.md", "b")
	}
}

// The trap: a lock that a person removed by hand and git took again is not
// ours to remove.
func TestLockReleasedOnlyByItsOwner(t *testing.T) {
	s := newScene(t).open()
	s.must("a.md", "a")
	lock := filepath.Join(s.top, ".git/index.lock")
	s.repo.pause = func(step string) {
		if step == "branch" {
			os.Remove(lock)
			os.WriteFile(lock, []byte("git's"), 0o666)
		}
	}
	if _, err := s.commit("a.md", "b"); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(lock); err != nil || string(data) != "git's" {
		t.Errorf("git's lock was removed: %q %v", data, err)
	}
	os.Remove(lock)
	l, err := makeLock(lock, func() string {
		f := filepath.Join(s.top, ".git/mark")
		os.WriteFile(f, Marker("x"), 0o666)
		return f
	}())
	if err != nil {
		t.Fatal(err)
	}
	l.release()
	os.WriteFile(lock, []byte("git's"), 0o666)
	l.release()
	if _, err := os.Stat(lock); err != nil {
		t.Error("released twice")
	}
}

// A lock shows its mark from the first moment, and git sees it as a lock.
func TestLockStopsGit(t *testing.T) {
	s := newScene(t).open()
	s.must("a.md", "a")
	tried := 0
	s.repo.pause = func(step string) {
		if step != "locked" {
			return
		}
		for _, name := range []string{"index.lock", "HEAD.lock", "refs/heads/main.lock"} {
			if m, ok := ParseMarker(readSmall(filepath.Join(s.top, ".git", filepath.FromSlash(name)))); !ok || m.PID != os.Getpid() {
				t.Errorf("%s has no mark", name)
			}
		}
		for _, args := range [][]string{{"add", "a.md"}, {"symbolic-ref", "HEAD", "refs/heads/x"}, {"update-ref", "refs/heads/main", "HEAD"}} {
			if _, err := s.tryGit(args...); err == nil {
				t.Errorf("git %v went through our lock", args)
			}
			tried++
		}
		if st, err := s.repo.State(); err != nil || st.Paused != "" {
			t.Errorf("our own lock pauses us: %+v %v", st, err)
		}
	}
	s.must("a.md", "b")
	if tried == 0 {
		t.Error("not tried")
	}
}

// TestRepoCrashChild is the process that dies in TestRepoCrash.
func TestRepoCrashChild(t *testing.T) {
	root := os.Getenv("MEMSYNC_TEST_CRASH_ROOT")
	if root == "" {
		return
	}
	s := &scene{t: t, top: root, root: root, bin: "git", env: strings.Split(os.Getenv("MEMSYNC_TEST_CRASH_ENV"), "\n"), when: time.Date(2026, 3, 7, 13, 0, 0, 0, time.UTC)}
	s.open()
	left, err := strconv.Atoi(os.Getenv("MEMSYNC_TEST_CRASH_STEP"))
	if err != nil {
		t.Fatal(err)
	}
	s.repo.pause = func(step string) {
		if left--; left == 0 {
			fmt.Println("died at", step)
			os.Exit(7)
		}
	}
	s.commit("a.md", "two", "dir/b.md", "new", "c.md", gone)
	os.Exit(8)
}

// A commit that dies at any step is wholly there or wholly not: after
// CleanLocks the index shows nothing of it staged, git can go on, and the same
// commit can be made again.
func TestRepoCrash(t *testing.T) {
	if os.Getenv("MEMSYNC_TEST_CRASH_ROOT") != "" {
		return
	}
	const steps = 8 // objects, prepared, three locks, locked, reflog, index, branch
	for n := 1; n <= steps+2; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			s := newScene(t).open()
			s.must("a.md", "one", "c.md", "c", "d.md", "d")
			s.write("p.txt", "p")
			s.git("add", "p.txt")
			before := s.git("rev-parse", "HEAD")
			cmd := exec.Command(os.Args[0], "-test.run=^TestRepoCrashChild$")
			cmd.Env = append(os.Environ(), "MEMSYNC_TEST_CRASH_ROOT="+s.top, fmt.Sprint("MEMSYNC_TEST_CRASH_STEP=", n), "MEMSYNC_TEST_CRASH_ENV="+strings.Join(s.env, "\n"))
			out, err := cmd.CombinedOutput()
			exit, ok := err.(*exec.ExitError)
			if !ok || exit.ExitCode() != 7 && exit.ExitCode() != 8 {
				t.Fatalf("the child did not die where it should: %v %s", err, out)
			}
			if whole := exit.ExitCode() == 8; whole != (n > steps+1) {
				t.Fatalf("there are not %d steps any more: %s", steps+1, out)
			}
			if _, err := s.repo.CleanLocks(); err != nil {
				t.Fatal(err)
			}
			if staged := s.git("diff", "--cached", "--name-only", "HEAD"); staged != "p.txt" {
				t.Errorf("staged after the crash: %q (%s)", staged, out)
			}
			if head := s.git("rev-parse", "HEAD"); head != before {
				s.check(Committed{ID: head, Blobs: map[memsync.Path]string{"a.md": s.repo.BlobID([]byte("two")), "dir/b.md": s.repo.BlobID([]byte("new"))}}, "a.md", "two", "dir/b.md", "new", "c.md", gone)
				if n <= steps {
					t.Errorf("committed too early: %s", out)
				}
				return
			}
			if n > steps {
				t.Errorf("not committed: %s", out)
			}
			s.must("a.md", "two", "dir/b.md", "new", "c.md", gone)
			if got := s.git("status", "--porcelain"); got != "A  p.txt" {
				t.Errorf("status %q", got)
			}
		})
	}
}

// The branch cannot be moved after the index was written: the index goes back.
func TestBranchFails(t *testing.T) {
	s := newScene(t).open()
	s.must("a.md", "one")
	ref := filepath.Join(s.top, ".git/refs/heads/main")
	keep, _ := os.ReadFile(ref)
	s.repo.pause = func(step string) {
		if step == "index" { // what can't be replaced by a file
			os.Remove(ref)
			os.MkdirAll(filepath.Join(ref, "x"), 0o777)
			os.WriteFile(filepath.Join(ref, "x", "y"), keep, 0o666)
		}
	}
	if _, err := s.commit("a.md", "two", "new.md", "n"); err == nil {
		t.Fatal("it should fail")
	}
	os.RemoveAll(ref)
	os.WriteFile(ref, keep, 0o666)
	if got := s.git("status", "--porcelain"); got != " M a.md\n?? new.md" {
		t.Errorf("status %q", got)
	}
	s.sound()
	s.repo.pause = nil
	s.must("a.md", "two", "new.md", "n")
}
