package gitlog

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"memsync"
	"memsync/gitlog/journal"
)

// logStore is a real repository with a journal, as the tests of plans need it.
type logStore struct {
	t   testing.TB
	dir string
	log *Log

	quick bool // ask no git binary where this package can say it as well
}

var planTime = time.Date(2026, 3, 7, 11, 20, 9, 1_000_000, time.UTC)

// newLogStore makes a store with these files committed ("path", "content", …).
func newLogStore(t testing.TB, files ...string) *logStore {
	s := &logStore{t: t, dir: t.TempDir()}
	s.git("init", "-q", "--template=", "-b", "main")
	s.git("config", "user.name", "Ann")
	s.git("config", "user.email", "ann@example.org")
	s.git("config", "gc.auto", "0")
	for i := 0; i < len(files); i += 2 {
		s.save(files[i], files[i+1])
	}
	s.save(".gitattributes", "*.md -text\n")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "start")
	s.open()
	return s
}

// newLogStoreOpen opens a store that is there already.
func newLogStoreOpen(t testing.TB, dir string) *logStore {
	s := &logStore{t: t, dir: dir, quick: true}
	s.open()
	return s
}

func copyDir(t testing.TB, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "store")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

func (s *logStore) open() {
	s.t.Helper()
	repo, err := Open(s.dir, Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.log = logOf(s.t, repo)
}

// logOf gives a repository a journal.
func logOf(t testing.TB, repo *Repo) *Log {
	t.Helper()
	j, err := journal.Open(filepath.Join(repo.StateDir(), "journal.db"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close(); repo.Close() })
	return &Log{Repo: repo, Journal: j}
}

// reopen is what the next process does.
func (s *logStore) reopen() {
	s.t.Helper()
	s.log.Journal.Close()
	s.log.Repo.Close()
	s.open()
}

func (s *logStore) git(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

func (s *logStore) path(p string) string { return filepath.Join(s.dir, filepath.FromSlash(p)) }

func (s *logStore) save(p, content string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(p)), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path(p), []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *logStore) read(p string) string {
	b, err := os.ReadFile(s.path(p))
	if isAbsent(err) {
		return absent
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// absent stands for no file in tables of contents.
const absent = "\x00absent"

var planCount int

// plan changes paths: "path", "content" (or absent), … The bases are what is
// on disk now, the priors what HEAD has.
func (s *logStore) plan(changes ...string) *memsync.Plan {
	s.t.Helper()
	planCount++
	return s.planNamed(planCount, changes...)
}

func (s *logStore) planNamed(n int, changes ...string) *memsync.Plan {
	s.t.Helper()
	head := ""
	if st, err := s.log.Repo.State(); err != nil {
		s.t.Fatal(err)
	} else {
		head = st.Head
	}
	actor := memsync.Actor{Class: memsync.ClassAgent, Name: "reviewer"}
	p := &memsync.Plan{
		ID: memsync.MakeID(planTime.Add(time.Duration(n)*time.Second), [10]byte{7, byte(n >> 8), byte(n)}),
		At: planTime.Add(time.Duration(n) * time.Second), Base: memsync.Revision{Commit: head}, Author: actor,
	}
	for i := 0; i < len(changes); i += 2 {
		path, after := changes[i], changes[i+1]
		f := memsync.FileChange{Path: memsync.Path(path)}
		if before := s.read(path); before != absent {
			f.Base = memsync.HashOf([]byte(before))
		}
		if entries, err := s.log.Repo.Tree(head, f.Path); err != nil {
			s.t.Fatal(err)
		} else if len(entries) == 1 {
			f.Prior = entries[0].Blob
		}
		d := memsync.Decision{Op: memsync.OpUpdate, Origin: memsync.OriginTool, Actor: actor, Scope: "global", Path: f.Path,
			Memory: memsync.MakeID(planTime, [10]byte{9, byte(i)}), Conversation: "c-1"}
		if f.Base == "" {
			d.Op = memsync.OpAdd
		}
		if after != absent {
			f.Post, f.Content = memsync.HashOf([]byte(after)), []byte(after)
		} else {
			d.Op = memsync.OpDelete
		}
		d.Base, d.Post = f.Base, f.Post
		p.Files = append(p.Files, f)
		if f.Path.Base() != "MEMORY.md" {
			d.Files = []memsync.FileChange{f}
			p.Decisions = append(p.Decisions, d)
			p.Requests = append(p.Requests, fmt.Sprint("r", n, i))
		}
	}
	return p
}

func (s *logStore) apply(p *memsync.Plan) (Applied, error) {
	return s.log.Apply(context.Background(), p, memsync.CommitAuto)
}

func (s *logStore) mustApply(p *memsync.Plan) Applied {
	s.t.Helper()
	a, err := s.apply(p)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

func (s *logStore) mustReplay() []Replayed {
	s.t.Helper()
	r, err := s.log.Replay(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *logStore) head() string {
	if !s.quick {
		return s.git("rev-parse", "HEAD")
	}
	st, err := s.log.Repo.State()
	if err != nil {
		s.t.Fatal(err)
	}
	return st.Head
}

// inHead is what HEAD has at a path.
func (s *logStore) inHead(p memsync.Path) string {
	if !s.quick {
		out, err := exec.Command("git", "-C", s.dir, "cat-file", "blob", "HEAD:"+string(p)).Output()
		if err != nil {
			return absent
		}
		return string(out)
	}
	entries, err := s.log.Repo.Tree("HEAD", p)
	if err != nil || len(entries) != 1 {
		return absent
	}
	b, err := s.log.Repo.Blob(entries[0].Blob)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// commitsOf counts the commits that carry a plan's decisions.
func (s *logStore) commitsOf(p *memsync.Plan) int {
	seen := 0
	if s.quick {
		list, err := s.log.Repo.Log(LogQuery{})
		if err != nil {
			s.t.Fatal(err)
		}
		for _, v := range list {
			for _, d := range v.Decisions() {
				if d.ID == journal.RecordID(p.ID, 0) {
					seen++
				}
			}
		}
		return seen
	}
	out := s.git("log", "--format=%(trailers:key=Memory-Decision,valueonly)")
	for _, line := range strings.Fields(out) {
		if line == journal.RecordID(p.ID, 0) {
			seen++
		}
	}
	return seen
}

func (s *logStore) state(p *memsync.Plan) journal.State {
	_, state, _, err := s.log.Journal.Plan(p.ID)
	if memsync.CodeOf(err) == memsync.CodeNotFound {
		return ""
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return state
}

// there checks that a plan is wholly there: files, one commit, journal, events.
func (s *logStore) there(p *memsync.Plan, except ...string) {
	s.t.Helper()
	for _, f := range p.Files {
		if !slices.Contains(except, string(f.Path)) && s.hash(f.Path) != f.Post {
			s.t.Errorf("%s is not at post: %q", f.Path, s.read(string(f.Path)))
		}
		want := absent
		if f.Post != "" {
			want = string(f.Content)
		}
		if have := s.inHead(f.Path); have != want {
			s.t.Errorf("HEAD has %q at %s, want %q", have, f.Path, want)
		}
	}
	want := 0 // git had all of it already
	for _, f := range p.Files {
		if f.Post != "" || f.Prior != "" {
			want = 1
		}
	}
	if n := s.commitsOf(p); n != want {
		s.t.Errorf("restart.no_duplicate_effect: %d commits carry the plan", n)
	}
	if st := s.state(p); st != journal.Applied {
		s.t.Errorf("the plan is %q", st)
	}
	s.clean(p, len(p.Decisions))
}

// notThere checks that a plan is wholly not there.
func (s *logStore) notThere(p *memsync.Plan, head string, except ...string) {
	s.t.Helper()
	for _, f := range p.Files {
		if !slices.Contains(except, string(f.Path)) && s.hash(f.Path) != f.Base {
			s.t.Errorf("%s is not at base: %q", f.Path, s.read(string(f.Path)))
		}
	}
	if s.head() != head {
		s.t.Errorf("the branch moved")
	}
	if st := s.state(p); st == journal.Applied || st == journal.Planned {
		s.t.Errorf("the plan is %q", st)
	}
	s.clean(p, 0)
}

func (s *logStore) hash(p memsync.Path) memsync.Hash {
	if b := s.read(string(p)); b != absent {
		return memsync.HashOf([]byte(b))
	}
	return ""
}

var leftover = regexp.MustCompile(`^\.memsync-|\.lock$|^memsync-.*\.tmp$`)

// clean checks what holds after every ending: nothing left over, no plan open,
// git content, and one event a decision.
func (s *logStore) clean(p *memsync.Plan, events int) {
	s.t.Helper()
	filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && leftover.MatchString(d.Name()) && d.Name() != "clean.lock" {
			s.t.Errorf("left behind: %s", path)
		}
		return nil
	})
	if n, err := s.log.Journal.Pending(); n != 0 || err != nil {
		s.t.Errorf("%d plans are open, %v", n, err)
	}
	if err := s.log.Journal.Check(); err != nil {
		s.t.Error(err)
	}
	if !s.quick {
		if out := s.git("fsck", "--strict", "--no-dangling"); out != "" {
			s.t.Errorf("fsck: %s", out)
		}
	}
	all, err := s.log.Journal.Events(0, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	n := 0
	for _, e := range all {
		if e.Plan == p.ID {
			n++
		}
	}
	if n != events {
		s.t.Errorf("restart.no_duplicate_effect: %d events tell of the plan, want %d", n, events)
	}
}

func (s *logStore) statusEmpty() {
	s.t.Helper()
	if out := s.git("status", "--porcelain"); out != "" {
		s.t.Errorf("git status: %s", out)
	}
}

// copies are the contents of held copies, by path.
func (s *logStore) copies() map[string][]string {
	list, err := s.log.Journal.HeldCopies()
	if err != nil {
		s.t.Fatal(err)
	}
	out := map[string][]string{}
	for _, h := range list {
		b, _, err := s.log.Journal.Content(h.Hash)
		if err != nil {
			s.t.Fatal(err)
		}
		out[string(h.Path)] = append(out[string(h.Path)], string(b))
	}
	return out
}
