//go:build unix

package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// atTerminal is an order that comes from a terminal.
func atTerminal(env ...string) order { return order{Terminal: [3]bool{true, true, true}, Env: env} }

var keptIn = regexp.MustCompile(`what you typed is kept in (\S+)`)

// TestOwnerKeepsTheOpenEditorsFile: the terminal of `memsync edit` is closed
// while the editor, in a window of its own, is open and nothing is saved yet.
// The file that it will save to stays.
func TestOwnerKeepsTheOpenEditorsFile(t *testing.T) {
	s := newShop(t)
	s.board()
	s.owner()
	l := s.order(atTerminal("EDITOR=code --wait", "TMPDIR="+t.TempDir()), "edit", "board")
	m, _, err := receive(l.r)
	if err != nil || len(m.Editor) < 4 {
		t.Fatalf("%+v: %v", m, err)
	}
	l.conn.CloseWrite()
	said, code := l.answer(t)
	if kept := keptIn.FindStringSubmatch(said); code != exitBusy || kept == nil || !strings.HasPrefix(m.Editor[3], kept[1]) {
		t.Errorf("exit %d: %s", code, said)
	}
	if err := os.WriteFile(m.Editor[3], []byte("saved late"), 0o600); err != nil {
		t.Error(err)
	}
	s.rest()
}
