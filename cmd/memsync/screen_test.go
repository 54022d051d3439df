//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/creack/pty"
)

// screen is a command on a terminal of its own, and the person before it.
type screen struct {
	t     *testing.T
	cmd   *exec.Cmd
	tty   *os.File
	shown bytes.Buffer
}

// screen starts the command on a terminal.
func (s *shop) screen(args ...string) *screen {
	s.t.Helper()
	cmd := exec.Command("memsync", args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	tty, err := pty.Start(cmd)
	if err != nil {
		s.t.Fatal(err)
	}
	hung := time.AfterFunc(time.Minute, func() { cmd.Process.Kill(); tty.Close() })
	s.t.Cleanup(func() { hung.Stop(); cmd.Process.Kill(); tty.Close() })
	return &screen{t: s.t, cmd: cmd, tty: tty}
}

// sees waits until the terminal shows the text.
func (v *screen) sees(text string) {
	v.t.Helper()
	buf := make([]byte, 4096)
	for !bytes.Contains(v.shown.Bytes(), []byte(text)) {
		n, err := v.tty.Read(buf)
		v.shown.Write(buf[:n])
		if n == 0 && err != nil {
			v.t.Fatalf("never shows %q: %q", text, v.shown.String())
		}
	}
}

func (v *screen) types(keys string) { io.WriteString(v.tty, keys) }

// code waits until the command has ended.
func (v *screen) code() int {
	v.cmd.Wait()
	return v.cmd.ProcessState.ExitCode()
}
