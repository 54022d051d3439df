package gitlog

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memsync"
)

// scene is a repository on disk, the store in it, and real git to judge both.
type scene struct {
	t    testing.TB
	top  string // work tree
	root string // store
	env  []string
	bin  string
	repo *Repo
	when time.Time
	opt  Options
	way  func(*way)
}

// testEnv is an environment in which no configuration of this machine counts.
func testEnv(t testing.TB) []string {
	home := t.TempDir()
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org",
		"GIT_CONFIG_GLOBAL=" + filepath.Join(home, ".gitconfig"),
	}
}

func newScene(t testing.TB, initArgs ...string) *scene {
	t.Helper()
	bin, err := exec.LookPath("git")
	if err != nil {
		t.Fatal("these tests judge by real git: ", err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	top := filepath.Join(dir, "work")
	s := &scene{t: t, top: top, root: top, env: testEnv(t), bin: bin, when: time.Date(2026, 3, 7, 12, 0, 0, 0, time.FixedZone("", 3600))}
	if err := os.MkdirAll(top, 0o777); err != nil {
		t.Fatal(err)
	}
	s.git(append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
	return s
}

// open opens the store, below the top when sub is not empty.
func (s *scene) open(sub ...string) *scene {
	s.t.Helper()
	s.root = filepath.Join(append([]string{s.top}, sub...)...)
	if err := os.MkdirAll(s.root, 0o777); err != nil {
		s.t.Fatal(err)
	}
	opt := s.opt
	opt.Env = s.env
	r, err := Open(s.root, opt)
	if err != nil {
		s.t.Fatal(err)
	}
	r.force = s.way
	r.lockWait = 20 * time.Millisecond
	s.t.Cleanup(func() { r.Close() })
	s.repo = r
	return s
}

func (s *scene) git(args ...string) string {
	s.t.Helper()
	out, err := s.tryGit(args...)
	if err != nil {
		s.t.Fatalf("git %v: %v", args, err)
	}
	return out
}

func (s *scene) tryGit(args ...string) (string, error) {
	cmd := exec.Command(s.bin, args...)
	cmd.Dir, cmd.Env = s.top, s.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), errors.New(err.Error() + ": " + errs.String())
	}
	return strings.TrimRight(out.String(), "\n"), nil
}

// write puts a file into the work tree, a path relative to the store.
func (s *scene) write(name, content string) {
	s.t.Helper()
	file := filepath.Join(s.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

// change is "name", "content" pairs; content "\x00gone" removes.
const gone = "\x00gone"

// commit writes the files and commits them, as the plan writer does.
func (s *scene) commit(pairs ...string) (Committed, error) {
	s.t.Helper()
	c := Commit{Plan: "01JNB2Q0T7ZC4X9V8M5H3K2RDF", Message: "memory(global): add user/x\n\nMemory-Op: add\n",
		Author: Ident{"Grace Hopper", "grace@example.org"}, When: s.when}
	s.when = s.when.Add(time.Minute)
	if head, err := s.tryGit("rev-parse", "-q", "--verify", "HEAD"); err == nil {
		c.Parent = head
	}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == gone {
			os.Remove(filepath.Join(s.root, filepath.FromSlash(pairs[i])))
			c.Changes = append(c.Changes, Change{Path: memsync.Path(pairs[i])})
			continue
		}
		s.write(pairs[i], pairs[i+1])
		c.Changes = append(c.Changes, Change{memsync.Path(pairs[i]), []byte(pairs[i+1])})
	}
	return s.repo.Commit(context.Background(), c)
}

// must commits and checks what has to be true after every commit.
func (s *scene) must(pairs ...string) Committed {
	s.t.Helper()
	done, err := s.commit(pairs...)
	if err != nil {
		s.t.Fatalf("Commit: %v", err)
	}
	s.check(done, pairs...)
	return done
}

// check: HEAD is the commit, the files are in it, git status is clean for
// them, git fsck has nothing to say, nothing is left lying in the git
// directory.
func (s *scene) check(done Committed, pairs ...string) {
	s.t.Helper()
	if head := s.git("rev-parse", "HEAD"); head != done.ID {
		s.t.Fatalf("HEAD is %s, committed %s", head, done.ID)
	}
	for i := 0; i < len(pairs); i += 2 {
		name := string(s.repo.prefix.Join(pairs[i]))
		got, err := s.tryGit("rev-parse", "--verify", "-q", "HEAD:"+name)
		want := done.Blobs[memsync.Path(pairs[i])]
		if pairs[i+1] == gone {
			if err == nil {
				s.t.Fatalf("%q is still in HEAD", name)
			}
		} else if got != want {
			s.t.Fatalf("HEAD has %q for %q, committed %q", got, name, want)
		}
		if out := s.git("--literal-pathspecs", "status", "--porcelain=v1", "-z", "-uall", "--", filepath.Join(s.root, filepath.FromSlash(pairs[i]))); out != "" {
			s.t.Fatalf("status of %q is not clean: %q", pairs[i], out)
		}
	}
	s.sound()
}

func (s *scene) sound() {
	s.t.Helper()
	cmd := exec.Command(s.bin, "fsck", "--strict", "--no-dangling", "--no-progress")
	cmd.Dir, cmd.Env = s.top, s.env
	if out, err := cmd.CombinedOutput(); err != nil || len(bytes.TrimSpace(out)) > 0 {
		for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			if line != "" && !strings.HasPrefix(line, "notice:") {
				s.t.Fatalf("git fsck: %v: %s", err, out)
			}
		}
	}
	entries, err := os.ReadDir(s.repo.gitDir)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "memsync-") || strings.HasSuffix(e.Name(), ".lock") {
			s.t.Fatalf("left in the git directory: %s", e.Name())
		}
	}
}

func wantCode(t testing.TB, err error, code memsync.Code) *memsync.Error {
	t.Helper()
	if memsync.CodeOf(err) != code {
		t.Fatalf("error is %v (%s), want %s", err, memsync.CodeOf(err), code)
	}
	var e *memsync.Error
	errors.As(err, &e)
	return e
}

// allGit makes every step go through the binary.
func allGit(w *way) { w.objects, w.commit, w.index, w.refs = true, true, true, true }

// backends runs a story once natively and once through the git binary.
func backends(t *testing.T, story func(t *testing.T, s *scene), initArgs ...string) {
	t.Run("native", func(t *testing.T) { t.Parallel(); story(t, newScene(t, initArgs...)) })
	t.Run("git", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, initArgs...)
		s.way = allGit
		story(t, s)
	})
}

func pathOf(name string) memsync.Path { return memsync.Path(name) }

// sparingly bounds how often a costly property is tried when nobody has asked
// for more with -rapid.checks.
func sparingly(most int) (enough func() bool) {
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	n := 0
	return func() bool { n++; return n > most && !asked }
}
