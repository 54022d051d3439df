package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// killSteps are the system calls by which a plan becomes durable. A process
// killed before any of them leaves the store in one more state to come back
// from.
var killSteps = []string{"fsync", "fdatasync", "sync_file_range", "syncfs", "pwrite64", "renameat", "renameat2", "linkat", "unlinkat", "mkdirat", "openat"}

// crash is one command that is killed at every step.
type crash struct {
	name    string
	prepare func(t *testing.T, s crashStore) // brings the store to where the command starts
	command []string
	person  bool // the command needs a terminal
	// done and undone say how the store may look afterwards; exactly one must
	// hold once `up --once` ran.
	done, undone func(s crashStore) error
	commits      int // that the command makes
}

type crashStore struct {
	t   *testing.T
	dir string
}

const crashMemory = "---\nname: Alpha\ndescription: The first one\ntype: feedback\n---\n\nThe first line of alpha.\n"

var crashes = []crash{
	{name: "add", commits: 1,
		prepare: func(t *testing.T, s crashStore) {
			s.write("memory/feedback_new.md", strings.ReplaceAll(crashMemory, "lpha", "mega"))
		},
		command: []string{"up", "--once"},
		done:    func(s crashStore) error { return s.committed("memory/feedback_new.md", "The first line of amega.") },
	},
	{name: "update", commits: 1,
		prepare: func(t *testing.T, s crashStore) { s.edit("memory/feedback_alpha.md", "first line", "second line") },
		command: []string{"up", "--once"},
		done:    func(s crashStore) error { return s.committed("memory/feedback_alpha.md", "The second line of alpha.") },
	},
	{name: "delete", commits: 1,
		prepare: func(t *testing.T, s crashStore) { s.remove("memory/feedback_alpha.md") },
		command: []string{"up", "--once"},
		done:    func(s crashStore) error { return s.gone("memory/feedback_alpha.md") },
	},
	{name: "write", commits: 1,
		command: []string{"write", "Beta", "--type", "user", "--description", "The second one", "--content", "A line of beta."},
		done:    func(s crashStore) error { return s.committed("memory/user_beta.md", "A line of beta.") },
		undone:  func(s crashStore) error { return s.gone("memory/user_beta.md") },
	},
	{name: "rename", commits: 1,
		command: []string{"rename", "alpha", "Gamma"},
		done: func(s crashStore) error {
			if err := s.gone("memory/feedback_alpha.md"); err != nil {
				return err
			}
			return s.committed("memory/feedback_gamma.md", "The first line of alpha.")
		},
		undone: func(s crashStore) error {
			if err := s.gone("memory/feedback_gamma.md"); err != nil {
				return err
			}
			return s.committed("memory/feedback_alpha.md", "The first line of alpha.")
		},
	},
	{name: "batch", commits: 1,
		command: []string{"batch", "alpha", "--operations", `[{"action":"add","content":"More."},{"action":"replace","old_text":"first","content":"third"}]`},
		done: func(s crashStore) error {
			return s.committed("memory/feedback_alpha.md", "The third line of alpha.", "More.")
		},
		undone: func(s crashStore) error { return s.committed("memory/feedback_alpha.md", "The first line of alpha.") },
	},
	{name: "forget", commits: 1, person: true,
		command: []string{"forget", "alpha", "--yes"},
		done:    func(s crashStore) error { return s.gone("memory/feedback_alpha.md") },
		undone:  func(s crashStore) error { return s.committed("memory/feedback_alpha.md", "The first line of alpha.") },
	},
}

// TestCrash is law 6 and restart.no_duplicate_effect on the real process: it is
// killed with SIGKILL before the nth call of each kind that makes a plan
// durable, for every n (here every crashStride-th), and afterwards the edit is
// there once, wholly, or not at all.
func TestCrash(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Fatal("strace is needed to kill the process at a system call: apt-get install strace")
	}
	bin := command
	for i, c := range crashes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			template := crashStore{t, t.TempDir()}
			template.memsync(bin, "init", template.dir)
			template.write("memory/feedback_alpha.md", crashMemory)
			template.write("memory/feedback_other.md", strings.ReplaceAll(crashMemory, "lpha", "nother"))
			template.memsync(bin, "up", "--once")
			if c.prepare != nil {
				c.prepare(t, template)
			}
			killed, turn := 0, i
			for _, call := range killSteps {
				for n := 1; ; n++ {
					if turn++; turn%crashStride != 0 && n > 1 {
						continue
					}
					s := crashStore{t, filepath.Join(t.TempDir(), "store")}
					mustRun(t, "", "cp", "-a", template.dir, s.dir)
					if !s.kill(strace, bin, c, call, n) {
						break
					}
					killed++
					s.recover(bin, c, fmt.Sprintf("%s %d", call, n))
				}
			}
			if killed < 6 {
				t.Fatalf("killed %d times only: the injection does not work", killed)
			}
			t.Logf("killed %d times", killed)
		})
	}
}

