package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fullDisk runs in a mount name space of its own, on a disk of 6 MB: a save that
// can't be committed is told, tried again, and committed when there is room. On
// a disk that can only be read every command that would write says so and changes
// nothing, and those that read do.
const fullDisk = `
mount -t tmpfs -o size=6m none "$1"
cd "$1"
memsync init notes > /dev/null
cd notes
printf -- '---\nname: A\ndescription: d\ntype: user\n---\n\nText.\n' > memory/user_a.md
memsync up > "$2" 2>&1 &
up=$!
until grep -q ': watching ' "$2"; do :; done
until [ "$(git rev-list --count HEAD)" = 2 ]; do :; done
dd if=/dev/zero of=../fill bs=4k 2> /dev/null || true
printf 'More.\n' >> memory/user_a.md
until grep -q 'memory.io.full\]; tried again' "$2"; do :; done
[ "$(git rev-list --count HEAD)" = 2 ]
grep -q More. memory/user_a.md
rm ../fill
until [ "$(git rev-list --count HEAD)" = 3 ]; do :; done
kill $up
wait $up
memsync doctor > /dev/null
[ -z "$(memsync up --once)" ]
[ -z "$(git status --porcelain)" ]
git fsck --strict
mount -o remount,ro "$1"
for verb in up 'up --once' 'write x --type user --content x'; do
	if memsync $verb > /dev/null 2> "$2"; then exit 1; fi
	grep -q 'read-only file system' "$2"
done
[ "$(memsync list --json | grep -c '"name": "A"')" = 1 ]
memsync show A | grep -q More.
memsync status
for verb in log diff history conflicts 'decisions list' 'list --at 2040-01-01' 'rename A B --dry-run'; do
	memsync $verb > /dev/null
done
if memsync doctor > "$2"; then exit 1; fi # it says that nothing can be written
grep -q 'cannot be written' "$2"
`

// TestFullDisk: a full disk and one that can only be read, under a store that is
// watched.
func TestFullDisk(t *testing.T) {
	s := newShop(t)
	disk, said := t.TempDir(), filepath.Join(t.TempDir(), "said")
	cmd := exec.Command("sh", "-exc", fullDisk, "sh", disk, said)
	cmd.Env = s.env
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		log, _ := os.ReadFile(said)
		t.Fatalf("%v\n%s\nit said:\n%s", err, out, log)
	}
}

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
