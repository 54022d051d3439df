package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestRacingSaves: people save while the keeper writes into the same files. A
// writer appends a line to what it reads and now and then throws away the id,
// so that the keeper has to write it again; it saves in place or by a rename,
// at once or about when the keeper looks. Afterwards the record of all that was
// saved is held against what is there: no line is lost, on disk or in git, and
// a cold pass has nothing to do.
func TestRacingSaves(t *testing.T) {
	const files = 20
	s := newShop(t)
	s.ok("up", "--once")
	up := s.watched()

	record := make([][]string, files)
	var all sync.WaitGroup
	for f := range files {
		all.Go(func() {
			random := rand.New(rand.NewPCG(7, uint64(f)))
			file := filepath.Join(s.dir, fmt.Sprintf("memory/project_race%02d.md", f))
			if err := os.WriteFile(file, []byte(memoryFile(fmt.Sprintf("Race %02d", f), "project", "Begun.")), 0o644); err != nil {
				t.Error(err)
				return
			}
			for i := range racingSaves / files {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Error(err)
					return
				}
				text := string(data)
				if random.IntN(8) == 0 {
					text = idLine.ReplaceAllString(text, "")
				}
				line := fmt.Sprintf("Line %d of writer %d.", i, f)
				text += line + "\n"
				if err := saveAs(file, text, random.IntN(2) == 0); err != nil {
					t.Error(err)
					return
				}
				record[f] = append(record[f], line)
				// Not a wait for anything: when people save is the input.
				time.Sleep(time.Duration(random.IntN(3)*60+random.IntN(40)) * time.Millisecond)
			}
		})
	}
	all.Wait()
	for {
		st := s.any("status", "--json")
		if strings.Contains(st, `"pending": []`) {
			break
		}
	}
	up.Process.Signal(syscall.SIGTERM)
	if err := up.Wait(); err != nil {
		t.Error(err)
	}
	head := s.git("rev-parse", "HEAD")
	if out := s.any("up", "--once"); s.git("rev-parse", "HEAD") != head {
		t.Errorf("a cold pass commits: %s", out)
	}
	for f, saved := range record {
		name := fmt.Sprintf("memory/project_race%02d.md", f)
		disk, committed := s.read(name), s.git("show", "HEAD:"+name)
		if disk != committed {
			t.Errorf("%s is not what HEAD has", name)
		}
		for _, line := range saved {
			if n := strings.Count(disk, line+"\n"); n != 1 {
				t.Errorf("%s: %q is there %d times", name, line, n)
			}
		}
	}
	s.ok("doctor")
}

// saveAs saves as editors do: in place, or by a file of its own that is renamed.
func saveAs(file, text string, rename bool) error {
	if !rename {
		return os.WriteFile(file, []byte(text), 0o644)
	}
	tmp := filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+".tmp")
	if err := os.WriteFile(tmp, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, file)
}

// watched starts `memsync up` and waits until it says that it watches. It ends
// with the test at the latest.
func (s *shop) watched(by ...string) *exec.Cmd {
	s.t.Helper()
	line := append(by, command, "up")
	up := exec.Command(line[0], line[1:]...)
	up.Dir, up.Env = s.dir, s.env
	stderr, err := up.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := up.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { up.Process.Kill(); up.Wait() })
	lines := bufio.NewScanner(stderr)
	for lines.Scan() && !strings.Contains(lines.Text(), ": watching ") {
	}
	go io.Copy(io.Discard, stderr)
	return up
}
