//go:build prove && linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSoak: ten minutes of edits, a person's git and clients leave an owner
// with as many descriptors and as much memory as after the first minutes, and
// nothing undone. The store stays as large as it is: what it remembers (and of
// a deleted memory that is its tombstone, some kilobytes) is no leak.
func TestSoak(t *testing.T) {
	const lasts, warm, look = 10 * time.Minute, 3 * time.Minute, 30 * time.Second
	s := newShop(t)
	for i := range 500 {
		s.write(fmt.Sprintf("memory/project_s%03d.md", i), memoryFile(fmt.Sprintf("S %03d", i), "project", fmt.Sprintf("Text %d.", i*7919)))
	}
	s.ok("up", "--once")
	s.git("config", "gc.autoDetach", "false") // or the last check meets objects on their way into a pack
	up := s.watched()

	random := rand.New(rand.NewPCG(7, 7))
	began := time.Now()
	warmed, ended := footprint{}, footprint{}
	for i := 0; time.Since(began) < lasts; i++ {
		p := fmt.Sprintf("memory/project_s%03d.md", random.IntN(500))
		text := s.read(p)
		if lines := strings.SplitAfter(text, "\n"); len(lines) > 30 {
			text = strings.Join(slices.Delete(lines, 8, 20), "")
		}
		s.write(p, text+fmt.Sprintf("Line %d.\n", i))
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
			s.ok("write", fmt.Sprintf("Client %d", i%50), "--type", "user", "--content", fmt.Sprintf("Client text %d.", i*7919))
		case 7:
			if i%200 == 7 {
				s.ok("write", fmt.Sprintf("Gone %d", i), "--type", "user", "--content", fmt.Sprintf("Gone text %d.", i*104729))
				s.ok("delete", fmt.Sprintf("Gone %d", i))
			}
		case 9:
			s.ok("list", "--json")
		}
		switch now := time.Since(began); {
		case now > warm && now < warm+look:
			warmed.look(t, up.Process.Pid)
		case now > lasts-look:
			ended.look(t, up.Process.Pid)
		}
	}
	for !strings.Contains(s.any("status", "--json"), `"pending": []`) {
	}
	t.Logf("descriptors %d, then %d; resident %d kB, then %d kB; %d commits", warmed.files, ended.files, warmed.memory, ended.memory, s.commits())
	if ended.files > warmed.files+4 { // two packs, with their indexes, may be open
		t.Errorf("%d descriptors, %d when it was warm", ended.files, warmed.files)
	}
	if ended.memory > warmed.memory*5/4 {
		t.Errorf("%d kB resident, %d when it was warm", ended.memory, warmed.memory)
	}
	up.Process.Signal(syscall.SIGTERM)
	if err := up.Wait(); err != nil {
		t.Error(err)
	}
	s.rest()
}

// footprint is the least that a process was seen with: what goes up and down while
// it works is no leak, what does not come down again is one.
type footprint struct {
	files, memory int // descriptors; kB
}

func (u *footprint) look(t *testing.T, pid int) {
	files, memory := descriptors(t, pid), resident(t, pid)
	if u.memory == 0 {
		*u = footprint{files, memory}
	}
	u.files, u.memory = min(u.files, files), min(u.memory, memory)
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
