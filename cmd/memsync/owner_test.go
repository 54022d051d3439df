package main

import (
	"bufio"
	"os/exec"
	"syscall"
	"testing"
)

// owning is a process that owns the shop's store and serves it.
type owning struct {
	t   *testing.T
	cmd *exec.Cmd
}

// owner starts one and waits until clients may come.
func (s *shop) owner(args ...string) *owning {
	s.t.Helper()
	cmd := exec.Command("owner", args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd.Stderr = s.t.Output()
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	o := &owning{s.t, cmd}
	s.t.Cleanup(func() { o.kill() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		s.t.Fatalf("the owner said %q: %v", line, err)
	}
	return o
}

// stop ends an owner as a service manager does; kill as a power cut does.
func (o *owning) stop() {
	o.t.Helper()
	o.cmd.Process.Signal(syscall.SIGTERM)
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

func TestOwnerSmoke(t *testing.T) {
	s := newShop(t)
	o := s.owner()
	t.Log(s.ok("write", "A", "--type", "user", "--content", "hello there", "--json"))
	t.Log(s.ok("list", "--json"))
	t.Log(s.ok("up", "--once"))
	t.Log(s.any("status"))
	o.stop()
	t.Log(s.ok("list"))
	s.rest()
}
