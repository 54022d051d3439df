package keeper

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"memsync"
)

// TestMain lets the test binary be one of the processes that draw ids.
func TestMain(m *testing.M) {
	if os.Getenv("MEMSYNC_TEST_DRAW") != "" {
		g, w := newIDs(), bufio.NewWriter(os.Stdout)
		for range 12_500 {
			fmt.Fprintln(w, g.draw(time.Now()))
		}
		if err := w.Flush(); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// P16: 100,000 ids drawn by 8 processes at once are all distinct, each is a
// ULID, and those of one process ascend.
func TestP16_IDsOfManyProcesses(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	outs := make(chan string, 8)
	for range 8 {
		go func() {
			cmd := exec.Command(exe)
			cmd.Env = append(os.Environ(), "MEMSYNC_TEST_DRAW=1")
			out, err := cmd.Output()
			if err != nil {
				t.Error(err)
			}
			outs <- string(out)
		}()
	}
	seen := map[memsync.ID]bool{}
	for range 8 {
		var last memsync.ID
		for line := range strings.Lines(<-outs) {
			id, err := memsync.ParseID(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			if seen[id] {
				t.Fatalf("%s was drawn twice", id)
			}
			if id <= last {
				t.Fatalf("%s follows %s", id, last)
			}
			seen[id], last = true, id
		}
	}
	if len(seen) != 100_000 {
		t.Fatalf("%d ids", len(seen))
	}
}

// A millisecond whose counter overflows still gets ids, and distinct ones.
func TestDrawInOneMillisecond(t *testing.T) {
	g, at, seen := newIDs(), time.UnixMilli(1_700_000_000_000), map[memsync.ID]bool{}
	for range 10_000 {
		id := g.draw(at)
		if seen[id] || !id.Time().Equal(at.UTC()) {
			t.Fatalf("%s: twice %v, time %s", id, seen[id], id.Time())
		}
		seen[id] = true
	}
}
