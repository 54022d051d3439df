package search

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"memsync"
)

const (
	envChild = "MEMSYNC_TEST_SEARCH_DIR"  // run as a child on that directory …
	envDo    = "MEMSYNC_TEST_SEARCH_WHAT" // … doing this
)

// children are what this test binary does as a child, by name.
var children = map[string]func(dir string) error{"apply": applyForEver, "history": writeAndWait}

func child(dir string) {
	if err := children[os.Getenv(envDo)](dir); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func asChild(dir, what string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envChild+"="+dir, envDo+"="+what)
	return cmd
}

// step is the i-th step of a process that will be killed. It is told from
// every other by what it leaves.
func step(i int) Batch {
	b := Batch{Stamp: strconv.Itoa(i)}
	for k := range 3 {
		b.Put = append(b.Put, mem{path: fmt.Sprintf("m/%d.md", (i+k)%20), name: "n", body: fmt.Sprintf("word of step %s", strings.Repeat("x", i%50+1))}.doc())
	}
	b.Gone = []memsync.Path{memsync.Path(fmt.Sprintf("m/%d.md", (i+10)%20))}
	return b
}

func applyForEver(dir string) error {
	x, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	if x.Stamp() == "" {
		if err := x.Rebuild(seq(), "0"); err != nil {
			return err
		}
	}
	i, err := strconv.Atoi(x.Stamp())
	for err == nil {
		i++
		if err = x.Apply(step(i)); err == nil {
			fmt.Println(i)
		}
		if err == nil && i%7 == 0 {
			if err = x.Close(); err == nil {
				fmt.Println("closed", i)
				x, err = Open(dir, Options{})
			}
		}
	}
	return err
}

// TestKilled: a process killed anywhere leaves an index that says truly what
// it stands for: what it answers is what that stamp answers. A step that was
// not written yet may be missing; what was when the index was last closed, or
// rebuilt, is not.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	for round := range 8 {
		cmd := asChild(dir, "apply")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		last, durable := 0, 0
		lines := bufio.NewScanner(out)
		note := func() bool {
			if !lines.Scan() {
				return false
			}
			to, line := &last, lines.Text()
			if n, ok := strings.CutPrefix(line, "closed "); ok {
				to, line = &durable, n
			}
			if *to, err = strconv.Atoi(line); err != nil {
				t.Fatal(lines.Text())
			}
			return true
		}
		for n := 0; n < 5+round*7 && note(); n++ {
		}
		cmd.Process.Kill()
		for note() {
		}
		cmd.Wait()
		var n notices
		x, err := Open(dir, Options{Notice: n.notice})
		if err != nil {
			t.Fatal(err)
		}
		at, err := strconv.Atoi(x.Stamp())
		if err != nil || at < durable || at > last+1 || len(n.said) > 0 {
			t.Fatalf("%d were done and %d written; the stamp is %q, it said %q", last, durable, x.Stamp(), n.said)
		}
		now := make(map[memsync.Path]Doc)
		for i := 1; i <= at; i++ {
			b := step(i)
			for _, d := range b.Put {
				now[d.Memory.Path] = d
			}
			delete(now, b.Gone[0])
		}
		want := func(yield func(memsync.Path, memsync.Hash) bool) {
			for p, d := range now {
				if !yield(p, d.Memory.Hash) {
					return
				}
			}
		}
		if d, err := x.Verify(want); err != nil || len(d) > 0 {
			t.Fatalf("at %d: %v %+v", at, err, d)
		}
		if p := search(t, x, "word"); p.Total != len(now) {
			t.Errorf("at %d: %d of %d", at, p.Total, len(now))
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
