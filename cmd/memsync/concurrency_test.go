package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// noLostUpdate: twenty processes write to one memory at once, while an editor
// that never reloads saves its old buffer over and over. Every write that was
// accepted is in the text or in a conflict that has a name. Control: all twenty
// were accepted.
func noLostUpdate(t *testing.T) {
	const writers = 20
	s := newShop(t)
	s.write("memory/project_board.md", memoryFile("board", "project", "The board.\n\nThe end."))
	s.ok("up", "--once")
	buffer := s.read("memory/project_board.md")

	var wg sync.WaitGroup
	accepted := make([]bool, writers)
	for i := range writers {
		wg.Go(func() {
			ops := fmt.Sprintf(`[{"action":"add","content":"Line of writer %02d."}]`, i)
			for range 40 { // the store is another process's for a moment: try again
				out, errs, code := s.agent(fmt.Sprint("w", i)).try("batch", "board", "--operations", ops, "--request-id", fmt.Sprint("r", i))
				if code == exitFine {
					accepted[i] = true
					return
				}
				if code != exitBusy {
					t.Errorf("writer %d: exit %d\n%s%s", i, code, out, errs)
					return
				}
			}
		})
	}
	saved := 0
	wg.Go(func() {
		for i := range 5 {
			buffer = strings.Replace(buffer, "The end.", fmt.Sprintf("Typed %d.\n\nThe end.", i), 1)
			s.write("memory/project_board.md", buffer)
			saved++
			if out, errs, code := s.try("up", "--once"); code != exitFine && code != exitBusy {
				t.Errorf("up --once: exit %d\n%s%s", code, out, errs)
			}
		}
	})
	wg.Wait()
	s.ok("up", "--once")

	text := s.read("memory/project_board.md")
	var lost []string
	for _, f := range s.files() {
		if strings.Contains(f, "_system/conflicts/") {
			lost = append(lost, s.read(f))
		}
	}
	conflicts := strings.Join(lost, "\n")
	for i, ok := range accepted {
		if !ok {
			t.Errorf("control: writer %d was never accepted", i)
		}
		line := fmt.Sprintf("Line of writer %02d.", i)
		switch n := strings.Count(text, line); {
		case n > 1:
			t.Errorf("%q stands %d times", line, n)
		case n == 0 && !strings.Contains(conflicts, line):
			t.Errorf("%q is lost", line)
		}
	}
	for i := range saved {
		if typed := fmt.Sprintf("Typed %d.", i); !strings.Contains(text, typed) && !strings.Contains(conflicts, typed) {
			t.Errorf("%q is lost", typed)
		}
	}
	s.rest()
}
