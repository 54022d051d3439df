package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestQ09_NoMoreWatches: where the system lets nobody watch another directory,
// the message names the setting and a number that would do, everything is
// looked at instead, and status says so. The limit is that of a user name space
// made for the test.
func TestQ09_NoMoreWatches(t *testing.T) {
	s := newShop(t)
	for i := range 30 {
		s.write(fmt.Sprintf("memory/d%02d/user_m%02d.md", i, i), memoryFile(fmt.Sprintf("M %02d", i), "user", fmt.Sprintf("Text %d.", i*7919)))
	}
	s.ok("up", "--once")
	up := exec.Command("sh", "-ec", "echo 8 > /proc/sys/user/max_inotify_watches; exec memsync up")
	up.Dir, up.Env = s.dir, s.env
	up.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	stderr, err := up.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := up.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { up.Process.Kill(); up.Wait() }()
	var said strings.Builder
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		fmt.Fprintln(&said, lines.Text())
		if strings.Contains(lines.Text(), ": watching ") {
			break
		}
	}
	for _, want := range []string{"[memory.watch.blind]", "fs.inotify.max_user_watches", "32 directories", "by looking now and then"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q is not said in\n%s", want, said.String())
		}
	}
	st := s.ok("status", "--json")
	if s.str(st, "watch.backend") != "poll" || !strings.Contains(s.str(st, "watch.blind"), "max_user_watches") {
		t.Errorf("status says %s", st)
	}
	before := s.commits()
	s.write("memory/d07/user_m07.md", s.read("memory/d07/user_m07.md")+"More.\n")
	for s.commits() == before {
	}
	up.Process.Signal(syscall.SIGTERM)
	if err := up.Wait(); err != nil {
		t.Error(err)
	}
	s.ok("doctor")
}
