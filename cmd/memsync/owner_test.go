//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// owning is a process that owns the shop's store and serves it.
type owning struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.Writer
	said *bufio.Reader
}

// owner starts one and waits until clients may come.
func (s *shop) owner(args ...string) *owning {
	s.t.Helper()
	o := s.holder(args...)
	o.serve()
	return o
}

// holder starts one that has the store's lock and does not serve yet.
func (s *shop) holder(args ...string) *owning {
	s.t.Helper()
	cmd := exec.Command("owner", args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	in, err := cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd.Stderr = s.t.Output()
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	o := &owning{s.t, cmd, in, bufio.NewReader(out)}
	s.t.Cleanup(o.kill)
	o.hear("held")
	return o
}

func (o *owning) serve() {
	o.t.Helper()
	io.WriteString(o.in, "serve\n")
	o.hear("ready")
}

func (o *owning) hear(word string) {
	o.t.Helper()
	if line, err := o.said.ReadString('\n'); line != word+"\n" {
		o.t.Fatalf("the owner said %q, want %s: %v", line, word, err)
	}
}

// term asks an owner to end as a service manager does, stop waits for it too,
// kill is a power cut.
func (o *owning) term() { o.t.Helper(); o.cmd.Process.Signal(syscall.SIGTERM); o.hear("leaving") }

func (o *owning) stop() {
	o.t.Helper()
	o.term()
	if err := o.cmd.Wait(); err != nil {
		o.t.Errorf("the owner: %v", err)
	}
}

func (o *owning) kill() {
	if o.cmd.ProcessState == nil {
		o.cmd.Process.Kill()
		o.cmd.Wait()
	}
}

// order hands an owner a command as a client would, without being one.
func (s *shop) order(o order, args ...string) *ownerLine {
	s.t.Helper()
	l := callOwner(s.path(".git/memsync"))
	if l == nil {
		s.t.Fatal("nobody answers")
	}
	s.t.Cleanup(func() { l.conn.Close() })
	o.greeting, o.Args, o.Cwd, o.Env = ownGreeting(), args, s.dir, append(s.env, o.Env...)
	if err := send(l.conn, message{Order: &o}); err != nil {
		s.t.Fatal(err)
	}
	return l
}

// answer reads what an owner says until it is done.
func (l *ownerLine) answer(t *testing.T) (said string, code int) {
	t.Helper()
	for {
		m, parts, err := receive(l.r)
		if err != nil {
			t.Fatalf("after %q: %v", said, err)
		}
		said += string(bytes.Join(parts, nil))
		if m.Done != nil {
			return said, *m.Done
		}
	}
}

// add is a line appended to the board, and add's own words for it.
func (s *shop) add(line string) (stdout, stderr string, code int) {
	return s.try("batch", "board", "--operations", fmt.Sprintf(`[{"action":"add","content":%q}]`, line))
}

func (s *shop) board() {
	s.write("memory/project_board.md", memoryFile("board", "project", "The board."))
	s.ok("up", "--once")
}

// once wants each line exactly once on the board.
func (s *shop) once(lines []string) {
	s.t.Helper()
	text := s.read("memory/project_board.md")
	for _, line := range lines {
		if n := strings.Count(text, line); n != 1 {
			s.t.Errorf("%q stands %d times", line, n)
		}
	}
}

// TestOwnerParallel: twenty processes append at once, and an owner refuses none
// of them (Q64). Control: without being its clients they are refused.
func TestOwnerParallel(t *testing.T) {
	s := newShop(t)
	s.board()
	o := s.owner()
	if code := s.with("MEMSYNC_NO_DAEMON=1").exit("status"); code != exitBusy {
		t.Errorf("control: MEMSYNC_NO_DAEMON=1 ends with %d", code)
	}
	var all sync.WaitGroup
	lines := make([]string, 20)
	for i := range lines {
		lines[i] = fmt.Sprintf("Line of writer %02d.", i)
		all.Go(func() {
			if out, errs, code := s.agent(fmt.Sprint("w", i)).add(lines[i]); code != exitFine {
				t.Errorf("writer %d: exit %d\n%s%s", i, code, out, errs)
			}
		})
	}
	all.Wait()
	s.once(lines)
	s.rest()
	o.stop()
	s.rest()
}

// TestOwnerSeesAll: A writes, B writes, A writes again, and everybody sees all
// three (P13), whoever owns the store meanwhile.
func TestOwnerSeesAll(t *testing.T) {
	s := newShop(t)
	o := s.owner()
	x, y := s.agent("a"), s.agent("b")
	x.ok("write", "One", "--type", "user", "--content", "The first.")
	y.ok("write", "Two", "--type", "user", "--content", "The second.")
	x.ok("write", "Three", "--type", "user", "--content", "The third.")
	see := func() {
		t.Helper()
		for _, who := range []*shop{x, y, s} {
			out := who.ok("list")
			for _, name := range []string{"One", "Two", "Three"} {
				if !strings.Contains(out, name) {
					t.Errorf("%s is not in\n%s", name, out)
				}
			}
		}
	}
	see()
	s.git("commit", "--allow-empty", "-m", "somebody else's") // HEAD moves under the owner
	see()
	o.stop()
	see()
	s.rest()
}

// TestOwnerIsOne: a second owner is refused and told who has the store.
func TestOwnerIsOne(t *testing.T) {
	s := newShop(t)
	o := s.owner()
	cmd := exec.Command("owner")
	cmd.Dir, cmd.Env = s.dir, s.env
	out, _ := cmd.CombinedOutput()
	if want := fmt.Sprintf("held by process %d", o.cmd.Process.Pid); cmd.ProcessState.ExitCode() != exitBusy || !strings.Contains(string(out), want) {
		t.Errorf("exit %d, without %q:\n%s", cmd.ProcessState.ExitCode(), want, out)
	}
	s.ok("status") // the first one was not disturbed
}

// TestOwnerStarting: a client that finds the lock taken and nobody serving
// waits, and becomes a client when the owner is ready.
func TestOwnerStarting(t *testing.T) {
	s := newShop(t)
	o := s.holder()
	done := make(chan int)
	go func() { _, _, code := s.try("status"); done <- code }()
	o.serve()
	if code := <-done; code != exitFine {
		t.Errorf("exit %d", code)
	}
}

// TestOwnerKilled: an owner is killed while clients write. Every one of them
// ends well, and no line is lost or there twice.
func TestOwnerKilled(t *testing.T) {
	s := newShop(t)
	s.board()
	for round := range 3 {
		o := s.owner()
		var all sync.WaitGroup
		var lines []string
		written := make(chan struct{}, 100)
		for i := range 6 {
			mine := make([]string, 4)
			for j := range mine {
				mine[j] = fmt.Sprintf("Line %d of writer %d in round %d.", j, i, round)
			}
			lines = append(lines, mine...)
			all.Go(func() {
				for _, line := range mine {
					// Without an owner they meet at the lock, where one may find it
					// taken for too long.
					out, errs, code := s.add(line)
					for ; code == exitBusy; out, errs, code = s.add(line) {
					}
					if code != exitFine {
						t.Errorf("%s exit %d\n%s%s", line, code, out, errs)
					}
					written <- struct{}{}
				}
			})
		}
		for range 3 + 2*round {
			<-written
		}
		o.kill()
		all.Wait()
		s.once(lines)
		s.rest()
	}
}

// TestOwnerOutlivesItsClients: a client that goes away in the middle, one that
// hits a defect, and one that sends nonsense leave the owner as it was. Nobody
// waits for a person in an editor.
func TestOwnerOutlivesItsClients(t *testing.T) {
	s := newShop(t)
	s.board()
	s.owner()
	l := s.order(order{Terminal: [3]bool{true, true, true}, Env: []string{"EDITOR=true"}}, "edit", "board")
	m, _, err := receive(l.r)
	if err != nil || m.Editor == nil {
		t.Fatalf("%+v: %v", m, err)
	}
	if _, errs, code := s.add("Written beside an open editor."); code != exitFine {
		t.Errorf("exit %d: %s", code, errs)
	}
	l.conn.Close()
	s.ok("list")

	said, code := s.order(order{}, "panic").answer(t)
	if code != exitBug || !strings.Contains(said, "a defect") {
		t.Errorf("a defect: exit %d\n%s", code, said)
	}
	s.ok("list")

	l = callOwner(s.path(".git/memsync"))
	l.conn.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
	if _, _, err := receive(l.r); err == nil {
		t.Error("nonsense was answered")
	}
	s.ok("list")
	s.rest()
}

// TestOwnerAnswersBeforeItLeaves: what was begun when an owner is told to end
// is answered; then others open the store themselves.
func TestOwnerAnswersBeforeItLeaves(t *testing.T) {
	s := newShop(t)
	o := s.owner()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	l := s.order(order{}, "pause", fifo)
	w, err := os.OpenFile(fifo, os.O_WRONLY, 0) // returns when the verb reads: it has begun
	if err != nil {
		t.Fatal(err)
	}
	o.term()
	io.WriteString(w, "in time")
	w.Close()
	if said, code := l.answer(t); code != exitFine || said != "in time" {
		t.Errorf("exit %d: %q", code, said)
	}
	if err := o.cmd.Wait(); err != nil {
		t.Error(err)
	}
	s.ok("status")
}

// TestOwnerOfAnotherVersion: two programs that may differ don't work together.
func TestOwnerOfAnotherVersion(t *testing.T) {
	s := newShop(t)
	s.owner("0.0.1-old")
	out, errs, code := s.try("list")
	if code != exitBusy || out != "" {
		t.Errorf("exit %d\n%s", code, out)
	}
	for _, want := range []string{"0.0.1-old", "memsync " + version, "restart `memsync up`", "memory.store.busy"} {
		if !strings.Contains(errs, want) {
			t.Errorf("%q is not in\n%s", want, errs)
		}
	}
}

// TestOwnerWorksForOthers: a commit made for a client has the author that the
// client's own would have: by its environment, by its home's configuration. The
// owner's saves stay the owner's.
func TestOwnerWorksForOthers(t *testing.T) {
	s := newShop(t)
	s.with("GIT_AUTHOR_NAME=Olga Owner", "GIT_AUTHOR_EMAIL=olga@example.org").watched()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[user]\n\tname = Yve Elsewhere\n\temail = yve@example.org\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	author := func(want string) {
		t.Helper()
		if got := strings.TrimSpace(s.git("log", "-1", "--format=%an <%ae>")); got != want {
			t.Errorf("author %s, want %s", got, want)
		}
	}
	zed := s.with("GIT_AUTHOR_NAME=Zed", "GIT_AUTHOR_EMAIL=z@example.org").person()
	zed.ok("write", "One", "--type", "user", "--content", "The first.")
	author("Zed <z@example.org>")
	zed.editor("sed -i s/first/last/").ok("edit", "one")
	author("Zed <z@example.org>")
	s.with("HOME="+home).person().ok("write", "Two", "--type", "user", "--content", "The second.")
	author("Yve Elsewhere <yve@example.org>")
	s.person().ok("write", "Three", "--type", "user", "--content", "The third.")
	author("Ada Person <ada@example.org>")
	s.write("memory/user_hand.md", memoryFile("hand", "user", "Saved by hand."))
	for !strings.Contains(s.any("status", "--json"), `"pending": []`) {
	}
	author("Olga Owner <olga@example.org>")
	s.rest()
}
