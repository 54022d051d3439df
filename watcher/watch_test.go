package watcher

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memsync"
)

// The event scripts: each line of a script is a shell command that runs in the
// store, or
//
//	look PATH…   the watcher says to look at exactly these, in one go or more
//	everywhere   the watcher says to look everywhere
//	repository   it says that something happened in the git directory
//
// Between two lines the script waits for what the first expects, never for a
// time.
var scripts = map[string]string{
	"Q01 atomic save": `
		echo one > memory/a.md
		look memory/a.md
		cp memory/a.md memory/.a.md.tmp; echo two >> memory/.a.md.tmp; mv memory/.a.md.tmp memory/a.md
		look memory/a.md
		cp memory/a.md memory/.a.md.tmp; echo three >> memory/.a.md.tmp; mv memory/.a.md.tmp memory/a.md
		look memory/a.md`,
	"Q02 vim's backup dance": `
		echo one > memory/a.md
		look memory/a.md
		touch memory/4913; rm memory/4913; touch memory/.a.md.swp; mv memory/a.md memory/a.md~; printf two > memory/a.md; chmod 600 memory/a.md; rm memory/a.md~ memory/.a.md.swp
		look memory/a.md`,
	"Q03 sed -i": `
		echo one > memory/a.md
		look memory/a.md
		sed -i s/one/two/ memory/a.md
		look memory/a.md`,
	"Q05 nested directories made at once": `
		mkdir -p memory/x/y && echo z > memory/x/y/z.md
		look memory/x/y/z.md
		echo z >> memory/x/y/z.md
		look memory/x/y/z.md`,
	"Q06 a directory moved in full": `
		mkdir ../o; echo 1 > ../o/one.md; echo 2 > ../o/two.md; mv ../o memory/o
		look memory/o/one.md memory/o/two.md
		echo 1 >> memory/o/one.md
		look memory/o/one.md`,
	"a directory renamed": `
		mkdir -p memory/a/b; echo 1 > memory/a/b/one.md
		look memory/a/b/one.md
		mv memory/a memory/c
		everywhere
		look memory/c/b/one.md
		echo 1 >> memory/c/b/one.md
		look memory/c/b/one.md
		mkdir memory/a; echo 1 > memory/a/two.md
		look memory/a/two.md`,
	"a directory renamed twice, and back": `
		mkdir -p memory/a; echo 1 > memory/a/one.md
		look memory/a/one.md
		mv memory/a memory/b; mv memory/b memory/c; mv memory/c memory/a
		everywhere
		look memory/a/one.md
		echo 1 >> memory/a/one.md
		look memory/a/one.md`,
	"a directory removed": `
		mkdir -p memory/a; echo 1 > memory/a/one.md
		look memory/a/one.md
		rm -rf memory/a
		everywhere
		look memory/a/one.md`,
	"emacs's lock is a dangling link": `
		ln -s user@host.123:456 memory/.#a.md; echo 1 > memory/a.md; rm memory/.#a.md
		look memory/a.md`,
	"truncated and written": `
		echo one > memory/a.md
		look memory/a.md
		: > memory/a.md; printf 'two\n' >> memory/a.md
		look memory/a.md`,
	"what nobody reads": `
		echo 1 > memory/x.txt; echo 1 > memory/.hidden.md; mkdir memory/_system; echo 1 > memory/_system/x.md; echo 1 > memory/b.md
		look memory/b.md`,
	"the store's own files": `
		echo 1 > README.md; echo 1 > memsync.toml; echo 1 > memory/MEMORY.md
		look README.md memory/MEMORY.md memsync.toml`,
	"git": `
		git commit -q --allow-empty -m one
		repository`,
	"another repository inside": `
		mkdir ../other; git -C ../other init -q; mv ../other other; echo 1 > other/a.md; echo 1 > memory/a.md
		look memory/a.md`,
	"the scope's directory goes and comes back": `
		echo 1 > memory/a.md
		look memory/a.md
		mv memory ../away
		everywhere
		mv ../away memory
		look memory/a.md
		echo 1 >> memory/a.md
		look memory/a.md`,
}

