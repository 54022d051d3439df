//go:build linux || darwin

package gitlog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"memsync"
	"memsync/gitlog/journal"
)

// A scenario is a store and a plan. Built twice from the same directory it is
// the same plan, so that a child process can die of it.
type scenario struct {
	name    string
	files   []string // committed
	saves   []string // on disk, not committed: a person's
	changes []string
	forget  bool
}

var scenarios = []scenario{
	{name: "add", changes: []string{"memory/user_a.md", "A"}},
	{name: "update", files: []string{"memory/user_a.md", "A"}, changes: []string{"memory/user_a.md", "B"}},
	{name: "rename", files: []string{"memory/user_a.md", "A"}, changes: []string{"memory/user_a.md", absent, "memory/user_b.md", "A"}},
	{name: "delete", files: []string{"memory/user_a.md", "A"}, changes: []string{"memory/user_a.md", absent}},
	{name: "batch of three", files: []string{"memory/user_a.md", "A", "memory/user_b.md", "B", "memory/MEMORY.md", "- a\n"},
		changes: []string{"memory/user_a.md", "A2", "memory/user_b.md", absent, "memory/new/user_c.md", "C", "memory/MEMORY.md", "- c\n"}},
	{name: "save", files: []string{"memory/user_a.md", "A"}, saves: []string{"memory/user_a.md", "A by hand"},
		changes: []string{"memory/user_a.md", "A by hand", "memory/MEMORY.md", "- a\n"}},
	{name: "save that gets an id", saves: []string{"memory/user_a.md", "by hand"}, changes: []string{"memory/user_a.md", "by hand, with id"}},
	{name: "forget", files: []string{"memory/user_a.md", "the text to forget", "memory/MEMORY.md", "- a\n"}, forget: true,
		changes: []string{"memory/user_a.md", absent, "memory/MEMORY.md", "\n", "memory/_system/ledger/2026-03.X.jsonl", "{}\n"}},
}

// prepared makes a scenario's directory, from which copies are taken.
func (sc scenario) prepared(t testing.TB) string {
	s := newLogStore(t, sc.files...)
	for i := 0; i < len(sc.saves); i += 2 {
		s.save(sc.saves[i], sc.saves[i+1])
	}
	s.log.Journal.Close()
	s.log.Repo.Close()
	return s.dir
}

// at opens a copy of a prepared directory.
func (sc scenario) at(t testing.TB, dir string) *logStore {
	return newLogStoreOpen(t, dir)
}

func (sc scenario) plan(s *logStore) *memsync.Plan {
	p := s.planNamed(1, sc.changes...)
	if sc.forget {
		p.Forget = []memsync.ID{p.Decisions[0].Memory}
	}
	return p
}

const (
	envDir      = "MEMSYNC_TEST_CRASH_DIR"
	envScenario = "MEMSYNC_TEST_CRASH_SCENARIO"
	envStep     = "MEMSYNC_TEST_CRASH_STEP"
)

// TestCrashChild is the process that dies: at step N of Apply it kills itself
// with a signal that nothing can catch. Without the environment it is no test.
func TestCrashChild(t *testing.T) {
	dir := os.Getenv(envDir)
	if dir == "" {
		return
	}
	n, _ := strconv.Atoi(os.Getenv(envStep))
	die := func(name string) {
		if n--; n < 0 {
			fmt.Println("died at", name)
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	for _, sc := range scenarios {
		if sc.name == os.Getenv(envScenario) {
			s := sc.at(t, dir)
			p := sc.plan(s)
			step, s.log.Repo.pause = die, func(at string) { die("git " + at) }
			s.mustApply(p)
		}
	}
}

// restart.no_duplicate_effect, Q65, law 6: the process is killed at every step
// of writing a plan; after a restart the plan is wholly there or wholly not, and
// nothing happened twice.
func TestAcceptance_restart_no_duplicate_effect(t *testing.T) {
	for _, sc := range scenarios {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel() // the steps are the children's
			template := sc.prepared(t)
			p := sc.plan(sc.at(t, copyDir(t, template)))
			for n := 0; ; n += killEvery {
				dir := copyDir(t, template)
				where := runChild(t, sc.name, dir, n)
				if where == "" {
					if n < 8 {
						t.Fatalf("only %d steps", n)
					}
					break
				}
				s := sc.at(t, dir)
				s.quick = !strings.HasPrefix(where, "git ")
				begun := s.state(p)
				r := s.mustReplay()
				s.t = namedT{t, where}
				switch {
				case begun == "":
					if len(r) != 0 {
						s.t.Errorf("replayed what was never begun: %+v", r)
					}
					s.notThere(p, p.Base.Commit)
				default:
					if begun == journal.Planned && (len(r) != 1 || r[0].Outcome != journal.Applied || r[0].Commit == "") {
						s.t.Errorf("replay says %+v", r)
					}
					s.there(p)
					if !s.quick {
						s.statusEmpty()
					}
				}
				head := s.head()
				if again := s.mustReplay(); len(again) != 0 || s.head() != head {
					s.t.Errorf("a second replay did %+v", again)
				}
				if sc.forget && begun != "" {
					if raw, _ := os.ReadFile(s.path(".git/memsync/journal.db")); strings.Contains(string(raw), "the text to forget") {
						s.t.Errorf("the journal still says it")
					}
				}
			}
		})
	}
}

