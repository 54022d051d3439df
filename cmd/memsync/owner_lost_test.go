//go:build unix

package main

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// TestOwnerLostAnswer: the owner has done a command, others have gone on from
// there, and then it dies before the answer is out. The client finds that the
// command was done and does nothing twice: not even a line that it could add
// again, nor a delete that would find nothing to delete.
func TestOwnerLostAnswer(t *testing.T) {
	for _, command := range [][]string{
		{"batch", "board", "--operations", `[{"action":"add","content":"The line in question."}]`},
		{"delete", "board", "--json"},
		{"write", "Other", "--type", "user", "--content", "Another memory."},
	} {
		t.Run(command[0], func(t *testing.T) {
			s := newShop(t)
			s.board()
			commits := 0
			s.loseAnswer(func() {
				if command[0] == "batch" { // so that it is not simply the last thing that happened
					if _, errs, code := s.add("A later line."); code != exitFine {
						t.Error(errs)
					}
				}
				commits = s.commits()
			}, command)
			if n := s.commits(); n != commits {
				t.Errorf("%d commits, %d before the answer was lost", n, commits)
			}
			if command[0] == "batch" {
				s.once([]string{"The line in question."})
			}
			s.rest()
		})
	}
}

// loseAnswer runs a command whose owner dies after it has done it and before it
// can say so; between is done before the owner dies.
func (s *shop) loseAnswer(between func(), command []string) {
	s.t.Helper()
	o := s.owner()
	state := s.path(".git/memsync")
	p := socketPath(state)
	if err := os.Rename(p, p+".real"); err != nil {
		s.t.Fatal(err)
	}
	l, err := listenOwner(state) // the client talks to us, and we to the owner
	if err != nil {
		s.t.Fatal(err)
	}
	type result struct {
		out, errs string
		code      int
	}
	ended := make(chan result)
	go func() {
		out, errs, code := s.try(command...)
		ended <- result{out, errs, code}
	}()
	client, err := l.AcceptUnix()
	if err != nil {
		s.t.Fatal(err)
	}
	l.Close() // takes our socket away
	if err := os.Rename(p+".real", p); err != nil {
		s.t.Fatal(err)
	}
	mine := ownGreeting()
	if err := send(client, message{Greeting: &mine}); err != nil {
		s.t.Fatal(err)
	}
	m, parts, err := receive(bufio.NewReader(client))
	if err != nil || m.Order == nil {
		s.t.Fatalf("%+v: %v", m, err)
	}
	owner := callOwner(state)
	if owner == nil {
		s.t.Fatal("nobody answers")
	}
	m.Sizes = nil
	if err := send(owner.conn, m, parts...); err != nil {
		s.t.Fatal(err)
	}
	if said, code := owner.answer(s.t); code != exitFine {
		s.t.Fatalf("the owner ends with %d: %s", code, said)
	}
	between()
	o.kill()
	client.Close()
	r := <-ended
	if r.code != exitFine || !strings.Contains(r.out, "already applied") && !strings.Contains(r.out, `"already_applied": true`) {
		s.t.Errorf("exit %d\n%s%s", r.code, r.out, r.errs)
	}
}
