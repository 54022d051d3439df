//go:build linux || darwin

package gitlog

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"memsync"
	"memsync/gitlog/journal"
)

const (
	envTip  = "MEMSYNC_TEST_CRASH_TIP"
	envPack = "MEMSYNC_TEST_CRASH_PACK" // new objects are one pack, however few they are
)

var joinPlan = memsync.MakeID(planTime, [10]byte{6})

// TestJoinCrashChild is the process that dies at step N of taking over a tip.
// Without the environment it is no test.
func TestJoinCrashChild(t *testing.T) {
	dir, tip := os.Getenv(envDir), os.Getenv(envTip)
	if dir == "" || tip == "" {
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
	if os.Getenv(envPack) != "" {
		packedFrom = 1
	}
	s := newLogStoreOpen(t, dir)
	step, s.log.Repo.pause = die, func(at string) { die("git " + at) }
	if _, err := s.log.Join(context.Background(), JoinRequest{Plan: joinPlan, At: planTime, Tip: tip}); err != nil {
		t.Fatal(err)
	}
}

const packedJoin = "join, one pack"

// Killed at any step, a join is wholly there or wholly not, and joining again
// comes to the same commit. The files that somebody saved are never touched.
func TestJoinKilledAnywhere(t *testing.T) {
	base := []string{"memory/user_a.md", memo(joinID, "A", "one\n\ntwo\n\nthree"), "memory/user_d.md", "D\n", "memory/user_x.md", "x\n"}
	theirs := []string{"memory/user_a.md", memo(joinID, "A", "one\n\ntwo\n\nTHREE"), "memory/user_d.md", "D2\n", "memory/new/user_n.md", "n\n", "memory/user_x.md", absent}
	both := []string{"memory/user_a.md", memo(joinID, "A", "ONE\n\ntwo\n\nthree"), "mine.md", "m\n"}
	for name, mine := range map[string][]string{"join": both, packedJoin: both, "fast-forward": nil} {
		t.Run(name, func(t *testing.T) {
			a, _, tip := pairOf(t, base, mine, theirs)
			a.save("memory/user_d.md", "D by hand\n")
			a.log.Journal.Close()
			a.log.Repo.Close()
			template, head := a.dir, a.git("rev-parse", "HEAD")
			whole := newLogStoreOpen(t, copyDir(t, template)).mustJoin(tip)
			for n := 0; ; n += killEvery {
				dir := copyDir(t, template)
				where := killJoin(t, dir, tip, n, name == packedJoin)
				if where == "" {
					if n < 8 {
						t.Fatalf("only %d steps", n)
					}
					break
				}
				s := newLogStoreOpen(t, dir)
				s.t = namedT{t, where}
				_, state, _, err := s.log.Journal.Plan(joinPlan)
				r := s.mustReplay()
				switch now := s.head(); {
				case err != nil: // it had not begun
					if now != head || len(r) != 0 {
						s.t.Errorf("something came of it: %s", now)
					}
				case now != whole.Commit:
					s.t.Errorf("replay went to %s", now)
				case state == journal.Planned && (len(r) != 1 || r[0].Outcome != journal.Applied):
					s.t.Errorf("replay says %+v", r)
				}
				if got := s.read("memory/user_d.md"); got != "D by hand\n" {
					s.t.Errorf("what somebody saved became %q", got)
				}
				if again, err := s.join(tip); err != nil || again.Commit != whole.Commit {
					s.t.Errorf("joining again: %+v, %v", again, err)
				}
				if got := s.git("status", "--porcelain"); got != " M memory/user_d.md" {
					s.t.Errorf("git status: %s", got)
				}
				if bases, err := s.log.Bases(); err != nil || len(bases) != 1 {
					s.t.Errorf("bases are %v, %v", bases, err)
				}
				s.clean(&memsync.Plan{}, 0)
			}
		})
	}
}

// A save that comes while a tip is taken over is never lost: the join is
// finished around it, or taken back.
func TestJoinRacedBySaves(t *testing.T) {
	a, _, tip := pairOf(t, []string{"memory/user_a.md", "A\n", "memory/user_b.md", "B\n"}, []string{"mine.md", "m\n"},
		[]string{"memory/user_a.md", "A2\n", "memory/user_b.md", "B2\n"})
	a.log.Journal.Close()
	a.log.Repo.Close()
	template := a.dir
	for n := 0; ; n++ {
		s := newLogStoreOpen(t, copyDir(t, template))
		s.quick = false
		where, left := "", n
		hook := func(name string) {
			if left--; left == -1 {
				where = name
				s.save("memory/user_b.md", "saved meanwhile\n")
			}
		}
		step, s.log.Repo.pause = hook, func(at string) { hook("git " + at) }
		j, err := s.join(tip)
		step, s.log.Repo.pause = nil, nil
		if where == "" {
			if n < 8 {
				t.Fatalf("only %d steps", n)
			}
			break
		}
		s.t = namedT{t, where}
		if got := s.read("memory/user_b.md"); got != "saved meanwhile\n" {
			s.t.Errorf("the save became %q (%v)", got, err)
		}
		if err != nil {
			wantCode(s.t, err, memsync.CodeIORaced)
			if s.read("memory/user_a.md") != "A\n" {
				s.t.Errorf("not taken back")
			}
			j = s.mustJoin(tip) // the save is a dirty file now
		}
		if s.read("memory/user_a.md") != "A2\n" || s.inHead("memory/user_b.md") != "B2\n" || j.Commit != s.head() {
			s.t.Errorf("joined to %+v", j)
		}
		s.clean(&memsync.Plan{}, 0)
	}
}

func killJoin(t *testing.T, dir, tip string, n int, pack bool) (where string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestJoinCrashChild$")
	cmd.Env = append(os.Environ(), envDir+"="+dir, envTip+"="+tip, envStep+"="+strconv.Itoa(n))
	if pack {
		cmd.Env = append(cmd.Env, envPack+"=1")
	}
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	for _, line := range strings.Split(string(out), "\n") {
		if where, ok := strings.CutPrefix(line, "died at "); ok {
			return where
		}
	}
	t.Fatalf("the child did not die as it should: %v\n%s", err, out)
	return ""
}