// namedT says at which step a check failed.
type namedT struct {
	testing.TB
	where string
}

func (n namedT) Errorf(format string, args ...any) {
	n.TB.Helper()
	n.TB.Errorf("%s: "+format, append([]any{n.where}, args...)...)
}

// rapidT reports to rapid, so that it can look for a smaller case.
type rapidT struct {
	testing.TB
	rt *rapid.T
}

func (r rapidT) Errorf(format string, args ...any) { r.rt.Errorf(format, args...) }
func (r rapidT) Error(args ...any)                 { r.rt.Error(args...) }
func (r rapidT) Fatalf(format string, args ...any) { r.rt.Fatalf(format, args...) }
func (r rapidT) Fatal(args ...any)                 { r.rt.Fatal(args...) }

func runChild(t *testing.T, scenario, dir string, n int) (where string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestCrashChild$")
	cmd.Env = append(os.Environ(), envDir+"="+dir, envScenario+"="+scenario, envStep+"="+strconv.Itoa(n))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the child did not die as it should: %v\n%s", err, out)
	}
	for _, line := range strings.Split(string(out), "\n") {
		if where, ok := strings.CutPrefix(line, "died at "); ok {
			return where
		}
	}
	return "?"
}

// frozen runs do until its n-th step and leaves it there for ever, as a killed
// process leaves its files; false when it ended before.
func frozen(s *logStore, n int, do func()) (where string, ok bool) {
	at := make(chan string, 1)
	ended := make(chan struct{})
	step = func(name string) {
		if n--; n < 0 {
			step = nil
			at <- name
			select {}
		}
	}
	go func() { defer func() { close(ended) }(); do() }()
	select {
	case where = <-at:
		s.log.Journal.Close() // the kernel would let go of the lock
		return where, true
	case <-ended:
		step = nil
		return "", false
	}
}

// P11: a crash between journal and file, then a hand edit, then a restart. The
// hand edit wins, the decision is closed as superseded, nothing is overwritten.
func TestP11_HandEditAfterCrash(t *testing.T) {
	for _, sc := range scenarios {
		if sc.name == "save" {
			continue // its own bytes are committed whatever came after them, see TestApplySave
		}
		for _, exchange := range []bool{true, false} {
			name := sc.name
			if !exchange {
				name += ", no exchange"
			}
			t.Run(name, func(t *testing.T) {
				noExchange = !exchange
				defer func() { noExchange = false }()
				template := sc.prepared(t)
				for n := 0; ; n += killEvery {
					s := sc.at(t, copyDir(t, template))
					p := sc.plan(s)
					where, died := frozen(s, n, func() { s.apply(p) })
					if !died {
						break
					}
					s.reopen()
					s.t = namedT{t, where}
					before := s.state(p)
					hand := string(p.Files[0].Path)
					s.save(hand, "hand edit")
					head := s.head()
					r := s.mustReplay()
					if got := s.read(hand); got != "hand edit" {
						s.t.Errorf("the hand edit became %q", got)
					}
					switch {
					case before == journal.Applied || head != p.Base.Commit:
						s.there(p, hand)
					case before == journal.Planned:
						s.notThere(p, head, hand)
						if len(r) != 1 || r[0].Outcome != journal.Superseded || s.state(p) != journal.Superseded {
							s.t.Errorf("replay says %+v", r)
						}
						s.everyVersionKept(p)
					}
				}
			})
		}
	}
}

// everyVersionKept checks that what a superseded plan would have written, and
// what it would have replaced, is on disk, in git or in the journal.
func (s *logStore) everyVersionKept(p *memsync.Plan) {
	s.t.Helper()
	for _, f := range p.Files {
		if f.Post != "" && s.hash(f.Path) != f.Post {
			if b, ok, err := s.log.Journal.Content(f.Post); !ok || err != nil || string(b) != string(f.Content) {
				s.t.Errorf("the content of %s is lost", f.Path)
			}
		}
		if f.Base != "" && s.hash(f.Path) != f.Base {
			if _, ok, err := s.log.bytesOf(f.Base, f.Prior); !ok || err != nil {
				s.t.Errorf("what %s was is lost", f.Path)
			}
		}
	}
}

