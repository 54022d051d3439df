//go:build prove && linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSoak: ten minutes of edits, a person's git and clients leave an owner
// with as many descriptors and as much memory as after the first minutes, and
// nothing undone.
func TestSoak(t *testing.T) {
	const lasts, warm = 10 * time.Minute, 3 * time.Minute
	s := newShop(t)
	for i := range 500 {
		s.write(fmt.Sprintf("memory/project_s%03d.md", i), memoryFile(fmt.Sprintf("S %03d", i), "project", fmt.Sprintf("Text %d.", i*7919)))
	}
	s.ok("up", "--once")
	up := s.watched()

	random := rand.New(rand.NewPCG(7, 7))
	began := time.Now()
	var files, memory int // when it was warm
	for i := 0; time.Since(began) < lasts; i++ {
		p := fmt.Sprintf("memory/project_s%03d.md", random.IntN(500))
		s.write(p, s.read(p)+fmt.Sprintf("Line %d.\n", i))
		switch i % 10 {
		case 3:
			s.write("side.txt", fmt.Sprint(i))
			person := fmt.Sprintf("git add side.txt && git commit -q -m 'side %d'", i)
			for try := 1; ; try++ { // git waits for no other writer; people try again
				cmd := exec.Command("sh", "-c", person)
				cmd.Dir, cmd.Env = s.dir, s.env
				out, err := cmd.CombinedOutput()
				if err == nil {
					break
				}
				if !strings.Contains(string(out), "index.lock") && !strings.Contains(string(out), "cannot lock ref") || try == 20 {
					t.Fatalf("%v\n%s", err, out)
				}
			}
		case 5:
			s.ok("write", fmt.Sprintf("Client %d", i), "--type", "user", "--content", fmt.Sprintf("Client text %d.", i*7919))
		case 7:
			s.ok("delete", fmt.Sprintf("Client %d", i-2))
		case 9:
			s.ok("list", "--json")
		}
		if files == 0 && time.Since(began) > warm {
			files, memory = descriptors(t, up.Process.Pid), resident(t, up.Process.Pid)
		}
	}
	for !strings.Contains(s.any("status", "--json"), `"pending": []`) {
	}
	endFiles, endMemory := descriptors(t, up.Process.Pid), resident(t, up.Process.Pid)
	t.Logf("descriptors %d, then %d; resident %d kB, then %d kB; %d commits", files, endFiles, memory, endMemory, s.commits())
	if endFiles > files+4 { // a client that is just leaving, an index that is just let go
		t.Errorf("%d descriptors, %d when it was warm", endFiles, files)
	}
	if endMemory > memory*5/4 {
		t.Errorf("%d kB resident, %d when it was warm", endMemory, memory)
	}
	up.Process.Signal(syscall.SIGTERM)
	if err := up.Wait(); err != nil {
		t.Error(err)
	}
	s.rest()
}

func descriptors(t *testing.T, pid int) int {
	entries, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "fd"))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// resident is VmRSS, in kB.
func resident(t *testing.T, pid int) int {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.Atoi(strings.Fields(rest)[0])
			return kb
		}
	}
	return 0
}
