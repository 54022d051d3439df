//go:build linux

package prefault

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestCodeIsMapped: of the program that runs, this test, every page of code is
// resident, where the system knows the advice.
func TestCodeIsMapped(t *testing.T) {
	from, to := code()
	if from >= to {
		t.Fatalf("code at %#x-%#x", from, to)
	}
	if err := advise(from, to-from, populateRead); errors.Is(err, syscall.EINVAL) {
		return // before Linux 5.14
	} else if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	head, resident, met := fmt.Sprintf("%08x-%08x ", from, to), 0, false
	for s := bufio.NewScanner(f); s.Scan(); {
		switch {
		case strings.HasPrefix(s.Text(), head):
			met = true
		case met:
			if _, err := fmt.Sscanf(s.Text(), "Rss: %d kB", &resident); err == nil {
				if want := int(to-from) >> 10; resident < want {
					t.Errorf("%d kB of %d kB of code are mapped", resident, want)
				}
				return
			}
		}
	}
	t.Fatalf("no mapping %s with its Rss", head)
}

func TestExecutable(t *testing.T) {
	for _, c := range []struct {
		maps     string
		from, to uintptr
	}{
		{"00400000-00bc9000 r-xp 00000000 fe:00 247278   /usr/bin/memsync\n", 0x400000, 0xbc9000},
		{"56586000-56588000 r--p 00000000 fe:00 1 /m\n56588000-5658e000 r-xp 00002000 fe:00 1 /m\n", 0x56588000, 0x5658e000},
		{"56586000-56588000 r--p 00000000 fe:00 1 /m", 0, 0},
		{"56586000-56588000 r--p 00000000 fe:00 1 /m\n5589d7", 0, 0},
		{"5589d7286000-55", 0, 0},
		{"-", 0, 0},
		{"no list\n", 0, 0},
		{"", 0, 0},
	} {
		if from, to := executable([]byte(c.maps)); from != c.from || to != c.to {
			t.Errorf("%q: %#x-%#x, not %#x-%#x", c.maps, from, to, c.from, c.to)
		}
	}
}
