//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestHooksTellTheOwner: after a merge, a checkout or a rewrite the owner of the
// store is told to look, once, and nobody waits for it.
func TestHooksTellTheOwner(t *testing.T) {
	s := newShop(t)
	state := s.path(".git/memsync")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := listenOwner(state)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	looks := make(chan bool, 10)
	go func() {
		for {
			conn, err := l.AcceptUnix()
			if err != nil {
				close(looks)
				return
			}
			mine := greeting{protocol, "dev"}
			send(conn, message{Greeting: &mine})
			m, _, err := receive(bufio.NewReader(conn))
			looks <- err == nil && m.Look
			conn.Close()
		}
	}()
	for _, args := range [][]string{{"post-merge", "0"}, {"post-checkout", "a", "b", "1"}, {"post-rewrite", "rebase"}} {
		s.ok(append([]string{"hooks", "run"}, args...)...)
		if !<-looks {
			t.Errorf("%v: the owner is not told to look", args)
		}
	}
	s.ok("hooks", "run", "post-checkout", "a", "b", "0") // of single files
	l.Close()
	if _, more := <-looks; more {
		t.Error("a checkout of files tells, too")
	}
	s.ok("hooks", "run", "post-merge", "0") // nobody listens
}

// TestHooksDoNotWait: an owner that does not answer costs a hook next to nothing.
func TestHooksDoNotWait(t *testing.T) {
	s := newShop(t)
	state := s.path(".git/memsync")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := listenOwner(state)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() // it accepts nothing
	begun := time.Now()
	tellOwner(state)
	if took := time.Since(begun); took < tellWait || took > answerWait {
		t.Errorf("it waited for %v", took)
	}
	cmd := exec.Command(command, "hooks", "run", "post-merge", "0")
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v %q", err, out)
	}
}