// kill runs the command and kills it before a thread's nth call of one kind. It
// reports whether the command was killed.
func (s crashStore) kill(strace, bin string, c crash, call string, n int) bool {
	args := []string{"-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call, "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n), bin}
	args = append(args, c.command...)
	cmd := exec.Command(strace, args...)
	if c.person {
		// script gives the command a terminal of its own.
		line := strace
		for _, a := range args {
			line += " '" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		cmd = exec.Command("script", "-qec", line, "/dev/null")
	}
	cmd.Dir, cmd.Env = s.dir, crashEnv(s.dir)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	if code := cmd.ProcessState.ExitCode(); code != -1 && code != 137 {
		s.t.Fatalf("%s %d: %v: exit %d\n%s", call, n, c.command, code, out)
	}
	return true
}

// recover is what the next command does, and what must be so afterwards.
func (s crashStore) recover(bin string, c crash, at string) {
	s.t.Helper()
	fail := func(format string, args ...any) {
		s.t.Helper()
		s.t.Fatalf("killed at %s: %s\n%s", at, fmt.Sprintf(format, args...), s.output("git", "log", "--stat", "--format=%h %s"))
	}
	before := strings.TrimSpace(s.output("git", "rev-list", "--count", "HEAD"))
	if out, err := s.try(bin, "up", "--once"); err != nil {
		fail("up --once: %v\n%s", err, out)
	}
	done := c.done(s)
	var undone error = fmt.Errorf("a save is never undone")
	if c.undone != nil {
		undone = c.undone(s)
	}
	if (done == nil) == (undone == nil) {
		fail("neither wholly there nor wholly not: %v; %v", done, undone)
	}
	want := 2 // init and the template's save
	if done == nil {
		want += c.commits
	}
	if got := strings.TrimSpace(s.output("git", "rev-list", "--count", "HEAD")); got != fmt.Sprint(want) {
		fail("%s commits, want %d (%s before recovery)", got, want, before)
	}
	if out := s.output("git", "status", "--porcelain"); out != "" {
		fail("git status: %s", out)
	}
	if out := s.output("git", "fsck", "--strict", "--no-dangling"); strings.TrimSpace(out) != "" {
		fail("git fsck: %s", out)
	}
	if out, err := s.try(bin, "search", "-q", "anything"); err != nil {
		fail("search: %v\n%s", err, out)
	}
	if out, err := s.try(bin, "doctor"); err != nil {
		fail("doctor: %v\n%s", err, out)
	}
}

func (s crashStore) write(p, content string) {
	s.t.Helper()
	full := filepath.Join(s.dir, p)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s crashStore) edit(p, old, now string) {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, p))
	if err != nil || !strings.Contains(string(data), old) {
		s.t.Fatalf("edit %s: %v", p, err)
	}
	s.write(p, strings.Replace(string(data), old, now, 1))
}

func (s crashStore) remove(p string) {
	s.t.Helper()
	if err := os.Remove(filepath.Join(s.dir, p)); err != nil {
		s.t.Fatal(err)
	}
}

// committed reports whether HEAD and disk hold a file with these lines, and
// MEMORY.md lists it once.
func (s crashStore) committed(p string, lines ...string) error {
	data, err := os.ReadFile(filepath.Join(s.dir, p))
	if err != nil {
		return err
	}
	for _, l := range lines {
		if strings.Count(string(data), l) != 1 {
			return fmt.Errorf("%s has %q %d times", p, l, strings.Count(string(data), l))
		}
	}
	if head, err := exec.Command("git", "-C", s.dir, "show", "HEAD:"+p).Output(); err != nil || !bytes.Equal(head, data) {
		return fmt.Errorf("%s: HEAD has other bytes", p)
	}
	if n := s.listed(p); n != 1 {
		return fmt.Errorf("%s is listed %d times", p, n)
	}
	return nil
}

// gone reports whether neither disk nor HEAD nor MEMORY.md knows the file.
func (s crashStore) gone(p string) error {
	if _, err := os.Lstat(filepath.Join(s.dir, p)); err == nil {
		return fmt.Errorf("%s is on disk", p)
	}
	if exec.Command("git", "-C", s.dir, "cat-file", "-e", "HEAD:"+p).Run() == nil {
		return fmt.Errorf("%s is at HEAD", p)
	}
	if n := s.listed(p); n != 0 {
		return fmt.Errorf("%s is listed %d times", p, n)
	}
	return nil
}

func (s crashStore) listed(p string) int {
	data, err := os.ReadFile(filepath.Join(s.dir, "memory", "MEMORY.md"))
	if err != nil {
		return 0
	}
	return strings.Count(string(data), "]("+filepath.Base(p)+")")
}

func (s crashStore) memsync(bin string, args ...string) {
	s.t.Helper()
	if out, err := s.try(bin, args...); err != nil {
		s.t.Fatalf("memsync %v: %v\n%s", args, err, out)
	}
}

func (s crashStore) try(bin string, args ...string) (string, error) {
	cmd := exec.Command(bin, args...)
	cmd.Dir, cmd.Env = s.dir, crashEnv(s.dir)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (s crashStore) output(name string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = s.dir, crashEnv(s.dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// crashEnv is the environment of somebody who is no agent.
func crashEnv(dir string) []string {
	home := filepath.Join(filepath.Dir(dir), "home")
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "MEMSYNC_HOME=" + filepath.Join(home, "memsync"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org", "LC_ALL=C", "TERM=dumb", "GOMAXPROCS=1"}
}

func mustRun(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}
