//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// atTerminal is an order that comes from a terminal.
func atTerminal(env ...string) order { return order{Terminal: [3]bool{true, true, true}, Env: env} }

var keptIn = regexp.MustCompile(`what you typed is kept in (\S+)`)

// TestOwnerKeepsTheOpenEditorsFile: the terminal of `memsync edit` is closed
// while the editor, in a window of its own, is open and nothing is saved yet.
// The file that it will save to stays.
func TestOwnerKeepsTheOpenEditorsFile(t *testing.T) {
	s := newShop(t)
	s.board()
	s.owner()
	l := s.order(atTerminal("EDITOR=code --wait", "TMPDIR="+t.TempDir()), "edit", "board")
	m, _, err := receive(l.r)
	if err != nil || len(m.Editor) < 4 {
		t.Fatalf("%+v: %v", m, err)
	}
	l.conn.CloseWrite()
	said, code := l.answer(t)
	if kept := keptIn.FindStringSubmatch(said); code != exitBusy || kept == nil || !strings.HasPrefix(m.Editor[3], kept[1]) {
		t.Errorf("exit %d: %s", code, said)
	}
	if err := os.WriteFile(m.Editor[3], []byte("saved late"), 0o600); err != nil {
		t.Error(err)
	}
	s.rest()
}

// interrupts are the ways to end a command at a terminal before its time.
var interrupts = map[string]func(*screen){
	"ctrl-c": func(v *screen) { v.types("\x03") },
	"term":   func(v *screen) { v.cmd.Process.Signal(syscall.SIGTERM) },
	"hup":    func(v *screen) { v.cmd.Process.Signal(syscall.SIGHUP) },
}

// aloneAndClient runs a test without an owner and with one.
func aloneAndClient(t *testing.T, run func(t *testing.T, s *shop)) {
	for _, owned := range []bool{false, true} {
		t.Run(fmt.Sprintf("owned=%v", owned), func(t *testing.T) {
			s := newShop(t)
			s.board()
			if owned {
				s.owner()
			}
			run(t, s)
			s.rest()
		})
	}
}

// TestInterruptedEditor: a command that is ended while its editor is open says
// so, and where the text is.
func TestInterruptedEditor(t *testing.T) {
	aloneAndClient(t, func(t *testing.T, s *shop) {
		for name, interrupt := range interrupts {
			tmp := t.TempDir()
			v := s.with("TMPDIR="+tmp).editor(`sh -c 'echo half a line >>"$0"; echo opened; exec sleep 60'`).screen("edit", "board")
			v.sees("opened")
			interrupt(v)
			v.sees("run it again")
			if code := v.code(); code != exitBusy {
				t.Errorf("%s: exit %d", name, code)
			}
			said := v.shown.String()
			if !strings.Contains(said, "memsync: interrupted [memory.store.busy]") || strings.Contains(said, "held by") {
				t.Errorf("%s: %s", name, said)
			}
			kept := keptIn.FindStringSubmatch(said)
			if kept == nil {
				t.Fatalf("%s: %s", name, said)
			}
			if data, err := os.ReadFile(filepath.Join(kept[1], "project_board.md")); err != nil || !strings.Contains(string(data), "half a line") {
				t.Errorf("%s: %q %v", name, data, err)
			}
		}
	})
}

// TestInterruptedQuestion: Ctrl-C ends a question at once, and it is no.
func TestInterruptedQuestion(t *testing.T) {
	aloneAndClient(t, func(t *testing.T, s *shop) {
		for name, interrupt := range interrupts {
			v := s.screen("forget", "board")
			v.sees("[y/N]")
			interrupt(v)
			v.sees("run it again")
			if said, code := v.shown.String(), v.code(); code != exitBusy || !strings.Contains(said, "memsync: interrupted [memory.store.busy]") {
				t.Errorf("%s: exit %d: %s", name, code, said)
			}
			s.ok("show", "board")
		}
	})
}

// TestUpAndItsTerminal: a terminal that is closed ends `memsync up` as SIGTERM
// does: it lets go. One that was started with nohup goes on.
func TestUpAndItsTerminal(t *testing.T) {
	heard := make(chan os.Signal, 1) // so that children hear it even where these tests run under nohup
	signal.Notify(heard, syscall.SIGHUP)
	defer signal.Stop(heard)
	s := newShop(t)
	up := s.watched()
	up.Process.Signal(syscall.SIGHUP)
	if err := up.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(socketPath(s.path(".git/memsync"))); err == nil {
		t.Error("its socket is there still")
	}
	s.rest()

	up = s.watched("nohup")
	up.Process.Signal(syscall.SIGHUP)
	s.ok("write", "One", "--type", "user", "--content", "The first.")
	if l := callOwner(s.path(".git/memsync")); l == nil {
		t.Error("nobody owns the store any more")
	} else {
		l.conn.Close()
	}
	up.Process.Signal(syscall.SIGTERM)
	if err := up.Wait(); err != nil {
		t.Error(err)
	}
	s.rest()
}

// TestContentThatNeverEnds: no command reads without end, and none waits for
// bytes that Ctrl-C says are not to come.
func TestContentThatNeverEnds(t *testing.T) {
	aloneAndClient(t, func(t *testing.T, s *shop) {
		for _, args := range [][]string{
			{"write", "Zero", "--type", "user", "--content", "@/dev/zero"},
			{"batch", "board", "--operations", "@/dev/zero"},
		} {
			if _, errs, code := s.try(args...); code != exitRefused || !strings.Contains(errs, "memory.content.too_large") || !strings.Contains(errs, "/dev/zero") {
				t.Errorf("%q: exit %d: %s", args, code, errs)
			}
		}
		fifo := filepath.Join(t.TempDir(), "fifo")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		v := s.screen("write", "Piped", "--type", "user", "--content", "@"+fifo)
		w, err := os.OpenFile(fifo, os.O_WRONLY, 0) // returns when the verb reads
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		v.types("\x03")
		v.sees("run it again")
		if code := v.code(); code != exitBusy {
			t.Errorf("exit %d: %s", code, v.shown.String())
		}
		cmd := exec.Command("sh", "-c", "memsync write Zero --type user --content - </dev/zero")
		cmd.Dir, cmd.Env = s.dir, s.env
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != exitRefused || !strings.Contains(string(out), "standard input is over 64 MiB") {
			t.Errorf("exit %d: %s", cmd.ProcessState.ExitCode(), out)
		}
	})
}
