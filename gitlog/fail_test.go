//go:build linux || darwin

package gitlog

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"memsync"
	"memsync/gitlog/journal"
)

// Q42: what really fails, at every place where it can: nothing half done,
// nothing lost, a code and a hint, and the same plan goes through once the
// reason is gone.
func TestQ42_Failures(t *testing.T) {
	for _, c := range []struct {
		name string
		fail func(s *logStore) (mend func())
		code memsync.Code
	}{
		{"a lock is held at the commit", func(s *logStore) func() {
			step = func(at string) {
				if strings.HasPrefix(at, "synced") {
					step = nil
					s.saveGit("index.lock", "")
				}
			}
			return func() { os.Remove(s.path(".git/index.lock")) }
		}, memsync.CodeGitLocked},
		{"a merge begins before the commit", func(s *logStore) func() {
			step = func(at string) {
				if strings.HasPrefix(at, "synced") {
					step = nil
					s.saveGit("MERGE_HEAD", s.head())
				}
			}
			return func() { os.Remove(s.path(".git/MERGE_HEAD")) }
		}, memsync.CodeStorePaused},
		{"objects cannot be written", func(s *logStore) func() {
			os.Rename(s.path(".git/objects"), s.path(".git/objects-away"))
			os.WriteFile(s.path(".git/objects"), nil, 0o644)
			return func() {
				os.Remove(s.path(".git/objects"))
				os.Rename(s.path(".git/objects-away"), s.path(".git/objects"))
			}
		}, ""},
		{"the journal is closed", func(s *logStore) func() {
			s.log.Journal.Close()
			return func() { s.reopen() }
		}, memsync.CodeJournal},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() { step = nil }()
			s := newLogStore(t, "memory/a.md", "A", "memory/gone.md", "G")
			s.log.Repo.lockWait = 1
			head := s.head()
			p := s.plan("memory/a.md", "B", "memory/dir/new.md", "N", "memory/gone.md", absent)
			again := *p
			again.ID = memsync.MakeID(p.At, [10]byte{8})
			mend := c.fail(s)
			_, err := s.apply(p)
			if err == nil || c.code != "" && !errors.Is(err, c.code) {
				t.Fatalf("%v, want %s", err, c.code)
			}
			mend()
			s.notThere(p, head)
			if _, err := os.Stat(s.path("memory/dir")); err == nil {
				t.Error("the directory that was made stays")
			}
			s.statusEmpty()
			s.mustApply(&again)
			s.there(&again)
		})
	}
}

// When the commit is made and only the note fails, the answer says both, and
// the next start notes it without doing it again.
func TestNoteFails(t *testing.T) {
	s := newLogStore(t, "memory/a.md", "A")
	p := s.plan("memory/a.md", "B")
	step = func(at string) {
		if strings.HasPrefix(at, "committed") {
			s.log.Journal.Close()
		}
	}
	a, err := s.apply(p)
	step = nil
	if err == nil || a.Commit == "" {
		t.Fatalf("%+v %v", a, err)
	}
	s.reopen()
	if r := s.mustReplay(); len(r) != 1 || !r[0].Found || r[0].Commit != a.Commit {
		t.Fatalf("%+v", r)
	}
	s.there(p)
}

const envLimit = "MEMSYNC_TEST_LIMIT_DIR"

// TestLimitedChild applies a plan in a process that may not write files larger
// than it already has: the disk is full for it. Without the environment it is
// no test.
func TestLimitedChild(t *testing.T) {
	dir := os.Getenv(envLimit)
	if dir == "" {
		return
	}
	limit, err := strconv.Atoi(os.Getenv(envLimit + "_BYTES"))
	if err != nil {
		t.Fatal(err)
	}
	s := newLogStoreOpen(t, dir)
	p := s.planNamed(1, "memory/a.md", "B", "memory/big.md", strings.Repeat("0123456789abcdef", 6400), "memory/c.md", absent)
	lim := syscall.Rlimit{Cur: uint64(limit), Max: uint64(limit)}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &lim); err != nil {
		t.Fatal(err)
	}
	_, err = s.apply(p)
	if !errors.Is(err, memsync.CodeIOFull) {
		t.Fatalf("%v, want %s", err, memsync.CodeIOFull)
	}
	var e *memsync.Error
	if !errors.As(err, &e) || e.Hint == "" {
		t.Errorf("no hint: %v", err)
	}
}

// Q42: the disk is full while the journal grows, while a file is written.
func TestQ42_DiskFull(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit func(journalSize int) int
		grow  bool // the journal has room already
	}{
		{"for the journal", func(size int) int { return size }, false},
		{"for a file", func(size int) int { return 64 << 10 }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newLogStore(t, "memory/a.md", "A", "memory/c.md", "C")
			head := s.head()
			db := s.path(".git/memsync/journal.db")
			if c.grow {
				// A plan that failed leaves the room of its contents.
				for n := range 3 {
					q := s.planNamed(100+n, "memory/x.md", strings.Repeat("x", 400<<10))
					if err := s.log.Journal.Begin(q, memsync.CommitAuto, nil); err != nil {
						t.Fatal(err)
					}
					s.log.Journal.Failed(q.ID, memsync.CodeIOFull)
				}
			}
			s.log.Journal.Close()
			info, err := os.Stat(db)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestLimitedChild$", "-test.v")
			cmd.Env = append(os.Environ(), envLimit+"="+s.dir, envLimit+"_BYTES="+strconv.Itoa(c.limit(int(info.Size()))))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			s.open()
			p := s.planNamed(1)
			for path, want := range map[string]string{"memory/a.md": "A", "memory/c.md": "C", "memory/big.md": absent} {
				if got := s.read(path); got != want {
					t.Errorf("%s is %.20q", path, got)
				}
			}
			if s.head() != head {
				t.Error("the branch moved")
			}
			s.clean(p, 0)
			s.statusEmpty()
		})
	}
}

// A directory where nothing may be written. Root may everywhere, so the check
// of permissions runs as somebody else when it can.
func TestReadOnlyDirectory(t *testing.T) {
	if os.Getuid() == 0 {
		runAs(t, "TestReadOnlyDirectory")
		return
	}
	s := newLogStore(t, "memory/a.md", "A", "memory/ro/b.md", "B")
	head := s.head()
	if err := os.Chmod(s.path("memory/ro"), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(s.path("memory/ro"), 0o755) })
	p := s.plan("memory/a.md", "A2", "memory/ro/b.md", absent)
	if _, err := s.apply(p); !errors.Is(err, memsync.CodeIODenied) {
		t.Fatal(err)
	}
	s.notThere(p, head)
	s.statusEmpty()
	if s.state(p) != journal.Failed {
		t.Error(s.state(p))
	}
}

// runAs runs one test again without root's powers.
func runAs(t *testing.T, name string) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for d := filepath.Dir(dir); d != "/"; d = filepath.Dir(d) {
		if info, err := os.Stat(d); err == nil && info.Mode().Perm()&1 == 0 {
			if err := os.Chmod(d, info.Mode().Perm()|1); err != nil {
				t.Fatal(err)
			}
			defer os.Chmod(d, info.Mode().Perm())
		}
	}
	exe, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "test")
	if err := os.WriteFile(bin, exe, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "-test.run=^"+name+"$")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