func TestScripts(t *testing.T) {
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t)
			for line := range strings.Lines(script) {
				if line = strings.TrimSpace(line); line != "" {
					s.line(line)
				}
			}
		})
	}
}

// script is a store that is watched, outside of the system's directory for
// temporary files, where some editors write in another way.
type script struct {
	t     *testing.T
	dir   string
	watch *Watch
	got   Settled // since the last expectation
}

func newScript(t *testing.T) *script {
	t.Helper()
	base, err := os.MkdirTemp(".", ".watch-")
	if err == nil {
		base, err = filepath.Abs(base)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	s := &script{t: t, dir: filepath.Join(base, "store")}
	if err := os.MkdirAll(filepath.Join(s.dir, "memory"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.sh("git init -q -b main; git config user.name x; git config user.email x@example.org")
	place := Place{Root: s.dir, GitDir: filepath.Join(s.dir, ".git"), Outside: true,
		Scopes: []memsync.Scope{{Kind: memsync.Global, Dir: "memory"}}}
	ctx, stop := context.WithCancel(t.Context())
	s.watch = Start(ctx, place, Usual, false, func(Info) {})
	t.Cleanup(func() {
		stop()
		for range s.watch.Settled() {
		}
	})
	if i := s.watch.Info(); i.Backend == "poll" || i.Watches == 0 {
		t.Fatalf("it does not watch: %+v", i)
	}
	return s
}

func (s *script) sh(line string) {
	s.t.Helper()
	cmd := exec.Command("sh", "-ec", line)
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

func (s *script) line(line string) {
	s.t.Helper()
	words := strings.Fields(line)
	switch words[0] {
	case "look":
		var want []memsync.Path
		for _, w := range words[1:] {
			want = append(want, memsync.Path(w))
		}
		s.until(line, func() bool { return subset(want, s.got.Paths) })
		if !slices.Equal(s.got.Paths, want) {
			s.t.Fatalf("%s: it says %v", line, s.got.Paths)
		}
		s.got.Paths = nil
	case "everywhere":
		s.until(line, func() bool { return s.got.All })
		s.got.All = false
	case "repository":
		s.until(line, func() bool { return s.got.Git })
		s.got.Git = false
	default:
		s.sh(line)
	}
}

func subset(want, got []memsync.Path) bool {
	return !slices.ContainsFunc(want, func(p memsync.Path) bool { return !slices.Contains(got, p) })
}

// until takes what the watcher says until it is enough. A watcher that never
// says it is ended by the test's own limit, which prints where it waits.
func (s *script) until(line string, enough func() bool) {
	s.t.Helper()
	hung := time.AfterFunc(time.Minute, func() { panic(fmt.Sprintf("%s: %q is waited for, it says %+v", s.t.Name(), line, s.got)) })
	defer hung.Stop()
	for !enough() {
		x, ok := <-s.watch.Settled()
		if !ok {
			s.t.Fatal("the watch has ended")
		}
		s.got.Paths = merged(s.got.Paths, x.Paths)
		s.got.All, s.got.Git = s.got.All || x.All, s.got.Git || x.Git
	}
}

// TestRootReplaced: while the store's directory is away the watcher says that
// it is blind; when it is back, the same one or another, it sees again.
func TestRootReplaced(t *testing.T) {
	s := newScript(t)
	said := make(chan Info, 10)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	w := Start(ctx, s.watch.place, Usual, false, func(i Info) { said <- i })
	s.watch = w
	s.sh("mv ../store ../away")
	if i := <-said; !strings.Contains(i.Blind, "is gone") {
		t.Errorf("said %+v", i)
	}
	s.until("everywhere", func() bool { return s.got.All })
	s.dir = filepath.Dir(s.dir)
	s.sh("cp -r away store; echo 1 > store/memory/new.md")
	if i := <-said; i.Blind != "" || i.Backend == "poll" {
		t.Errorf("said %+v", i)
	}
	s.until("the new file", func() bool { return slices.Contains(s.got.Paths, "memory/new.md") })
	s.got = Settled{}
	s.sh("echo 2 >> store/memory/new.md")
	s.until("the next save", func() bool { return slices.Contains(s.got.Paths, "memory/new.md") })
}

// TestFollowWhileAway: who has the watcher begin anew while the store's directory is
// away, or just back, hears once that it is gone and once that it is seen again.
func TestFollowWhileAway(t *testing.T) {
	s := newScript(t)
	said := make(chan Info, 10)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	place := s.watch.place
	w := Start(ctx, place, Usual, false, func(i Info) { said <- i })
	s.watch = w
	s.sh("mv ../store ../away")
	if i := <-said; !strings.Contains(i.Blind, "is gone") {
		t.Errorf("said %+v", i)
	}
	w.Follow(ctx, place)
	s.dir = filepath.Dir(s.dir)
	s.sh("mv away store")
	w.Follow(ctx, place)
	hung := time.AfterFunc(time.Minute, func() { panic("it never says that it sees again") })
	defer hung.Stop()
	if i := <-said; i.Blind != "" || i.Backend == "poll" {
		t.Errorf("said %+v", i)
	}
}

// TestQ10_Poll: where there are no events everything is looked at, again and
// again.
func TestQ10_Poll(t *testing.T) {
	s := newScript(t)
	timing := Usual
	timing.Poll = time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s.watch = Start(ctx, s.watch.place, timing, true, func(Info) {})
	for range 3 {
		s.got = Settled{}
		s.until("everywhere", func() bool { return s.got.All })
	}
	if i := s.watch.Info(); i.Backend != "poll" || i.Watches != 0 {
		t.Errorf("%+v", i)
	}
}

// TestSuspend: after a night, or when the clock was set, everything is looked
// at; a clock that is corrected a little changes nothing.
func TestSuspend(t *testing.T) {
	for _, c := range []struct {
		wall, monotonic time.Duration
		all             bool
	}{
		{time.Minute, time.Minute, false},
		{time.Minute + time.Second, time.Minute, false},
		{9 * time.Hour, time.Minute, true},
		{time.Minute - time.Hour, time.Minute, true},
	} {
		w := &Watch{}
		w.slept(time.Second, time.Second)
		w.slept(c.wall, c.monotonic)
		if w.ready.All != c.all {
			t.Errorf("%v against %v: everywhere %v", c.wall, c.monotonic, w.ready.All)
		}
		w.ready.All = false
		if w.slept(c.wall+time.Minute, c.monotonic+time.Minute); w.ready.All {
			t.Errorf("%v against %v: said twice", c.wall, c.monotonic)
		}
	}
}

// TestQ10_Probe: a file system that does not tell of the watcher's own file
// tells of no save either: everything is looked at instead, and that is said.
func TestQ10_Probe(t *testing.T) {
	s := newScript(t)
	var said []Info
	w := &Watch{timing: Usual, place: s.watch.place, wake: map[cause]time.Time{}, dirty: newDirty(Usual), tell: func(i Info) { said = append(said, i) }}
	w.open(false)
	defer w.close()
	heard, ok := w.wake[wakeProbe]
	if !ok {
		t.Fatal("it does not ask")
	}
	for w.wake[wakeProbe] == heard {
		w.event(<-w.fs.Events)
	}
	if _, waits := w.wake[wakeProbe]; waits || len(said) > 0 {
		t.Errorf("it heard the answer and waits %v, said %+v", waits, said)
	}
	w.wake[wakeProbe] = heard // as if nothing had come
	w.due(heard)
	if len(said) != 1 || said[0].Backend != "poll" || !strings.Contains(said[0].Blind, "does not tell") || !w.ready.All {
		t.Errorf("said %+v, everywhere %v", said, w.ready.All)
	}
}

// TestLookForeign: a directory that became another repository after it was
// watched is none of ours: a glance passes it by as a scan does.
func TestLookForeign(t *testing.T) {
	s := newScript(t)
	s.sh("mkdir -p other/deep memory/inner; echo 1 > other/deep/a.md; echo 1 > memory/inner/b.md; git -C other init -q")
	paths := []memsync.Path{"memory/inner/b.md", "other/deep/a.md"}
	b := Look(s.dir, s.watch.place.Scopes, true, paths)
	if len(b.Authored) > 0 || len(b.Changed) != 1 || b.Changed[0].Path != paths[0] {
		t.Errorf("changed %v, authored %v", b.Changed, b.Authored)
	}
}