// A replay that dies is replayed.
func TestReplayDies(t *testing.T) {
	for _, sc := range scenarios {
		if sc.name != "batch of three" && sc.name != "save that gets an id" {
			continue
		}
		for _, hand := range []bool{false, true} {
			t.Run(fmt.Sprint(sc.name, " hand ", hand), func(t *testing.T) {
				template := sc.prepared(t)
				for n := 0; ; n += killEvery {
					// Every step of Apply with a spread of steps of Replay.
					s := sc.at(t, copyDir(t, template))
					p := sc.plan(s)
					first, died := frozen(s, n, func() { s.apply(p) })
					if !died {
						break
					}
					s.reopen()
					if s.state(p) != journal.Planned {
						continue
					}
					if hand {
						s.save(string(p.Files[0].Path), "hand edit")
					}
					second, died := frozen(s, n%5, func() { s.log.Replay(context.Background()) })
					s.reopen()
					s.t = namedT{t, first + ", then " + second}
					s.mustReplay()
					if got := s.read(string(p.Files[0].Path)); hand && got != "hand edit" {
						s.t.Errorf("the hand edit became %q", got)
					}
					var except []string
					if hand {
						except = []string{string(p.Files[0].Path)}
					}
					if s.state(p) == journal.Applied {
						s.there(p, except...)
					} else {
						s.notThere(p, p.Base.Commit, except...)
						if !hand && died {
							s.t.Errorf("superseded for no reason")
						}
					}
				}
			})
		}
	}
}

// Random plans, random deaths, random hands: always wholly there or wholly
// not, never a person's byte lost.
func TestReplayProperty(t *testing.T) {
	template := newLogStore(t, "memory/a.md", "A0", "memory/b.md", "B0", "memory/c.md", "C0", "other/d.md", "D0")
	template.log.Journal.Close()
	template.log.Repo.Close()
	paths := []string{"memory/a.md", "memory/b.md", "memory/c.md", "other/d.md", "memory/new.md", "deep/er/e.md"}
	rapid.Check(t, func(rt *rapid.T) {
		s := newLogStoreOpen(rapidT{t, rt}, copyDir(t, template.dir))
		defer func() { noExchange = false }()
		noExchange = rapid.Bool().Draw(rt, "no exchange")
		for round := range rapid.IntRange(1, 3).Draw(rt, "rounds") {
			var changes []string
			for _, path := range paths {
				switch rapid.IntRange(0, 4).Draw(rt, path) {
				case 0:
					changes = append(changes, path, fmt.Sprint(path, round))
				case 1:
					if s.read(path) != absent {
						changes = append(changes, path, absent)
					}
				case 2: // a save that was not accepted yet
					s.save(path, fmt.Sprint("unaccepted ", path, round))
				}
			}
			if len(changes) == 0 {
				continue
			}
			p := s.planNamed(round+1, changes...)
			before := s.head()
			_, died := frozen(s, rapid.IntRange(0, 40).Draw(rt, "step"), func() { s.apply(p) })
			s.reopen()
			hand := ""
			if died && rapid.Bool().Draw(rt, "hand") {
				hand = rapid.SampledFrom(paths).Draw(rt, "hand path")
				s.save(hand, fmt.Sprint("hand ", round))
			}
			if _, err := s.log.Replay(context.Background()); err != nil {
				rt.Fatal(err)
			}
			if hand != "" && s.read(hand) != fmt.Sprint("hand ", round) {
				rt.Fatalf("the hand edit of %s became %q", hand, s.read(hand))
			}
			switch s.state(p) {
			case journal.Applied:
				s.there(p, hand)
			case "":
				s.notThere(p, before, hand)
			default:
				s.notThere(p, before, hand)
				s.everyVersionKept(p)
				if hand == "" {
					rt.Fatalf("superseded for no reason")
				}
			}
		}
		s.log.Journal.Close()
	})
}

// What a person did with git between the crash and the restart.
func TestReplayAfterGit(t *testing.T) {
	for _, c := range []struct {
		name string
		die  string // step at which the process dies
		do   func(s *logStore)
		want journal.State
		made bool // a commit of the plan's own
	}{
		{"committed our files by hand", "synced", func(s *logStore) { s.git("add", "memory/a.md", "memory/new.md"); s.git("commit", "-qm", "mine") }, journal.Applied, false},
		{"committed one of our files by hand", "synced", func(s *logStore) { s.git("commit", "-qm", "mine", "memory/a.md") }, journal.Applied, true},
		{"committed elsewhere", "synced", func(s *logStore) { s.save("x.txt", "x"); s.git("add", "x.txt"); s.git("commit", "-qm", "mine") }, journal.Applied, true},
		{"amended the commit that was not noted", "committed", func(s *logStore) {
			msg := s.git("log", "-1", "--format=%B")
			s.git("commit", "-q", "--amend", "-m", strings.Replace(msg, "memory", "reworded", 1))
		}, journal.Applied, true},
		{"committed on top of it", "committed", func(s *logStore) { s.save("x.txt", "x"); s.git("add", "x.txt"); s.git("commit", "-qm", "mine") }, journal.Applied, true},
		{"threw the change away", "synced", func(s *logStore) { s.git("checkout", "-q", "--", "memory/a.md") }, journal.Applied, true},
		{"changed the path in a commit", "begun", func(s *logStore) { s.save("memory/a.md", "mine"); s.git("commit", "-qam", "mine") }, journal.Superseded, false},
		{"went to another branch", "begun", func(s *logStore) { s.git("checkout", "-q", "--orphan", "other"); s.git("commit", "-qm", "other") }, journal.Superseded, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newLogStore(t, "memory/a.md", "A")
			p := s.plan("memory/a.md", "B", "memory/new.md", "N")
			for n := 0; ; n++ {
				dir := copyDir(t, s.dir)
				try := newLogStoreOpenAfter(s, dir)
				where, died := frozen(try, n, func() { try.apply(p) })
				if !died {
					t.Fatalf("no step %s", c.die)
				}
				if !strings.HasPrefix(where, c.die) {
					continue
				}
				try.reopen()
				c.do(try)
				head := try.head()
				r := try.mustReplay()
				if len(r) != 1 || r[0].Outcome != c.want {
					t.Fatalf("replay says %+v", r)
				}
				want := 0
				if c.made {
					want = 1
				}
				if n := try.commitsOf(p); n != want {
					t.Errorf("%d commits carry the plan, want %d", n, want)
				}
				if c.want == journal.Applied {
					if a, b := try.read("memory/a.md"), try.read("memory/new.md"); a != "B" || b != "N" {
						t.Errorf("on disk %q %q", a, b)
					}
					try.statusEmpty()
					try.clean(p, 2)
				} else if try.head() != head || try.read("memory/new.md") != absent {
					t.Error("something is left of the plan")
				}
				return
			}
		})
	}
}

// newLogStoreOpenAfter opens a copy of a store that is open.
func newLogStoreOpenAfter(s *logStore, dir string) *logStore {
	os.Remove(filepath.Join(dir, ".git", "memsync", "journal.db"))
	return newLogStoreOpen(s.t, dir)
}

// While the repository is paused a replay waits.
func TestReplayWaitsForAPause(t *testing.T) {
	s := newLogStore(t, "memory/a.md", "A")
	p := s.plan("memory/a.md", "B")
	s.log.Journal.Begin(p, memsync.CommitAuto, nil)
	s.saveGit("MERGE_HEAD", s.head())
	if _, err := s.log.Replay(context.Background()); !errors.Is(err, memsync.CodeStorePaused) {
		t.Fatal(err)
	}
	if s.read("memory/a.md") != "A" || s.state(p) != journal.Planned {
		t.Error("something was done")
	}
	os.Remove(s.path(".git/MERGE_HEAD"))
	s.mustReplay()
	s.there(p)
}

// After a power failure a removed name may be back although its plan is closed.
func TestSweep(t *testing.T) {
	s := newLogStore(t, "memory/a.md", "A")
	p := s.plan("memory/a.md", "B")
	s.mustApply(p)
	s.save("memory/.memsync-"+string(p.ID)+"-0.tmp", "B")
	s.save("memory/.memsync-"+string(p.ID)+"-0.old", "somebody's")
	s.save("memory/.memsync-01J00000000000000000000001-0.old", "another journal's")
	s.mustReplay()
	if s.read("memory/.memsync-01J00000000000000000000001-0.old") == absent {
		t.Error("not ours to remove")
	}
	os.Remove(s.path("memory/.memsync-01J00000000000000000000001-0.old"))
	if have := s.copies()["memory/a.md"]; len(have) != 1 || have[0] != "somebody's" {
		t.Errorf("law 5: %q", have)
	}
	s.there(p)
}
